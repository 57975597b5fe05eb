"""Cases of Zarr v3: data types by codecs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cases import CHUNK, SHAPE, WHOLE, Case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    JSON = Any


def codec(name: str, **configuration: Any) -> dict[str, Any]:
    # zarr-python wants a configuration of all numcodecs, an empty one, too.
    whole = configuration or name.startswith("numcodecs.")
    return {"name": name, "configuration": configuration} if whole else {"name": name}


LITTLE, BIG = codec("bytes", endian="little"), codec("bytes", endian="big")
CRC32C = codec("crc32c")


def _fields(*pairs: tuple[str, JSON]) -> list[dict[str, JSON]]:
    return [{"name": name, "data_type": kind} for name, kind in pairs]


def sized(name: str, length: int) -> dict[str, JSON]:
    return codec(name, length_bytes=length)


def time(name: str, unit: str, scale: int) -> dict[str, JSON]:
    return codec(f"numpy.{name}64", unit=unit, scale_factor=scale)


# By the name in the table: the data type, its fill value, what numpy calls its kind, and bytes of an element.
INTEGERS = {f"{sign}int{8 * size}": size for size in (1, 2, 4, 8) for sign in ("", "u")}
FLOATS = {"float16": 2, "float32": 4, "float64": 8}
SMALL_FLOATS = (
    "float4_e2m1fn",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e4m3b11fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
)
TYPES: dict[str, tuple[JSON, JSON, str, int]] = {
    "bool": ("bool", False, "b", 1),
    **{name: (name, 0, name[0], size) for name, size in INTEGERS.items()},
    **{name: (name, 0.0, "f", size) for name, size in FLOATS.items()},
    "complex64": ("complex64", [0.0, 0.0], "c", 8),
    "complex128": ("complex128", [0.0, 0.0], "c", 16),
    **{
        f"complex_{name}": (f"complex_{name}", [fill, fill], "parts", size)
        for name, fill, size in (
            ("float16", 0.0, 4),
            ("bfloat16", 0.0, 4),
            *((name, 1.0 if "e8m0" in name else 0.0, 2) for name in SMALL_FLOATS if name != "float8_e4m3fn"),
        )
    },
    "numpy.datetime64 ns": (time("datetime", "ns", 1), "NaT", "M", 8),
    "numpy.datetime64 10 us": (time("datetime", "us", 10), 0, "M", 8),
    "numpy.datetime64 D": (time("datetime", "D", 1), 0, "M", 8),
    "numpy.datetime64 generic": (time("datetime", "generic", 1), "NaT", "M", 8),
    "numpy.timedelta64 s": (time("timedelta", "s", 1), 0, "m", 8),
    "numpy.timedelta64 25 s": (time("timedelta", "s", 25), "NaT", "m", 8),
    "fixed_length_utf32": (sized("fixed_length_utf32", 16), "", "U", 16),
    "null_terminated_bytes": (sized("null_terminated_bytes", 5), "", "S", 5),
    "raw_bytes": (sized("raw_bytes", 3), "AAAA", "V", 3),
    "r24": ("r24", [0, 0, 0], "V", 3),
    "r8": ("r8", [0], "V", 1),
    "struct": (
        codec("struct", fields=_fields(("x", "int32"), ("y", "float64"), ("b", "bool"))),
        {"x": 0, "y": 0.0, "b": False},
        "struct",
        13,
    ),
    "struct nested": (
        codec(
            "struct",
            fields=_fields(
                ("p", codec("struct", fields=_fields(("u", "complex64"), ("t", time("datetime", "s", 1))))),
                ("s", sized("null_terminated_bytes", 3)),
                ("w", sized("fixed_length_utf32", 8)),
            ),
        ),
        {"p": {"u": [0.0, 0.0], "t": 0}, "s": "", "w": ""},
        "struct",
        27,
    ),
    "structured": (
        codec("structured", fields=[["x", "int32"], ["y", "float64"], ["z", "uint16"]]),
        "AAAAAAAAAAAAAAAAAAA=",
        "struct",
        14,
    ),
    "bfloat16": ("bfloat16", 0.0, "ml", 2),
    **{name: (name, 1.0 if "e8m0" in name else 0.0, "ml", 1) for name in SMALL_FLOATS},
    **{name: (name, 0, "ml", 1) for name in ("int2", "int4", "uint2", "uint4")},
    "string": ("string", "", "T", 0),
    "bytes": ("bytes", "", "O", 0),
}


def document(
    data_type: JSON,
    fill: JSON,
    codecs: Sequence[JSON],
    shape: Sequence[int] = SHAPE,
    chunk: Sequence[int] = CHUNK,
    **more: Any,
) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunk)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill,
        "codecs": list(codecs),
        "attributes": {},
        **more,
    }


def shard(
    inner: Sequence[int],
    codecs: Sequence[JSON],
    location: str = "end",
    index: Sequence[JSON] = (LITTLE, CRC32C),
) -> dict[str, Any]:
    return codec(
        "sharding_indexed",
        chunk_shape=list(inner),
        codecs=list(codecs),
        index_codecs=list(index),
        index_location=location,
    )


def serializer(kind: str, size: int, endian: str = "little") -> dict[str, Any]:
    """The plain array->bytes codec of a data type."""
    if kind in {"T", "O"}:
        return codec("vlen-utf8" if kind == "T" else "vlen-bytes")
    if kind in {"b", "S", "V"} or size == 1 or (kind == "parts" and size == 2):
        return codec("bytes")
    return codec("bytes", endian=endian)


COMPRESSORS: dict[str, list[dict[str, Any]]] = {
    "gzip": [codec("gzip", level=5)],
    "zstd": [codec("zstd", level=3, checksum=False)],
    "crc32c": [CRC32C],
    "numcodecs.bz2": [codec("numcodecs.bz2", level=1)],
    "numcodecs.lz4": [codec("numcodecs.lz4", acceleration=1)],
    "numcodecs.lzma": [codec("numcodecs.lzma", preset=1)],
    "numcodecs.zlib": [codec("numcodecs.zlib", level=1)],
    "numcodecs.gzip": [codec("numcodecs.gzip", level=1)],
    "numcodecs.zstd": [codec("numcodecs.zstd", level=1)],
    "numcodecs.blosc": [codec("numcodecs.blosc", cname="lz4", clevel=5, shuffle=1, blocksize=0)],
    "numcodecs.adler32": [codec("numcodecs.adler32")],
    "numcodecs.crc32": [codec("numcodecs.crc32")],
    "numcodecs.crc32c": [codec("numcodecs.crc32c")],
    "numcodecs.fletcher32": [codec("numcodecs.fletcher32")],
    "numcodecs.jenkins_lookup3": [codec("numcodecs.jenkins_lookup3")],
}


def blosc(size: int, name: str, shuffle: str) -> dict[str, Any]:
    return codec("blosc", cname=name, clevel=5, shuffle=shuffle, typesize=max(size, 1), blocksize=0)


def v3_cases() -> Iterator[Case]:
    for name, (data_type, fill, kind, size) in TYPES.items():
        for label, codecs, more in chains(name, kind, size):
            shape, chunk = more.pop("shape", SHAPE), more.pop("chunk", CHUNK)
            made = document(data_type, more.pop("fill", fill), codecs, shape, chunk)
            values = {"T": "texts", "O": "bytes"}.get(kind, "any")
            yield Case("v3", name, label, made, **{"kind": values, **more})


Chain = tuple[str, list[Any], dict[str, Any]]


def chains(name: str, kind: str, size: int) -> Iterator[Chain]:
    plain = serializer(kind, size)
    yield plain["name"], [plain], {}
    if "endian" in plain.get("configuration", {}):
        yield plain["name"], [serializer(kind, size, "big")], {"variant": "big-endian"}
    yield "transpose", [codec("transpose", order=[1, 0]), plain], {}
    for label, compressor in COMPRESSORS.items():
        yield label, [plain, *compressor], {}
    yield "blosc", [plain, blosc(size, "lz4", "shuffle" if size > 1 else "bitshuffle")], {}
    yield "numcodecs.shuffle", [plain, codec("numcodecs.shuffle", elementsize=max(size, 1))], {}
    big = {"shape": (9, 7), "chunk": (4, 6)}
    yield "sharding_indexed", [shard((2, 3), [plain, codec("zstd", level=1, checksum=True)])], dict(big)
    start = shard((2, 2), [codec("transpose", order=[1, 0]), plain], "start")
    yield "sharding_indexed", [start], {**big, "variant": "index at the start, transposed"}
    if kind in {"b", "u", "i"} or name in {"int2", "int4", "uint2", "uint4"}:
        yield "packbits", [codec("packbits")], {}
    yield from filters(name, kind, size, plain)
    if name in {"float32", "int16"}:
        yield from variants(size, plain)


def filters(name: str, kind: str, size: int, plain: dict[str, Any]) -> Iterator[Chain]:
    """Codecs that work on numbers."""
    # zarrs can't reshape parts of chunks, as there are at the edges.
    yield "reshape", [codec("reshape", shape=[[0, 1]]), plain], {"shape": WHOLE}
    if kind == "b":
        yield "numcodecs.packbits", [codec("numcodecs.packbits"), codec("bytes")], {}
    if kind not in {"i", "u", "f"}:
        return
    dtype = f"{'<' if size > 1 else '|'}{kind}{size}"
    tame: dict[str, Any] = {"kind": "tame"}
    yield "numcodecs.delta", [codec("numcodecs.delta", dtype=dtype), plain], dict(tame)
    low = 0 if kind == "u" else -50
    offset = codec("numcodecs.fixedscaleoffset", offset=low, scale=2, dtype=dtype, astype="|u1")
    yield "numcodecs.fixedscaleoffset", [offset, codec("bytes")], dict(tame)
    cast = codec("cast_value", data_type="int16", rounding="towards-zero", out_of_range="clamp")
    yield "cast_value", [cast, LITTLE], dict(tame)
    yield "cast_value", [codec("cast_value", data_type="float64"), BIG], {**tame, "variant": "to float64"}
    yield "scale_offset", [codec("scale_offset", offset=int(kind != "u"), scale=2), plain], dict(tame)
    if size > 1:
        yield "numcodecs.pcodec", [codec("numcodecs.pcodec", level=8)], {}
    if kind == "f":
        yield (
            "numcodecs.astype",
            [codec("numcodecs.astype", encode_dtype="<f8", decode_dtype=dtype), LITTLE],
            {**tame},
        )
        yield "numcodecs.bitround", [codec("numcodecs.bitround", keepbits=4), plain], {"lossy": True, **tame}
        yield "bitround", [codec("bitround", keepbits=4), plain], {"lossy": True, **tame}
        digits = codec("numcodecs.quantize", digits=2, dtype=dtype)
        yield "numcodecs.quantize", [digits, plain], {"lossy": True, **tame}
    if size >= 4 and kind in {"i", "f"}:
        zfpy = codec("numcodecs.zfpy", mode=5, tolerance=-1, rate=-1, precision=-1)
        yield "numcodecs.zfpy", [zfpy], {"kind": "tame" if kind == "f" else "any"}
        yield "zfp", [codec("zfp", mode="reversible")], dict(tame)


def variants(size: int, plain: dict[str, Any]) -> Iterator[Chain]:
    """What there is to choose within one codec."""
    for name in ("lz4", "lz4hc", "blosclz", "zlib", "zstd", "snappy"):
        for shuffle in ("noshuffle", "shuffle", "bitshuffle"):
            yield "blosc", [plain, blosc(size, name, shuffle)], {"variant": f"{name} {shuffle}"}
    for level in (0, 1, 9):
        yield "gzip", [plain, codec("gzip", level=level)], {"variant": f"level {level}"}
    for level, checksum in ((-5, True), (1, False), (22, True)):
        made = codec("zstd", level=level, checksum=checksum)
        yield "zstd", [plain, made], {"variant": f"level {level} checksum {checksum}"}
    yield "zstd", [BIG, codec("zstd", level=3, checksum=False), CRC32C], {"variant": "big-endian, crc32c"}
    zstd = codec("zstd", level=3, checksum=False)
    big: dict[str, Any] = {"shape": (17, 13), "chunk": (8, 12)}
    turn = codec("transpose", order=[1, 0])
    for variant, chain in {
        "plain": [shard((4, 6), [plain])],
        "one inner chunk": [shard((8, 12), [plain, CRC32C])],
        "index without a checksum": [shard((4, 6), [plain], index=(LITTLE,))],
        "big-endian index": [shard((4, 6), [BIG], "start", (BIG, CRC32C))],
        "nested": [shard((4, 6), [shard((2, 3), [plain, zstd])])],
        "nested, indexes at the start": [shard((4, 6), [shard((2, 3), [plain, zstd], "start")], "start")],
        "nested thrice": [shard((4, 6), [shard((2, 6), [shard((1, 2), [plain])])])],
        "transpose before": [turn, shard((6, 4), [plain, zstd])],
        "a codec behind": [shard((4, 6), [plain]), codec("gzip", level=1)],
    }.items():
        yield "sharding_indexed", chain, {**big, "variant": variant}
        yield (
            "sharding_indexed",
            chain,
            {
                **big,
                "variant": f"{variant}, in part",
                "region": ((0, 3), (5, 13)),
                "fill": 7,
            },
        )
