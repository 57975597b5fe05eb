"""Canonical documents: one spelling for each meaning, so that documents can be compared.

Parts unknown to zom (an unregistered codec, an ignorable member) stay unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.extension.byte_order import without_idle_endian
from zom.extension.canonical import canonical_definition
from zom.extension.codec import codecs
from zom.extension.grid import chunk_grids
from zom.extension.grid_repair import parse_grid
from zom.extension.keys import chunk_key_encodings
from zom.extension.memo import Memo
from zom.extension.resolve import parse_draft, parse_v2, parse_v3
from zom.formats.draft_chain import parse_codecs
from zom.formats.v2_chain import object_codec_of, parse_filters
from zom.json.python_value import is_dict
from zom.json.value import JSONDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.datatype import DataType, Format
    from zom.extension.link import Link
    from zom.model.family import NodeKind
    from zom.problems import Fault

__all__ = ["canonical_draft", "canonical_v2", "canonical_v3"]

_parts: Memo[tuple[Any, ...]] = Memo()


def canonical_v3(kind: NodeKind, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the canonical spelling of a v3 document."""
    made = dict(document)
    if made.get("attributes") is None:
        made["attributes"] = JSONDict()
    if made.get("consolidated_metadata", made) is None:
        del made["consolidated_metadata"]
    if kind == "group":
        return made
    if not made.get("storage_transformers"):
        made.pop("storage_transformers", None)
    names = made.get("dimension_names")
    if names is None or all(name is None for name in names):
        made.pop("dimension_names", None)  # absent means that no dimension has a name
    data_type, fill = made["data_type"], made["fill_value"]
    key = ("v3", repr(data_type), repr(fill))
    made["data_type"], made["fill_value"] = _parts.get(key, lambda: _type_v3(data_type, fill))
    grid, keys, chain = made["chunk_grid"], made["chunk_key_encoding"], made["codecs"]
    made["chunk_grid"], made["chunk_key_encoding"], made["codecs"] = _parts.get(
        ("extensions", repr(grid), repr(keys), repr(chain), repr(data_type), len(made["shape"])),
        lambda: (
            canonical_definition(parse_grid(grid, chain, None, []), chunk_grids),
            _keys_v3(canonical_definition(keys, chunk_key_encodings), len(made["shape"])),
            without_idle_endian([canonical_definition(codec, codecs) for codec in chain], data_type),
        ),
    )
    return made


def _keys_v3(keys: Any, rank: int) -> Any:
    """Normalize a separator of the key encoding that no key uses: keys with at most one number."""
    least = {"default": 0, "v2": 1}.get(keys.get("name"))
    if least is None or rank > least or "separator" not in keys["configuration"]:
        return keys
    separator = "/" if keys["name"] == "default" else "."
    return {**keys, "configuration": {**keys["configuration"], "separator": separator}}


def _lifted(lengths: list[int]) -> list[int]:
    """Return chunk lengths as they are read: 1 for 0 and for true."""
    return [max(1, int(length)) for length in lengths]


def _type_v3(data_type: Any, fill: Any) -> tuple[Any, Any]:
    parsed = parse_v3(data_type, [])
    if parsed is None:
        return data_type, fill
    present = parsed.present()
    scalar = None if fill is None else parsed.parse_fill(fill, "v3", [])
    return present.to_json("v3"), fill if scalar is None else present.fill_json(scalar, "v3")


def _fill(data_type: DataType, fill: Any, form: Format) -> Any:
    faults: list[Fault] = []
    scalar = data_type.parse_fill(fill, form, faults)
    return fill if scalar is None or fill is None else data_type.fill_json(scalar, form)


def canonical_v2(kind: NodeKind, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the canonical spelling of a v2 document."""
    made = dict(document)
    if made.get("attributes") is None:
        made["attributes"] = JSONDict()
    if kind == "group":
        return made
    if made.get("dimension_separator") is None or len(made["shape"]) < 2:
        made["dimension_separator"] = "."
    if len(made["shape"]) < 2:
        made["order"] = "C"
    made["chunks"] = _lifted(made["chunks"])
    dtype, fill = made["dtype"], made["fill_value"]
    filters, compressor = made.get("filters"), made.get("compressor")
    key = ("v2", repr(dtype), repr(fill), repr(filters), repr(compressor))
    made["dtype"], made["fill_value"], made["filters"], made["compressor"] = _parts.get(
        key, lambda: _parts_v2(dtype, fill, filters, compressor)
    )
    return made


def _parts_v2(dtype: Any, fill: Any, filters: Any, compressor: Any) -> tuple[Any, ...]:
    links = parse_filters(filters, compressor)
    parsed = parse_v2(dtype, object_codec_of(links), [], ())
    if parsed is not None:
        dtype, fill = parsed.to_json("v2"), _fill(parsed, fill, "v2")
    chain = [_codec_v2(link) for link in links]
    last = None if compressor is None else chain.pop()
    return dtype, fill, chain or None, last


def _codec_v2(link: Link) -> Any:
    # Keep what the level of the spec tolerates.
    if link.configuration is None or link.faults:
        return link.value
    return {"id": link.written, **link.configuration.canonical()}


def canonical_draft(kind: NodeKind, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the canonical spelling of a draft document; an implicit group stays implicit."""
    made = dict(document)
    if kind != "array":
        return made
    for name in ("extensions", "codecs", "storage_transformers"):
        made.setdefault(name, [])
    grid = cast("dict[str, Any]", made["chunk_grid"])
    if grid.get("type") == "regular":
        made["chunk_grid"] = {"separator": "/", **grid}
    if len(made["shape"]) < 2:
        made["chunk_memory_layout"] = "C"
        if "separator" in made["chunk_grid"]:
            made["chunk_grid"] = {**made["chunk_grid"], "separator": "/"}
    data_type, fill = made["data_type"], made["fill_value"]
    key = ("draft", repr(data_type), repr(fill))
    made["data_type"], made["fill_value"] = _parts.get(key, lambda: _type_draft(data_type, fill))
    made["codecs"] = [_codec_draft(link) for link in parse_codecs(made["codecs"])]
    return made


def _type_draft(data_type: Any, fill: Any) -> tuple[Any, Any]:
    parsed = parse_draft(data_type, [], ())
    if parsed is None:
        return data_type, fill
    spelled: Any = data_type if is_dict(data_type) else parsed.to_json("draft")
    return spelled, _fill(parsed, fill, "draft")


def _codec_draft(link: Link) -> dict[str, Any]:
    """Return a codec under the draft's URI if the last part of its own URI is known."""
    value = link.value
    if link.codec is None:
        return {**value, "configuration": value.get("configuration", {})}
    configuration = value.get("configuration", {})
    if link.configuration is not None and not link.faults:
        configuration = link.configuration.canonical()
    uri = f"https://purl.org/zarr/spec/codecs/{link.codec.draft_name}/1.0"
    return {**value, "type": uri, "configuration": configuration}
