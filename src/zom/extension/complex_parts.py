"""Complex numbers that numpy lacks: records of two fields, whose parts keep all their bits."""

from __future__ import annotations

from typing import Any, Final

from zom.numpy_later import np

__all__ = ["PARTS", "as_parts", "has_parts"]

PARTS: Final = ("real", "imag")
"""The fields of a record that represents a complex number."""


def has_parts(dtype: np.dtype[Any]) -> bool:
    """Whether elements of `dtype` are records of a real and an imaginary part.

    >>> has_parts(np.dtype([("real", "f2"), ("imag", "f2")])), has_parts(np.dtype("c8"))
    (True, False)
    """
    return dtype.names == PARTS


def as_parts(value: Any, dtype: np.dtype[Any]) -> Any:
    """Convert numbers to records of `dtype`; return records unchanged.

    numpy itself would assign the real part of a number to both fields.

    >>> as_parts([1 + 2j, 3], np.dtype([("real", "f2"), ("imag", "f2")])).tolist()
    [(1.0, 2.0), (3.0, 0.0)]
    """
    given: Any = np.asarray(value)
    if given.dtype.names is not None or given.dtype.kind not in "biufcV" or given.dtype.type is np.void:
        return value
    made = np.empty(given.shape, dtype)
    if given.dtype.kind == "c":
        made["real"], made["imag"] = given.real, given.imag
    else:
        made["real"], made["imag"] = given, 0
    return made
