"""The raw data types `r8`, `r16`, ...: elements with a number of uninterpreted bits.

Zarr v3 core, data types: "`r*` ... limited to be a multiple of 8". Its fill value is a list "with length
equal to `<N>`", where N is bits; writers and maintainers use one integer for each byte, and so does zom.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.base64_fill import base64_schema, parse_item, write_item
from zom.dtypes.raw_bytes import RawElement
from zom.extension.configuration import NoConfiguration
from zom.extension.datatype import DataType, DataTypeFamily, data_types
from zom.extension.fill_value import LENGTH, RAW_BASE64, WIDTH, parse_int, refuse_type
from zom.extension.notation import NOTATIONS
from zom.extension.patterns import BASE64, base64_up_to, up_to, whole
from zom.extension.typestr import MOST_BYTES
from zom.json.python_value import is_list
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from zom.extension.datatype import Format
    from zom.extension.notation import Notation
    from zom.json.value import JSON

__all__ = ["RawBitsType"]

BITS = rule(
    "data-type/raw-bits",
    "the number of bits of a raw data type is a positive multiple of 8",
    source="Zarr v3 core, data types",
    schema=True,
)
LIMIT = rule(
    "data-type/raw-bits-limit",
    f"a raw data type has at most {8 * MOST_BYTES} bits, the maximum of numpy's elements",
    source="zom, like numpy; Zarr v3 core, data types, has no limit",
    schema=True,
)
_CLAIMED = "r(?:0|[1-9][0-9]*)"
_NAME = re.compile(_CLAIMED)
_EIGHTS = "[048][08]|[159]6|[26]4|[37]2"
_FOURS = "[048]4|[159]2|[26][08]|[37]6"
_OF_8 = f"8|16|24|32|40|48|56|64|72|80|88|96|[0-9]*(?:[02468](?:{_EIGHTS})|[13579](?:{_FOURS}))"
_BYTE = {"type": "integer", "minimum": 0, "maximum": 255}
_RIGHT = f"r(?=(?:{up_to(8 * MOST_BYTES)})(?![0-9]))(?:{_OF_8})"


@dataclass(frozen=True, slots=True)
class RawBitsType(RawElement):
    r"""Elements of `bits` bits.

    >>> RawBitsType(16).parse_fill([1, 255], "v3", []).tobytes()
    b'\x01\xff'
    """

    bits: int

    @property
    @override
    def name(self) -> str:
        return f"r{self.bits}"

    @property
    @override
    def itemsize(self) -> int:
        return self.bits // 8

    @override
    def to_v3(self) -> JSON:
        return self.name

    @override
    def to_draft(self) -> JSON:
        return self.name

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        size = self.itemsize
        texts = {"type": "string", "pattern": base64_up_to(size)}
        if not notation.byte_lists:
            return texts
        numbers = {"type": "array", "minItems": size, "maxItems": size, "items": _BYTE}
        return {"if": {"type": "string"}, "then": texts, "else": numbers} if notation.raw_base64 else numbers

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        size = self.itemsize
        if is_list(value) and notation.byte_lists:
            return self._read_list(value, notation, faults, path)
        if not isinstance(value, str) and notation.byte_lists:
            refuse_type(f"a list of {size} integers from 0 to 255", value, faults, path)
            return None
        if not notation.raw_base64:
            # A pattern of the right width has been parsed already; the draft has no other text.
            faults.append(Fault(WIDTH, path, f'"0x" and {2 * size} hexadecimal digits', show(value)))
            return None
        raw = parse_item(size, value, faults, path)
        if raw is None:
            return None
        if notation.byte_lists:
            expected = f"a list of {size} integers from 0 to 255"
            fix = f"write {show(list(raw))}" if size <= 16 else None
            faults.append(Fault(RAW_BASE64, path, expected, show(value), fix))
        return self.unpack(raw)

    def _read_list(self, value: list[Any], notation: Notation, faults: list[Fault], path: Path) -> Any:
        if len(value) != self.itemsize:
            expected = f"a list of {self.itemsize} integers from 0 to 255"
            faults.append(Fault(LENGTH, path, expected, f"a list of {len(value)}"))
            return None
        numbers = [parse_int((0, 255), item, notation, faults, (*path, i)) for i, item in enumerate(value)]
        known = [number for number in numbers if number is not None]
        return self.unpack(bytes(known)) if len(known) == len(numbers) else None

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        raw, notation = self.pack(scalar), NOTATIONS[form]
        if notation.patterns:
            return f"0x{raw.hex()}"
        return list(raw) if notation.byte_lists else write_item(raw)


class RawBitsFamily(DataTypeFamily):
    """The family of the raw data types. It also claims invalid names such as `r12`, to report them."""

    @property
    def name(self) -> str:
        return "r*"

    @property
    def name_patterns(self) -> tuple[str, str] | None:
        return _CLAIMED, _RIGHT

    def claims(self, name: str) -> bool:
        return _NAME.fullmatch(name) is not None

    def fill_schema(self, form: Format) -> dict[str, Any]:
        notation = NOTATIONS[form]
        if not notation.byte_lists:
            return base64_schema(form)
        texts = BASE64 if notation.raw_base64 else whole("0x(?:[0-9a-fA-F]{2})+|0b(?:[01]{8})+")
        return {
            "if": {"type": "string"},
            "then": {"type": "string", "pattern": texts},
            "else": {"type": "array", "minItems": 1, "items": _BYTE},
        }

    def from_v3(self, name: str, configuration: Any, faults: list[Fault], path: Path) -> DataType | None:
        del configuration
        if _NAME.fullmatch(name) is None:
            return None
        most = 8 * MOST_BYTES
        # Limit the digits first: `int` has its own limit.
        bits = int(name[1:]) if len(name) <= 1 + len(str(most)) else most + 8
        if bits > most:
            faults.append(Fault(LIMIT, path, f"at most {most} bits for each element", show(name)))
            return None
        if bits % 8 or not bits:
            fix = f'write "r{(bits + 7) // 8 * 8}"' if bits else None
            faults.append(Fault(BITS, path, 'a multiple of 8 bits, such as "r16"', show(name), fix))
            return None
        return RawBitsType(bits)

    def from_draft(self, data_type: JSON, faults: list[Fault], path: Path) -> DataType | None:
        if isinstance(data_type, str):
            return self.from_v3(data_type, NoConfiguration(), faults, path)
        return None

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        # numpy's void is `raw_bytes`: each numpy type must have one data type.
        del dtype
        return None

    def examples(self) -> Iterable[DataType]:
        return (RawBitsType(8), RawBitsType(16), RawBitsType(24))


data_types.register(RawBitsFamily())
