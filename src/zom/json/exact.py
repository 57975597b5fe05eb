"""Exact equality of JSON values: true is not 1, 1 is not 1.0, and 0.0 is not -0.0."""

from __future__ import annotations

from typing import Any, Final, cast

from pydantic_core import to_json

__all__ = ["exact_key", "exact_text", "forget_texts", "know_text", "same"]

_known: Final[dict[int, tuple[object, bytes]]] = {}
"""Immutable values and their texts, by the `id` of the value."""


def exact_key(value: Any) -> Any:
    """Return a hashable key of `value`: two keys are equal if and only if the JSON is the same.

    true is not 1, 1 is not 1.0, 0.0 is not -0.0; the order of an object's members does not count.

    >>> exact_key({"a": 1, "b": True}) == exact_key({"b": True, "a": 1})
    True
    >>> exact_key(True) == exact_key(1) or exact_key(0.0) == exact_key(-0.0)
    False
    """
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return ("float", repr(value))
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return frozenset((name, exact_key(item)) for name, item in members.items())
    return ("list", *map(exact_key, cast("list[Any]", value)))


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same, by type and value, ignoring the order of members.

    >>> same([1, {"a": 0.0}], [1, {"a": -0.0}])
    False
    """
    if left is right or exact_text(left) == exact_text(right):
        return True
    return bool(exact_key(left) == exact_key(right))


def exact_text(value: Any) -> str | bytes:
    """Return a text that differs if `value` differs; it may also differ if only the order of members does.

    Use it for comparing and caching, not for output: one of two writers makes it, depending on the value.

    >>> exact_text([1, True]) == exact_text([1.0, 1])
    False
    """
    known = _known.get(id(value))
    if known is not None and known[0] is value:
        return known[1]
    try:
        return to_json(value)
    except ValueError:  # too deep for the compiled writer
        return repr(value)


def know_text(value: object, text: bytes) -> None:
    """Cache the text of an immutable value that is requested repeatedly."""
    _known[id(value)] = (value, text)


def forget_texts() -> None:
    """Clear the cache of `know_text`."""
    _known.clear()
