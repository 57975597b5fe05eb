"""Mutated Blosc containers, decoded in this process: `python fuzz_blosc.py CASES [SEED]`.

Where the system lets us, source and target end before a page that nobody may touch, so that reading or
writing one byte too many ends the process. Each container is decoded twice, over different memory: what
differs then was never written.
"""

from __future__ import annotations

import ctypes
import mmap
import random
import sys

import numpy as np

from zom.codecs.blosc.coder import BloscCoder
from zom.errors import CodecError
from zom.extension.bound import Stream

PAGE = mmap.PAGESIZE
SIZES = (0, 1, 2, 3, 7, 15, 16, 31, 100, 127, 128, 255, 256, 512, 1000, 4096)
EXTREMES = (0, 1, 2, 127, 128, 2**31 - 1, 2**31, 2**32 - 1)


class Fenced:
    """Memory whose end lies before a page that can't be touched."""

    def __init__(self, size):
        self.size = -(-size // PAGE) * PAGE
        self.memory = mmap.mmap(-1, self.size + PAGE)
        if sys.platform == "linux":
            start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
            assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + self.size), PAGE, 0) == 0

    def last(self, size):
        return memoryview(self.memory)[self.size - size : self.size]


def sample(chance, size):
    kind = chance.randrange(4)
    if kind == 0:
        return chance.randbytes(size)
    if kind == 1:
        return (np.arange(size // 4 + 1, dtype="u4") * chance.randrange(1, 9)).tobytes()[:size]
    if kind == 2:
        return bytes(size)
    return bytes(chance.choices(b"ab c", k=size))


def mutate(chance, container):
    made = bytearray(container)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        kind = chance.choice((0, 1, 2, 3, 4, 5, 5, 5, 6))
        if kind == 0 and made:
            made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
        elif kind == 1 and made:
            made[chance.randrange(min(len(made), 64))] = chance.choice((0, 1, 127, 128, 255))
        elif kind == 2:
            del made[chance.randrange(len(made) + 1) :]
        elif kind == 3:
            made += chance.randbytes(chance.randrange(1, 9))
        elif kind == 4 and len(made) >= 20:
            place = chance.choice((4, 8, 12, 16, chance.randrange(16, len(made) - 3)))
            number = chance.choice((*EXTREMES, chance.randrange(2**32), len(made), len(made) - 16))
            made[place : place + 4] = number.to_bytes(4, "little")
        elif kind == 5 and len(made) > 20:
            place = chance.randrange(16, len(made))
            size = min(len(made) - place, chance.randrange(1, 32))
            made[place : place + size] = chance.randbytes(size)
        elif kind == 6 and len(made) >= 4:
            made[chance.choice((2, 3))] = chance.randrange(256)
    if chance.random() < 0.8 and len(made) >= 16:
        made[12:16] = len(made).to_bytes(4, "little")
    return bytes(made)


def together(coder, container, mutated, size):
    """What `mutated` holds where it is decoded with containers that are sound; None where it is refused."""
    rows = bytearray(9 * size)
    place = len(mutated) % 9
    chunks = [container] * 9
    chunks[place] = mutated
    try:
        coder.decode_rows(chunks, memoryview(rows))
    except CodecError:
        return None
    others = rows[: place * size] + rows[(place + 1) * size :]
    assert others == others[:size] * 8
    return bytes(rows[place * size : (place + 1) * size])


def main(cases, seed):
    chance = random.Random(seed)
    source, target = Fenced(200_000), Fenced(70_000)
    decoded = 0
    for case in range(cases):
        if case % 40 == 0:
            size = chance.choice((*SIZES, chance.randrange(70_001), chance.randrange(3000)))
            width = chance.choice((*range(1, 17), 33, 255, 300))
            coder = BloscCoder(
                Stream(size, size, width),
                cname=chance.choice(("blosclz", "lz4", "lz4hc", "zlib", "zstd")),
                clevel=chance.choice((0, 1, 5, 9)),
                shuffle=chance.randrange(3),
                blocksize=chance.choice((0, 0, 0, 1, 128, 256, 1000, 4096)),
            )
            data = sample(chance, size)
            container = coder.encode(data)
            assert bytes(coder.decode(container)) == data
        mutated = mutate(chance, container)
        chunk, room = source.last(len(mutated)), target.last(size)
        chunk[:] = mutated
        made = []
        try:
            for filler in (b"\x00", b"\xff"):
                room[:] = filler * size
                coder.decode_into(chunk, room)
                made.append(bytes(room))
        except CodecError:
            assert together(coder, container, chunk, size) is None
            continue
        assert made[0] == made[1], "some bytes were never written"
        assert together(coder, container, chunk, size) == made[0]
        decoded += 1
    print(cases, "containers,", decoded, "of them decoded")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
