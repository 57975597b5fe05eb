"""Arrays of v2 whose chunks are stored with another separator than their document says."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zom
from zom.stores.logged import LoggedStore
from zom.stores.memory import MemoryStore


def _stored(separator: str | None, chunk: str) -> MemoryStore:
    spec = zom.v2.ArraySpec.build(shape=(4, 4), dtype="int8", chunks=(2, 2), compress=None)
    spec = spec.replace(dimension_separator=zom.ABSENT if separator is None else separator)
    store = MemoryStore()
    zom.materialize(zom.v2.GroupSpec(members={"x": spec}), store)
    store.set(f"x/{chunk}", bytes([1, 2, 3, 4]))
    return store


@pytest.mark.parametrize(
    ("separator", "chunk", "wanted", "other"),
    [(None, "0/0", "0.0", "/"), (".", "0/0", "0.0", "/"), ("/", "0.0", "0/0", ".")],
)
def test_reading_warns_of_chunks_with_the_other_separator(
    separator: str | None, chunk: str, wanted: str, other: str
) -> None:
    array = zom.open_array(_stored(separator, chunk), "x")
    message = (
        f"memory://: /x: expected the chunk 'x/{wanted}', found 'x/{chunk}'; "
        f'set "dimension_separator": "{other}" in the .zarray; until then it reads as the fill value'
    )
    with pytest.warns(zom.SpecWarning) as caught:
        assert not array[...].any()
    assert [str(each.message) for each in caught] == [message]
    assert caught[0].filename == __file__


def test_a_handle_looks_for_the_other_separator_once() -> None:
    inner = _stored(None, "0.0")
    with LoggedStore(inner) as store, warnings.catch_warnings():
        warnings.simplefilter("error")
        array = zom.open_array(store, "x")
        first = array[...]
        before = len(store.log.calls)
        np.testing.assert_array_equal(array[2:], np.zeros((2, 4), "i1"))
        assert [key for call in store.log.calls[before:] for key in call.keys] == ["x/1.0", "x/1.1"]
    assert first[0, 0] == 1
