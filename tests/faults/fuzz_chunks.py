"""Mutated chunks through whole chains: elements or a `ZomError`, and nothing else.

    python tests/faults/fuzz_chunks.py [--figures] [count] [seed]

Prints how many were read and how many refused; what goes wrong otherwise is shown with what made it.
`--figures` keeps the figures for docs/reliability.md.
"""

from __future__ import annotations

import faulthandler
import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "engine"))

import figures
from byte_mutations import mutated
from damage_chains import CHAINS, written

from zom.errors import ZomError


def acts(array):
    element = array[0, 0]

    def change():
        array[1::2, 1] = element

    return [lambda: array[...], lambda: array[...], lambda: array[1, 2], lambda: array[:, ::2], change]


def main(count=50_000, seed=0):
    """Prints and returns what came of `count` chunks; an error where something went wrong."""
    faulthandler.enable()
    rng = random.Random(seed)
    cases = []
    for name in CHAINS:
        array, key, elements = written(name)
        cases.append((name, array, key, array.store.get(key), acts(array), elements.shape))
    others = [case[3] for case in cases]
    found = Counter()
    for number in range(count):
        name, array, key, good, ways, shape = cases[number % len(cases)]
        data = mutated(good, rng, others)
        array.store.set(key, data)
        act = rng.choice(ways)
        try:
            made = act()
        except ZomError:
            found["refused"] += 1
        except BaseException:
            sys.stderr.write(f"chunk {number} of seed {seed}: {name}: {data.hex()}\n")
            raise
        else:
            found["read"] += 1
            assert act is not ways[0] or np.shape(made) == shape
    sys.stdout.write(f"{count} chunks of {len(cases)} chains: {dict(found)}\n")
    return dict(found)


if __name__ == "__main__":
    keep = "--figures" in sys.argv
    counts = main(*(int(each) for each in sys.argv[1:] if each != "--figures"))
    if keep:
        figures.add("fuzz chunks", {"counts": counts})
