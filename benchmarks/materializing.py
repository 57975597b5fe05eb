"""Making a hierarchy of 10,001 nodes on local disk, beside zarr-python; and 1,000 nodes far away, in round trips.

    python benchmarks/materializing.py [--rounds N] [--folder DIR]

In an environment with zom and benchmarks/requirements.txt. All take turns in every round in one process;
what is printed are medians of the processor's time. The floor is what no writer can do without: to make the
directories and write the texts. Round trips are counted on a store that has 512 requests in flight, as
zom's object stores do where a process may open 1,024 files.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

import trees
import zarr
from turns import timed
from zarr.core.group import GroupMetadata
from zarr.core.metadata.v3 import ArrayV3Metadata

import zom
from zom import v3
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

IN_FLIGHT = 512
TARGET = 6


def floor(texts: dict[str, str], root: Path) -> None:
    for key, text in texts.items():
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def peer_nodes(spec: Any) -> dict[str, Any]:
    """The same nodes as zarr-python has them, parsed beforehand."""
    made: dict[str, Any] = {}
    for path, node in spec.walk():
        document = node.to_documents()["zarr.json"]
        kind = ArrayV3Metadata if node.kind == "array" else GroupMetadata
        made[path.strip("/")] = kind.from_dict(document)
    return made


def create(nodes: dict[str, Any], root: Path) -> None:
    for _ in zarr.create_hierarchy(store=zarr.storage.LocalStore(root), nodes=nodes):
        pass


def round_trips(nodes: int) -> int:
    """How often a far store is waited for while so many nodes are made."""
    spec = v3.GroupSpec(
        members={f"a{number}": v3.ArraySpec.build(shape=(4,), dtype="int8") for number in range(nodes - 1)}
    )
    store = LoggedStore(MemoryStore())
    zom.materialize(spec, store)
    return sum(
        math.ceil(len(call.keys) / IN_FLIGHT) if call.keys else 1
        for call in store.log.calls
        if call.verb != "lock"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="making whole hierarchies, beside zarr-python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where to write; a temporary folder by default")
    options = parser.parse_args()
    spec = v3.parse(json.dumps(trees.tree()))
    nodes = sum(1 for _ in spec.walk())
    texts = {
        f"{path.strip('/')}/zarr.json".lstrip("/"): json.dumps(node.to_documents()["zarr.json"])
        for path, node in spec.walk()
    }
    peers = peer_nodes(spec)
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        fresh = (Path(made, str(number)) for number in count())
        done = Path(made, "done")
        zom.materialize(spec, done)
        assert zom.read(done) == spec
        found = timed(
            {
                "floor": lambda: floor(texts, next(fresh)),
                "zom.materialize": lambda: zom.materialize(spec, next(fresh)),
                "zom.materialize again": lambda: zom.materialize(spec, done),
                "zarr-python create_hierarchy": lambda: create(peers, next(fresh)),
            },
            options.rounds,
        )
    ours = found["zom.materialize"]
    print(
        f"zom {zom.__version__}, zarr {zarr.__version__}, {nodes:,} nodes, {options.rounds} rounds, medians\n"
    )
    for name, seconds in found.items():
        print(f"- {name}: {seconds / nodes * 1e6:.1f} us per node, {seconds / ours:.2f} of zom.materialize")
    ratio = found["zarr-python create_hierarchy"] / ours
    print(
        f"- {'met' if ratio >= TARGET else 'MISSED'}: create_hierarchy / zom.materialize: {ratio:.2f}, at least {TARGET}"
    )
    print(f"- 1,000 nodes on a far store: {round_trips(1000)} round trips")
    return int(ratio < TARGET)


if __name__ == "__main__":
    sys.exit(main())
