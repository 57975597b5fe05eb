"""JSON types as named by JSON Schema: type tests, and descriptions for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["JSON_TYPES", "TYPE_WORDS", "is_of_type"]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# 1.0 is an integer, and true is not a number; a tuple has no type.
_TESTS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: _is_number(value) and value % 1 == 0,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
JSON_TYPES: Final = frozenset(_TESTS)
"""The names of the types."""

TYPE_WORDS: Final[Mapping[str, str]] = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
"""The description of a value of each type in messages."""


def is_of_type(value: object, name: str) -> bool:
    """Whether `value` has the JSON type `name`.

    >>> is_of_type(1.0, "integer"), is_of_type(True, "number"), is_of_type([], "array")
    (True, False, True)
    """
    return _TESTS[name](value)
