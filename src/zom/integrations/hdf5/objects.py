"""The groups and datasets of a file, each at one path; links are reported, not followed."""

from __future__ import annotations

from collections import deque
from dataclasses import field
from typing import TYPE_CHECKING, Any

from zom.conversion.losses import Report
from zom.dataclass import dataclass
from zom.integrations.hdf5.losses import ATTRIBUTE, LINK, NAME
from zom.packages import imported
from zom.paths import DOCUMENT_NAMES, is_stored_key, name_faults
from zom.portable import is_own_name
from zom.problems import show

if TYPE_CHECKING:
    from zom.problems import Fault

__all__ = ["UNREADABLE", "HDF5Objects", "Node", "found_objects", "is_text", "readable_attribute"]

UNREADABLE = (TypeError, OSError, ValueError, NotImplementedError)
"""Exceptions that h5py raises if it can't read an attribute."""

_NOT_A_COORDINATE = "_nc4_non_coord_"
"""netCDF's name prefix for a variable named like a dimension that it doesn't have."""

_DROPPED = "it is dropped; rename it in the file"
_ATTRIBUTES_DROPPED = "they are dropped; copy them to the datasets of that type"


@dataclass(frozen=True, slots=True)
class Node:
    """A group or dataset with its path and a report of its losses."""

    names: tuple[str, ...]
    object: Any
    report: Report
    is_array: bool

    @property
    def path(self) -> str:
        """The path in the hierarchy."""
        return "/" + "/".join(self.names)


@dataclass(frozen=True, slots=True)
class HDF5Objects:
    """All nodes, groups before their members, and the dimensions without variables."""

    nodes: list[Node] = field(default_factory=list[Node])
    dimensions: dict[tuple[str, ...], int] = field(default_factory=dict["tuple[str, ...]", int])
    """The length of each NetCDF dimension that has no coordinate variable."""
    is_netcdf: bool = False


def found_objects(root: Any) -> HDF5Objects:
    """Find the objects in an h5py group, level by level.

    >>> import h5py
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     file["x/y"] = [1, 2]; file["x/again"] = file["x"]
    ...     found = found_objects(file)
    >>> [node.path for node in found.nodes], found.nodes[1].report.losses[0].found
    (['/', '/x', '/x/y'], '"again", another name of /x')
    """
    h5py = imported("h5py", "hdf5")
    walk = _Walk(h5py, is_netcdf=_is_netcdf(h5py, root))
    walk.visit(root)
    return walk.found


class _Walk:
    """A walk through a file that visits each object once, on the shortest path to it."""

    def __init__(self, h5py: Any, *, is_netcdf: bool) -> None:
        self._h5py = h5py
        self._seen: dict[tuple[int, int], str] = {}
        self.found = HDF5Objects(is_netcdf=is_netcdf)

    def visit(self, root: Any) -> None:
        start = Node((), root, Report(()), is_array=False)
        self._seen[self._mark(root)] = "/"
        self.found.nodes.append(start)
        waiting = deque([start])
        while waiting:
            here = waiting.popleft()
            for name in here.object:
                node = self._member(here, name)
                if node is None:
                    continue
                self.found.nodes.append(node)
                if not node.is_array:
                    waiting.append(node)

    def _mark(self, found: Any) -> tuple[int, int]:
        """Return an id of the object that doesn't depend on its name."""
        info = self._h5py.h5o.get_info(found.id)
        return info.fileno, info.addr

    def _member(self, group: Node, name: str) -> Node | None:
        if not is_text(name):
            group.report.add(NAME, (), "a name in UTF-8", repr(name), _DROPPED)
            return None
        link = group.object.get(name, getlink=True)
        if not isinstance(link, self._h5py.HardLink):
            target = getattr(link, "path", "another place")
            file = getattr(link, "filename", None)
            found = f"{show(name)}, a link to {target}{f' in {file}' if file else ''}"
            group.report.add(LINK, (), "no links", found, "it is dropped; read the target under its own path")
            return None
        found = group.object[name]
        if isinstance(found, self._h5py.Datatype):
            # A named type: datasets contain a copy of the type, but not its attributes.
            if len(found.attrs):
                text = f"those of the named type {show(name)}: {', '.join(map(show, found.attrs))}"
                group.report.add(
                    ATTRIBUTE, (), "attributes of groups and datasets", text, _ATTRIBUTES_DROPPED
                )
            return None
        mark = self._mark(found)
        if mark in self._seen:
            text = f"{show(name)}, another name of {self._seen[mark]}"
            group.report.add(LINK, (), "one path for each object", text, "it is dropped; read it there")
            return None
        node = self._node(group, name, found)
        self._seen[mark] = f"{group.path.rstrip('/')}/{name}" if node is None else node.path
        return node

    def _node(self, group: Node, name: str, found: Any) -> Node | None:
        """Return the node of a new object, or None if it has none."""
        is_array = isinstance(found, self._h5py.Dataset)
        if is_array and _is_dimension_only(found):
            self.found.dimensions[*group.names, name] = int(found.shape[0]) if found.shape else 0
            return None
        plain = self._zarr_name(group, name)
        if plain is None:
            return None
        names = (*group.names, plain)
        return Node(names, found, Report(names), is_array)

    def _zarr_name(self, group: Node, name: str) -> str | None:
        if self.found.is_netcdf and name.startswith(_NOT_A_COORDINATE):
            name = name.removeprefix(_NOT_A_COORDINATE)
        faults: list[Fault] = []
        # Names of v2 documents are refused too: readers that look for them would find a directory.
        name_faults(name, "v2" if name in DOCUMENT_NAMES and name.startswith(".") else "v3", faults)
        if name in DOCUMENT_NAMES or is_own_name(name) or not is_stored_key(name):
            expected = faults[0].expected if faults else "a name that is a valid key, and not a file of zom"
            group.report.add(NAME, (), expected, show(name), _DROPPED)
            return None
        return name


def _is_netcdf(h5py: Any, root: Any) -> bool:
    """Whether netCDF wrote the file: it marks files since 2016, and numbered its dimensions before."""
    if any(mark in root.file.attrs for mark in ("_NCProperties", "_nc3_strict")):
        return True
    names = filter(is_text, root)
    own = [root[name] for name in names if isinstance(root.get(name, getlink=True), h5py.HardLink)]
    return any(mark in each.attrs for each in own for mark in ("_Netcdf4Dimid", "_Netcdf4Coordinates"))


def is_text(name: object) -> bool:
    r"""Whether h5py can look up a name: it can only list names that are not UTF-8.

    >>> is_text("ü"), is_text(b"\xff"), is_text("\udcff")
    (True, False, False)
    """
    try:
        str(name).encode()
    except UnicodeEncodeError:
        return False
    return isinstance(name, str)


def readable_attribute(found: Any, name: str) -> Any:
    """Return the value of an attribute, or None if it is missing or h5py can't read its type.

    >>> import h5py
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     file.attrs["a"] = "b"
    ...     readable_attribute(file, "a"), readable_attribute(file, "c")
    ('b', None)
    """
    if name not in found.attrs:
        return None
    try:
        return found.attrs[name]
    except UNREADABLE:
        return None


def _is_dimension_only(dataset: Any) -> bool:
    """Whether a dataset is "a netCDF dimension but not a netCDF variable": it has a length but no data."""
    name = readable_attribute(dataset, "NAME")
    if name is None or "CLASS" not in dataset.attrs:
        return False
    text = name if isinstance(name, bytes) else str(name).encode()
    return text.startswith(b"This is a netCDF dimension but not a netCDF variable")
