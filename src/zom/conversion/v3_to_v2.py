"""Convert v3 to v2: the exact reverse of the other direction, as far as v2 can express it.

v2 has one grid, two orders, one byte order for each number, and filters that get memory, not values:
v3 states the byte order at the end, v2 in the data type and in every filter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.conversion.filters import Filters
from zom.conversion.losses import (
    BARE_DTYPE,
    BYTE_ORDER,
    CHUNK_GRID,
    CHUNK_KEYS,
    CONSOLIDATED,
    DATA_TYPE,
    DIMENSIONS_TAKEN,
    FILL_BITS,
    KEY_ENCODING,
    TRANSFORMER,
)
from zom.conversion.v2_to_v3 import drop_members
from zom.errors import ConversionError
from zom.extension.codec import Elements
from zom.extension.definition import name_of, parse_definition
from zom.extension.grid import chunk_grids
from zom.extension.grid_repair import parse_grid
from zom.extension.keys import chunk_key_encodings
from zom.extension.resolve import parse_v2
from zom.formats.resolve import resolve
from zom.formats.v3_rules import not_understood
from zom.model.family import DIMENSIONS
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.conversion.losses import Fill, Report
    from zom.extension.datatype import ByteOrder, DataType
    from zom.model.spec import Spec

__all__ = ["array", "group"]

_ARRAY = frozenset(
    {
        "zarr_format",
        "node_type",
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_key_encoding",
        "fill_value",
        "codecs",
        "attributes",
        "storage_transformers",
        "dimension_names",
    }
)
_GROUP = frozenset({"zarr_format", "node_type", "attributes", "members", "consolidated_metadata"})


def group(spec: Spec, report: Report, _fill: Fill) -> dict[str, Any]:
    """Return the v2 document of a v3 group, without its members."""
    document = spec.document
    drop_members(document, _GROUP, report, not_understood("group", document))
    if document.get("consolidated_metadata") is not None:
        fix = "it is dropped; consolidate the v2 hierarchy again"
        where = ("consolidated_metadata",)
        report.add(CONSOLIDATED, where, "no such member", show(document["consolidated_metadata"]), fix)
    made: dict[str, Any] = {"zarr_format": 2}
    if document.get("attributes") is not None:
        made["attributes"] = document["attributes"]
    return made


def array(spec: Spec, report: Report, _fill: Fill) -> tuple[dict[str, Any], bool]:
    """Return the v2 document of a v3 array, and whether its chunks stay as they are."""
    document, resolved = spec.document, resolve(spec)
    drop_members(document, _ARRAY, report, not_understood("array", document))
    for index, value in enumerate(document.get("storage_transformers") or ()):
        where = ("storage_transformers", index)
        report.add(TRANSFORMER, where, "no storage transformer, as v2 has none", show(name_of(value)))
    shape = list(resolved.shape)
    chunks = _chunks(parse_grid(document["chunk_grid"], document["codecs"], None, []), report)
    separator, same_keys = _keys(document["chunk_key_encoding"], report)
    data_type = resolved.data_type
    if data_type is None:
        found = show(name_of(document["data_type"]))
        report.add(DATA_TYPE, ("data_type",), "a data type that zom knows", found)
    lengths = None if chunks is None else tuple((length,) for length in chunks)
    filters = Filters(Elements(lengths, data_type), len(shape), report)
    filters.add_links(resolved.links)
    made: dict[str, Any] = {"zarr_format": 2, "shape": shape, "chunks": chunks}
    made.update(dtype=None, compressor=filters.compressor, fill_value=None, order=filters.order)
    made.update(filters=filters.filters or None, dimension_separator=separator)
    if data_type is not None:
        _put_type(made, data_type, document, filters, report)
    _put_attributes(made, document, report)
    return made, same_keys


def _chunks(value: Any, report: Report) -> list[int] | None:
    definition = parse_definition(value, [], must_understand_allowed=False)
    name = definition.name if definition is not None else None
    if definition is None or chunk_grids.find(name or "") is not chunk_grids.find("regular"):
        report.add(CHUNK_GRID, ("chunk_grid",), "a regular grid, the only one in v2", show(name))
        return None
    return [int(length) for length in definition.configuration["chunk_shape"]]


def _keys(value: Any, report: Report) -> tuple[str, bool]:
    """Return the separator, and whether chunks keep their keys."""
    where = ("chunk_key_encoding",)
    definition = parse_definition(value, [], where, must_understand_allowed=False)
    found = chunk_key_encodings.find(definition.name) if definition is not None else None
    if definition is None or found is None or found.name not in {"v2", "default"}:
        name = show(definition.name if definition is not None else value)
        report.add(KEY_ENCODING, where, '"v2" or "default"', name)
        return ".", False
    separator: str = cast("Any", found.configuration.model_validate(definition.configuration)).separator
    if found.name == "v2":
        return separator, True
    old = f"c{separator}0{separator}0"
    fix = f"move the chunks: {old} becomes {old[2:]}"
    report.add(CHUNK_KEYS, where, "the keys of v2", show(found.name), fix)
    return separator, False


def _put_type(
    made: dict[str, Any], data_type: DataType, document: Mapping[str, Any], filters: Filters, report: Report
) -> None:
    """Set the data type, in the byte order of the chunks, and the fill value."""
    try:
        plain = data_type.to_json("v2")
    except ConversionError:
        found = show(document["data_type"])
        report.add(DATA_TYPE, ("data_type",), "a data type of v2", found)
        return
    dtype = _in_order(plain, filters.endian)
    old = parse_v2(dtype, data_type.object_codec, [])
    if old is None:
        report.add(DATA_TYPE, ("data_type",), "a data type of v2", show(document["data_type"]))
        return
    if filters.endian == "big" and data_type.has_order and dtype == plain:
        where = (*filters.endian_path, "configuration", "endian")
        report.add(BYTE_ORDER, where, f'"little", the only byte order of {data_type.name} in v2', '"big"')
        return
    bare = _bare_name(dtype)
    if bare is not None:
        report.add(BARE_DTYPE, ("data_type",), 'a type string such as "<f8"', show(bare))
    made["dtype"] = dtype
    made["fill_value"] = _fill_value(data_type, old, document.get("fill_value"), report)


def _bare_name(dtype: Any) -> str | None:
    """Return a name that is no type string in a v2 dtype, or None."""
    if isinstance(dtype, str):
        return None if dtype[:1] in "<>|" else dtype
    return next(filter(None, (_bare_name(field[1]) for field in dtype)), None)


def _in_order(dtype: Any, order: ByteOrder) -> Any:
    """Return a v2 dtype with this byte order in all types that have one."""
    if isinstance(dtype, str):
        return dtype.replace("<", ">") if order == "big" else dtype
    fields: list[Any] = []
    for name, inner, *shape in cast("list[Any]", dtype):
        fields.append([name, _in_order(inner, order), *shape])
    return fields


def _fill_value(data_type: DataType, old: DataType, given: Any, report: Report) -> Any:
    if given is None:
        return None
    scalar = data_type.parse_fill(given, "v3", [])
    spelled = data_type.fill_json(scalar, "v3")
    if data_type.kind == "struct":
        # The bytes of all fields, in the byte order of v2.
        return old.fill_json(old.parse_fill(spelled, "v3", []), "v2")
    written = data_type.fill_json(scalar, "v2")
    again = data_type.fill_json(data_type.parse_fill(written, "v2", []), "v3")
    if again != spelled:
        found, fix = show(spelled), f"it becomes {show(again)}"
        report.add(FILL_BITS, ("fill_value",), "a value that v2 can spell", found, fix)
    return written


def _put_attributes(made: dict[str, Any], document: Mapping[str, Any], report: Report) -> None:
    attributes, names = document.get("attributes"), document.get("dimension_names")
    if names is None:
        if attributes is not None:
            made["attributes"] = attributes
        return
    kept: Mapping[str, Any] = attributes or {}
    taken = kept.get(DIMENSIONS, names)
    if taken != names:
        fix = "remove one of the two"
        where = ("attributes", DIMENSIONS)
        report.add(DIMENSIONS_TAKEN, where, f"{show(names)}, as in dimension_names", show(taken), fix)
    made["attributes"] = {**kept, DIMENSIONS: names}
