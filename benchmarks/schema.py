"""The JSON Schemas: exporting all of them, and a whole tree checked by Python's jsonschema.

    python benchmarks/schema.py [--rounds N]

In an environment with zom and benchmarks/requirements.txt. The schema of zom and the one that
pydantic-zarr exports check the same document in one process, taking turns in every round, so that a busy
machine slows both alike; what is printed are medians of the processor's time. Docs: docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from typing import TYPE_CHECKING

import pydantic_zarr.v3 as peer
import trees
from jsonschema import Draft202012Validator
from model import NODES
from turns import timed

import zom

if TYPE_CHECKING:
    from collections.abc import Callable

EXPORT = """
import time
import zom
names = zom.schema_names()
start = time.process_time()
for name in names:
    for draft in ("2020-12", "draft-07"):
        zom.json_schema(name, draft)
        zom.json_schema(name, draft, "codegen")
print(time.process_time() - start, 4 * len(names))
"""


def exported(rounds: int) -> tuple[float, int]:
    """The median time of exporting every schema, in processes that have exported none, and how many."""
    found: list[tuple[float, int]] = []
    for _ in range(rounds):
        done = subprocess.run([sys.executable, "-c", EXPORT], capture_output=True, text=True, check=True)
        seconds, count = done.stdout.split()
        found.append((float(seconds), int(count)))
    return sorted(found)[rounds // 2]


def checked(rounds: int) -> dict[str, float]:
    """The median time of checking each tree, by each schema."""
    schemas = {"zom": zom.json_schema("v3/group"), "pydantic-zarr": peer.GroupSpec.model_json_schema()}
    documents = {"like each other": trees.tree(), "each its own": trees.tree(strange=True)}
    series: dict[str, Callable[[], object]] = {}
    for kind, document in documents.items():
        for name, schema in schemas.items():
            validator = Draft202012Validator(schema)

            def call(validator: Draft202012Validator = validator, document: object = document) -> None:
                if any(True for _ in validator.iter_errors(document)):
                    message = "the tree must be valid"
                    raise AssertionError(message)

            series[f"{kind}, {name}"] = call
    return timed(series, rounds)


def main() -> None:
    """Prints the table of docs/benchmarks.md."""
    parser = argparse.ArgumentParser(description="Benchmarks of the JSON Schemas.")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="how often each thing is timed")
    rounds = parser.parse_args().rounds
    seconds, count = exported(rounds)
    times = checked(rounds)
    print("| | zom | pydantic-zarr | zom takes |\n| --- | --- | --- | --- |")
    print(f"| exporting every schema ({count} of them) | {seconds:.2f} s | | |")
    for kind in ("like each other", "each its own"):
        ours, theirs = times[f"{kind}, zom"], times[f"{kind}, pydantic-zarr"]
        print(f"| {NODES:,} nodes, {kind} | {ours:.2f} s | {theirs:.2f} s | {ours / theirs:.2f} |")


if __name__ == "__main__":
    main()
