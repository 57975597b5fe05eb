"""What a chunk and what a node costs, in arrays and hierarchies of very different sizes.

    python benchmarks/growth.py [--most 100000] [--disk-most 10000] [--rounds 3] [--only WORD]

Each act is done with 100, 1,000, 10,000 ... things, up to MOST, each size in a process of its own; what is printed is
the processor's time for each thing, the least of the rounds. A cost is flat where that of the largest size is at most 1.3 times
the least of the smaller ones. Ends with 1 where one is not. On disk the same is done up to DISK_MOST. A million nodes
take some 15 GB.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import zom
from zom import v3
from zom.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Act = Callable[[], object]

FLAT = 1.3
LEAST = 100
QUICK = ("equal", "diff", "hash", "to_json", "walk", "flatten")
"""Acts that are done once before they are measured, however many nodes there are: a spec compared before is quicker."""

WIDTH = 16
"""The elements of a chunk: what is measured is what zom does for each."""


def tree(nodes: int) -> Any:
    """Groups of 99 arrays, so many nodes in all, whose shapes and attributes differ."""
    groups: dict[str, Any] = {}
    for group in range(max(nodes // 100, 1)):
        groups[f"g{group}"] = {
            "zarr_format": 3,
            "node_type": "group",
            "attributes": {"n": group},
            "members": {f"a{place}": _array(group, place) for place in range(99)},
        }
    return {"zarr_format": 3, "node_type": "group", "attributes": {}, "members": groups}


def wide(nodes: int) -> Any:
    """One group of so many arrays."""
    members = {f"a{place}": _array(1, place) for place in range(nodes)}
    return {"zarr_format": 3, "node_type": "group", "attributes": {}, "members": members}


def _array(group: int, place: int) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [100 + place, 1 + group],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10, 10]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {"n": place},
    }


class Places:
    """Stores that nobody used before: memory, or directories below a folder."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder

    def fresh(self) -> Any:
        """Another place."""
        return MemoryStore() if self.folder is None else zom.store(tempfile.mkdtemp(dir=self.folder))


def node_acts(places: Places, make: Callable[[int], Any], count: int) -> Iterator[tuple[str, Act]]:
    """Acts on a hierarchy, each with its name."""
    text = json.dumps(make(count))
    spec, store = v3.parse(text), places.fresh()
    yield "parse", lambda: v3.parse(text)
    yield "materialize", lambda: zom.materialize(spec, places.fresh())
    zom.materialize(spec, store)
    yield "plan without change", lambda: zom.plan(spec, store)
    yield "read", lambda: zom.read(store)
    other = zom.read(store)
    yield "equal", lambda: spec == other
    yield "diff", lambda: spec.diff(other)
    yield "hash", lambda: hash(spec)
    yield "to_json", spec.to_json
    yield "walk", lambda: sum(1 for _ in spec.walk())
    yield "flatten", spec.flatten
    yield "validate", lambda: zom.validate(spec)
    yield "check", lambda: zom.check(store)
    yield "copy", lambda: zom.copy(store, places.fresh())


def chunk_acts(places: Places, count: int) -> Iterator[tuple[str, Act]]:
    """Acts on an array of chunks, each with its name."""
    data = np.arange(count * WIDTH, dtype="u1") | 1
    store, spec = places.fresh(), v3.ArraySpec.build(shape=data.shape, dtype="uint8", chunks=(WIDTH,))

    def written() -> Any:
        array = zom.create_array(places.fresh(), spec)
        array[...] = data
        return array

    yield "write", written
    array = zom.create_array(store, spec)
    array[...] = data
    yield "read", lambda: array[...]
    yield "read every second", lambda: array[::2]
    points = np.random.default_rng(0).integers(0, data.size, count)
    yield "points", lambda: array.vindex[points]
    yield "list", lambda: sum(1 for _ in store.list(""))
    yield "check", lambda: zom.check(store)
    yield "check data", lambda: zom.check(store, data="all")
    yield "copy", lambda: zom.copy(store, places.fresh())
    other = v3.ArraySpec.build(shape=data.shape, dtype="uint8", chunks=(WIDTH * 3,))
    yield "rechunk", lambda: zom.copy(store, places.fresh(), other)
    yield "plan to shrink", lambda: array.plan_resize((WIDTH,))

    def shrunk() -> None:
        written().resize((WIDTH,))

    yield "write and shrink", shrunk


def shard_acts(places: Places, count: int) -> Iterator[tuple[str, Act]]:
    """Acts on one shard of so many chunks."""
    data = np.arange(count * WIDTH, dtype="u1") | 1
    spec = v3.ArraySpec.build(shape=data.shape, dtype="uint8", chunks=(WIDTH,), shards=data.shape)

    def written() -> Any:
        array = zom.create_array(places.fresh(), spec)
        array[...] = data
        return array

    yield "write", written
    array = written()
    yield "read", lambda: array[...]
    yield "read every second", lambda: array[::2]


def acts(kind: str, places: Places, count: int) -> Iterator[tuple[str, Act]]:
    """The acts of one kind of things."""
    if kind == "nodes":
        return node_acts(places, tree, count)
    if kind == "members of a group":
        return node_acts(places, wide, count)
    return chunk_acts(places, count) if kind == "chunks" else shard_acts(places, count)


def measure(kind: str, count: int, rounds: int, folder: str | None, only: str) -> dict[str, float]:
    """The seconds for each thing, by act; small sizes are done often enough to be seen."""
    found: dict[str, float] = {}
    for _, act in acts(kind, Places(folder), LEAST):
        act()  # what is loaded by the first call is no part of it
    for name, act in acts(kind, Places(folder), count):
        if only not in f"{kind}: {name}":
            continue
        if count <= 10_000 or name in QUICK:
            act()
        times: list[float] = []
        often = max(1, 2000 // count)
        for _ in range(rounds):
            gc.collect()
            start = time.process_time()
            for _ in range(often):
                act()
            times.append((time.process_time() - start) / often)
        found[name] = min(times) / count
    return found


KINDS = ("chunks", "chunks of a shard", "nodes", "members of a group")


def apart(kind: str, count: int, rounds: int, on_disk: str | None, only: str) -> dict[str, float]:
    """As `measure`, in a process of its own."""
    given = json.dumps([kind, count, rounds, on_disk, only])
    done = subprocess.run([sys.executable, __file__, "--one", given], stdout=subprocess.PIPE, check=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def table(kind: str, sizes: list[int], folder: str | None, given: argparse.Namespace) -> list[str]:
    """Print the costs of one kind of things; what is missed."""
    where = "in memory" if folder is None else "on disk"
    found: dict[int, dict[str, float]] = {}
    for size in sizes:
        found[size] = apart(kind, size, given.rounds, folder, given.only)
        if not found[size]:
            return []
    print(f"\n## {kind}, {where}: us for each\n")
    print(f"| {kind}, {where} | " + " | ".join(f"{size:,}" for size in sizes) + " | growth |")
    print("| --- " * (len(sizes) + 2) + "|")
    missed: list[str] = []
    for name in found[sizes[0]]:
        costs = [found[size][name] * 1e6 for size in sizes]
        growth = costs[-1] / min(costs[:-1])
        print(f"| {name} | " + " | ".join(f"{cost:.2f}" for cost in costs) + f" | {growth:.2f} |", flush=True)
        if growth > FLAT:
            missed.append(f"missed: {kind}, {where}, {name}: {growth:.2f} times as much, at most {FLAT}")
    return missed


def sizes_up_to(most: int) -> list[int]:
    """100, 1,000 ... `most`."""
    sizes = [LEAST]
    while sizes[-1] * 10 <= most:
        sizes.append(sizes[-1] * 10)
    return sizes


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--most", type=int, default=100_000)
    parser.add_argument("--disk-most", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="acts and kinds whose names hold this")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(*json.loads(given.one))))
        return 0
    missed: list[str] = []
    for kind in KINDS:
        missed += table(kind, sizes_up_to(given.most), None, given)
    if given.disk_most > LEAST:
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("chunks", "nodes"):
                missed += table(kind, sizes_up_to(given.disk_most), folder, given)
    print("\n" + "\n".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
