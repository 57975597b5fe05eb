"""Reading a hierarchy of 10,001 nodes from local disk, beside zarr-python and pydantic-zarr.

    python benchmarks/reading.py [--rounds N]

In an environment with zom and benchmarks/requirements.txt. All take turns in every round in one process;
what is printed are medians of the processor's time. The floor is what no reader can do without: to walk the
directories, read each document, and parse it with the json of the standard library. pydantic-zarr reads
a twentieth of the tree; its time is given for each node. Ends with 1 where zom takes more than 1.3 of the floor.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pydantic_zarr.v3 as peer
import trees
import zarr
from turns import timed

import zom
from zom import v3
from zom.hierarchy.stored.layout import V3_LAYOUT
from zom.hierarchy.stored.open import read_node

if TYPE_CHECKING:
    from zom.stores.interface import Store

TARGET = 1.3
FEW = 5
"""Groups in the tree that pydantic-zarr reads."""


def write(spec: Any, root: Path) -> int:
    """The documents of `spec` below `root`; how many nodes there are."""
    nodes = 0
    for path, node in spec.walk():
        for key, document in V3_LAYOUT.documents(path, node).items():
            (root / key).parent.mkdir(parents=True, exist_ok=True)
            (root / key).write_text(json.dumps(document), encoding="utf-8")
        nodes += 1
    return nodes


def floor(root: Path) -> int:
    found = 0
    for directory, _, files in os.walk(root):
        if "zarr.json" in files:
            json.loads(Path(directory, "zarr.json").read_bytes())
            found += 1
    return found


def opened(store: Store, times: int = 2000) -> None:
    for _ in range(times):
        read_node(store, "g0001/a0003")


def main() -> int:
    parser = argparse.ArgumentParser(description="reading whole hierarchies, beside peers")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as made:
        whole, part = Path(made, "whole"), Path(made, "part")
        spec = v3.parse(json.dumps(trees.tree()))
        nodes = write(spec, whole)
        few = write(v3.parse(json.dumps(trees.tree(FEW))), part)
        store = zom.store(whole)
        assert zom.read(whole) == spec
        found = timed(
            {
                "floor": lambda: floor(whole),
                "zom.read": lambda: zom.read(whole),
                "zarr-python members": lambda: zarr.open_group(whole, mode="r").members(max_depth=None),
                "pydantic-zarr from_zarr": lambda: peer.GroupSpec.from_zarr(zarr.open_group(part, mode="r")),
                "open one array, 2,000 times": lambda: opened(store),
            },
            rounds,
        )
    each = {name: seconds / nodes * 1e6 for name, seconds in found.items()}
    each["pydantic-zarr from_zarr"] = found["pydantic-zarr from_zarr"] / few * 1e6
    ours = each["zom.read"]
    print(f"zom {zom.__version__}, {nodes:,} nodes, {rounds} rounds, medians\n")
    for name in ("floor", "zom.read", "zarr-python members", "pydantic-zarr from_zarr"):
        print(f"- {name}: {each[name]:.1f} us per node, {each[name] / ours:.2f} of zom.read")
    ratio = found["zom.read"] / found["floor"]
    print(f"- {'met' if ratio <= TARGET else 'MISSED'}: zom.read / floor: {ratio:.2f}, at most {TARGET}")
    print(f"- open one array: {found['open one array, 2,000 times'] / 2000 * 1e6:.1f} us")
    return int(ratio > TARGET)


if __name__ == "__main__":
    sys.exit(main())
