"""The codec `quantize`: floats with fewer decimal digits; `numcodecs.quantize` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/quantize.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.quantize
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from zom.codecs.numcodecs_dtype import StatedType, recast, typestr
from zom.model.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.model.configuration import Configuration

if TYPE_CHECKING:
    from zom.problems import Fault

__all__ = ["QuantizeConfiguration", "QuantizeV2Configuration", "quantize"]


class QuantizeV2Configuration(Configuration):
    """How many decimals stay (below 0: tens, hundreds), and the types before and after.

    >>> QuantizeV2Configuration(digits=2, dtype="float32").canonical()
    {'digits': 2, 'dtype': '<f4', 'astype': '<f4'}
    """

    digits: int
    dtype: StatedType
    astype: StatedType | None = None

    def canonical(self) -> dict[str, Any]:
        """All three members, the types as typestrs."""
        dtype = typestr(self.dtype)
        astype = dtype if self.astype is None else typestr(self.astype)
        return {"digits": self.digits, "dtype": dtype, "astype": astype}


class QuantizeConfiguration(QuantizeV2Configuration):
    """As above, with digits of at least 0, as the registered schema asks.

    >>> QuantizeConfiguration(digits=0, dtype="<f4").digits
    0
    """

    digits: Annotated[int, Field(ge=0)]


class Quantize(Codec):
    """Rounded floats, in a chunk of the same shape."""

    name = "numcodecs.quantize"
    kind: ClassVar[CodecKind] = "array->array"
    configuration = QuantizeConfiguration
    needs_configuration = True
    v2_id = "quantize"
    v2_configuration = QuantizeV2Configuration

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Elements | None:
        """Floats of the type that is stored."""
        if not isinstance(before, Elements):
            return None
        return recast(before, configuration, faults, path, kinds=("float",), words="a type of floats")


quantize = codecs.register(Quantize())
