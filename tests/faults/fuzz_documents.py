"""Mutated documents through all that reads them: a value or a `ZomError`, and nothing else.

    python tests/faults/fuzz_documents.py [--figures] [count] [seed]

Prints how many were read and how many refused; what goes wrong otherwise is shown with what made it.
`--figures` keeps the figures for docs/reliability.md.
"""

from __future__ import annotations

import faulthandler
import json
import random
import sys
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "schemas"))

import figures
from byte_mutations import mutated
from mutations import Mutator, Pool

import zom
from zom import draft
from zom.errors import ZomError
from zom.stores.memory import MemoryStore

TESTS = Path(__file__).parents[1]
GROUPS = {
    "v2": {"zarr_format": 2},
    "v3": {"zarr_format": 3, "node_type": "group"},
    "draft": {"extensions": [], "attributes": {}},
}
KEYS = (
    "zarr.json",
    ".zarray",
    ".zgroup",
    ".zattrs",
    ".zmetadata",
    "meta/root.array.json",
    "meta/root.group.json",
)
ENTRY = b'{"zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0", "metadata_encoding": "json"}'


def corpus():
    """Documents that people and programs wrote, and those of the conformance cases, by format."""
    found = {form: [] for form in GROUPS}
    for form, documents in found.items():
        for path in sorted((TESTS / "conformance" / form).glob("*.json")):
            cases = json.loads(path.read_text(encoding="utf-8"))
            documents += [case["document"] for case in cases if isinstance(case.get("document"), dict)]
    for path in sorted((TESTS / "fixtures" / "documents").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            found["v3" if case["key"].endswith("zarr.json") else "v2"].append(json.loads(case["document"]))
    return found


def parse(text, key):
    return zom.parse(text)


def check(text, key):
    return zom.validate(text, level="lenient").problems


def in_store(text, key):
    store = MemoryStore()
    store.set(key, text)
    if key.startswith("meta/"):
        store.set("zarr.json", ENTRY)
    if key in {".zattrs", ".zmetadata"}:
        store.set(".zgroup", b'{"zarr_format": 2}')
    return store


def read(text, key):
    return zom.read(in_store(text, key))


def open_(text, key):
    return repr(zom.open(in_store(text, key)))


def check_store(text, key):
    return zom.validate(in_store(text, key), conventions=(), data="keys").problems


def plan(text, key):
    spec = zom.parse(text)
    if isinstance(spec, draft.EntryPoint):
        return spec.to_json()
    return zom.plan(spec, MemoryStore()), spec.to_json(), list(spec.walk())


def convert(text, key):
    return zom.convert(zom.parse(text), "v3")


ACTS = [parse, check, read, open_, check_store, plan, convert]


class Maker:
    """Makes mutated documents: values changed in their places, then, some of them, bytes."""

    def __init__(self, rng):
        self.rng = rng
        self.mutators = {
            form: Mutator(Pool(documents), rng, GROUPS[form]) for form, documents in corpus().items()
        }
        self.texts = [
            json.dumps(document).encode()
            for mutator in self.mutators.values()
            for document in mutator.pool.documents[::20]
        ]

    def make(self):
        """A text and a key to store it under."""
        rng = self.rng
        form = rng.choice(list(self.mutators))
        mutator = self.mutators[form]
        tree = rng.random() < 0.2
        document = mutator.tree() if tree else rng.choice(mutator.pool.documents)
        text = json.dumps(mutator.mutant(document, rng.choice([0, 1, 1, 2, 5]))).encode()
        if rng.random() < 0.4:
            text = mutated(text, rng, self.texts)
        return text, rng.choice(KEYS)


def main(count=50_000, seed=0):
    """Prints and returns what came of `count` documents; an error where something went wrong."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    rng = random.Random(seed)
    maker = Maker(rng)
    found = Counter()
    for number in range(count):
        text, key = maker.make()
        act = ACTS[number % len(ACTS)]
        try:
            act(text, key)
        except ZomError:
            found["refused"] += 1
        except BaseException:
            sys.stderr.write(f"document {number} of seed {seed}: {act.__name__} of {key!r}: {text!r}\n")
            raise
        else:
            found["read"] += 1
    sys.stdout.write(f"{count} documents in {len(ACTS)} ways: {dict(found)}\n")
    return dict(found)


if __name__ == "__main__":
    keep = "--figures" in sys.argv
    counts = main(*(int(each) for each in sys.argv[1:] if each != "--figures"))
    if keep:
        figures.add("fuzz documents", {"counts": counts})
