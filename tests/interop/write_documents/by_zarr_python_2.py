"""zarr-python 2 as a writer of v2, and of the draft of v3 as it was in 2021."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

from cases import ATTRIBUTES, EVERY, SHAPES, fills, numcodecs_v2, object_codecs

if TYPE_CHECKING:
    from collected import Collected

# Before zarr is imported: it looks once.
os.environ["ZARR_V3_EXPERIMENTAL_API"] = "1"
os.environ["ZARR_V3_SHARDING"] = "1"

import zarr
from zarr._storage.v3 import KVStoreV3
from zarr._storage.v3_storage_transformers import ShardingStorageTransformer


def write(collected: Collected) -> None:
    """zarr-python 2: v2, and the draft of v3 as it was in 2021."""

    def array(**arguments: Any) -> list[tuple[str, Any]]:
        three = arguments.get("zarr_version") == 3
        store: Any = KVStoreV3({}) if three else {}
        zarr.create(store=store, path="a" if three else None, **arguments)
        return list(store.items())

    for zarr_version in (2, 3):
        base = {"shape": (7, 5), "chunks": (3, 4), "zarr_version": zarr_version}
        for dtype, order, separator in itertools.product(EVERY, "CF", "./"):
            for filters, compressor in numcodecs_v2(dtype):
                arguments = {
                    **base,
                    "dtype": dtype,
                    "order": order,
                    "filters": filters,
                    "compressor": compressor,
                    "dimension_separator": separator,
                    "fill_value": 0 if not isinstance(dtype, list) else None,
                }
                collected.attempt(lambda a=arguments: array(**a))
        for dtype in EVERY:
            for fill in fills(dtype):
                collected.attempt(
                    lambda d=dtype, f=fill, b=base: array(**b, dtype=d, fill_value=f, compressor=None)
                )
        for filters, compressor in object_codecs():
            for fill in (0, None, "", "a") if filters[0].codec_id == "vlen-utf8" else (0, None):
                arguments = {
                    **base,
                    "dtype": object,
                    "object_codec": filters[0],
                    "filters": filters[1:],
                    "compressor": compressor,
                    "fill_value": fill,
                }
                collected.attempt(lambda a=arguments: array(**a))
        for (shape, chunks), attributes in itertools.product(SHAPES, ATTRIBUTES):
            collected.attempt(
                lambda s=shape, c=chunks, a=attributes, z=zarr_version: _zarr_2_tree(s, c, a, z)
            )

    for shards, dtype in itertools.product(((2, 2), (1, 3)), ("<f4", "|u1")):
        sharding = ShardingStorageTransformer("indexed", chunks_per_shard=shards)
        arguments = {**base, "dtype": dtype, "storage_transformers": [sharding]}
        collected.attempt(lambda a=arguments: array(**a))


def _zarr_2_tree(
    shape: Any, chunks: Any, attributes: dict[str, Any], zarr_version: int
) -> list[tuple[str, Any]]:
    store: Any = KVStoreV3({}) if zarr_version == 3 else {}
    arguments = {"path": "r"} if zarr_version == 3 else {}
    root = zarr.group(store=store, zarr_version=zarr_version, **arguments)
    root.attrs.update(attributes)
    inner = root.create_group("g").create_dataset("x", shape=shape, chunks=chunks, dtype="<f4")
    inner.attrs.update(attributes)
    if zarr_version == 2:
        zarr.consolidate_metadata(store)
    return list(store.items())
