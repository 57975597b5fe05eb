"""zarrs, as the codec pipeline of zarr-python 3: hierarchies of v2 and v3 whose chunks it writes."""

from __future__ import annotations

import re
import sys
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

import cases
import written
import zarr
import zarr_python_stores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from written import Node

NOT_ITS_OWN = (
    "LZ4|LZMA|CRC32|Jenkins|Delta|Quantize|AsType|ScaleOffset|lz4 [0-9]|lzma|crc32|jenkins|delta|quantize|"
    "astype|base64|packbits|blosc blosc|lz4hc|adler|fletcher|zfpy|fixed|bitround"
)
"""Codecs that it leaves to zarr-python, whose own stores have them."""

OWN = zarr.config.get("codec_pipeline.path")
zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})


def versions() -> str:
    python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    return f"zarrs {version('zarrs')} (zarr-python {zarr.__version__}) on {python}"


def nodes(place: str, form: str) -> list[Node]:
    """By zarrs; by zarr-python's own codecs where zarrs can't read what it wrote, as in F order."""
    try:
        return list(zarr_python_stores.nodes(place, form))
    except (ValueError, RuntimeError, IndexError):
        with zarr.config.set({"codec_pipeline.path": OWN}):
            return list(zarr_python_stores.nodes(place, form))


def stores() -> Iterator[written.Store]:
    for form in ("v2", "v3"):
        for dtype in (*cases.SIMPLE, *cases.SWAPPED, "string"):
            write = partial(zarr_python_stores.types, dtype)
            yield written.Store(f"{form} type {written.label(dtype)}", form, write)
        for name, chain in zarr_python_stores.chains(form):
            if not re.search(NOT_ITS_OWN, name):
                yield written.Store(f"{form} codecs {name}", form, partial(zarr_python_stores.codecs, chain))
    yield written.Store("v3 shards", "v3", zarr_python_stores.shards)
