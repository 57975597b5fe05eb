"""Workers: threads for the chunks of one operation, where they take less time than one thread does.

Threads hand the interpreter's lock to each other at every call of the system and of a codec. Where most of a
chunk's work is done without the lock, they share it; where it is mostly Python, two threads may take twice the
time of one. The first chunks tell by their time how much of it is which. Where that leaves a doubt, some are done by
one thread, as many by all, and the others in the faster way; later operations of the same kind go by that. A
Python without that lock shares what is Python, too: there, a trial tells of much shorter work whether that pays.
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
"""The seconds for which a chunk usually holds the interpreter's lock, for calls and for Python's part of its work."""

OVERHEAD_OF_BATCHES = OVERHEAD / 16
"""The same of a chunk that is decoded together with others, without the lock."""

OVERHEAD_OF_BYTES = OVERHEAD * 0.7
"""The same of a chunk that is read as it is, straight into its place."""

OVERHEAD_OF_SHARDS = 5 * OVERHEAD
"""What a shard adds to that: its index is parsed, and its chunks are put into their places."""

_DOUBTFUL = (5.0, 13.0)
"""How many times its overhead a chunk takes where only a trial tells whether threads pay; measured on two
processors. Below, one thread is faster, above, several are."""

_WITHOUT_LOCK = 1.0
"""The first of these where there is no such lock: below, threads still wait for what they have in common."""

_LIKELY = 8.5
"""The same, where too little is left for a trial."""

_PLAINLY = 200.0
"""So many times its overhead are no accident of the first chunk."""

_LITTLE = 2e-3
"""The seconds that must be left to do for another thread: to start one, and to wait for it, takes a tenth of that."""

_SHORT = 1e-2
"""The seconds that must be left to do: a trial would take most of less."""

_FIRST = 3
"""The first chunks pay for memory that is new, and for much else: the fastest of so many tells their time."""

_FEW = 8
"""One of so many items is done so: where there are few, as of shards, the first one tells."""

_SAMPLE = 1e-3
"""The seconds of the chunks that tell the time of one where it is in doubt."""

_TRIAL = 3e-3
"""The seconds of each trial."""

_PLAIN_GAIN = 0.85
"""So much of the time must threads take in a trial at most: where they are slower, they may take three times as long."""

_LASTS = 32
"""For so many operations the outcome of a trial holds: what else the machine does may change it."""

_KINDS = 256
"""So many outcomes are kept; the next one takes their place."""

_STRIDE = (256, 1024)
"""The chunks between two looks whether they take as long as before: at first, and at most."""

_OTHER = 4.0
"""So many times faster or slower, they are others, and are measured again."""

_PAUSE = 1e-3
"""The seconds between two looks at threads that work on after an interrupt."""


_PIECE = 1 << 20
"""The bytes, decoded, for which a thread pays where they are taken in large pieces."""


class Cost(NamedTuple):
    """What is known of the work on items before any is done."""

    overhead: float = OVERHEAD
    """For so many seconds each item holds the interpreter; where that is 0, threads pay for sure."""
    kind: Callable[[], Hashable] | None = None
    """Tells operations apart whose items may differ in what threads gain; only asked for where that is in doubt."""


_USUAL = Cost()


class _Outcome(NamedTuple):
    """What a trial found."""

    threads: int
    left: int
    """For how many operations more it holds."""


_outcomes: dict[Hashable, _Outcome] = {}


class Shared(Generic[T]):
    """An iterator that several threads take from; it ends for all of them when `stop` is called."""

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
        """Give out nothing more."""
        self._stopped = True


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worth(threads: int, nbytes: int) -> int:
    """How many of `threads` the pieces of one chunk pay for, which have so many bytes, decoded."""
    return max(1, min(threads, nbytes // _PIECE))


def run(
    items: Iterator[T],
    count: int,
    work: Callable[[Iterator[T]], None],
    *,
    threads: int | None = None,
    cost: Cost = _USUAL,
) -> None:
    """Let `work` take all of `items`, of which there are `count`; the first error ends it for all.

    `threads` says how many do. None lets the time of the first items decide, by what `cost` says of them.

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
    """The same for the pieces of one chunk, by so many threads at most.

    Whoever reads chunks by threads of their own, as dask does, has each of them ask for this: all together start no more
    threads for it than there are processors, or one operation was told to have.

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
    """How many threads work on pieces of chunks beside those that asked for it."""

    def __init__(self) -> None:
        self.after_fork()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.after_fork)

    def after_fork(self) -> None:
        """In a child there are none of them, and nobody who would let the lock go."""
        self._guard = threading.Lock()
        self._count = 0

    def take(self, wanted: int, most: int) -> int:
        """As many as are wanted, of `most` that there may be."""
        with self._guard:
            taken = max(0, min(wanted, most - self._count))
            self._count += taken
            return taken

    def give_back(self, count: int) -> None:
        """They have ended."""
        with self._guard:
            self._count -= count


_helpers = _Helpers()


class _Measured(Generic[T]):
    """An operation that measures how many threads it should have."""

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
        # Whoever counted wrong loses nothing.
        for item in self._items:
            self._work(chain((item,), self._items))

    def _take(self, count: int, threads: int) -> float:
        """Do so many items; the seconds of one."""
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
        """The least seconds of a few items, each done alone."""
        least = math.inf
        for _ in range(max(1, min(_FIRST, self._left // _FEW))):
            least = min(least, self._take(1, 1))
            if least < self._low or least > self._plainly:
                break
        return least

    def _choice(self, seconds: float) -> int:
        """How many threads the items should have of which one takes `seconds`."""
        if seconds < self._low or self._left * seconds < _LITTLE:
            return 1
        if seconds < self._plainly and self._left * seconds > _SHORT:
            # Done by itself, a chunk also pays for what many would share, such as the beginning of a write.
            seconds = min(seconds, self._take(math.ceil(_SAMPLE / seconds), 1))
            if seconds < self._low:
                return 1
        if seconds > self._high:
            return self._most
        return self._tried(seconds)

    def _tried(self, seconds: float) -> int:
        """The same where only a trial tells."""
        if self._left * seconds < _SHORT:
            return self._most if seconds > self._likely else 1
        kind = None if self._kind is None else (self._kind(), self._low, self._most)
        known = _outcomes.get(kind)
        if known is not None and known.left:
            _outcomes[kind] = known._replace(left=known.left - 1)
            return known.threads
        count = max(2 * self._most, math.ceil(_TRIAL / seconds))
        if self._left < max(4 * count, 2 * _FEW * self._most):
            return self._most  # few that take long, as shards are
        alone = self._take(count, 1)
        threads = self._most if self._together(count) < _PLAIN_GAIN * alone else 1
        if kind is not None:
            if len(_outcomes) >= _KINDS:
                _outcomes.clear()
            _outcomes[kind] = _Outcome(threads, _LASTS)
        return threads

    def _together(self, count: int) -> float:
        """The seconds of an item while all threads are at work: between the first and the last of `count`, after as many."""
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
        """Do the others, as long as they take as long as the first of them."""
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
        except BaseException as error:  # noqa: BLE001 - it is raised again by the caller
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
                break  # the system gives no more, or none at all: those that there are do the work
        attempt()
    finally:
        shared.stop()
        _wait(threads, working)
    if failures:
        raise failures[0]


def _wait(threads: list[threading.Thread], working: dict[int, None]) -> None:
    """Wait until no thread works any more; an interrupt that comes meanwhile is raised afterwards.

    A thread that outlived the operation would write chunks after the caller has undone it.
    """
    interrupt: BaseException | None = None
    while True:
        try:
            for thread in threads:
                if thread.is_alive():
                    thread.join()
            # Python 3.11 takes a thread for ended when an interrupt ends the wait for it.
            while working:
                time.sleep(_PAUSE)
        except BaseException as error:  # noqa: BLE001 - it is raised when all have ended
            interrupt = error
        else:
            break
    if interrupt is not None:
        raise interrupt
