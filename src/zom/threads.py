"""Calls made by threads, or by the caller if the system provides no thread.

WebAssembly has no threads, and users and containers may be limited in processes and threads.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Threads"]

P = ParamSpec("P")
T = TypeVar("T")


class Threads(ThreadPoolExecutor):
    """A pool of threads; if no thread can be started, the caller of `submit` makes the call.

    >>> with Threads(2) as threads:
    ...     list(threads.map(abs, [-1, -2, -3]))
    [1, 2, 3]
    """

    @override
    def submit(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        made = _Call(lambda: call(*args, **kwargs))
        try:
            super().submit(made)
        except RuntimeError:
            # The call is in the queue already: an existing thread may be about to make it, or has made it.
            made()
        return made.result


class _Call(Generic[T]):
    """A call that is made once, by the first thread that takes it."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._taken = threading.Lock()
        self.result: Future[T] = Future()

    def __call__(self) -> None:
        if not self._taken.acquire(blocking=False) or not self.result.set_running_or_notify_cancel():
            return
        try:
            value = self._call()
        except BaseException as error:  # noqa: BLE001 - the result raises it
            self.result.set_exception(error)
        else:
            self.result.set_result(value)
