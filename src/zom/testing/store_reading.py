"""Tests for every readable store."""
# ruff: noqa: S101, D102 - tests consist of assertions; a test's name is its claim

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from zom.errors import PathError, ReadOnlyError, StoreError
from zom.stores.interface import ByteRange, Listing, Range, Store, Suffix
from zom.stores.wrap import ReadOnlyStore
from zom.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.stores.ranges import Request

__all__ = ["BAD_KEYS", "ODD_KEYS", "VALUES", "ReadingSuite"]

BAD_KEYS = (
    *("", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/..", "a/../b", "./a", "a/.", "\\a", "a\\"),
    *("a\0b", "a\ud800", "\udfff", "\udcc3\udca9", ".zom-tmp-1", "a/.zom-lock-1"),
    *("..\\a", "a\\..\\b", "a/..\\b", "C:\\a", "a/../../b", "\0", "//a", "a/./b", " /../a"),
)
"""Names that no store accepts as a key, with any verb: they could lead out of it, or to two places."""

ODD_KEYS = (
    "a\nb",
    "\t",
    "a\x1f/b",
    "a\x7f",
    "a\x85b/c",
    "a\\b",
    "__x/0",
    "...",
    "a/b.",
    " ",
    "con",
    "a\udcff/b",
)
"""Keys that other software creates, and zom doesn't use for anything new."""

VALUES: Mapping[str, bytes] = {
    "zarr.json": b'{"zarr_format": 3}',
    "a.b": b"0123456789",
    "ab": b"",
    "group/zarr.json": b"{}",
    "group/array/zarr.json": b"[]",
    "group/array/c/0/0": bytes(range(256)) * 300,
    "group/array/c/0/1": b"\0",
    "group2/é ö/日本": "ünï".encode(),
}


_PARTS: tuple[tuple[ByteRange | None, bytes], ...] = (
    (None, b"0123456789"),
    (Range(0, 3), b"012"),
    (Range(3, 4), b"3456"),
    (Range(7, 100), b"789"),
    (Range(4), b"456789"),
    (Range(0), b"0123456789"),
    (Range(9, 1), b"9"),
    (Range(10), b""),
    (Range(10, 1), b""),
    (Range(1000), b""),
    (Range(1000, 5), b""),
    (Range(3, 0), b""),
    (Range(0, 1 << 40), b"0123456789"),
    (Suffix(3), b"789"),
    (Suffix(10), b"0123456789"),
    (Suffix(1000), b"0123456789"),
    (Suffix(0), b""),
)


class ReadingSuite:
    """Tests of a store with some values that can't be changed."""

    @pytest.fixture
    def store_with(self) -> Callable[[Mapping[str, bytes]], Store]:
        """A function that returns a store with these values."""
        raise NotImplementedError("define the fixture `store_with`")

    @pytest.fixture
    def filled(self, store_with: Callable[[Mapping[str, bytes]], Store]) -> Store:
        return store_with(VALUES)

    def test_a_value_reads_as_it_was_written(self, filled: Store) -> None:
        assert {key: filled.get(key) for key in VALUES} == VALUES

    def test_a_missing_key_reads_as_none(self, filled: Store) -> None:
        for key in ("missing", "group/missing", "missing/zarr.json", "a", "grou", "group/array/c/0/2"):
            assert filled.get(key) is None
            assert filled.get(key, Range(0, 1)) is None
            assert filled.get(key, Range(5)) is None
            assert filled.get(key, Suffix(1)) is None
            assert filled.get(key, Range(0, 0)) is None
            assert filled.get_version(key) is None
            assert not filled.exists(key)

    def test_a_byte_range_reads_as_a_part(self, filled: Store) -> None:
        for byte_range, expected in _PARTS:
            assert filled.get("a.b", byte_range) == expected, byte_range
            assert filled.get_many([("a.b", byte_range)]) == [expected], byte_range
        assert filled.get_many([("a.b", byte_range) for byte_range, _ in _PARTS]) == [
            expected for _, expected in _PARTS
        ]

    def test_a_value_is_read_into_memory(self, filled: Store) -> None:
        for key, value in VALUES.items():
            target = bytearray(b"\xff" * len(value))
            assert filled.get_into(key, memoryview(target)) == len(value)
            assert target == value
        numbers = memoryview(bytearray(76800)).cast("d", (96, 100))
        assert filled.get_into("group/array/c/0/0", numbers) == 76800
        assert numbers.tobytes() == VALUES["group/array/c/0/0"]

    def test_memory_of_another_length_is_told_the_length(self, filled: Store) -> None:
        for length in (0, 1, 9, 11, 1000):
            assert filled.get_into("a.b", memoryview(bytearray(length))) == 10
        assert filled.get_into("ab", memoryview(bytearray(3))) == 0
        assert filled.get_into("missing", memoryview(bytearray(3))) is None
        assert filled.get_into("missing/key", memoryview(bytearray())) is None

    def test_memory_that_cannot_be_written_is_refused(self, filled: Store) -> None:
        for target in (memoryview(bytes(10)), memoryview(bytearray(20))[::2]):
            with pytest.raises(StoreError, match=r"a\.b': .*expected a writable target, contiguous in C"):
                filled.get_into("a.b", target)

    def test_a_snapshot_reads_in_parts(self, filled: Store) -> None:
        with filled.snapshot("a.b") as value:
            assert value is not None
            assert value.size in {None, 10}
            assert value.get() == b"0123456789"
            assert [value.get(byte_range) for byte_range, _ in _PARTS] == [part for _, part in _PARTS]
            ranges = [(byte_range, part) for byte_range, part in _PARTS if byte_range is not None]
            assert value.get_many([byte_range for byte_range, _ in ranges]) == [part for _, part in ranges]
            assert value.get_many([]) == []

    def test_parts_of_a_snapshot_that_touch_or_overlap_are_told_apart(self, filled: Store) -> None:
        whole = VALUES["group/array/c/0/0"]
        ranges = [
            *(Range(start, 700) for start in range(0, 7000, 700)),
            *(Range(start, 90) for start in (70000, 100, 50, 76790, 40000, 100, 40100, 20000)),
        ]
        with filled.snapshot("group/array/c/0/0") as value:
            assert value is not None
            assert value.get_many(ranges) == [
                whole[part.start : part.start + (part.length or 0)] for part in ranges
            ]

    def test_there_is_no_snapshot_of_a_missing_key(self, filled: Store) -> None:
        for key in ("missing", "group/missing", "missing/zarr.json"):
            with filled.snapshot(key) as value:
                assert value is None

    def test_a_snapshot_refuses_a_byte_range_below_zero(self, filled: Store) -> None:
        refused: list[Any] = [Range(-1), Range(0, -1), Suffix(-1), slice(0, 3)]
        with filled.snapshot("a.b") as value:
            assert value is not None
            for byte_range in refused:
                with pytest.raises(StoreError, match=r"cannot read '.*a\.b': .*expected a"):
                    value.get(byte_range)
                with pytest.raises(StoreError, match=r"cannot read '.*a\.b': .*expected a"):
                    value.get_many([Range(0, 1), byte_range])

    def test_it_says_how_many_requests_it_works_on_at_once(self, filled: Store) -> None:
        assert filled.capabilities.parallel >= 1
        assert ReadOnlyStore(filled).capabilities.parallel == filled.capabilities.parallel

    def test_every_part_of_an_empty_value_is_empty(self, filled: Store) -> None:
        for byte_range in (Range(0), Range(0, 5), Range(3), Suffix(5), Suffix(0)):
            assert filled.get("ab", byte_range) == b"", byte_range
        assert filled.exists("ab")

    def test_a_byte_range_below_zero_is_refused(self, filled: Store) -> None:
        refused: list[Any] = [Range(-1), Range(0, -1), Suffix(-1), slice(0, 3), (0, 3)]
        for byte_range in refused:
            with pytest.raises(StoreError, match=r"cannot read '.*a\.b': .*expected a"):
                filled.get("a.b", byte_range)
            with pytest.raises(StoreError, match=r"cannot read '.*a\.b': .*expected a"):
                filled.get_many(["zarr.json", ("a.b", byte_range)])

    def test_many_are_answered_in_their_order(self, filled: Store) -> None:
        asked: list[Request] = [
            "ab",
            ("a.b", Range(1, 2)),
            "missing",
            ("a.b", Suffix(1)),
            "a.b",
            ("missing", Suffix(1)),
            "ab",
        ]
        assert filled.get_many(asked) == [b"", b"12", None, b"9", b"0123456789", None, b""]
        assert filled.get_many(iter(VALUES)) == list(VALUES.values())
        assert filled.get_many([]) == []

    def test_a_version_comes_with_its_value(self, filled: Store) -> None:
        found = filled.get_version("a.b")
        assert found is not None
        assert found.value == b"0123456789"

    def test_every_key_is_listed_once(self, filled: Store) -> None:
        if not filled.capabilities.listable:
            with pytest.raises(StoreError, match="cannot list"):
                list(filled.list())
            return
        assert sorted(filled.list()) == sorted(VALUES)

    def test_a_prefix_ends_with_a_name(self, filled: Store) -> None:
        if filled.capabilities.listable:
            assert sorted(filled.list("group/")) == sorted(key for key in VALUES if key.startswith("group/"))
            assert list(filled.list("a/")) == []
            assert sorted(filled.list("group/array/c/0/")) == ["group/array/c/0/0", "group/array/c/0/1"]

    def test_sizes_are_told_with_the_keys(self, filled: Store) -> None:
        if not filled.capabilities.listable:
            with pytest.raises(StoreError, match="cannot list"):
                list(filled.sizes())
            return
        sizes = {key: len(value) for key, value in VALUES.items()}
        assert sorted(filled.sizes()) == sorted(sizes.items())
        assert dict(filled.sizes("group/array/c/")) == {"group/array/c/0/0": 76800, "group/array/c/0/1": 1}
        assert list(filled.sizes("missing/")) == []
        with pytest.raises(PathError):
            filled.sizes("group")

    def test_a_directory_is_listed_apart(self, filled: Store) -> None:
        if filled.capabilities.listable:
            assert filled.list_dir() == Listing(["a.b", "ab", "zarr.json"], ["group/", "group2/"])
            assert filled.list_dir("group/") == Listing(["group/zarr.json"], ["group/array/"])
            assert filled.list_dir("group2/") == Listing([], ["group2/é ö/"])
            assert filled.list_dir("missing/") == Listing([], [])

    def test_what_is_no_key_is_refused_for_reading(self, filled: Store) -> None:
        for key in BAD_KEYS:
            for act in (filled.get, filled.exists, filled.get_version, filled.open_snapshot):
                with pytest.raises(PathError):
                    act(key)
            with pytest.raises(PathError):
                filled.get_into(key, memoryview(bytearray(1)))
            with pytest.raises(PathError):
                filled.get_many(["zarr.json", key])
            with pytest.raises(PathError):
                filled.get_many([(key, Range(0, 1))])

    def test_what_is_no_prefix_is_refused(self, filled: Store) -> None:
        for prefix in ("a", "/", "../", "a/../", "a//", "./", "a\0/", "\\/", "group"):
            with pytest.raises(PathError):
                filled.list(prefix)
            with pytest.raises(PathError):
                filled.list_dir(prefix)

    def test_threads_read_at_once(self, filled: Store) -> None:
        with Threads(4) as pool:
            found = list(pool.map(filled.get, list(VALUES) * 5))
        assert found == list(VALUES.values()) * 5

    def test_a_copy_in_another_process_holds_the_same(self, filled: Store) -> None:
        """A store may raise StoreError when it is pickled; otherwise, the copy is the same store."""
        try:
            copied = pickle.dumps(filled)
        except StoreError as error:
            assert error.verb == "pickle"  # noqa: PT017 - either outcome is right
            return
        with pickle.loads(copied) as again:  # noqa: S301 - our own bytes
            assert again.get("a.b") == VALUES["a.b"]
            assert again.capabilities == filled.capabilities

    def test_it_says_where_it_is(self, filled: Store) -> None:
        assert filled.url
        assert filled.url in repr(filled)

    def test_a_read_only_view_refuses_every_change(self, filled: Store) -> None:
        store = ReadOnlyStore(filled)
        for change in _changes(store):
            with pytest.raises(ReadOnlyError, match="the store is read-only"):
                change()
        store.flush()
        assert {key: filled.get(key) for key in VALUES} == VALUES
        assert store.get("a.b") == VALUES["a.b"]

    def test_a_store_that_is_not_writable_refuses_every_change(self, filled: Store) -> None:
        if not filled.capabilities.writable:
            for change in _changes(filled):
                with pytest.raises(ReadOnlyError):
                    change()

    def test_closing_twice_does_nothing(self, filled: Store) -> None:
        filled.close()
        filled.close()


def _changes(store: Store) -> list[Callable[[], object]]:
    return [
        lambda: store.set("a.b", b"new"),
        lambda: store.set("new", b"new"),
        lambda: store.set_many({"a.b": b"new"}),
        lambda: store.set_many({}),
        lambda: store.set_partial("a.b", 0, b"new"),
        lambda: store.create("new", b"new"),
        lambda: store.replace("a.b", b"new", None),
        lambda: store.delete("a.b"),
        lambda: store.delete_many(["a.b"]),
        lambda: store.delete_many([]),
        lambda: store.delete_prefix("group/"),
        lambda: store.delete_prefix(""),
        lambda: store.rename("group/", "group3/"),
        lambda: store.lock("a.b").__enter__(),
    ]
