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
    """Verdicts by key, emptied when it is full or when a registry has grown."""

    def __init__(self, room: int = 8192) -> None:
        self._room = room
        self._revision = -1
        self._values: dict[Hashable, V] = {}

    def get(self, key: Hashable, compute: Callable[[], V]) -> V:
        """The verdict for `key`, computed where it is not remembered."""
        if self._revision != revision() or len(self._values) >= self._room:
            self._values.clear()
            self._revision = revision()
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = compute()
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
