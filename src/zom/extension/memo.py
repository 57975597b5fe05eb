"""Caches of results: the same codecs and types occur in thousands of nodes of one hierarchy.

Keys are exact texts, which distinguish true from 1 and 1 from 1.0. A new registration clears all caches.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

from zom.extension.registry import revision

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["Memo", "until_registered"]

V = TypeVar("V")
P = ParamSpec("P")


class Memo(Generic[V]):
    """Results by key, cleared when full or after a registration.

    Threads share it without a lock: a result goes to the dict of the revision when its computation began.
    """

    def __init__(self, room: int = 8192) -> None:
        self._room = room
        self._state: tuple[int, dict[Hashable, V]] = (-1, {})

    def current(self) -> dict[Hashable, V]:
        """Return the results of this revision; computations begun now may store results there later."""
        now = revision()
        made, values = self._state
        if made != now or len(values) >= self._room:
            # Use a new dict: another thread may still add a result of the previous revision to the old one.
            values = {}
            self._state = (now, values)
        return values

    def get(self, key: Hashable, compute: Callable[[], V]) -> V:
        """Return the result for `key`, computing it if it is not cached."""
        values = self.current()
        found = values.get(key)
        if found is None:
            found = values[key] = compute()
        return found


def until_registered(function: Callable[P, V]) -> Callable[P, V]:
    """Cache the results of `function` until something is registered.

    >>> until_registered(lambda name: name.upper())("bytes")
    'BYTES'
    """
    memo: Memo[V] = Memo()

    @wraps(function)
    def remembered(*args: P.args, **kwargs: P.kwargs) -> V:
        return memo.get((args, tuple(kwargs.items())), lambda: function(*args, **kwargs))

    return remembered
