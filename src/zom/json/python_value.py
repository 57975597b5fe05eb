"""Values from Python: numbers and bytes without numpy types, and tests for lists and dicts.

Casts reject anything that would lose information: values don't wrap, integers are never rounded, True
is not 1, and text is not a number.
"""

from __future__ import annotations

import operator
from typing import Any

from typing_extensions import TypeIs

from zom.numpy_later import np

__all__ = ["bytes_of", "integer_of", "is_dict", "is_list", "is_ml_scalar", "number_of"]


def is_list(value: object) -> TypeIs[list[Any]]:
    """Whether `value` is a list of any items.

    >>> is_list([1]), is_list((1,))
    (True, False)
    """
    return isinstance(value, list)


def is_dict(value: object) -> TypeIs[dict[str, Any]]:
    """Whether `value` is a JSON object.

    >>> is_dict({})
    True
    """
    return isinstance(value, dict)


def is_ml_scalar(value: object) -> bool:
    """Whether `value` is a scalar of ml_dtypes, which need not be installed.

    >>> is_ml_scalar(np.float32(1))
    False
    """
    return type(value).__module__ == "ml_dtypes" and isinstance(value, np.generic)


def integer_of(value: object) -> int | None:
    """Return `value` as an integer if that loses nothing, otherwise None.

    >>> integer_of(np.int8(3)), integer_of(2.0), integer_of(1.5), integer_of(True)
    (3, 2, None, None)
    """
    if type(value) is int:
        return value
    given: Any = value
    if isinstance(value, (bool, str, np.bool_, np.timedelta64)):
        return None
    if isinstance(value, (float, np.floating)) or is_ml_scalar(value):
        number = float(given)
        return int(number) if number.is_integer() else None
    try:
        return operator.index(given)
    except TypeError:
        return None


def number_of(value: object) -> float | None:
    """Return `value` as a real Python number; None for other values, including complex numbers.

    >>> number_of(np.float32(0.5)), number_of(1j), number_of("1")
    (0.5, None, None)
    """
    if type(value) is int or type(value) is float:
        return value
    given: Any = value
    if isinstance(value, (bool, str, np.bool_, np.timedelta64)):
        return None
    if isinstance(value, np.integer):
        return int(given)
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, np.floating) or is_ml_scalar(value):
        return float(given)
    return None


def bytes_of(value: object) -> bytes | None:
    """Return `value` as bytes, or None if it is not bytes.

    >>> bytes_of(np.void(b"ab")), bytes_of("ab")
    (b'ab', None)
    """
    given: Any = value
    if isinstance(value, np.void):
        return bytes(given.tobytes())
    return bytes(given) if isinstance(value, (bytes, bytearray, memoryview)) else None
