"""The `bool` data type: one byte, 0 or 1.

Zarr v3 core, data types; v2 `|b1`. Some v2 documents have a fill value of 0 or 1, which is accepted.
In other formats zom reads it with a warning, as zarr-python does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.element import PlainFamily, PlainType, cast_error
from zom.extension.datatype import data_types
from zom.extension.fill_value import NUMBER_FOR_BOOL, refuse_type
from zom.numpy_later import np
from zom.problems import Fault, Path, show

if TYPE_CHECKING:
    from zom.extension.datatype import Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON

__all__ = ["BoolType"]


@dataclass(frozen=True, slots=True)
class BoolType(PlainType):
    """True or false.

    >>> BoolType().parse_fill(True, "v3", [])
    np.True_
    """

    @property
    @override
    def name(self) -> str:
        return "bool"

    @property
    @override
    def kind(self) -> Kind:
        return "bool"

    @property
    @override
    def itemsize(self) -> int:
        return 1

    @property
    @override
    def code(self) -> str:
        return "b1"

    @property
    @override
    def digits(self) -> str:
        return "0x0[01]|0b0{7}[01]"

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        return {"enum": [False, True, 0, 1]} if notation.zero_and_one else {"type": "boolean"}

    @override
    def is_plain_fill(self, value: JSON, form: Format) -> bool:
        del form
        return isinstance(value, bool)

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        if isinstance(value, bool) or (notation.zero_and_one and type(value) is int and value in {0, 1}):
            return np.bool_(value)
        if type(value) is int and value in {0, 1}:
            fix = f"write {'true' if value else 'false'}"
            faults.append(Fault(NUMBER_FOR_BOOL, path, "true or false", show(value), fix))
            return np.bool_(value)
        refuse_type("true or false", value, faults, path, integers="01" if notation.zero_and_one else "")
        return None

    @override
    def accepts(self, raw: bytes) -> bool:
        return raw in {b"\0", b"\1"}

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        del form
        return bool(scalar)

    @override
    def default(self) -> Any:
        return np.False_

    @override
    def cast(self, value: object) -> Any:
        given: Any = value
        if isinstance(value, (bool, np.bool_)):
            return np.bool_(given)
        raise cast_error(self, value, "True or False")


data_types.register(PlainFamily(BoolType()))
