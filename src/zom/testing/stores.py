"""Tests for every store: subclass `StoreSuite`, and define how to create an empty store.

    class TestMyStore(StoreSuite):
        @pytest.fixture
        def store(self):
            return MyStore()

For a read-only store, use `ReadingSuite` and the fixture `store_with`.
"""
# ruff: noqa: S101, D102 - tests consist of assertions; a test's name is its claim

from __future__ import annotations

import os
import threading
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest
from typing_extensions import override

from zom.errors import PathError, StoreError
from zom.stores.interface import Listing, Part, Range, Store, Suffix
from zom.stores.wrap import PrefixStore
from zom.testing.faulty import FaultyStore
from zom.testing.store_machine import check_as_dict
from zom.testing.store_reading import BAD_KEYS, ODD_KEYS, ReadingSuite
from zom.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.stores.interface import ByteRange

__all__ = ["BAD_KEYS", "ODD_KEYS", "ReadingSuite", "StoreSuite"]


class StoreSuite(ReadingSuite):
    """Tests of a writable store: define the fixture `store`, which gives an empty one."""

    @pytest.fixture
    def store(self) -> Store:
        """An empty store."""
        raise NotImplementedError("define the fixture `store`, which gives an empty store")

    @pytest.fixture
    @override
    def store_with(  # pyright: ignore[reportIncompatibleMethodOverride] - it asks for a fixture
        self, store: Store
    ) -> Callable[[Mapping[str, bytes]], Store]:
        def filled(values: Mapping[str, bytes]) -> Store:
            store.set_many(values)
            return store

        return filled

    # --- setting -----------------------------------------------------------------------------------

    def test_a_value_takes_the_place_of_another(self, store: Store) -> None:
        for value in (b"first", b"", b"a longer one", bytes(1 << 20), b"x"):
            store.set("a/b", value)
            assert store.get("a/b") == value

    def test_a_value_is_copied(self, store: Store) -> None:
        value = bytearray(b"abc")
        store.set("a", value)
        store.set_many({"b": memoryview(value)[1:], "c": memoryview(bytes(6)).cast("B", (2, 3))})
        value[:] = b"xyz"
        assert store.get_many(["a", "b", "c"]) == [b"abc", b"bc", bytes(6)]
        assert all(type(found) is bytes for found in store.get_many(["a", "b"]))

    @pytest.mark.parametrize("value", [5, "text", None])
    def test_only_bytes_are_written(self, store: Store, value: Any) -> None:
        store.set("a", b"old")
        for act in (
            lambda: store.set("a", value),
            lambda: store.set_many([("b", b"new"), ("a", value)]),
            lambda: store.create("a", value),
            lambda: store.set_partial("a", 0, value),
        ):
            with pytest.raises(StoreError, match="'a'"):
                act()
        assert store.get_many(["a", "b"]) == [b"old", None]

    def test_many_are_set_from_a_mapping_or_pairs(self, store: Store) -> None:
        store.set_many({"a": b"1", "b/c": b"2"})
        store.set_many((key, b"3") for key in ("d", "e/f"))
        store.set_many([("g", b"4"), ("g", b"5")])
        store.set_many([])
        assert store.get_many(["a", "b/c", "d", "e/f", "g"]) == [b"1", b"2", b"3", b"3", b"5"]

    def test_a_part_is_set(self, store: Store) -> None:
        store.set_partial("a", 0, b"0123")
        store.set_partial("a", 2, b"ab")
        store.set_partial("a", 4, b"cd")
        store.set_partial("a", 5, b"efg")
        assert store.get("a") == b"01abcefg"

    def test_a_part_beyond_the_end_is_refused(self, store: Store) -> None:
        store.set("a", b"01")
        for key, start in (("a", 3), ("a", -1), ("b", 1)):
            with pytest.raises(StoreError, match=f"cannot write '.*{key}': expected a start from 0 to"):
                store.set_partial(key, start, b"x")
        assert store.get_many(["a", "b"]) == [b"01", None]

    def test_many_keys_are_created_where_nothing_is(self, store: Store) -> None:
        store.set("n/b", b"old")
        assert store.create_many({"n/a": b"1", "n/b": b"2", "n/c": b"3"}) == [True, False, True]
        assert store.get_many(["n/a", "n/b", "n/c"]) == [b"1", b"old", b"3"]
        assert store.create_many({}) == []

    def test_a_claimed_key_is_its_first_owners(self, store: Store) -> None:
        """If the store doesn't report the owner, reading the key does."""
        assert store.claim("a/b", b"1") in {True, None}
        assert store.get("a/b") == b"1"
        assert store.claim("a/b", b"2") in {False, None}
        assert store.get("a/b") == b"1"

    def test_a_key_is_created_once(self, store: Store) -> None:
        assert store.create("a/b", b"1")
        assert not store.create("a/b", b"2")
        store.delete("a/b")
        assert store.create("a/b", b"")
        assert not store.create("a/b", b"3")
        assert store.get("a/b") == b""

    def test_of_many_creators_one_succeeds(self, store: Store) -> None:
        def race(key: str) -> list[bool]:
            def create(number: int) -> bool:
                return store.create(key, b"%d" % number)

            with Threads(4) as pool:
                return list(pool.map(create, range(4)))

        for attempt in range(5):
            won = race(f"a/{attempt}")
            assert won.count(True) == 1
            assert store.get(f"a/{attempt}") == b"%d" % won.index(True)

    def test_a_value_is_replaced_where_it_is_still_the_same(self, store: Store) -> None:
        assert store.replace("a", b"1", None)
        first = store.get_version("a")
        assert first is not None
        assert store.replace("a", b"2", first.version)
        assert not store.replace("a", b"3", first.version)
        assert not store.replace("a", b"3", None)
        store.delete("a")
        assert not store.replace("a", b"3", first.version)
        assert store.get("a") is None

    # --- deleting ----------------------------------------------------------------------------------

    def test_a_deleted_key_is_missing(self, store: Store) -> None:
        store.set_many({"a/b": b"1", "a/c": b"2", "d": b"3"})
        store.delete("a/b")
        store.delete("a/b")
        store.delete("x/y")
        store.delete_many(["d", "d", "missing"])
        store.delete_many([])
        assert store.get_many(["a/b", "a/c", "d"]) == [None, b"2", None]
        if store.capabilities.listable:
            assert list(store.list()) == ["a/c"]

    def test_no_empty_prefix_is_left(self, store: Store) -> None:
        store.set("a/b/c", b"1")
        store.delete("a/b/c")
        if store.capabilities.listable:
            assert store.list_dir() == Listing([], [])
        store.set("a", b"2")
        assert store.get("a") == b"2"

    def test_what_lies_below_a_prefix_is_deleted(self, store: Store) -> None:
        if not store.capabilities.listable:
            return
        store.set_many(dict.fromkeys(["a/b", "a/c/d", "a.b", "ab", "b/a/b"], b"1"))
        store.delete_prefix("a/")
        assert sorted(store.list()) == ["a.b", "ab", "b/a/b"]
        store.delete_prefix("missing/")
        store.delete_prefix("")
        assert list(store.list()) == []

    def test_a_prefix_is_renamed(self, store: Store) -> None:
        if not store.capabilities.listable:
            return
        store.set_many({"a/b": b"1", "a/c/d": b"2", "ab": b"3"})
        store.rename("a/", "x/y/")
        assert {key: store.get(key) for key in store.list()} == {"x/y/b": b"1", "x/y/c/d": b"2", "ab": b"3"}
        assert store.list_dir() == Listing(["ab"], ["x/"])

    def test_a_key_takes_the_place_of_another(self, store: Store) -> None:
        store.set_many({"a/0": b"1", "b/zarr.json": b"2"})
        store.move("a/0", "b/zarr.json")
        store.move("b/zarr.json", "new/key")
        store.move("new/key", "new/key")
        assert [store.get(key) for key in ("a/0", "b/zarr.json", "new/key")] == [None, None, b"1"]
        assert not store.capabilities.listable or list(store.list()) == ["new/key"]
        with pytest.raises(StoreError, match=r"cannot move '.*a/0'"):
            store.move("a/0", "b/0")

    def test_a_rename_that_would_mix_keys_is_refused(self, store: Store) -> None:
        values = {"a/b": b"1", "b/b": b"2"}
        store.set_many(values)
        for old, new, reason in _BAD_RENAMES if store.capabilities.listable else ():
            with pytest.raises(StoreError, match=reason):
                store.rename(old, new)
        assert {key: store.get(key) for key in values} == values

    # --- keys --------------------------------------------------------------------------------------

    def test_what_is_no_key_is_refused_for_writing(self, store: Store) -> None:
        for key in BAD_KEYS:
            for act in _uses(store, key):
                with pytest.raises(PathError):
                    act()
        assert store.get("a") is None

    @pytest.mark.parametrize("key", ODD_KEYS)
    def test_an_odd_key_is_held_or_refused(self, store: Store, key: str) -> None:
        """A store refuses a key that it can't hold completely; one that it holds is a key like any other."""
        store.set("other", b"2")
        try:
            store.set(key, b"1")
        except PathError:
            assert os.sep == "\\" in key, "a key that is one elsewhere"
            return
        except StoreError:
            assert store.get("other") == b"2"
            assert not store.capabilities.listable or list(store.list()) == ["other"]
            return
        assert store.get_many([key, "other"]) == [b"1", b"2"]
        if store.capabilities.listable:
            name, slash, _ = key.partition("/")
            assert sorted(store.list()) == sorted([key, "other"])
            assert dict(store.sizes()) == {key: 1, "other": 1}
            found = store.list_dir()
            assert (name + slash) in (found.prefixes if slash else found.keys)
        store.move(key, "moved/0")
        assert store.get_many([key, "moved/0"]) == [None, b"1"]
        store.set_many({key: b"3"})
        store.delete(key)
        assert store.get(key) is None
        assert store.get("other") == b"2"

    def test_a_key_below_another_is_held_or_refused(self, store: Store) -> None:
        """A store that refuses the key changes nothing."""
        for first, second in (("a", "a/b"), ("c/d/e", "c/d"), ("f", "f/g/h")):
            store.set(first, b"first")
            try:
                store.set(second, b"second")
            except StoreError as error:
                assert not store.capabilities.nested_keys
                assert error.key.endswith(second)  # noqa: PT017 - either outcome is right
                with pytest.raises(StoreError):
                    store.create(second, b"second")
            else:
                assert store.capabilities.nested_keys
                assert store.get(second) == b"second"
            assert store.get(first) == b"first"

    def test_names_are_told_apart(self, store: Store) -> None:
        names = ["a", "a.b", "ab", "b", "a-b", "a b", "%41", "~", "-", "a" * 200, "é", "c/a", "c/aa"]
        store.set_many({name: name.encode() for name in names})
        assert [store.get(name) for name in names] == [name.encode() for name in names]
        if store.capabilities.listable:
            assert sorted(store.list()) == sorted(names)

    # --- threads and locks -------------------------------------------------------------------------

    def test_no_update_is_lost_under_a_lock(self, store: Store) -> None:
        store.set("count", b"0")

        def add(_: int) -> None:
            with store.lock("count"):
                store.set("count", b"%d" % (int(store.get("count") or b"") + 1))

        with Threads(4) as pool:
            list(pool.map(add, range(40)))
        assert store.get("count") == b"40"

    def test_no_whole_write_is_lost_to_an_update_under_a_lock(self, store: Store) -> None:
        """One thread writes generations of a value, while others update the current one under the lock."""
        done = threading.Event()

        def write() -> None:
            try:
                for generation in range(1, 25):
                    store.set("a", b"%d 0" % generation)
                    time.sleep(0.0005)
                    with store.lock("a"):
                        assert (store.get("a") or b"").split()[0] == b"%d" % generation
                    time.sleep(0.0003)
            finally:
                done.set()

        def update() -> None:
            while not done.is_set():
                with store.lock("a"):
                    generation, _, count = (store.get("a") or b"").partition(b" ")
                    time.sleep(0.0002)
                    store.set("a", b"%s %d" % (generation, int(count) + 1))
                time.sleep(0.0002)

        store.set("a", b"0 0")
        with Threads(4) as pool:
            for ended in [pool.submit(act) for act in (write, update, update)]:
                ended.result()
        assert (store.get("a") or b"").split()[0] == b"24"

    def test_a_snapshot_stays_one_version(self, store: Store) -> None:
        store.set("a", b"the old value")
        with store.snapshot("a") as value:
            assert value is not None
            first = value.get(Range(0, 7))
            store.set("a", b"another, that is longer")
            ranges: list[ByteRange] = [Range(7), Suffix(3), Range(0, 7)]
            if value.consistent:
                assert (first, value.get_many(ranges)) == (b"the old", [b" value", b"lue", b"the old"])
                store.delete("a")
                assert value.get() == b"the old value"
                return
            told = pytest.raises(
                StoreError, match=r"'.*a': it was replaced or deleted while it was read in parts"
            )
            # A store without versions can't detect it.
            with told if self._knows_versions(store) else nullcontext():
                value.get_many(ranges)

    @staticmethod
    def _knows_versions(store: Store) -> bool:
        [found] = store.get_parts([Part("a", Range(0, 1))])
        return found is not None and found.version is not None

    def test_parts_are_of_the_version_that_is_asked_for(self, store: Store) -> None:
        store.set("a", b"the old value")
        asked = [Part("a", Range(0, 3)), Part("b", Range(0, 1)), Part("a", Suffix(5)), Part("a", None)]
        found = store.get_parts(asked)
        assert [part and part.value for part in found] == [b"the", None, b"value", b"the old value"]
        [version] = {part.version for part in found if part is not None}
        same = [Part("a", Range(4, 3), version), Part("a", Range(90, 1)), Part("a", Range(0, 0), version)]
        assert [part and part.value for part in store.get_parts(same)] == [b"old", b"", b""]
        store.set("a", b"another")
        new = store.get_parts([*same[:1], Part("a", Range(4, 3))])
        assert [part and part.value for part in new] == [
            None if self._knows_versions(store) else b"her",
            b"her",
        ]
        store.delete("a")
        assert store.get_parts(same) == [None] * 3
        assert store.get_parts([]) == []

    def test_a_value_that_is_gone_is_no_data(self, store: Store) -> None:
        store.set("a", b"1")
        with store.snapshot("a") as value:
            assert value is not None
            store.delete("a")
            if not value.consistent:
                with pytest.raises(
                    StoreError, match=r"'.*a': it was replaced or deleted while it was read in parts"
                ):
                    value.get(Range(0, 1))

    def test_parts_set_by_threads_are_all_there(self, store: Store) -> None:
        def put(place: int) -> None:
            store.set_partial("a", place, b"x")

        store.set("a", bytes(40))
        with Threads(4) as pool:
            list(pool.map(put, range(40)))
        assert store.get("a") == b"x" * 40

    def test_who_holds_a_lock_may_take_it_again(self, store: Store) -> None:
        with store.lock("a"), store.lock("a"), store.lock("b"):
            store.set_partial("a", 0, b"1")
            assert store.create("b", b"2")
        assert store.get_many(["a", "b"]) == [b"1", b"2"]

    def test_an_error_under_a_lock_comes_out_as_it_is(self, store: Store) -> None:
        with pytest.raises(KeyError, match="mine"), store.lock("a"):  # noqa: PT012 - both lines count
            store.set("a", b"1")
            raise KeyError("mine")
        assert store.get("a") == b"1"
        with store.lock("a"):
            store.set("a", b"2")

    # --- everything at once ------------------------------------------------------------------------

    def test_a_batch_is_listed_whole(self, store: Store) -> None:
        values = {f"group/c/{i}/{j}": b"%d" % (i * j) for i in range(10) for j in range(10)}
        store.set_many(values)
        assert dict(zip(values, store.get_many(values), strict=True)) == values
        if store.capabilities.listable:
            assert sorted(store.list("group/c/3/")) == sorted(f"group/c/3/{j}" for j in range(10))
            assert len(store.list_dir("group/c/").prefixes) == 10

    def test_what_was_flushed_is_still_there(self, store: Store) -> None:
        store.set("a/b", b"1")
        store.flush()
        store.delete("a/b")
        store.set("c", b"2")
        store.flush()
        store.flush()
        assert store.get_many(["a/b", "c"]) == [None, b"2"]

    def test_it_behaves_as_a_dict(self, store: Store) -> None:
        if store.capabilities.listable:
            check_as_dict(store)

    def test_it_holds_old_values_or_new_whatever_fails(self, store: Store) -> None:
        if store.capabilities.listable:
            check_as_dict(FaultyStore(store, delay=0.0001))

    def test_a_part_of_it_is_a_store(self, store: Store) -> None:
        if store.capabilities.listable:
            store.set("outside", b"1")
            check_as_dict(PrefixStore(store, "x/y/"), examples=5)
            assert store.get("outside") == b"1"


def _uses(store: Store, key: str) -> list[Callable[[], object]]:
    uses: list[Callable[[], object]] = [
        lambda: store.set(key, b"1"),
        lambda: store.set_many([("a", b"1"), (key, b"1")]),
        lambda: store.set_partial(key, 0, b"1"),
        lambda: store.create(key, b"1"),
        lambda: store.create_many({"a": b"1", key: b"1"}),
        lambda: store.replace(key, b"1", None),
        lambda: store.delete(key),
        lambda: store.delete_many(["a", key]),
        lambda: store.lock(key).__enter__(),
    ]
    if not key.endswith("/"):
        uses += [lambda: store.delete_prefix(f"{key}/"), lambda: store.rename("a/", f"{key}/")]
    return uses


_BAD_RENAMES = (
    ("a/", "b/", "there are keys below 'b/'"),
    ("c/", "d/", "there are no keys below it"),
    ("a/", "a/", "it overlaps"),
    ("a/", "a/x/", "it overlaps"),
    ("a/x/", "a/", "it overlaps"),
    ("", "x/", "it overlaps"),
    ("a/", "", "it overlaps"),
)
