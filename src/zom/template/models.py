"""Templates: documents that say what hierarchies of one kind have in common.

A template is a tree of constraints: `ArrayTemplate`, `GroupTemplate`, and `NodeTemplate` for a place
where either may stand. It is a document itself, written as JSON or in Python, and it is checked when
it is made: a typo in it is an error there, not a rule that never applies.

ZEP 6, use cases: whether hierarchies are structured identically; requirements on arrays and groups
beyond what one document says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict

from zom.errors import SpecError
from zom.extension.datatype import Kind
from zom.extension.field import Interval, OrAbsent
from zom.json.value import JSON, JSONDict
from zom.model.fields import AS_IT_IS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.model.spec import Spec
    from zom.problems import Level, Problem

__all__ = [
    "VERSION",
    "ArrayTemplate",
    "Codecs",
    "Extent",
    "GroupTemplate",
    "Names",
    "NodeTemplate",
    "Part",
    "Pattern",
    "Range",
    "Reference",
    "Template",
    "plain",
]

VERSION: Final = 1
"""The version of the form of template documents: the value of `zom_template` at their root."""


class Part(BaseModel):
    """A piece of a template that is no template itself: frozen, and checked when it is made."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", protected_namespaces=(), allow_inf_nan=False
    )

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            from zom.template.definition import define  # noqa: PLC0415 - it defines parts

            made = define(type(self), data)
            for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__"):
                object.__setattr__(self, name, object.__getattribute__(made, name))
            object.__setattr__(self, "__pydantic_private__", made.__pydantic_private__)

        # Pydantic calls a constructor only where it isn't its own: a nested part is checked with
        # the whole that it is in, so that its faults are located there.
        __init__.__pydantic_base_init__ = True

    def document(self) -> dict[str, Any]:
        """What was said, as JSON, templates left out.

        >>> Range(max=24).document()
        {'max': 24}
        """
        return {name: plain(getattr(self, name)) for name in self._said() if name != "template"}

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        yield from ((name, getattr(self, name)) for name in self._said())

    def _said(self) -> Iterator[str]:
        for name in type(self).model_fields:
            if name in self.model_fields_set:
                yield name


def plain(value: Any) -> Any:
    """A field's value as JSON, templates left out."""
    if isinstance(value, Part):
        return value.document()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in cast("Mapping[str, Any]", value).items()}
    return value


Count = Annotated[int, Interval(0)]


class Range(Part):
    """Integers between two bounds, both included, that are multiples of a number.

    >>> Range(min=256, max=1024, multiple_of=256).max
    1024
    """

    min: OrAbsent[Count] = None
    max: OrAbsent[Count] = None
    multiple_of: OrAbsent[Annotated[int, Interval(1)]] = None


def _words(text: str) -> Any:
    return Field(json_schema_extra={"x-words": True, "description": text})


Kinds: TypeAlias = Kind | str

if TYPE_CHECKING:
    Extent: TypeAlias = int | Sequence[int] | AbstractSet[int] | Range | Mapping[str, int]
    """A number, the numbers allowed, or the bounds between which a number lies."""
    Texts: TypeAlias = Sequence[str]
    MaybeNames: TypeAlias = "Sequence[str | None] | Names | Mapping[str, Sequence[str]]"
    SomeKinds: TypeAlias = Kinds | Sequence[Kinds] | AbstractSet[Kinds]
    Extents: TypeAlias = Mapping[str, Extent] | Mapping[int, Extent] | Mapping[str | int, Extent]
    CodecRules: TypeAlias = "Sequence[str] | Codecs | Mapping[str, Sequence[str]]"
    Patterns: TypeAlias = "Sequence[Pattern | Mapping[str, Any]]"
    References: TypeAlias = "Sequence[Reference | Mapping[str, Any]]"
    MemberTemplates: TypeAlias = "Mapping[str, Template | Mapping[str, Any]]"
    SameLength: TypeAlias = bool | Sequence[str]
    Attributes: TypeAlias = Mapping[str, JSON]
    ANY_TEMPLATE: TypeAlias = "Template | Mapping[str, Any] | None"
else:
    _Texts = Annotated[tuple[str, ...], Strict(False)]
    Texts = Annotated[_Texts, _words("a list of names")]
    _Lengths = Annotated[tuple[Count, ...], Field(min_length=1), Strict(False)]
    Extent = Annotated[
        Count | _Lengths | Range,
        _words("a number, a list of numbers, or an object with min, max, multiple_of"),
    ]
    MaybeNames = Annotated[
        Annotated[tuple[str | None, ...], Strict(False)] | "Names",  # noqa: TC010 - pydantic reads it later
        _words("a list of names and nulls, or an object with the names required"),
    ]
    SomeKinds = Annotated[
        str | Annotated[tuple[str, ...], Field(min_length=1), Strict(False)],
        _words("a kind or a name of data types, or a list of them"),
    ]
    Extents = Annotated[Mapping[str, Extent], AfterValidator(JSONDict)]
    CodecRules = Annotated[
        _Texts | "Codecs",  # noqa: TC010 - pydantic reads it later
        _words("a list of names, or an object with the codecs allowed and required"),
    ]
    Patterns = Annotated[tuple["Pattern", ...], Strict(False)]
    References = Annotated[tuple["Reference", ...], Strict(False)]
    MemberTemplates = Annotated[Mapping[str, Any], AfterValidator(JSONDict)]
    SameLength = Annotated[bool | _Texts, _words("true, false or a list of dimension names")]
    Attributes = Annotated[Mapping[str, Any], AfterValidator(JSONDict)]
    ANY_TEMPLATE = Annotated[Any, AS_IT_IS]


class Names(Part):
    """Dimension names that an array must have among its own, in any order.

    >>> Names(required=["y", "x"]).required
    ('y', 'x')
    """

    required: Texts = ()


class Codecs(Part):
    """Which codecs an array may have, and which it must have; names are those of any format.

    `bytes` and `sharding_indexed` may always be there: the first has no counterpart in v2, and
    shards have a constraint of their own.

    >>> Codecs(allowed=["zstd", "blosc"], required=["zstd"]).allowed
    ('zstd', 'blosc')
    """

    allowed: OrAbsent[Texts] = None
    required: Texts = ()


class Reference(Part):
    """A place in the attributes where paths of nodes stand, each of which must exist.

    `attribute` is a pointer into the attributes; `*` in it stands for any text within one step.
    With `split`, a text holds several paths between spaces.

    >>> Reference(attribute="/multiscales/*/datasets/*/path", kind="array").relative_to
    'node'
    """

    attribute: str
    relative_to: Literal["node", "parent", "root"] = "node"
    kind: Literal["array", "group", "any"] = "any"
    split: bool = False


class Template(BaseModel):
    """What is said of a node: of an array, a group, or either."""

    model_config = Part.model_config

    node_type: Literal["array", "group", "any"]
    attributes: OrAbsent[Attributes] = None
    references: References = ()

    if not TYPE_CHECKING:
        __init__ = Part.__init__

    slots: ClassVar[tuple[str, ...]] = ()
    """The fields that hold templates."""

    # --- documents -----------------------------------------------------------------------------

    @classmethod
    def parse(cls, document: str | bytes | Mapping[str, Any]) -> Self:
        """The template that `document` describes; SpecError with every problem where it breaks rules.

        >>> Template.parse('{"zom_template": 1, "node_type": "array", "rank": 2}')
        ArrayTemplate(rank=2)
        """
        from zom.template.document import parse  # noqa: PLC0415 - it makes templates

        found, problems = parse(document)
        if not isinstance(found, cls) or problems:
            raise SpecError(problems or _another(cls, found), "template")
        return found

    def to_dict(self) -> dict[str, Any]:
        """The whole document, as ordinary dicts and lists.

        >>> ArrayTemplate(rank=2).to_dict()
        {'zom_template': 1, 'node_type': 'array', 'rank': 2}
        """
        from zom.template.document import to_dict  # noqa: PLC0415 - it walks templates

        return to_dict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """The whole document as JSON text; `parse` gives back an equal template.

        >>> ArrayTemplate(rank=2).to_json()
        '{"zom_template":1,"node_type":"array","rank":2}'
        """
        from zom.json.write import write_json  # noqa: PLC0415 - only needed here

        return write_json(self.to_dict(), indent=indent)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed; None takes one away.

        >>> ArrayTemplate(rank=2, dtype="float").replace(rank=None)
        ArrayTemplate(dtype='float')
        """
        said = {name: getattr(self, name) for name in self.model_fields_set}
        return type(self)(**{**said, **changes})

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:  # noqa: ARG002 - pydantic's signature
        """As `replace`: the template itself does not change."""
        return self.replace(**update) if update else self

    # --- checking and making -------------------------------------------------------------------

    def check(
        self, subject: Spec | str | bytes | Mapping[str, Any], level: Level = "strict"
    ) -> tuple[Problem, ...]:
        """Every way in which `subject`, a spec or a document, does not fit; empty where it fits.

        A document is first read as `zom.parse` reads it, at `level`: what is wrong with it comes
        first, and where it is no spec at all, nothing else.

        >>> from zom import v3
        >>> print(*GroupTemplate(members={"t2m": ArrayTemplate()}).check(v3.GroupSpec(members={})))
        members.t2m: expected a member "t2m", found nothing of that name
        """
        from zom.template.checking import check  # noqa: PLC0415 - it walks templates

        return check(self, subject, level)

    @staticmethod
    def infer(*examples: Spec, open: bool = False) -> Template:  # noqa: A002 - as the field is called
        """The tightest sensible template that all `examples` fit.

        >>> from zom import v3
        >>> spec = v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int8")})
        >>> Template.infer(spec).check(spec)
        ()
        """
        from zom.template.inference import infer  # noqa: PLC0415 - it makes templates

        return infer(*examples, open=open)

    # --- comparing, copying, printing ----------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        from zom.template.document import equal  # noqa: PLC0415 - it walks templates

        return equal(self, other) if isinstance(other, Template) else NotImplemented

    def __hash__(self) -> int:
        from zom.template.document import hash_of  # noqa: PLC0415 - it walks templates

        return hash_of(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self).parse, (self.to_json(),))

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name in type(self).model_fields:
            if name in self.model_fields_set and name != "node_type":
                value = getattr(self, name)
                yield name, f"<{len(value)}>" if name in {"members", "patterns"} else value

    def __str__(self) -> str:
        return repr(self)


def _another(cls: type[Template], found: Template | None) -> list[Problem]:
    from zom.problems import Problem, show  # noqa: PLC0415 - on the way to an error

    wanted = show(cls.model_fields["node_type"].default)
    kind = show(found.node_type if found is not None else None)
    return [Problem("template/form", "error", "/", "/node_type", ("node_type",), wanted, kind)]


class ArrayTemplate(Template):
    """What is said of an array.

    `shape`, `chunks` and `shards` bound the lengths along dimensions, each called by its name or,
    as "0" or "-1", by its place; they hold where an array has such a dimension. A chunk is the
    smallest piece that can be read; a bound on `shards` asks for shards. A list of `codecs` are those
    allowed. A kind of data types (`float`) stands for all of them.

    >>> cube = ArrayTemplate(
    ...     dtype="float", dimension_names=["time", "y", "x"], attributes={"units": "string"},
    ...     chunks={"y": [256, 512], "x": [256, 512], "time": {"min": 1, "max": 24}},
    ... )
    >>> cube.chunks["time"]
    Range(min=1, max=24)
    """

    node_type: Literal["array"] = "array"  # pyright: ignore[reportIncompatibleVariableOverride] - it is frozen
    rank: OrAbsent[Extent] = None
    dimension_names: OrAbsent[MaybeNames] = None
    dtype: OrAbsent[SomeKinds] = None
    shape: Extents = Field(default_factory=cast("Any", JSONDict))
    chunks: Extents = Field(default_factory=cast("Any", JSONDict))
    shards: Extents = Field(default_factory=cast("Any", JSONDict))
    sharded: OrAbsent[bool] = None
    codecs: OrAbsent[CodecRules] = None
    fill_value: Annotated[JSON, AS_IT_IS] = None


class Pattern(Part):
    """Members whose whole name matches `pattern`: how many there are, and what each of them is.

    `same` names facts that all of them share, being arrays.

    >>> Pattern(pattern="r[0-9]+m", min_count=1, max_count=10).max_count
    10
    """

    pattern: str
    template: ANY_TEMPLATE = None
    min_count: Count = 0
    max_count: OrAbsent[Count] = None
    same: Annotated[tuple[Literal["dtype", "rank", "dimension_names"], ...], Strict(False)] = ()


class GroupTemplate(Template):
    """What is said of a group and of the nodes below it.

    A member is required unless `optional` names it. A name that `members` doesn't have belongs to
    the first of `patterns` that matches it; whether any other may be there is said by `open`.

    >>> product = GroupTemplate(
    ...     members={"b02": ArrayTemplate(dtype="uint"), "mask": ArrayTemplate(dtype="bool")},
    ...     optional=["mask"], open=False,
    ... )
    >>> sorted(product.members)
    ['b02', 'mask']
    """

    slots: ClassVar[tuple[str, ...]] = ("members", "patterns")

    node_type: Literal["group"] = "group"  # pyright: ignore[reportIncompatibleVariableOverride] - it is frozen
    members: MemberTemplates = Field(default_factory=cast("Any", JSONDict))
    optional: Texts = ()
    patterns: Patterns = ()
    open: bool = True
    same_length: SameLength = False


class NodeTemplate(Template):
    """What is said of a node that may be an array or a group.

    >>> NodeTemplate(array=ArrayTemplate(rank=2)).group is None
    True
    """

    slots: ClassVar[tuple[str, ...]] = ("array", "group")

    node_type: Literal["any"] = "any"  # pyright: ignore[reportIncompatibleVariableOverride] - it is frozen
    array: ANY_TEMPLATE = None
    group: ANY_TEMPLATE = None


for _model in (ArrayTemplate, GroupTemplate):
    _model.model_rebuild()
