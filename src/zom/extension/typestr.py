"""Type strings: the spelling of simple data types in v2 and in the draft's examples.

Zarr v2, "Data type encoding": a byte order (`<`, `>` or `|`), a kind, a number of bytes, and for dates
a unit. "The byte order MUST be specified." All readers also accept `<i1`, `<b1` and `>b1`, and so does zom.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.extension.patterns import up_to
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.datatype import ByteOrder

__all__ = [
    "MOST_BYTES",
    "TYPESTR_PATTERN",
    "UNITS",
    "UNIT_PATTERN",
    "V2_TYPESTR",
    "Typestr",
    "numeric_codes",
    "order_fault",
    "parse_typestr",
    "typestr_fault",
    "v3_name",
    "without_order",
]

V2_TYPESTR = rule(
    "v2/typestr",
    "a v2 dtype is a byte order, a kind and a number of bytes, or a list of fields",
    source="Zarr v2, data type encoding",
    schema=True,
)

V2_UNKNOWN_TYPE = rule(
    "v2/unknown-data-type",
    "a v2 dtype that is a name, such as bfloat16, is known to zom",
    source="Zarr v2, data type encoding; TensorStore, driver zarr: names of types beyond numpy",
    lenient="warning",
    schema=True,
)

V2_UNORDERED = rule(
    "v2/byte-order",
    'a v2 dtype of bytes or objects has the byte order "|", which means none',
    source='Zarr v2, data type encoding; netCDF-C writes ">S1"',
    lenient="warning",
    schema=True,
)

MOST_BYTES = (1 << 31) - 1
"""The maximum size of an element in numpy, in bytes."""

UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
"""The units of dates and durations, from the longest to the shortest."""

_PATTERN = re.compile(r"([<>|=])?([biufcmMSUVO])(0|[1-9][0-9]{0,9})?(?:\[([1-9][0-9]{0,9})?([A-Za-z]+)\])?")
_SIZES = {
    "b": (1,),
    "i": (1, 2, 4, 8),
    "u": (1, 2, 4, 8),
    "f": (2, 4, 8),
    "c": (8, 16),
    "m": (8,),
    "M": (8,),
}
_NAME = re.compile(r"[a-z][a-z0-9_.-]{2,}")
_PYTHON_NAMES = frozenset({"str", "bytes", "float", "int", "complex", "object", "string", "datetime64"})
_NAMES = {"bool": "b1", "complex64": "c8", "complex128": "c16"}
_NAMES.update({f"{word}int{8 * n}": f"{word or 'i'}{n}" for word in ("", "u") for n in _SIZES["i"]})
_NAMES.update({f"float{8 * n}": f"f{n}" for n in _SIZES["f"]})


def _typestr_pattern() -> str:
    """Return the pattern of all strings that `parse_typestr` accepts, with a unit if the kind needs one."""
    options = ["[|<>][biu]1", "[<>][iu][248]", "[<>]f[248]", "[<>]c(?:8|16)", f"[<>][mM]8{_UNIT}", r"\|O"]
    sizes = [rf"\|[SV](?:0|{up_to(MOST_BYTES)})", f"[<>]U(?:0|{up_to(MOST_BYTES // 4)})"]
    return "|".join([*options, *sizes])


_UNIT = rf"\[(?:{up_to(MOST_BYTES)})?(?:{'|'.join(UNITS)})\]"
UNIT_PATTERN = _UNIT
"""The pattern of the unit of a date or duration, in brackets."""
TYPESTR_PATTERN = _typestr_pattern()
"""The pattern of the type strings of v2."""


class Typestr(NamedTuple):
    """The parts of a type string; `order` is None if byte order doesn't apply.

    >>> parse_typestr("<M8[10us]")
    Typestr(order='little', kind='M', size=8, scale=10, unit='us')
    """

    order: ByteOrder | None
    kind: str
    size: int
    scale: int = 1
    unit: str | None = None


@lru_cache(maxsize=1024)
def parse_typestr(text: str) -> Typestr | None:
    """Parse a v2 type string; return None if it is invalid.

    >>> parse_typestr(">f8")
    Typestr(order='big', kind='f', size=8, scale=1, unit=None)
    >>> parse_typestr("f8") is None
    True
    """
    found = _PATTERN.fullmatch(text)
    if found is None:
        return None
    mark, kind, digits, scale, unit = found.groups()
    if mark is None or mark not in _marks(kind, digits) or not _size_fits(kind, digits):
        return None
    if unit is not None and (kind not in "mM" or unit not in {*UNITS, "generic"}):
        return None
    if int(scale or 1) > MOST_BYTES:
        return None
    order: ByteOrder | None = None
    if kind in "fcmMU" or (kind in "iu" and digits != "1"):
        order = "big" if mark == ">" else "little"
    return Typestr(order, kind, int(digits or 0), int(scale or 1), None if unit == "generic" else unit)


def _size_fits(kind: str, digits: str | None) -> bool:
    if kind == "O" or digits is None:
        return kind == "O" and digits is None
    if kind in _SIZES:
        return int(digits) in _SIZES[kind]
    return int(digits) * (4 if kind == "U" else 1) <= MOST_BYTES


def _marks(kind: str, digits: str | None) -> str:
    """Return the byte order marks that a kind may have; the first one is written."""
    if kind == "b" or (kind in "iu" and digits == "1"):
        return "|<>"
    return "|" if kind in "SVO" else "<>"


_V3_NAMES = {
    **{code: name for name, code in _NAMES.items()},
    "M": "numpy.datetime64",
    "m": "numpy.timedelta64",
    "S": "null_terminated_bytes",
    "U": "fixed_length_utf32",
    "V": "raw_bytes",
}
"""The v3 names by kind and size, or by kind alone if all sizes share a name."""


def v3_name(text: str) -> str | None:
    """Return the v3 name of a type string; None if it is invalid, or `|O`, which may mean several types.

    >>> v3_name("<u2"), v3_name("<M8[s]"), v3_name("|O"), v3_name("u2")
    ('uint16', 'numpy.datetime64', None, None)
    """
    parts = parse_typestr(text)
    return None if parts is None else _V3_NAMES.get(f"{parts.kind}{parts.size}") or _V3_NAMES.get(parts.kind)


def typestr_fault(value: Any, path: Path) -> Fault:
    """Return the fault of an unknown v2 dtype, with the correct spelling if there is one.

    >>> typestr_fault("i4", ("dtype",)).fix
    'write "<i4" or ">i4"'
    """
    expected = 'a type string such as "<f8" or "|u1", or a list of fields'
    fix = None
    if isinstance(value, str):
        text = _NAMES.get(value, value)
        found = _PATTERN.fullmatch(text)
        if found is not None:
            bare = text.lstrip("<>|=")
            marks = _marks(found[2], found[3])
            known = marks[:1] if marks[0] == "|" else marks
            if parse_typestr(known[0] + bare) is not None:
                fix = "write " + " or ".join(f'"{mark}{bare}"' for mark in known)
        elif _NAME.fullmatch(text) and text not in _PYTHON_NAMES:
            return Fault(V2_UNKNOWN_TYPE, path, expected, show(value))
    return Fault(V2_TYPESTR, path, expected, show(value), fix)


def without_order(text: str) -> str | None:
    """Return a type string of bytes or objects without its byte order; None for all others.

    >>> without_order(">S1"), without_order("|S1"), without_order(">f8")
    ('|S1', None, None)
    """
    bare = "|" + text[1:]
    return bare if text[:1] in {"<", ">"} and text[1:2] in {"S", "V", "O"} and parse_typestr(bare) else None


def order_fault(text: str, written: str, path: Path) -> Fault:
    """Return the fault of a byte order on a type that has none.

    >>> order_fault(">S1", "|S1", ("dtype",)).fix
    'write "|S1"'
    """
    return Fault(V2_UNORDERED, path, show(written), show(text), f"write {show(written)}")


def numeric_codes() -> list[str]:
    """Return the kinds and sizes of numbers and booleans, as type strings without byte order.

    >>> numeric_codes()[:4]
    ['b1', 'i1', 'i2', 'i4']
    """
    return [f"{kind}{size}" for kind in "biufc" for size in _SIZES[kind]]
