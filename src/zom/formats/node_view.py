"""Nodes for templates and conventions: one view of all formats, of specs and of raw documents.

A document may hold any JSON in any place: unknown facts are None and never raise.
v2 and the draft have no dimension names; xarray's attribute `_ARRAY_DIMENSIONS` provides them:
https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

from zom.formats.detection import family_of
from zom.formats.families import FAMILIES, V3
from zom.formats.resolve import data_type_of, resolve
from zom.json.python_value import is_dict, is_list
from zom.json.value import JSONDict
from zom.model.output import member_specs
from zom.problems import Path, pointer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from zom.extension.datatype import DataType, Format
    from zom.formats.resolved import ResolvedArray
    from zom.model.family import Family, NodeKind
    from zom.model.spec import Spec

__all__ = [
    "UNKNOWN",
    "Facts",
    "Node",
    "Unknown",
    "attributes_node",
    "document_tree",
    "grown",
    "remembered",
    "spec_tree",
]

Facts = tuple["NodeKind | None", "Format", Any]
"""The data of a node: its kind, its format, and its document without members."""

S = TypeVar("S")
K = TypeVar("K")

_NOTHING: Final = JSONDict()


class Unknown:
    """Stands for a node that may exist: the members that could include it were not read."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()


class ValueReader(Protocol):
    """Reads the values of arrays: see `Node.blocks` and `Node.part`."""

    def blocks(self, node: Node, /) -> Iterator[tuple[tuple[int, ...], Any]]: ...

    def part(self, node: Node, start: tuple[int, ...], shape: tuple[int, ...], /) -> Any: ...


class Node:
    """One node of a hierarchy, with the facts that rules use.

    >>> from zom import v3
    >>> node = spec_tree(v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int8")}))
    >>> node.arrays["t"].shape, node.arrays["t"].dtype, node.arrays["t"].path
    ((4,), 'int8', '/t')
    """

    def __init__(self, name: str, parent: Node | None, facts: Facts) -> None:
        self.name = name
        self.parent = parent
        self.root: Node = self if parent is None else parent.root
        kind, form, document = facts
        self.kind: NodeKind | None = kind
        self.form: Format = form
        self.document: Mapping[str, Any] = document if is_dict(document) else _NOTHING
        self.path: str = "/" if parent is None else f"{parent.path.rstrip('/')}/{name}"
        self.members: dict[str, Node] | None = None
        """The members by name; None if they are unknown."""
        self.memory: dict[Hashable, Any] = {}
        """Cached results: see `remembered`."""
        self.source: Any = None
        """The source of the view: for example a spec."""
        self.reader: ValueReader | None = None
        """Reads the values of an array; None if only documents are available."""

    def __repr__(self) -> str:
        return f"<{self.kind or 'node'} {self.path}>"

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return self.kind == "array"

    @property
    def is_group(self) -> bool:
        """Whether it is a group."""
        return self.kind == "group"

    @property
    def family(self) -> Family:
        """The family of the format, which has the paths of facts in documents."""
        return FAMILIES[self.form]

    @cached_property
    def pointer(self) -> str:
        """The RFC 6901 pointer to the node from the root's document."""
        if self.parent is None:
            return ""
        names = [self.name, *(each.name for each in self.ancestors() if each.parent is not None)]
        return pointer_of([step for name in reversed(names) for step in ("members", name)])

    @cached_property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes; empty if the document's attributes are no object."""
        found = self.document.get("attributes")
        return found if is_dict(found) else _NOTHING

    @cached_property
    def arrays(self) -> dict[str, Node]:
        """The arrays directly below it, by name."""
        return {name: node for name, node in (self.members or {}).items() if node.is_array}

    @cached_property
    def groups(self) -> dict[str, Node]:
        """The groups directly below it, by name."""
        return {name: node for name, node in (self.members or {}).items() if node.is_group}

    @cached_property
    def shape(self) -> tuple[int, ...] | None:
        """The lengths of an array's dimensions; None if they are unknown or invalid."""
        return _lengths(self.document.get("shape"), 0) if self.is_array else None

    @property
    def ndim(self) -> int | None:
        """The number of dimensions of an array."""
        return None if self.shape is None else len(self.shape)

    @cached_property
    def dims_path(self) -> Path:
        """The path of the dimension names in the document, even if there are none."""
        return self.family.names_path

    @cached_property
    def raw_dims(self) -> Any:
        """The value at `dims_path`, of any type; None if missing."""
        return self._value_at(self.family.names_path)

    def _value_at(self, path: tuple[str, ...]) -> Any:
        """Return the value at `path` of the document, or None."""
        found: Any = self.document
        for step in path:
            found = found.get(step) if is_dict(found) else None
        return found

    @cached_property
    def dims(self) -> tuple[str | None, ...] | None:
        """The dimension names of an array, each a text or None; None if there is no such list."""
        found = self.raw_dims
        if not is_list(found) or not all(isinstance(name, str) or name is None for name in found):
            return None
        return tuple(found)

    @cached_property
    def data_type(self) -> DataType | None:
        """The data type of an array; None if it is unknown."""
        return self._typed[0]

    @property
    def dtype(self) -> str | None:
        """The v3 name of an array's data type, or the document's own name if zom doesn't know it."""
        return self._typed[1]

    @property
    def dtype_path(self) -> Path:
        """The path of the data type in the document."""
        return self.family.type_path

    @cached_property
    def _typed(self) -> tuple[DataType | None, str | None]:
        return data_type_of(self.document, self.family) if self.is_array else (None, None)

    @cached_property
    def chunks(self) -> tuple[int, ...] | None:
        """The chunk shape of a regular grid; None for other grids."""
        return _lengths(self._value_at(self.family.chunks_path), 1)

    def blocks(self) -> Iterator[tuple[tuple[int, ...], Any]] | None:
        """Iterate over an array of any size as (start index, block of values) pairs, in C order of blocks.

        Returns None if values were not requested. A block has at most a few million values, or is one chunk.

        >>> from zom import v3
        >>> spec_tree(v3.ArraySpec.build(shape=(4,), dtype="int8")).blocks() is None
        True
        """
        return None if self.reader is None or self.shape is None else self.reader.blocks(self)

    def part(self, start: tuple[int, ...], shape: tuple[int, ...]) -> Any:
        """Return the values of a part of an array, from index `start`; None if values were not requested.

        >>> from zom import v3
        >>> spec_tree(v3.ArraySpec.build(shape=(4,), dtype="int8")).part((0,), (2,)) is None
        True
        """
        return None if self.reader is None or self.shape is None else self.reader.part(self, start, shape)

    @property
    def resolved(self) -> ResolvedArray:
        """The facts of an array's document; only in views of specs, as other documents may be invalid.

        >>> from zom import v3
        >>> spec_tree(v3.ArraySpec.build(shape=(4,), dtype="int8")).resolved.chunks
        ((4,),)
        """
        return resolve(self.source)

    def fact(self, name: str) -> tuple[Path, Any] | None:
        """Return the path and value of the fact that selectors call `@name`, or None if it is unknown."""
        place, value = self._facts(name)
        return None if value is None else (place, value)

    def _facts(self, name: str) -> tuple[Path, Any]:
        if name == "dims":
            return self.dims_path, self.raw_dims if self.is_array else None
        if name == "dtype":
            return self.dtype_path, self.dtype
        if name == "fill_value":
            return ("fill_value",), self.document.get("fill_value")
        if name in {"members", "arrays", "groups"}:
            below: Any = getattr(self, name)
            return (), None if self.members is None else list(below)
        if name == "format":
            return (), self.form
        found: Any = getattr(self, name)
        place = (name,) if name == "shape" else ()
        return place, list(cast("tuple[Any, ...]", found)) if isinstance(found, tuple) else found

    def at(self, path: str) -> Node | Unknown | None:
        """Return the node at `path`, from here or, with a leading slash, from the root; None if missing.

        `..` leads to the group above. Returns UNKNOWN if members on the way were not read.

        >>> from zom import v3
        >>> root = spec_tree(v3.GroupSpec(members={"a": v3.GroupSpec(members={})}))
        >>> root.at("a").at("..").path, root.at("b")
        ('/', None)
        """
        node, step = self.follow(path)
        if step is None:
            return node
        return UNKNOWN if step != ".." and node.members is None and not node.is_array else None

    def follow(self, path: str) -> tuple[Node, str | None]:
        """Like `at`, but return the last node on the way and the first missing step, or None at the end.

        >>> from zom import v3
        >>> spec_tree(v3.GroupSpec(members={"a": v3.GroupSpec(members={})})).follow("a/b/c")
        (<group /a>, 'b')
        """
        node = self.root if path.startswith("/") else self
        for step in path.split("/"):
            if step in {"", "."}:
                continue
            found = node.parent if step == ".." else (node.members or {}).get(step)
            if found is None:
                return node, step
            node = found
        return node, None

    def walk(self) -> Iterator[Node]:
        """Iterate over this node and its descendants, groups before their members."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.members:
                waiting.extend(reversed(node.members.values()))

    def ancestors(self) -> Iterator[Node]:
        """Iterate over the groups above it, the nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


def _lengths(found: object, least: int) -> tuple[int, ...] | None:
    """Return `found` as lengths, or None unless all are valid: rules must not rely on invalid values."""
    if not is_list(found) or not all(type(each) is int and least <= each < 2**63 for each in found):
        return None
    return tuple(found)


def remembered(node: Node, make: Callable[[Node], K]) -> K:
    """Return the cached result of `make(node)`.

    The node holds the cache and frees it: a separate table would keep the whole tree alive.

    >>> node = attributes_node({"a": 1})
    >>> remembered(node, lambda node: 1), remembered(node, vars) is remembered(node, vars)
    (1, True)
    """
    memory = node.memory
    try:
        found: K = memory[make]
    except KeyError:
        found = memory[make] = make(node)
    return found


def grown(root: S, facts: Callable[[S], Facts], below: Callable[[S], Mapping[str, S] | None]) -> Node:
    """Build the view of any tree; `facts` and `below` return the data and members of a node."""
    top = Node("", None, facts(root))
    top.source = root
    waiting: list[tuple[S, Node]] = [(root, top)]
    while waiting:
        source, node = waiting.pop()
        members = below(source)
        if members is None or node.kind == "array":
            continue
        node.members = {}
        for name, member in members.items():
            inner = node.members[name] = Node(name, node, facts(member))
            inner.source = member
            waiting.append((member, inner))
    return top


def spec_tree(spec: Spec) -> Node:
    """Return the view of `spec` and its descendants."""
    return grown(spec, _spec_facts, member_specs)


def _spec_facts(spec: Spec) -> Facts:
    kind = spec.kind
    return ("array" if kind == "array" else "group"), spec.family.form, spec.document


def document_tree(document: object) -> Node:
    """Return the view of a possibly invalid hierarchy in one document, nested as in ZEP 6.

    >>> document_tree({"zarr_format": 3, "node_type": "group", "members": {"a": 7}}).members
    {'a': <node /a>}
    """
    above = family_of(document)

    def facts(node: object) -> Facts:
        # Documents of the draft don't declare their format: use the root's.
        family = family_of(node) or above
        form = V3.form if family is None else family.form
        if not is_dict(node):
            return None, form, None
        own = {name: value for name, value in node.items() if name != "members"}
        return None if family is None else family.kind_of(node), form, own

    return grown(document, facts, _document_members)


def _document_members(document: object) -> Mapping[str, object] | None:
    found = document.get("members") if is_dict(document) else None
    return found if is_dict(found) else None


def attributes_node(attributes: object, form: Format = "v3", kind: NodeKind = "group") -> Node:
    """Return the view of a node with only attributes known: rules across nodes don't apply.

    >>> attributes_node({"ome": {}}).members is None
    True
    """
    return Node("", None, (kind, form, JSONDict(attributes=attributes)))
