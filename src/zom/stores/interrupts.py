"""Interrupts while a lock is held: Ctrl-C waits until the lock is released.

Python can raise KeyboardInterrupt between any two steps of the main thread, also between acquiring a
lock and recording it, or just before the release. An unrecorded lock is held until the process ends: in
a notebook, which goes on, the next write would wait for itself, and writers elsewhere would wait, too.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager

__all__ = ["Uninterrupted", "interruptible", "many_uninterrupted"]

_INTERRUPT = int(signal.SIGINT)

# The functions of `signal` without its enumerations, which are ten times slower: they run for each value.
_plain: Any = import_module("_signal")


class Uninterrupted:
    """A block that defers Ctrl-C until it ends; a second Ctrl-C ends it at once.

    Does nothing outside the main thread, where Python never raises interrupts.

    >>> import os
    >>> done = []
    >>> try:
    ...     with Uninterrupted():
    ...         signal.raise_signal(signal.SIGINT)
    ...         done.append("all of it")
    ... except KeyboardInterrupt:
    ...     done.append("then the interrupt")
    >>> done
    ['all of it', 'then the interrupt']
    """

    __slots__ = ("_before", "_came", "_outer", "_waits")

    def __init__(self) -> None:
        self._before: Callable[..., Any] | None = None
        """The previous signal handler; None if it is not a Python handler, or inside another block."""
        self._came: tuple[Any, ...] | None = None
        self._waits = False
        self._outer: Uninterrupted | None = None
        """The block around this one, if Ctrl-C was allowed to end it."""

    def __enter__(self) -> None:
        if threading.get_ident() != threading.main_thread().ident:
            return
        before = _plain.getsignal(_INTERRUPT)
        outer = getattr(before, "__self__", None)
        if type(outer) is Uninterrupted:
            if outer.hold():
                self._outer = outer
        elif callable(before):
            self._before = before
            _plain.signal(_INTERRUPT, self._defer)

    def __exit__(self, *error: object) -> None:
        outer = self._outer
        if outer is not None:
            outer.let_go()
        # An interrupt right here is still deferred: the block ends with the next line.
        elif self._before is not None:
            _plain.signal(_INTERRUPT, self._before)
            if self._came is not None:
                self._raise()

    def _defer(self, *what: Any) -> None:
        is_second, self._came = self._came is not None, what
        if is_second or self._waits:
            self._raise()

    def _raise(self) -> None:
        if self._came is not None and self._before is not None:
            what, self._came = self._came, None
            self._before(*what)

    def check(self) -> None:
        """Raise a deferred interrupt here, inside the block, unless a block around it defers it.

        >>> done = []
        >>> block = Uninterrupted()
        >>> try:
        ...     with block:
        ...         signal.raise_signal(signal.SIGINT)
        ...         done.append("one step")
        ...         block.check()
        ...         done.append("another")
        ... except KeyboardInterrupt:
        ...     done.append("then the interrupt")
        >>> done
        ['one step', 'then the interrupt']
        """
        if self._outer is not None:
            self._outer.check()
        else:
            self._raise()

    def hold(self) -> bool:
        """Defer Ctrl-C again in an interruptible part of the block; False if it is deferred already."""
        held, self._waits = self._waits, False
        return held

    def let_go(self) -> None:
        """Make that part interruptible again, and raise an interrupt that came meanwhile."""
        self._waits = True
        if self._came is not None:
            self._raise()

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Open an interruptible part of the block, for waiting on others."""
        before, self._waits = self._waits, True
        try:
            self._raise()
            yield
        finally:
            self._waits = before


class _Part:
    """A reusable part that defers Ctrl-C within an interruptible block."""

    __slots__ = ("_block", "_held")

    def __init__(self, block: Uninterrupted) -> None:
        self._block = block
        self._held = False

    def __enter__(self) -> None:
        self._held = self._block.hold()

    def __exit__(self, *error: object) -> None:
        if self._held:
            self._block.let_go()


@contextmanager
def many_uninterrupted() -> Generator[AbstractContextManager[None]]:
    """Open an interruptible block and yield its uninterruptible part: cheaper than many `Uninterrupted`.

    >>> with many_uninterrupted() as uninterrupted:
    ...     for _ in range(3):
    ...         with uninterrupted:
    ...             pass
    """
    block = Uninterrupted()
    with block, block.waiting():
        yield _Part(block)


def _current() -> Uninterrupted | None:
    """Return the block that the main thread is in, or None."""
    handler = getattr(_plain.getsignal(_INTERRUPT), "__self__", None)
    return handler if isinstance(handler, Uninterrupted) else None


@contextmanager
def interruptible() -> Generator[None]:
    """Let Ctrl-C end this part of a block that defers it otherwise."""
    block = _current() if threading.get_ident() == threading.main_thread().ident else None
    if block is None:
        yield
        return
    with block.waiting():
        yield
