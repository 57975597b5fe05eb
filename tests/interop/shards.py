"""Shards that zarr-python, zarrs and tensorstore wrote, decoded by zom's codecs alone, and the other way round.

    python tests/interop/shards.py

Each case is the codecs of one array, and each peer that can run them writes three kinds of data: random
numbers, numbers with inner chunks of nothing but fill, and one shard of which a single element is set.
Shards are compared bit for bit with what was written; zom's shards are read by the same peer. What a peer
can't run is listed in SKIPPED with its reason, and fails where it runs after all. Ends with 1 where
anything differs.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import itertools
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import tensorstore
import zarr
import zarrs

from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.link import parse_links
from zom.extension.resolve import parse_v3

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zom.extension.bound import Array
    from zom.extension.bound_chain import BoundChain

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
CRC32C = {"name": "crc32c"}
GZIP = {"name": "gzip", "configuration": {"level": 4}}
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": True}}
BLOSC = {
    "name": "blosc",
    "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0},
}
TURN = {"name": "transpose", "configuration": {"order": [1, 0]}}


def shard(
    chunk_shape: tuple[int, ...], codecs: Sequence[Any] = (LITTLE,), location: str = "end", index: Any = None
) -> dict[str, Any]:
    configuration = {
        "chunk_shape": list(chunk_shape),
        "codecs": list(codecs),
        "index_codecs": index or [LITTLE, CRC32C],
        "index_location": location,
    }
    return {"name": "sharding_indexed", "configuration": configuration}


class Case(NamedTuple):
    codecs: list[Any]
    data_type: str = "float32"
    fill: Any = 0.0


SHARD = (16, 24)
COUNTS = (2, 2)

CASES = {
    "plain": Case([shard((4, 6))]),
    "index at the start": Case([shard((4, 6), location="start")]),
    "index without a checksum": Case([shard((4, 6), index=[LITTLE])]),
    "big-endian index": Case([shard((4, 6), index=[BIG, CRC32C])]),
    "big-endian inner chunks": Case([shard((4, 6), [BIG])]),
    "one inner chunk": Case([shard((16, 24))]),
    "inner chunks of one element": Case([shard((1, 1))]),
    "crc32c": Case([shard((4, 6), [LITTLE, CRC32C])]),
    "gzip": Case([shard((4, 6), [LITTLE, GZIP])]),
    "zstd": Case([shard((4, 6), [LITTLE, ZSTD])]),
    "blosc": Case([shard((4, 6), [LITTLE, BLOSC])]),
    "zstd and crc32c, index at the start": Case([shard((4, 6), [LITTLE, ZSTD, CRC32C], "start")]),
    "transposed inner chunks": Case([shard((4, 6), [TURN, LITTLE, ZSTD])]),
    "transpose before the shard": Case([TURN, shard((4, 8), [LITTLE, GZIP])]),
    "transpose on both sides": Case([TURN, shard((4, 8), [TURN, LITTLE], "start")]),
    "inner chunks that fit only when transposed": Case([TURN, shard((6, 16))]),
    "nested": Case([shard((8, 12), [shard((4, 6))])]),
    "nested, both indexes at the start": Case([shard((8, 12), [shard((4, 6), [LITTLE, ZSTD], "start")], "start")]),
    "nested thrice": Case([shard((8, 12), [shard((4, 6), [shard((2, 2), [LITTLE, CRC32C])], "start")])]),
    "a codec after the shard": Case([shard((4, 6)), GZIP]),
    "a checksum after the shard": Case([shard((4, 6), [LITTLE, ZSTD]), CRC32C]),
    "another fill value": Case([shard((4, 6), [LITTLE, ZSTD])], "int16", -3),
    "NaN as the fill value": Case([shard((4, 6))], "float64", "NaN"),
    "bool": Case([shard((4, 6), [{"name": "bytes"}, GZIP])], "bool", False),
    "uint8": Case([shard((4, 6), [{"name": "bytes"}])], "uint8", 7),
    "complex64": Case([shard((4, 6), [BIG, ZSTD])], "complex64", [0.0, 0.0]),
}  # fmt: skip

_UNTURNED = "wants inner chunks to divide the shard as it is before it is transposed"
SKIPPED = {
    ("zarr-python", "inner chunks that fit only when transposed"): _UNTURNED,
    ("zarrs", "inner chunks that fit only when transposed"): _UNTURNED,
    ("tensorstore", "a codec after the shard"): "takes no codec after sharding_indexed",
    ("tensorstore", "a checksum after the shard"): "takes no codec after sharding_indexed",
}


def document(case: Case) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [n * count for n, count in zip(SHARD, COUNTS, strict=True)],
        "data_type": case.data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(SHARD)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": case.fill,
        "codecs": case.codecs,
        "attributes": {},
    }


def by_zarr_python(folder: Path, data: Array | None) -> Array:
    with zarr.config.set({"codec_pipeline.path": "zarr.core.codec_pipeline.BatchedCodecPipeline"}):
        return by_zarr(folder, data)


def by_zarrs(folder: Path, data: Array | None) -> Array:
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}):
        return by_zarr(folder, data)


def by_zarr(folder: Path, data: Array | None) -> Array:
    """Write the data, where there is any, else read."""
    opened = zarr.open_array(str(folder), mode="r+", zarr_format=3)
    if data is not None:
        opened[...] = data
        return data
    return np.asarray(opened[...])


def by_tensorstore(folder: Path, data: Array | None) -> Array:
    kvstore = {"driver": "file", "path": f"{folder}/"}
    opened = tensorstore.open({"driver": "zarr3", "kvstore": kvstore}, open=True).result()
    if data is not None:
        opened[...].write(data).result()
        return data
    return np.asarray(opened.read().result())


PEERS: dict[str, Callable[[Path, Array | None], Array]] = {
    "zarr-python": by_zarr_python,
    "zarrs": by_zarrs,
    "tensorstore": by_tensorstore,
}


def kinds(block: Block, seed: int) -> Iterator[tuple[str, Array]]:
    random = np.random.default_rng(seed)
    shape = tuple(n * count for n, count in zip(SHARD, COUNTS, strict=True))
    values = random.integers(-100, 100, shape)
    data = (values % 2 if block.dtype.kind == "b" else values).astype(block.dtype)
    yield "full", data
    sparse = np.full(shape, block.fill, block.dtype)
    holes = random.random((shape[0] // 4, shape[1] // 6)) < 0.5
    mask = np.kron(holes, np.ones((4, 6), bool)).astype(bool)
    sparse[mask] = data[mask]
    yield "sparse", sparse
    single = np.full(shape, block.fill, block.dtype)
    single[SHARD[0] + 3, SHARD[1] - 1] = 1
    yield "single", single


def shards(array: Array) -> Iterator[tuple[str, Array]]:
    """Each shard of an array with its key."""
    for place in itertools.product(*map(range, COUNTS)):
        corner = tuple(slice(i * n, (i + 1) * n) for i, n in zip(place, SHARD, strict=True))
        yield "/".join(["c", *map(str, place)]), array[corner]


def new_array(folder: Path, case: Case) -> Path:
    folder.mkdir(parents=True)
    (folder / "zarr.json").write_text(json.dumps(document(case)))
    return folder


def from_peer(chain: BoundChain, folder: Path, data: Array) -> None:
    """The peer's shards are what it was given."""
    written = 0
    for key, expected in shards(data):
        path = folder / key
        if path.exists():
            written += 1
            found = chain.decode(path.read_bytes())
            into = np.empty_like(np.concatenate([expected, expected], axis=1))[:, ::2]
            chain.decode_into(path.read_bytes(), into)
            if into.tobytes() != found.tobytes():
                raise ValueError(f"{key}: decode_into and decode differ")
        else:
            found = np.full(SHARD, chain.block.fill, chain.block.dtype)
        if found.astype(expected.dtype).tobytes() != expected.tobytes():
            raise ValueError(f"{key}: other values than the peer was given")
    if not written:
        raise ValueError("the peer wrote no shard")


def from_zom(chain: BoundChain, folder: Path, data: Array) -> None:
    for key, values in shards(data):
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chain.encode(values))


def run(peer: str, case: Case, folder: Path) -> None:
    """Raise where zom and the peer disagree, or the peer can't run the case."""
    act = PEERS[peer]
    data_type: Any = parse_v3(case.data_type, [])
    fill = data_type.parse_fill(case.fill, "v3", [])
    block = Block(SHARD, data_type, fill)
    chain = bind_chain(parse_links(case.codecs), block)
    for seed, (kind, data) in enumerate(kinds(block, 0)):
        theirs = new_array(folder / f"theirs-{seed}", case)
        act(theirs, data)
        from_peer(chain, theirs, data)
        ours = new_array(folder / f"ours-{seed}", case)
        from_zom(chain, ours, data)
        if act(ours, None).tobytes() != data.tobytes():
            raise ValueError(f"{kind}: the peer reads other values than zom wrote")


def main() -> int:
    warnings.simplefilter("ignore")
    failed = 0
    print(f"zarr {zarr.__version__}, zarrs {zarrs.__version__}, tensorstore: {len(CASES)} cases each")
    for peer, (name, case) in itertools.product(PEERS, CASES.items()):
        why = SKIPPED.get((peer, name))
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(peer, case, Path(folder))
            except Exception as error:  # noqa: BLE001 - peers raise what they like
                if why is None:
                    failed += 1
                    print(f"FAILED {peer}, {name}: {type(error).__name__}: {error}")
                continue
        if why is not None:
            failed += 1
            print(f"FAILED {peer}, {name}: it runs, though it {why}")
    print(
        f"{len(PEERS) * len(CASES) - failed - len(SKIPPED)} passed, {len(SKIPPED)} skipped, {failed} failed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
