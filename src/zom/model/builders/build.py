"""Building array documents from what a designer knows: shape, type, chunks, compression.

The documents follow what other software reads best: codecs as objects with a configuration, data
types as plain names, zstd for compression with a checksum in each of its frames. A codec for checksums is
added only where no reader is lost by it, or on request: see `_v3_checksum`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

import numpy as np

from zom.extension.notation import NOTATIONS
from zom.extension.registry import did_you_mean, near
from zom.extension.resolve import data_type
from zom.model.builders.chunking import (
    INNER_BYTES,
    ChunkChoice,
    auto_shards,
    chosen_chunks,
    inner_chunks,
    refuse,
)

if TYPE_CHECKING:
    from zom.extension.datatype import DataType, Format
    from zom.json.value import JSON

__all__ = [
    "AUTO",
    "Compression",
    "DTypeLike",
    "ShardChoice",
    "draft_document",
    "v2_document",
    "v3_document",
]

DTypeLike: TypeAlias = Any
"""What names a data type: a DataType, anything that numpy.dtype takes, a v3 name or definition."""

Compression: TypeAlias = "str | Mapping[str, JSON] | Sequence[Mapping[str, JSON]] | None"
"""How chunks are compressed: a name, perhaps with a level ("zstd", "gzip:9"), a codec or several as
the document spells them, or None."""

ShardChoice: TypeAlias = "Literal['auto'] | int | Sequence[int | None] | None"
"""How chunks are gathered into shards: by size, by lengths, or not at all."""


class _Auto:
    """The argument that leaves the choice to zom."""

    def __repr__(self) -> str:
        return "AUTO"


AUTO: Final = _Auto()
"""The fill value of the data type itself."""

_VARIABLE_ITEM = 32
"""How long an element of variable length is taken to be where chunks are sized."""

_SUMMED = {"gzip", "numcodecs.zlib", "numcodecs.bz2", "numcodecs.lzma"}
"""The codecs whose streams end with a checksum that every decoder compares; zstd's do on request."""

_LEVELS = {"zstd": 3, "gzip": 5, "blosc": 5, "zlib": 5, "bz2": 5, "lz4": 1, "lzma": 6}


def _shape(shape: int | Iterable[int]) -> tuple[int, ...]:
    given: tuple[Any, ...] = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if any(isinstance(length, (bool, np.bool)) for length in given):
        raise refuse("shape", "integers", list(given))
    try:
        return tuple(operator.index(length) for length in given)
    except TypeError:
        raise refuse("shape", "integers", shape) from None


def _named_compression(compress: str) -> tuple[str, int]:
    """The name and level of `zstd` or `zstd:9`."""
    name, _, level = compress.partition(":")
    if name not in _LEVELS:
        known = sorted(_LEVELS)
        raise refuse(
            "compress", f"one of {', '.join(known)}", compress, did_you_mean(near(name, known), known)
        )
    if level and not level.lstrip("-").isdigit():
        raise refuse("compress", "a level after the colon, like zstd:9", compress)
    return name, int(level) if level else _LEVELS[name]


def _spelled(compress: Mapping[str, JSON] | Sequence[Mapping[str, JSON]] | None) -> list[Any]:
    """Compression that is given as the document spells it: one codec, several or none."""
    if compress is None:
        return []
    if isinstance(compress, Mapping):
        return [compress]
    if not isinstance(compress, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] - users' values
        raise refuse("compress", "a name, a codec, several codecs or None", compress)
    return list(compress)


def _fill(kind: DataType, fill_value: object, form: Format) -> Any:
    if fill_value is AUTO or (fill_value is None and not NOTATIONS[form].null):
        return kind.fill_json(kind.default(), form)
    if fill_value is None:
        return None
    return kind.fill_json(kind.cast(fill_value), form)


def _with_dimensions(attributes: Any, dimension_names: Sequence[str | None] | None, rank: int) -> Any:
    """The attributes, with the names of the dimensions where xarray looks for them."""
    if dimension_names is None:
        return attributes
    names = list(_names(dimension_names))
    if len(names) != rank:
        wanted = f"{rank} name{'s' * (rank != 1)}, one for each dimension"
        raise refuse("dimension_names", wanted, names)
    if attributes is not None and not isinstance(attributes, Mapping):
        found = type(attributes).__name__
        raise refuse("dimension_names", "attributes as a mapping, to put _ARRAY_DIMENSIONS in", found)
    given = cast("Mapping[str, Any]", attributes or {})
    return {"_ARRAY_DIMENSIONS": names, **given}


def _names(dimension_names: Sequence[str | None]) -> tuple[str | None, ...]:
    if isinstance(dimension_names, str):
        fix = f"did you mean ({dimension_names!r},)?"
        raise refuse("dimension_names", "a list of names, one for each dimension", dimension_names, fix)
    return tuple(dimension_names)


# --- v3 ----------------------------------------------------------------------------------------------


def v3_document(  # noqa: PLR0913 - a document has that many facts
    *,
    shape: int | Iterable[int],
    dtype: DTypeLike,
    chunks: ChunkChoice,
    shards: ShardChoice,
    compress: Compression,
    checksum: bool | None,
    codecs: Sequence[str | Mapping[str, JSON]] | None,
    filters: Sequence[Mapping[str, JSON]],
    fill_value: object,
    order: Literal["C", "F"],
    dimension_names: Sequence[str | None] | None,
    attributes: Any,
) -> dict[str, Any]:
    """The members of a v3 array document."""
    kind, lengths = data_type(dtype), _shape(shape)
    outer, inner = _grid(chunks, shards, lengths, kind.itemsize or _VARIABLE_ITEM)
    chain = (
        list(codecs)
        if codecs is not None
        else _v3_codecs(kind, len(lengths), filters, order, _v3_compression(compress, kind, checksum))
    )
    if codecs is None and _v3_checksum(chain, checksum, is_inner=shards is not None):
        chain.append(_codec("crc32c"))
    if shards is not None:
        chain = [_sharding(inner, chain)]
    document: dict[str, Any] = {
        "shape": lengths,
        "data_type": kind.to_json("v3"),
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(outer)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": _fill(kind, fill_value, "v3"),
        "codecs": tuple(chain),
    }
    if attributes is not None:
        document["attributes"] = attributes
    if dimension_names is not None:
        document["dimension_names"] = _names(dimension_names)
    return document


def _grid(
    chunks: ChunkChoice, shards: ShardChoice, lengths: tuple[int, ...], itemsize: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lengths of what is stored as one object, and of what is compressed as one."""
    if shards is None:
        only = chosen_chunks(chunks, lengths, itemsize)
        return only, only
    if isinstance(shards, str) and shards == "auto":
        inner = chosen_chunks(chunks, lengths, itemsize, INNER_BYTES)
        return auto_shards(lengths, inner, itemsize), inner
    outer = chosen_chunks(shards, lengths, itemsize, name="shards")
    if isinstance(chunks, str) and chunks == "auto":
        return outer, inner_chunks(outer, itemsize)
    return outer, chosen_chunks(chunks, outer, itemsize)


def _codec(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration} if configuration else {"name": name}


def _sharding(inner: tuple[int, ...], chain: list[Any]) -> dict[str, Any]:
    return _codec(
        "sharding_indexed",
        chunk_shape=list(inner),
        codecs=chain,
        index_codecs=[_codec("bytes", endian="little"), _codec("crc32c")],
        index_location="end",
    )


def _v3_codecs(
    kind: DataType, rank: int, filters: Sequence[Mapping[str, JSON]], order: str, compression: list[Any]
) -> list[Any]:
    chain: list[Any] = list(filters)
    if order == "F" and rank > 1:
        chain.insert(0, _codec("transpose", order=list(range(rank))[::-1]))
    elif order not in {"C", "F"}:
        raise refuse("order", '"C" or "F"', order)
    if kind.itemsize is None:
        chain.append(_codec("vlen-utf8" if kind.kind == "string" else "vlen-bytes"))
    elif kind.has_order:
        chain.append(_codec("bytes", endian=kind.order or "little"))
    else:
        chain.append(_codec("bytes"))
    return [*chain, *compression]


def _v3_compression(compress: Compression, kind: DataType, checksum: bool | None) -> list[Any]:  # noqa: FBT001
    if not isinstance(compress, str):
        return _spelled(compress)
    name, level = _named_compression(compress)
    if name == "zstd":
        return [_codec("zstd", level=level, checksum=checksum is not False)]
    if name == "gzip":
        return [_codec("gzip", level=level)]
    if name == "blosc":
        size = kind.itemsize or 1
        shuffle = "shuffle" if size > 1 else "bitshuffle"
        return [_codec("blosc", cname="lz4", clevel=level, shuffle=shuffle, typesize=size, blocksize=0)]
    return [_codec(f"numcodecs.{name}", **_numcodecs_level(name, level))]


def _v3_checksum(chain: list[Any], checksum: bool | None, *, is_inner: bool) -> bool:  # noqa: FBT001
    """Whether crc32c follows the chain: where no codec in it has a checksum of its own, on request.

    Without a request it does where it costs no reader: in shards, as who reads those reads crc32c, and
    after lz4. GDAL 3.12 reads neither shards nor crc32c, but blosc and plain chunks.
    """
    if checksum is False or any(_has_sum(codec) for codec in chain):
        return False
    return checksum is True or is_inner or chain[-1].get("name") == "numcodecs.lz4"


def _has_sum(codec: str | Mapping[str, Any]) -> bool:
    if isinstance(codec, str):
        return codec in _SUMMED
    configuration: Mapping[str, Any] = codec.get("configuration") or {}
    return codec.get("name") in _SUMMED or (
        codec.get("name") == "zstd" and bool(configuration.get("checksum"))
    )


def _numcodecs_level(name: str, level: int) -> dict[str, Any]:
    if name == "lz4":
        return {"acceleration": level}
    return {"preset": level} if name == "lzma" else {"level": level}


# --- v2 ----------------------------------------------------------------------------------------------


def v2_document(  # noqa: PLR0913 - a document has that many facts
    *,
    shape: int | Iterable[int],
    dtype: DTypeLike,
    chunks: ChunkChoice,
    compress: Compression,
    checksum: bool,
    filters: Sequence[Mapping[str, JSON]],
    fill_value: object,
    order: Literal["C", "F"],
    separator: Literal[".", "/"] | None,
    dimension_names: Sequence[str | None] | None,
    attributes: Any,
) -> dict[str, Any]:
    """The members of a v2 array document."""
    kind, lengths = data_type(dtype), _shape(shape)
    chain: list[Mapping[str, JSON]] = list(filters)
    if kind.object_codec is not None and not any(f.get("id") == kind.object_codec for f in chain):
        chain.insert(0, {"id": kind.object_codec})
    if checksum:
        chain.append({"id": "crc32c"})
    document: dict[str, Any] = {
        "shape": lengths,
        "chunks": chosen_chunks(chunks, lengths, kind.itemsize or _VARIABLE_ITEM),
        "dtype": kind.to_json("v2"),
        "compressor": _v2_compression(compress),
        "fill_value": _fill(kind, fill_value, "v2"),
        "order": order,
        "filters": chain or None,
    }
    if separator is not None:
        document["dimension_separator"] = separator
    given = _with_dimensions(attributes, dimension_names, len(lengths))
    if given is not None:
        document["attributes"] = given
    return document


def _v2_compression(compress: Compression) -> Any:
    if compress is None or isinstance(compress, Mapping):
        return compress
    if not isinstance(compress, str):
        fix = "use filters for the others"
        raise refuse("compress", "one compressor: v2 has no more", _spelled(compress), fix)
    name, level = _named_compression(compress)
    if name == "blosc":
        return {"id": "blosc", "cname": "lz4", "clevel": level, "shuffle": 1, "blocksize": 0}
    return {"id": name, **_numcodecs_level(name, level)}


# --- draft -------------------------------------------------------------------------------------------


def draft_document(  # noqa: PLR0913 - a document has that many facts
    *,
    shape: int | Iterable[int],
    dtype: DTypeLike,
    chunks: ChunkChoice,
    compress: Compression,
    fill_value: object,
    order: Literal["C", "F"],
    separator: Literal[".", "/"],
    dimension_names: Sequence[str | None] | None,
    attributes: Any,
) -> dict[str, Any]:
    """The members of a draft array document."""
    kind, lengths = data_type(dtype), _shape(shape)
    given = _with_dimensions(attributes, dimension_names, len(lengths))
    codecs: list[Any] = []
    if kind.order == "big":
        kind = data_type(kind.numpy().newbyteorder("<"))
        uri = "https://purl.org/zarr/spec/codecs/endian/1.0"
        codecs.append({"type": uri, "configuration": {"endian": "big"}})
    codecs.extend(_draft_compression(compress))
    return {
        "shape": lengths,
        "data_type": kind.to_json("draft"),
        "chunk_grid": {
            "type": "regular",
            "chunk_shape": list(chosen_chunks(chunks, lengths, kind.itemsize or _VARIABLE_ITEM)),
            "separator": separator,
        },
        "chunk_memory_layout": order,
        "codecs": tuple(codecs),
        "fill_value": _fill(kind, fill_value, "draft"),
        "extensions": (),
        "attributes": {} if given is None else given,
    }


def _draft_compression(compress: Compression) -> list[Any]:
    if not isinstance(compress, str):
        return _spelled(compress)
    name, level = _named_compression(compress)
    uri = f"https://purl.org/zarr/spec/codecs/{name}/1.0"
    if name == "gzip":
        return [{"type": uri, "configuration": {"level": level}}]
    if name == "blosc":
        configuration = {"cname": "lz4", "clevel": level, "shuffle": 1, "blocksize": 0}
        return [{"type": uri, "configuration": configuration}]
    raise refuse("compress", "gzip or blosc: the draft knows no others", compress)
