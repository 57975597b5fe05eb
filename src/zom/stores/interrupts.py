"""Interrupts while a lock is held: Ctrl-C waits until the lock is given back.

Python raises KeyboardInterrupt between any two steps of the main thread, also between the taking of a lock and
the note that it was taken, or just before it is given back. A lock that nobody knows of is held until the process
ends: in a notebook, where it lives on, the next write would wait for itself, and writers elsewhere with it.
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

# The functions of `signal` without its enumerations, which take ten times as long: it is done for each value.
_plain: Any = import_module("_signal")


class Uninterrupted:
    """A block that Ctrl-C does not end, unless by a second one; what came is raised behind it.

    In other threads than the main one nothing is ever raised.

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
        """What handles the signal otherwise; None where nothing of Python does, or where the block is inside another."""
        self._came: tuple[Any, ...] | None = None
        self._waits = False
        self._outer: Uninterrupted | None = None
        """The block around this one, where Ctrl-C ended what is done there."""

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
        # An interrupt that comes right here is still deferred: the block ends with the next line.
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
        """Raise what came here, in the block, unless a block around it makes it wait.

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
        """Make Ctrl-C wait, within a part of the block that it ends else; False where it waits already."""
        held, self._waits = self._waits, False
        return held

    def let_go(self) -> None:
        """Let Ctrl-C end that part again, and raise what came meanwhile."""
        self._waits = True
        if self._came is not None:
            self._raise()

    @contextmanager
    def waiting(self) -> Generator[None]:
        """A part of the block that Ctrl-C ends: who waits for others is not made to wait on."""
        before, self._waits = self._waits, True
        try:
            self._raise()
            yield
        finally:
            self._waits = before


class _Part:
    """A part of a block that Ctrl-C ends else; it may be entered again and again."""

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
    """A block that Ctrl-C ends, but for the parts of it that it gives: cheaper than `Uninterrupted` for each.

    >>> with many_uninterrupted() as uninterrupted:
    ...     for _ in range(3):
    ...         with uninterrupted:
    ...             pass
    """
    block = Uninterrupted()
    with block, block.waiting():
        yield _Part(block)


def _current() -> Uninterrupted | None:
    """The block that the main thread is in."""
    handler = getattr(_plain.getsignal(_INTERRUPT), "__self__", None)
    return handler if isinstance(handler, Uninterrupted) else None


@contextmanager
def interruptible() -> Generator[None]:
    """Let Ctrl-C end what is done here, in a block that it does not end else."""
    block = _current() if threading.get_ident() == threading.main_thread().ident else None
    if block is None:
        yield
        return
    with block.waiting():
        yield
