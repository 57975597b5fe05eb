"""Keys with an ending."""

from __future__ import annotations

import numpy as np
import pytest

import zom
from zom import v3
from zom.stores.memory import MemoryStore


def keys(ending, base):
    return {"name": "suffix", "configuration": {"suffix": ending, "base_encoding": base}}


def made(encoding, shape=(4, 6)):
    built = v3.ArraySpec.build(shape=shape, dtype="int16", chunks=tuple(min(3, n) for n in shape))
    return zom.create_array(MemoryStore(), built.replace(chunk_key_encoding=encoding))


@pytest.mark.parametrize("shape", [(), (5,), (4, 6)])
@pytest.mark.parametrize("base", ["default", {"name": "v2", "configuration": {"separator": "/"}}], ids=str)
def test_chunks_are_written_and_read_by_their_ending(base, shape):
    array = made(keys(".tiff", base), shape)
    values = np.arange(np.prod(shape, dtype=int), dtype="i2").reshape(shape) + 1
    array[...] = values
    chunks = [key for key in array.store.list() if key != "zarr.json"]
    assert chunks
    assert all(key.endswith(".tiff") for key in chunks)
    assert np.array_equal(zom.open_array(array.store)[...], values)
    assert zom.validate(array, conventions=(), data="all").ok
    if shape:
        points = tuple(np.array([0, n - 1]) for n in shape)
        assert np.array_equal(array.vindex[points], values[points])
        array.resize((1,) * len(shape))
        assert len([key for key in array.store.list() if key != "zarr.json"]) == 1


def test_copies_and_plans_know_the_ending():
    array = made(keys(".a", "default"))
    array[...] = 3
    target = MemoryStore()
    zom.copy(array.store, target, array.spec.replace(chunk_key_encoding=keys(".b", "default")))
    assert "c/0/0.b" in set(target.list())
    assert (zom.open_array(target)[...] == 3).all()


@pytest.mark.parametrize("ending", ["", "/x", "/../../x", "a b", "x\0"])
def test_an_ending_is_a_part_of_a_name(ending):
    with pytest.raises(zom.SpecError, match="suffix"):
        made(keys(ending, "default"))


def test_the_name_is_not_registered():
    codes = [
        problem.code
        for problem in zom.validate(made(keys(".a", "default")).spec, conventions=(), level="closed").problems
    ]
    assert codes == ["v3/unregistered-name"]


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("acme", "no chunk key encoding named 'acme' is registered"),
        (
            keys(".a", "default"),
            "expected a base encoding without a suffix, found one with a suffix; write one suffix for both",
        ),
    ],
)
def test_what_can_not_be_used_is_told(base, message):
    array = made(keys(".a", base))
    with pytest.raises(zom.ZomError, match=message):
        array[...] = 1
