"""The memory of elements: which bytes are valid elements, and which bits of a byte count.

numpy accepts any bytes as elements, but some are invalid: a boolean other than 0 and 1 behaves as both at
once, and text with a number above the last code point can't be displayed. For elements with fewer than
eight bits "the upper bits are ignored" (zarr-extensions, `int4` and similar types). They are set as
ml_dtypes would write them, so that equal elements have equal bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from zom.errors import CodecError
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

    from zom.extension.bound import Array

__all__ = ["Trim", "element_check", "index_text", "integer_bounds", "is_foreign", "reordered", "trim"]

_LAST_CODE_POINT = 0x10FFFF

_FEW_BITS = {
    "int2": 2,
    "uint2": 2,
    "int4": 4,
    "uint4": 4,
    "float4_e2m1fn": 4,
    "float6_e2m3fn": 6,
    "float6_e3m2fn": 6,
}


def index_text(flat: int, shape: tuple[int, ...]) -> str:
    """Return the position of an element for messages; empty for an array without dimensions.

    >>> index_text(5, (2, 3))
    ' at (1, 2)'
    """
    if not shape:
        return ""
    place = [int(part) for part in np.unravel_index(flat, shape)]
    return f" at ({', '.join(map(str, place))})"


def integer_bounds(dtype: np.dtype[Any]) -> tuple[int, int] | None:
    """Return the minimum and maximum of an integer type, or None for other types.

    >>> integer_bounds(np.dtype(">i2")), integer_bounds(np.dtype("f4"))
    ((-32768, 32767), None)
    """
    if dtype.kind in "iu":
        bits = 8 * dtype.itemsize
        signed = dtype.kind == "i"
    elif dtype.name in _FEW_BITS and "int" in dtype.name:
        bits = _FEW_BITS[dtype.name]
        signed = dtype.name.startswith("int")
    else:
        return None
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def reordered(array: Array, dtype: np.dtype[Any]) -> Array:
    r"""Return the same elements as `dtype`, which may differ only in byte order.

    >>> reordered(np.array([1], "<i2"), np.dtype(">i2")).tobytes()
    b'\x00\x01'
    """
    if not np.can_cast(array.dtype, dtype, "equiv"):
        raise CodecError(f"expected elements of {dtype}, found {array.dtype}")
    if dtype.kind in "mM":
        # numpy creates dates without a unit in native order, whatever order is requested.
        ticks = array.view(f"{array.dtype.byteorder}i8")
        return ticks.astype(f"{dtype.byteorder}i8").view(dtype)
    made: Array = np.empty(array.shape, dtype)
    made[...] = array
    return made


def is_foreign(dtype: np.dtype[Any]) -> bool:
    """Whether numpy fails to swap the bytes of the type, or of a field, in some kinds of copies.

    These are the types of ml_dtypes, and dates and durations without a unit.

    >>> is_foreign(np.dtype("M8[s]")), is_foreign(np.dtype("M8"))
    (False, True)
    """
    return any(
        (kind.kind == "V" and kind.type is not np.void)
        or (kind.kind in "mM" and np.datetime_data(kind)[0] == "generic")
        for _, kind in _leaves(dtype)
    )


def _leaves(dtype: np.dtype[Any]) -> Iterator[tuple[tuple[str, ...], np.dtype[Any]]]:
    """Yield the types without fields, each with the field names on the path to it."""
    base = dtype.base
    if base.names is None:
        yield (), base
        return
    columns: Any = base.fields
    for name in base.names:
        for path, kind in _leaves(columns[name][0]):
            yield (name, *path), kind


def _part(array: Array, path: tuple[str, ...]) -> Array:
    for name in path:
        array = array[name]
    return array


class _Field(NamedTuple):
    """The path of field names to the checked field, and the shape of the chunk."""

    path: tuple[str, ...]
    shape: tuple[int, ...]

    def refuse(self, wrong: Array, expected: str, found: Callable[[int], str]) -> NoReturn:
        """Raise CodecError for the first element where `wrong` is true; `found` describes it."""
        first = int(np.argmax(wrong))
        each = int(np.prod(wrong.shape[len(self.shape) :], dtype=np.int64))
        where = index_text(first // each, self.shape)
        field = f" of the field {'.'.join(self.path)!r}" if self.path else ""
        raise CodecError(f"expected {expected}{field}, found {found(first)}{where}")


def element_check(dtype: np.dtype[Any]) -> Callable[[Array], None] | None:
    """Return a function that raises CodecError for invalid elements, or None if all bytes are valid.

    >>> element_check(np.dtype("f4")) is None
    True
    >>> element_check(np.dtype("?"))(np.array([0, 2], "u1").view("?"))
    Traceback (most recent call last):
    zom.errors.CodecError: expected 0 or 1 for each bool, found a byte 2 at (1)
    """
    if dtype.kind not in "bUV":
        return None
    tests = [
        (path, _check_bool if kind.kind == "b" else _check_text)
        for path, kind in _leaves(dtype)
        if kind.kind in "bU" and kind.itemsize
    ]
    if not tests:
        return None

    def check(array: Array) -> None:
        for path, test in tests:
            test(_part(array, path), _Field(path, array.shape))

    return check


def _check_bool(array: Array, place: _Field) -> None:
    found = array.view(np.uint8)
    if found.size and int(found.max()) > 1:
        place.refuse(found > 1, "0 or 1 for each bool", lambda at: f"a byte {found.reshape(-1)[at]}")


def _check_text(array: Array, place: _Field) -> None:
    whole = array if array.flags.c_contiguous else np.ascontiguousarray(array)
    order = array.dtype.str[0]  # the attribute `byteorder` is "=" for native order
    shape = (*array.shape, array.dtype.itemsize // 4)
    found = whole.reshape(-1).view(f"{order}u4").reshape(shape)
    if found.size and int(found.max()) > _LAST_CODE_POINT:
        wrong = found > _LAST_CODE_POINT
        place.refuse(wrong, "code points up to 0x10ffff", lambda at: f"{int(found.reshape(-1)[at]):#x}")


class Trim(NamedTuple):
    """The fields with elements of fewer than eight bits, with translation tables for their bytes."""

    tables: tuple[tuple[tuple[str, ...], np.ndarray[Any, np.dtype[np.uint8]], Any], ...]

    def decode(self, array: Array) -> Array:
        """Return a copy with the upper bits as ml_dtypes sets them."""
        return self._translate(array, 1)

    def encode(self, array: Array) -> Array:
        """Return a copy with the upper bits as stored: the sign bit for signed integers, 0 otherwise."""
        return self._translate(array, 2)

    def _translate(self, array: Array, place: int) -> Array:
        made = array.copy()
        for entry in self.tables:
            part = _part(made, entry[0]).view(np.uint8)
            part[...] = entry[place][part]
        return made


def trim(dtype: np.dtype[Any]) -> Trim | None:
    """Return the translation of the unused bits of a type, or None if all bits of all elements count.

    >>> trim(np.dtype("i1")) is None
    True
    """
    if dtype.kind != "V":
        return None
    tables = tuple(
        (path, *_tables(kind, _FEW_BITS[kind.name]))
        for path, kind in _leaves(dtype)
        if kind.name in _FEW_BITS
    )
    return Trim(tables) if tables else None


def _tables(dtype: np.dtype[Any], bits: int) -> tuple[Any, Any]:
    """Return two tables: for each byte, its value in memory and its value in a chunk."""
    low = np.arange(256, dtype=np.uint8) & np.uint8((1 << bits) - 1)
    if not dtype.name.startswith("int"):
        return low, low
    above = np.uint8(0xFF << bits & 0xFF)
    stored = np.where(low >> (bits - 1), low | above, low).astype(np.uint8)
    # Versions of ml_dtypes differ in the bits that they set above those of an integer.
    return stored.view(np.int8).astype(dtype).view(np.uint8), stored
