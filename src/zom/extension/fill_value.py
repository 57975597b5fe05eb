"""Fill values: the rules that all data types share, and the parsing of numbers and base64.

Zarr v3 core, "Fill value"; Zarr v2, "Fill value encoding"; the draft, "fill_value". If readers
disagree, a value with only one possible meaning is read with a warning, and never written.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from zom.errors import ZomError
from zom.extension.answer import at_fault
from zom.extension.configuration import INTEGER_LITERAL, integral
from zom.extension.patterns import BASE64 as BASE64_PATTERN
from zom.patterns import compiled_later
from zom.problems import Fault, Path, cause_text, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.datatype import DataType, Format
    from zom.extension.notation import Notation
    from zom.json.value import JSON
    from zom.problems import Rule

__all__ = ["LaterScalar", "no_fill", "parse_base64", "parse_int", "refuse_type", "restate", "scalar_of"]

_BASE64 = compiled_later(BASE64_PATTERN)
_INTEGER = re.compile("-?(?:0|[1-9][0-9]{0,19})")

_V3 = "Zarr v3 core, fill value"
_V2 = "Zarr v2, fill value encoding"

TYPE = rule("fill-value/type", "a fill value is spelled as its data type requires", source=_V3, schema=True)
RANGE = rule("fill-value/range", "a fill value is within the range of its data type", source=_V3, schema=True)
LENGTH = rule(
    "fill-value/length",
    "a fill value has a length that its data type allows",
    source=_V2,
)
NULL = rule(
    "fill-value/null",
    "a fill value is defined, not null, except in v2",
    source=_V3 + "; the draft, fill_value",
    lenient="warning",
    schema=True,
)
FRACTION = rule(
    "fill-value/fraction",
    "an integer has no fraction and no exponent",
    source=_V3,
    lenient="warning",
    strict="warning",
    closed="warning",
)
ROUNDED = rule(
    "fill-value/rounded-to-infinity",
    "a fill value is not so large that rounding makes it infinite",
    source=_V3 + ": numbers are rounded to the nearest value",
    lenient="warning",
    strict="warning",
    closed="warning",
)
INFINITY = rule(
    "fill-value/infinity-spelling",
    'positive infinity is "Infinity" in v3 and "+Infinity" in the draft',
    source=_V3 + "; the draft, fill_value",
    lenient="warning",
    strict="warning",
    closed="warning",
)
FLOAT_TEXT = rule(
    "fill-value/float-text",
    'a v2 float that is not a JSON number is "NaN", "Infinity" or "-Infinity"',
    source=_V2,
    lenient="warning",
    schema=True,
)
WIDTH = rule(
    "fill-value/width",
    "a hexadecimal or binary fill value has exactly as many digits as its data type has bits",
    source=_V3 + "; the draft, fill_value",
)
NUMBER_TEXT = rule(
    "fill-value/number-text",
    "a number is written as a number, not as text",
    source=_V3,
    lenient="warning",
    schema=True,
)
NUMBER_FOR_BOOL = rule(
    "fill-value/number-for-bool",
    "a boolean is true or false, not 1 or 0",
    source=_V3,
    lenient="warning",
    schema=True,
)
NO_ZERO = rule(
    "fill-value/no-zero",
    "a type without zero has a fill value other than 0; 0 is read as its smallest number, like in tensorstore",
    source="zarr-extensions, data type float8_e8m0fnu",
    lenient="warning",
    schema=True,
)
SHORT = rule(
    "fill-value/short-base64",
    "base64 of raw bits or of fields has as many bytes as an element; missing bytes are read as zeros",
    source=_V2,
    lenient="warning",
)
SHORT_TEXT = rule(
    "fill-value/short-text",
    "base64 of text has as many bytes as an element; zarr-python omits zeros at the end, tensorstore doesn't",
    source=_V2,
    lenient=None,
    strict="note",
    closed="note",
)
BASE64 = rule("fill-value/base64", "bytes are spelled in standard base64", source=_V2, schema=True)
PLAIN_TEXT = rule(
    "fill-value/plain-text",
    "a v2 byte string is spelled in base64, not as plain text",
    source=_V2,
    lenient="warning",
    schema=True,
)
ZERO = rule(
    "fill-value/zero-for-bytes",
    "a v2 fill value of bytes is spelled in base64, not as 0",
    source=_V2,
    lenient="warning",
    schema=True,
)
RAW_BASE64 = rule(
    "fill-value/raw-base64",
    "a v3 fill value of raw bits is a list with one integer for each byte",
    source=_V3,
    lenient="warning",
    strict="warning",
    closed="warning",
)
STRUCT_BASE64 = rule(
    "fill-value/structured-base64",
    "a fill value of fields is an object; base64 is only read from older arrays",
    source="zarr-extensions, structured data type: legacy compatibility",
    lenient="warning",
    strict="warning",
    closed="warning",
)
STRUCT_TEXT = rule(
    "fill-value/struct-base64",
    "a fill value of a struct is an object, not base64; zarr-python reads both",
    source="zarr-extensions, struct data type: fill value representation",
    lenient="warning",
    schema=True,
)
STRUCT_OBJECT = rule(
    "fill-value/struct-object",
    "a v2 fill value of fields is spelled in base64, not as an object",
    source=_V2,
    lenient="warning",
    schema=True,
)
FIELD = rule(
    "fill-value/field",
    "a fill value of fields names every field once, and nothing else",
    source="zarr-extensions, struct data type: fill value representation",
    lenient="warning",
)
INNER = rule(
    "fill-value/inner",
    "a value inside a fill value, or in a codec's configuration, is spelled as its data type requires",
    source=_V3 + "; zarr-extensions, struct, scale_offset and cast_value",
)
INNER_TOLERATED = rule(
    "fill-value/inner-tolerated",
    "a value inside a fill value, or in a codec's configuration, has its current spelling, not an old one",
    source=_V3 + "; zarr-extensions, struct, scale_offset and cast_value",
    lenient="warning",
)
CAST = rule("fill-value/cast", "a value given from Python fits its data type without loss", source="zom")


class LaterScalar:
    """A scalar created on first use, so that reading documents needs neither scalars nor numpy.

    >>> LaterScalar(lambda: 7).get()
    7
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    def get(self) -> Any:
        """Return the scalar."""
        if self._made is None:
            self._made = self._make()
        return self._made


def scalar_of(data_type: DataType, value: JSON, form: Format, faults: list[Fault], path: Path) -> Any:
    """Like `data_type.parse_fill`, but return a `LaterScalar` if `value` is known to have no fault."""
    try:
        if data_type.is_plain_fill(value, form):
            return LaterScalar(lambda: data_type.parse_fill(value, form, [], path))
        return data_type.parse_fill(value, form, faults, path)
    except (ZomError, MemoryError, RecursionError):
        raise
    except Exception as cause:
        found = f"the fill value {show(value)} raised {cause_text(cause)}"
        raise at_fault(f"<data type {data_type.name}>", found) from cause


def restate(
    faults: list[Fault],
    start: int,
    firm: Rule = INNER,
    tolerant: Rule = INNER_TOLERATED,
    kept: Rule | None = None,
) -> None:
    """Change the rules of the faults from `start` on to those for nested values.

    JSON Schema can check a fill value against the data type beside it, but it doesn't know the type of a
    nested value. So breaches by nested values need other rule codes.

    >>> faults = []
    >>> refuse_type("text", 1, faults, ("fill_value", "name"))
    >>> restate(faults, 0); faults[0].rule.code
    'fill-value/inner'
    """
    for place, fault in enumerate(faults[start:], start):
        if fault.rule.schema and fault.rule is not kept and fault.rule.strict == "error":
            other = tolerant if fault.rule.lenient == "warning" else firm
            faults[place] = fault._replace(rule=other)


def refuse_type(expected: str, value: Any, faults: list[Fault], path: Path, *, integers: str = "") -> None:
    """Add the fault of a fill value of the wrong JSON type.

    `integers` are the integers that are valid here; one written with a fraction, as 0.0, has its own rule.

    >>> faults = []
    >>> refuse_type("true or false", 2, faults, ("fill_value",)); faults[0].found
    '2'
    """
    misspelled = integral(value) and str(int(value)) in integers
    faults.append(Fault(INTEGER_LITERAL if misspelled else TYPE, path, expected, show(value)))


def no_fill(data_type: DataType, notation: Notation, faults: list[Fault], path: Path) -> Any:
    """Return the scalar of a null fill value: None in v2, the default with a fault in other formats.

    >>> from zom.extension.resolve import data_type
    >>> from zom.extension.notation import NOTATIONS
    >>> no_fill(data_type("int8"), NOTATIONS["v2"], [], ()) is None
    True
    """
    if notation.null:
        return None
    faults.append(Fault(NULL, path, f"a value of type {data_type.name}", "null"))
    return data_type.default()


def parse_int(
    span: tuple[int, int], value: Any, notation: Notation, faults: list[Fault], path: Path
) -> int | None:
    """Parse `value` as an integer in `span`; return None and add a fault if it is invalid.

    >>> from zom.extension.notation import NOTATIONS
    >>> parse_int((0, 255), 7, NOTATIONS["v3"], [], ())
    7
    """
    if type(value) is int:
        if span[0] <= value <= span[1]:
            return value
    elif type(value) is float and value.is_integer():
        whole = int(value)
        if span[0] <= whole <= span[1]:
            if not notation.fractions:
                expected = "an integer without fraction or exponent"
                faults.append(Fault(FRACTION, path, expected, show(value), f"write {whole}"))
            return whole
    elif isinstance(value, str) and notation.int_text is not None and _INTEGER.fullmatch(value):
        whole = int(value)
        if span[0] <= whole <= span[1]:
            expected = f"an integer from {span[0]} to {span[1]}"
            faults.append(Fault(notation.int_text, path, expected, show(value), f"write {whole}"))
            return whole
    number = type(value) is int or type(value) is float
    expected = f"an integer from {span[0]} to {span[1]}"
    faults.append(Fault(RANGE if number else TYPE, path, expected, show(value)))
    return None


def parse_base64(value: str, size: int | None, faults: list[Fault], path: Path) -> bytes | None:
    """Decode base64 text to at most `size` bytes; return None and add a fault if it is invalid.

    >>> parse_base64("YWI=", 4, [], ())
    b'ab'
    """
    # Python's own decoder accepts too much padding, up to 3.12.
    if not _BASE64.match(value):
        faults.append(Fault(BASE64, path, "text in standard base64", show(value)))
        return None
    raw = base64.b64decode(value)
    if size is not None and len(raw) > size:
        faults.append(Fault(LENGTH, path, f"base64 of at most {size} bytes", f"{len(raw)} bytes"))
        return None
    return raw
