r"""Text to write, or to read into memory of another type: cast completely, or refused.

Lone surrogates are half a character: no encoding of Unicode has them (The Unicode Standard, D76), and other
software can't read what numpy would write for them. They are refused before anything is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zom.engine.fields import leaves
from zom.engine.integer_range import check_integers
from zom.engine.room import as_given_fields, check_room
from zom.errors import CodecError
from zom.extension.element_memory import index_text
from zom.json.value import lone_surrogate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.extension.bound import Array

__all__ = ["as_elements", "check_text", "computed", "put"]


def as_elements(value: Any, dtype: np.dtype[Any]) -> Array:
    r"""`value` as an array of `dtype`; raise CodecError if its text is invalid Unicode, or too long.

    >>> as_elements(np.array(["é"], "T"), np.dtype(">U2")).tolist()
    ['é']
    >>> as_elements(["a", "\ud800"], np.dtype("<U2"))
    Traceback (most recent call last):
    zom.errors.CodecError: expected text without lone surrogates at (1), found \ud800 at character 0
    """
    value = computed(value)
    _check_numbers(value, dtype)
    given = value
    try:
        if dtype.names is not None:
            given = as_given_fields(value, dtype)
        _check_missing(given, dtype)
        if isinstance(value, np.ndarray):
            made = _cast(cast("Array", value), dtype)
        else:
            made = np.asarray(value, dtype)
    except UnicodeError as cause:
        check_text(cast("Array", np.asarray(cast("object", value))))
        raise CodecError(f"expected values of the type {dtype}, found text that it can't hold: {cause}; "
                         "encode the text to bytes") from cause  # fmt: skip
    except OverflowError as cause:  # fields, which numpy casts itself
        raise CodecError(f"expected values of the type {dtype}, found one that it can't hold: {cause}; "
                         "choose a data type that holds it") from cause  # fmt: skip
    check_room(given, dtype)
    check_text(made)
    return made


def computed(value: object) -> Any:
    """`value`, or the array that it computes, as dask's do; to use it twice, call this once.

    Objects are left unchanged: only pandas knows what its own become.

    >>> computed([1, 2]), computed(np.array(["é"]))
    ([1, 2], array(['é'], dtype='<U1'))
    """
    if isinstance(value, (np.ndarray, np.generic)) or not hasattr(value, "__array__"):
        return cast("Any", value)
    made = cast("Array", np.asarray(value))
    return value if made.dtype.kind == "O" else made


def _check_numbers(value: Any, dtype: np.dtype[Any]) -> None:
    """Raise CodecError for numbers that integers of `dtype` can't hold."""
    if dtype.kind in "iu" or (dtype.kind == "V" and dtype.names is None and dtype.type is not np.void):
        try:
            given = cast("Array", value) if isinstance(value, np.ndarray) else np.asarray(value)
        except ValueError:
            return  # lists of unequal lengths, which the cast reports
        if given.dtype.kind == "f" and isinstance(value, (list, tuple)):
            given = np.asarray(
                cast("object", value), object
            )  # integers in a list, which numpy would round next to floats
        check_integers(given, dtype)
    elif dtype.names is not None and isinstance(value, np.ndarray):
        check_integers(cast("Array", value), dtype)


def _check_missing(value: Any, dtype: np.dtype[Any]) -> None:
    """Raise CodecError for None, NaN and similar in text, which numpy would write as "None" and "nan"."""
    if dtype.names is not None:  # fields of text, which numpy casts by position
        for part, wanted, _ in leaves(cast("Array", value), dtype):
            if part.dtype.hasobject:
                _check_missing(part, wanted)
        return
    if dtype.kind not in "TU" or isinstance(value, str):
        return
    given: Array
    if isinstance(value, np.ndarray):
        given = cast("Array", value)
        if given.dtype.kind == "T" and hasattr(given.dtype, "na_object"):
            given = given.astype(object)
    else:
        given = np.asarray(value, object)
    if given.dtype.kind != "O":
        return
    for index, item in enumerate(given.reshape(-1).tolist()):
        if not isinstance(item, str) and _is_missing(item):
            raise CodecError(
                f'expected text{index_text(index, given.shape)}, found {item!r}; replace it with text, such as ""'
            )


def _is_missing(item: Any) -> bool:
    try:
        return item is None or bool(item != item)  # noqa: PLR0124 - NaN differs from itself
    except (TypeError, ValueError):  # such as pandas.NA, which is neither true nor false
        return True


def _cast(array: Array, dtype: np.dtype[Any]) -> Array:
    """Like `array.astype`, which needs native order between text of variable and of fixed length."""
    if array.dtype == dtype:
        return array
    if array.dtype.kind == "U" and dtype.kind == "T":
        native = array.astype(array.dtype.newbyteorder("="))
        check_text(native)  # numpy's error has no place
        return native.astype(dtype)
    if array.dtype.kind == "T" and dtype.kind == "U":
        return array.astype(dtype.newbyteorder("=")).astype(dtype)
    return array.astype(dtype)


def put(target: Array, values: Array) -> None:
    """Put `values` into `target`, cast as numpy's assignment casts.

    >>> put(target := np.empty(1, "T"), np.array(["é"], ">U1")); target.tolist()
    ['é']
    """
    kinds = {target.dtype.kind, values.dtype.kind}
    target[...] = _cast(values, target.dtype) if kinds == {"T", "U"} else values


def check_text(array: Array) -> None:
    r"""Raise CodecError if text in `array` has half a character; other values are not checked.

    >>> check_text(np.array([{"a": ["\ud800"]}]))
    Traceback (most recent call last):
    zom.errors.CodecError: expected text without lone surrogates at (0), found \ud800 at character 0
    """
    kind = array.dtype.kind
    if kind == "O":
        _check_objects(array)
    elif kind == "U":
        _check_fixed(array, array.shape)
    elif kind == "V" and array.dtype.names:
        for path, part in _fields(array):
            _check_fixed(part, array.shape, f" of the field {path!r}")


def _fields(array: Array, path: str = "") -> Iterator[tuple[str, Array]]:
    """The fields of text, each with the field names that lead to it."""
    for name in array.dtype.names or ():
        part: Array = array[name]
        inner = f"{path}.{name}" if path else name
        if part.dtype.names:
            yield from _fields(part, inner)
        elif part.dtype.kind == "U":
            yield inner, part


def _check_fixed(array: Array, shape: tuple[int, ...], field: str = "") -> None:
    if not array.dtype.itemsize or not array.size:
        return
    whole = np.ascontiguousarray(array)
    order = array.dtype.str[0]  # the attribute byteorder doesn't give the machine's own order
    points = whole.reshape(-1).view(f"{order}u4")
    wrong = (points >= 0xD800) & (points < 0xE000)
    if not wrong.any():
        return
    element = int(wrong.argmax()) // (array.dtype.itemsize // 4)
    each = array.size // max(1, int(np.prod(shape, dtype=np.int64)))
    _refuse(str(whole.reshape(-1)[element]), element // each, shape, field)


def _check_objects(array: Array) -> None:
    for index, item in enumerate(array.reshape(-1).tolist()):
        for text in _texts(item):
            if not text.isascii() and lone_surrogate(text, ()) is not None:
                _refuse(text, index, array.shape)


def _texts(item: object) -> Iterator[str]:
    """All text in an element; each container is visited once."""
    if isinstance(item, str):
        yield item
        return
    if not isinstance(item, (dict, list, tuple)):
        return
    waiting: list[Any] = [item]
    seen: set[int] = set()
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, (dict, list, tuple)) and id(cast("object", found)) not in seen:
            seen.add(id(cast("object", found)))
            waiting.extend(cast("list[Any]", found))
            if isinstance(found, dict):
                waiting.extend(cast("Mapping[Any, Any]", found).values())


def _refuse(text: str, index: int, shape: tuple[int, ...], field: str = "") -> None:
    fault = lone_surrogate(text, ())
    if fault is not None:
        where = index_text(index, shape)
        raise CodecError(f"expected {fault.expected}{field}{where}, found {fault.found}")
