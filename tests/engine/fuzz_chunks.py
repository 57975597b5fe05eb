"""Mutated chunks through whole chains: elements or a `ZomError`, and nothing else.

    python tests/engine/fuzz_chunks.py [count] [seed]

Prints how many were read and how many refused; what goes wrong otherwise is shown with what made it.
"""

from __future__ import annotations

import faulthandler
import random
import struct
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from damage_chains import CHAINS, written

from zom.errors import ZomError

NUMBERS = [0, 1, 4, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]


def flip(data, rng, others):
    for _ in range(rng.choice([1, 1, 2, 8])):
        place = rng.randrange(len(data) * 8)
        data[place // 8] ^= 1 << place % 8


def put_number(data, rng, others):
    form = rng.choice(["<B", "<H", "<I", "<Q", ">I"])
    number = rng.choice(NUMBERS) & (1 << 8 * struct.calcsize(form)) - 1
    place = rng.randrange(len(data))
    data[place : place + struct.calcsize(form)] = struct.pack(form, number)


def cut(data, rng, others):
    del data[rng.randrange(len(data)) :]


def take_out(data, rng, others):
    place = rng.randrange(len(data))
    del data[place : place + rng.randint(1, 8)]


def put_in(data, rng, others):
    place = rng.randrange(len(data) + 1)
    data[place:place] = rng.randbytes(rng.choice([1, 2, 4, 8, 100]))


def repeat(data, rng, others):
    place = rng.randrange(len(data))
    data[place:place] = data[place : place + rng.randint(1, 64)] * rng.choice([1, 2, 100])


def splice(data, rng, others):
    other = rng.choice(others)
    data[rng.randrange(len(data)) :] = other[rng.randrange(len(other)) :]


MUTATIONS = [flip, flip, flip, put_number, put_number, cut, take_out, put_in, repeat, splice]


def acts(array):
    element = array[0, 0]

    def change():
        array[1::2, 1] = element

    return [lambda: array[...], lambda: array[...], lambda: array[1, 2], lambda: array[:, ::2], change]


def main(count=50_000, seed=0):
    """Prints what came of `count` chunks; 1 where something went wrong."""
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
        data = bytearray(good)
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            if data:
                rng.choice(MUTATIONS)(data, rng, others)
        array.store.set(key, bytes(data))
        act = rng.choice(ways)
        try:
            made = act()
        except ZomError:
            found["refused"] += 1
        except BaseException:
            sys.stderr.write(f"chunk {number} of seed {seed}: {name}: {bytes(data).hex()}\n")
            raise
        else:
            found["read"] += 1
            assert act is not ways[0] or np.shape(made) == shape
    sys.stdout.write(f"{count} chunks of {len(cases)} chains: {dict(found)}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
