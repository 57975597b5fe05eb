"""The memory that reading, copying and checking take beyond the result: docs/benchmarks-memory.md states it."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import zom
from zom import v3
from zom.hierarchy.copy import copy as copying
from zom.stores.local import LocalStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MIB = 1 << 20
SIDE = 4096
CHUNK = 4 * MIB
LITTLE = 2 * MIB
"""Plans, keys, and what codecs keep."""

ARRAYS: dict[str, dict[str, Any]] = {
    "plain": {"chunks": (1024, 1024), "compress": None},
    "zstd": {"chunks": (1024, 1024), "compress": "zstd:1"},
    "shards": {"chunks": (128, 128), "shards": (1024, 1024), "compress": "zstd:1"},
    "plain shards": {"chunks": (128, 128), "shards": (1024, 1024), "compress": None},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Arrays of 64 MiB in chunks or shards of 4 MiB, by name."""
    made = tmp_path_factory.mktemp("arrays")
    data = np.random.default_rng(0).integers(0, 1000, (SIDE, SIDE), "i4")
    for name, given in ARRAYS.items():
        spec = v3.ArraySpec.build(shape=(SIDE, SIDE), dtype="int32", **given)
        zom.create_array(made / name, spec)[...] = data
    return made


def most(act: Callable[[], Any]) -> int:
    """The most memory that `act` takes beyond what it returns."""
    tracemalloc.start()
    try:
        result = act()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return peak - (result.nbytes if isinstance(result, np.ndarray) else 0)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "key", [np.s_[:, :], np.s_[8:-8, 8:-8], np.s_[::4, ::4]], ids=["all", "cut", "strided"]
)
@pytest.mark.parametrize("name", ARRAYS)
def test_reading_takes_the_result_and_four_chunks_a_thread(
    folder: Path, name: str, key: Any, threads: int
) -> None:
    array = zom.open_array(folder / name).with_options(threads=threads)
    array[:8, :8]
    assert most(lambda: array[key]) < threads * 4 * CHUNK + LITTLE


@pytest.mark.parametrize("name", ARRAYS)
def test_copying_takes_four_chunks_a_job(folder: Path, name: str, tmp_path: Path) -> None:
    original = copying.read_original(LocalStore(folder / name), "/")
    choices = copying.Choices(jobs=1, verify=True)
    taken = most(lambda: copying.copy_hierarchy(original, LocalStore(tmp_path), "/", None, choices))
    assert taken < 4 * CHUNK + LITTLE


@pytest.mark.parametrize("name", ["zstd", "shards"])
def test_copying_into_other_chunks_takes_a_region_and_two_chunks_a_job(
    folder: Path, name: str, tmp_path: Path
) -> None:
    original = copying.read_original(LocalStore(folder / name), "/")
    spec = v3.ArraySpec.build(shape=(SIDE, SIDE), dtype="int32", chunks=(300, 700), compress="zstd:1")
    choices = copying.Choices(jobs=1)
    taken = most(lambda: copying.copy_hierarchy(original, LocalStore(tmp_path), "/", spec, choices))
    assert taken < 16 * MIB + 2 * CHUNK + LITTLE


@pytest.mark.parametrize("name", ARRAYS)
def test_checking_chunks_takes_four_of_them_a_thread(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zom.engine.workers.processors", lambda: 1)
    zom.check(folder / name)
    assert most(lambda: zom.check(folder / name, data="all")) < 4 * CHUNK + LITTLE
