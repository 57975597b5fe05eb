"""Many requests of obstore in flight at once: how many, where they run, and where they no longer can."""

from __future__ import annotations

import asyncio
import os
import threading
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
        """Refuse what would wait forever: the threads that obstore started are not in a forked process."""
        if cls.is_forked:
            reason = "obstore doesn't work in a process forked from one that used it; use spawn or forkserver"
            raise StoreError(url, key, verb, reason)
        cls.is_used = True

    @classmethod
    def note(cls) -> None:
        """What a forked process does first."""
        cls.is_forked = cls.is_used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Forked.note)


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, run in an event loop of its own: the caller may be inside another one.

    >>> run_apart(asyncio.sleep(0, "done"))
    'done'
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
            failed.append(error)

    thread = threading.Thread(target=run, name="zom-object-store", daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def most_at_once() -> int:
    """How many requests are in flight where nobody said: half of the files that the process may open.

    >>> 16 <= most_at_once() <= 512
    True
    """
    try:
        import resource  # noqa: PLC0415 - not there on Windows
    except ImportError:
        return 256
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 512 if allowed < 0 else max(16, min(512, allowed // 2))
