"""v3 arrays that zarr-python wrote, converted to v2 by zom beside the same chunks, and read again.

    python convert_v3_v2.py    needs zarr-python 3, and zom

What zarr-python reads through the v2 document must be, bit for bit, what it reads through the v3 one.
"""

from __future__ import annotations

import itertools
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import share
import zarr
from convert_v2_v3 import bits, elements, say
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec
from zarr.codecs import numcodecs as nc

if TYPE_CHECKING:
    from collections.abc import Iterator

SHAPE, CHUNKS = (7, 5), (3, 4)
NUMBERS = ("int8", "uint8", "int16", "uint32", "int64", "float16", "float32", "float64", "complex64")
OTHERS = ("bool", "S5", "U4", "V6", "M8[ns]", "m8[10s]", "i4,f8,S3", "string")


def compressors() -> list[tuple[Any, ...]]:
    single = [
        *(GzipCodec(level=5), ZstdCodec(level=3, checksum=True), Crc32cCodec(), BloscCodec()),
        *(BloscCodec(cname="zstd", shuffle="bitshuffle", typesize=2), nc.Zlib(level=1), nc.BZ2(), nc.LZ4()),
        *(nc.LZMA(preset=1), nc.Shuffle(elementsize=1), nc.CRC32(), nc.Adler32(location="end")),
        *(nc.Blosc(), nc.Zstd(), nc.GZip(), nc.Fletcher32()),
    ]
    return [(), *((each,) for each in single), (nc.Shuffle(elementsize=1), nc.Zlib(), Crc32cCodec())]


def filters(dtype: str) -> Iterator[tuple[Any, ...]]:
    yield ()
    yield (TransposeCodec(order=(1, 0)),)
    yield (TransposeCodec(order=(0, 1)),)
    kind = np.dtype(dtype).kind if dtype in NUMBERS else ""
    if kind in set("iuc"):
        yield (nc.Delta(dtype=dtype),)
        yield (TransposeCodec(order=(1, 0)), nc.Delta(dtype=dtype))
    if kind in set("iu"):
        yield (nc.Delta(dtype=dtype, astype="int64"), nc.AsType(encode_dtype="float64", decode_dtype="int64"))
    if kind == "f":
        yield (nc.FixedScaleOffset(offset=0, scale=10, dtype=dtype, astype="int32"), nc.Delta(dtype="int32"))
        yield (TransposeCodec(order=(1, 0)), nc.Quantize(digits=1, dtype=dtype))
        yield (nc.BitRound(keepbits=4),)
    if dtype == "bool":
        yield (TransposeCodec(order=(1, 0)), nc.PackBits())


def cases() -> Iterator[dict[str, Any]]:
    """The arguments of every array."""
    for dtype in (*NUMBERS, *OTHERS):
        for chain, codecs, endian in itertools.product(filters(dtype), compressors(), ("little", "big")):
            serializer = "auto" if dtype == "string" else BytesCodec(endian=endian)
            yield {"dtype": dtype, "filters": chain, "serializer": serializer, "compressors": codecs}


def data(dtype: str) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(5)
    if dtype == "string":
        return np.array(["", "a", "é€"], object)[random.integers(0, 3, SHAPE)]
    return elements(np.dtype(dtype), random, 35).reshape(SHAPE)


def check(case: dict[str, Any], path: Path, separator: str) -> str | None:
    """What is wrong with the conversion of one array; None where nothing is."""
    from zom import v3
    from zom.conversion.trees import convert

    encoding: Any = {"name": "v2", "configuration": {"separator": separator}}
    dtype: Any = case["dtype"] if case["dtype"] == "string" else np.dtype(case["dtype"])
    arguments = {**case, "dtype": dtype, "shape": SHAPE, "chunks": CHUNKS, "chunk_key_encoding": encoding}
    array = zarr.create_array(store=str(path), zarr_format=3, overwrite=True, **arguments)
    array[:3] = data(case["dtype"])[:3]
    wanted = bits(zarr.open_array(str(path), mode="r", zarr_format=3))
    spec = v3.ArraySpec.parse((path / "zarr.json").read_bytes(), "lenient", on_warning=lambda _: None)
    try:
        made = convert(spec, "v2")
        if not made.same_chunks["/"]:
            return "chunks are said to change"
        (path / "zarr.json").unlink()
        (path / ".zarray").write_text(made.spec.to_json())
        found = bits(zarr.open_array(str(path), mode="r", zarr_format=2))
    except Exception as error:  # noqa: BLE001 - the report goes on
        return f"{type(error).__name__}: {error}"
    return None if found == wanted else "other values"


def main() -> int:
    """0 where every array reads the same through both documents, else 1."""
    warnings.simplefilter("ignore")
    root = Path(tempfile.mkdtemp(prefix="zom-convert-"))
    count = wrong = 0
    for case in (each for each in cases() if share.is_chosen(repr(each))):
        count += 1
        trouble = check(case, root / f"{count:04}", "./"[count % 2])
        if trouble is not None:
            wrong += 1
            say(f"{case}: {trouble[:300]}")
    shutil.rmtree(root)
    say(f"zarr {zarr.__version__}: {count} v3 arrays converted to v2 and read, {wrong} of them wrongly")
    return int(wrong > 0 or count == 0)


if __name__ == "__main__":
    sys.exit(main())
