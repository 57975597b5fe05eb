"""Convert the draft of v3 to v3: from both layouts of the draft, of 2021 and of 2022.

Zarr core specification 3.0, draft of 2022. It has no array->bytes codec: chunks are little-endian, in
the order of `chunk_memory_layout`, unless the codec `endian` says otherwise. The software of 2021 wrote
numcodecs' compressors, and stored numcodecs' filters in the attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.conversion.codecs import Chain, definition
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
from zom.extension.codec import Bytes, Elements, codecs
from zom.extension.configuration import parse_configuration
from zom.extension.resolve import parse_draft
from zom.formats.draft_extension import chunks_per_shard
from zom.formats.draft_rules import not_understood
from zom.formats.resolve import resolve
from zom.problems import Fault, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zom.conversion.losses import Fill, Report
    from zom.extension.datatype import DataType, Format
    from zom.extension.link import Link
    from zom.formats.resolved import ResolvedArray
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


class _Grid(NamedTuple):
    """The lengths of the chunks that codecs encode, and of the chunks that have a key."""

    inner: list[int]
    outer: list[int]
    separator: str


def group(spec: Spec, report: Report, _fill: Fill) -> dict[str, Any]:
    """Return the v3 document of a draft group, without its members."""
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
    """Return the v3 document of a draft array, and False, since its chunks always get other keys."""
    document, resolved = spec.document, resolve(spec)
    drop_members(document, _ARRAY, report, not_understood(document))
    _check_extensions(document.get("extensions", ()), report)
    grid = _grid(resolved, report)
    links, attributes = _links(resolved)
    data_type, form = _data_type(resolved, links, report)
    made: dict[str, Any] = {"zarr_format": 3, "node_type": "array", "shape": list(resolved.shape)}
    spelled = None
    if data_type is not None:
        spelled = v3_type(data_type, ("data_type",), document["data_type"], report)
    made["data_type"] = spelled
    _check_layout(document["chunk_memory_layout"], report)
    if grid is not None:
        made.update(_keyed(grid, report))
    if grid is not None and data_type is not None and spelled is not None:
        made["fill_value"] = v3_fill(spec, data_type, form, fill, report)
        chain = Chain(Elements(resolved.chunks, data_type), report, ("data_type",))
        chunk = None if resolved.shards is None else grid.inner
        made["codecs"] = _codecs(chain, links, chunk)
    if "attributes" in document:
        rest, names = lifted(attributes, resolved.rank, report)
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
    resolved: ResolvedArray, links: Sequence[Link], report: Report
) -> tuple[DataType | None, Format]:
    """Return the data type, and the format of the fill value's spelling."""
    path, given = ("data_type",), resolved.document["data_type"]
    for fault in resolved.encoding.faults:
        if fault.rule.code == "draft/data-type-fallback":
            fix = "the extension is dropped"
            report.add(FALLBACK, fault.path, fault.expected, fault.found, fix)
    # Filters that remain attributes don't affect the type.
    told = len(links) == len(resolved.links)
    found = resolved.data_type if told else parse_draft(given, [])
    if found is None:
        report.add(DATA_TYPE, path, "a data type that zom knows", show(given))
    elif found.kind == "object":
        holder = next((link for link in links if link.codec and link.codec.holds_objects), None)
        where, what = (path, "|O") if holder is None else (holder.path, holder.written)
        expected = '"vlen-utf8" or "vlen-bytes": v3 has data types for text and bytes only'
        report.add(CODEC, where, expected, show(what))
        return None, "draft"
    return found, "draft" if found is None or found.object_codec is None else "v2"


# --- chunks ------------------------------------------------------------------------------------------


def _grid(resolved: ResolvedArray, report: Report) -> _Grid | None:
    """Return the chunks; with a sharding storage transformer, shards are the chunks that have keys."""
    document = resolved.document
    value = document["chunk_grid"]
    if resolved.chunks is None:
        report.add(CHUNK_GRID, ("chunk_grid",), "a regular grid", show(value.get("extension")))
        return None
    transformers = document.get("storage_transformers", ())
    for index, transformer in enumerate(transformers):
        if len(transformers) > 1 or chunks_per_shard(transformer) is None:
            where = ("storage_transformers", index)
            report.add(TRANSFORMER, where, "nothing, or sharding, once", show(transformer))
    outer = [length for (length,) in resolved.shards or resolved.chunks]
    separator = value.get("separator", document.get("dimension_separator", "/"))
    return _Grid([length for (length,) in resolved.chunks], outer, separator)


def _keyed(grid: _Grid, report: Report) -> dict[str, Any]:
    """Return the members for chunk grid and keys, and add a note that keys change."""
    mark = grid.separator
    fix = f"move the chunks: data/<path>/c0{mark}0 becomes <path>/c{mark}0{mark}0"
    report.add(DRAFT_KEYS, ("chunk_grid",), "the keys of v3", "the keys of the draft", fix)
    return {
        "chunk_grid": definition("regular", {"chunk_shape": grid.outer}),
        "chunk_key_encoding": definition("default", {"separator": mark}),
    }


# --- codecs ------------------------------------------------------------------------------------------


def _links(resolved: ResolvedArray) -> tuple[Sequence[Link], Mapping[str, Any]]:
    """Return the codecs, and the attributes without the filters that software of 2021 stored there.

    If a filter has an unknown name, the list stays an ordinary attribute.
    """
    links, attributes = resolved.links, resolved.attributes
    filters = [link for link in links if link.path[0] == "attributes"]
    if not filters:
        return links, attributes
    if any(link.codec is None for link in filters):
        return [link for link in links if link.path[0] != "attributes"], attributes
    return links, {name: value for name, value in attributes.items() if name != "filters"}


def _codecs(chain: Chain, links: Iterable[Link], chunk: list[int] | None) -> list[dict[str, Any]]:
    """Return the codecs; in a sharding codec if `chunk`, the shape of inner chunks, is given."""
    for link in links:
        if link.written is None:
            chain.add_order(link)
        elif link.path[0] == "codecs":
            _add_codec(chain, link)
        else:
            chain.add_filter(link)
    chain.end()
    if chunk is None:
        return chain.codecs
    # The draft's shard index has no checksum, and is at the end.
    shard = {
        "chunk_shape": chunk,
        "codecs": chain.codecs,
        "index_codecs": [definition("bytes", {"endian": "little"})],
        "index_location": "end",
    }
    return [definition("sharding_indexed", shard)]


def _add_codec(chain: Chain, link: Link) -> None:
    """Append the v3 codecs for a codec of the draft."""
    codec, given = link.codec, link.value.get("configuration", {})
    if codec is None:
        known = ", ".join(sorted(each.draft_name for each in codecs if each.draft_name))
        where = (*link.path, "type")
        chain.report.add(UNKNOWN_CODEC, where, f"a codec that zom knows ({known})", show(link.written))
        return
    if codec.draft_configuration is codec.v2_configuration:
        # In the draft, blosc numbers its shuffles as v2 does; -1 selects one by element size.
        numbered = codec.v2_configuration.model_validate({"shuffle": -1, **given})
        chain.add_filter(link._replace(configuration=numbered))
        return
    given = {**_DEFAULTS.get(codec.name, {}), **given}
    faults: list[Fault] = []
    parsed = parse_configuration(codec.configuration, given, CODEC, faults, path=link.inside)
    for fault in faults:
        chain.report.add(CODEC, fault.path, fault.expected, fault.found, fault.fix)
    if codec.name == "bytes" and parsed is not None:
        if isinstance(chain.state, Bytes):
            chain.add(codec, [], chain.state, link.path)
        else:
            chain.end(cast("Any", parsed).endian or "little")
        return
    chain.add(codec, [definition(codec.name, given)], Bytes(), link.path)


_DEFAULTS: dict[str, dict[str, Any]] = {"gzip": {"level": 1}}
"""Members that v3 requires and some software of that time omitted; decoding doesn't use them."""
