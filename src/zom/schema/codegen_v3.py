"""The types of v3 documents in the flavour "codegen": nodes, and each registered extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.extension.codec import codecs
from zom.extension.field import required
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings
from zom.extension.memo import until_registered
from zom.extension.resolve import parse_v3
from zom.formats.v3 import ArraySpec
from zom.paths import V3_NAME_PATTERN
from zom.schema.codegen_types import (
    ANY_VALUE,
    OBJECT,
    Schema,
    Types,
    either_of,
    members_of,
    record_of,
    ref,
    type_name,
)
from zom.schema.configuration_schema import configuration_schema, summary
from zom.schema.extension_schema import known_families, needs
from zom.schema.spec_fields import field_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.configuration import Configuration

__all__ = ["v3_types"]

_TRUE: Final[Schema] = {"const": True, "type": "boolean"}
_FALSE: Final[Schema] = {"const": False, "type": "boolean"}
_NAMES: Final[Schema] = {"type": "array", "items": {"type": ["string", "null"]}}
_RAW_BITS: Final = (*range(8, 129, 8), 256, 512)
"""The sizes of raw types (`r8`, `r16`) that get a type name: any multiple of 8 is valid."""


def _extension(types: Types, kind: str, name: str, model: type[Configuration], about: str | None) -> Schema:
    title = type_name(types.prefix, name, kind)
    must: Schema = {"type": "boolean"} if kind == "codec" else _TRUE
    fits = configuration_schema(model)
    inner = type_name(types.prefix, name, "" if kind == "codec" else kind, "configuration")
    if fits.get("maxProperties") == 0:
        configuration = types.define(
            f"{types.prefix}NoConfiguration", {"type": "object", "additionalProperties": False}
        )
    else:
        configuration = types.plain(fits, inner)
    properties = {
        "name": {"const": name, "type": "string"},
        "configuration": configuration,
        "must_understand": must,
    }
    required = ["name", "configuration"] if needs(model) else ["name"]
    return types.define(title, record_of(properties, required, about))


def _point(types: Types, kind: str, known: Iterable[tuple[str, type[Configuration], str | None]]) -> None:
    """Define an extension point: the names that are valid alone, or one of the objects."""
    triples = list(known)
    objects = [_extension(types, kind, name, model, about) for name, model, about in triples]
    bare = [name for name, model, _ in triples if not needs(model)]
    title = type_name(types.prefix, kind)
    options = [ref(f"{title}Name"), *objects] if bare else objects
    if bare:
        types.define(f"{title}Name", {"type": "string", "enum": bare})
    types.define(title, either_of(options))


def _data_types(types: Types) -> None:
    plain, configured, patterned = known_families()
    raw = [f"r{bits}" for bits in _RAW_BITS if patterned and parse_v3(f"r{bits}", []) is not None]
    names = types.define("V3DataTypeName", {"type": "string", "enum": [*plain, *raw]})
    none = ref("V3NoConfiguration")
    properties = {"name": names, "configuration": none, "must_understand": _TRUE}
    about = "A data type without parameters, as an object."
    options = [names, types.define("V3PlainDataType", record_of(properties, ["name"], about))]
    for name, family in configured.items():
        about = f"The data type {name}."
        options.append(_extension(types, "data type", name, family.configuration, about))
    types.define("V3DataType", either_of(options))


@until_registered
def v3_types() -> dict[str, Schema]:
    """Return all types of v3, by name.

    >>> v3_types()["V3Codec"]["anyOf"][0], v3_types()["V3GzipConfiguration"]["properties"]
    ({'$ref': '#/$defs/V3CodecName'}, {'level': {'maximum': 9, 'minimum': 0, 'type': 'integer'}})
    """
    types = Types("V3")
    types.define("V3NoConfiguration", {"type": "object", "additionalProperties": False})
    _point(types, "codec", [(each.name, each.configuration, summary(type(each))) for each in codecs])
    _point(
        types, "chunk grid", [(each.name, each.configuration, summary(type(each))) for each in chunk_grids]
    )
    _point(
        types,
        "chunk key encoding",
        [(each.name, each.configuration, summary(type(each))) for each in chunk_key_encodings],
    )
    _data_types(types)
    types.define("V3FillValue", {"anyOf": ANY_VALUE})
    transformer = record_of(
        {"name": {"type": "string"}, "configuration": OBJECT, "must_understand": {"type": "boolean"}},
        ["name"],
    )
    transformers = [{"type": "string"}, types.define("V3StorageTransformerObject", transformer)]
    types.define("V3StorageTransformer", {"anyOf": transformers})
    _array(types)
    _group(types)
    types.define("V3Node", {"oneOf": [ref("V3Array"), ref("V3Group")]})
    return types.made


def _array(types: Types) -> None:
    array: Schema = {
        "zarr_format": {"const": 3, "type": "integer"},
        "node_type": {"const": "array", "type": "string"},
        "shape": field_schema(ArraySpec, "shape"),
        "data_type": ref("V3DataType"),
        "chunk_grid": ref("V3ChunkGrid"),
        "chunk_key_encoding": ref("V3ChunkKeyEncoding"),
        "fill_value": ref("V3FillValue"),
        "codecs": types.part("codecs"),
        "attributes": OBJECT,
        "storage_transformers": {"type": "array", "items": ref("V3StorageTransformer")},
        "dimension_names": _NAMES,
    }
    types.define("V3Array", record_of(array, required(ArraySpec), "A Zarr v3 array."))


def _group(types: Types) -> None:
    consolidated = record_of(
        {
            "kind": {"const": "inline", "type": "string"},
            "must_understand": _FALSE,
            "metadata": {"type": "object", "additionalProperties": ref("V3Node")},
        },
        ["kind", "must_understand", "metadata"],
    )
    types.define("V3ConsolidatedMetadata", consolidated)
    group: Schema = {
        "zarr_format": {"const": 3, "type": "integer"},
        "node_type": {"const": "group", "type": "string"},
        "attributes": OBJECT,
        "members": members_of(V3_NAME_PATTERN, "V3Node"),
        "consolidated_metadata": ref("V3ConsolidatedMetadata"),
    }
    types.define(
        "V3Group", record_of(group, ["zarr_format", "node_type"], "A Zarr v3 group, with its members.")
    )
