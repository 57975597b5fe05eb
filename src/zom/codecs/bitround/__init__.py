"""The `bitround` codec: numbers rounded to a few bits, so that they compress better.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/bitround
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from zom.codecs.bitround.rounding import BitRounding, round_floats, round_integers
from zom.codecs.cast_value.number_form import FloatForm, number_form
from zom.codecs.numcodecs.filter import stored_fill
from zom.errors import ExtensionError
from zom.extension.bound import Block
from zom.extension.codec import Codec, Elements, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import Interval
from zom.extension.resolve import parse_v3
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Array, Coder, Form
    from zom.extension.codec import Representation
    from zom.extension.datatype import DataType

__all__ = ["BitroundCodec", "BitroundConfiguration", "bitround"]

_SOURCE = "zarr-extensions, bitround codec"

TYPE = rule(
    "codec/bitround-type",
    "the bitround codec takes floats, complex numbers, integers and numpy times",
    source=f"{_SOURCE}, supported data types",
)
KEEPBITS = rule(
    "codec/bitround-keepbits",
    "keepbits is at most the number of bits of the mantissa, or of the integer: more have no effect",
    source=f"{_SOURCE}, configuration parameters: at least 1, and no upper limit",
    lenient="warning",
    strict="warning",
    closed="warning",
)

_MANTISSA = {
    "float16": 10,
    "float32": 23,
    "float64": 52,
    "bfloat16": 7,
    "complex_float16": 10,
    "complex_float32": 23,
    "complex_float64": 52,
    "complex_bfloat16": 7,
    "complex64": 23,
    "complex128": 52,
}
_INTEGERS = frozenset({"int", "uint", "datetime", "timedelta"})
_KINDS = _INTEGERS | {"float", "complex"}


class BitroundConfiguration(Configuration):
    """The number of bits to keep of the mantissa, or from the highest set bit of an integer."""

    keepbits: Annotated[int, Interval(1)]


class BitroundCodec(Codec):
    """`bitround`: array -> array."""

    name = "bitround"
    kind = "array->array"
    configuration = BitroundConfiguration

    def thread(
        self,
        configuration: BitroundConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return elements of the same shape and type, with the fill value rounded."""
        if not isinstance(before, Elements):
            return None
        data_type = before.data_type
        if data_type is None:
            return before
        if data_type.kind not in _KINDS:
            found = f"the data type {show(data_type.name)}"
            faults.append(Fault(TYPE, path, "a numeric data type", found))
            return before
        most = _most_bits(data_type)
        if most is not None and configuration.keepbits > most:
            expected = f"an integer from 1 to {most}, for {show(data_type.name)}"
            here = (*path, "configuration", "keepbits")
            faults.append(Fault(KEEPBITS, here, expected, show(configuration.keepbits)))
        keepbits = configuration.keepbits

        def rounded(array: Array) -> Array:
            # Look up the rounding here: an error for a type without one only makes the fill value unknown.
            return _rounding(data_type, keepbits)(array)

        fill = stored_fill(before, data_type, data_type, rounded)
        return Elements(before.lengths, data_type, fill)

    def bind(self, configuration: BitroundConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that rounds; decoding changes nothing."""
        if not isinstance(before, Block) or not isinstance(after, Block):
            raise ExtensionError("the bitround codec expects elements")
        return BitRounding(before.dtype, _rounding(before.data_type, configuration.keepbits))


def _rounding(data_type: DataType, keepbits: int) -> Callable[[Array], Array]:
    part = data_type
    if data_type.kind == "complex":
        name = {"complex64": "float32", "complex128": "float64"}.get(data_type.name)
        part = parse_v3(name or data_type.name.removeprefix("complex_"), []) or data_type
    form = number_form(part)
    if isinstance(form, FloatForm):
        floats = form
        return lambda values: round_floats(values, floats, keepbits)
    if form is None or data_type.numpy().kind not in "iumM":
        raise ExtensionError(f"the bitround codec can't round elements of {data_type.name}")
    return lambda values: round_integers(values, keepbits)


def _most_bits(data_type: DataType) -> int | None:
    if data_type.kind in _INTEGERS and data_type.itemsize is not None:
        return data_type.itemsize * 8
    return _MANTISSA.get(data_type.name)


bitround = codecs.register(BitroundCodec())
"""The `bitround` codec."""
