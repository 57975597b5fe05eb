"""Concurrent requests of obstore: how many, in which thread, and the refusal in forked processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from zom.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["Forked", "most_at_once", "run_apart"]

T = TypeVar("T")


class Forked:
    """Whether obstore runs in this process, or stopped when the process was forked.

    >>> Forked.is_forked
    False
    """

    is_used = False
    is_forked = False

    @classmethod
    def refuse(cls, url: str, key: str, verb: str) -> None:
        """Raise StoreError in a forked process: without obstore's threads, a call would wait forever."""
        if cls.is_forked:
            reason = "obstore doesn't work in a process forked from one that used it; use spawn or forkserver"
            raise StoreError(url, key, verb, reason)
        cls.is_used = True

    @classmethod
    def note(cls) -> None:
        """Record in a forked process whether its parent used obstore."""
        cls.is_forked = cls.is_used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Forked.note)


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`, run in an event loop of its own: the caller may be inside another one.

    >>> run_apart(asyncio.sleep(0, "done"))
    'done'
    """
    done: list[T] = []
    failed: list[BaseException] = []
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def noted() -> T:
        task: Any = asyncio.current_task()
        started.append((asyncio.get_running_loop(), task))
        return await work

    def run() -> None:
        try:
            done.append(_run_in_new_loop(noted()))
        except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
            failed.append(error)

    thread = threading.Thread(target=run, name="zom-object-store", daemon=True)
    try:
        thread.start()
    except RuntimeError:
        # The system allows no more threads; this fails inside another event loop.
        return _run_in_new_loop(work)
    try:
        thread.join()
    except BaseException:
        # Ctrl-C: requests that outlive the interpreter would abort the process.
        _cancel(started)
        thread.join(_PATIENCE)
        time.sleep(_AFTER_CANCEL)
        raise
    if failed:
        raise failed[0]
    return done[0]


_PATIENCE = 5.0
"""Seconds to wait for requests that were cancelled."""

_AFTER_CANCEL = 0.05
"""Seconds in which the threads of obstore see that their requests were cancelled."""


def _cancel(started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]]) -> None:
    for loop, task in started:
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(task.cancel)


def _run_in_new_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in a new event loop, and return once no foreign thread is inside that loop.

    A thread of obstore hands over a result by `call_soon_threadsafe`. That call wakes the loop before it
    returns. A process that ends in between ends the thread inside compiled code: SIGABRT or SIGSEGV.
    """
    inside: dict[object, None] = {}
    with asyncio.Runner() as runner:
        loop: Any = runner.get_loop()
        hand_over = loop.call_soon_threadsafe

        def counted(*arguments: Any, **options: Any) -> Any:
            call = object()
            inside[call] = None
            try:
                return hand_over(*arguments, **options)
            finally:
                # A statement, not a method call: after it, the thread keeps the interpreter's lock until
                # it has left Python.
                del inside[call]

        loop.call_soon_threadsafe = counted
        try:
            return runner.run(work)
        finally:
            while inside:
                time.sleep(0.0001)


def most_at_once() -> int:
    """Return the default concurrency: half the number of files that the process may open, 16 to 512.

    >>> 16 <= most_at_once() <= 512
    True
    """
    try:
        import resource  # noqa: PLC0415 - missing on Windows
    except ImportError:
        return 256
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 512 if allowed < 0 else max(16, min(512, allowed // 2))
