"""Documents of arrays as the creation options of GDAL's Zarr driver."""

from __future__ import annotations

from typing import Any

V2_NAMES = {"zlib": "ZLIB", "gzip": "GZIP", "lzma": "LZMA", "zstd": "ZSTD", "lz4": "LZ4", "blosc": "BLOSC"}
SHUFFLES = {0: "NONE", 1: "BYTE", 2: "BIT", "noshuffle": "NONE", "shuffle": "BYTE", "bitshuffle": "BIT"}


class Unsupported(Exception):
    """GDAL has no option for it."""


def options(form: str, document: dict[str, Any]) -> dict[str, str]:
    """What to ask GDAL for; Unsupported where it can't be asked."""
    made = _v3(document) if form == "v3" else _v2(form, document)
    chunks = (
        document["chunk_grid"]["configuration"].get("chunk_shape") if form == "v3" else document["chunks"]
    )
    if not chunks:
        raise Unsupported("no chunks of one shape")
    made["BLOCKSIZE"] = ",".join(map(str, chunks))
    return made


def _v2(form: str, document: dict[str, Any]) -> dict[str, str]:
    if "shards" in document:
        raise Unsupported("sharding")
    made = {
        "CHUNK_MEMORY_LAYOUT": document["order"],
        "DIM_SEPARATOR": document.get("dimension_separator", "."),
        **_compressor(document["compressor"]),
    }
    filters = document["filters"] or []
    if filters:
        if len(filters) > 1 or filters[0]["id"] != "delta" or form == "draft" or filters[0].get("astype"):
            raise Unsupported(f"filters {filters}")
        made.update(FILTER="DELTA", DELTA_DTYPE=filters[0]["dtype"])
    return made


def _compressor(given: dict[str, Any] | None) -> dict[str, str]:
    if given is None:
        return {"COMPRESS": "NONE"}
    name = V2_NAMES.get(given["id"])
    if name is None:
        raise Unsupported(f"compressor {given['id']}")
    made = {"COMPRESS": name}
    if name == "BLOSC":
        made.update(_blosc(given))
    elif name in {"ZLIB", "GZIP", "ZSTD"}:
        made[f"{name}_LEVEL"] = str(max(given["level"], 1))
    return made


def _blosc(given: dict[str, Any]) -> dict[str, str]:
    return {
        "BLOSC_CNAME": given["cname"],
        "BLOSC_CLEVEL": str(given["clevel"]),
        "BLOSC_SHUFFLE": SHUFFLES[given["shuffle"]],
    }


def _v3(document: dict[str, Any]) -> dict[str, str]:
    encoding = document["chunk_key_encoding"]
    if encoding["name"] != "default":
        raise Unsupported(f"chunk keys {encoding['name']}")
    made = {"DIM_SEPARATOR": encoding["configuration"]["separator"], "COMPRESS": "NONE"}
    for codec in document["codecs"]:
        name, given = codec["name"], codec.get("configuration", {})
        if name == "bytes":
            if given.get("endian") == "big":
                made["@ENDIAN"] = "BIG"
        elif name == "transpose" and given["order"] == list(range(len(document["shape"])))[::-1]:
            made["CHUNK_MEMORY_LAYOUT"] = "F"
        elif name in {"gzip", "zstd"} and made["COMPRESS"] == "NONE":
            made.update({"COMPRESS": name.upper(), f"{name.upper()}_LEVEL": str(max(given["level"], 1))})
            if given.get("checksum"):
                made["ZSTD_CHECKSUM"] = "YES"
        elif name == "blosc" and made["COMPRESS"] == "NONE":
            made.update({"COMPRESS": "BLOSC", **_blosc(given)})
        else:
            raise Unsupported(f"codec {name}")
    return made
