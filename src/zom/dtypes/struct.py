"""The `struct` data type: records of named fields, packed without padding.

zarr-extensions, data type `struct`; v2: lists of `[fieldname, datatype, shape]`, where the shape is
optional. In v2 each field has its own byte order; in v3 all fields have the codec's.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.base64_fill import base64_schema, parse_item, write_item
from zom.dtypes.element import (
    Element,
    draft_extension,
    extension_type,
    is_unnamed_field,
    pack,
)
from zom.dtypes.struct_record import cast_record, parse_record, record_json
from zom.dtypes.struct_v2 import parse_v2_fields
from zom.extension.configuration import Configuration
from zom.extension.datatype import DataType, DataTypeFamily, data_types, spelling_error
from zom.extension.definition import is_uri, parse_definition, uri_fault
from zom.extension.fill_value import NULL, STRUCT_BASE64, STRUCT_OBJECT, STRUCT_TEXT, refuse_type
from zom.extension.notation import NOTATIONS
from zom.extension.patterns import base64_up_to
from zom.extension.resolve import of_numpy, parse_v3
from zom.extension.typestr import MOST_BYTES
from zom.json.python_value import is_dict, is_list
from zom.numpy_later import np
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import ByteOrder, Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON

__all__ = ["StructField", "StructType", "checked_struct"]

FIELDS = rule(
    "data-type/struct-fields",
    "a struct has at least one field; their names differ, and their types have a fixed size",
    source="zarr-extensions, struct data type: configuration",
)
OPEN_FIELD = rule(
    "data-type/unknown-field-type",
    "the types of a struct's fields are registered",
    source="zarr-extensions, data types",
    lenient=None,
    strict=None,
)


@dataclass(frozen=True, slots=True)
class StructField:
    """One field; in v2 it may have its own shape.

    >>> from zom.extension.resolve import data_type
    >>> StructField("z", data_type("float32"), (2, 2)).size
    16
    """

    name: str
    data_type: DataType
    shape: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """The number of elements of the field."""
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """The size of the field in bytes."""
        return self.count * (self.data_type.itemsize or 0)


@dataclass(frozen=True, slots=True)
class StructType(Element):
    """Records of fields; with `legacy`, the type is named `structured`.

    >>> from zom.extension.resolve import data_type
    >>> point = StructType((StructField("x", data_type("int8")), StructField("y", data_type("int16"))))
    >>> point.parse_fill({"x": 1, "y": 2}, "v3", [])
    np.void((1, 2), dtype=[('x', 'i1'), ('y', '<i2')])
    """

    fields: tuple[StructField, ...]
    legacy: bool = False

    @property
    @override
    def name(self) -> str:
        return "structured" if self.legacy else "struct"

    @property
    @override
    def kind(self) -> Kind:
        return "struct"

    @property
    @override
    def itemsize(self) -> int:
        return sum(field.size for field in self.fields)

    @property
    @override
    def has_order(self) -> bool:
        return any(field.data_type.has_order for field in self.fields)

    @property
    @override
    def order(self) -> ByteOrder | None:
        orders: set[ByteOrder | None] = {
            field.data_type.order for field in self.fields if field.data_type.has_order
        }
        return orders.pop() if len(orders) == 1 else None

    @property
    def names(self) -> tuple[str, ...]:
        """The field names in numpy: a field without a name is named after its position."""
        return tuple(field.name or f"f{i}" for i, field in enumerate(self.fields))

    @override
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(
            [
                (name, field.data_type.numpy(), field.shape)
                if field.shape
                else (name, field.data_type.numpy())
                for name, field in zip(self.names, self.fields, strict=True)
            ]
        )

    @override
    def present(self) -> DataType:
        fields = tuple(replace(field, data_type=field.data_type.present()) for field in self.fields)
        return StructType(fields)

    @override
    def to_v2(self) -> JSON:
        return [
            [field.name, field.data_type.to_json("v2"), *([list(field.shape)] if field.shape else [])]
            for field in self.fields
        ]

    @override
    def to_draft(self) -> JSON:
        uri = "TODO: structured array protocol URL"
        return draft_extension(uri, self.to_v2(), f"r{8 * self.itemsize}")

    @override
    def to_v3(self) -> JSON:
        for field in self.fields:
            if field.shape or not field.name:
                raise spelling_error(self, "v3", f"the field {show(field.name)} has a shape, or no name")
        pairs = [(field.name, field.data_type.to_json("v3")) for field in self.fields]
        if self.legacy:
            return {"name": self.name, "configuration": {"fields": [list(pair) for pair in pairs]}}
        objects = [{"name": name, "data_type": inner} for name, inner in pairs]
        return {"name": self.name, "configuration": {"fields": objects}}

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        texts = {"type": "string", "pattern": base64_up_to(self.itemsize)}
        if not notation.records:
            return texts
        fields = {field.name: field.data_type.fill_schema("v3") for field in self.fields}
        record = {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        }
        return {"if": {"type": "string"}, "then": texts, "else": record} if self.legacy else record

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        if is_dict(value):
            if not notation.records:
                faults.append(Fault(STRUCT_OBJECT, path, f"base64 of {self.itemsize} bytes", show(value)))
            raw = parse_record(self, value, notation.form, faults, path)
        elif not notation.records or isinstance(value, str):
            start = len(faults)
            raw = parse_item(self.itemsize, value, faults, path)
            if notation.records and raw is None and not self.legacy:
                del faults[start:]  # for text that is not base64 of a struct, report only the wrong type
                refuse_type(f"an object with {', '.join(map(show, self.names))}", value, faults, path)
            elif notation.records and raw is not None:
                broken = STRUCT_BASE64 if self.legacy else STRUCT_TEXT
                faults.append(Fault(broken, path, "an object with every field", show(value)))
        else:
            refuse_type(f"an object with {', '.join(map(show, self.names))}", value, faults, path)
            return None
        return None if raw is None else self.unpack(raw)

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        raw = self.pack(scalar)
        return record_json(self, raw) if NOTATIONS[form].records else write_item(raw)

    @override
    def default(self) -> Any:
        parts = (pack(field.data_type, field.data_type.default()) * field.count for field in self.fields)
        return self.unpack(b"".join(parts))

    @override
    def cast(self, value: object) -> Any:
        return self.unpack(cast_record(self, value))


def checked_struct(
    made: StructType,
    faults: list[Fault],
    places: list[Path],
    inside: tuple[Path, Path] = ((), ()),
) -> bool:
    """Whether the fields form a valid struct; `places` are their paths, `inside` subpaths of name and type.

    >>> from zom.extension.resolve import data_type
    >>> twice = StructType((StructField("x", data_type("int8")),) * 2)
    >>> faults = []
    >>> checked_struct(twice, faults, [(0,), (1,)]), faults[0].found
    (False, 'two fields named "x"')
    """
    before = len(faults)
    seen: set[str] = set()
    for name, field, place in zip(made.names, made.fields, places, strict=True):
        if name in seen:
            where = (*place, *inside[0])
            faults.append(Fault(FIELDS, where, "names that differ", f"two fields named {show(name)}"))
        seen.add(name)
        if field.data_type.itemsize is None:
            found = f"{field.data_type.name}, whose elements differ in size"
            faults.append(Fault(FIELDS, (*place, *inside[1]), "a data type of fixed size", found))
    if len(faults) == before and made.itemsize > MOST_BYTES:
        found = f"{made.itemsize} bytes"
        faults.append(Fault(FIELDS, places[0][:-1], f"fields of at most {MOST_BYTES} bytes in total", found))
    return len(faults) == before


def parse_field_type(value: Any, faults: list[Fault], path: Path) -> DataType | None:
    """Parse the type of a field in a v3 document."""
    before = len(faults)
    definition = parse_definition(value, faults, path, must_understand_allowed=False)
    if definition is None:
        return None
    found = parse_v3(value, faults, path)
    if found is None and len(faults) == before:
        if is_uri(definition.name):
            faults.append(uri_fault(definition.name, "data type", path))
        else:
            faults.append(Fault(OPEN_FIELD, path, "a registered data type", show(definition.name)))
    return found


class FieldConfiguration(Configuration):
    """One field of a struct."""

    name: Annotated[str, Field(min_length=1)]
    data_type: Annotated[Any, Field(json_schema_extra={"x-zom-is": "data-type"})]


class StructConfiguration(Configuration):
    """The fields of a struct."""

    fields: Annotated[list[FieldConfiguration], Field(min_length=1)]


class StructFamily(DataTypeFamily):
    """The family of `struct`."""

    @property
    def name(self) -> str:
        return "struct"

    @property
    def configuration(self) -> type[Configuration]:
        return StructConfiguration

    def inspect_fill(self, value: JSON, faults: list[Fault], path: Path) -> None:
        if value is None:
            faults.append(Fault(NULL, path, "an object with every field", "null"))
        elif not is_dict(value):
            refuse_type("an object with every field", value, faults, path)

    def fill_schema(self, form: Format) -> dict[str, Any]:
        return {"type": "object"} if NOTATIONS[form].records else base64_schema(form)

    def from_v3(
        self, name: str, configuration: StructConfiguration, faults: list[Fault], path: Path
    ) -> DataType | None:
        del name
        where = (*path, "configuration", "fields")
        kinds = [
            parse_field_type(field.data_type, faults, (*where, i, "data_type"))
            for i, field in enumerate(configuration.fields)
        ]
        known = [
            StructField(f.name, kind) for f, kind in zip(configuration.fields, kinds, strict=True) if kind
        ]
        made = StructType(tuple(known))
        places: list[Path] = [(*where, i) for i, kind in enumerate(kinds) if kind]
        sound = checked_struct(made, faults, places, (("name",), ("data_type",)))
        return made if sound and len(known) == len(kinds) else None

    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        del object_codec
        if not is_list(dtype):
            return None
        parts = parse_v2_fields(dtype, faults, path)
        if parts is None:
            return None
        made = StructType(tuple(StructField(*part) for part in parts))
        return made if checked_struct(made, faults, [(*path, i) for i in range(len(parts))]) else None

    def from_draft(self, data_type: JSON, faults: list[Fault], path: Path) -> DataType | None:
        spelled = extension_type(data_type, "struct")
        if not is_list(spelled) or is_unnamed_field(spelled):  # an unnamed field is `raw_bytes`
            return None
        return self.from_v2(spelled, None, faults, (*path, "type"))

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        columns: Any = dtype.fields
        if columns is None:
            return None
        fields: list[StructField] = []
        for name in dtype.names or ():
            inner = columns[name][0]
            base, shape = inner.subdtype or (inner, ())
            fields.append(StructField(name, of_numpy(base), shape))
        # Drop padding between fields: chunks have none.
        return StructType(tuple(fields)) if fields else None

    def examples(self) -> Iterable[DataType]:
        point = self.from_numpy(np.dtype([("x", "<f4"), ("y", ">i2")]))
        nested = self.from_numpy(np.dtype([("point", [("u", "<c8"), ("v", "S3")]), ("at", "<M8[s]")]))
        shaped = self.from_numpy(np.dtype([("x", "<f4"), ("z", "<f4", (2, 2))]))
        return tuple(made for made in (point, nested, shaped) if made is not None)


data_types.register(StructFamily())
