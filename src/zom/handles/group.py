"""Groups: a mapping from names to nodes, open on a store, and read on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast, overload
from weakref import WeakKeyDictionary, ref

from typing_extensions import TypeVar, override

from zom.brief import BriefDict, notebook_html
from zom.errors import ConflictError, NotFound, PathError, SpecError
from zom.formats.tree_text import Tree
from zom.handles.array import Array
from zom.handles.handle import Handle
from zom.handles.info import GroupInfo, group_info
from zom.handles.making import array_spec, check_facts, check_required, checked_values, group_spec, make_node
from zom.hierarchy.change.conflicts import EXISTS
from zom.hierarchy.change.create import chosen_spelling, create_node
from zom.hierarchy.stored.broken import BrokenNode
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.open import read_node
from zom.hierarchy.stored.read import read_tree
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.assembly import document_of
from zom.model.construction import ABSENT, outside
from zom.model.output import member_specs
from zom.paths import join, parse_path
from zom.problems import no_warning

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, ItemsView, ValuesView
    from types import EllipsisType

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from zom.formats.full_spelling import Spelling
    from zom.handles.handle import Mode
    from zom.handles.making import ArrayFacts
    from zom.hierarchy.stored.layout import Layout
    from zom.hierarchy.stored.read import OnError
    from zom.hierarchy.stored.tree import StoredTree
    from zom.model.array import Array as ArrayBase
    from zom.model.builders.build import DTypeLike
    from zom.model.group import Group as GroupBase
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["Group", "handle_of"]

GroupT_co = TypeVar("GroupT_co", bound="GroupBase", covariant=True, default="GroupBase")
"""The class of a group's spec."""

ArrayClass = TypeVar("ArrayClass", bound="ArrayBase")
GroupClass = TypeVar("GroupClass", bound="GroupBase")

Default = TypeVar("Default")

_OfArrays: TypeAlias = "int | slice | EllipsisType | tuple[Any, ...] | list[Any] | NDArray[Any] | None"
"""Keys of array elements. A group refuses them; type checkers accept `root["a"][...]`, usually an array."""


class _Names(Iterator[str]):
    """The names in a group, with their number for the `len(group)` call at the start of `list(group)`."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = iter(names)
        self.waiting: int | None = len(names)
        """The number of names, until the first is taken."""

    def __next__(self) -> str:
        self.waiting = None
        return next(self._names)


class Group(Handle[GroupT_co], Mapping[str, "Array[Any] | Group[Any] | BrokenNode"]):
    """A group in a store.

    >>> import zom
    >>> from zom import v3
    >>> group = zom.create_group("memory:", v3.GroupSpec())
    >>> array = group.create("a/t", v3.ArraySpec.build(shape=(3,), dtype="int8"))
    >>> list(group), group["a/t"].shape, "b" in group
    (['a'], (3,), False)
    """

    def __init__(  # noqa: PLR0913 - a spec, its place, and options
        self,
        spec: GroupT_co,
        store: Store,
        path: str,
        layout: Layout,
        *,
        mode: Mode = "r",
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        own: Any = spec.family.classes["group"]
        self._declared = None if type(spec) is own else spec
        """The spec with which it was made, with its members then, if that has its own class."""
        plain = (
            spec if self._declared is None else own.parse(spec.document, spec.level, on_warning=no_warning)
        )
        super().__init__(plain, store, path, layout, mode=mode, limits=limits)

    @property
    @override
    def spec(self) -> GroupT_co:
        """The document of the group, without its members.

        For a group made with a spec of your own class, a spec of that class, with the members from then.

        >>> import zom
        >>> class Site(zom.v3.GroupSpec[dict[str, str], zom.v3.ArraySpec]):
        ...     pass
        >>> root = zom.materialize(Site(attributes={"name": "a"}, members={}), "memory:")
        >>> type(root.spec).__name__, root.spec.attributes["name"]
        ('Site', 'a')
        """
        return cast("GroupT_co", self._spec) if self._declared is None else self._declared

    @override
    def _change_now(self, change: Callable[[Spec], Spec]) -> None:
        def checked(spec: Spec) -> Spec:
            changed = change(spec)
            self._declared_as(changed)  # SpecError before anything is written
            return changed

        super()._change_now(change if self._declared is None else checked)

    @override
    def _change_spec(self, spec: Spec) -> None:
        self._declared = self._declared_as(spec)
        super()._change_spec(spec)

    def _declared_as(self, spec: Spec) -> GroupT_co | None:
        """The declared spec with the attributes of `spec`."""
        known = self._declared
        if known is None or known.document.get("attributes") == spec.document.get("attributes"):
            return known
        return known.replace(attributes=spec.document.get("attributes", ABSENT))

    @overload
    def __getitem__(self, path: str) -> Array | Group: ...
    @overload
    def __getitem__(self, path: _OfArrays) -> NoReturn: ...
    def __getitem__(self, path: Any) -> Array | Group:
        """The node at `path`, one name or several: `group["a/b"]`."""
        self._check_path(path)
        whole = join((*parse_path(self._path), *parse_path(path)))
        if whole == self.path:
            return self
        node = self._read(whole)
        warn(self._store.url, node.warned, None, outside())
        return handle_of(node.spec, node.store, node.path, node.layout, mode=self._mode, limits=self._limits)

    @overload
    def get(self, key: str, /) -> Array | Group | None: ...
    @overload
    def get(
        self, key: str, /, default: Array[Any] | Group[Any] | BrokenNode
    ) -> Array | Group | BrokenNode: ...
    @overload
    def get(self, key: str, /, default: Default) -> Array | Group | Default: ...
    @override
    def get(self, key: str, /, default: Any = None) -> Any:
        """The node at a path, or `default` if there is none, or no node can have that path."""
        try:
            return self[key]
        except (KeyError, PathError):
            return default

    def _check_path(self, path: Any) -> None:
        """Refuse keys that select array elements, from callers that take the group for an array."""
        if not isinstance(path, str):
            found = f"an object of type {type(path).__name__}"
            raise TypeError(
                f"{self.path} is a group, which has no elements: expected the path of a member, found {found}"
            )

    def _read(self, path: str) -> StoredTree:
        form, level = self._layout.family.form, self._spec.level
        return read_node(self._store, path, form=form, level=level, limits=self._limits)

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        try:
            self._read(join((*parse_path(self._path), *parse_path(path))))
        except (KeyError, PathError):
            return False
        except SpecError:
            return True  # it exists, but is invalid
        return True

    def __iter__(self) -> Iterator[str]:
        names = _Names(self.members())
        _begun[self] = ref(names)
        return names

    def __len__(self) -> int:
        begun = _begun.get(self)
        names = None if begun is None else begun()
        count = None if names is None else names.waiting
        return len(self.members()) if count is None else count

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @override
    def items(self) -> ItemsView[str, Array | Group | BrokenNode]:
        """Names and members, as in `members`."""
        return self.members().items()

    @override
    def values(self) -> ValuesView[Array | Group | BrokenNode]:
        """The members."""
        return self.members().values()

    def members(self) -> dict[str, Array | Group | BrokenNode]:
        """The members of the group, by name, with one listing and one batch of reads.

        A member that can't be read is a `BrokenNode`; opening it by its name raises.

        >>> import zom
        >>> zom.create_group("memory:", zom.v3.GroupSpec()).members()
        {}
        """
        tree = read_tree(
            self._store,
            self._path,
            depth=1,
            form=self._layout.family.form,
            consolidated="ignore",
            level=self._spec.level,
            limits=self._limits,
            on_error="skip",
        )
        found = member_specs(tree.spec) or {}
        return BriefDict(
            (name, self._member(name, found.get(name), tree)) for name in tree.root.members or {}
        )

    def _member(self, name: str, spec: Spec | None, tree: StoredTree) -> Array | Group | BrokenNode:
        path = join((*parse_path(self._path), name))
        if spec is None or path in tree.unreadable:
            return BrokenNode(tree.store, path, tree.errors(path))
        return handle_of(spec, tree.store, path, self._layout, mode=self._mode, limits=self._limits)

    def arrays(self) -> dict[str, Array]:
        """The members that are arrays."""
        return BriefDict((name, node) for name, node in self.members().items() if isinstance(node, Array))

    def groups(self) -> dict[str, Group]:
        """The members that are groups."""
        return BriefDict((name, node) for name, node in self.members().items() if isinstance(node, Group))

    @property
    def info(self) -> GroupInfo:
        """A summary of the group that prints as a few lines. Nothing is read for it."""
        return group_info(self._spec, self._store.url, self.path, self._layout)

    @overload
    def read(self, *, depth: None = None, on_error: OnError = "raise") -> GroupT_co: ...
    @overload
    def read(self, *, depth: int, on_error: OnError = "raise") -> GroupBase: ...
    def read(self, *, depth: int | None = None, on_error: OnError = "raise") -> GroupBase:
        """The spec of the group with its members, `depth` levels deep; see `zom.read` for `on_error`.

        Without a `depth` it has the class of the spec that made the group; SpecError if it no longer fits.

        >>> import zom
        >>> zom.create_group("memory:", zom.v3.GroupSpec()).read().members
        {}
        """
        form, level = self._layout.family.form, self._spec.level
        found = read_tree(
            self._store,
            self._path,
            depth=depth,
            form=form,
            level=level,
            limits=self._limits,
            on_error=on_error,
        ).spec
        if self._declared is None or depth is not None:
            return cast("GroupBase", found)
        return type(self._declared).parse(document_of(cast("Spec", found)), level, on_warning=no_warning)

    def tree(self, *, depth: int | None = None) -> Tree:
        """The hierarchy below, as printable text with one line per node; unreadable nodes are marked.

        >>> import zom
        >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
        >>> group.tree()
        /  v3 group  no members
        """
        form, level = self._layout.family.form, self._spec.level
        found = read_tree(
            self._store,
            self._path,
            depth=depth,
            form=form,
            level=level,
            limits=self._limits,
            on_error="skip",
        )
        return Tree(found.spec, depth=depth, broken=found.reasons())

    @overload
    def create(self, path: str, spec: ArrayClass, *, spelling: Spelling = "full") -> Array[ArrayClass]: ...
    @overload
    def create(self, path: str, spec: GroupClass, *, spelling: Spelling = "full") -> Group[GroupClass]: ...
    @overload
    def create(self, path: str, spec: Spec, *, spelling: Spelling = "full") -> Array | Group: ...
    def create(self, path: str, spec: Spec, *, spelling: Spelling = "full") -> Array | Group:
        """Create an array or group below this one, with missing groups in between.

        Shorthand names are written in full unless `spelling` is "given".

        >>> import zom
        >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
        >>> group.create("a", zom.v3.GroupSpec()).path
        '/a'
        """
        self.check_writable()
        whole = join((*parse_path(self._path), *parse_path(path)))
        spec = chosen_spelling(spec, spelling)
        layout = create_node(self._store, spec, whole)
        return handle_of(spec, self._store, whole, layout, mode=self._mode, limits=self._limits)

    def create_array(
        self,
        path: str,
        spec: Spec | None = None,
        *,
        data: Any = None,
        overwrite: bool = False,
        spelling: Spelling = "full",
        **facts: Unpack[ArrayFacts],
    ) -> Array:
        """Create an array below this group, from a spec, options, or values; see `zom.create_array`.

        >>> import zom
        >>> group = zom.create_group("memory:")
        >>> group.create_array("a", shape=(4,), dtype="int8", chunks=(2,)).chunks, group.create_array("b", data=[1, 2])[:]
        ((2,), array([1, 2]))
        """
        self.check_writable()
        values = None if data is None else checked_values(data)
        made = array_spec(spec, self._layout.family.form, values, cast("Mapping[str, Any]", facts), spelling)
        return cast("Array", self._made(made, path, data=values, overwrite=overwrite))

    def create_group(
        self,
        path: str,
        spec: Spec | None = None,
        *,
        attributes: Mapping[str, Any] | None = None,
        overwrite: bool = False,
    ) -> Group:
        """Create a group without members below this one; see `zom.create_group`.

        >>> import zom
        >>> zom.create_group("memory:").create_group("a/b", attributes={"n": 1}).path
        '/a/b'
        """
        self.check_writable()
        made = group_spec(spec, self._layout.family.form, attributes)
        return cast("Group", self._made(made, path, overwrite=overwrite))

    def _made(self, spec: Spec, path: str, *, data: Any = None, overwrite: bool = False) -> Array | Group:
        whole = self._below(path)
        layout = make_node(self._store, spec, whole, data=data, overwrite=overwrite)
        return handle_of(spec, self._store, whole, layout, mode=self._mode, limits=self._limits)

    def _below(self, path: str) -> str:
        """The whole path of a node below this group."""
        names = parse_path(path)
        if not names:
            raise PathError(f"{path!r}: expected the path of a node below {self.path}")
        return join((*parse_path(self._path), *names))

    def require_array(
        self, path: str, *, shape: int | Iterable[int], dtype: DTypeLike = None, **facts: Any
    ) -> Array:
        """The array at `path`; if missing, it is created with `facts` as further options.

        ConflictError if there is a group, or an array of another shape or data type.

        >>> import zom
        >>> group = zom.create_group("memory:")
        >>> group.require_array("a", shape=4, dtype="int8").path, group.require_array("a", shape=(4,)).dtype
        ('/a', dtype('int8'))
        >>> group.require_array("a", shape=(5,))
        Traceback (most recent call last):
        zom.errors.ConflictError: memory://: /a: expected the shape (5,), found (4,); open it as it is, or replace it with create_array(..., overwrite=True)
        """
        wanted: dict[str, Any] = {"shape": tuple(shape) if isinstance(shape, Iterable) else shape, **facts}
        if dtype is not None:
            wanted["dtype"] = dtype
        check_facts(wanted)
        return cast(
            "Array", self._required(path, "array", wanted, partial(self.create_array, path, **wanted))
        )

    def require_group(self, path: str, *, attributes: Mapping[str, Any] | None = None) -> Group:
        """The group at `path`; if missing, it is created with these attributes.

        >>> import zom
        >>> group = zom.create_group("memory:")
        >>> group.require_group("a/b").path, group.require_group("a/b").path
        ('/a/b', '/a/b')
        """
        make = partial(self.create_group, path, attributes=attributes)
        return cast("Group", self._required(path, "group", {}, make))

    def _required(
        self, path: str, kind: str, facts: Mapping[str, Any], make: Callable[[], Array | Group]
    ) -> Array | Group:
        self.check_writable()
        try:
            found = self[path]
        except NotFound:
            try:
                return make()
            except ConflictError as error:
                # Another process may have created it meanwhile.
                if any(each.code != EXISTS.code for each in error.problems):
                    raise
            found = self[path]
        check_required(found, kind, facts)
        return found

    @overload
    def __setitem__(self, path: str, values: Any) -> None: ...
    @overload
    def __setitem__(self, path: _OfArrays, values: Any) -> NoReturn: ...
    def __setitem__(self, path: Any, values: Any) -> None:
        """`group["a"] = values`: create an array of these values, or replace an existing array.

        A group is not replaced; delete it first.
        """
        self._check_path(path)
        self.check_writable()
        made = checked_values(values)
        spec = array_spec(None, self._layout.family.form, made, {})
        try:
            self._made(spec, path, data=made)
        except ConflictError as error:
            if any(each.code != EXISTS.code for each in error.problems):
                raise
            check_required(self[path], "array", {})
            self._made(spec, path, data=made, overwrite=True)

    def __delitem__(self, path: str) -> None:
        """`del group["a"]`: like `delete`."""
        self.delete(path)

    def delete(self, path: str) -> None:
        """Delete the node at `path` below this group, and everything below it, like `zom.delete`.

        >>> import zom
        >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
        >>> array = group.create("a", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
        >>> group.delete("a"); list(group)
        []
        """
        from zom.hierarchy.change.apply import carry_out  # noqa: PLC0415 - loads the planning code
        from zom.hierarchy.change.removal import plan_deletion  # noqa: PLC0415 - as above

        self.check_writable()
        names = parse_path(path)
        if not names:
            raise PathError(f"{path!r}: expected the path of a node below {self.path}; see zom.delete")
        carry_out(plan_deletion(self._store, join((*parse_path(self._path), *names))))

    def __repr__(self) -> str:
        return f"<zom.Group {self._where()} mode={self._mode!r}>"

    def _repr_html_(self) -> str:
        """The HTML for a notebook. It lists the group once, and reads the documents of the first members."""
        return notebook_html("group", self)


_begun: WeakKeyDictionary[Group, ref[_Names]] = WeakKeyDictionary()
"""Listed names of which the first is not taken yet, by group."""


def handle_of(  # noqa: PLR0913 - a spec, its place, and options
    spec: Spec, store: Store, path: str, layout: Layout, *, mode: Mode, limits: Limits = DEFAULT_LIMITS
) -> Array | Group:
    """The handle of a node."""
    made: Any = Array if spec.kind == "array" else Group
    handle: Array | Group = made(spec, store, path, layout, mode=mode, limits=limits)
    return handle
