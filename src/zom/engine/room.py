"""Refuse text and bytes that are longer than the target elements, before anything is written.

Numpy truncates them silently. To get that, cast with `values.astype("<U5")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zom.engine.fields import leaves
from zom.errors import CodecError
from zom.extension.element_memory import index_text
from zom.problems import show

if TYPE_CHECKING:
    from zom.extension.bound import Array

__all__ = ["as_given_fields", "check_room"]


def check_room(value: Any, dtype: np.dtype[Any]) -> None:
    """Raise CodecError if text or bytes in `value` are longer than elements of `dtype`, or of its fields.

    >>> check_room(["abc"], np.dtype("<U3"))
    >>> check_room(["a", "abcd"], np.dtype("<U3"))
    Traceback (most recent call last):
    zom.errors.CodecError: expected text of at most 3 characters at (1), found "abcd" with 4; shorten it, or let numpy cut it: values.astype('<U3')
    """
    if not _has_room(dtype):
        return
    given = _as_given(value) if dtype.names is None else as_given_fields(value, dtype)
    for part, wanted, field in leaves(given, dtype):
        if _has_room(wanted):
            _check(part, wanted, f" in the field {field!r}" if field else "")


def as_given_fields(value: Any, dtype: np.dtype[Any]) -> Array:
    """`value` as an array of its own fields, or those of `dtype` with objects in place of text and bytes."""
    return cast("Array", value) if isinstance(value, np.ndarray) else np.asarray(value, _wide(dtype))


def _as_given(value: Any) -> Array:
    """`value` as an array of its own type, or of objects if it mixes text and bytes."""
    try:
        return cast("Array", np.asarray(value))
    except UnicodeError:
        return cast("Array", np.asarray(value, object))


def _has_room(dtype: np.dtype[Any]) -> bool:
    """Whether it has elements that numpy would truncate values for."""
    if dtype.names is not None:
        return any(_has_room(dtype[name].base) for name in dtype.names)
    return _is_cut(dtype) and dtype.itemsize > 0


def _is_cut(dtype: np.dtype[Any]) -> bool:
    """Whether it is text or bytes: numpy also gives numbers of other libraries a bytes kind."""
    return dtype.type in {np.str_, np.bytes_, np.void}


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same fields, with room for any text."""
    if dtype.names is not None:
        return np.dtype([(name, _wide(dtype[name].base), dtype[name].shape) for name in dtype.names])
    return np.dtype(object) if _is_cut(dtype) else dtype


def _check(given: Array, dtype: np.dtype[Any], field: str) -> None:
    most = dtype.itemsize // 4 if dtype.kind == "U" else dtype.itemsize
    kind = given.dtype.kind
    if kind in "USV" and given.dtype.itemsize // (4 if kind == "U" else 1) <= most:
        return
    lengths = _lengths(given)
    if not (lengths > most).any():
        return
    flat = int((lengths > most).argmax())
    item = given.reshape(-1)[flat]
    is_text = dtype.kind == "U"
    shown = show(str(item)) if is_text else repr(bytes(item) if kind in "SV" else item)
    most_of = f"text of at most {most} characters" if is_text else f"at most {most} bytes"
    wanted = f"expected {most_of}{field}{index_text(flat, given.shape)}"
    fix = f"shorten it, or let numpy cut it: values.astype({dtype.str!r})"
    raise CodecError(f"{wanted}, found {shown} with {lengths[flat]}; {fix}")


def _lengths(given: Array) -> Array:
    """The length of each element, in order."""
    flat = given.reshape(-1)
    if flat.dtype.kind in "US":
        return np.char.str_len(flat)
    if flat.dtype.kind == "V":
        return np.full(flat.shape, flat.dtype.itemsize)
    items: list[Any] = flat.tolist()
    return np.fromiter(
        (len(item if isinstance(item, (str, bytes)) else str(item)) for item in items), np.int64, len(items)
    )
