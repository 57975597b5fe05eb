"""Parts of templates: ranges, dimension names, codecs, references and patterns, and the field types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias, cast, get_args

from pydantic import AfterValidator, Field, Strict

from zom.extension.codec import codecs, v2_codecs
from zom.extension.datatype import Kind
from zom.extension.field import Interval, OrAbsent
from zom.extension.registry import did_you_mean, near
from zom.formats.resolve import canonical_codec_name
from zom.json.value import JSON, JSONDict
from zom.model.fields import AS_IT_IS
from zom.problems import Fault, rule, show, split_pointer
from zom.template.definition import TemplatePart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.template.models import Template

__all__ = [
    "ANY_TEMPLATE",
    "CONFLICT",
    "KINDS",
    "NAME",
    "Attributes",
    "CodecRules",
    "Codecs",
    "Extent",
    "Extents",
    "MaybeNames",
    "MemberTemplates",
    "Names",
    "Pattern",
    "Patterns",
    "Range",
    "Reference",
    "References",
    "SameLength",
    "SomeKinds",
    "Texts",
    "is_foreign",
]

_SOURCE = "template documents, docs/templates.md"

NAME = rule(
    "template/unknown-name",
    "a template names existing kinds, data types, codecs, dimensions and members",
    source=_SOURCE,
)
EMPTY = rule("template/empty-range", "a range contains at least one number", source=_SOURCE)
REGEX = rule("template/regex", "a pattern is a regular expression", source=_SOURCE)
POINTER = rule(
    "template/reference-pointer", "a reference has a pointer (RFC 6901) into attributes", source=_SOURCE
)
CONFLICT = rule("template/conflict", "constraints of one template don't exclude each other", source=_SOURCE)

KINDS: Final = cast("tuple[str, ...]", get_args(Kind))
"""The kinds of data types."""

Count = Annotated[int, Interval(0)]


def _words(text: str) -> Any:
    return Field(json_schema_extra={"x-words": True, "description": text})


def is_foreign(name: str) -> bool:
    """Whether another package may define a name: a URI, or a name with a prefix.

    >>> is_foreign("example.decimal"), is_foreign("flaot32")
    (True, False)
    """
    return "." in name.strip(".") or name.startswith("urn:") or "://" in name


if TYPE_CHECKING:
    Texts: TypeAlias = Sequence[str]
    ANY_TEMPLATE: TypeAlias = Template | Mapping[str, Any] | None
else:
    _Texts = Annotated[tuple[str, ...], Strict(False)]
    Texts = Annotated[_Texts, _words("a list of names")]
    ANY_TEMPLATE = Annotated[Any, AS_IT_IS]


class Range(TemplatePart):
    """Integers in an inclusive range that are multiples of a number.

    >>> Range(min=256, max=1024, multiple_of=256).max
    1024
    """

    min: OrAbsent[Count] = None
    max: OrAbsent[Count] = None
    multiple_of: OrAbsent[Annotated[int, Interval(1)]] = None

    def faults(self) -> Iterator[Fault]:
        """Yield a fault if no number is in the range."""
        low, high, step = self.min or 0, self.max, self.multiple_of or 1
        if high is None:
            return
        if low > high:
            yield Fault(EMPTY, ("max",), f"an integer of at least {low}, the min", show(high))
        elif high // step * step < low:
            wanted = f"a number that has a multiple from {low} to {high}"
            yield Fault(EMPTY, ("multiple_of",), wanted, show(step))


class Names(TemplatePart):
    """Dimension names that an array must have, in any order.

    >>> Names(required=["y", "x"]).required
    ('y', 'x')
    """

    required: Texts = ()

    def faults(self) -> Iterator[Fault]:
        """Yield a fault if a name is given twice."""
        if len(set(self.required)) != len(self.required):
            yield Fault(CONFLICT, ("required",), "names that differ", show(list(self.required)))


class Codecs(TemplatePart):
    """The allowed and required codecs of an array, by their names in any format.

    `bytes` and `sharding_indexed` are always allowed: the first has no counterpart in v2, and shards have
    their own constraint.

    >>> Codecs(allowed=["zstd", "blosc"], required=["zstd"]).allowed
    ('zstd', 'blosc')
    """

    allowed: OrAbsent[Texts] = None
    required: Texts = ()

    def faults(self) -> Iterator[Fault]:
        """Yield unknown names, and codecs that are required but not allowed."""
        for field in ("allowed", "required"):
            for index, name in enumerate(getattr(self, field) or ()):
                if canonical_codec_name(name) is None and not is_foreign(name):
                    fix = did_you_mean(near(name, [*codecs.names(), *v2_codecs()]))
                    yield Fault(NAME, (field, index), "the name of a codec", show(name), fix)
        if self.allowed is None:
            return
        allowed = {canonical_codec_name(name) or name for name in self.allowed}
        for index, name in enumerate(self.required):
            if (canonical_codec_name(name) or name) not in allowed:
                wanted = f"one of the codecs allowed, {', '.join(self.allowed)}"
                yield Fault(CONFLICT, ("required", index), wanted, show(name))


class Reference(TemplatePart):
    """A place in the attributes with paths of nodes, all of which must exist.

    `attribute` is a pointer into the attributes; `*` in it matches any text within one step. With `split`, a
    text contains several paths, separated by spaces.

    >>> Reference(attribute="/multiscales/*/datasets/*/path", kind="array").relative_to
    'node'
    """

    attribute: str
    relative_to: Literal["node", "parent", "root"] = "node"
    kind: Literal["array", "group", "any"] = "any"
    split: bool = False

    def faults(self) -> Iterator[Fault]:
        """Yield a fault if `attribute` is not a pointer."""
        text = self.attribute
        fix = f'write "/{text}"' if text and not text.startswith("/") else None
        if not text.startswith("/") or "" in split_pointer(text) or re.search("~(?![01])", text):
            yield Fault(POINTER, ("attribute",), 'a pointer such as "/multiscales/*/path"', show(text), fix)


class Pattern(TemplatePart):
    """Constraints on members whose whole name matches `pattern`: their number and their template.

    `same` lists properties that all of them share; they must be arrays.

    >>> Pattern(pattern="r[0-9]+m", min_count=1, max_count=10).max_count
    10
    """

    slots: ClassVar[tuple[str, ...]] = ("template",)

    pattern: str
    template: ANY_TEMPLATE = None
    min_count: Count = 0
    max_count: OrAbsent[Count] = None
    same: Annotated[tuple[Literal["dtype", "rank", "dimension_names"], ...], Strict(False)] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield invalid expressions, and counts and properties that no members can have."""
        try:
            re.compile(self.pattern)
        except re.error as error:
            found = f"{show(self.pattern)}: {error}"
            yield Fault(REGEX, ("pattern",), "a regular expression", found)
        if self.max_count is not None and self.max_count < self.min_count:
            wanted = f"an integer of at least {self.min_count}, the min_count"
            yield Fault(EMPTY, ("max_count",), wanted, show(self.max_count))
        if self.same and getattr(self.template, "node_type", None) != "array":
            wanted = "nothing: the members are not arrays by their template"
            yield Fault(CONFLICT, ("same",), wanted, show(list(self.same)))


Kinds: TypeAlias = Kind | str

if TYPE_CHECKING:
    Extent: TypeAlias = int | Sequence[int] | AbstractSet[int] | Range | Mapping[str, int]
    """A number, the allowed numbers, or a range."""
    MaybeNames: TypeAlias = Sequence[str | None] | Names | Mapping[str, Sequence[str]]
    SomeKinds: TypeAlias = Kinds | Sequence[Kinds] | AbstractSet[Kinds]
    # By names and places. Not a union of mappings: mypy can't infer a dict for one.
    Extents: TypeAlias = Mapping[Any, Extent]
    CodecRules: TypeAlias = Sequence[str] | Codecs | Mapping[str, Sequence[str]]
    Patterns: TypeAlias = Sequence[Pattern | Mapping[str, Any]]
    References: TypeAlias = Sequence[Reference | Mapping[str, Any]]
    MemberTemplates: TypeAlias = Mapping[str, Template | Mapping[str, Any]]
    SameLength: TypeAlias = bool | Sequence[str]
    Attributes: TypeAlias = Mapping[str, JSON]
else:
    _Lengths = Annotated[tuple[Count, ...], Field(min_length=1), Strict(False)]
    Extent = Annotated[
        Count | _Lengths | Range,
        _words("a number, a list of numbers, or an object with min, max, multiple_of"),
    ]
    MaybeNames = Annotated[
        Annotated[tuple[str | None, ...], Strict(False)] | Names,
        _words("a list of names and nulls, or an object with the names required"),
    ]
    SomeKinds = Annotated[
        str | Annotated[tuple[str, ...], Field(min_length=1), Strict(False)],
        _words("a kind or a name of data types, or a list of them"),
    ]
    Extents = Annotated[Mapping[str, Extent], AfterValidator(JSONDict)]
    CodecRules = Annotated[
        _Texts | Codecs,
        _words("a list of names, or an object with the codecs allowed and required"),
    ]
    Patterns = Annotated[tuple[Pattern, ...], Strict(False)]
    References = Annotated[tuple[Reference, ...], Strict(False)]
    MemberTemplates = Annotated[Mapping[str, Any], AfterValidator(JSONDict)]
    SameLength = Annotated[bool | _Texts, _words("true, false or a list of dimension names")]
    Attributes = Annotated[Mapping[str, Any], AfterValidator(JSONDict)]
