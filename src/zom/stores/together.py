"""Concurrent calls of a slow store, among each other or with other work, so that waiting overlaps."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from zom.stores.backend import Backend

__all__ = ["ahead", "answers_late", "together"]

T = TypeVar("T")


@contextmanager
def ahead(store: Backend, call: Callable[[], T]) -> Generator[Callable[[], T]]:
    """Run `call` in a thread while the block does other work; yield a function that waits for the result.

    For a store that answers at once, that function just makes the call.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"a": b"1"})
    >>> with ahead(store, lambda: store.get("a")) as found:
    ...     found()
    b'1'
    """
    if not answers_late(store):
        yield call
        return
    from zom.threads import Threads  # noqa: PLC0415 - only slow stores need threads

    with Threads(1, "zom-ahead") as thread:
        yield thread.submit(call).result


def together(store: Backend, *calls: Callable[[], Any]) -> list[Any]:
    """Run read-only calls, concurrently if the store is slow; return their results or raise the first error.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"a": b"1"})
    >>> together(store, lambda: store.get("a"), lambda: list(store.list()))
    [b'1', ['a']]
    """
    if len(calls) < 2 or not answers_late(store):
        return [call() for call in calls]
    from zom.threads import Threads  # noqa: PLC0415 - as above

    first, *others = calls
    with Threads(len(others), "zom-together") as threads:
        waiting = [threads.submit(call) for call in others]
        return [first(), *(each.result() for each in waiting)]


def answers_late(store: Backend) -> bool:
    """Whether the store serves several requests at once, also from threads that hold none of its locks.

    >>> from zom.stores.memory import MemoryStore
    >>> answers_late(MemoryStore())
    False
    """
    return store.capabilities.parallel > 1 and not store.capabilities.lock_holds_all
