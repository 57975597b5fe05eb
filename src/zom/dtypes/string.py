"""The `string` data type: text of any length.

zarr-extensions, data type `string`; v2 `|O` with the object codec `vlen-utf8` (or `categorize`). The 0
that zarr-python 2 wrote as the default fill value of such arrays means empty text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.element import cast_error
from zom.dtypes.fill_schema import text_schema
from zom.extension.datatype import DataType, DataTypeFamily, data_types
from zom.extension.fill_value import no_fill, refuse_type
from zom.extension.notation import NOTATIONS
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import Format, Kind
    from zom.json.value import JSON
    from zom.problems import Fault, Path

__all__ = ["StringType"]


@dataclass(frozen=True, slots=True)
class StringType(DataType):
    """Text of any length.

    >>> StringType().parse_fill("missing", "v3", [])
    'missing'
    """

    @property
    @override
    def name(self) -> str:
        return "string"

    @property
    @override
    def kind(self) -> Kind:
        return "string"

    @property
    @override
    def itemsize(self) -> int | None:
        return None

    @property
    @override
    def object_codec(self) -> str | None:
        return "vlen-utf8"

    @override
    def numpy(self) -> np.dtype[Any]:
        made: Any = np.dtypes.StringDType()
        return made  # type: ignore[no-any-return]  # numpy leaves a parameter open

    @override
    def to_v2(self) -> JSON:
        return "|O"

    @override
    def to_v3(self) -> JSON:
        return "string"

    @override
    def parse_fill(self, value: JSON, form: Format, faults: list[Fault], path: Path = ()) -> Any:
        if isinstance(value, str):
            return value
        notation = NOTATIONS[form]
        if value is None:
            return no_fill(self, notation, faults, path)
        if notation.zero_and_one and type(value) is int and value == 0:
            return ""
        refuse_type("text", value, faults, path, integers="0" if notation.zero_and_one else "")
        return None

    @override
    def fill_schema(self, form: Format) -> dict[str, Any]:
        schema = text_schema(form)
        if NOTATIONS[form].zero_and_one:
            return {"if": {"const": 0, "type": "integer"}, "else": schema}
        return schema

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        del form
        return str(scalar)

    @override
    def default(self) -> Any:
        return ""

    @override
    def cast(self, value: object) -> Any:
        if isinstance(value, str):
            return str(value)
        raise cast_error(self, value, "text")


class StringFamily(DataTypeFamily):
    """The family of `string`."""

    @property
    def name(self) -> str:
        return "string"

    def fill_schema(self, form: Format) -> dict[str, Any]:
        return StringType().fill_schema(form)

    def from_v3(self, name: str, configuration: Any, faults: list[Fault], path: Path) -> DataType | None:
        del name, configuration, faults, path
        return StringType()

    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        del faults, path
        return StringType() if dtype == "|O" and object_codec in {"vlen-utf8", "categorize"} else None

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        unsized = dtype.type is np.str_ and not dtype.itemsize
        return StringType() if unsized or isinstance(dtype, np.dtypes.StringDType) else None

    def examples(self) -> Iterable[DataType]:
        return (StringType(),)


data_types.register(StringFamily())
