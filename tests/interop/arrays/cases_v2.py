"""Cases of Zarr v2: data types by filters and compressors; and the draft of 2021, which had the same."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from cases import CHUNK, SHAPE, Case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAT = -(2**63)
NUMBERS = [f"{order}{kind}{size}" for kind in "iu" for size in (2, 4, 8) for order in "<>"]
FLOATS = [f"{order}f{size}" for size in (2, 4, 8) for order in "<>"]
STRUCT = [["x", "<i4"], ["y", ">f8"], ["b", "|b1"], ["s", "|S3"], ["u", "<U2"], ["t", "<M8[s]"]]
NESTED = [["p", [["u", "<f4"], ["v", ">i2"]]], ["q", "<c8"]]
SUBARRAYS = [["m", "<f4", [2, 3]], ["n", "|i1"]]
OWN = ("bfloat16", "int4", "int2", "float8_e5m2", "float8_e4m3fn", "float4_e2m1fn")

# By the name in the table: dtype, fill value, kind and bytes of an element.
TYPES: dict[str, tuple[Any, Any, str, int]] = {
    "|b1": ("|b1", False, "b", 1),
    "|i1": ("|i1", 0, "i", 1),
    "|u1": ("|u1", 0, "u", 1),
    **{name: (name, 0, name[1], int(name[2])) for name in NUMBERS},
    **{name: (name, 0.0, "f", int(name[2])) for name in FLOATS},
    **{f"{order}c{size}": (f"{order}c{size}", [0.0, 0.0], "c", size) for size in (8, 16) for order in "<>"},
    **{
        name: (name, 0, name[1], 8)
        for name in ("<M8[ns]", "<M8[10us]", ">M8[D]", "<m8[s]", "<m8[25s]", ">m8[ms]")
    },
    "<M8": ("<M8", NAT, "M", 8),
    "|S5": ("|S5", "", "S", 5),
    "<U4": ("<U4", "", "U", 16),
    ">U4": (">U4", "", "U", 16),
    "|V3": ("|V3", "AAAA", "V", 3),
    "struct": (STRUCT, base64.b64encode(bytes(32)).decode(), "struct", 32),
    "struct nested": (NESTED, None, "struct", 14),
    "struct with sub-arrays": (SUBARRAYS, None, "struct", 25),
    **{name: (name, 0, "ml", 2 if name == "bfloat16" else 1) for name in OWN},
}

COMPRESSORS: dict[str, dict[str, Any]] = {
    "blosc": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    "gzip": {"id": "gzip", "level": 1},
    "zlib": {"id": "zlib", "level": 1},
    "bz2": {"id": "bz2", "level": 1},
    "lzma": {"id": "lzma", "format": 1, "check": -1, "preset": 1, "filters": None},
    "lz4": {"id": "lz4", "acceleration": 1},
    "zstd": {"id": "zstd", "level": 1},
    "adler32": {"id": "adler32"},
    "crc32": {"id": "crc32"},
    "crc32c": {"id": "crc32c"},
    "fletcher32": {"id": "fletcher32"},
    "jenkins_lookup3": {"id": "jenkins_lookup3", "initval": 0, "prefix": None},
    "base64": {"id": "base64"},
}
CHECKSUMS = ("adler32", "crc32", "crc32c", "fletcher32", "jenkins_lookup3", "base64")


def document(
    dtype: Any,
    fill: Any,
    compressor: dict[str, Any] | None = None,
    filters: Sequence[dict[str, Any]] = (),
    shape: Sequence[int] = SHAPE,
    chunk: Sequence[int] = CHUNK,
    **more: Any,
) -> dict[str, Any]:
    return {
        "zarr_format": 2,
        "shape": list(shape),
        "chunks": list(chunk),
        "dtype": dtype,
        "compressor": compressor,
        "fill_value": fill,
        "order": "C",
        "filters": list(filters) or None,
        **more,
    }


Chain = tuple[str, dict[str, Any], dict[str, Any]]


def v2_cases() -> Iterator[Case]:
    for name, (dtype, fill, kind, size) in TYPES.items():
        for label, facts, more in chains(dtype, kind, size):
            yield Case("v2", name, label, document(dtype, fill, **facts), **more)
    yield from objects("v2")


def draft_cases() -> Iterator[Case]:
    """What zarr-python 2 wrote as v3 had compressors, and filters in its attributes."""
    wanted = {
        "no codec",
        "order F",
        "blosc",
        "gzip",
        "zlib",
        "bz2",
        "lz4",
        "lzma",
        "zstd",
        "shuffle",
        "delta",
    }
    for name, (dtype, fill, kind, size) in TYPES.items():
        if kind == "ml":
            continue
        for label, facts, more in chains(dtype, kind, size):
            if label in wanted:
                given = {"dimension_separator": "/", **facts}
                yield Case("draft", name, label, document(dtype, fill, **given), **more)
        for shards in ((1, 1), (2, 2)):
            given = {"dimension_separator": "/", "shards": list(shards), "shape": (9, 7), "chunk": (2, 3)}
            made = document(dtype, fill, COMPRESSORS["gzip"], **given)
            yield Case("draft", name, "sharding", made, variant=f"{shards[0]} by {shards[1]}")
    yield from objects("draft")


def chains(dtype: Any, kind: str, size: int) -> Iterator[Chain]:
    yield "no codec", {}, {}
    yield "order F", {"order": "F"}, {}
    for label, compressor in COMPRESSORS.items():
        yield label, {"compressor": compressor}, {}
    for label in CHECKSUMS if dtype in ("<f4", ">i2", "<U4") else ():
        yield label, {"filters": [COMPRESSORS[label]]}, {"variant": "as a filter"}
    shuffle = {"id": "shuffle", "elementsize": size}
    yield "shuffle", {"filters": [shuffle], "compressor": COMPRESSORS["zlib"]}, {}
    if kind == "b":
        yield "packbits", {"filters": [{"id": "packbits"}]}, {}
    if kind == "U":
        labels = {"id": "categorize", "dtype": dtype, "astype": "|u1", "labels": ["a", "naïve", "日本"]}
        yield "categorize", {"filters": [labels]}, {"lossy": True}
    if kind in "iuf":
        yield from numbers(dtype, kind, size)
    if dtype in ("<f4", "<i2"):
        yield from variants()


def numbers(dtype: str, kind: str, size: int) -> Iterator[Chain]:
    tame: dict[str, Any] = {"kind": "tame"}
    yield (
        "delta",
        {"filters": [{"id": "delta", "dtype": dtype}], "compressor": COMPRESSORS["blosc"]},
        dict(tame),
    )
    delta = [{"id": "delta", "dtype": dtype, "astype": "<i4"}, {"id": "delta", "dtype": "<i4"}]
    yield "delta", {"filters": delta, "order": "F"}, {**tame, "variant": "twice, order F"}
    low = 0 if kind == "u" else -50
    offset = {"id": "fixedscaleoffset", "offset": low, "scale": 2, "dtype": dtype, "astype": "|u1"}
    yield "fixedscaleoffset", {"filters": [offset]}, dict(tame)
    as_type = {"id": "astype", "encode_dtype": "<f8" if size < 8 else ">f8", "decode_dtype": dtype}
    yield "astype", {"filters": [as_type]}, dict(tame)
    if kind == "f":
        quantize = {"id": "quantize", "digits": 2, "dtype": dtype, "astype": dtype}
        yield "quantize", {"filters": [quantize]}, {**tame, "lossy": True}
        bits = {"id": "bitround", "keepbits": 5}
        yield "bitround", {"filters": [bits], "compressor": COMPRESSORS["zstd"]}, {**tame, "lossy": True}
    if kind in "if" and size >= 4:
        zfpy = {
            "id": "zfpy",
            "mode": 5,
            "tolerance": -1,
            "rate": -1,
            "precision": -1,
            "compression_kwargs": {},
        }
        yield "zfpy", {"compressor": zfpy}, {"kind": "tame" if kind == "f" else "any"}
    if size > 1:
        pcodec = {"id": "pcodec", "level": 8, "mode_spec": "auto", "delta_spec": "auto"}
        pages = {
            "paging_spec": "equal_pages_up_to",
            "delta_encoding_order": None,
            "equal_pages_up_to": 262144,
        }
        yield "pcodec", {"compressor": {**pcodec, **pages}}, {}


def variants() -> Iterator[Chain]:
    for name in ("lz4", "lz4hc", "blosclz", "zlib", "zstd"):
        for shuffle in (0, 1, 2, -1):
            made = {"id": "blosc", "cname": name, "clevel": 3, "shuffle": shuffle, "blocksize": 0}
            yield "blosc", {"compressor": made}, {"variant": f"{name} {shuffle}"}
    for name, level in (
        ("gzip", 0),
        ("gzip", 9),
        ("zlib", 0),
        ("zlib", 9),
        ("bz2", 9),
        ("zstd", -5),
        ("zstd", 22),
    ):
        yield name, {"compressor": {"id": name, "level": level}}, {"variant": f"level {level}"}
    delta = [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]
    raw = {"id": "lzma", "format": 3, "check": -1, "preset": None, "filters": delta}
    yield "lzma", {"compressor": raw}, {"variant": "raw with delta"}
    yield "lz4", {"compressor": {"id": "lz4", "acceleration": 9}}, {"variant": "acceleration 9"}
    for separator in "./":
        for order in "CF":
            facts = {"dimension_separator": separator, "order": order, "compressor": COMPRESSORS["zlib"]}
            yield "zlib", facts, {"variant": f"{order} order, separator {separator}"}


def objects(form: str) -> Iterator[Case]:
    """Arrays of Python objects, by the codec that makes bytes of them."""
    codecs = {
        "vlen-utf8": ({"id": "vlen-utf8"}, "texts", ""),
        "vlen-bytes": ({"id": "vlen-bytes"}, "bytes", 0),
        "vlen-array": ({"id": "vlen-array", "dtype": "<i4"}, "arrays", None),
        "json2": (
            {
                "id": "json2",
                "encoding": "utf-8",
                "allow_nan": True,
                "check_circular": True,
                "ensure_ascii": True,
                "indent": None,
                "separators": [",", ":"],
                "skipkeys": False,
                "sort_keys": True,
                "strict": True,
            },
            "json",
            None,
        ),
        "msgpack2": (
            {"id": "msgpack2", "raw": False, "use_bin_type": True, "use_single_float": False},
            "json",
            None,
        ),
        "categorize": (
            {"id": "categorize", "dtype": "|O", "astype": "|u1", "labels": ["low", "højde", "top"]},
            "labels",
            "",
        ),
        "pickle": ({"id": "pickle", "protocol": 5}, "json", None),
    }
    separator = {"dimension_separator": "/"} if form == "draft" else {}
    for label, (given, kind, fill) in codecs.items():
        for variant, facts in {
            "": {},
            "order F": {"order": "F"},
            "zstd": {"compressor": COMPRESSORS["zstd"]},
            "blosc": {"compressor": COMPRESSORS["blosc"]},
        }.items():
            made = document("|O", fill, **{**separator, **facts}, filters=[given])
            yield Case(form, "|O", label, made, kind=kind, variant=variant)
        if form == "v2" and label != "categorize":
            made = document("|O", fill, COMPRESSORS["zlib"], [given, COMPRESSORS["crc32"]])
            yield Case(form, "|O", label, made, kind=kind, variant="crc32, zlib")
