"""A `Delayed` whose graph is made when somebody asks for it: graphs of many arrays take longer than their documents."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from zom.packages import imported

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Later"]

# dask need not be there where zom's types are checked.
_delayed: Any = imported("dask.delayed", "dask")


class Later(_delayed.Delayed):  # type: ignore[misc] # its type is not known here
    """A `Delayed` that computes the collections that `make` returns, and gives None.

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
    """What a `Delayed` gives when everything is written."""
