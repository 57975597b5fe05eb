"""Values that many nodes of a hierarchy share, such as codecs: one object, tuple and text for all.

A value is shared when its text is seen for the second time. This saves memory in a tree, and caches
keyed by such a text need not write it again.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from zom.json.exact import forget_texts, know_text
from zom.json.value import JSONList

__all__ = ["Shared", "share", "shared", "tuple_of"]

_MOST: Final = 1024
_LONGEST: Final = 1024


class Shared(NamedTuple):
    """A frozen value that occurs in many nodes."""

    value: Any
    names: int
    """The number of member names in it."""


_seen: Final[set[bytes]] = set()
_values: Final[dict[bytes, Shared]] = {}
shared: Final = _values.get
"""Returns the shared value of a text, or None."""
_tuples: Final[dict[int, tuple[object, tuple[Any, ...]]]] = {}
"""The shared lists, each with its tuple, by the `id` of the list."""


def share(text: bytes, value: Any, names: int) -> None:
    """Share the frozen `value` with the text `text`, from the second call on."""
    if text not in _seen:
        if len(_seen) >= _MOST:
            _seen.clear()
        if len(text) <= _LONGEST:
            _seen.add(text)
        return
    if len(_values) >= _MOST:
        _values.clear()
        _tuples.clear()
        forget_texts()
    _values[text] = Shared(value, names)
    know_text(value, text)
    if isinstance(value, JSONList):
        items = (*value,)
        _tuples[id(value)] = (value, items)
        know_text(items, text)


def tuple_of(items: list[Any]) -> tuple[Any, ...]:
    """Return the items of an immutable list as a tuple, which is shared if the list is.

    >>> tuple_of([1, 2])
    (1, 2)
    """
    known = _tuples.get(id(items))
    return known[1] if known is not None and known[0] is items else (*items,)
