"""Cases of shapes, chunks, keys, fill values and missing chunks, for some data types in each format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cases_v2
import cases_v3
from cases import Case

if TYPE_CHECKING:
    from collections.abc import Iterator

SHAPES: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...]]] = {
    "0-d": ((), (), ()),
    "empty": ((0,), (2,), ()),
    "one empty dimension": ((4, 0, 3), (2, 2, 2), ()),
    "one element": ((1,), (1,), ()),
    "chunk beyond the array": ((3,), (8,), ()),
    "one dimension": ((23,), (4,), ()),
    "three dimensions": ((5, 4, 3), (2, 3, 2), ()),
    "five dimensions": ((3, 2, 3, 2, 2), (2, 1, 2, 2, 1), ()),
    "twelve chunks along one": ((12, 2), (1, 2), ()),
    "missing chunks": ((9, 7), (3, 2), ((0, 4), (3, 7))),
    "missing last chunks": ((10,), (4,), ((0, 3),)),
    "nothing written": ((5, 3), (3, 2), ((0, 0), (0, 0))),
}

V3_FILLS: dict[str, list[Any]] = {
    "bool": [True],
    "uint8": [255],
    "int64": [-(2**63), 2**63 - 1],
    "uint64": [2**64 - 1, 2**53 + 1],
    "float16": [1.5, "NaN", "-Infinity"],
    "float32": [-0.0, "NaN", "0x7fc00055", "Infinity", 1e-45],
    "float64": [0.1, -0.0, "0x7ff8000000000055", "-Infinity", 5e-324],
    "complex64": [[1.5, "NaN"], [-0.0, "-Infinity"]],
    "complex128": [["NaN", 0.1]],
    "numpy.datetime64 10 us": [7, "NaT"],
    "numpy.timedelta64 s": [-(2**63), -5],
    "fixed_length_utf32": ["naïv", "日本"],
    "null_terminated_bytes": ["YWI=", "//8="],
    "raw_bytes": ["AQID"],
    "r24": [[1, 2, 255]],
    "struct": [{"x": -7, "y": "NaN", "b": True}],
    "string": ["none", "日本𝔘"],
    "bytes": ["/wA="],
    "bfloat16": [1.5],
    "int4": [-8, 7],
}

V2_FILLS: dict[str, list[Any]] = {
    "|b1": [True],
    "|u1": [255, None],
    "<i8": [-(2**63), 2**63 - 1],
    ">u8": [2**64 - 1],
    "<f4": [-0.0, "NaN", "Infinity", None],
    ">f8": [0.1, "-Infinity", 5e-324],
    "<c8": [[1.5, "NaN"]],
    "<M8[10us]": [7, cases_v2.NAT],
    "<m8[s]": [-5],
    "<U4": ["naïv"],
    "|S5": ["YWI=", "YWJjZGU="],
    "|V3": ["AQID"],
    "struct": [None],
}
WITH_FILL = ((9, 7), (3, 2), ((0, 4), (3, 7)))


def shapes() -> Iterator[Case]:
    for label, (shape, chunk, region) in SHAPES.items():
        yield from v3_shape(label, shape, chunk, region)
        yield from v2_shape(label, shape, chunk, region)
    yield from v3_fills()
    yield from v2_fills()
    yield from keys()
    yield from grids()


def v3_shape(label: str, shape: Any, chunk: Any, region: Any) -> Iterator[Case]:
    for name in ("bool", "int16", "float32", "complex128", "string", "fixed_length_utf32", "struct"):
        data_type, fill, kind, size = cases_v3.TYPES[name]
        plain = cases_v3.serializer(kind, size)
        chains = {
            "": [plain],
            "zstd, crc32c": [plain, cases_v3.codec("zstd", level=1, checksum=False), cases_v3.CRC32C],
        }
        if kind != "T":
            chains["in a shard"] = [cases_v3.shard([1] * len(chunk), [plain])]
        if len(shape) > 1:
            order = [*range(1, len(shape)), 0]
            chains["transposed"] = [cases_v3.codec("transpose", order=order), plain]
        for how, codecs in chains.items():
            made = cases_v3.document(data_type, fill, codecs, shape, chunk)
            values = {"T": "texts"}.get(kind, "any")
            variant = f"{label}, {how}" if how else label
            yield Case("v3", name, codecs[-1]["name"], made, variant, values, region)


def v2_shape(label: str, shape: Any, chunk: Any, region: Any) -> Iterator[Case]:
    for name in ("|b1", "<i2", ">f8", "<c16", "<U4", "struct"):
        dtype, fill, _, _ = cases_v2.TYPES[name]
        for form, order, separator in (
            ("v2", "C", "."),
            ("v2", "F", "/"),
            ("draft", "C", "/"),
            ("draft", "F", "/"),
        ):
            facts = {"order": order, "dimension_separator": separator}
            compressor = cases_v2.COMPRESSORS["zlib"]
            made = cases_v2.document(dtype, fill, compressor, shape=shape, chunk=chunk, **facts)
            yield Case(form, name, "zlib", made, f"{label}, {order} {separator}", "any", region)


def v3_fills() -> Iterator[Case]:
    shape, chunk, region = WITH_FILL
    for name, fills in V3_FILLS.items():
        data_type, _, kind, size = cases_v3.TYPES[name]
        plain = cases_v3.serializer(kind, size)
        for fill in fills:
            values = {"T": "texts", "O": "bytes"}.get(kind, "any")
            for how, codecs in {"": [plain], " in a shard": [cases_v3.shard((1, 2), [plain])]}.items():
                made = cases_v3.document(data_type, fill, codecs, shape, chunk)
                variant = f"fill value {fill!r}{how}"
                yield Case("v3", name, codecs[-1]["name"], made, variant, values, region)


def v2_fills() -> Iterator[Case]:
    shape, chunk, region = WITH_FILL
    for name, fills in V2_FILLS.items():
        dtype = cases_v2.TYPES[name][0]
        for fill in fills:
            for form in ("v2", "draft"):
                facts = {"dimension_separator": "/"} if form == "draft" else {}
                made = cases_v2.document(dtype, fill, shape=shape, chunk=chunk, **facts)
                # Without a fill value what was never written is undefined: zarr-python 2 shows any memory.
                yield Case(
                    form,
                    name,
                    "no codec",
                    made,
                    f"fill value {fill!r}",
                    "any",
                    region if fill is not None else (),
                )
    texts = cases_v2.document("|O", "none", filters=[{"id": "vlen-utf8"}], shape=shape, chunk=chunk)
    yield Case("v2", "|O", "vlen-utf8", texts, "fill value 'none'", "texts", region)


def keys() -> Iterator[Case]:
    for encoding in ("default", "v2"):
        for separator in "./":
            for name, shape, chunk in (
                ("uint8", (5, 3), (3, 2)),
                ("uint8", (), ()),
                ("float32", (11,), (1,)),
            ):
                data_type, fill, kind, size = cases_v3.TYPES[name]
                made = cases_v3.document(
                    data_type,
                    fill,
                    [cases_v3.serializer(kind, size)],
                    shape,
                    chunk,
                    chunk_key_encoding=cases_v3.codec(encoding, separator=separator),
                )
                yield Case("v3", name, "bytes", made, f"keys {encoding} {separator} of rank {len(shape)}")


GRIDS = {
    "lists": ((7, 5), [[3, 4], [1, 1, 3]]),
    "runs": ((10, 6), [[[2, 3], 4], [[1, 6]]]),
    "one length and a list": ((7, 5), [3, [2, 2, 1]]),
    "one dimension": ((12,), [[1, 2, 3, 4, 2]]),
}


def grids() -> Iterator[Case]:
    for label, (shape, lengths) in GRIDS.items():
        for name in ("int16", "float64", "string", "bool"):
            data_type, fill, kind, size = cases_v3.TYPES[name]
            grid = cases_v3.codec("rectilinear", kind="inline", chunk_shapes=lengths)
            for how, more in {"": [], "gzip": [cases_v3.codec("gzip", level=1)]}.items():
                codecs = [cases_v3.serializer(kind, size), *more]
                made = cases_v3.document(data_type, fill, codecs, shape, (1,) * len(shape), chunk_grid=grid)
                values = {"T": "texts"}.get(kind, "any")
                variant = f"rectilinear {label}"
                yield Case(
                    "v3", name, codecs[-1]["name"], made, f"{variant}, {how}" if how else variant, values
                )
                if len(shape) == 2:
                    region = ((0, 2), (0, 2))
                    yield Case(
                        "v3", name, codecs[-1]["name"], made, f"{variant} in part {how}", values, region
                    )
