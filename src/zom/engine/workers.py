"""Workers: threads for the chunks of one operation, where a chunk's own work is worth the hand-over.

Whether it is, is measured: the first chunks are done by the caller, and only where they take long are threads
started. They end with the operation; none waits for the next one.
"""

from __future__ import annotations

import os
import threading
import time
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Shared", "run"]

T = TypeVar("T")

WORTH = 5e-5
"""The seconds that a chunk takes at least where threads pay, as measured on two processors."""

_TRIALS = 4
_PLAINLY = 1e-3
"""So many seconds are no accident of the first chunk."""

_PAUSE = 1e-3
"""The seconds between two looks at threads that work on after an interrupt."""


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


def run(
    items: Iterator[T],
    count: int,
    work: Callable[[Iterator[T]], None],
    *,
    threads: int | None = None,
    units: int = 1,
) -> None:
    """Let `work` take all of `items`, of which there are `count`; the first error ends it for all.

    `threads` says how many at most; None lets the time of the first items decide, each of which consists
    of so many `units` of work.

    >>> done = []
    >>> run(iter(range(5)), 5, done.extend)
    >>> sorted(done)
    [0, 1, 2, 3, 4]
    """
    most = min(threads if threads is not None else processors(), count)
    if most > 1 and threads is None:
        done, pays = _tried(items, count, work, WORTH * units)
        most = min(most, count - done) if pays else 1
    if most <= 1:
        work(items)
        return
    _run_threads(items, most, work)


def _tried(
    items: Iterator[T], count: int, work: Callable[[Iterator[T]], None], worth: float
) -> tuple[int, bool]:
    """How many items were done to find out whether threads pay for the others, and whether they do.

    The first chunks pay for memory that is new, and for much else: the fastest of a few is told by.
    """
    for done in range(1, min(_TRIALS, count - 1) + 1):
        start = time.perf_counter()
        work(islice(items, 1))
        taken = time.perf_counter() - start
        if taken < worth:
            return done, False
        if taken > _PLAINLY:
            return done, True
    return min(_TRIALS, count - 1), True


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
            thread.start()
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
