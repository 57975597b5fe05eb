"""The object model beside pydantic-zarr and zarr-metadata: reading, comparing and writing whole trees.

    python benchmarks/model.py [--rounds N]

In an environment with zom and benchmarks/requirements.txt. All libraries run in one process, taking
turns in every round, so that a busy machine slows all of them alike; what is printed are medians of
the processor's time.
Imports and memory are measured in processes of their own. Docs: docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pydantic_zarr.v3 as peer
import trees
import zarr_metadata
from turns import timed
from zarr.storage import MemoryStore

import zom
from zom import v3

if TYPE_CHECKING:
    from collections.abc import Callable

    import zarr

NODES = 1 + trees.GROUPS * (1 + trees.ARRAYS)
FEW = 5
"""Groups in the tree that is read from a store: that takes a hundred times longer."""


def read_node(text: str) -> Any:
    """zarr-metadata's strict reader."""
    document = json.loads(text)
    array = document["node_type"] == "array"
    model = zarr_metadata.ZarrV3ArrayMetadata if array else zarr_metadata.ZarrV3GroupMetadata
    return model.from_json(document)


def stored(groups: int) -> tuple[zarr.Group, int]:
    """A hierarchy in memory, and how many nodes it has."""
    spec = peer.GroupSpec.model_validate(trees.tree(groups))
    return spec.to_zarr(MemoryStore(), path=""), 1 + groups * (1 + trees.ARRAYS)


def in_memory(series: dict[str, Callable[[], object]]) -> tuple[int, int]:
    """All that is timed in this process; how many nodes the store and the chain have."""
    text = json.dumps(trees.tree())
    strange = json.dumps(trees.tree(strange=True))
    texts = trees.nodes(json.loads(text))
    series["read zom"] = lambda: v3.parse(text)
    series["read zom, node by node"] = lambda: [v3.parse(each) for each in texts]
    series["read zom, nothing alike"] = lambda: v3.parse(strange)
    series["read pydantic-zarr"] = lambda: peer.GroupSpec.model_validate_json(text)
    series["read zarr-metadata"] = lambda: [read_node(each) for each in texts]
    group, nodes = stored(FEW)
    series["read pydantic-zarr from_zarr"] = lambda: peer.GroupSpec.from_zarr(group)

    ours, twin = v3.parse(text), v3.parse(text)
    theirs, their_twin = peer.GroupSpec.model_validate_json(text), peer.GroupSpec.model_validate_json(text)
    flat, their_flat = ours.flatten(), theirs.to_flat()
    series["flatten zom"] = ours.flatten
    series["flatten pydantic-zarr"] = theirs.to_flat
    series["unflatten zom"] = lambda: zom.unflatten(flat)
    series["unflatten pydantic-zarr"] = lambda: peer.GroupSpec.from_flat(their_flat)
    series["like zom"] = lambda: ours.like(twin)
    series["like pydantic-zarr"] = lambda: theirs.like(their_twin)
    series["diff zom"] = lambda: ours.diff(twin)
    series["equal zom"] = lambda: ours == twin
    series["equal pydantic-zarr"] = lambda: theirs == their_twin
    series["hash zom"] = lambda: hash(ours)
    series["write zom"] = ours.to_json
    series["write pydantic-zarr"] = theirs.model_dump_json

    chain = trees.chain()
    deep, deep_twin = v3.parse(chain), v3.parse(chain)
    deep_flat = deep.flatten()
    series["chain read"] = lambda: v3.parse(chain)
    series["chain write"] = deep.to_json
    series["chain flatten"] = deep.flatten
    series["chain unflatten"] = lambda: zom.unflatten(deep_flat)
    series["chain diff"] = lambda: deep.diff(deep_twin)
    return nodes, len(deep_flat)


def chain_of_peer() -> str:
    """What pydantic-zarr says to 1,000 groups, each in the one before it."""
    try:
        peer.GroupSpec.model_validate_json(trees.chain())
    except (RecursionError, ValueError) as error:
        said = [line.strip() for line in str(error).splitlines()]
        return f"{type(error).__name__}: {next((line for line in said if 'recursion' in line), said[0])}"
    return "reads it"


# --- processes of their own --------------------------------------------------------------------------

_GROWTH = """
import gc, json, sys, time, tracemalloc
sys.path.insert(0, {here!r})
import trees
from zom import v3
text = json.dumps(trees.tree({groups}))
v3.parse(text)
start = time.process_time()
spec = v3.parse(text)
seconds = time.process_time() - start
del spec
gc.collect()
tracemalloc.start()
before = tracemalloc.get_traced_memory()[0]
spec = v3.parse(text)
gc.collect()
held = tracemalloc.get_traced_memory()[0] - before
print(json.dumps([seconds, held]))
"""


def growth(groups: int) -> tuple[float, float]:
    """Seconds to read a tree of `groups` times 100 nodes, and bytes that it holds."""
    code = _GROWTH.format(here=str(Path(__file__).parent), groups=groups)
    made = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    seconds, held = json.loads(made.stdout)
    return seconds, held


# --- the report --------------------------------------------------------------------------------------


def row(what: str, ours: str, theirs: str = "", ratio: float | None = None) -> None:
    print(f"| {what} | {ours} | {theirs} | {'' if ratio is None else f'{ratio:.1f} x'} |")


def micro(seconds: float, nodes: int = NODES) -> str:
    return f"{seconds / nodes * 1e6:.1f} us"


def milli(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"


missed: list[str] = []


def target(what: str, found: float, limit: float, *, least: bool = False) -> None:
    met = found >= limit if least else found <= limit
    if not met:
        missed.append(what)
    sign = "at least" if least else "at most"
    print(f"- {'met' if met else 'MISSED'}: {what}: {found:.2f}, {sign} {limit:g}")


def report_reading(times: dict[str, float], store_nodes: int) -> None:
    print(f"\nReading, per node, a tree of {NODES:,} nodes\n\n| | zom | peer | ratio |\n|---|---|---|---|")
    ours, nodewise = times["read zom"], times["read zom, node by node"]
    for name in ("pydantic-zarr", "zarr-metadata"):
        mine = ours if name == "pydantic-zarr" else nodewise
        how = "the whole tree" if name == "pydantic-zarr" else "node by node"
        row(
            f"JSON text, {how}, {name}",
            micro(mine),
            micro(times[f"read {name}"]),
            times[f"read {name}"] / mine,
        )
    from_zarr = times["read pydantic-zarr from_zarr"] / store_nodes
    row("pydantic-zarr from_zarr", micro(ours), f"{from_zarr * 1e6:.1f} us", from_zarr / (ours / NODES))
    row("no two arrays alike", micro(times["read zom, nothing alike"]))


def report_rest(times: dict[str, float], links: int) -> None:
    print(f"\nA tree of {NODES:,} nodes\n\n| | zom | pydantic-zarr | ratio |\n|---|---|---|---|")
    for what in ("flatten", "unflatten", "like", "diff", "equal", "hash", "write"):
        ours, theirs = times[f"{what} zom"], times.get(f"{what} pydantic-zarr")
        row(what, milli(ours), milli(theirs) if theirs else "none", theirs / ours if theirs else None)
    print(
        f"\nA chain of {links:,} groups (pydantic-zarr: {chain_of_peer()})\n\n| | zom | | |\n|---|---|---|---|"
    )
    for what in ("read", "write", "flatten", "unflatten", "diff"):
        row(what, milli(times[f"chain {what}"]))


def main() -> int:
    parser = argparse.ArgumentParser(description="the object model beside its peers")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"zom {zom.__version__}, Python {sys.version.split()[0]}, {rounds} rounds, medians")
    series: dict[str, Callable[[], object]] = {}
    store_nodes, links = in_memory(series)
    times = timed(series, rounds)
    report_reading(times, store_nodes)
    report_rest(times, links)
    small, large = growth(100), growth(1000)
    print("\nGrowth\n")
    for groups, (seconds, held) in ((100, small), (1000, large)):
        nodes = 1 + groups * (1 + trees.ARRAYS)
        print(f"- {nodes:,} nodes: {micro(seconds, nodes)} and {held / nodes / 1e3:.2f} kB per node")
    print("\nTargets\n")
    ours = times["read zom"] / NODES
    target("us per node", ours * 1e6, 60)
    target("us per node, no two arrays alike", times["read zom, nothing alike"] / NODES * 1e6, 60)
    target(
        "times faster than from_zarr",
        times["read pydantic-zarr from_zarr"] / store_nodes / ours,
        20,
        least=True,
    )
    for what in ("equal", "write"):
        target(
            f"{what}, relative to pydantic-zarr", times[f"{what} zom"] / times[f"{what} pydantic-zarr"], 1.0
        )
    target("seconds to hash 100,000 nodes", times["hash zom"] * 100_000 / NODES, 2)
    for what in ("flatten", "like", "diff"):
        target(f"seconds to {what}", times[f"{what} zom"], 0.2)
    target("kB per node", large[1] / (1 + 1000 * (1 + trees.ARRAYS)) / 1e3, 10)
    target("growth in time from 10,001 to 100,001 nodes, per node", large[0] / small[0] / 10, 1.3)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
