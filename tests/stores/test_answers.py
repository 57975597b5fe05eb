"""What a package's store gives is taken where it is bytes of any sort, and told as its fault where it is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import PathError, StoreError
from zom.stores.interface import Part, Range, Suffix, Versioned
from zom.stores.memory import MemoryStore

VALUE = b'{"zarr_format": 3, "node_type": "group"}'


def store_whose(method: str, give: Any) -> MemoryStore:
    """A store with one value, whose method gives something else than that of a store in memory."""
    base = getattr(MemoryStore, method)

    def given(self: MemoryStore, *args: Any, **kwargs: Any) -> Any:
        return give(base(self, *args, **kwargs))

    store = MemoryStore({"zarr.json": VALUE, "b": b"12"})
    store.__class__ = type("Own", (MemoryStore,), {method: given})
    return store


def views(found: Any) -> Any:
    """Bytes as libraries below hold them: each a view or an array, and never `bytes`."""
    if isinstance(found, bytes):
        return memoryview(bytearray(found))
    if isinstance(found, list) and any(isinstance(each, Versioned) for each in found):
        return tuple(views(each) for each in found)
    if isinstance(found, Versioned):
        return found._replace(value=np.frombuffer(found.value, "u1"))
    return (
        tuple(None if each is None else bytearray(each) for each in found)
        if isinstance(found, list)
        else found
    )


@pytest.mark.parametrize("method", ["_read", "_read_many", "_read_parts", "_read_version"])
def test_bytes_of_any_sort_are_taken(method: str):
    store = store_whose(method, views)
    assert store.get("b") == b"12"
    assert type(store.get("b", Range(1, 1))) is bytes
    assert store.get_many(["b", "c", ("b", Range(0, 1))]) == [b"12", None, b"1"]
    parts = store.get_parts([Part("b", Range(2, 1)), Part("c", None), Part("b", Range(0, 1))])
    assert parts == [(b"", None), None, (b"1", None)]
    assert [type(each and each.value) for each in parts] == [bytes, type(None), bytes]
    with store.snapshot("b") as snapshot:
        assert [type(each) for each in (snapshot.get(), *snapshot.get_many([Range(0, 1)]))] == [bytes, bytes]
    versioned = store.get_version("b")
    assert type(versioned.value) is bytes
    target = bytearray(2)
    assert (store.get_into("b", memoryview(target)), target) == (2, b"12")
    store.set_partial("b", 1, b"3")
    assert store.get("b") == b"13"
    store.move("b", "d")
    assert store.get("d") == b"13"
    zom.materialize(v3.GroupSpec(attributes={"a": 1}, members={}), store, on_conflict="update")
    assert zom.read(store).attributes == {"a": 1}


WRONG = [
    ("_read", lambda s: s.get("b"), "expected bytes or None from _read"),
    ("_read_many", lambda s: s.get_many(["b", "c"]), "expected a list of 2 answers from _read_many"),
    (
        "_read_parts",
        lambda s: s.get_parts([Part("b", None), Part("c", None)]),
        "expected a list of length 2, each item Versioned or None, from _read_parts",
    ),
    (
        "_read_into",
        lambda s: s.get_into("b", memoryview(bytearray(2))),
        "expected a number of bytes or None from _read_into",
    ),
    ("_read_version", lambda s: s.get_version("b"), "expected a Versioned or None from _read_version"),
    ("_snapshot", lambda s: s.open_snapshot("b"), "expected a Snapshot or None from _snapshot"),
    ("_create", lambda s: s.create("e", b""), "expected True or False from _create"),
    ("_claim", lambda s: s.claim("e", b""), "expected True, False or None from _claim"),
    (
        "_create_many",
        lambda s: s.create_many({"e": b""}),
        "expected a list of length 1, each item True or False, from _create_many",
    ),
    ("_replace", lambda s: s.replace("b", b"", b"12"), "expected True or False from _replace"),
    ("_lock", lambda s: s.lock("b").__enter__(), "expected a context manager from _lock"),
    ("_presence", lambda s: s.presence("b"), "expected a context manager from _presence"),
    ("_writing", lambda s: s.writing(), "expected a context manager from _writing"),
]


@pytest.mark.parametrize(
    "value", [7, "text", 1.5, ["a"], object()], ids=["int", "str", "float", "list", "object"]
)
@pytest.mark.parametrize(("method", "act", "expected"), WRONG, ids=[method for method, _, _ in WRONG])
def test_what_is_none_of_its_answers_is_told_as_the_store_s_fault(
    method: str, act: Any, expected: str, value: Any
):
    if method == "_read_into" and value == 7:
        value = "text"
    with pytest.raises(StoreError) as caught:
        act(store_whose(method, lambda _: value))
    assert f"{expected}, found " in str(caught.value)
    assert "; correct Own, or its package" in str(caught.value)


@pytest.mark.parametrize(
    "method",
    [method for method, _, _ in WRONG if method not in {"_read", "_read_into", "_claim", "_snapshot"}],
)
def test_nothing_is_no_answer_where_one_is_needed(method: str):
    act, expected = next((act, expected) for name, act, expected in WRONG if name == method)
    if method == "_read_version":
        assert act(store_whose(method, lambda _: None)) is None
        return
    with pytest.raises(StoreError, match=f"{expected}, found None"):
        act(store_whose(method, lambda _: None))


@pytest.mark.parametrize(
    "give", [lambda found: found[:-1], lambda found: [*found, b""], lambda found: [7 for _ in found]]
)
def test_answers_of_another_number_or_sort_are_refused(give: Any):
    store = store_whose("_read_many", give)
    with pytest.raises(StoreError, match=r"from _read_many, found .*; correct Own, or its package"):
        store.get_many(["b", "zarr.json"])


@pytest.mark.parametrize(
    "give", [lambda found: found[:-1], lambda found: [7 for _ in found], lambda _: [b"12", None]]
)
def test_parts_of_another_number_or_sort_are_refused(give: Any):
    store = store_whose("_read_parts", give)
    with pytest.raises(StoreError, match=r"from _read_parts, found .*; correct Own, or its package"):
        store.get_parts([Part("b", Range(0, 1)), Part("zarr.json", None)])
    with pytest.raises(StoreError, match="'b': expected bytes or None from _read_parts, found 7"):
        store_whose("_read_parts", lambda _: [Versioned(7, None)]).get_parts([Part("b", None)])


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Part("b", Range(-1, 2)), "expected a byte range that starts at 0 or later"),
        (Part("b", (0, 1)), "expected a Range, a Suffix or None"),
    ],
)
def test_a_part_that_is_none_is_told(part: Any, expected: str):
    with pytest.raises(StoreError, match=expected):
        MemoryStore({"b": b"12"}).get_parts([part])
    with pytest.raises(PathError, match="expected a store key"):
        MemoryStore({"b": b"12"}).get_parts([part._replace(key="../b")])


def test_nothing_is_written_with_what_is_no_value():
    store = store_whose("_read", lambda _: 7)
    with pytest.raises(StoreError, match="expected bytes or None from _read, found 7"):
        zom.materialize(v3.GroupSpec(members={}), store, on_conflict="replace")
    assert dict(store.sizes()) == {"zarr.json": len(VALUE), "b": 2}


def test_values_of_a_wrong_list_are_not_shown():
    store = store_whose("_read_many", lambda _: [b"x" * 1000] * 3)
    with pytest.raises(
        StoreError, match="expected a list of 2 answers from _read_many, found a list of 3; correct Own"
    ):
        store.get_many(["b", "zarr.json"])


@pytest.mark.parametrize("method", ["_read", "_read_many", "_read_parts"])
@pytest.mark.parametrize("asked", [Range(0, 1), Range(1, 1), Suffix(1), Range(0, 0)])
def test_more_bytes_than_were_asked_for_are_an_error_and_no_data(method: str, asked: Any) -> None:
    """A store that passes over which part is asked for, as file systems do that know none, gives the whole."""
    whole = {
        "_read": lambda _: b"12",
        "_read_many": lambda given: [b"12" for _ in given],
        "_read_parts": lambda given: [Versioned(b"12", None) for _ in given],
    }
    store = store_whose(method, whole[method])
    acts = {
        "_read": [lambda: store.get("b", asked), lambda: store.get_many([("b", asked)])],
        "_read_many": [lambda: store.get_many([("b", None), ("b", asked)])],
        "_read_parts": [lambda: store.get_parts([Part("b", asked)])],
    }
    for act in acts[method]:
        with pytest.raises(
            StoreError, match=f"cannot read 'b'.*: expected {asked.length} bytes at most, found 2"
        ):
            act()
