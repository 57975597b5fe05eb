"""Calls of a store that answers late, beside each other or beside other work: their waiting overlaps."""

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
    """A block in which `call` waits for the store while other work is done; what it gives waits for the result.

    A store that answers at once is asked when the result is asked for.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"a": b"1"})
    >>> with ahead(store, lambda: store.get("a")) as found:
    ...     found()
    b'1'
    """
    if not answers_late(store):
        yield call
        return
    from zom.threads import Threads  # noqa: PLC0415 - stores that answer at once need none

    with Threads(1, "zom-ahead") as thread:
        yield thread.submit(call).result


def together(store: Backend, *calls: Callable[[], Any]) -> list[Any]:
    """The results of calls that only read, made at once where the store answers late; the first error in their order.

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
    """Whether it takes several requests at once, also of threads that hold none of its locks.

    >>> from zom.stores.memory import MemoryStore
    >>> answers_late(MemoryStore())
    False
    """
    return store.capabilities.parallel > 1 and not store.capabilities.lock_holds_all
