"""The base class of array and group specs of every format: a frozen, lossless document.

A spec is a pydantic model whose source of truth is the document that it was made from. The fields
are views of that document; `to_json` returns it as it was spelled. All checks run while a spec is
made (`zom.model.assembly`): there is no invalid spec.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic.warnings import TypedDictExtraConfigWarning

from zom.brief import Brief, notebook_html, tree_of
from zom.errors import SpecWarning
from zom.json.exact import same
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model import compare, construction, output, pickled, stored, tree
from zom.model.assembly import assemble
from zom.model.bare_spec import BareSpec, exact_digest
from zom.model.pydantic import validation
from zom.model.pydantic.declared import check_declared
from zom.model.pydantic.dump import dumped, dumped_json
from zom.model.pydantic.publishing import published
from zom.model.pydantic.refusal import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import core_schema

    from zom.model.difference import Difference
    from zom.problems import Level, Problem

__all__ = ["Spec", "same_node"]


class Spec(BareSpec):
    """One node of a hierarchy, including the descendants of a group, as a document."""

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            made = construction.construct(type(self), data)
            for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__"):
                object.__setattr__(self, name, object.__getattribute__(made, name))
            object.__setattr__(self, "__pydantic_private__", made.__pydantic_private__)

        # Pydantic fills instances without calling `__init__`; only callers of the class use it.
        __init__.__pydantic_base_init__ = True

    # --- reading documents -------------------------------------------------------------------

    @classmethod
    def parse(
        cls,
        document: str | bytes | Mapping[str, Any],
        level: Level = "strict",
        *,
        limits: Limits = DEFAULT_LIMITS,
        on_warning: Callable[[Problem], None] | None = None,
    ) -> Self:
        """Parse `document`; raise SpecError with every problem if it is invalid.

        Problems that are no errors go to `on_warning`; without it, warnings become a `SpecWarning`.

        >>> from zom import v3
        >>> v3.GroupSpec.parse('{"zarr_format": 3, "node_type": "group"}').attributes
        {}
        """
        made, problems = assemble(cls, document, level, limits=limits)
        spec: Any = made
        if made is None:
            raise refusal(problems, f"{cls.family.form} {cls.kind}", document)
        for problem in problems:
            if on_warning is not None:
                on_warning(problem)
            elif problem.severity == "warning":
                warnings.warn(str(problem), SpecWarning, stacklevel=2)
        parsed: Self = spec
        return parsed

    @classmethod
    def check(
        cls,
        document: str | bytes | Mapping[str, Any] | Spec,
        level: Level = "strict",
        *,
        limits: Limits = DEFAULT_LIMITS,
    ) -> tuple[Problem, ...]:
        """Return every problem of `document` once, in tree order; empty if it is valid.

        >>> from zom import v3
        >>> [p.pointer for p in v3.GroupSpec.check({"zarr_format": 3, "node_type": "grp"})]
        ['/node_type']
        """
        subject = document.to_dict() if isinstance(document, Spec) else document
        return assemble(cls, subject, level, limits=limits)[1]

    # --- the document ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the whole document, including members, as ordinary dicts and lists.

        >>> from zom import v3
        >>> v3.GroupSpec(members={}).to_dict()
        {'zarr_format': 3, 'node_type': 'group', 'members': {}}
        """
        return output.to_dict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the whole document, including members, as JSON text.

        >>> from zom import v3
        >>> v3.GroupSpec(members={}).to_json()
        '{"zarr_format":3,"node_type":"group","members":{}}'
        """
        return output.to_json(self, indent=indent)

    def replace(self, *, level: Level | None = None, **changes: Any) -> Self:
        """Return a copy with members of the document changed, checked as the original was.

        The value `zom.ABSENT` removes a member. Unknown members of the document are kept. NaN in
        attributes is allowed, with a warning, unless the spec is "closed" or you pass `level`.

        >>> from zom import v3
        >>> v3.GroupSpec(members={}).replace(attributes={"a": 1}).attributes
        {'a': 1}
        """
        return cast("Self", construction.replace(self, changes, level))

    # --- the tree ------------------------------------------------------------------------------

    def walk(self) -> Iterator[tuple[str, Any]]:
        """Iterate over (path, node) pairs, a group before its members.

        >>> from zom import v3
        >>> [path for path, node in v3.GroupSpec(members={"a": v3.GroupSpec()}).walk()]
        ['/', '/a']
        """
        return tree.walk(self)

    def at(self, path: str) -> Any:
        """Return the node at `path`; raise NotFound, with similar names, if it is missing.

        >>> from zom import v3
        >>> v3.GroupSpec(members={"a": v3.GroupSpec()}).at("/a").kind
        'group'
        """
        return tree.at(self, path)

    def select(self, pattern: str) -> dict[str, Any]:
        """Return the nodes whose path matches: `*` is part of one name, `**` any number of names.

        >>> from zom import v3
        >>> list(v3.GroupSpec(members={"a": v3.GroupSpec()}).select("**"))
        ['/', '/a']
        """
        return dict(tree.select(self, pattern))

    def flatten(self, prefix: str = "") -> dict[str, Any]:
        """Return every node by its path, without its members; `zom.unflatten` restores the tree.

        >>> from zom import v3
        >>> list(v3.GroupSpec(members={"a": v3.GroupSpec()}).flatten())
        ['/', '/a']
        """
        return dict(tree.flatten(self, prefix))

    def map(self, change: Callable[[str, Any], Spec | None]) -> Any:
        """Return the tree with each node changed, members before their group; None removes a node.

        >>> from zom import v3
        >>> v3.GroupSpec().map(lambda path, node: node.replace(attributes={"at": path})).attributes
        {'at': '/'}
        """
        return tree.map_nodes(self, change)

    def to_documents(self) -> dict[str, dict[str, Any]]:
        """Return the node's own stored documents by the end of their key, such as `zarr.json`.

        >>> from zom import v3
        >>> v3.GroupSpec().to_documents()
        {'zarr.json': {'zarr_format': 3, 'node_type': 'group'}}
        """
        return stored.to_documents(self)

    @classmethod
    def from_documents(cls, documents: Mapping[str, Mapping[str, Any]], level: Level = "strict") -> Self:
        """Parse one node from its stored documents; the members of a group stay unknown.

        >>> from zom import v2
        >>> v2.GroupSpec.from_documents({".zgroup": {"zarr_format": 2}, ".zattrs": {"a": 1}}).attributes
        {'a': 1}
        """
        return cls.parse(stored.model_document(cls.family, documents), level)

    # --- comparing ---------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Spec):
            return NotImplemented
        return same_node(self, other)

    def __hash__(self) -> int:
        return hash((self.family.form, self.kind, self.document))

    def like(self, other: object, ignore: str | Iterable[str] = ()) -> bool:
        """Whether both trees mean the same, in any spelling and format; see `diff` for `ignore`.

        `other` is a spec, an open array or group, or one of zarr-python.

        >>> from zom import v3
        >>> v3.GroupSpec().like(v3.GroupSpec(attributes={}))
        True
        """
        return compare.like(self, other, ignore)

    def diff(self, other: object, ignore: str | Iterable[str] = ()) -> Difference:
        """Return the changes that turn the meaning of this tree into that of `other`, in any format.

        Each pattern in `ignore` is a pointer inside a node's document, such as "/attributes/*". If formats
        differ, pointers are those of v3, and differences in storage only are notes.

        >>> from zom import v3
        >>> print(v3.GroupSpec().diff(v3.GroupSpec(attributes={"a": 1})))
        + /: attributes.a: 1
        """
        return compare.diff(self, other, ignore)

    # --- copying, pickling, printing -----------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        return (pickled.revive, pickled.flat(self))

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        yield from ((name, Brief(value)) for name, value in self.document.items())

    def __str__(self) -> str:
        return repr(self)

    def tree(self, *, depth: int | None = None) -> str:
        """Return the hierarchy as self-displaying text, one line per node, like the tree of a stored group.

        >>> from zom import v3
        >>> v3.GroupSpec(members={"a": v3.ArraySpec.build(shape=(4,), dtype="int8")}).tree()
        /  v3 group
        └── a  int8  (4)  chunks 4  zstd
        """
        return tree_of(self, depth)

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows, without I/O."""
        return notebook_html("spec", self)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith(("model_", "_"))]

    # --- pydantic ------------------------------------------------------------------------------

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        with warnings.catch_warnings():
            # Pydantic warns that a closed TypedDict of members stays closed in an open model. It also warns
            # about read-only items, but members never change.
            warnings.simplefilter("ignore", TypedDictExtraConfigWarning)
            warnings.filterwarnings("ignore", ".*using the `ReadOnly` qualifier", UserWarning)
            inner = handler(source)
        return validation.core_schema_of(cls, inner, handler)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return published(cls, schema, handler)

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        if cls.__pydantic_complete__:
            check_declared(cls)

    if not TYPE_CHECKING:

        @classmethod
        def model_rebuild(cls, **options: Any) -> bool | None:
            """Rebuild like pydantic, then check the declarations of the class."""
            depth = options.pop("_parent_namespace_depth", 2) + 1  # plus this frame
            rebuilt = super().model_rebuild(_parent_namespace_depth=depth, **options)
            if rebuilt:
                check_declared(cls)
            return rebuilt

        @classmethod
        def model_validate(cls, obj: Any, **_options: Any) -> Self:
            """Return `obj` if it is a spec of this class, otherwise `parse` it."""
            return validation.read(cls, obj)

        @classmethod
        def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:
            """Call the class: there are no unchecked specs."""
            return cls(**values)

        @classmethod
        def model_validate_json(cls, json_data: str | bytes, **_options: Any) -> Self:
            """Same as `parse`."""
            return cls.parse(json_data)

        def model_dump(self, **options: Any) -> dict[str, Any]:
            """Return `to_dict` with pydantic's options and computed fields."""
            return dumped(self, **options)

        def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
            """Return `to_json` with pydantic's options and computed fields."""
            return dumped_json(self, indent=indent, **options)

        def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
            """Return `replace(**update)`: a copy is checked like any other spec."""
            del deep
            return self.replace(**update) if update else self


def same_node(left: Spec, right: Spec) -> bool:
    """Whether two nodes are equal, ignoring their members.

    >>> from zom import v3
    >>> same_node(v3.GroupSpec(), v3.GroupSpec(members={}))
    True
    """
    if type(left) is not type(right) and (left.family is not right.family or left.kind != right.kind):
        return False
    if exact_digest(left) == exact_digest(right):
        return True
    return left.document == right.document and same(left.document, right.document)
