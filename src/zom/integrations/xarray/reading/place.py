"""The source of a hierarchy: opens what a user passes as a store, and finds the groups in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.dataclass import dataclass
from zom.errors import NotFound, SpecError
from zom.handles.group import Group
from zom.handles.handle import Handle
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.read import Consolidation, read_nodes, read_tree
from zom.integrations.xarray.reading.alike import groups_of_nodes
from zom.integrations.xarray.reading.found import Found, FoundArray, FoundGroup
from zom.json.python_value import is_dict
from zom.json.value import thaw
from zom.model.construction import outside
from zom.model.output import member_specs
from zom.packages import imported
from zom.paths import join, parse_path
from zom.stores import opening
from zom.stores.interface import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.node import StoredNode
    from zom.hierarchy.stored.tree import StoredTree
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.template.models import Template

__all__ = ["Place", "is_place"]

_CONSOLIDATION: Final[dict[bool | None, Consolidation]] = {None: "trust", True: "only", False: "ignore"}
_FORMS: Final[dict[int | None, FormatName | None]] = {None: None, 2: "v2", 3: "v3"}


def is_place(place: object) -> bool:
    """Whether `place` is a zom store or group.

    >>> is_place("data.zarr")
    False
    """
    return isinstance(place, (Store, Group))


@dataclass(frozen=True, slots=True)
class Place:
    """What a user passes, and how to read it; the parameters are named as in xarray's engine "zarr"."""

    place: Any
    group: str | None = None
    mode: str = "r"
    consolidated: bool | None = None
    storage_options: dict[str, Any] | None = None
    zarr_format: int | None = None
    like: Spec | Template | None = None

    def __post_init__(self) -> None:
        if self.mode != "r":
            wanted = "zom.xarray.write writes datasets, and zom.open(..., mode='r+') changes arrays"
            raise ValueError(f"mode: expected 'r', as the engine only reads, got {self.mode!r}; {wanted}")
        if self.zarr_format not in _FORMS:
            raise ValueError(f"zarr_format: expected 2, 3 or None, got {self.zarr_format!r}")
        if self.consolidated not in _CONSOLIDATION:
            raise ValueError(f"consolidated: expected True, False or None, got {self.consolidated!r}")

    def find(self, depth: int | None) -> Found:
        """Read the documents of the group and of `depth` levels below it; None means all levels."""
        store, is_ours = self._opened()
        try:
            return self._found(store, depth, is_ours=is_ours)
        except BaseException:
            if is_ours:
                store.close()
            raise

    def _opened(self) -> tuple[Store, bool]:
        place = self.place
        if isinstance(place, Handle):
            return place.store, False
        if self.storage_options:
            return opening.store(self._mapped(self.storage_options), read_only=True), True
        is_name = opening.is_name(place)
        return opening.opened(place, read_only=True if is_name else None, existing=True), is_name

    def _mapped(self, options: dict[str, Any]) -> Any:
        """Return an fsspec mapper; raise ValueError unless the place is a URL, which fsspec can open."""
        if not isinstance(self.place, str) or "://" not in self.place:
            wanted = "a URL that fsspec opens; pass zom.store(place, ...) for options of a store"
            raise ValueError(f"storage_options: expected {wanted}, got {self.place!r}")
        fsspec: Any = imported("fsspec", "fsspec")
        return fsspec.get_mapper(self.place, **options)

    @property
    def _path(self) -> str:
        place: object = self.place
        above = cast("Handle", place).path if isinstance(place, Handle) else ""
        return join((*parse_path(above), *parse_path(self.group or "")))

    def _found(self, store: Store, depth: int | None, *, is_ours: bool) -> Found:
        path = self._path
        tree, node = self._read(store, path, depth, read_nodes)
        groups = None if node.kind == "array" else groups_of_nodes(tree, node)
        if groups is None:
            # There are problems; which of them matter depends on the selected arrays.
            tree, node = self._read(store, path, depth, _read_sound)
            if path in tree.unreadable and node.kind != "array":
                raise SpecError(tree.errors(path), store.url)
            if node.kind == "array":
                raise _is_array(store, path)
            groups = _groups_of_specs(tree, path)
        source = store.url if isinstance(self.place, Handle) else None
        return Found(tree.store, path, tree.layout, groups, is_ours, source)

    def _read(
        self, store: Store, path: str, depth: int | None, read: Callable[..., StoredTree]
    ) -> tuple[StoredTree, StoredNode]:
        """Return the tree that contains the group, and the group's node.

        The tree is the whole store's if its root is consolidated, else the group's own.
        """
        form = _FORMS[self.zarr_format]
        consolidated = self.consolidated if _is_consolidated(store, self.place) else False
        names = parse_path(path)
        if names and consolidated is not False:
            below = None if depth is None else depth + len(names)
            try:
                whole = read(store, depth=below, consolidated="only", form=form)
            except NotFound:
                whole = None
            node = None if whole is None else _node_at(whole, names)
            if whole is not None and node is not None:
                return whole, node
        how = _CONSOLIDATION[consolidated]
        tree = read(store, path, depth=depth, consolidated=how, form=form, like=self.like)
        return tree, tree.root


def _is_consolidated(store: Store, place: Any) -> bool:
    """Whether consolidated metadata is meaningful in a store.

    zarr-python declares that it doesn't consolidate icechunk sessions: consolidated metadata there was copied
    with a group, and may be outdated.
    """
    theirs: object = getattr(place, "store", place)
    says = bool(getattr(theirs, "supports_consolidated_metadata", True))
    return says and not store.capabilities.transactional


def _read_sound(store: Store, path: str = "", **options: Any) -> StoredTree:
    """Read the tree without its invalid nodes."""
    return read_tree(store, path, on_error="skip", **options)


def _node_at(tree: StoredTree, names: tuple[str, ...]) -> StoredNode | None:
    node: StoredNode | None = tree.root
    for name in names:
        node = None if node is None else (node.members or {}).get(name)
    return node


def _is_array(store: Store, path: str) -> NotFound:
    names = parse_path(path)
    if not names:
        step = "xarray opens groups; move the array into a group, or open it with zom.open_array"
    else:
        step = f"open the group {join(names[:-1])!r} and select {names[-1]!r} in it"
    return NotFound(f"{store.url}: expected a group at {path}, found an array; {step}")


# --- the slower reader: from specs, without unreadable nodes --------------------------------------------


def _groups_of_specs(tree: StoredTree, path: str) -> dict[str, FoundGroup]:
    """Return the groups at and below `path`, by relative path; warn about problems that are not errors."""
    broken = {each: tree.errors(each) for each in tree.unreadable}
    told = [each for each in tree.problems if each.node not in broken and not _is_netcdf(each)]
    warn(tree.store.url, told, None, outside())
    spec: Any = tree.spec
    for name in parse_path(path)[len(parse_path(tree.root.inner)) :]:
        spec = spec[name]
    groups: dict[str, FoundGroup] = {}
    waiting: list[tuple[str, Spec]] = [("", spec)]
    while waiting:
        below, group = waiting.pop()
        groups[below] = _group_of_spec(group, f"{path.rstrip('/')}/{below}".rstrip("/"), broken)
        inner = [
            (f"{below}/{name}".lstrip("/"), member)
            for name, member in (member_specs(group) or {}).items()
            if member.kind == "group"
        ]
        waiting.extend(reversed(inner))
    return groups


def _is_netcdf(problem: Problem) -> bool:
    """Whether a problem is about a member that netCDF-C adds to v2 documents; one names dimensions."""
    return bool(problem.inside) and str(problem.inside[0]).startswith("_NCZARR_")


def _group_of_spec(spec: Spec, path: str, broken: dict[str, tuple[Problem, ...]]) -> FoundGroup:
    members = member_specs(spec) or {}
    arrays = {
        name: FoundArray(each, _attributes(each)) for name, each in members.items() if each.kind == "array"
    }
    inside = {
        node.removeprefix(f"{path}/"): problems
        for node, problems in broken.items()
        if node.rpartition("/")[0] == path
    }
    return FoundGroup(_attributes(spec), arrays, inside)


def _attributes(spec: Spec) -> dict[str, Any]:
    found = spec.document.get("attributes")
    made: Any = thaw(found) if is_dict(found) else {}
    return made  # type: ignore[no-any-return]
