"""Check the names of nodes: those of a whole spec, and those that a plan adds to a store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeVar

from zom.hierarchy.change.conflicts import NAME
from zom.hierarchy.stored.layout import LAYOUTS
from zom.model.location import placed
from zom.paths import is_new_key, is_stored_key, name_faults, parse_path
from zom.portable import is_document_name, is_own_name, portable_faults, twin_faults
from zom.problems import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zom.hierarchy.stored.inventory import Inventory
    from zom.paths import FormatName
    from zom.problems import Level, Problem
    from zom.stores.interface import Store

__all__ = [
    "forbidden_name",
    "names_in_store",
    "names_in_tree",
    "new_name_faults",
    "taken_name",
    "taken_names",
]


Tree = TypeVar("Tree")

_NAME_BYTES: Final = 255
"""The maximum length of a file name in bytes, in all common file systems."""


def names_in_tree(
    root: Tree, members_of: Callable[[Tree], Mapping[str, Tree] | None], form: FormatName, level: Level
) -> Iterator[Problem]:
    """The problems of the names in a tree on other systems.

    >>> from zom import v3
    >>> from zom.model.output import member_specs
    >>> tree = v3.GroupSpec(members={"con": v3.GroupSpec()})
    >>> [problem.code for problem in names_in_tree(tree, member_specs, "v3", "strict")]
    ['name/reserved']
    """
    if level == "lenient":
        return
    waiting: list[tuple[list[str], Tree]] = [([], root)]
    while waiting:
        names, node = waiting.pop()
        members = members_of(node)
        if not members:
            continue
        found: dict[str, list[Fault]] = {}
        for name in members:
            faults: list[Fault] = []
            name_faults(name, form, faults)
            if not faults:
                portable_faults(name, form, found.setdefault(name, []))
        for name, fault in twin_faults(members):
            found.setdefault(name, []).append(fault)
        for name, faults in found.items():
            yield from placed(faults, [*names, name], level)
        waiting.extend(([*names, name], members[name]) for name in reversed(list(members)))


def taken_names(store: Store, paths: Iterable[str], form: FormatName) -> dict[str, str]:
    """For each path that can't be a node's in this store, what is expected instead.

    >>> from zom.stores.memory import MemoryStore
    >>> taken_names(MemoryStore(), ["/a", "/a/zarr.json", "/a/.zom.journal"], "v3")
    {'/a/.zom.journal': "a name that zom doesn't use for its own files"}
    """
    free: set[str] = set()
    taken: dict[str, str] = {}
    for path in paths:
        above, _, name = path.rpartition("/")
        # The same names occur often, and those above a node are checked with the group that contains them.
        if name in free and above not in taken and is_stored_key(path[1:]) and store.holds(path[1:]):
            continue
        wanted = taken_name(store, path, form)
        if wanted is None:
            free.add(name)
        else:
            taken[path] = wanted
    return taken


def taken_name(store: Store, path: str, form: FormatName) -> str | None:
    """What is expected instead of a path that can't be a node's in this store; None if it can be one.

    >>> from zom.stores.memory import MemoryStore
    >>> taken_name(MemoryStore(), "/a/.zom.journal", "v3")
    "a name that zom doesn't use for its own files"
    """
    names = parse_path(path)
    key = "/".join(names)
    if names and not (is_stored_key(key) and store.holds(key)):
        return "a name that can be part of a store key"
    if any(map(is_own_name, names)):
        return "a name that zom doesn't use for its own files"
    # Readers that look for v3 first would find a directory in place of a v3 document.
    if LAYOUTS[form][0].hidden_by in names:
        return "a name other than the key of a v3 document"
    if not store.capabilities.nested_keys and any(is_document_name(name, form) for name in names):
        return "a name that isn't a document's, as documents are files here"
    if not store.capabilities.nested_keys and any(len(os.fsencode(name)) > _NAME_BYTES for name in names):
        return f"a name of at most {_NAME_BYTES} bytes"
    return None


def forbidden_name(name: str, form: FormatName) -> Fault | None:
    r"""Why no new node gets that name, though existing nodes may have it; None if it is allowed.

    >>> forbidden_name("__x", "v3").expected, forbidden_name("a\\\\b", "v3").expected
    ('a name that does not start with "__"', 'a name that can be part of a store key')
    """
    faults: list[Fault] = []
    name_faults(name, form, faults)
    for fault in faults:
        if fault.rule.strict == "error":
            return fault
    if is_new_key(name):
        return None
    return Fault(NAME, (), "a name that can be part of a store key", repr(name))


def new_name_faults(
    paths: Iterable[str], beside: Mapping[str, Iterable[str]], form: FormatName
) -> Iterator[tuple[str, Fault]]:
    """Problems of the last names of new nodes at `paths`; `beside` are the existing names in their groups.

    >>> [path for path, fault in new_name_faults(["/g/data"], {"/g": ["Data"]}, "v3")]
    ['/g/data']
    """
    groups: dict[str, dict[str, None]] = {}
    for path in paths:
        above, _, name = path.rpartition("/")
        groups.setdefault(above or "/", {})[name] = None
    judged: dict[str, list[Fault]] = {}
    for above, names in groups.items():
        prefix = f"{above.rstrip('/')}/"
        for name in names:
            faults = judged.get(name)
            if faults is None:
                faults = judged[name] = []
                portable_faults(name, form, faults)
            if faults:
                yield from ((prefix + name, fault) for fault in faults)
        old = [name for name in beside.get(above, ()) if name not in names]
        for name, fault in twin_faults([*old, *names]):
            if name in names:
                yield prefix + name, fault


def names_in_store(store: Store, found: Inventory, groups: Iterable[str]) -> dict[str, set[str]]:
    """The names in each of the groups; a group above the surveyed path is listed."""
    names: dict[str, set[str]] = {path: set() for path in groups}
    for path in (*found.nodes, *found.others):
        above, _, name = path.rpartition("/")
        if name and (above or "/") in names:
            names[above or "/"].add(name)
    layout, top = found.layout, found.path.rpartition("/")[0] or "/"
    if top in names and found.path != "/" and store.capabilities.listable:
        names[top].update(layout.sightings(top, store.list_dir(layout.directory(top))))
    return names
