"""A store that fails: what is read is right or an error, what is written is old or new, whenever it happens.

Every operation of a store fails in turn, or is the last one before the process dies.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from damage_chains import CRC, LITTLE, array_v3, shards

import zom
from zom.errors import ChunkError, ZomError
from zom.stores.memory import MemoryStore
from zom.testing.faulty import FaultyStore

SPECS = {
    "chunks": array_v3(LITTLE, CRC, dtype="int32", shape=(8, 8)),
    "bytes": array_v3(LITTLE, dtype="int32", shape=(8, 8)),
    "shards": array_v3(shards(LITTLE, CRC), dtype="int32", shape=(8, 8)),
    "shards index first": array_v3(shards(LITTLE, location="start"), dtype="int32", shape=(8, 8)),
}
OLD = np.arange(64).reshape(8, 8) + 1
NEW = OLD + 100


class Killed(BaseException):
    """The end of the process: nobody catches it."""


class KillingStore(FaultyStore):
    """Dies where a faulty store fails."""

    def done(self, verb, key, act):
        try:
            return super().done(verb, key, act)
        except OSError as error:
            raise Killed from error


def filled(spec):
    """The values of a store with an array full of `OLD`."""
    store = MemoryStore()
    zom.create_array(store, spec, "x")[...] = OLD
    return {key: store.get(key) for key in store.list()}


def faults(spec, mishaps, act, kind=FaultyStore):
    """For each mishap at each operation of `act`: what came of it, and an array on the store afterwards."""
    data = filled(spec)
    for mishap in mishaps:
        number, more = 0, True
        while more:
            inner = MemoryStore(data)
            store = kind(inner)
            array = zom.open_array(store, "x", mode="r+").with_options(threads=1)
            store.next(mishap, number)
            first = len(store.operations)
            failed, found = False, None
            try:
                found = act(array)
            except (ZomError, Killed):
                failed = True
            more = len(store.operations) > first + number
            yield failed, found, inner
            number += 1
        assert number > 1


def now(inner):
    return zom.open_array(inner, "x", mode="r+")


# --- reading -----------------------------------------------------------------------------------------

READS = {
    "all": (lambda a: a[...], OLD),
    "a part": (lambda a: a[1:7, ::3], OLD[1:7, ::3]),
    "an element": (lambda a: a[5, 6], OLD[5, 6]),
    "points": (lambda a: a.vindex[[0, 7, 3], [7, 0, 3]], OLD[[0, 7, 3], [7, 0, 3]]),
    "a product": (lambda a: a.oindex[[6, 0], [1, 7]], OLD[np.ix_([6, 0], [1, 7])]),
}


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("read", READS)
def test_what_is_read_of_a_store_that_fails_is_right_or_an_error(spec, read):
    act, wanted = READS[read]
    outcomes = set()
    for failed, found, _ in faults(spec, ["fail", "fail after", "shorten", "delay", "duplicate"], act):
        assert failed or np.array_equal(found, wanted)
        outcomes.add(failed)
    assert outcomes == {True, False}


# --- writing -----------------------------------------------------------------------------------------


def write_some(array):
    array[1:7, ::3] = NEW[1:7, ::3]


def write_all(array):
    array[...] = NEW


SOME = OLD.copy()
SOME[1:7, ::3] = NEW[1:7, ::3]
WRITES = {"all": (write_all, NEW), "a part": (write_some, SOME)}


def is_old_or_new(found, wanted, *, failed):
    """Whether every chunk is what was written, or where that failed, what was there."""
    chunks = [np.s_[:4, :4], np.s_[:4, 4:], np.s_[4:, :4], np.s_[4:, 4:]]
    return all(
        np.array_equal(found[chunk], wanted[chunk]) or (failed and np.array_equal(found[chunk], OLD[chunk]))
        for chunk in chunks
    )


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("kind", [FaultyStore, KillingStore])
@pytest.mark.parametrize("write", WRITES)
def test_each_chunk_is_old_or_new_after_a_write_that_failed(spec, kind, write):
    act, wanted = WRITES[write]
    for failed, _, inner in faults(spec, ["fail", "fail after", "duplicate"], act, kind):
        assert is_old_or_new(now(inner)[...], wanted, failed=failed)
        act(now(inner))
        assert np.array_equal(now(inner)[...], wanted)


@pytest.mark.parametrize("spec", [SPECS["chunks"], SPECS["shards"]], ids=["chunks", "shards"])
@pytest.mark.parametrize("write", WRITES)
def test_a_write_of_which_a_half_arrives_is_not_silent(spec, write):
    act, wanted = WRITES[write]
    for failed, _, inner in faults(spec, ["shorten"], act):
        try:
            found = now(inner)[...]
        except ChunkError:
            continue
        assert is_old_or_new(found, wanted, failed=failed)


# --- shapes ------------------------------------------------------------------------------------------


def shrink(array):
    array.resize((5, 6))


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("kind", [FaultyStore, KillingStore])
def test_cutting_off_never_shows_fill_for_what_is_there_nor_what_was_cut_off(spec, kind):
    for failed, _, inner in faults(spec, ["fail", "fail after", "duplicate"], shrink, kind):
        array = now(inner)
        assert array.shape in ({(8, 8), (5, 6)} if failed else {(5, 6)})
        assert np.array_equal(array[...], OLD[: array.shape[0], : array.shape[1]])
        kept = array.shape
        array.resize((8, 8))
        found = array[...]
        assert np.array_equal(found[: kept[0], : kept[1]], OLD[: kept[0], : kept[1]])
        found[: kept[0], : kept[1]] = 0
        assert not found.any()


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("kind", [FaultyStore, KillingStore])
def test_growing_shows_fill_behind_what_was_there(spec, kind):
    # Somebody else cut the array off by its document alone, and left its chunks.
    def grow(array):
        array.resize((8, 7))

    small = spec.replace(shape=(5, 6))
    data = filled(spec)
    key = "x/zarr.json"
    store = MemoryStore()
    zom.create_array(store, small, "x")
    data[key] = store.get(key)
    for mishap in ["fail", "fail after", "duplicate"]:
        for number in range(100):
            inner = MemoryStore(data)
            faulty = kind(inner)
            array = zom.open_array(faulty, "x", mode="r+").with_options(threads=1)
            faulty.next(mishap, number)
            first = len(faulty.operations)
            with suppress(ZomError, Killed):
                grow(array)
            found = now(inner)[...]
            assert found.shape in {(5, 6), (8, 7)}
            assert np.array_equal(found[:5, :6], OLD[:5, :6])
            found[:5, :6] = 0
            assert not found.any()
            if len(faulty.operations) <= first + number:
                break
        assert number > 1


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("kind", [FaultyStore, KillingStore])
@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_appended_is_all_there_or_not_at_all(spec, kind, axis):
    more = np.full((3, 8) if axis == 0 else (8, 3), -5)
    both = np.concatenate([OLD, more], axis=axis)

    def append(array):
        array.append(more, axis=axis)

    for failed, _, inner in faults(spec, ["fail", "fail after"], append, kind):
        array = now(inner)
        assert np.array_equal(array[...], both) or (failed and np.array_equal(array[...], OLD))
        if array.shape == (8, 8):
            append(array)
            assert np.array_equal(now(inner)[...], both)


@pytest.mark.parametrize("kind", [FaultyStore, KillingStore])
def test_attributes_are_old_or_new(kind):
    def change(array):
        array.attrs["a"] = [1, 2]

    for failed, _, inner in faults(SPECS["chunks"], ["fail", "fail after", "duplicate"], change, kind):
        array = now(inner)
        assert dict(array.attrs) == {"a": [1, 2]} or (failed and dict(array.attrs) == {})
        assert np.array_equal(array[...], OLD)


def test_a_failure_of_the_store_is_told_with_its_key():
    store = FaultyStore(MemoryStore(filled(SPECS["chunks"])))
    array = zom.open_array(store, "x")
    store.next("fail")
    with pytest.raises(
        ZomError,
        match="memory://: cannot read 'x/c/0/1' of /x: input/output error; check the disk, then try again",
    ):
        array[0, 5]
