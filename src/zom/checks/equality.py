"""Equality of JSON values, and regular expression matches, with the same result in every language."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from zom.json.exact import exact_key
from zom.json.python_value import is_dict, is_list

__all__ = ["equal", "is_whole", "key_of"]


def equal(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal as in JSON Schema: numbers by value.

    >>> equal(1, 1.0), equal(1, True), equal([{"a": 2}], [{"a": 2.0}])
    (True, False, True)
    """
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if is_list(left) and is_list(right):
        return len(left) == len(right) and all(map(equal, left, right))
    if is_dict(left) and is_dict(right):
        return left.keys() == right.keys() and all(equal(left[name], right[name]) for name in left)
    return bool(left == right)


def key_of(value: Any) -> Any:
    """A key that two values share if and only if `equal` holds for them.

    >>> key_of([1.0]) == key_of([1]), key_of("[1]") == key_of([1])
    (True, False)
    """
    return exact_key(_worth(value))


def _worth(value: Any) -> Any:
    if is_dict(value):
        return {name: _worth(item) for name, item in value.items()}
    if is_list(value):
        return [_worth(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@lru_cache(maxsize=1024)
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex, re.ASCII)


def is_whole(regex: str, text: str) -> bool:
    """Whether the regular expression matches all of the text; its classes are ASCII.

    >>> is_whole("[a-z]+", "abc"), is_whole("[a-z]+", "abc7")
    (True, False)
    """
    return _compiled(regex).fullmatch(text) is not None
