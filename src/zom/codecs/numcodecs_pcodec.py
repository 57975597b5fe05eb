"""The codec `pcodec`: numbers, losslessly and small; `numcodecs.pcodec` in v3.

https://numcodecs.readthedocs.io/en/stable/compression/pcodec.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.pcodec
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic reads the annotation
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from zom.codecs.numcodecs_dtype import KIND
from zom.model.codec import Bytes, Codec, CodecKind, Elements, Representation, codecs
from zom.model.configuration import Configuration
from zom.problems import Fault

if TYPE_CHECKING:
    from typing import Self

__all__ = ["PcodecConfiguration", "pcodec"]

# Dates are handed to it as the integers that they are.
_TYPES = frozenset(
    {"uint16", "uint32", "uint64", "int16", "int32", "int64", "float16", "float32", "float64"}
    | {"numpy.datetime64", "numpy.timedelta64"}
)


class PcodecConfiguration(Configuration):
    """How pcodec looks for structure; only the writer needs it.

    `no_op` is what `none` is called since numcodecs 0.17.

    >>> PcodecConfiguration().equal_pages_up_to
    262144
    """

    strict_schema: ClassVar[Mapping[str, Any]] = {
        "if": {
            "properties": {"delta_encoding_order": {"type": "integer"}},
            "required": ["delta_encoding_order"],
        },
        "then": {"properties": {"delta_spec": {"enum": ["auto", "try_consecutive"]}}},
    }

    level: Annotated[int, Field(ge=0, le=12)] = 8
    mode_spec: Literal["auto", "classic"] = "auto"
    delta_spec: Literal["auto", "none", "no_op", "try_consecutive", "try_lookback"] = "auto"
    paging_spec: Literal["equal_pages_up_to"] = "equal_pages_up_to"
    delta_encoding_order: Annotated[int, Field(ge=0, le=7)] | None = None
    equal_pages_up_to: Annotated[int, Field(ge=1)] = 262144

    @model_validator(mode="after")
    def _order_is_used(self) -> Self:
        if self.delta_encoding_order is not None and self.delta_spec not in {"auto", "try_consecutive"}:
            raise ValueError('a delta_encoding_order only with the delta_spec "auto" or "try_consecutive"')
        return self


class Pcodec(Codec):
    """A pcodec file, which knows its own type and length."""

    name = "numcodecs.pcodec"
    kind: ClassVar[CodecKind] = "array->bytes"
    configuration = v2_configuration = PcodecConfiguration
    v2_id = "pcodec"

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Bytes:
        """Bytes, of any number."""
        del configuration
        if isinstance(before, Elements) and before.data_type is not None:
            name = before.data_type.name
            if name not in _TYPES:
                faults.append(Fault(KIND, path, "integers or floats of 16, 32 or 64 bits", name))
        return Bytes()


pcodec = codecs.register(Pcodec())
