"""Concurrent calls of an asynchronous fsspec file system."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from zom.packages import imported

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

__all__ = ["answers"]


def answers(filesystem: Any, calls: Sequence[Coroutine[Any, Any, Any]], at_once: int) -> list[Any]:
    """Return the results or exceptions of the calls, in order, with `at_once` of them in flight."""
    asyn: Any = imported("fsspec.asyn", "fsspec")
    found: list[Any] = asyn.sync(filesystem.loop, _awaited, calls, at_once)
    return found


async def _awaited(calls: Sequence[Coroutine[Any, Any, Any]], at_once: int) -> list[Any]:
    free = asyncio.Semaphore(at_once)

    async def answer(call: Coroutine[Any, Any, Any]) -> Any:
        async with free:
            return await call

    return await asyncio.gather(*map(answer, calls), return_exceptions=True)
