"""zarr-python 2: v2, and the draft of v3 as it was in 2021."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

# Before zarr is imported: it looks once.
os.environ["ZARR_V3_EXPERIMENTAL_API"] = "1"
os.environ["ZARR_V3_SHARDING"] = "1"

import numcodecs
import zarr
from zarr._storage.v3_storage_transformers import ShardingStorageTransformer
from zarr.meta import Metadata2


def versions() -> str:
    return (
        f"zarr-python {zarr.__version__} (numcodecs {numcodecs.__version__}) on Python "
        f"{sys.version_info[0]}.{sys.version_info[1]}"
    )


def _store(folder: str, form: str) -> Any:
    return zarr.DirectoryStoreV3(folder) if form == "draft" else zarr.DirectoryStore(folder)


def write(folder: str, form: str, document: dict[str, Any], data: Any, region: Any) -> None:
    document = dict(document)
    shards = document.pop("shards", None)
    meta = Metadata2.decode_array_metadata(json.dumps(document).encode())
    filters = [numcodecs.get_codec(dict(one)) for one in meta["filters"] or []]
    arguments: dict[str, Any] = {}
    if meta["dtype"].kind == "O":
        arguments["object_codec"] = filters.pop(0)
    if form == "draft":
        arguments["zarr_version"] = 3
    if shards is not None:
        arguments["storage_transformers"] = [ShardingStorageTransformer("indexed", chunks_per_shard=shards)]
    array = zarr.create(
        store=_store(folder, form),
        path="a",
        shape=meta["shape"],
        chunks=meta["chunks"],
        dtype=meta["dtype"],
        compressor=None if meta["compressor"] is None else numcodecs.get_codec(dict(meta["compressor"])),
        filters=filters or None,
        order=meta["order"],
        fill_value=meta["fill_value"],
        dimension_separator=meta.get("dimension_separator", "."),
        **arguments,
    )
    array[region] = data[region]


def read(folder: str, form: str, document: dict[str, Any], dtype: Any) -> Any:
    version = {"zarr_version": 3} if form == "draft" else {}
    return zarr.open_array(store=_store(folder, form), path="a", mode="r", **version)[...]
