"""Batches of requests: no foreign thread is inside the event loop when a batch returns."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from zom.stores.object import in_flight
from zom.stores.object.in_flight import run_apart


def test_a_batch_returns_after_the_thread_that_handed_over_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that is still inside of the loop when the process ends is ended in compiled code."""
    left = threading.Event()
    original = asyncio.SelectorEventLoop.call_soon_threadsafe

    def slow(self: Any, *arguments: Any, **options: Any) -> Any:
        made = original(self, *arguments, **options)
        if threading.current_thread().name == "foreign":
            time.sleep(0.2)  # the loop has been woken, and goes on
            left.set()
        return made

    monkeypatch.setattr(asyncio.SelectorEventLoop, "call_soon_threadsafe", slow)

    async def handed_over() -> str:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[str] = loop.create_future()

        def hand_over() -> None:
            loop.call_soon_threadsafe(future.set_result, "done")

        threading.Thread(target=hand_over, name="foreign").start()
        return await future

    assert run_apart(handed_over()) == "done"
    assert left.is_set()


def test_an_interrupted_batch_is_cancelled_before_the_interrupt_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cancelled = threading.Event()

    async def endless() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    join = threading.Thread.join
    joins: list[float | None] = []

    def interrupted(self: threading.Thread, timeout: float | None = None) -> None:
        joins.append(timeout)
        if len(joins) == 1:
            time.sleep(0.1)
            raise KeyboardInterrupt
        join(self, timeout)

    monkeypatch.setattr(in_flight.threading.Thread, "join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_apart(endless())
    assert cancelled.is_set()


def test_the_error_of_a_batch_is_raised() -> None:
    async def broken() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_apart(broken())
