"""zarr-python 3 as a writer of v2 and v3, with its own codecs or with those of zarrs."""

from __future__ import annotations

import itertools
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr
from cases import ATTRIBUTES, EVERY, SHAPES, SIMPLE, VARIABLE, fills, numcodecs_v2
from collected import folder, kind_of
from zarr import codecs as zc
from zarr.codecs import numcodecs as zn
from zarr.dtype import VariableLengthBytes
from zarr.storage import LocalStore, MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from collected import Collected


def v3_chains(dtype: Any, ndim: int) -> Iterator[dict[str, Any]]:
    """Codec arguments of `zarr.create_array` for v3."""
    yield {}
    bytes_to_bytes: list[tuple[Any, ...]] = [
        (),
        (zc.GzipCodec(level=0),),
        (zc.GzipCodec(level=9),),
        (zc.ZstdCodec(level=-3, checksum=True),),
        (zc.ZstdCodec(level=22),),
        (zc.Crc32cCodec(),),
        (zc.ZstdCodec(), zc.Crc32cCodec()),
        *(
            (zc.BloscCodec(cname=c, clevel=5, shuffle=s),)
            for c in ("lz4", "zstd", "blosclz", "zlib", "snappy", "lz4hc")
            for s in ("noshuffle", "shuffle", "bitshuffle")
        ),
        (zc.BloscCodec(typesize=8, blocksize=512),),
    ]
    for chain in bytes_to_bytes:
        yield {"compressors": chain}
    if ndim > 1:
        order = tuple(reversed(range(ndim)))
        yield {"filters": (zc.TransposeCodec(order=order),), "compressors": ()}
        yield {"filters": (zc.TransposeCodec(order=order),), "compressors": (zc.GzipCodec(),)}
    kind = "O" if dtype in VARIABLE else np.dtype(dtype).kind
    if kind in "biufcmM":
        for endian in ("little", "big"):
            yield {"serializer": zc.BytesCodec(endian=endian), "compressors": ()}
    if kind in "iuf":
        yield {"filters": (zc.ScaleOffset(offset=5, scale=2),), "compressors": ()}
        yield {
            "filters": (zc.CastValue(data_type="int16", rounding="towards-zero", out_of_range="clamp"),),
            "compressors": (),
        }
    yield from numcodecs_v3(dtype, kind)


def numcodecs_v3(dtype: Any, kind: str) -> Iterator[dict[str, Any]]:
    for made in (
        zn.BZ2(level=3),
        zn.LZ4(acceleration=2),
        zn.LZMA(preset=1),
        zn.Zlib(level=1),
        zn.Zstd(level=2),
        zn.GZip(level=3),
        zn.Blosc(cname="zstd", clevel=3, shuffle=2),
        zn.Shuffle(elementsize=4),
        zn.CRC32(),
        zn.CRC32C(),
        zn.Adler32(),
        zn.Fletcher32(),
        zn.JenkinsLookup3(),
    ):
        yield {"compressors": (made,)}
    name = np.dtype(dtype).str if kind != "O" else None
    if kind in "iuf":
        yield {"filters": (zn.Delta(dtype=name),)}
        yield {"filters": (zn.Delta(dtype=name, astype="<i4"),)}
    if kind == "f":
        yield {"filters": (zn.BitRound(keepbits=4),)}
        yield {"filters": (zn.Quantize(digits=3, dtype=name),)}
        yield {"filters": (zn.FixedScaleOffset(offset=1, scale=10, dtype=name, astype="<i2"),)}
        yield {"filters": (zn.AsType(encode_dtype="<f4", decode_dtype=name),)}
    if kind == "b":
        yield {"filters": (zn.PackBits(),)}


def memory(store: Any) -> Iterator[tuple[str, Any]]:
    """The keys and values of zarr-python 3's memory store."""
    for key, value in store._store_dict.items():
        if kind_of(key):
            yield key, value.to_bytes()


def write(collected: Collected) -> None:
    """zarr-python 3: v2 and v3."""

    def array(**arguments: Any) -> Iterator[tuple[str, Any]]:
        store = MemoryStore()
        zarr.create_array(store=store, **arguments)
        return memory(store)

    base = {"shape": (7, 5), "chunks": (3, 4)}
    for dtype, order, separator in itertools.product((*EVERY, *VARIABLE), "CF", "./"):
        for filters, compressor in [(None, None)] if dtype in VARIABLE else numcodecs_v2(dtype):
            arguments = {
                **base,
                "dtype": _named(dtype),
                "zarr_format": 2,
                "order": order,
                "filters": filters,
                "compressors": compressor,
                "chunk_key_encoding": {"name": "v2", "separator": separator},
            }
            collected.attempt(lambda a=arguments: array(**a))
    for dtype in (*EVERY, *VARIABLE):
        for fill in ("", "a", b"", b"x", None) if dtype in VARIABLE else fills(dtype):
            for zarr_format in (2, 3):
                arguments = {
                    **base,
                    "dtype": _named(dtype),
                    "zarr_format": zarr_format,
                    "fill_value": fill,
                    "compressors": None,
                }
                collected.attempt(lambda a=arguments: array(**a))
        for separator, name in itertools.product("./", ("default", "v2")):
            encoding = {"name": name, "separator": separator}
            for chain in v3_chains(dtype, 2):
                arguments = {**base, "dtype": _named(dtype), "chunk_key_encoding": encoding, **chain}
                collected.attempt(lambda a=arguments: array(**a))
    for dtype, location in itertools.product(("|u1", "<f4", "string"), ("start", "end")):
        for chain in v3_chains(dtype, 2):
            arguments = {
                "shape": (8, 8),
                "chunks": (2, 2),
                "dtype": _named(dtype),
                "shards": {"shape": (4, 4), "index_location": location},
                **chain,
            }
            collected.attempt(lambda a=arguments: array(**a))
    for (shape, chunks), attributes, zarr_format in itertools.product(SHAPES, ATTRIBUTES, (2, 3)):
        arguments = {
            "shape": shape,
            "chunks": chunks,
            "dtype": "<i4",
            "attributes": attributes,
            "zarr_format": zarr_format,
        }
        collected.attempt(lambda a=arguments: array(**a))
        if zarr_format == 3:
            names = [None, "x", ""][: len(shape)]
            collected.attempt(lambda a={**arguments, "dimension_names": names}: array(**a))
    with zarr.config.set({"array.rectilinear_chunks": True}):
        for chunks in ([[3, 4], [5]], [[2, 2, 3], [1, 1, 3]], [[1] * 7, [2, 3]]):
            collected.attempt(lambda c=chunks: array(shape=(7, 5), chunks=c, dtype="<f8"))
    for zarr_format in (2, 3):
        collected.attempt(lambda z=zarr_format: _zarr_tree(z))


def _named(dtype: Any) -> Any:
    return VariableLengthBytes() if isinstance(dtype, str) and dtype == "bytes" else dtype


def _zarr_tree(zarr_format: int) -> Iterator[tuple[str, Any]]:
    store = MemoryStore()
    root = zarr.create_group(store, zarr_format=zarr_format, attributes={"title": "a"})
    for name in ("a", "b/c"):
        group = root.create_group(name, attributes={"n": 1} if name == "a" else {})
        group.create_array("x", shape=(4,), chunks=(2,), dtype="<f4", fill_value=float("nan"))
        group.create_array("s", shape=(4,), chunks=(2,), dtype="string" if zarr_format == 3 else "<U3")
    zarr.consolidate_metadata(store)
    return memory(store)


def write_with_zarrs(collected: Collected) -> None:
    """zarr-python 3 with the codecs of zarrs: what it writes and fills chunks of."""
    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    for dtype in (*SIMPLE, "string"):
        for chain in v3_chains(dtype, 2):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:

                def write(
                    chain: dict[str, Any] = chain, dtype: str = dtype, root: str = root
                ) -> Iterator[tuple[str, Any]]:
                    array = zarr.create_array(
                        LocalStore(root), shape=(7, 5), chunks=(3, 4), dtype=dtype, **chain
                    )
                    array[...] = "a" if dtype == "string" else 1
                    return folder(root)

                collected.attempt(write)
