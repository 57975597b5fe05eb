"""From the draft of v3 to v3: what both layouts of the draft, of 2021 and of 2022, can say.

Zarr core specification 3.0, draft of 2022. It has no array->bytes codec: chunks are little-endian, in
the order that `chunk_memory_layout` names, until the codec `endian` says otherwise. The software of
2021 wrote numcodecs' compressors, and kept numcodecs' filters in the attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.conversion.codecs import Chain, Filter, definition, reverse
from zom.conversion.losses import (
    CHUNK_GRID,
    CODEC,
    DATA_TYPE,
    DRAFT_KEYS,
    DROPPED_EXTENSION,
    EXTENSION,
    FALLBACK,
    IMPLICIT_GROUP,
    LAYOUT,
    TRANSFORMER,
    UNKNOWN_CODEC,
)
from zom.conversion.v2_to_v3 import drop_members, lifted, v3_fill, v3_type
from zom.extension.codec import Bytes, Elements, codecs, v2_codecs
from zom.extension.configuration import parse_configuration
from zom.extension.resolve import parse_draft, parse_v2
from zom.formats.draft_extension import codec_name
from zom.formats.draft_rules import not_understood
from zom.json.python_value import is_dict, is_list
from zom.problems import Fault, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.conversion.losses import Fill, Report
    from zom.extension.codec import Codec
    from zom.extension.datatype import DataType
    from zom.model.spec import Spec

__all__ = ["array", "group"]

_ARRAY = frozenset(
    {
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_memory_layout",
        "fill_value",
        "extensions",
        "attributes",
        "codecs",
        "storage_transformers",
        "compressor",
        "dimension_separator",
    }
)
_GROUP = frozenset({"attributes", "members", "extensions"})
_OBJECTS = frozenset({"vlen-utf8", "vlen-bytes", "categorize"})


class _Grid(NamedTuple):
    """The chunks that codecs are given, and those that have a key."""

    inner: list[int]
    outer: list[int]
    separator: str


def group(spec: Spec, report: Report, _fill: Fill) -> dict[str, Any]:
    """The v3 document of a draft group, without its members."""
    document = spec.document
    drop_members(document, _GROUP, report)
    _check_extensions(document.get("extensions", ()), report)
    made: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}
    if "attributes" in document:
        made["attributes"] = document["attributes"]
    else:
        report.add(IMPLICIT_GROUP, (), "a group with a document", "an implicit group", "it gets one")
    return made


def array(spec: Spec, report: Report, fill: Fill) -> tuple[dict[str, Any], bool]:
    """The v3 document of a draft array; its chunks always get other keys."""
    fields = cast("Any", spec)
    document = spec.document
    drop_members(document, _ARRAY, report, not_understood(document))
    _check_extensions(fields.extensions, report)
    shape = list(fields.shape)
    grid = _grid(document, report)
    filters, attributes = _filters(document)
    data_type, form = _data_type(document, filters, report)
    made: dict[str, Any] = {"zarr_format": 3, "node_type": "array", "shape": shape}
    spelled = None
    if data_type is not None:
        spelled = v3_type(data_type, ("data_type",), document["data_type"], report)
    made["data_type"] = spelled
    _check_layout(document["chunk_memory_layout"], report)
    if grid is not None:
        made.update(_keyed(grid, report))
    if grid is not None and data_type is not None and spelled is not None:
        made["fill_value"] = v3_fill(spec, data_type, form, fill, report)
        lengths = tuple((length,) for length in grid.inner)
        chain = Chain(Elements(lengths, data_type), report, ("data_type",))
        made["codecs"] = _codecs(chain, filters, fields, len(shape), grid)
    if "attributes" in document:
        rest, names = lifted(attributes, len(shape), report)
        made["attributes"] = rest
        if names is not None:
            made["dimension_names"] = names
    return made, False


# --- extensions --------------------------------------------------------------------------------------


def _check_extensions(values: tuple[Any, ...], report: Report) -> None:
    for index, value in enumerate(values):
        path, found = ("extensions", index), show(value["extension"])
        if value["must_understand"]:
            report.add(EXTENSION, path, "no extension that must be understood", found)
        else:
            report.add(DROPPED_EXTENSION, path, "no extension", found, "it is dropped")


def _check_layout(value: Any, report: Report) -> None:
    if not isinstance(value, str):
        report.add(LAYOUT, ("chunk_memory_layout",), '"C" or "F"', show(value))


def _data_type(
    document: Mapping[str, Any], filters: list[Filter], report: Report
) -> tuple[DataType | None, str]:
    """The data type, and the format that the fill value is spelled in."""
    path = ("data_type",)
    faults: list[Fault] = []
    found = parse_draft(document["data_type"], faults, path)
    for fault in faults:
        if fault.rule.code == "draft/data-type-fallback":
            fix = "the extension is dropped"
            report.add(FALLBACK, fault.path, fault.expected, fault.found, fix)
    if found is None:
        report.add(DATA_TYPE, path, "a data type that zom knows", show(document["data_type"]))
    elif found.kind == "object":
        holder = next((each for each in filters if _holds_objects(each.name)), None)
        if holder is not None and holder.name in _OBJECTS:
            return parse_v2("|O", holder.name, []), "v2"
        where, what = (path, "|O") if holder is None else (holder.path, holder.name)
        expected = '"vlen-utf8" or "vlen-bytes": v3 has data types for text and bytes only'
        report.add(CODEC, where, expected, show(what))
        return None, "draft"
    return found, "draft"


def _holds_objects(name: Any) -> bool:
    codec = v2_codecs().get(name) if isinstance(name, str) else None
    return codec is not None and codec.holds_objects


# --- chunks ------------------------------------------------------------------------------------------


def _grid(document: Mapping[str, Any], report: Report) -> _Grid | None:
    """The chunks; a shard, where the storage transformer makes them, is the chunk that has a key."""
    value = document["chunk_grid"]
    transformers = document.get("storage_transformers", ())
    if value.get("type") != "regular":
        report.add(CHUNK_GRID, ("chunk_grid",), "a regular grid", show(value.get("extension")))
        return None
    inner = [max(length, 1) for length in value["chunk_shape"]]
    separator = value.get("separator", document.get("dimension_separator", "/"))
    outer = inner
    for index, transformer in enumerate(transformers):
        shards = _shards(transformer) if len(transformers) == 1 else None
        if shards is None:
            path = ("storage_transformers", index)
            expected = "nothing, or sharding, once"
            report.add(TRANSFORMER, path, expected, show(transformer))
            continue
        outer = [length * count for length, count in zip(inner, shards, strict=True)]
    return _Grid(inner, outer, separator)


def _keyed(grid: _Grid, report: Report) -> dict[str, Any]:
    """The members that say which chunks have which keys; a note says that they are others."""
    mark = grid.separator
    fix = f"move the chunks: data/<path>/c0{mark}0 becomes <path>/c{mark}0{mark}0"
    report.add(DRAFT_KEYS, ("chunk_grid",), "the keys of v3", "the keys of the draft", fix)
    return {
        "chunk_grid": definition("regular", {"chunk_shape": grid.outer}),
        "chunk_key_encoding": definition("default", {"separator": mark}),
    }


def _shards(transformer: Mapping[str, Any]) -> list[int] | None:
    """How many chunks a shard has along each dimension; None where the transformer is another one."""
    uri = transformer.get("extension")
    if not isinstance(uri, str) or codec_name(uri) != "sharding" or transformer.get("type") != "indexed":
        return None
    return cast("list[int]", transformer["configuration"]["chunks_per_shard"])


# --- codecs ------------------------------------------------------------------------------------------


def _filters(document: Mapping[str, Any]) -> tuple[list[Filter], Mapping[str, Any]]:
    """The filters that software of 2021 kept in the attributes, and the attributes without them."""
    attributes = document.get("attributes", {})
    values: Any = attributes.get("filters") if "codecs" not in document else None
    known = v2_codecs()
    if not is_list(values) or not values or not all(_id_of(value) in known for value in values):
        return [], attributes
    filters: list[Filter] = []
    for index, value in enumerate(values):
        path = ("attributes", "filters", index)
        rest = {name: item for name, item in value.items() if name != "id"}
        filters.append(Filter(path, path, value["id"], rest))
    return filters, {name: value for name, value in attributes.items() if name != "filters"}


def _id_of(value: Any) -> str | None:
    name = value.get("id") if is_dict(value) else None
    return name if isinstance(name, str) else None


def _codecs(chain: Chain, filters: list[Filter], fields: Any, rank: int, grid: _Grid) -> list[dict[str, Any]]:
    if fields.chunk_memory_layout == "F" and rank > 1:
        chain.codecs.append(reverse(rank))
    for each in filters:
        chain.add_filter(each)
    for index, value in enumerate(fields.codecs):
        _add_codec(chain, value, ("codecs", index))
    compressor = fields.document.get("compressor")
    if compressor is not None:
        name = codec_name(compressor["codec"])
        parameters = compressor.get("configuration", {})
        chain.add_filter(Filter(("compressor",), ("compressor", "configuration"), name, parameters))
    chain.end()
    if grid.outer == grid.inner and not fields.storage_transformers:
        return chain.codecs
    # The index of the draft has no checksum, and stands at the end.
    shard = {
        "chunk_shape": grid.inner,
        "codecs": chain.codecs,
        "index_codecs": [definition("bytes", {"endian": "little"})],
        "index_location": "end",
    }
    return [definition("sharding_indexed", shard)]


def _add_codec(chain: Chain, value: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
    """Append what stands for a codec of the draft."""
    name = codec_name(value["type"])
    codec: Codec | None = next((codec for codec in codecs if codec.draft_name == name), None)
    if codec is None:
        known = ", ".join(sorted(each.draft_name for each in codecs if each.draft_name))
        found = show(value["type"])
        chain.report.add(UNKNOWN_CODEC, (*path, "type"), f"a codec that zom knows ({known})", found)
        return
    if codec.draft_configuration is codec.v2_configuration:
        # blosc numbered its ways to shuffle then, as v2 does; -1 takes the one for the size of elements.
        parameters = {"shuffle": -1, **value.get("configuration", {})}
        chain.add_filter(Filter(path, (*path, "configuration"), name, parameters))
        return
    given = {**_DEFAULTS.get(codec.name, {}), **value.get("configuration", {})}
    faults: list[Fault] = []
    parsed: Any = parse_configuration(
        codec.configuration, given, CODEC, faults, path=(*path, "configuration")
    )
    for fault in faults:
        chain.report.add(CODEC, fault.path, fault.expected, fault.found, fault.fix)
    if codec.name == "bytes" and parsed is not None:
        if isinstance(chain.state, Bytes):
            chain.add(codec, [], chain.state, path)
        else:
            chain.end(parsed.endian or "little")
        return
    chain.add(codec, [definition(codec.name, given)], Bytes(), path)


_DEFAULTS: dict[str, dict[str, Any]] = {"gzip": {"level": 1}}
"""What v3 demands of a codec and some software of the time left out; decoding needs none of it."""
