"""Calls that take turns in one process, so that a busy machine slows all of them alike."""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["rotated", "timed", "touch"]

T = TypeVar("T")


def rotated(things: Iterable[T], turn: int) -> list[T]:
    """The things, beginning with another one each turn: who comes next finds in the caches what the one before read.

    >>> rotated("abc", 4)
    ['b', 'c', 'a']
    """
    found = list(things)
    first = turn % len(found)
    return found[first:] + found[:first]


def touch(size: int) -> None:
    """Write to so many bytes of new memory, and give them back: the next one who asks for as many finds them at hand.

    A virtual machine gives memory that was idle for some seconds back to its host, and takes many times as long to
    clear it when it is asked for again: whoever comes after a slow peer would pay for that.
    """
    np.full(size, 1, "u1")


def timed(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median of the processor's time of each call, in seconds.

    >>> sorted(timed({"nothing": lambda: None, "a sum": lambda: sum(range(9))}, 3))
    ['a sum', 'nothing']
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            gc.collect()
            start = time.process_time()
            made = call()
            times[name].append(time.process_time() - start)
            del made
    return {name: statistics.median(found) for name, found in times.items()}
