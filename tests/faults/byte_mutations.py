"""Bytes that are nearly others: flipped, cut, grown, spliced, with numbers at the edge of a range in them."""

from __future__ import annotations

import struct

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


def mutated(data, rng, others):
    """`data` after one change or some; `others` give parts to splice."""
    made = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        if made:
            rng.choice(MUTATIONS)(made, rng, others)
    return bytes(made)
