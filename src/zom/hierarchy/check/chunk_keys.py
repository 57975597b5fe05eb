"""Check the keys below an array: its documents, chunks of a possible size, and other keys.

No value is read: a listing gives the keys and the size of each value.
"""

from __future__ import annotations

import math
import re
import threading
from typing import TYPE_CHECKING, Final

from zom.count import count_of
from zom.errors import ExtensionError, SpecError, UnknownName
from zom.hierarchy.check.chunk_rules import (
    CHUNK_KEY,
    FOREIGN,
    LOOSE,
    MISSING,
    NOT_CHECKED,
    OUTSIDE,
    SIZE,
    UNFINISHED,
)
from zom.hierarchy.journal.journal import JOURNAL
from zom.hierarchy.stored.chunks import in_grid, sample_form
from zom.hierarchy.stored.layout import ENTRY_KEY, V2_LAYOUT
from zom.hierarchy.stored.lookup import TWO_FORMATS, TWO_KINDS
from zom.model.tree import BELOW_ARRAY

if TYPE_CHECKING:
    from zom.engine.chunks import Chunks
    from zom.engine.plan import ArrayPlan, ChunkForm
    from zom.hierarchy.check.tally import Tally
    from zom.hierarchy.stored.layout import Layout

__all__ = [
    "MAIN_DOCUMENTS",
    "SIDE_DOCUMENTS",
    "KeysOfArray",
    "not_bound",
    "note_unfinished",
    "tell_loose",
    "tell_missing",
]

MAIN_DOCUMENTS: Final = frozenset({ENTRY_KEY, *(end for end, _ in V2_LAYOUT.marks)})
"""The names of v2 and v3 documents that define a node."""

SIDE_DOCUMENTS: Final = frozenset({*V2_LAYOUT.extra, str(V2_LAYOUT.consolidated)})
"""The names of the other documents of a node."""

_NUMBERS: Final = re.compile(r"(?:c(?:[/.]|\Z))?(?:[0-9]+(?:[/.][0-9]+)*)?\Z")
"""The pattern of chunk keys, in any encoding."""


def looks_like_chunk(inner: str) -> bool:
    """Whether a key below an array looks like a chunk's, in any encoding.

    >>> looks_like_chunk("c/0/1"), looks_like_chunk("0.1"), looks_like_chunk("zarr.json")
    (True, True, False)
    """
    return _NUMBERS.match(inner) is not None


def not_bound(plan: ArrayPlan) -> str | None:
    """Why the codecs of an array can't be run, or None if they can."""
    try:
        sample_form(plan)
    except (UnknownName, ExtensionError, SpecError) as error:
        return str(error)
    return None


class KeysOfArray:
    """The keys below one array, checked one by one."""

    def __init__(self, chunks: Chunks, layout: Layout, tally: Tally) -> None:
        plan, path = chunks.plan, chunks.node
        self._plan = plan
        self._node = path
        self._tally = tally
        self._prefix = chunks.prefix
        self._start = len(chunks.prefix)
        self._keys = plan.keys
        self._grid = plan.grid
        self._rank = len(plan.grid)
        self._beside: list[str] = []
        self._own = frozenset(layout.keys(path, "array"))
        self._form: ChunkForm | None = None
        self.is_bound = True
        """Whether the codecs can be run."""
        reason = not_bound(plan)
        if reason is not None:
            self.is_bound = False
            told = "codecs that can be run, to check the chunks"
            tally.add(NOT_CHECKED, path, told, reason, key=next(iter(layout.keys(path, "array"))))
        elif plan.uniform is not None and 0 not in plan.grid:
            self._form = plan.form(plan.uniform)
        self._lock = threading.Lock()
        self.count = 0
        """The number of chunks found in the grid."""

    def take(self, key: str, size: int) -> None:
        """Check a key below the array, whose value has `size` bytes."""
        place = self._keys.coords(key[self._start :], self._rank)
        if place is None:
            if key not in self._own:
                self._take_other(key)
        elif in_grid(place, self._grid):
            self.count += 1
            if self.is_bound:
                form = self._form or self._plan.form(self._plan.chunk_shape(place))
                self.judge_size(key, size, form)
        else:
            wanted = f"a chunk of the grid of {_times(self._grid)}"
            fix = "delete it: if the array grows, readers may read it"
            self._tally.add(OUTSIDE, self._node, wanted, f"{key!r}", fix, key=key)

    def count_one(self, key: str, size: int, form: ChunkForm) -> None:
        """Count a chunk of the grid that was found without a listing."""
        with self._lock:
            self.count += 1
        self.judge_size(key, size, form)

    def judge_size(self, key: str, size: int, form: ChunkForm) -> None:
        """Report a value that can't be a chunk of that form because of its size."""
        wanted = wanted_size(form, size)
        if wanted is not None:
            fix = "restore it from a copy, or write the chunk again"
            self._tally.add(SIZE, self._node, f"{wanted} in {key!r}", _bytes(size), fix, key=key)

    def finish(self) -> None:
        """Report missing chunks, and documents beside the array's own."""
        self._tell_beside()
        tell_missing(self._tally, self._node, math.prod(self._grid), self.count)

    # --- other keys than chunks ------------------------------------------------------------------------

    def _take_other(self, key: str) -> None:
        inner = key[self._start :]
        directory, _, name = inner.rpartition("/")
        if name == JOURNAL:
            note_unfinished(self._tally, key)
        elif directory and name in MAIN_DOCUMENTS:
            at = f"{self._node.rstrip('/')}/{directory}"
            found = f"the array {self._node} above it"
            fix = "move the node: readers don't look for nodes below an array"
            self._tally.add(BELOW_ARRAY, at, "only groups above a node", found, fix, key=key)
        elif not directory and name in MAIN_DOCUMENTS | SIDE_DOCUMENTS:
            self._beside.append(name)
        elif _NUMBERS.match(inner):
            sample = self._prefix + self._keys.key((0,) * self._rank)
            fix = "readers ignore it: state the chunk key encoding in the document, or rename it"
            self._tally.add(CHUNK_KEY, self._node, f"keys like {sample!r}", f"{key!r}", fix, key=key)
        else:
            fix = "move or delete it if it isn't needed here"
            self._tally.add(
                FOREIGN, self._node, "documents and chunks of the array", f"{key!r}", fix, key=key
            )

    def _tell_beside(self) -> None:
        """Report documents of another node in the array's own directory."""
        is_v2 = V2_LAYOUT.key(self._node, V2_LAYOUT.marks[0][0]) in self._own
        mains = sorted(MAIN_DOCUMENTS.intersection(self._beside))
        for name in mains:
            key = self._prefix + name
            if is_v2 and name != ENTRY_KEY:
                found = "the documents of both; the array is read"
                self._tally.add(TWO_KINDS, self._node, "an array or a group", found, _ONE, key=key)
            else:
                found = "v3 and v2 side by side"
                self._tally.add(TWO_FORMATS, self._node, "documents of one format", found, _ONE, key=key)
        if not mains:
            for name in self._beside:
                tell_loose(self._tally, self._node, self._prefix + name)


def wanted_size(form: ChunkForm, size: int) -> str | None:
    """The size of a chunk of that form, as words, if it can't be `size`; otherwise None."""
    chain = form.chain
    if chain.nbytes is not None:
        return None if size == chain.nbytes else _bytes(chain.nbytes)
    if form.shard is not None:
        # A shard may be longer than its content: rewriting parts of it leaves gaps.
        least = form.shard.index_range()[1]
        return None if size >= least else f"at least {_bytes(least)}, for the index of a shard"
    if not size:
        return "an encoded chunk, which is not empty"
    return None if size <= chain.most else f"at most {_bytes(chain.most)}"


_ONE: Final = "delete one of them"


def tell_missing(tally: Tally, node: str, total: int, count: int) -> None:
    """Report the number of chunks that are not stored."""
    if count < total:
        found = f"{count}; the others read as the fill value"
        wanted = count_of(total, "chunk")
        tally.add(MISSING, node, wanted, found, "array.stored() lists the stored chunks")


def tell_loose(tally: Tally, node: str, key: str) -> None:
    """Report attributes or consolidated metadata without a node."""
    found = f"{key.rpartition('/')[2]!r} alone"
    fix = "delete it if it isn't needed: readers ignore it"
    tally.add(LOOSE, node, "the document of a v2 node beside it", found, fix, key=key)


def note_unfinished(tally: Tally, key: str) -> None:
    """Report the journal of a change under that key."""
    node = "/" + key.removesuffix(JOURNAL).strip("/")
    fix = "wait until it ends, or finish or undo it with zom.repair"
    found = "the journal of one that is running or was interrupted"
    tally.add(UNFINISHED, node, "no change of the hierarchy", found, fix, key=key)


def _times(grid: tuple[int, ...]) -> str:
    return "×".join(map(str, grid)) + " chunks" if grid else "1 chunk"


def _bytes(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"
