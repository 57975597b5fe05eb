"""Missing data, valid ranges and packing: CF 2.5.1 and 8.1.

https://cfconventions.org/cf-conventions/cf-conventions.html#missing-data
https://cfconventions.org/cf-conventions/cf-conventions.html#packed-data

Attributes in Zarr are JSON and have no data type. An attribute counts as having the type of its variable if
that type can represent its values.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from zom.checks.values import equal
from zom.conventions.cf.variable import INTEGERS, NUMBERS, TYPED, Variable, judged, listed, only
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS", "is_nan", "is_number", "is_whole", "representable", "without_fill", "without_nan_fill"]

_SPECIAL: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_FLOAT32: Final = 3.4028235677973366e38  # values from here on are nearer to infinity than to any float32


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number.

    >>> is_number(1.5), is_number(True), is_number("1")
    (True, False, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_whole(value: Any) -> TypeGuard[float]:
    """Whether a JSON value is a whole number, in any notation.

    >>> is_whole(2.0), is_whole(10**400), is_whole(2.5), is_whole(math.inf)
    (True, True, False, False)
    """
    return is_number(value) and (isinstance(value, int) or value.is_integer())


def representable(value: Any, dtype: str | None) -> bool:
    """Whether the data type can represent the value; true for types that can't be checked.

    >>> representable(-1, "uint8"), representable(-1.0, "int8"), representable("NaN", "float32")
    (False, True, True)
    """
    if dtype in INTEGERS:
        bits = int(dtype.lstrip("uint"))
        low, high = (0, 1 << bits) if dtype.startswith("u") else (-(1 << (bits - 1)), 1 << (bits - 1))
        return is_whole(value) and low <= value < high
    if dtype in {"float32", "float64"}:
        if isinstance(value, str):
            return value in _SPECIAL or _is_base64_float(value)
        return is_number(value) and (dtype == "float64" or not _FLOAT32 <= abs(value) < math.inf)
    if dtype in {"string", "fixed_length_utf32", "null_terminated_bytes"}:
        return isinstance(value, str)
    return True


def _is_base64_float(text: str) -> bool:
    """Whether it is a float fill value as xarray writes it to Zarr v3: the base64 of eight or four bytes."""
    try:
        return len(base64.b64decode(text, validate=True)) in {4, 8}
    except (binascii.Error, ValueError):
        return False


def is_nan(value: Any) -> bool:
    """Whether an attribute is NaN in one of its JSON notations.

    >>> is_nan("NaN"), is_nan(math.nan), is_nan("AAAAAAAA+H8="), is_nan("AAAAAAAA8D8=")
    (True, True, True, False)
    """
    if isinstance(value, float):
        return math.isnan(value)
    if value == "NaN":
        return True
    if not isinstance(value, str) or not _is_base64_float(value):
        return False
    data = base64.b64decode(value)
    return math.isnan(struct.unpack("<d" if len(data) == 8 else "<f", data)[0])


_MARKS: Final = ("_FillValue", "missing_value")


def without_fill(why: str) -> Any:
    """Make a check that no value of a variable is marked as missing; NaN needs no mark."""

    def check(variable: Variable) -> Iterator[Breach]:
        for name in _MARKS:
            value = variable.attributes.get(name, math.nan)
            if not is_nan(value):
                yield variable.breach(name, f"no {name}, as {why}", show(value))

    check.__name__ = check.__qualname__ = "without_fill"
    return check


def without_nan_fill(variable: Variable) -> Iterator[Breach]:
    """Check that no attribute marks NaN as missing."""
    for name in _MARKS:
        value = variable.attributes.get(name)
        if is_nan(value):
            yield variable.breach(name, f"no {name} of NaN", show(value))


def _same_type(name: str) -> Any:
    def check(variable: Variable) -> Iterator[Breach]:
        value = variable.attributes[name]
        for place, each in enumerate(listed(value)):
            if not representable(each, variable.dtype):
                path = ("attributes", name, place) if is_list(value) else ("attributes", name)
                yield variable.breach(path, f"a value of the type {variable.dtype}", show(each))

    check.__name__ = check.__qualname__ = f"{name}_has_the_type"
    return judged(check, where=TYPED, reach="document")


def _fill_is_scalar(variable: Variable) -> Iterator[Breach]:
    value = variable.attributes["_FillValue"]
    if is_list(value):
        yield variable.breach("_FillValue", "a single value", show(value))


def _two_ways(variable: Variable) -> Iterator[Breach]:
    others = [name for name in ("valid_min", "valid_max") if name in variable.attributes]
    if others:
        yield variable.breach(
            "valid_range",
            f"no valid_range in addition to {' and '.join(others)}",
            show(variable.attributes["valid_range"]),
        )


def _is_range(name: str) -> Any:
    def check(variable: Variable) -> Iterator[Breach]:
        value = variable.attributes[name]
        fits = is_list(value) and len(value) == 2 and all(map(is_number, value))
        if not fits:
            yield variable.breach(name, "a list of two numbers", show(value))
        elif value[0] > value[1]:
            yield variable.breach(name, "the smallest value before the largest", show(value))

    check.__name__ = check.__qualname__ = f"{name}_is_a_range"
    return judged(check, reach="document")


def _limits(variable: Variable) -> tuple[float, float]:
    attributes = variable.attributes
    low, high = attributes.get("valid_min", -math.inf), attributes.get("valid_max", math.inf)
    both = attributes.get("valid_range")
    if is_list(both) and len(both) == 2:
        low, high = both
    return (low if is_number(low) else -math.inf), (high if is_number(high) else math.inf)


@only("no valid range")
def _has_limits(variable: Variable) -> bool:
    return any(name in variable.attributes for name in ("valid_range", "valid_min", "valid_max"))


def _actual_is_valid(variable: Variable) -> Iterator[Breach]:
    value = variable.attributes["actual_range"]
    low, high = _limits(variable)
    for place, each in enumerate(listed(value)):
        if is_number(each) and not low <= each <= high:
            yield variable.breach(
                ("attributes", "actual_range", place), f"a value from {show(low)} to {show(high)}", show(each)
            )


def _fill_is_invalid(variable: Variable) -> Iterator[Breach]:
    fill = variable.attributes["_FillValue"]
    low, high = _limits(variable)
    if is_number(fill) and low <= fill <= high:
        yield variable.breach("_FillValue", f"a value outside {low} to {high}", show(fill))


def _same_fill(variable: Variable) -> Iterator[Breach]:
    missing, fill = variable.attributes["missing_value"], variable.attributes["_FillValue"]
    if not equal(missing, fill) and is_number(missing) and is_number(fill):
        yield variable.breach("missing_value", f"{show(fill)}, equal to _FillValue", show(missing))


def _packing(variable: Variable) -> Iterator[Breach]:
    for name in ("scale_factor", "add_offset"):
        value = variable.attributes.get(name, 0)
        if not is_number(value):
            yield variable.breach(name, "a number", show(value))


def _packed_type(variable: Variable) -> Iterator[Breach]:
    # Floats with attributes of their own type were allowed once, and JSON has no such types.
    if variable.dtype in {"int64", "uint64"} or variable.dtype not in NUMBERS:
        path = variable.node.dtype_path
        yield variable.breach(
            path,
            "a type of at most 32 bits: int8, uint8, int16, uint16, int32 or uint32",
            str(variable.dtype),
        )


@only("not packed")
def _is_packed(variable: Variable) -> bool:
    return "scale_factor" in variable.attributes or "add_offset" in variable.attributes


def _actual_type(variable: Variable) -> Iterator[Breach]:
    for place, each in enumerate(listed(variable.attributes["actual_range"])):
        if not representable(each, variable.dtype):
            yield variable.breach(
                ("attributes", "actual_range", place), f"a value of the type {variable.dtype}", show(each)
            )


CHECKS: Final[Functions] = {
    "fill-value-type": _same_type("_FillValue"),
    "fill-value-scalar": judged(_fill_is_scalar, reach="document"),
    "missing-value-type": _same_type("missing_value"),
    "missing-equals-fill": judged(_same_fill, reach="document"),
    "valid-range-alone": judged(_two_ways, reach="document"),
    "valid-range": _is_range("valid_range"),
    "fill-value-invalid": judged(_fill_is_invalid, where=_has_limits, reach="document"),
    "actual-range": _is_range("actual_range"),
    "actual-range-type": judged(
        _actual_type, where=only("the variable is packed")(lambda v: not _is_packed(v)), reach="document"
    ),
    "actual-range-valid": judged(_actual_is_valid, where=_has_limits, reach="document"),
    "packing": judged(_packing, where=_is_packed, reach="document"),
    "packed-type": judged(_packed_type, where=_is_packed, reach="document"),
}
