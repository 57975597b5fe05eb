"""Pyramids take no more memory than they promise, however large the image is."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import zom
from zom import v3

MEMORY = 1 << 20
REDUCING = 3 << 20
"""What it takes to reduce a piece, a MiB at once."""

SIDE = 4096
IMAGE = 2 * SIDE * SIDE
"""The bytes of the image: 32 MiB."""


def level_0(folder, **options):
    spec = v3.ArraySpec.build(shape=(SIDE, SIDE), dtype="u2", compress="zstd:1", **options)
    array = zom.create_group(folder, v3.GroupSpec()).create("0", spec)
    array[...] = np.arange(SIDE, dtype="u2")[None, :] + np.arange(SIDE, dtype="u2")[:, None]
    return array


def peak_of(act):
    act(levels=2)  # what is imported and kept once doesn't count
    tracemalloc.start()
    try:
        act(levels=5)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mean", "mode", "stride"])
@pytest.mark.parametrize(
    ("chunks", "shards", "stored"),
    [((256, 256), None, 1 << 17), ((128, 128), (1024, 1024), 1 << 21), ((4096, 16), None, 1 << 17)],
    ids=["chunks", "shards", "columns"],
)
@pytest.mark.parametrize("jobs", [2])
def test_a_thread_holds_its_memory_and_one_stored_chunk(tmp_path, method, chunks, shards, stored, jobs):
    image = level_0(tmp_path, chunks=chunks, shards=shards)

    def act(levels):
        zom.pyramid(image, levels=levels, method=method, memory=MEMORY, jobs=jobs, on_conflict="replace")

    # A piece of the finer level, what reducing takes, and a chunk or shard, decoded and encoded.
    most = jobs * (MEMORY + REDUCING + 3 * stored) + (1 << 20)
    assert most < IMAGE * 2 / 3
    assert peak_of(act) < most


def test_an_image_that_is_read_by_a_key_is_never_held_whole(tmp_path):
    class Ramp:
        shape, dtype = (SIDE, SIDE), np.dtype("u2")

        def __getitem__(self, key):
            rows, columns = (np.arange(part.start, part.stop, dtype="u2") for part in key)
            return rows[:, None] + columns[None, :]

    def act(levels):
        place = tmp_path / str(levels)
        zom.pyramid(Ramp(), place, levels=levels, chunks=(256, 256), memory=MEMORY, jobs=2)

    assert peak_of(act) < 8 * MEMORY
