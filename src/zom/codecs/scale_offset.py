"""The `scale_offset` codec: (x - offset) * scale, in the arithmetic of the elements' type.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/blob/main/codecs/scale_offset/README.md
Both numbers are written like fill values of the type. The defaults are an offset of 0 and a scale of 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from zom.codecs.cast_value.scalar_cast import number
from zom.codecs.shift import FloatShift, IntegerShift
from zom.errors import ExtensionError, SpecError
from zom.extension.bound import Block
from zom.extension.codec import Codec, Elements, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import OrAbsent
from zom.extension.fill_value import restate
from zom.numpy_later import np
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form
    from zom.extension.codec import Representation
    from zom.extension.datatype import DataType

__all__ = ["ScaleOffsetCodec", "ScaleOffsetConfiguration", "scale_offset"]

_SOURCE = "zarr-extensions, scale_offset codec"

TYPE = rule(
    "codec/scale-offset-type",
    "the scale_offset codec takes data types that can be added and multiplied",
    source=f"{_SOURCE}, first section",
)
ZERO = rule(
    "codec/scale-offset-zero",
    "the scale is not zero: decoding divides by it",
    source=f"{_SOURCE}, algorithm",
    lenient="warning",
)
FILL = rule(
    "codec/scale-offset-fill",
    "the fill value can be shifted and scaled within its data type",
    source=f"{_SOURCE}, algorithm",
)

_KINDS = frozenset({"int", "uint", "float", "complex", "timedelta", "datetime"})


Scalar: TypeAlias = int | float | str | list[Any]
"""The JSON types of numeric fill values; the data type restricts them further."""


class ScaleOffsetConfiguration(Configuration):
    """The offset that is subtracted first, and the scale that the difference is multiplied by."""

    offset: OrAbsent[Scalar] = None
    scale: OrAbsent[Scalar] = None


class ScaleOffsetCodec(Codec):
    """`scale_offset`: array -> array."""

    name = "scale_offset"
    kind = "array->array"
    configuration = ScaleOffsetConfiguration

    def thread(
        self,
        configuration: ScaleOffsetConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return elements of the same shape and type, with the fill value shifted and scaled."""
        if not isinstance(before, Elements) or before.data_type is None:
            return before if isinstance(before, Elements) else None
        data_type = before.data_type
        if data_type.kind not in _KINDS:
            found = f"the data type {show(data_type.name)}"
            faults.append(Fault(TYPE, path, "a numeric data type", found))
            return Elements(before.lengths, data_type)
        found_before = len(faults)
        offset = _scalar("offset", configuration.offset, data_type, faults, path)
        scale = _scalar("scale", configuration.scale, data_type, faults, path)
        if number(scale) == 0:
            here = (*path, "configuration", "scale")
            faults.append(Fault(ZERO, here, "a number other than 0", show(configuration.scale)))
        fill = None
        if len(faults) == found_before:
            fill = _shift(before, offset, scale, faults, path)
        return Elements(before.lengths, data_type, fill)

    def bind(self, configuration: ScaleOffsetConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that calculates in the arithmetic of the type and raises on loss."""
        if not isinstance(before, Block) or not isinstance(after, Block):
            raise ExtensionError("the scale_offset codec expects elements")
        data_type = before.data_type
        if data_type.kind not in _KINDS:
            raise ExtensionError(
                f"the scale_offset codec expects numbers, which {data_type.name} doesn't have"
            )
        offset = _scalar("offset", configuration.offset, data_type, [], ())
        scale = _scalar("scale", configuration.scale, data_type, [], ())
        if scale is not None and not _differs_from_zero(scale):
            raise ExtensionError("a scale of 0 makes all elements equal: they can't be restored")
        if data_type.kind in {"float", "complex"}:
            return FloatShift(before.dtype, offset, scale)
        return IntegerShift(data_type, before.dtype, _ticks(offset, 0), _ticks(scale, 1))


def _differs_from_zero(scalar: Any) -> bool:
    value = number(scalar)
    return bool(scalar != 0) if value is None else value != 0


def _ticks(scalar: Any, absent: int) -> int:
    if scalar is None:
        return absent
    value = number(scalar)
    if not isinstance(value, int):
        raise ExtensionError(f"{scalar} is not a number to shift or scale with")
    return value


def _scalar(name: str, value: Any, data_type: DataType, faults: list[Fault], path: Path) -> Any:
    if value is None:
        return None
    start = len(faults)
    scalar = data_type.parse_fill(value, "v3", faults, (*path, "configuration", name))
    restate(faults, start)
    return scalar


def _shift(before: Elements, offset: Any, scale: Any, faults: list[Fault], path: Path) -> Any:
    """Return the encoded fill value, or None if it is unknown or out of range."""
    fill, data_type = before.fill, before.data_type
    if data_type is None or (offset is None and scale is None):
        return fill
    if data_type.kind not in {"int", "uint"}:
        return _shift_float(fill, offset, scale)
    # Python's integers don't overflow, so a result out of range is detected instead of wrapped.
    start = number(fill)
    shift = 0 if offset is None else number(offset)
    factor = 1 if scale is None else number(scale)
    if start is None or shift is None or factor is None:
        return None
    result = None
    for made in (start - shift, (start - shift) * factor):
        try:
            result = data_type.cast(made)
        except SpecError:
            expected = f"a fill value that (fill - offset) * scale keeps within {show(data_type.name)}"
            faults.append(Fault(FILL, path, expected, f"{show(start)}, which becomes {show(made)}"))
            return None
    return result


def _shift_float(fill: Any, offset: Any, scale: Any) -> Any:
    if fill is None or isinstance(fill, (np.void, np.datetime64, np.timedelta64)):
        return None
    with np.errstate(all="ignore"):
        made = fill if offset is None else fill - offset
        return made if scale is None else made * scale


scale_offset = codecs.register(ScaleOffsetCodec())
"""The `scale_offset` codec."""
