"""The codec `quantize`: floats with fewer decimal digits; `numcodecs.quantize` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/quantize.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.quantize
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from zom.codecs.numcodecs.dtype import StatedType, recast, stated_type, typestr
from zom.codecs.numcodecs.filter import Filter, blocks_of, stored_fill
from zom.errors import CodecError, ExtensionError
from zom.extension.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.extension.configuration import ENCODING, Configuration
from zom.extension.element_memory import index_text
from zom.extension.field import Interval
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.bound import Array, Coder, Form
    from zom.problems import Fault, Path

__all__ = ["QuantizeConfiguration", "QuantizeV2Configuration", "quantize"]


class QuantizeV2Configuration(Configuration):
    """The number of decimals to keep (below 0: tens, hundreds), and the types before and after encoding.

    >>> QuantizeV2Configuration(digits=2, dtype="float32").canonical()
    {'digits': 2, 'dtype': '<f4', 'astype': '<f4'}
    """

    digits: int
    dtype: StatedType
    astype: StatedType | None = None

    def canonical(self) -> dict[str, Any]:
        """Return all three members, with types as typestrs."""
        dtype = typestr(self.dtype)
        astype = dtype if self.astype is None else typestr(self.astype)
        return {"digits": self.digits, "dtype": dtype, "astype": astype}


class QuantizeConfiguration(QuantizeV2Configuration):
    """Like `QuantizeV2Configuration`, with `digits` of at least 0, as the registered schema requires.

    >>> QuantizeConfiguration(digits=0, dtype="<f4").digits
    0
    """

    # Decoding doesn't need `digits`.
    digits: Annotated[int, Interval(0, rule=ENCODING)]


class Quantize(Codec):
    """Rounded floats, in a chunk of the same shape."""

    name = "numcodecs.quantize"
    kind: ClassVar[CodecKind] = "array->array"
    configuration = QuantizeConfiguration
    v2_id = "quantize"
    v2_configuration = QuantizeV2Configuration

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return floats of the stored type."""
        if not isinstance(before, Elements):
            return None
        after = recast(before, configuration, faults, path, kinds=("float",), words="a type of floats")
        taken = stated_type(configuration.dtype, [], ())
        digits: int = configuration.digits
        return replace(
            after, fill=stored_fill(before, taken, after.data_type, lambda array: _quantized(array, digits))
        )

    def bind(self, configuration: QuantizeV2Configuration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a filter that rounds to a power of two finer than the digits; decoding is a cast."""
        block, stored = blocks_of(self.name, before, after)
        taken = stated_type(configuration.dtype, [], ()) or block.data_type
        if taken.kind != "float" or stored.data_type.kind != "float":
            raise ExtensionError("quantize rounds only floats")
        digits, scale = configuration.digits, _scale(configuration.digits)
        there, back = stored.dtype, taken.numpy()

        def forward(array: Array) -> Array:
            with np.errstate(over="ignore", invalid="ignore"):
                made = _quantized(array, digits).astype(there, copy=False)
            _check_finite(array, made, scale, block.shape)
            return made

        return Filter(block, taken, stored, forward, lambda array: array.astype(back, copy=False))


def _quantized(array: Array, digits: int) -> Array:
    scale = _scale(digits)
    made: Array = np.around(scale * array) / scale
    return made


def _check_finite(array: Array, made: Array, scale: float, shape: tuple[int, ...]) -> None:
    lost = ~np.isfinite(made)
    if lost.any() and (lost := lost & np.isfinite(array)).any():
        place = int(np.argmax(lost))
        where = index_text(place, shape if math.prod(shape) == array.size else array.shape)
        raise CodecError(
            f"expected a float that is finite if multiplied by {scale}, found {array[place]!s}{where}"
        )


def _scale(digits: int) -> float:
    """Return numcodecs' scale, calculated in the same steps for identical bits."""
    try:
        exponent = math.log10(10.0**-digits)
        whole = math.floor(exponent) if exponent < 0 else math.ceil(exponent)
        return 2.0 ** math.ceil(math.log2(10.0**-whole))
    except (ValueError, OverflowError):
        raise ExtensionError(f"floats can't keep {digits} decimal digits") from None


quantize = codecs.register(Quantize())
