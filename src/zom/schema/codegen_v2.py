"""The types of v2 documents in the flavour "codegen": nodes, and each registered codec."""

from __future__ import annotations

from zom.extension.codec import v2_codecs
from zom.extension.field import required
from zom.extension.memo import until_registered
from zom.formats.v2 import ArraySpec
from zom.paths import V2_NAME_PATTERN
from zom.schema.codegen_types import (
    ANY_VALUE,
    OBJECT,
    Schema,
    Types,
    members_of,
    record_of,
    ref,
    type_name,
)
from zom.schema.configuration_schema import configuration_schema
from zom.schema.spec_fields import field_schema

__all__ = ["v2_types"]


@until_registered
def v2_types() -> dict[str, Schema]:
    """Return all types of v2, by name.

    >>> v2_types()["V2Node"]
    {'oneOf': [{'$ref': '#/$defs/V2Array'}, {'$ref': '#/$defs/V2Group'}]}
    """
    types = Types("V2")
    options: list[Schema] = []
    for name, each in v2_codecs().items():
        fits = configuration_schema(each.v2_configuration)
        tagged = {"id": {"const": name, "type": "string"}, **fits.get("properties", {})}
        whole = {
            **fits,
            "properties": tagged,
            "required": ["id", *fits.get("required", ())],
            "additionalProperties": False,
        }
        options.append(types.plain(whole, type_name("V2", name, "codec")))
    types.define("V2Codec", {"anyOf": options})
    _dtypes(types)
    types.define("V2FillValue", {"anyOf": [*ANY_VALUE, {"type": "null"}]})
    _nodes(types)
    return types.made


def _dtypes(types: Types) -> None:
    """Define type strings and fields, nested two levels: quicktype doesn't support recursive lists."""
    text: Schema = {"type": "string"}
    deepest: Schema = {"anyOf": [text, {"type": "array", "items": {}}]}
    types.define("V2InnerField", _field(deepest))
    types.define("V2FieldDType", {"anyOf": [text, _fields("V2InnerField")]})
    types.define("V2Field", _field(ref("V2FieldDType")))
    types.define("V2DType", {"anyOf": [text, _fields("V2Field")]})


def _field(dtype: Schema) -> Schema:
    """Return the schema of a name, a dtype, and an optional shape."""
    lengths: Schema = {"type": "array", "items": {"type": "integer", "minimum": 0}}
    pair = [{"type": "string"}, dtype]
    options = [
        {"type": "array", "prefixItems": pair, "minItems": 2, "maxItems": 2},
        {"type": "array", "prefixItems": [*pair, lengths], "minItems": 3, "maxItems": 3},
    ]
    return {"anyOf": options}


def _fields(name: str) -> Schema:
    return {"type": "array", "minItems": 1, "items": ref(name)}


def _nodes(types: Types) -> None:
    null = {"type": "null"}
    array: Schema = {
        "zarr_format": {"const": 2, "type": "integer"},
        "shape": field_schema(ArraySpec, "shape"),
        "chunks": field_schema(ArraySpec, "chunks"),
        "dtype": ref("V2DType"),
        "compressor": {"anyOf": [ref("V2Codec"), null]},
        "fill_value": ref("V2FillValue"),
        "order": field_schema(ArraySpec, "order"),
        "filters": {"anyOf": [{"type": "array", "items": ref("V2Codec")}, null]},
        "dimension_separator": types.plain(
            field_schema(ArraySpec, "dimension_separator"), "V2DimensionSeparator"
        ),
        "attributes": OBJECT,
    }
    types.define("V2Array", record_of(array, required(ArraySpec), "A Zarr v2 array."))
    group: Schema = {
        "zarr_format": {"const": 2, "type": "integer"},
        "attributes": OBJECT,
        "members": members_of(V2_NAME_PATTERN, "V2Node"),
    }
    types.define("V2Group", record_of(group, ["zarr_format"], "A Zarr v2 group, with its members."))
    types.define("V2Node", {"oneOf": [ref("V2Array"), ref("V2Group")]})
