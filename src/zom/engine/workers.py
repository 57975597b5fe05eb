"""Workers: threads for the chunks of one operation, if they are faster than a single thread.

Threads pass the interpreter lock to each other at every call of the system and of a codec. If most of a
chunk's work is done without the lock, they share it; if it is mostly Python, two threads may take twice the
time of one. The times of the first chunks show which it is. If in doubt, some chunks are done by one thread,
as many by all, and the rest in the faster way; later operations of the same kind reuse the result. A Python
without that lock shares Python's work, too: there, a trial decides for much shorter work.
"""

from __future__ import annotations

import math
import os
import threading
import time
from itertools import chain, islice
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from zom.interpreter_lock import has_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

__all__ = [
    "OVERHEAD",
    "OVERHEAD_OF_BATCHES",
    "OVERHEAD_OF_BYTES",
    "OVERHEAD_OF_SHARDS",
    "Cost",
    "Shared",
    "processors",
    "run",
    "share",
    "worth",
]

T = TypeVar("T")

OVERHEAD = 1e-5
"""Seconds for which a chunk usually holds the interpreter lock: calls, and Python's part of its work."""

OVERHEAD_OF_BATCHES = OVERHEAD / 16
"""The same for a chunk that is decoded together with others, without the lock."""

OVERHEAD_OF_BYTES = OVERHEAD * 0.7
"""The same for a chunk that is read as it is, directly into its place."""

OVERHEAD_OF_SHARDS = 5 * OVERHEAD
"""Extra seconds for a shard: its index is parsed, and its chunks are put into their places."""

_DOUBTFUL = (5.0, 13.0)
"""Times of a chunk, in multiples of its overhead, between which only a trial tells whether threads pay;
measured on two processors. Below, one thread is faster; above, several are."""

_WITHOUT_LOCK = 1.0
"""The first of these without such a lock: below, threads still wait for shared resources."""

_LIKELY = 8.5
"""The multiple from which threads are likely to pay, if too little is left for a trial."""

_PLAINLY = 200.0
"""The multiple that can't be an accident of the first chunk."""

_LITTLE = 2e-3
"""Seconds of remaining work that pay for another thread: starting and joining it takes a tenth of that."""

_SHORT = 1e-2
"""Seconds of remaining work that pay for a trial: it would take most of less."""

_FIRST = 3
"""Number of first chunks measured; they also pay for new memory and more, so the fastest one counts."""

_FEW = 8
"""One in this many items is measured so: if there are few, such as shards, only the first one is."""

_SAMPLE = 1e-3
"""Seconds of chunks to measure if the time of one is in doubt."""

_TRIAL = 3e-3
"""The seconds of each trial."""

_PLAIN_GAIN = 0.85
"""Maximum share of the time that threads may take in a trial: slower ones may take three times as long."""

_LASTS = 32
"""Number of operations for which the outcome of a trial holds: the machine's other work may change it."""

_KINDS = 256
"""Number of outcomes that are kept; the next one replaces them."""

_STRIDE = (256, 1024)
"""Chunks between two checks whether they take as long as before: at first, and at most."""

_OTHER = 4.0
"""Factor by which the time of chunks must change before they are measured again."""

_PAUSE = 1e-3
"""Seconds between two checks of threads that continue after an interrupt."""


_PIECE = 1 << 20
"""Decoded bytes for which a thread pays, if they are processed in large pieces."""


class Cost(NamedTuple):
    """Facts about the work on items before it begins."""

    overhead: float = OVERHEAD
    """Seconds for which each item holds the interpreter; if 0, threads always pay."""
    kind: Callable[[], Hashable] | None = None
    """Function for a key of operations that gain alike from threads; only called if that is in doubt."""


_USUAL = Cost()


class _Outcome(NamedTuple):
    """The outcome of a trial."""

    threads: int
    left: int
    """Number of further operations for which it holds."""


_outcomes: dict[Hashable, _Outcome] = {}


class Shared(Generic[T]):
    """An iterator that threads share; it ends for all of them after `stop`."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._lock = threading.Lock()
        self._stopped = False

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        with self._lock:
            if self._stopped:
                raise StopIteration
            return next(self._items)

    def stop(self) -> None:
        """End the iteration for all threads."""
        self._stopped = True


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worth(threads: int, nbytes: int) -> int:
    """How many of `threads` pay for the pieces of one chunk, of this many decoded bytes."""
    return max(1, min(threads, nbytes // _PIECE))


def run(
    items: Iterator[T],
    count: int,
    work: Callable[[Iterator[T]], None],
    *,
    threads: int | None = None,
    cost: Cost = _USUAL,
) -> None:
    """Let `work` process all `count` items; the first error ends it for all threads.

    `threads` is their number. If it is None, the time of the first items and their `cost` decide.

    >>> done = []
    >>> run(iter(range(5)), 5, done.extend)
    >>> sorted(done)
    [0, 1, 2, 3, 4]
    """
    if threads is not None or count < 2:
        most = min(threads or 1, count)
        work(items) if most <= 1 else _run_threads(items, most, work)
        return
    most = min(processors(), count)
    if most <= 1:
        work(items)
    elif not cost.overhead:
        _run_threads(items, most, work)
    else:
        _Measured(items, count, work, most, cost).run()


def share(items: Iterator[T], count: int, work: Callable[[Iterator[T]], None], *, threads: int) -> None:
    """Like `run`, for the pieces of one chunk, by at most `threads` threads.

    Callers with their own threads for chunks, such as dask, call this in each of them: all together start no
    more threads than there are processors, or than one operation was given.

    >>> done = []
    >>> share(iter(range(5)), 5, done.extend, threads=2)
    >>> sorted(done)
    [0, 1, 2, 3, 4]
    """
    most = min(threads, count)
    if most <= 1:
        work(items)
        return
    more = _helpers.take(most - 1, max(processors(), threads) - 1)
    try:
        run(items, count, work, threads=1 + more)
    finally:
        _helpers.give_back(more)


class _Helpers:
    """The number of threads that work on pieces of chunks besides those that requested it."""

    def __init__(self) -> None:
        self.after_fork()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.after_fork)

    def after_fork(self) -> None:
        """Reset in a child process, which has no helpers, and none that would release the lock."""
        self._guard = threading.Lock()
        self._count = 0

    def take(self, wanted: int, most: int) -> int:
        """Reserve as many as are wanted, of at most `most` in total."""
        with self._guard:
            taken = max(0, min(wanted, most - self._count))
            self._count += taken
            return taken

    def give_back(self, count: int) -> None:
        """Release helpers that have ended."""
        with self._guard:
            self._count -= count


_helpers = _Helpers()


class _Measured(Generic[T]):
    """An operation that measures how many threads it needs."""

    def __init__(
        self, items: Iterator[T], count: int, work: Callable[[Iterator[T]], None], most: int, cost: Cost
    ) -> None:
        self._items = items
        self._left = count
        self._most = most
        self._work = work
        low, high = _DOUBTFUL
        self._low = cost.overhead * (low if has_lock() else _WITHOUT_LOCK)
        self._high = cost.overhead * high
        self._likely = cost.overhead * _LIKELY
        self._plainly = cost.overhead * _PLAINLY
        self._kind = cost.kind

    def run(self) -> None:
        while self._left:
            threads = self._choice(self._fastest())
            if self._left:
                self._go_on(threads)
        # A wrong count loses no items.
        for item in self._items:
            self._work(chain((item,), self._items))

    def _take(self, count: int, threads: int) -> float:
        """Do `count` items, and return the seconds per item."""
        count = min(count, self._left)
        some = islice(self._items, count)
        start = time.perf_counter()
        if threads > 1 and count > 1:
            _run_threads(some, min(threads, count), self._work)
        else:
            self._work(some)
        self._left -= count
        return (time.perf_counter() - start) / count

    def _fastest(self) -> float:
        """The minimum seconds of a few items, each done alone."""
        least = math.inf
        for _ in range(max(1, min(_FIRST, self._left // _FEW))):
            least = min(least, self._take(1, 1))
            if least < self._low or least > self._plainly:
                break
        return least

    def _choice(self, seconds: float) -> int:
        """The number of threads for items that take `seconds` each."""
        if seconds < self._low or self._left * seconds < _LITTLE:
            return 1
        if seconds < self._plainly and self._left * seconds > _SHORT:
            # Done alone, a chunk also pays for costs that many would share, such as the beginning of a write.
            seconds = min(seconds, self._take(math.ceil(_SAMPLE / seconds), 1))
            if seconds < self._low:
                return 1
        if seconds > self._high:
            return self._most
        return self._tried(seconds)

    def _tried(self, seconds: float) -> int:
        """The number of threads, if only a trial can tell."""
        if self._left * seconds < _SHORT:
            return self._most if seconds > self._likely else 1
        kind = None if self._kind is None else (self._kind(), self._low, self._most)
        known = _outcomes.get(kind)
        if known is not None and known.left:
            _outcomes[kind] = known._replace(left=known.left - 1)
            return known.threads
        count = max(2 * self._most, math.ceil(_TRIAL / seconds))
        if self._left < max(4 * count, 2 * _FEW * self._most):
            return self._most  # few slow items, such as shards
        alone = self._take(count, 1)
        threads = self._most if self._together(count) < _PLAIN_GAIN * alone else 1
        if kind is not None:
            if len(_outcomes) >= _KINDS:
                _outcomes.clear()
            _outcomes[kind] = _Outcome(threads, _LASTS)
        return threads

    def _together(self, count: int) -> float:
        """The seconds per item with all threads at work, measured over `count` items after as many others."""
        taken: list[float] = []

        def timed() -> Iterator[T]:
            for item in islice(self._items, 2 * count):
                taken.append(time.perf_counter())
                yield item

        _run_threads(timed(), self._most, self._work)
        self._left -= 2 * count
        last = len(taken) - 1
        return (taken[last] - taken[count]) / (last - count) if last > count else math.inf

    def _go_on(self, threads: int) -> None:
        """Do the remaining items, as long as they take as long as the first of them."""
        first, most = _STRIDE
        count = max(first, 32 * threads)
        expected = self._take(count, threads)
        while self._left:
            count = min(2 * count, max(first, most))
            found = self._take(count, threads)
            if not expected / _OTHER < found < expected * _OTHER:
                return


def _run_threads(items: Iterator[T], most: int, work: Callable[[Iterator[T]], None]) -> None:
    shared = Shared(items)
    failures: list[BaseException] = []
    working: dict[int, None] = {}

    def attempt() -> None:
        try:
            work(shared)
        except BaseException as error:  # noqa: BLE001 - the caller raises it again
            failures.append(error)
            shared.stop()

    def attempt_in_thread() -> None:
        working[threading.get_ident()] = None
        try:
            attempt()
        finally:
            del working[threading.get_ident()]

    threads = [
        threading.Thread(target=attempt_in_thread, name="zom-chunks", daemon=True) for _ in range(most - 1)
    ]
    try:
        for thread in threads:
            try:
                thread.start()
            except RuntimeError:
                break  # no more threads are available: the existing ones do the work
        attempt()
    finally:
        shared.stop()
        _wait(threads, working)
    if failures:
        raise failures[0]


def _wait(threads: list[threading.Thread], working: dict[int, None]) -> None:
    """Wait until no thread is working; raise an interrupt that comes meanwhile afterwards.

    A thread that outlives the operation would write chunks after the caller has undone it.
    """
    interrupt: BaseException | None = None
    while True:
        try:
            for thread in threads:
                if thread.is_alive():
                    thread.join()
            # Python 3.11 considers a thread ended if an interrupt ends the wait for it.
            while working:
                time.sleep(_PAUSE)
        except BaseException as error:  # noqa: BLE001 - raised after all threads have ended
            interrupt = error
        else:
            break
    if interrupt is not None:
        raise interrupt
