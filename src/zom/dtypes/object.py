"""The `object` data type: `|O` in v2, without an equivalent in v3.

Its elements are whatever the object codec (`json2`, `msgpack2`, `pickle`, `vlen-array`) decodes; text and
bytes have their own types. The v3 draft of 2021 has it too, without naming the codec.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.element import draft_extension, extension_type
from zom.extension.datatype import DataType, DataTypeFamily, data_types, spelling_error
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import Format, Kind
    from zom.json.value import JSON, JSONDict
    from zom.problems import Fault, Path

__all__ = ["ObjectType"]

_OTHERS = frozenset({"vlen-utf8", "vlen-bytes", "categorize"})


@dataclass(frozen=True, slots=True)
class ObjectType(DataType):
    """Python objects stored by one object codec, `codec`; None if it is unknown.

    >>> ObjectType("json2").to_json("v2")
    '|O'
    """

    codec: str | None = None

    @property
    @override
    def name(self) -> str:
        return "object"

    @property
    @override
    def kind(self) -> Kind:
        return "object"

    @property
    @override
    def itemsize(self) -> int | None:
        return None

    @property
    @override
    def object_codec(self) -> str | None:
        return self.codec

    @override
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(object)

    @override
    def to_v2(self) -> JSON:
        return "|O"

    @override
    def to_v3(self) -> JSON:
        raise spelling_error(self, "v3", 'only v2 has objects; name "string" or "bytes"')

    @override
    def to_draft(self) -> JSON:
        return draft_extension("TODO: object array protocol URL", "|O", None)

    @override
    def parse_fill(self, value: JSON, form: Format, faults: list[Fault], path: Path = ()) -> Any:
        del form, faults, path
        return value

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        del form
        return scalar  # type: ignore[no-any-return]  # the scalar is the JSON value itself

    @override
    def default(self) -> Any:
        return None

    @override
    def cast(self, value: object) -> Any:
        return value


class ObjectFamily(DataTypeFamily):
    """The family of `object`."""

    @property
    def name(self) -> str:
        return "object"

    @property
    def registered(self) -> bool:
        return False

    def read_v3(
        self, name: str, configuration: JSONDict | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        # "object" has no known meaning in a v3 document.
        del name, configuration, faults, path
        return None

    def from_v3(self, name: str, configuration: Any, faults: list[Fault], path: Path) -> DataType | None:
        del name, configuration, faults, path
        return None

    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        del faults, path
        return ObjectType(object_codec) if dtype == "|O" and object_codec not in _OTHERS else None

    def from_draft(self, data_type: JSON, faults: list[Fault], path: Path) -> DataType | None:
        return self.from_v2(extension_type(data_type, "object"), None, faults, path)

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        # Don't guess what an object array holds: `resolve.data_type` raises.
        del dtype
        return None

    def examples(self) -> Iterable[DataType]:
        return (ObjectType(), ObjectType("json2"))


data_types.register(ObjectFamily())
