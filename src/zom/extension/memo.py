"""Remembered verdicts: the same codecs and types stand in thousands of nodes of one hierarchy.

Keys are made of exact texts, which tell true from 1 and 1 from 1.0; a new registration voids all.
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
    """Verdicts by key, emptied when it is full or when a registry has grown.

    Threads share it without a lock: each verdict goes to the dict of the revision in which it was begun.
    """

    def __init__(self, room: int = 8192) -> None:
        self._room = room
        self._state: tuple[int, dict[Hashable, V]] = (-1, {})

    def current(self) -> dict[Hashable, V]:
        """The verdicts of this revision; what is begun now may be put there, however late."""
        now = revision()
        made, values = self._state
        if made != now or len(values) >= self._room:
            # Not emptied: another thread may be about to add a verdict of the revision before.
            values = {}
            self._state = (now, values)
        return values

    def get(self, key: Hashable, compute: Callable[[], V]) -> V:
        """The verdict for `key`, computed where it is not remembered."""
        values = self.current()
        found = values.get(key)
        if found is None:
            found = values[key] = compute()
        return found


def until_registered(function: Callable[P, V]) -> Callable[P, V]:
    """`function`, whose answers are remembered until something new is registered.

    >>> until_registered(lambda name: name.upper())("bytes")
    'BYTES'
    """
    memo: Memo[V] = Memo()

    @wraps(function)
    def remembered(*args: P.args, **kwargs: P.kwargs) -> V:
        return memo.get((args, tuple(kwargs.items())), lambda: function(*args, **kwargs))

    return remembered
