"""Pairs: an array and its copy, and the distribution of the work on their chunks.

Threads of this process share it, or the processes of an executor, which open both arrays themselves.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Protocol

from zom.dataclass import dataclass
from zom.engine.workers import run
from zom.hierarchy.copy.tally import Progress, Tally
from zom.hierarchy.executor import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.engine.chunks import Chunks
    from zom.hierarchy.executor import Pool
    from zom.hierarchy.stored.array_chunks import ArrayPlace
    from zom.stores.interface import Store

__all__ = ["ArrayPair", "Work", "room_for", "share"]

_NEAR = 1 << 24
_FAR = 1 << 26
"""The size in bytes of a region in memory per job, between local stores, and others."""


@dataclass(frozen=True, slots=True)
class ArrayPair:
    """The chunks of an array and of its copy."""

    old: Chunks
    new: Chunks
    jobs: int
    is_resumed: bool
    """Whether existing chunks in the target are known to be whole and right."""
    memory: int
    """The size in bytes of a region per job; single chunks may be larger."""
    tally: Tally
    progress: Progress
    stray: Callable[[str], object] | None = None
    """Called with keys below the array that are not its chunks."""
    pool: Pool | None = None
    """The processes that share the work, or None for threads of this one."""
    places: tuple[ArrayPlace, ArrayPlace] | None = None
    """The places from which other processes open both arrays."""

    @property
    def is_far(self) -> bool:
        """Whether one of the stores has high latency, and works on many requests at once."""
        return _is_far(self.old.store, self.new.store)


def room_for(old: Store, new: Store) -> int:
    """The size in bytes of a region per job, between these stores.

    >>> from zom.stores.memory import MemoryStore
    >>> room_for(MemoryStore(), MemoryStore()) >> 20
    16
    """
    return _FAR if _is_far(old, new) else _NEAR


def _is_far(old: Store, new: Store) -> bool:
    return max(old.capabilities.parallel, new.capabilities.parallel) > 1


class Work(Protocol):
    """The work on each unit of a pair, a batch of keys or a region; each thread has its own instance."""

    def __init__(self, pair: ArrayPair) -> None: ...

    def do(self, unit: Any) -> int:
        """Do the work, add to the pair's tally, and return the number of chunks."""
        ...


def share(pair: ArrayPair, work: type[Work], units: Iterator[Any], *, together: int = 1) -> None:
    """Do `work` on all units, in threads or in the pool's processes, which get `together` units at once."""
    if pair.pool is None or pair.places is None:

        def take(some: Iterator[Any]) -> None:
            mine = work(pair)
            for unit in some:
                pair.progress.add(mine.do(unit))

        # Most arrays of a large hierarchy are one unit, which needs no thread.
        first = list(islice(units, 2))
        run(chain(first, units), pair.jobs, take, threads=pair.jobs if len(first) > 1 else 1)
        return
    sent = _SentPair(work, pair.places, pair.memory, is_resumed=pair.is_resumed)
    for done, counts in pair.pool.run(_do_all, sent, grouped(units, together)):
        pair.tally.add(**counts)
        pair.progress.add(done)


class _SentPair:
    """The parts of a pair that are sent to other processes, each of which opens the arrays once."""

    def __init__(
        self, work: type[Work], places: tuple[ArrayPlace, ArrayPlace], memory: int, *, is_resumed: bool
    ) -> None:
        self.work = work
        self._places = places
        self._memory = memory
        self._is_resumed = is_resumed
        self._opened: tuple[Chunks, Chunks] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": None}

    def open(self) -> ArrayPair:
        """The pair, with its own tally."""
        if self._opened is None:
            old, new = self._places
            self._opened = (old.open(), new.open())
        where = self._opened
        return ArrayPair(
            *where,
            jobs=1,
            is_resumed=self._is_resumed,
            memory=self._memory,
            tally=Tally(),
            progress=Progress(0, None),
        )


def _do_all(sent: _SentPair, units: list[Any]) -> tuple[int, dict[str, int]]:
    """Do the units in whichever process this is; return their number of chunks, and the counts."""
    pair = sent.open()
    work = sent.work(pair)
    return sum(work.do(unit) for unit in units), pair.tally.counts()
