"""Check the keys of a hierarchy that are not below an array: unreachable documents, and foreign files.

Listings have no guaranteed order, and a document listed later may explain a file. So the files of a directory
that is not a node are counted, and checked at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.hierarchy.check.chunk_keys import (
    MAIN_DOCUMENTS,
    SIDE_DOCUMENTS,
    note_unfinished,
    tell_loose,
)
from zom.hierarchy.check.chunk_rules import FOREIGN_IN_GROUP, UNREACHED
from zom.hierarchy.journal.journal import JOURNAL
from zom.hierarchy.stored.layout import ENTRY_KEY
from zom.hierarchy.stored.levels import MIXED_FORMAT
from zom.hierarchy.stored.lookup import TWO_FORMATS, TWO_KINDS
from zom.model.tree import BELOW_ARRAY

if TYPE_CHECKING:
    from zom.hierarchy.check.tally import Tally
    from zom.hierarchy.stored.layout import Layout
    from zom.hierarchy.stored.tree import StoredTree

__all__ = ["LooseKeys"]

_FIX = "move or delete it if it isn't needed here"


class _Folder:
    """A directory in a group that is not a node, with its content."""

    __slots__ = ("count", "group", "has_nodes", "keys")

    def __init__(self, group: str) -> None:
        self.group = group
        self.keys: list[str] = []
        self.count = 0
        self.has_nodes = False


class LooseKeys:
    """The keys of one hierarchy that are below none of its arrays, checked one by one."""

    def __init__(self, tree: StoredTree, tally: Tally) -> None:
        self._tally = tally
        self._layout: Layout = tree.layout
        self._kinds = {node.inner: node.kind for node in tree.root.walk()}
        self._root = tree.root.inner
        self._documents = set(tree.documents())
        if tree.consolidated is not None:
            self._documents.add(tree.consolidated.key)
        if self._layout.implicit_groups:
            self._documents.add(f"{self._layout.base}{ENTRY_KEY}")
        told = {TWO_FORMATS.code, TWO_KINDS.code, MIXED_FORMAT.code}
        self._told = {problem.node.strip("/") for problem in tree.problems if problem.code in told}
        self._folders: dict[str, _Folder] = {}
        self._side: list[tuple[str, str]] = []

    def take(self, key: str) -> None:
        """Check a key that is not below an array."""
        if key in self._documents:
            return
        above, _, name = key.rpartition("/")
        if name == JOURNAL:
            note_unfinished(self._tally, key)
        elif self._layout.implicit_groups:
            self._take_draft(key)
        elif above in self._kinds:
            self._take_in_group(key, above, name)
        else:
            self._take_elsewhere(key, above, name)

    def _take_draft(self, key: str) -> None:
        found = self._layout.place_of(key)
        place = above = "" if found is None or found[0][1:] == self._root else found[0][1:]
        while above and self._kinds.get(above) != "array":
            above = above.rpartition("/")[0]
        if place and above:
            self._tell_below(f"/{place}", above, key)
        else:
            self._foreign(self._root, key)

    def _tell_below(self, node: str, above: str, key: str) -> None:
        fix = "move the node: readers don't look for nodes below an array"
        found = f"the array /{above} above it"
        self._tally.add(BELOW_ARRAY, node, "only groups above a node", found, fix, key=key)

    def _take_in_group(self, key: str, above: str, name: str) -> None:
        """Check a file beside the document of a group."""
        if name == self._layout.consolidated:
            return  # of this group; only the root's is compared
        if name in MAIN_DOCUMENTS:
            if above not in self._told:
                is_other = ENTRY_KEY in {name, self._layout.marks[0][0]}
                broken = TWO_FORMATS if is_other else TWO_KINDS
                wanted = "documents of one format" if is_other else "an array or a group"
                found = "v3 and v2 side by side" if is_other else "the documents of both"
                self._tally.add(broken, f"/{above}", wanted, found, "delete one of them", key=key)
                self._told.add(above)
        elif name in SIDE_DOCUMENTS:
            self._side.append((above, key))
        else:
            self._foreign(above, key)

    def _foreign(self, group: str, key: str) -> None:
        wanted = "documents and chunks of a hierarchy"
        self._tally.add(FOREIGN_IN_GROUP, f"/{group}", wanted, f"{key!r}", _FIX, key=key)

    def _take_elsewhere(self, key: str, above: str, name: str) -> None:
        """Check a file in a directory that is not a node, or below one."""
        folder, group = above, above.rpartition("/")[0]
        while group not in self._kinds and group:
            folder, group = group, group.rpartition("/")[0]
        if folder in self._told:
            return  # the node of another format was already reported
        place = self._folders.get(folder)
        if place is None:
            place = self._folders[folder] = _Folder(group if group in self._kinds else self._root)
        if name in MAIN_DOCUMENTS:
            place.has_nodes = True
            self._tell_unreached(key, above, folder)
        elif name in SIDE_DOCUMENTS:
            self._side.append((above, key))
        else:
            place.count += 1
            most = self._tally.most
            if most is None or len(place.keys) < most:
                place.keys.append(key)

    def _tell_unreached(self, key: str, above: str, folder: str) -> None:
        self._told.add(above)
        found = f"none in {folder!r}"
        if above == folder:
            # It has its own document, but is not a node: another format's, or not read as one.
            found = f"{key!r}, which is not read as one"
        fix = "create a group in each directory above it; until then only its own path opens it"
        self._tally.add(UNREACHED, f"/{above}", "a document of each group above a node", found, fix, key=key)

    def finish(self) -> None:
        """Check what had to wait for the end of the listing."""
        for above, key in self._side:
            if above not in self._told:
                tell_loose(self._tally, f"/{above}", key)
        for folder in self._folders.values():
            if folder.has_nodes:
                continue  # they may be the chunks of an unreachable node, which was reported
            for key in folder.keys:
                self._foreign(folder.group, key)
            self._tally.skip(FOREIGN_IN_GROUP, f"/{folder.group}", folder.count - len(folder.keys))
