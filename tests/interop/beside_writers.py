"""Beside other writers: tensorstore and zom change parts of one chunk, zarr-python looks at an open hierarchy.

    python tests/interop/beside_writers.py

Processes of zom and of tensorstore write an element each into the same chunks, again and again; no write may be
lost. While zom has a hierarchy open and after it wrote, zarr-python lists members and consolidates: without a
warning. Ends with 1 where anything differs.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import multiprocessing
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tensorstore
import zarr

import zom

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

WRITERS = 4
EACH = 150
"""How many elements each writer writes, each once: what is lost stays lost."""


def with_zom(place: str, first: int) -> None:
    """Write every element that is this writer's."""
    array = zom.open_array(place, mode="r+")
    for at in range(first, WRITERS * EACH, WRITERS):
        array[at] = at + 1


def with_tensorstore(place: str, first: int) -> None:
    """The same."""
    described = {"driver": "zarr3", "kvstore": {"driver": "file", "path": place}}
    array = tensorstore.open(described, open=True).result()
    for at in range(first, WRITERS * EACH, WRITERS):
        array[at].write(at + 1).result()


def work(place: str, first: int, barrier: Barrier) -> None:
    """Begin with the others."""
    barrier.wait(60)
    (with_tensorstore if first % 2 else with_zom)(place, first)


def lost(**chunks: tuple[int]) -> list[str]:
    """What is not as its only writer left it."""
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/x.zarr"
        zom.create_array(place, zom.v3.ArraySpec.build(shape=(WRITERS * EACH,), dtype="int32", **chunks))
        context = multiprocessing.get_context("spawn")
        barrier = context.Barrier(WRITERS)
        workers = [context.Process(target=work, args=(place, first, barrier)) for first in range(WRITERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        found = [f"a writer ended with {worker.exitcode}" for worker in workers if worker.exitcode]
        missing = int((zom.open_array(place)[:] != np.arange(1, WRITERS * EACH + 1)).sum())
        if missing:
            found.append(f"{missing} of {WRITERS * EACH} writes are lost")
        names = {path.name for path in Path(place).rglob("*") if path.is_file()}
        return [*found, *(f"left behind: {name}" for name in sorted(names - {"zarr.json", "0"}))]


def warned() -> list[str]:
    """What zarr-python warns of while zom has a hierarchy open."""
    found: list[str] = []
    for form in (zom.v2, zom.v3):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            member = form.ArraySpec.build(shape=(8,), dtype="int32", chunks=(4,))
            root = zom.materialize(
                form.GroupSpec(members={"g": form.GroupSpec(members={"a": member})}), folder
            )
            root["g"]["a"][1:6] = 7
            root["g"].attrs["n"] = 1
            root["g"]["a"].resize((12,))
            group = zarr.open_group(folder, mode="r+", use_consolidated=False)
            names = sorted(name for name, _ in group.members(max_depth=None))
            zarr.consolidate_metadata(folder)
            if names != ["g", "g/a"]:
                found.append(f"zarr-python lists {names}")
            told = [
                str(each.message)
                for each in caught
                if "Consolidated metadata is currently" not in str(each.message)
            ]
            found.extend(f"zarr-python warns: {text}" for text in told)
    return found


def main() -> int:
    """Run all, and tell what differs."""
    failures = 0
    for name, problems in (
        ("parts of one chunk", lost(chunks=(WRITERS * EACH,))),
        ("parts of one shard", lost(chunks=(4,), shards=(WRITERS * EACH,))),
        ("members and consolidation", warned()),
    ):
        print(f"{name}: {'as it should be' if not problems else ''}")
        for problem in problems:
            print(f"  {problem}")
        failures += bool(problems)
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
