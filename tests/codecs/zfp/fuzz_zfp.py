"""Mutated zfp chunks, decoded in this process: `python fuzz_zfp.py CASES [SEED]`.

zfp reads where it likes; that it never went beyond the room that it was given, it tells itself.
"""

from __future__ import annotations

import random
import re
import sys

import numpy as np

from zom.codecs.zfp.library import Mode, Zfp
from zom.errors import CodecError

MODES = (
    Mode(),
    Mode("fixed_accuracy", (0.01,)),
    Mode("fixed_rate", (8.0,)),
    Mode("fixed_precision", (16,)),
    Mode("expert", (1, 402, 20, -10)),
)


class Watched(Zfp):
    """One that remembers how many bytes zfp may read."""

    room = 0

    def _padded(self, stream, field, data):
        made = super()._padded(stream, field, data)
        self.room = made.nbytes
        return made


def stored():
    random_numbers = np.random.default_rng(0)
    for shape in ((1,), (5,), (4, 6), (17, 33), (9, 10, 11), (5, 6, 7, 8)):
        for name in ("int32", "int64", "float32", "float64"):
            walk = np.cumsum(random_numbers.standard_normal(int(np.prod(shape)))).reshape(shape)
            array = (walk * (1000 if "int" in name else 1)).astype(name)
            for mode in MODES:
                for header in (False, True):
                    library = Watched(shape, array.dtype, mode)
                    yield library, header, library.compress(array, header=header)


def mutate(chance, chunk):
    made = bytearray(chunk)
    for _ in range(chance.choice((1, 1, 2, 5))):
        kind = chance.randrange(5)
        if kind == 0 and made:
            made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
        elif kind == 1 and made:
            made[chance.randrange(min(len(made), 20))] = chance.randrange(256)
        elif kind == 2:
            del made[chance.randrange(len(made) + 1) :]
        elif kind == 3:
            made += chance.randbytes(8)
        else:
            place = chance.randrange(len(made) + 1)
            made[place:] = bytes([chance.choice((0, 255, chance.randrange(256)))]) * (len(made) - place)
    return bytes(made)


def main(cases, seed):
    chance = random.Random(seed)
    chunks = list(stored())
    decoded = 0
    for _ in range(cases):
        library, header, chunk = chance.choice(chunks)
        try:
            library.decompress(mutate(chance, chunk), header=header)
            decoded += 1
        except CodecError as error:
            taken = re.match(r"truncated: the values take (\d+) bytes", str(error))
            if taken is not None and int(taken[1]) > library.room:
                raise
    print(cases, "chunks,", decoded, "of them decoded")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
