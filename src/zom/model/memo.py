"""Remembered verdicts: the same codecs and types stand in thousands of nodes of one hierarchy.

Keys are made of exact texts, which tell true from 1 and 1 from 1.0; a new registration voids all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from zom.model.registry import revision

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["Memo"]

V = TypeVar("V")


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
