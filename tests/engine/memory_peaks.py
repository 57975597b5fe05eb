"""Run by itself: reads chunks that are bombs, and prints how much memory each took beyond what was held before.

One process for all: Linux forgets the peak when it is told to.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import resource
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

import zom
from zom import v2, v3
from zom.errors import ChunkError, ExtensionError
from zom.stores.memory import MemoryStore

SIDE = 512
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
CHUNK = SIDE * SIDE * 4


def peak():
    """The most memory that the process had since `forget`."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))


def forget():
    Path("/proc/self/clear_refs").write_text("5")


def array_v3(*codecs, dtype="float32", fill=0.0):
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [SIDE, SIDE],
        "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [SIDE, SIDE]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": fill,
        "codecs": list(codecs),
    }
    return v3.ArraySpec.parse(document)


def array_v2(compressor=None, filters=None, dtype="<f4"):
    document = {
        "zarr_format": 2,
        "shape": [SIDE, SIDE],
        "chunks": [SIDE, SIDE],
        "dtype": dtype,
        "compressor": compressor,
        "fill_value": None,
        "order": "C",
        "filters": filters,
        "dimension_separator": "/",
    }
    return v2.ArraySpec.parse(document)


def named(name, **configuration):
    return {"name": name, "configuration": configuration}


ZEROS = bytes(1 << 25)
RLE = 1 << 17


def zstd_frame(header, blocks=4096):
    """A frame of blocks that repeat a byte 128 KiB times each: four bytes for each."""
    body = struct.pack("<I", RLE << 3 | 2)[:3] + b"\0"
    last = struct.pack("<I", RLE << 3 | 3)[:3] + b"\0"
    return b"\x28\xb5\x2f\xfd" + header + body * (blocks - 1) + last


def shard_of(data):
    index = struct.pack("<QQ", 0, len(data))
    return data + index


def xz_with_dictionary():
    """A stream that asks for a dictionary of 1.5 GiB."""
    return lzma.compress(
        ZEROS[: 1 << 20],
        format=lzma.FORMAT_ALONE,
        filters=[{"id": lzma.FILTER_LZMA1, "preset": 0, "dict_size": 1 << 16}],
    )


def bombs():
    """Names, specs, and what lies in the place of their only chunk."""
    gz = gzip.compress(ZEROS, 1) * 16
    gzip_v3 = named("gzip", level=1)
    yield "gzip, one member", array_v3(LITTLE, gzip_v3), gzip.compress(ZEROS * 8, 1)
    yield "gzip, many members", array_v3(LITTLE, gzip_v3), gz
    yield "gzip, empty members", array_v3(LITTLE, gzip_v3), gzip.compress(b"", 1) * 100_000
    yield "gzip of gzip", array_v3(LITTLE, gzip_v3, gzip_v3), gzip.compress(gz, 1)
    yield "zlib", array_v2({"id": "zlib", "level": 1}), zlib.compress(ZEROS * 8, 1)
    yield "bz2", array_v2({"id": "bz2", "level": 9}), bz2.compress(ZEROS, 9) * 8
    xz = {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None}
    yield "xz", array_v2(xz), lzma.compress(ZEROS, preset=0) * 8
    alone = bytearray(xz_with_dictionary())
    alone[1:5] = struct.pack("<I", 0x5FFFFFFF)
    yield "lzma, large dictionary", array_v2({**xz, "format": 2}), bytes(alone)
    zstd = named("zstd", level=1, checksum=False)
    yield "zstd, lies", array_v3(LITTLE, zstd), zstd_frame(b"\xe0" + struct.pack("<Q", 1 << 40), 16)
    yield "zstd, of 512 MiB", array_v3(LITTLE, zstd), zstd_frame(b"\xa0" + struct.pack("<I", 1 << 29))
    yield "zstd, no size", array_v3(LITTLE, zstd), zstd_frame(b"\x00\x58")
    yield "zstd, large window", array_v3(LITTLE, zstd), zstd_frame(b"\x00\xa8", 16)
    yield "zstd, many frames", array_v3(LITTLE, zstd), zstd_frame(b"\x00\x58", 8) * 500
    blosc = struct.pack("<BBBBIII", 2, 1, 0x21, 4, 2**31 - 17, 2**31 - 17, 32) + b"\0" * 16
    yield "blosc", array_v2({"id": "blosc", "cname": "lz4", "clevel": 1, "shuffle": 1, "blocksize": 0}), blosc
    yield "lz4", array_v2({"id": "lz4", "acceleration": 1}), struct.pack("<I", 2**31 - 1) + ZEROS[:100]
    count = SIDE * SIDE
    strings = array_v3(named("vlen-utf8"), dtype="string", fill="")
    yield "vlen-utf8, count", strings, struct.pack("<I", 2**32 - 1)
    yield "vlen-utf8, length", strings, struct.pack("<II", count, 2**32 - 1)
    msgpack = array_v2(None, [{"id": "msgpack2", "raw": False, "use_bin_type": True}], "|O")
    yield "msgpack2, length", msgpack, b"\xdd" + struct.pack(">I", 2**32 - 1)
    yield "msgpack2, depth", msgpack, b"\x91" * 200_000
    json2 = {
        "id": "json2",
        "encoding": "utf-8",
        "skipkeys": False,
        "ensure_ascii": True,
        "check_circular": True,
    }
    yield "json2, depth", array_v2(None, [json2], "|O"), b"[" * 200_000
    shard = named(
        "sharding_indexed", chunk_shape=[SIDE, SIDE], codecs=[LITTLE, gzip_v3], index_codecs=[LITTLE]
    )
    yield "gzip in a shard", array_v3(shard), shard_of(gzip.compress(ZEROS, 1) * 8)
    shard = named("sharding_indexed", chunk_shape=[SIDE, SIDE], codecs=[LITTLE, zstd], index_codecs=[LITTLE])
    yield "zstd in a shard", array_v3(shard), shard_of(zstd_frame(b"\x00\x58"))


def grown(array, key=..., out=None):
    """What memory reading took at most, and what came of it."""
    forget()
    before = peak()
    try:
        array.read(key, out=out)
        outcome = "read"
    except ChunkError:
        outcome = "refused"
    return peak() - before, outcome


def main():
    """All bombs, and the reading of large arrays into memory that is there."""
    found = {}
    for name, spec, data in bombs():
        store = MemoryStore()
        array = zom.create_array(store, spec, "x")
        key = "x/c/0/0" if spec.family.form == "v3" else "x/0/0"
        # What is loaded when the first chunk is touched is no part of it.
        try:
            store.set(key, b"")
            grown(array)
        except ExtensionError:
            continue
        store.set(key, data)
        limit = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, limit))
        found[name] = max(grown(array), grown(array, (1, 1)))
    sys.stdout.write(json.dumps({"bombs": found, "chunk": CHUNK, "reading": reading()}))


def reading():
    """For each way to read 64 MiB in chunks of 4 MiB: what was taken beside the array, by threads."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**31, (4096, 4096), "i4")
    found = {}
    codecs = {"plain": [LITTLE], "zstd": [LITTLE, named("zstd", level=1, checksum=False)]}
    for name, chain in codecs.items():
        folder = Path(sys.argv[1]) / name
        spec = array_v3(*chain, dtype="int32", fill=0).replace(
            shape=(4096, 4096), chunk_grid=named("regular", chunk_shape=[1024, 1024])
        )
        array = zom.create_array(folder, spec)
        array[...] = values
    del values
    out = np.ones((4096, 4096), "i4")
    for name in codecs:
        array = zom.open_array(Path(sys.argv[1]) / name)
        for threads in (1, 2):
            one = array.with_options(threads=threads)
            one.read(np.s_[:1024, :1024], out=out[:1024, :1024])
            found[f"{name}, {threads} threads"] = grown(one, out=out)[0], threads
    return found


if __name__ == "__main__":
    main()
