"""What is worth writing: data types, shapes, attributes, fill values, and v2 filters and compressors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SIMPLE = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16")
SWAPPED = (">i2", ">u4", ">i8", ">f2", ">f4", ">f8", ">c16")
SIZED = ("|S1", "|S7", "<U1", "<U4", ">U4", "|V1", "|V6")
TIMES = ("<M8[ns]", "<M8[10us]", ">M8[D]", "<m8[s]", "<m8[25s]", "<M8[Y]", "<m8", "<M8")
STRUCTS = (
    [("x", "<i4"), ("y", "<f8")],
    [("x", ">i2"), ("s", "S3"), ("u", "<U2")],
    [("r", "|u1"), ("g", "|b1"), ("t", "<M8[s]")],
    [("p", [("u", "<f4"), ("v", ">i2")]), ("q", "<c8")],
    [("m", "<f4", (2, 3)), ("n", "|i1")],
)
VARIABLE = ("string", "bytes")
EVERY = (*SIMPLE, *SWAPPED, *SIZED, *TIMES, *STRUCTS)
SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((), ()),
    ((0,), (1,)),
    ((9,), (4,)),
    ((7, 5), (3, 4)),
    ((3, 4, 5), (2, 3, 2)),
)
ATTRIBUTES = (
    {},
    {"title": "é€😀", "big": 2**60, "nested": {"a": [1, 2.5, None, True]}, "_ARRAY_DIMENSIONS": ["y", "x"]},
    {"scale": 1e-300, "empty": {}, "list": []},
    {"valid_min": float("nan"), "range": [-float("inf"), float("inf")]},
)


def floats() -> tuple[float, ...]:
    return (0.0, -0.0, 1.5, -1e300, float("nan"), float("inf"), -float("inf"), 1e-7, 3)


def fills(dtype: Any) -> Iterator[Any]:
    """Fill values worth writing for a data type."""
    import numpy as np

    made = np.dtype(dtype)
    if made.kind == "f":
        limit = float(np.finfo(made).max)
        yield from (
            value for value in floats() if np.isnan(value) or abs(value) <= limit or value in floats()[4:]
        )
    elif made.kind == "c":
        yield from (0, 1 + 2j, complex(float("nan"), -float("inf")), complex(-0.0, 0.0))
    elif made.kind in "iu":
        yield from (0, 1, int(np.iinfo(made).min), int(np.iinfo(made).max))
    elif made.kind == "b":
        yield from (False, True)
    elif made.kind == "S":
        yield from (b"", b"a", b"\xff")
    elif made.kind == "U":
        yield from ("", "é", "0")
    elif made.kind == "V" and made.names is None:
        yield from (b"\0" * made.itemsize, b"\xfe" * made.itemsize)
    elif made.kind in "Mm":
        unit = np.datetime_data(made)
        kind = np.datetime64 if made.kind == "M" else np.timedelta64
        yield from ((kind("NaT", unit), kind(5, unit), kind(0, unit)) if unit[0] != "generic" else ())
    yield None


def numcodecs_v2(dtype: Any) -> Iterator[tuple[list[Any] | None, Any]]:
    """Filters and compressor for v2 that go with a data type."""
    import numcodecs as nc
    import numpy as np

    compressors = [
        None,
        *(
            nc.Blosc(name, 5, shuffle)
            for name in ("lz4", "zstd", "zlib", "blosclz", "lz4hc")
            for shuffle in (0, 1, 2)
        ),
        nc.Blosc("lz4", 1, -1, 512),
        nc.GZip(1),
        nc.GZip(9),
        nc.Zlib(0),
        nc.BZ2(9),
        nc.LZMA(),
        nc.LZMA(format=3, filters=[{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]),
        nc.LZ4(3),
        nc.Zstd(-5),
        nc.Zstd(22),
        nc.Zstd(3, checksum=True) if "checksum" in nc.Zstd(1).get_config() else nc.Zstd(3),
    ]
    for compressor in compressors:
        yield None, compressor
    made = np.dtype(dtype)
    size = made.itemsize
    yield [nc.Shuffle(size)], nc.Zlib(1)
    for checksum in ("CRC32", "Adler32", "Fletcher32", "JenkinsLookup3", "CRC32C"):
        if hasattr(nc, checksum):
            yield [getattr(nc, checksum)()], None
            yield None, getattr(nc, checksum)()
    if made.kind in "iuf":
        yield [nc.Delta(made.str)], nc.Blosc()
        yield [nc.Delta(made.str, made.str), nc.Shuffle(size)], None
    if made.kind == "f":
        yield [nc.BitRound(5)], nc.Zstd(1)
        yield [nc.Quantize(2, made.str)], None
        yield [nc.FixedScaleOffset(10, 1.5, made.str, "<i2")], nc.LZ4()
        yield [nc.AsType("<f4", made.str)], None
        if made.str == "<f8":
            yield [nc.Quantize(digits=2, dtype="<f8", astype="<f4")], None
        if hasattr(nc, "ZFPY") and size > 2:
            yield None, nc.ZFPY(mode=4, tolerance=0.01)
    if made.kind == "b":
        yield [nc.PackBits()], None
    if made.kind == "U":
        yield [nc.Categorize(["a", "b"], made.str, "|u1")], None
    yield [nc.Base64()], None


def object_codecs() -> Iterator[tuple[list[Any], Any]]:
    import numcodecs as nc

    for codec in (nc.VLenUTF8(), nc.VLenBytes(), nc.VLenArray("<i4"), nc.JSON(), nc.Pickle()):
        yield [codec], None
        yield [codec], nc.Zstd(1)
        yield [codec, nc.CRC32()], nc.Blosc()
    yield [nc.Categorize(["x", "y"], "|O")], None
    if hasattr(nc, "MsgPack"):
        yield [nc.MsgPack()], None
