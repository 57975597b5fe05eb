"""Which numbers a data type can represent: the integers of an interval, or floats with some digits.

`cast_value` needs these facts about both of its types; they are read from the types themselves.
"""

from __future__ import annotations

import importlib
import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from zom.dataclass import dataclass
from zom.errors import SpecError, ZomError
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.datatype import DataType

__all__ = ["FloatForm", "IntegerForm", "NumberForm", "number_form"]

_INTEGER_NAME = re.compile(r"(u?)int(\d+)")
NAT = -(1 << 63)
"""The ticks of NaT."""


@dataclass(frozen=True, slots=True)
class IntegerForm:
    """The integers from `low` to `high`; with `time`, also NaT."""

    low: int
    high: int
    bits: int
    time: bool = False


@dataclass(frozen=True, slots=True)
class FloatForm:
    """Multiples of powers of two: `digits` bits after the first one, and no power below 2 to the `lowest`."""

    digits: int
    lowest: int
    largest: float
    least: float
    """The minimum: the negated `largest`, unless the type has no sign."""
    infinite: bool
    """Whether the type has infinities."""
    nan: Any
    """The NaN used for all NaNs, as a scalar of the type; None if the type has none."""

    @property
    def powers(self) -> bool:
        """Whether the numbers are powers of two, without zero and without a sign (`float8_e8m0fnu`)."""
        return self.least > 0


NumberForm: TypeAlias = IntegerForm | FloatForm
"""The numbers of a type."""


@lru_cache(maxsize=128)
def number_form(data_type: DataType) -> NumberForm | None:
    """Return the numbers of a type; None if it holds no real numbers or numpy can't represent it.

    >>> import zom.dtypes
    >>> from zom.extension.resolve import parse_v3
    >>> number_form(parse_v3("int8", []))
    IntegerForm(low=-128, high=127, bits=8, time=False)
    >>> number_form(parse_v3("float16", [])).largest
    65504.0
    """
    if data_type.kind in {"datetime", "timedelta"}:
        return IntegerForm(NAT + 1, (1 << 63) - 1, 64, time=True)
    found = _INTEGER_NAME.fullmatch(data_type.name)
    if found is not None:
        bits = int(found[2])
        low = 0 if found[1] else -(1 << (bits - 1))
        return IntegerForm(low, low + (1 << bits) - 1, bits)
    return _float_form(data_type) if data_type.kind == "float" else None


def _float_form(data_type: DataType) -> FloatForm | None:
    try:
        dtype = data_type.numpy()
    except ZomError:
        return None
    facts: Any
    if issubclass(cast("type", dtype.type), np.floating):
        facts = np.finfo(cast("Any", dtype))
    else:
        # ml_dtypes is installed, as `dtype` is its type.
        facts = getattr(importlib.import_module("ml_dtypes"), "finfo")(dtype)  # noqa: B009
    lowest = math.frexp(float(facts.smallest_subnormal))[1] - 1
    largest = float(facts.max)
    infinity, nan = _special(data_type, math.inf), _special(data_type, math.nan)
    least = float(facts.min)
    return FloatForm(int(facts.nmant), lowest, largest, least, infinity is not None, nan)


def _special(data_type: DataType, value: float) -> Any:
    try:
        return data_type.cast(value)
    except SpecError:
        return None
