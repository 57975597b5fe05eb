"""Arrays of v2 whose chunks are stored with another separator than their document says."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import zom
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore


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


ENCODINGS = {
    "c/0/1": {"name": "default", "configuration": {"separator": "/"}},
    "c.0.1": {"name": "default", "configuration": {"separator": "."}},
    "0.1": {"name": "v2", "configuration": {"separator": "."}},
    "0/1": {"name": "v2", "configuration": {"separator": "/"}},
}


def _stored_v3(encoding: object, chunk: str) -> MemoryStore:
    spec = zom.v3.ArraySpec.build(shape=(4, 4), dtype="int8", chunks=(2, 2), compress=None, checksum=False)
    store = MemoryStore()
    zom.materialize(zom.v3.GroupSpec(members={"x": spec.replace(chunk_key_encoding=encoding)}), store)
    store.set(f"x/{chunk}", bytes([1, 2, 3, 4]))
    return store


@pytest.mark.parametrize("stored", ENCODINGS)
@pytest.mark.parametrize("wanted", ENCODINGS)
def test_chunks_of_v3_under_another_encoding_are_told_of_where_nothing_was_found(
    wanted: str, stored: str
) -> None:
    store = _stored_v3(ENCODINGS[wanted], stored)
    array = zom.open_array(store, "x")
    if wanted == stored:
        assert array[:2, 2:].any()
        return
    with pytest.warns(zom.SpecWarning) as caught:
        assert not array[:2, 2:].any()
    told = json.dumps(ENCODINGS[stored])
    assert [str(each.message) for each in caught] == [
        (
            f"memory://: /x: expected the chunk 'x/{wanted}', found 'x/{stored}'; "
            f'set "chunk_key_encoding": {told} in the zarr.json; until then it reads as the fill value'
        )
    ]
    repaired = json.loads(store.get("x/zarr.json") or b"") | {"chunk_key_encoding": ENCODINGS[stored]}
    store.set("x/zarr.json", json.dumps(repaired).encode())
    assert zom.open_array(store, "x")[:2, 2:].tolist() == [[1, 2], [3, 4]]


def test_other_encodings_are_looked_for_once_and_only_where_nothing_was_found() -> None:
    with LoggedStore(_stored_v3(ENCODINGS["c/0/1"], "c/0/1")) as store:
        array = zom.open_array(store, "x")
        array[...]
        array[2:]
        asked = {key for call in store.log.calls for key in call.keys}
        assert asked.isdisjoint({"x/c.0.0", "x/0.0", "x/c.0.1", "x/0.1", "x/c.1.0", "x/1.0"})
        empty = zom.open_array(store, "x")
        before = len(store.log.calls)
        empty[2:]
        assert [key for call in store.log.calls[before:] for key in call.keys][2:] == [
            "x/c.1.0",
            "x/1.0",
            "x/1/0",
        ]
        before = len(store.log.calls)
        empty[2:]
        assert [key for call in store.log.calls[before:] for key in call.keys] == ["x/c/1/0", "x/c/1/1"]


def test_a_copy_warns_of_chunks_that_it_leaves_behind() -> None:
    for store, wanted, stray in (
        (_stored(None, "0/0"), "0.0", "0/0"),
        (_stored_v3(ENCODINGS["c/0/1"], "0.1"), "c/0/0", "0.1"),
    ):
        with pytest.warns(zom.SpecWarning) as caught:
            report = zom.copy(store, MemoryStore())
        assert [str(each.message) for each in caught] == [
            (
                f"memory://: /x: expected keys like 'x/{wanted}', found 'x/{stray}', not copied; "
                "state the chunk key encoding in the document of the source, and repeat the copy"
            )
        ]
        assert report.foreign == (f"x/{stray}",)
        assert [problem.key for problem in report.warnings] == [f"x/{stray}"]
        assert "  warning: /x: expected keys like" in str(report)


def test_chunks_beyond_the_edge_are_no_chunks_of_another_encoding() -> None:
    store = _stored(".", "9.9")
    assert zom.copy(store, MemoryStore()).warnings == ()
