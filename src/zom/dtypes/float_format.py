"""Floating point formats: convert between numbers, bit patterns and fill values, bit for bit.

Numbers are rounded to the nearest value, ties to even (Zarr v3 core, fill value). A pattern is never
converted to a Python float and back, as that would quieten signalling NaNs.
"""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from zom.dataclass import dataclass
from zom.extension.fill_value import (
    INFINITY,
    NO_ZERO,
    RANGE,
    ROUNDED,
    WIDTH,
    refuse_type,
)
from zom.extension.patterns import either, hexadecimal, whole
from zom.patterns import compiled_later
from zom.problems import Fault, Path, one_of_words, show

if TYPE_CHECKING:
    from zom.extension.notation import Notation
    from zom.json.value import JSON

__all__ = ["FORMATS", "FloatFormat", "float_schema", "is_plain_float", "parse_float", "write_float"]

_HEX = re.compile(r"0x[0-9a-fA-F]+")
_LOOSE = compiled_later(
    r"\s*[+-]?(nan|inf|infinity|[0-9]+\.?[0-9]*(e[+-]?[0-9]+)?|\.[0-9]+(e[+-]?[0-9]+)?)\s*", re.IGNORECASE
)
_WORDS = ("NaN", "Infinity", "-Infinity")
_FAST = {"float16": "e", "float32": "f", "float64": "d"}


@dataclass(frozen=True, repr=False)
class FloatFormat:
    """The bits of one floating point type.

    `family` is the kind of special values: "ieee" has infinities and NaN; "fn" has one NaN pattern for
    each sign and no infinity; "fnuz" has one NaN in place of -0; "finite" has only numbers;
    "unsigned" has only an exponent.

    >>> hex(FORMATS["bfloat16"].encode(1.0))
    '0x3f80'
    """

    name: str
    exponent: int
    mantissa: int
    bias: int
    family: Literal["ieee", "fn", "fnuz", "finite", "unsigned"] = "ieee"

    def __repr__(self) -> str:
        return f"FORMATS[{self.name!r}]"

    @cached_property
    def bits(self) -> int:
        """The number of bits, without padding."""
        return self.exponent + self.mantissa + (self.family != "unsigned")

    @cached_property
    def size(self) -> int:
        """The size of one value in bytes."""
        return (self.bits + 7) // 8

    @cached_property
    def mask(self) -> int:
        """The mask of all bits, without padding."""
        return (1 << self.bits) - 1

    @cached_property
    def sign(self) -> int:
        """The sign bit; 0 if there is none."""
        return 0 if self.family == "unsigned" else 1 << (self.bits - 1)

    @cached_property
    def infinity(self) -> int | None:
        """The pattern of positive infinity, or None."""
        return ((1 << self.exponent) - 1) << self.mantissa if self.family == "ieee" else None

    @cached_property
    def nan(self) -> int | None:
        """The pattern of "NaN", or None."""
        if self.infinity is not None:
            return self.infinity | 1 << (self.mantissa - 1)
        return {"fn": self.sign - 1, "fnuz": self.sign, "unsigned": self.mask}.get(self.family)

    @cached_property
    def largest(self) -> int:
        """The pattern of the largest finite value."""
        if self.infinity is not None:
            return self.infinity - 1
        if self.family == "unsigned":
            return self.mask - 1
        return self.sign - (2 if self.family == "fn" else 1)

    @cached_property
    def _codes(self) -> tuple[str, str] | None:
        code = _FAST.get(self.name)
        return None if code is None else (f"<{code}", {2: "<H", 4: "<I", 8: "<Q"}[self.size])

    def is_nan(self, pattern: int) -> bool:
        """Whether `pattern` is any NaN."""
        if self.infinity is not None:
            return pattern & (self.sign - 1) > self.infinity
        if self.family == "fn":
            return pattern & (self.sign - 1) == self.nan
        return pattern == self.nan

    def is_infinite(self, pattern: int) -> bool:
        """Whether `pattern` is positive or negative infinity."""
        return self.infinity is not None and pattern & (self.sign - 1) == self.infinity

    def encode(self, value: float) -> int | None:
        """Return the pattern nearest to `value`, or None if the format can't represent it."""
        if isinstance(value, float) and not math.isfinite(value):
            if math.isnan(value):
                return self.nan
            return None if self.infinity is None else self.infinity | (self.sign if value < 0 else 0)
        if self._codes is not None and (isinstance(value, float) or abs(value) <= 1 << 53):
            number, integer = self._codes
            try:
                return int(struct.unpack(integer, struct.pack(number, float(value)))[0])
            except OverflowError:
                return (self.infinity or 0) | (self.sign if value < 0 else 0)
        return self._round(value)

    def _round(self, value: float) -> int | None:
        negative = math.copysign(1.0, value) < 0 if isinstance(value, float) else value < 0
        size = abs(Fraction(value))
        if self.family == "unsigned":
            return self._round_unsigned(size) if size and not negative else None
        lowest = 1 - self.bias
        power = lowest
        if size:
            power = size.numerator.bit_length() - size.denominator.bit_length()
            power = max(lowest, power - (Fraction(2) ** power > size))
        # A carry out of the mantissa increments the exponent, which is correct when rounding up.
        pattern = ((power - lowest) << self.mantissa) + round(size / Fraction(2) ** (power - self.mantissa))
        if pattern > self.largest:
            if self.infinity is None:
                return None
            pattern = self.infinity
        if self.family == "fnuz" and pattern == 0:
            return 0
        return pattern | (self.sign if negative else 0)

    def _round_unsigned(self, size: Fraction) -> int | None:
        power = size.numerator.bit_length() - size.denominator.bit_length()
        power -= Fraction(2) ** power > size
        power += size / Fraction(2) ** power > Fraction(3, 2)
        return power + self.bias if 0 <= power + self.bias <= self.largest else None

    def decode(self, pattern: int) -> float:
        """Return the number for `pattern`; a NaN loses its payload."""
        if self.is_nan(pattern):
            return math.nan
        negative = bool(pattern & self.sign)
        size = pattern & (self.sign - 1) if self.sign else pattern
        if self.is_infinite(pattern):
            return -math.inf if negative else math.inf
        if self.family == "unsigned":
            return math.ldexp(1.0, size - self.bias)
        exponent, fraction = size >> self.mantissa, size & ((1 << self.mantissa) - 1)
        if exponent:
            fraction |= 1 << self.mantissa
        number = math.ldexp(fraction, max(exponent, 1) - self.bias - self.mantissa)
        return -number if negative else number

    def shortest(self, pattern: int) -> float:
        """Return the number with the fewest digits that encodes to `pattern`."""
        number = self.decode(pattern)
        if self.size < 8:
            for digits in range(17):
                short = float(f"{number:.{digits}e}")
                if self.encode(short) == pattern:
                    return short
        return number


FORMATS = {
    made.name: made
    for made in (
        FloatFormat("float16", 5, 10, 15),
        FloatFormat("float32", 8, 23, 127),
        FloatFormat("float64", 11, 52, 1023),
        FloatFormat("bfloat16", 8, 7, 127),
        FloatFormat("float8_e3m4", 3, 4, 3),
        FloatFormat("float8_e4m3", 4, 3, 7),
        FloatFormat("float8_e4m3fn", 4, 3, 7, "fn"),
        FloatFormat("float8_e4m3fnuz", 4, 3, 8, "fnuz"),
        FloatFormat("float8_e4m3b11fnuz", 4, 3, 11, "fnuz"),
        FloatFormat("float8_e5m2", 5, 2, 15),
        FloatFormat("float8_e5m2fnuz", 5, 2, 16, "fnuz"),
        FloatFormat("float8_e8m0fnu", 8, 0, 127, "unsigned"),
        FloatFormat("float4_e2m1fn", 2, 1, 1, "finite"),
        FloatFormat("float6_e2m3fn", 2, 3, 1, "finite"),
        FloatFormat("float6_e3m2fn", 3, 2, 3, "finite"),
    )
}
"""All formats by data type name."""


def _words(made: FloatFormat, notation: Notation) -> str:
    words = ["a number"]
    if made.nan is not None:
        words.append('"NaN"')
    if made.infinity is not None:
        words += [f'"{notation.infinity}"', '"-Infinity"']
    if notation.float_patterns:
        words.append(f'"0x" and {2 * made.size} hexadecimal digits')
    return one_of_words(words)


def is_plain_float(made: FloatFormat, value: JSON, notation: Notation) -> bool:
    """Whether `value` is a number, or a word for one, that `parse_float` accepts without a fault.

    >>> from zom.extension.notation import NOTATIONS
    >>> [is_plain_float(FORMATS["float16"], each, NOTATIONS["v3"]) for each in (1.5, "NaN", "nan", 1e9, True)]
    [True, True, False, False, False]
    """
    if type(value) is not int and type(value) is not float and value not in _WORDS:
        return False
    faults: list[Fault] = []
    return parse_float(made, value, notation, faults, ()) is not None and not faults


def parse_float(
    made: FloatFormat, value: Any, notation: Notation, faults: list[Fault], path: Path
) -> int | None:
    """Return the bit pattern of a JSON `value`; return None and add a fault if it is invalid.

    >>> from zom.extension.notation import NOTATIONS
    >>> hex(parse_float(FORMATS["float32"], "0x7fa00000", NOTATIONS["v3"], [], ()))
    '0x7fa00000'
    """
    if type(value) is float or type(value) is int:
        pattern = made.encode(value)
        if pattern is None and value == 0:
            faults.append(Fault(NO_ZERO, path, f"a number that {made.name} holds", show(value)))
            return 0
        if pattern is None:
            largest = made.shortest(made.largest)
            faults.append(
                Fault(RANGE, path, f"a number that {made.name} holds, up to {largest}", show(value))
            )
        elif made.is_infinite(pattern) and not (isinstance(value, float) and math.isinf(value)):
            largest = made.shortest(made.largest)
            faults.append(Fault(ROUNDED, path, f"a number of at most {largest}", show(value)))
        return pattern
    if isinstance(value, str):
        if _HEX.fullmatch(value) and notation.float_patterns:
            return _read_hex(made, value, faults, path)
        if value in {"NaN", "Infinity", "-Infinity", "+Infinity"}:
            return _read_word(made, value, notation, faults, path)
        if notation.float_text is not None and _LOOSE.fullmatch(value):
            pattern = made.encode(float(value))
            if pattern is not None:
                faults.append(Fault(notation.float_text, path, _words(made, notation), show(value)))
                return pattern
    refuse_type(_words(made, notation), value, faults, path)
    return None


def _read_word(
    made: FloatFormat, value: str, notation: Notation, faults: list[Fault], path: Path
) -> int | None:
    pattern = made.encode(float(value))
    if pattern is None:
        faults.append(Fault(RANGE, path, _words(made, notation), show(value)))
    elif value in {"Infinity", "+Infinity"} and value != notation.infinity:
        wanted = f'"{notation.infinity}"'
        expected = wanted if notation.other_infinity is INFINITY else _words(made, notation)
        faults.append(Fault(notation.other_infinity, path, expected, show(value), f"write {wanted}"))
    return pattern


def _read_hex(made: FloatFormat, value: str, faults: list[Fault], path: Path) -> int | None:
    if len(value) != 2 + 2 * made.size:
        expected = f'"0x" and {2 * made.size} hexadecimal digits'
        faults.append(Fault(WIDTH, path, expected, show(value)))
        return None
    return int(value, 16) & made.mask


def float_schema(made: FloatFormat, notation: Notation) -> dict[str, Any]:
    """Return a JSON Schema of the values that `parse_float` accepts at the level "strict".

    >>> from zom.extension.notation import NOTATIONS
    >>> float_schema(FORMATS["float4_e2m1fn"], NOTATIONS["v2"])
    {'type': 'number', 'exclusiveMaximum': 7.0, 'exclusiveMinimum': -7.0}
    """
    words = list(notation.infinities) if made.infinity is not None else []
    if made.nan is not None:
        words.insert(0, "NaN")
    pattern = either(words)
    if notation.float_patterns:
        pattern = "|".join(part for part in (pattern, hexadecimal(made.size)) if part)
    numbers: dict[str, Any] = {"type": "number", **_bounds(made)}
    if not pattern:
        return numbers
    return {"if": {"type": "string"}, "then": {"type": "string", "pattern": whole(pattern)}, "else": numbers}


def _bounds(made: FloatFormat) -> dict[str, float]:
    """Return the bounds of numbers that round to a finite value; {} if larger ones become infinite."""
    if made.infinity is not None:
        return {}
    largest = made.decode(made.largest)
    if made.family == "unsigned":
        # Ties are rounded down, to an even mantissa.
        return {"exclusiveMinimum": made.decode(0) * 0.75, "maximum": largest * 1.5}
    bound = largest + (largest - made.decode(made.largest - 1)) / 2
    if made.encode(bound) is None:
        return {"exclusiveMaximum": bound, "exclusiveMinimum": -bound}
    return {"maximum": bound, "minimum": -bound}


def write_float(made: FloatFormat, pattern: int, notation: Notation) -> JSON:
    """Return the canonical spelling of `pattern`; v2 can't represent the payload of a NaN.

    >>> from zom.extension.notation import NOTATIONS
    >>> write_float(FORMATS["float32"], 0x3DCCCCCD, NOTATIONS["v3"])
    0.1
    """
    if made.is_nan(pattern):
        plain = pattern == made.nan or not notation.float_patterns
        return "NaN" if plain else f"0x{pattern:0{2 * made.size}x}"
    if made.is_infinite(pattern):
        return "-Infinity" if pattern & made.sign else notation.infinity
    return made.shortest(pattern)
