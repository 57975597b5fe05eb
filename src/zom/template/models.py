"""Templates: documents with constraints on hierarchies of one kind.

A template is a tree of constraints: `ArrayTemplate`, `GroupTemplate`, and `NodeTemplate` for a place where
either is allowed. It is a document itself, written as JSON or in Python, and validated on construction: a
typo is an error there, not a rule that never applies.

ZEP 6, use cases: whether hierarchies are structured identically; requirements on arrays and groups beyond a
single document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, cast, overload

from pydantic import Field

from zom.count import count_of
from zom.errors import SpecError
from zom.extension.datatype import data_types
from zom.extension.field import OrAbsent
from zom.extension.registry import did_you_mean, near
from zom.formats.dimension import dimensions_called, is_place
from zom.json.value import JSON, JSONDict
from zom.json.write import write_json
from zom.model.fields import AS_IT_IS
from zom.problems import Fault, Path, Problem, show
from zom.template.attributes import schema_faults
from zom.template.definition import FORM, Defined, template_classes
from zom.template.document import VERSION, equal, hash_of, parse, to_dict
from zom.template.parts import (
    ANY_TEMPLATE,
    CONFLICT,
    KINDS,
    NAME,
    Attributes,
    CodecRules,
    Extent,
    Extents,
    MaybeNames,
    MemberTemplates,
    Patterns,
    References,
    SameLength,
    SomeKinds,
    Texts,
    is_foreign,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zom.model.array import Array as ArrayBase
    from zom.model.group import Group as GroupBase
    from zom.model.spec import Spec
    from zom.problems import Level
    from zom.template.parts import Pattern

__all__ = ["ArrayTemplate", "GroupTemplate", "NodeTemplate", "Template"]


class Template(Defined):
    """The constraints on a node: an array, a group, or either."""

    node_type: Literal["array", "group", "any"]
    attributes: OrAbsent[Attributes] = None
    references: References = ()

    def faults(self) -> Iterator[Fault]:
        """Yield the faults of the attributes."""
        faults: list[Fault] = []
        if self.attributes is not None:
            schema_faults(self.attributes, faults, ("attributes",))
        yield from faults

    def children(self) -> Iterator[tuple[Path, Template]]:
        """Yield the direct inner templates, with the steps to each.

        >>> [steps for steps, child in GroupTemplate(members={"a": ArrayTemplate()}).children()]
        [('members', 'a')]
        """
        yield from ()

    # --- documents -----------------------------------------------------------------------------

    @classmethod
    def parse(cls, document: str | bytes | Mapping[str, Any]) -> Self:
        """Return the template that `document` describes; raise SpecError with every problem if it is invalid.

        >>> Template.parse('{"zom_template": 1, "node_type": "array", "rank": 2}')
        ArrayTemplate(rank=2)
        """
        found, problems = parse(document)
        if not isinstance(found, cls) or problems:
            raise SpecError(problems or _another(cls, found), "template")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the complete document as plain dicts and lists.

        >>> ArrayTemplate(rank=2).to_dict()
        {'zom_template': 1, 'node_type': 'array', 'rank': 2}
        """
        return to_dict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the complete document as JSON text; `parse` returns an equal template.

        >>> ArrayTemplate(rank=2).to_json()
        '{"zom_template":1,"node_type":"array","rank":2}'
        """
        return write_json(self.to_dict(), indent=indent)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; None removes a field.

        >>> ArrayTemplate(rank=2, dtype="float").replace(rank=None)
        ArrayTemplate(dtype='float')
        """
        said = {name: getattr(self, name) for name in self.model_fields_set}
        return type(self)(**{**said, **changes})

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:  # noqa: ARG002 - pydantic's signature
        """Return the same as `replace`: the template itself does not change."""
        return self.replace(**update) if update else self

    # --- checking and inferring ----------------------------------------------------------------

    def check(
        self, subject: Spec | str | bytes | Mapping[str, Any], level: Level = "strict"
    ) -> tuple[Problem, ...]:
        """Return every way in which `subject`, a spec or a document, does not match; empty if it matches.

        A document is first read as by `zom.parse`, at `level`: its own problems come first, and if it is not
        a valid spec, nothing else follows.

        >>> from zom import v3
        >>> print(*GroupTemplate(members={"t2m": ArrayTemplate()}).check(v3.GroupSpec(members={})))
        members.t2m: expected a member "t2m", found nothing of that name
        """
        from zom.template.checking import check  # noqa: PLC0415 - slow to import

        return check(self, subject, level)

    @overload
    @staticmethod
    def infer(*examples: ArrayBase, open: bool = False) -> ArrayTemplate: ...
    @overload
    @staticmethod
    def infer(*examples: GroupBase, open: bool = False) -> GroupTemplate: ...
    @overload
    @staticmethod
    def infer(*examples: Spec, open: bool = False) -> Template: ...
    @staticmethod
    def infer(*examples: Spec, open: bool = False) -> Template:  # noqa: A002 - the name of the field
        """Return the tightest sensible template that all `examples` match; `open` allows other group members.

        >>> from zom import v3
        >>> spec = v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int8")})
        >>> Template.infer(spec).check(spec)
        ()
        """
        from zom.template.inference import infer  # noqa: PLC0415 - rarely used

        return Template.parse({"zom_template": VERSION, **infer(examples, is_open=open)})

    # --- comparing, copying, printing ----------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return equal(self, other) if isinstance(other, Template) else NotImplemented

    def __hash__(self) -> int:
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
    wanted = show(cls.model_fields["node_type"].default)
    kind = show(found.node_type if found is not None else None)
    return [Problem(FORM.code, "error", "/", "/node_type", ("node_type",), wanted, kind)]


class ArrayTemplate(Template):
    """The constraints on an array.

    `shape`, `chunks` and `shards` limit the lengths along dimensions, given by name or by place, as "0" or
    "-1"; they apply if an array has the dimension. A chunk is the smallest piece that can be read; a limit on
    `shards` requires shards. A list of `codecs` lists the allowed ones. A kind of data types (`float`)
    includes all of them.

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

    def faults(self) -> Iterator[Fault]:
        """Yield unknown types and dimensions, and constraints that exclude each other."""
        yield from super().faults()
        yield from self._type_faults()
        names = self.dimension_names if isinstance(self.dimension_names, tuple) else None
        rank = self.rank if isinstance(self.rank, int) else None
        if names is not None and rank is not None and len(names) != rank:
            wanted = f"{count_of(rank, 'name')}, one for each dimension of rank"
            yield Fault(CONFLICT, ("dimension_names",), wanted, show(list(names)))
            return
        rank = len(names) if names is not None else rank
        for field in ("shape", "chunks", "shards"):
            for name in cast("Mapping[str, Any]", getattr(self, field)):
                yield from _dimension_faults(name, names, rank, (field, name))
        if self.sharded is False and self.shards:
            wanted = "nothing: the arrays have no shards"
            yield Fault(CONFLICT, ("shards",), wanted, show(list(self.shards)))

    def _type_faults(self) -> Iterator[Fault]:
        single = isinstance(self.dtype, str)
        named: Sequence[str] = (self.dtype,) if isinstance(self.dtype, str) else tuple(self.dtype or ())
        for index, name in enumerate(named):
            known = name in KINDS or data_types.find(name) or data_types.claimant(name)
            if not known and not is_foreign(name):
                fix = did_you_mean(near(name, [*KINDS, *data_types.names()]))
                wanted = f"the name of a data type, or a kind: {', '.join(KINDS)}"
                yield Fault(NAME, ("dtype",) if single else ("dtype", index), wanted, show(name), fix)


def _dimension_faults(
    name: str, names: tuple[str | None, ...] | None, rank: int | None, path: Path
) -> Iterator[Fault]:
    """Yield a fault if an array with these names, or of this rank, has no dimension `name`."""
    if is_place(name):
        if rank is not None and not dimensions_called(name, names, rank):
            yield Fault(NAME, path, f"the index of one of {count_of(rank, 'dimension')}", show(name))
    elif names is not None and name not in names and None not in names:
        fix = did_you_mean(near(name, [known for known in names if known is not None]))
        yield Fault(NAME, path, "the name of one of the dimensions", show(name), fix)


class GroupTemplate(Template):
    """The constraints on a group and the nodes below it.

    A member is required unless `optional` names it. A name that is not in `members` belongs to the first of
    `patterns` that matches it. `open` determines whether other members are allowed.

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

    def faults(self) -> Iterator[Fault]:
        """Yield `optional` names that are not members, and invalid member names."""
        yield from super().faults()
        for index, name in enumerate(self.optional):
            if name not in self.members:
                fix = did_you_mean(near(name, self.members))
                yield Fault(NAME, ("optional", index), "the name of one of the members", show(name), fix)
        for name in self.members:
            if name in {"", ".", ".."} or "/" in name:
                yield Fault(FORM, ("members", name), "the name of one node", show(name))

    def children(self) -> Iterator[tuple[Path, Template]]:
        """Yield the templates of members, then those of patterns."""
        for name, child in cast("Mapping[str, Template]", self.members).items():
            yield ("members", name), child
        for index, pattern in enumerate(cast("tuple[Pattern, ...]", self.patterns)):
            if pattern.template is not None:
                yield ("patterns", index, "template"), cast("Template", pattern.template)


class NodeTemplate(Template):
    """The constraints on a node that may be an array or a group.

    >>> NodeTemplate(array=ArrayTemplate(rank=2)).group is None
    True
    """

    slots: ClassVar[tuple[str, ...]] = ("array", "group")

    node_type: Literal["any"] = "any"  # pyright: ignore[reportIncompatibleVariableOverride] - it is frozen
    array: ANY_TEMPLATE = None
    group: ANY_TEMPLATE = None

    def children(self) -> Iterator[tuple[Path, Template]]:
        """Yield the template for arrays and the one for groups."""
        for name in self.slots:
            either: Template | None = getattr(self, name)
            if either is not None:
                yield (name,), either


template_classes.update(array=ArrayTemplate, group=GroupTemplate, any=NodeTemplate)
