"""Compiles arrays of the v3 draft, in the form of its text and in the one that software of 2021 wrote.

The editor's draft of the Zarr core specification, version 3.0, of December 2022: "Chunk encoding"; its
companion "Sharding storage transformer". In 2021 the codecs were one `compressor`, and the filters lay
in the attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.codecs.sharding_indexed.index import index_block
from zom.codecs.sharding_indexed.shard import ShardCoder
from zom.engine.compile_v2 import order_links, v2_link
from zom.engine.compile_v3 import refuse_unknown_members, unknown
from zom.engine.plan import ArrayPlan, fill_array
from zom.errors import UnknownName
from zom.extension.axis import Axis
from zom.extension.bound import Block, Stream
from zom.extension.bound_chain import BoundChain, Link, bind_chain, unusable
from zom.extension.codec import codecs
from zom.extension.configuration import parse_configuration
from zom.extension.keys import KeyForm
from zom.extension.resolve import parse_draft, parse_v2
from zom.formats.draft_chain import CODEC
from zom.formats.draft_extension import codec_name, extensions_not_understood
from zom.formats.draft_rules import not_understood
from zom.formats.v2_rules import object_codec_of
from zom.json.python_value import is_dict, is_list
from zom.json.value import JSONDict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.extension.datatype import DataType, Format
    from zom.limits import Limits
    from zom.model.spec import Spec
    from zom.problems import Fault

__all__ = ["compile_draft"]

_Path = tuple[str | int, ...]


def compile_draft(spec: Spec, limits: Limits) -> ArrayPlan:
    """The plan of a draft array."""
    document = spec.document
    shape = cast("tuple[int, ...]", spec.__dict__["shape"])
    refuse_unknown_members(not_understood(document), document)
    _refuse_extensions(document)
    faults: list[Fault] = []
    data_type = _data_type(document, faults)
    # Of objects 2021 said what v2 does: 0 where it meant an empty text.
    form: Format = "draft" if data_type.object_codec is None else "v2"
    fill = data_type.parse_fill(document["fill_value"], form, faults, ("fill_value",))
    grid = document["chunk_grid"]
    if not is_dict(grid) or grid.get("type") != "regular":
        raise UnknownName(f"chunk_grid: expected a regular grid, found {show(grid)}")
    chunk = tuple(max(size, 1) for size in cast("list[int]", grid["chunk_shape"]))
    counts = _chunks_per_shard(document.get("storage_transformers"))
    sizes = chunk if counts is None else tuple(a * b for a, b in zip(chunk, counts, strict=True))
    separator = grid.get("separator", "/")

    def bind(block: Block) -> BoundChain:
        inner = Block(chunk, block.data_type, block.fill)
        chain = bind_chain(_links(document, len(shape)), inner, limit=limits.chunk_bytes)
        return chain if counts is None else _sharded(block, chain, counts, limits)

    return ArrayPlan(
        shape,
        data_type,
        data_type.numpy(),
        fill_array(data_type, fill),
        tuple(Axis(length, size) for length, size in zip(shape, sizes, strict=True)),
        KeyForm("c", separator, "c"),
        bind,
    )


def _refuse_extensions(document: Mapping[str, Any]) -> None:
    for uri in extensions_not_understood(document.get("extensions", ())):
        raise UnknownName(f"extensions: zom doesn't know {show(uri)}, and readers must understand it")


def _data_type(document: Mapping[str, Any], faults: list[Fault]) -> DataType:
    data_type = parse_draft(document["data_type"], faults, ("data_type",))
    if data_type is None:
        raise unknown("data type", show(document["data_type"]), "data_type")
    if data_type.kind != "object":
        return data_type
    # What objects there are was told by the codec that stores them, as in v2.
    return parse_v2("|O", object_codec_of(_filters(document), None), faults) or data_type


def _filters(document: Mapping[str, Any]) -> list[Any]:
    """What software of 2021 put into the attributes; in the text of the draft an attribute means nothing."""
    attributes = document.get("attributes")
    filters = attributes.get("filters") if is_dict(attributes) else None
    if "codecs" in document or not is_list(filters):
        return []
    return filters if all(is_dict(value) and "id" in value for value in filters) else []


def _links(document: Mapping[str, Any], rank: int) -> list[Link]:
    layout = document.get("chunk_memory_layout", "C")
    if not isinstance(layout, str):
        raise UnknownName(f"chunk_memory_layout: expected C or F, found {show(layout)}")
    links = order_links(layout, rank)
    compressor = document.get("compressor")
    if "codecs" in document:
        given = cast("Sequence[Any]", document["codecs"])
        return links + [_link(value, ("codecs", index)) for index, value in enumerate(given)]
    filters = _filters(document)
    links += [v2_link(value, ("attributes", "filters", i)) for i, value in enumerate(filters)]
    if is_dict(compressor):
        name = codec_name(str(compressor.get("codec")))
        given = compressor.get("configuration", {})
        links.append(v2_link(JSONDict({"id": name, **given}), ("compressor",)))
    return links


def _link(value: Any, path: _Path) -> Link:
    uri = str(value.get("type"))
    name = codec_name(uri)
    codec = next((each for each in codecs if each.draft_name == name), None)
    if codec is None:
        return Link(uri, None, None, path)
    faults: list[Fault] = []
    model = codec.draft_configuration or codec.configuration
    given = value.get("configuration", {})
    configuration = parse_configuration(model, given, CODEC, faults, path=(*path, "configuration"))
    if configuration is None:
        raise unusable(faults)
    return Link(codec.name, codec, configuration, path)


def _chunks_per_shard(transformers: Any) -> tuple[int, ...] | None:
    """How many chunks a shard has; None where there is no sharding."""
    found: tuple[int, ...] | None = None
    for index, value in enumerate(cast("list[Any]", transformers or ())):
        uri = value.get("extension") if is_dict(value) else None
        if (
            not isinstance(uri, str)
            or codec_name(uri) != "sharding"
            or value.get("type") != "indexed"
            or found
        ):
            raise UnknownName(f"storage_transformers[{index}]: expected one that shards, found {show(value)}")
        found = tuple(value["configuration"]["chunks_per_shard"])
    return found


def _sharded(block: Block, inner: BoundChain, counts: tuple[int, ...], limits: Limits) -> BoundChain:
    # "The index is ... little-endian 64-bit unsigned integers": and there is no checksum.
    coder = ShardCoder(block, inner, bind_chain([], index_block(counts)), name="sharding")
    return BoundChain((block, block), [("sharding", coder)], 0, Stream(None, limits.chunk_bytes))
