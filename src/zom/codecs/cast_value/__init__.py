"""The `cast_value` codec: the same numbers in another data type.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/blob/main/codecs/cast_value/README.md
"If the fill value cannot survive a round-trip cast, implementations MUST treat this as an error": a
cast that fails in either direction is an error here; a round trip to another number is a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import Field

from zom.codecs.cast_value.array_cast import ArrayCast
from zom.codecs.cast_value.scalar_cast import OutOfRange, Rounding, cast_scalar, number, same_scalar
from zom.errors import ExtensionError, SpecError
from zom.extension.bound import Block, Coder
from zom.extension.codec import Codec, Elements, codecs
from zom.extension.configuration import Configuration
from zom.extension.datatype import data_types
from zom.extension.definition import parse_definition, suggestion
from zom.extension.field import OrAbsent
from zom.extension.fill_value import restate
from zom.extension.resolve import parse_v3
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Array, Form
    from zom.extension.codec import Representation
    from zom.extension.datatype import DataType

__all__ = ["CastValueCodec", "CastValueConfiguration", "cast_value"]

_SOURCE = "zarr-extensions, cast_value codec"

TYPE = rule(
    "codec/cast-type",
    "the cast_value codec casts from and to data types of real numbers",
    source=f"{_SOURCE}, first section",
)
WRAP = rule(
    "codec/cast-wrap",
    "only integers wrap around",
    source=f"{_SOURCE}, out_of_range",
)
FILL = rule(
    "codec/cast-fill",
    "the fill value can be cast there and back",
    source=f"{_SOURCE}, data_type",
)
FILL_CHANGED = rule(
    "codec/cast-fill-changed",
    "the fill value comes back from the cast as the same number",
    source=f"{_SOURCE}, data_type",
    lenient="warning",
    strict="warning",
    closed="warning",
)

UNKNOWN = rule(
    "codec/cast-unknown-type",
    "zarr v3 or zarr-extensions defines the data type to cast to",
    source="zarr v3.1, extension naming",
    lenient=None,
    strict=None,
    closed="error",
)

_REAL = frozenset({"int", "uint", "float", "datetime", "timedelta"})

Pair = Annotated[list[Any], Field(min_length=2, max_length=2)]
"""A scalar and its replacement."""


class ScalarMap(Configuration):
    """Scalars that are replaced instead of cast."""

    encode: OrAbsent[list[Pair]] = None
    decode: OrAbsent[list[Pair]] = None


class CastValueConfiguration(Configuration):
    """The data type of the result, and how to handle numbers that it can't represent."""

    data_type: Annotated[str | dict[str, Any], Field(json_schema_extra={"x-zom-is": "data-type"})]
    rounding: Rounding = "nearest-even"
    out_of_range: OrAbsent[OutOfRange] = None
    scalar_map: OrAbsent[ScalarMap] = None

    def canonical(self) -> dict[str, Any]:
        """Return the members with the data type in canonical form.

        >>> import zom.dtypes
        >>> CastValueConfiguration(data_type={"name": "int8"}).canonical()
        {'data_type': 'int8', 'rounding': 'nearest-even'}
        """
        members = super().canonical()
        data_type = parse_v3(self.data_type, [], ())
        if data_type is not None:
            members["data_type"] = data_type.to_json("v3")
        return members


class _Cast(NamedTuple):
    """One direction of the cast."""

    source: DataType
    target: DataType
    configuration: CastValueConfiguration
    pairs: list[tuple[Any, Any]]

    def for_arrays(self) -> ArrayCast:
        """Return the same cast for chunks."""
        rounding, out_of_range = self.configuration.rounding, self.configuration.out_of_range
        return ArrayCast(self.source, self.target, self.pairs, rounding=rounding, out_of_range=out_of_range)

    def __call__(self, scalar: Any) -> Any:
        """Return the scalar of the target type, or None if the cast must fail."""
        for taken, given in self.pairs:
            if same_scalar(taken, scalar):
                return given
        value = number(scalar)
        configuration = self.configuration
        made = (
            None
            if value is None
            else cast_scalar(value, self.target, configuration.rounding, configuration.out_of_range)
        )
        try:
            return None if made is None else self.target.cast(made)
        except SpecError:
            return None


class CastValueCodec(Codec):
    """`cast_value`: array -> array."""

    name = "cast_value"
    kind = "array->array"
    configuration = CastValueConfiguration

    def thread(
        self,
        configuration: CastValueConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return elements of the same shape and the new type, with the fill value cast to it."""
        if not isinstance(before, Elements):
            return None
        inside = (*path, "configuration")
        source = before.data_type
        target = _target(configuration.data_type, faults, (*inside, "data_type"))
        sound = _check_type(source, faults, path)
        sound = _check_type(target, faults, (*inside, "data_type")) and sound
        if target is not None and sound and target.kind == "float" and configuration.out_of_range == "wrap":
            expected = f'"clamp" or nothing, for {show(target.name)}'
            faults.append(Fault(WRAP, (*inside, "out_of_range"), expected, '"wrap"'))
        if source is None or target is None or not sound:
            return Elements(before.lengths, target)
        encode = _Cast(source, target, configuration, [])
        decode = _Cast(target, source, configuration, [])
        _read_map("encode", encode, faults, inside)
        _read_map("decode", decode, faults, inside)
        fill = _cast_fill(before.fill, encode, decode, faults, path)
        return Elements(before.lengths, target, fill)

    def bind(self, configuration: CastValueConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder with both directions of the cast."""
        if not isinstance(before, Block) or not isinstance(after, Block):
            raise ExtensionError("the cast_value codec expects elements")
        encode = _Cast(before.data_type, after.data_type, configuration, [])
        decode = _Cast(after.data_type, before.data_type, configuration, [])
        _read_map("encode", encode, [], ())
        _read_map("decode", decode, [], ())
        return _CastChunks(encode.for_arrays(), decode.for_arrays())


class _CastChunks(Coder[Any, Any]):
    """Chunks whose numbers are stored as another type."""

    def __init__(self, there: ArrayCast, back: ArrayCast) -> None:
        self._there = there
        self._back = back

    def encode(self, chunk: Array) -> Array:
        """Return the numbers in the stored type."""
        return self._there(chunk)

    def decode(self, chunk: Array) -> Array:
        """Return the numbers in the array's type."""
        return self._back(chunk)


def _target(value: Any, faults: list[Fault], path: Path) -> DataType | None:
    before = len(faults)
    definition = parse_definition(value, faults, path, must_understand_allowed=False, known=data_types)
    target = None if definition is None else parse_v3(value, faults, path)
    if definition is not None and target is None and len(faults) == before:
        fix = suggestion(definition.name, data_types)
        found = show(definition.name)
        faults.append(Fault(UNKNOWN, path, "the name of a registered data type", found, fix))
    return target


def _check_type(data_type: DataType | None, faults: list[Fault], path: Path) -> bool:
    if data_type is None or data_type.kind in _REAL:
        return True
    found = f"the data type {show(data_type.name)}"
    faults.append(Fault(TYPE, path, "a data type of real numbers", found))
    return False


def _read_map(name: str, cast: _Cast, faults: list[Fault], path: Path) -> None:
    """Parse the pairs of one direction, with each scalar in the spelling of a fill value of its type."""
    scalar_map = cast.configuration.scalar_map
    pairs: list[list[Any]] | None = getattr(scalar_map, name, None)
    start = len(faults)
    for index, (taken, given) in enumerate(pairs or ()):
        here = (*path, "scalar_map", name, index)
        one = cast.source.parse_fill(taken, "v3", faults, (*here, 0))
        other = cast.target.parse_fill(given, "v3", faults, (*here, 1))
        if one is not None and other is not None:
            cast.pairs.append((one, other))
    restate(faults, start)


def _cast_fill(fill: Any, encode: _Cast, decode: _Cast, faults: list[Fault], path: Path) -> Any:
    """Return the fill value in the new type; return None and add a fault if it can't be cast."""
    # Without ml_dtypes some scalars are bare bytes, whose value is unknown.
    if number(fill) is None:
        return None
    written = show(decode.target.fill_json(fill, "v3"))
    there = encode(fill)
    if there is None:
        expected = f"a fill value that can be cast to {show(encode.target.name)}"
        faults.append(Fault(FILL, path, expected, written, "map it in scalar_map"))
        return None
    back = decode(there)
    if back is None:
        expected = f"a fill value that can be cast back to {show(decode.target.name)}"
        faults.append(Fault(FILL, path, expected, written, "map it in scalar_map"))
    elif not same_scalar(back, fill):
        found = f"{written}, which comes back as {show(decode.target.fill_json(back, 'v3'))}"
        faults.append(Fault(FILL_CHANGED, path, "a fill value that survives the cast", found))
    return there


cast_value = codecs.register(CastValueCodec())
"""The `cast_value` codec."""
