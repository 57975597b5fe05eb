"""The stores around other stores, each for what it adds."""

import pickle
import threading

import pytest

from zom.errors import ReadOnlyError, StoreError
from zom.problems import Problem
from zom.stores.cache import CacheStore
from zom.stores.interface import Part, Range, Store, Suffix, Versioned, cut
from zom.stores.local import LocalStore
from zom.stores.local.names import colliding
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore, ReadOnlyStore, WrapperStore
from zom.testing.faulty import FaultyStore
from zom.testing.logged import LoggedStore


def test_a_store_that_overrides_a_public_verb_is_refused():
    with pytest.raises(TypeError, match=r"Sloppy\.set: define the method with a leading underscore instead"):
        type("Sloppy", (MemoryStore,), {"set": lambda self, key, value: None})


def test_a_store_that_only_reads_says_what_it_cannot_do():
    class Fixed(Store):
        @property
        def url(self):
            return "fixed:"

        def _read(self, key, byte_range):
            return cut(b"1", byte_range) if key == "a" else None

    store = Fixed()
    assert store.exists("a")
    with pytest.raises(ReadOnlyError, match="fixed:: cannot write 'a': the store is read-only"):
        store.set("a", b"1")
    with pytest.raises(ReadOnlyError, match="fixed:: cannot delete 'a': the store is read-only"):
        store.delete("a")
    with pytest.raises(StoreError, match="fixed:: cannot list: this store can't list its keys"):
        list(store.list())


def test_an_error_in_a_batch_names_its_key():
    store = FaultyStore(MemoryStore(), {1: "fail", 4: "fail", 7: "fail"})
    with pytest.raises(StoreError, match="cannot read 'b': input/output error"):
        store.get_many(["a", "b", "c"])
    store.operations.extend([("", "")])
    with pytest.raises(StoreError, match="cannot write 'b': input/output error"):
        store.set_many({"a": b"1", "b": b"2", "c": b"3"})
    store.operations.extend([("", "")])
    with pytest.raises(StoreError, match="cannot delete 'b': input/output error"):
        store.delete_many(["a", "b", "c"])


def test_an_error_while_listing_names_the_store():
    store = FaultyStore(MemoryStore({"a/b": b""}), {0: "fail"})
    with pytest.raises(StoreError, match="memory://: cannot list 'a/': input/output error"):
        list(store.list("a/"))


def test_a_faulty_store_fails_before_or_after():
    store = FaultyStore(MemoryStore(), {0: "fail", 1: "fail after"}, error=28)
    for expected in (None, b"1"):
        with pytest.raises(StoreError, match="no space left on device"):
            store.set("a", b"1")
        assert store.inner.get("a") == expected


def test_a_faulty_store_shortens_what_is_read_and_what_is_written():
    store = FaultyStore(MemoryStore({"a": b"0123"}), {0: "shorten", 2: "shorten"})
    assert store.get("a") == b"01"
    assert store.get("a") == b"0123"
    store.set("b", b"4567")
    assert store.get("b") == b"45"


def test_a_faulty_store_does_things_twice():
    store = FaultyStore(LoggedStore(MemoryStore()), {0: "duplicate"})
    assert not store.create("a", b"1")
    assert store.get("a") == b"1"
    assert store.inner.log.counts["create"] == 2


def test_a_faulty_store_takes_its_time():
    store = FaultyStore(LoggedStore(MemoryStore()), delay=0.05)
    store.next("delay", after=1)
    store.set_many({"a": b"1", "b": b"2"})
    first, second = store.inner.log.calls
    assert store.operations == [("write", "a"), ("write", "b")]
    assert (first.keys, second.keys) == (("a",), ("b",))


def test_a_read_only_view_does_not_flush():
    inner = LoggedStore(MemoryStore())
    ReadOnlyStore(inner).flush()
    assert inner.log.counts["flush"] == 0


def test_a_prefix_store_sees_nothing_else():
    inner = MemoryStore({"a/b": b"1", "ab": b"2", "a.b": b"3", "b": b"4"})
    store = PrefixStore(inner, "a/")
    assert list(store.list()) == ["b"]
    store.delete_prefix("")
    assert sorted(inner.list()) == ["a.b", "ab", "b"]
    assert store.url == "memory:/a"


def test_a_cache_asks_once():
    inner = LoggedStore(MemoryStore({"a": b"0123", "b": b"4"}))
    store = CacheStore(inner)
    assert store.get_many(["a", "b"]) == store.get_many(["a", "b"]) == [b"0123", b"4"]
    assert store.get("a", Range(1, 2)) == b"12"
    assert inner.log.counts["read"] == 1


def test_a_cache_keeps_within_its_bounds():
    inner = LoggedStore(MemoryStore({str(number): bytes(number % 2 * 100) for number in range(1000)}))
    store = CacheStore(inner, max_bytes=10_000)
    for key in map(str, range(1000)):
        store.get(key)
    assert store._size <= 10_000
    assert 30 < len(store._values) <= 50  # empty values count, too
    inner.log.calls.clear()
    store.get("999")
    store.get("0")
    assert inner.log.counts["read"] == 1


def test_a_cache_does_not_remember_what_was_read_before_a_change():
    inner = MemoryStore({"a": b"old"})
    reading, changed = threading.Event(), threading.Event()

    class Slow(FaultyStore):
        def _read(self, key, byte_range):
            value = self.inner.get(key, byte_range)
            if not reading.is_set():
                reading.set()
                changed.wait(5)
            return value

    store = CacheStore(Slow(inner))
    thread = threading.Thread(target=store.get, args=("a",))
    thread.start()
    reading.wait(5)
    store.set("a", b"new")
    changed.set()
    thread.join()
    assert store.get("a") == b"new"


def test_a_cache_reads_anew_under_a_lock():
    inner = MemoryStore({"a": b"old"})
    store = CacheStore(inner)
    assert store.get("a") == b"old"
    inner.set("a", b"changed behind")
    with store.lock("a"):
        assert store.get("a") == b"changed behind"
    inner.set("a", b"0123")
    store.set_partial("a", 4, b"4")
    assert inner.get("a") == b"01234"


def test_a_log_counts_calls_keys_and_bytes():
    store = LoggedStore(MemoryStore())
    store.set_many({"a": b"12", "b": b"3"})
    store.get_many(["a", "b", "c"])
    store.delete_prefix("x/")
    assert dict(store.log.counts) == {"write": 1, "read": 1, "delete": 1}
    assert store.log.keys == 6
    assert [call.bytes for call in store.log.calls] == [3, 0, 0]
    assert all(call.seconds >= 0 for call in store.log.calls)


@pytest.mark.parametrize(
    "wrap", [CacheStore, FaultyStore, LoggedStore, ReadOnlyStore, lambda s: PrefixStore(s, "p/")]
)
def test_wrappers_travel_with_their_store(tmp_path, wrap):
    with LocalStore(tmp_path) as inner:
        inner.set_many({"a": b"1", "p/a": b"1"})
        with pickle.loads(pickle.dumps(wrap(inner))) as store:
            assert store.get("a") == b"1"


def test_a_store_in_memory_stays_in_its_process():
    with pytest.raises(
        StoreError, match="memory://x: cannot pickle: a store in memory belongs to its process"
    ):
        pickle.dumps(CacheStore(MemoryStore(name="x")))


def test_names_that_are_one_on_other_disks_are_found():
    store = MemoryStore(
        dict.fromkeys(
            [
                "Data/a",
                "data/b",
                "data/c/x",
                "data/C",
                "caf\u00e9",
                "cafe\u0301",
                "k",
                "k/l",
                "fine",
                "Fine2",
            ],
            b"",
        )
    )
    assert colliding(store) == [
        ("Data/", "data/"),
        ("cafe\u0301", "caf\u00e9"),
        ("data/C", "data/c/"),
        ("k", "k/"),
    ]
    assert colliding(store, "data/") == [("data/C", "data/c/")]


# --- reading into memory, and in parts ---------------------------------------------------------------------


def test_a_cache_remembers_what_was_read_into_memory():
    inner = LoggedStore(MemoryStore({"a": b"123"}))
    store = CacheStore(inner)
    target = bytearray(3)
    for _ in range(3):
        assert store.get_into("a", memoryview(target)) == 3
    assert target == b"123"
    assert inner.log.counts["read"] == 1


def test_a_cache_takes_the_parts_of_what_it_remembers():
    inner = LoggedStore(MemoryStore({"a": b"123", "b": b"456"}))
    store = CacheStore(inner)
    store.get("a")
    for key, part in (("a", b"3"), ("b", b"6")):
        with store.snapshot(key) as value:
            assert value.consistent
            assert value.get(Range(2)) == part
    assert [call.keys for call in inner.log.calls] == [("a",), ("b",), ("b",)]


class Tagged(MemoryStore):
    """A store that tells versions."""

    def _read_parts(self, parts):
        found = []
        for part in parts:
            value = self.get_version(part.key)
            same = value is not None and part.version in {None, value.version}
            found.append(Versioned(cut(value.value, part.byte_range), value.version) if same else None)
        return found


@pytest.mark.parametrize(
    "wrap", [WrapperStore, ReadOnlyStore, LoggedStore, CacheStore, lambda s: PrefixStore(s, "p/")]
)
def test_wrappers_pass_on_of_which_version_parts_are(wrap):
    inner = Tagged({"p/a": b"0123", "a": b"0123"})
    store = wrap(inner)
    [end, none] = store.get_parts([Part("a", Suffix(1)), Part("b", None)])
    assert (end.value, none) == (b"3", None)
    again = [Part("a", Range(0, 2), end.version)]
    assert [part.value for part in store.get_parts(again)] == [b"01"]
    for key in ("a", "p/a"):
        inner.set(key, b"abcd")
    assert store.get_parts(again) == [None]
    assert [part.value for part in store.get_parts([Part("a", Range(0, 2))])] == [b"ab"]


def test_the_parts_of_what_a_cache_has_let_go_are_of_what_it_had():
    inner = Tagged({"a": b"0123", "b": bytes(10)})
    store = CacheStore(inner, max_bytes=300)
    assert store.get("a") == b"0123"
    [end] = store.get_parts([Part("a", Suffix(1))])
    store.set("a", b"abcd")
    [start, new] = store.get_parts([Part("a", Range(0, 2), end.version), Part("a", Range(0, 2))])
    assert (end.value, start.value, new.value) == (b"3", b"01", b"ab")


def test_parts_are_logged_once():
    store = LoggedStore(MemoryStore({"a": b"123"}))
    store.get_parts([Part("a", Range(0, 1)), Part("b", None)])
    assert [(call.verb, call.keys) for call in store.log.calls] == [("read", ("a", "b"))]


def test_what_is_read_into_memory_and_in_parts_is_logged():
    store = LoggedStore(MemoryStore({"a": b"123"}))
    store.get_into("a", memoryview(bytearray(3)))
    with store.snapshot("a") as value:
        assert (value.size, value.consistent) == (3, True)
        value.get(Range(0, 1))
        value.get_many([Range(0, 1), Range(1, 1)])
    assert [(call.verb, call.keys) for call in store.log.calls] == [
        ("read", ("a",)),
        ("open", ("a",)),
        ("read", ("a",)),
        ("read", ("a", "a")),
    ]


def test_reading_into_memory_goes_wrong_when_it_is_told_to():
    store = FaultyStore(MemoryStore({"a": b"1234"}), {0: "fail", 1: "shorten"})
    with pytest.raises(StoreError, match="cannot read 'a': input/output error"):
        store.get_into("a", memoryview(bytearray(4)))
    assert store.get_into("a", memoryview(bytearray(4))) == 2
    assert store.get_into("a", memoryview(bytearray(4))) == 4


def test_each_part_of_a_snapshot_goes_wrong_when_it_is_told_to():
    store = FaultyStore(MemoryStore({"a": b"1234"}), {0: "fail", 2: "fail", 3: "shorten", 5: "fail"})
    with pytest.raises(StoreError, match="cannot read 'a': input/output error"):
        store.open_snapshot("a")
    with store.snapshot("a") as value:
        with pytest.raises(StoreError, match="cannot read 'a': input/output error"):
            value.get(Range(0, 2))
        assert value.get(Range(0, 4)) == b"12"
        with pytest.raises(StoreError, match="cannot read 'a': input/output error"):
            value.get_many([Range(0, 1), Range(1, 1)])
        assert value.get_many([Range(0, 1), Range(1, 1)]) == [b"1", b"2"]


def test_a_prefix_of_a_directory_is_read_as_the_directory_is(tmp_path):
    with LocalStore(tmp_path) as whole:
        whole.set("p/a", b"123")
        store = ReadOnlyStore(PrefixStore(whole, "p/"))
        assert store.get_into("a", memoryview(bytearray(3))) == 3
        with store.snapshot("a") as value:
            whole.set("p/a", b"4")
            assert (value.get(), value.size, value.consistent) == (b"123", 3, True)


def test_a_store_that_only_reads_has_snapshots_of_no_version():
    values = [b"first", b"first", b"second"]

    class Fixed(Store):
        @property
        def url(self):
            return "fixed:"

        def _read(self, key, byte_range):
            return cut(values.pop(0), byte_range)

    with Fixed().snapshot("a") as value:
        assert not value.consistent
        assert value.size is None
        assert value.get() == b"first"
        assert value.get_many([Range(0)]) == [b"second"]
        with pytest.raises(StoreError, match="fixed:: cannot read 'a': IndexError: pop from empty list"):
            value.get()


class Lossy(MemoryStore):
    """A store of a file that holds more than its hierarchy."""

    @property
    def losses(self):
        return [
            Problem("hdf5/link", "warning", node, pointer, (), "one path", "a link")
            for node, pointer in [
                ("/ab", "/members/ab"),
                ("/a", "/members/a"),
                ("/a/b", "/members/a/members/b"),
            ]
        ]


@pytest.mark.parametrize("wrapped", [ReadOnlyStore, CacheStore, LoggedStore])
def test_stores_around_a_file_tell_what_it_loses(wrapped):
    assert wrapped(Lossy()).losses == Lossy().losses


def test_below_a_prefix_losses_have_the_paths_that_nodes_have_there():
    found = PrefixStore(Lossy(), "a/").losses
    assert [(loss.node, loss.pointer) for loss in found] == [("/", ""), ("/b", "/members/b")]


def test_a_key_is_claimed_where_nothing_is_also_below_a_prefix():
    inner = MemoryStore()
    assert PrefixStore(inner, "a/").claim("b", b"1") is True
    assert inner.claim("a/b", b"2") is False
    assert inner.get("a/b") == b"1"
