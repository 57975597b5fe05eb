"""The choices of `zom.v3.ArraySpec.build`: shards, codecs, compression and checksums.

zstd has a checksum in each of its frames. A checksum codec is added only where all readers support it,
or on request: see `_is_summed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.json.python_value import is_dict
from zom.model.builders.build import named_compression, numcodecs_level, spelled_compression
from zom.model.builders.chunking import INNER_BYTES, auto_shards, chosen_chunks, inner_chunks, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.extension.datatype import DataType
    from zom.json.value import JSON
    from zom.model.builders.build import Compression, ShardChoice
    from zom.model.builders.chunking import ChunkChoice

__all__ = ["codecs_of", "grid_of", "sharding"]

_SUMMED = {"gzip", "numcodecs.zlib", "numcodecs.bz2", "numcodecs.lzma"}
"""Codecs whose streams end with a checksum that every decoder verifies; zstd's do on request."""


def codecs_of(  # noqa: PLR0913 - all codec arguments of `build`
    kind: DataType,
    rank: int,
    compress: Compression,
    *,
    checksum: bool | None,
    filters: Sequence[Mapping[str, JSON]],
    order: str,
    is_inner: bool,
) -> list[Any]:
    """Return the chain of codecs; `is_inner` marks the chain inside shards.

    >>> from zom.extension.resolve import data_type
    >>> chain = codecs_of(data_type("int8"), 1, None, checksum=True, filters=(), order="C", is_inner=False)
    >>> [codec["name"] for codec in chain]
    ['bytes', 'crc32c']
    """
    chain = _with_compression(kind, rank, filters, order, _compression(compress, kind, checksum))
    if _is_summed(chain, checksum, is_inner=is_inner):
        chain.append(_codec("crc32c"))
    return chain


def grid_of(
    chunks: ChunkChoice, shards: ShardChoice, lengths: tuple[int, ...], itemsize: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the lengths of stored objects, and of chunks.

    >>> grid_of((2,), (4,), (8,), 1)
    ((4,), (2,))
    """
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


def sharding(inner: tuple[int, ...], chain: list[Any]) -> dict[str, Any]:
    """Return the sharding codec for inner chunks of the lengths `inner`, each encoded by `chain`.

    >>> sharding((2,), ["bytes"])["configuration"]["index_location"]
    'end'
    """
    return _codec(
        "sharding_indexed",
        chunk_shape=list(inner),
        codecs=chain,
        index_codecs=[_codec("bytes", endian="little"), _codec("crc32c")],
        index_location="end",
    )


def _with_compression(
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


def _compression(compress: Compression, kind: DataType, checksum: bool | None) -> list[Any]:  # noqa: FBT001
    if not isinstance(compress, str):
        return spelled_compression(compress)
    name, level = named_compression(compress)
    if name == "zstd":
        return [_codec("zstd", level=level, checksum=checksum is not False)]
    if name == "gzip":
        return [_codec("gzip", level=level)]
    if name == "blosc":
        size = kind.itemsize or 1
        shuffle = "shuffle" if size > 1 else "bitshuffle"
        return [_codec("blosc", cname="lz4", clevel=level, shuffle=shuffle, typesize=size, blocksize=0)]
    return [_codec(f"numcodecs.{name}", **numcodecs_level(name, level))]


def _is_summed(chain: list[Any], checksum: bool | None, *, is_inner: bool) -> bool:  # noqa: FBT001
    """Whether to append crc32c to a chain: on request, unless one of its codecs has its own checksum.

    By default it is appended where all readers support it: in shards, whose readers support crc32c, and
    after lz4. GDAL 3.12 reads neither shards nor crc32c, but blosc and plain chunks.
    """
    if checksum is False or any(_has_sum(codec) for codec in chain):
        return False
    last = chain[-1]
    return (
        checksum is True or is_inner or "numcodecs.lz4" in (last, last.get("name") if is_dict(last) else last)
    )


def _has_sum(codec: str | Mapping[str, Any]) -> bool:
    if isinstance(codec, str):
        return codec in _SUMMED
    configuration: Mapping[str, Any] = codec.get("configuration") or {}
    return codec.get("name") in _SUMMED or (
        codec.get("name") == "zstd" and bool(configuration.get("checksum"))
    )
