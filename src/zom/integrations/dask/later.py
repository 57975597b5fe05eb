"""A `Delayed` that builds its graph on first use: for many arrays, graphs take longer than documents."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from zom.packages import imported

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Later"]

# Type checking zom must work without dask.
_delayed: Any = imported("dask.delayed", "dask")


class Later(_delayed.Delayed):  # type: ignore[misc] # its type is unknown here
    """A `Delayed` that computes the collections that `make` returns, and returns None.

    >>> Later(list).compute()
    """

    __slots__ = ("_lock", "_made", "_make")

    def __init__(self, make: Callable[[], list[Any]]) -> None:
        super().__init__(f"zom-written-{uuid4().hex}", None)  # pyright: ignore[reportUnknownMemberType]
        self._make = make
        self._made: Any = None
        self._lock = threading.Lock()

    @property
    def dask(self) -> Any:
        """The graph."""
        with self._lock:
            if self._made is None:
                written = _delayed.delayed(_done)(self._make(), dask_key_name=self.key)
                self._made = written.dask
        return self._made

    def __reduce__(self) -> tuple[Any, ...]:
        return (_delayed.Delayed, (self.key, self.dask))


def _done(_: object) -> None:
    """Return None, the result of a `Delayed` once everything is written."""
