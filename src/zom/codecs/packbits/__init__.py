"""The `packbits` codec: elements of a few bits each, packed together.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/packbits
The README and zarrs use `first_bit`, `last_bit` and `first_byte`; the schema beside the README has
other names, which no known software writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from zom.codecs.packbits.coder import Kept, PackbitsCoder
from zom.errors import ExtensionError
from zom.extension.bound import Block
from zom.extension.codec import Bytes, Codec, Elements, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import Interval
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form
    from zom.extension.codec import Representation
    from zom.extension.datatype import DataType

__all__ = ["PackbitsCodec", "PackbitsConfiguration", "packbits"]

_SOURCE = "zarr-extensions, packbits codec"

TYPE = rule(
    "codec/packbits-type",
    "the packbits codec takes booleans, integers, floats and complex numbers",
    source=f"{_SOURCE}, supported data types",
)
BITS = rule(
    "codec/packbits-bits",
    "the last bit is not before the first one, and both are bits of the data type",
    source=f"{_SOURCE}, configuration parameters",
)

_FEW_BITS = {
    "bool": 1,
    "int2": 2,
    "uint2": 2,
    "int4": 4,
    "uint4": 4,
    "float4_e2m1fn": 4,
    "float6_e2m3fn": 6,
    "float6_e3m2fn": 6,
    "complex_float4_e2m1fn": 4,
    "complex_float6_e2m3fn": 6,
    "complex_float6_e3m2fn": 6,
}
_KINDS = frozenset({"bool", "int", "uint", "float", "complex"})


class PackbitsConfiguration(Configuration):
    """The bits of each component to keep, and the location of the number of padding bits.

    For `first_bit` and `last_bit`, `null` means the same as absence, according to the README.
    """

    padding_encoding: Literal["first_byte", "last_byte", "none"] = "none"
    first_bit: Annotated[int, Interval(0)] | None = None
    last_bit: Annotated[int, Interval(0)] | None = None

    def canonical(self) -> dict[str, Any]:
        """Return the members with the first bit as a number.

        >>> PackbitsConfiguration().canonical()
        {'padding_encoding': 'none', 'first_bit': 0}
        """
        members = super().canonical()
        members.setdefault("first_bit", 0)
        return members


class PackbitsCodec(Codec):
    """`packbits`: array -> bytes."""

    name = "packbits"
    kind = "array->bytes"
    configuration = PackbitsConfiguration

    def thread(
        self,
        configuration: PackbitsConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return the kept bits of all elements, rounded up to bytes, plus the optional padding byte."""
        if not isinstance(before, Elements):
            return Bytes()
        data_type = before.data_type
        bits: int | None = None
        if data_type is not None:
            bits = _component_bits(data_type)
            if bits is None:
                found = f"the data type {show(data_type.name)}"
                faults.append(Fault(TYPE, path, "a boolean or numeric data type", found))
        kept = _check_bits(configuration, bits, faults, (*path, "configuration"))
        count = before.count
        if kept is None or count is None or data_type is None:
            return Bytes()
        total = count * kept * (2 if data_type.kind == "complex" else 1)
        return Bytes((total + 7) // 8 + (configuration.padding_encoding != "none"))

    def bind(self, configuration: PackbitsConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that stores the kept bits of each component."""
        del after
        bits = _component_bits(before.data_type) if isinstance(before, Block) else None
        if not isinstance(before, Block) or bits is None:
            raise ExtensionError("the packbits codec expects booleans or numbers")
        first, last = configuration.first_bit or 0, configuration.last_bit
        count = (bits if last is None else last + 1) - first
        kept = Kept(first, count, bits, before.data_type.kind == "int")
        return PackbitsCoder(before, kept, configuration.padding_encoding)


def _component_bits(data_type: DataType) -> int | None:
    if data_type.kind not in _KINDS or data_type.itemsize is None:
        return None
    components = 2 if data_type.kind == "complex" else 1
    return _FEW_BITS.get(data_type.name, data_type.itemsize * 8 // components)


def _check_bits(
    configuration: PackbitsConfiguration,
    bits: int | None,
    faults: list[Fault],
    path: Path,
) -> int | None:
    """Return the number of kept bits of a component, or None if unknown."""
    first, last = configuration.first_bit or 0, configuration.last_bit
    sound = True
    if bits is not None:
        for name, bit in (("first_bit", first), ("last_bit", last)):
            if bit is not None and bit >= bits:
                expected = f"a bit from 0 to {bits - 1}"
                faults.append(Fault(BITS, (*path, name), expected, show(bit)))
                sound = False
    if sound and last is not None and last < first:
        expected = f"a bit from {first} on, the first_bit"
        faults.append(Fault(BITS, (*path, "last_bit"), expected, show(last)))
        sound = False
    if bits is None or not sound:
        return None
    return (bits - 1 if last is None else last) - first + 1


packbits = codecs.register(PackbitsCodec())
"""The `packbits` codec."""
