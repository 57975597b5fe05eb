"""How a directory's values get into memory, and are read in parts: what is asked of the system, and odd files."""
# ruff: noqa: PTH208, PTH211 - what the store does with os is tested with os

import os
import threading

import pytest

from zom.errors import StoreError
from zom.stores import local
from zom.stores.interface import Range, Suffix
from zom.stores.local import LocalStore, files
from zom.stores.local import snapshot as file_snapshot

VALUE = bytes(range(256)) * 1000


@pytest.fixture
def store(tmp_path):
    with LocalStore(tmp_path / "store") as store:
        yield store


class Counting:
    """`os`, as modules see it, with the calls that were made; `preadv` and `pread` give at most `most` bytes."""

    def __init__(self, most=1 << 40):
        self.most = most
        self.calls = []

    def __getattr__(self, name):
        real = getattr(os, name)
        if name not in {"open", "close", "fstat", "stat", "pread", "preadv", "read", "lseek"}:
            return real

        def call(*arguments, **options):
            self.calls.append(name)
            if name == "preadv":
                descriptor, targets, offset = arguments
                spaces = [space for space in targets if memoryview(space).nbytes]
                arguments = (descriptor, [memoryview(spaces[0]).cast("B")[: self.most]], offset)
                if self.most >= 1 << 40:
                    arguments = (descriptor, targets, offset)
            if name == "pread":
                arguments = (arguments[0], min(arguments[1], self.most), arguments[2])
            return real(*arguments, **options)

        return call


@pytest.fixture
def counting(monkeypatch):
    def patch(most=1 << 40):
        made = Counting(most)
        for module in (local, files, file_snapshot):
            monkeypatch.setattr(module, "calls", made)
        return made

    return patch


# --- into memory -----------------------------------------------------------------------------------------


def test_reading_into_memory_takes_three_calls(store, counting):
    store.set("a/b", VALUE)
    target = bytearray(len(VALUE))
    made = counting()
    assert store.get_into("a/b", memoryview(target)) == len(VALUE)
    assert made.calls == ["open", "preadv", "close"]
    assert target == VALUE


def test_a_value_that_comes_in_pieces_is_read_whole(store, counting):
    store.set("a", VALUE)
    target = bytearray(len(VALUE))
    counting(most=100_000)
    assert store.get_into("a", memoryview(target)) == len(VALUE)
    assert target == VALUE
    assert store.get_into("a", memoryview(bytearray(len(VALUE) + 5))) == len(VALUE)
    assert store.get_into("a", memoryview(bytearray(len(VALUE) - 5))) == len(VALUE)


def test_a_read_that_may_have_ended_early_is_looked_at_again(store, monkeypatch):
    """One call reads two GiB at most; here, 8 bytes."""
    store.set("a", b"123456789")
    store.set("b", b"12345678")
    monkeypatch.setattr(files, "_MOST", 8)
    assert store.get_into("a", memoryview(bytearray(8))) == 9
    assert store.get_into("b", memoryview(bytearray(8))) == 8


def test_a_system_that_reads_into_no_memory_copies(store, monkeypatch):
    store.set_many({"a": b"123", "empty": b""})
    monkeypatch.setattr(files, "_READS_INTO", False)
    target = bytearray(3)
    assert store.get_into("a", memoryview(target)) == 3
    assert target == b"123"
    assert store.get_into("a", memoryview(bytearray(2))) == 3
    assert store.get_into("empty", memoryview(bytearray())) == 0


def test_a_target_of_numbers_is_filled_by_pieces(store, counting):
    store.set("a", VALUE)
    target = memoryview(bytearray(len(VALUE))).cast("d", (100, 320))
    counting(most=1001)
    assert store.get_into("a", target) == len(VALUE)
    assert target.tobytes() == VALUE


@pytest.mark.parametrize("length", [0, 1, 8, 4096])
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (os.mkfifo, "expected a regular file, found a pipe|illegal seek"),
        (os.mkdir, "is a directory|expected a regular file, found a directory"),
        (lambda path: os.symlink("/dev/zero", path), "expected a regular file, found a device"),
        (lambda path: os.symlink("/dev/null", path), "expected a regular file, found a device"),
        (lambda path: os.symlink("/dev/urandom", path), "expected a regular file, found a device"),
        (lambda path: os.symlink("nowhere", path), "the target of the symbolic link 'odd' is missing"),
    ],
    ids=["pipe", "directory", "zero", "null", "urandom", "link"],
)
def test_what_is_no_regular_file_is_not_read_into_memory(store, make, reason, length):
    make(store.root / "odd")
    with pytest.raises(StoreError, match=f"cannot read 'odd': ({reason})"):
        store.get_into("odd", memoryview(bytearray(length)))
    with pytest.raises(StoreError, match="cannot read 'odd': "):
        store.open_snapshot("odd")


def test_a_pipe_that_holds_as_many_bytes_is_no_value(store):
    os.mkfifo(store.root / "odd")
    descriptor = os.open(store.root / "odd", os.O_RDWR)
    os.write(descriptor, b"12345678")
    with pytest.raises(StoreError, match="cannot read 'odd': illegal seek"):
        store.get_into("odd", memoryview(bytearray(8)))
    os.close(descriptor)


def test_a_file_of_the_system_is_read_into_memory(store):
    """It says that it has no bytes, and has some."""
    (store.root / "odd").symlink_to("/proc/version")
    value = store.get("odd")
    target = bytearray(len(value))
    assert store.get_into("odd", memoryview(target)) == len(value)
    assert target == value
    assert store.get_into("odd", memoryview(bytearray(5))) != 5


@pytest.mark.parametrize("follow", [True, False])
def test_a_long_key_is_read_into_memory(tmp_path, follow):
    key = "/".join(["é" * 100] * 30)
    with LocalStore(tmp_path, follow_symlinks=follow) as store:
        store.set(key, b"123")
        target = bytearray(3)
        assert store.get_into(key, memoryview(target)) == 3
        assert target == b"123"
        assert store.get_into(f"{key}x", memoryview(target)) is None
        with store.snapshot(key) as value:
            assert value.get(Suffix(1)) == b"3"


def test_links_are_followed_into_memory_only_where_they_may(store, tmp_path):
    (tmp_path / "outside").write_bytes(b"123")
    (store.root / "link").symlink_to(tmp_path / "outside")
    assert store.get_into("link", memoryview(bytearray(3))) == 3
    with LocalStore(store.root, follow_symlinks=False) as strict:
        for act in (
            lambda: strict.get_into("link", memoryview(bytearray(3))),
            lambda: strict.open_snapshot("link"),
        ):
            with pytest.raises(StoreError, match="cannot read 'link': a symbolic link that is not followed"):
                act()


def test_memory_holds_one_version_while_others_write(store):
    store.set("a", bytes(1 << 18))
    stop = threading.Event()

    def write():
        number = 0
        while not stop.is_set():
            number = (number + 1) % 256
            store.set("a", bytes([number]) * (1 << 18))

    thread = threading.Thread(target=write)
    thread.start()
    try:
        target = bytearray(1 << 18)
        for _ in range(200):
            assert store.get_into("a", memoryview(target)) == 1 << 18
            assert target == target[:1] * (1 << 18)
    finally:
        stop.set()
        thread.join()


# --- in parts --------------------------------------------------------------------------------------------


def test_parts_that_nearly_touch_are_read_in_one_call(store, counting):
    store.set("a", VALUE)
    made = counting()
    with store.snapshot("a") as value:
        made.calls.clear()
        ranges = [Range(start, 900) for start in (5000, 0, 1000, 2000, 900)]
        assert value.get_many(ranges) == [VALUE[part.start : part.start + 900] for part in ranges]
        assert made.calls == ["pread"]


def test_parts_that_lie_apart_are_read_apart(store, counting):
    store.set("a", VALUE)
    made = counting()
    with store.snapshot("a") as value:
        made.calls.clear()
        ranges = [Range(start, 100) for start in (0, 100_000, 50_000)]
        assert value.get_many(ranges) == [VALUE[part.start : part.start + 100] for part in ranges]
        assert made.calls == ["pread"] * 3


def test_a_huge_part_is_never_read_together_with_others(store, counting):
    """What is read together is copied once more, and takes as much memory again."""
    store.set("a", VALUE)
    made = counting()
    with store.snapshot("a") as value:
        made.calls.clear()
        assert value.get_many([Range(0, 200_000), Range(200_000, 56_000)]) == [
            VALUE[:200_000],
            VALUE[200_000:],
        ]
        assert made.calls == ["pread"] * 2


def test_a_part_over_the_end_takes_no_more_memory_than_the_value(store):
    store.set("a", b"123")
    with store.snapshot("a") as value:
        assert value.get_many([Range(1, 1 << 50), Suffix(1 << 50), Range(1 << 50)]) == [b"23", b"123", b""]


def test_parts_that_come_in_pieces_are_whole(store, counting):
    store.set("a", VALUE)
    counting(most=700)
    with store.snapshot("a") as value:
        assert value.get() == VALUE
        assert value.get_many([Range(0, 5000), Range(5000, 5000)]) == [VALUE[:5000], VALUE[5000:10000]]


def test_a_file_that_is_cut_under_a_snapshot_gives_what_is_there(store):
    """Other tools write in place; their readers see it."""
    store.set("a", VALUE)
    with store.snapshot("a") as value:
        os.truncate(store.root / "a", 10)
        assert value.get(Range(5, 100)) == VALUE[5:10]
        assert value.get_many([Range(0, 4), Range(4, 100), Range(50, 100)]) == [VALUE[:4], VALUE[4:10], b""]


def test_a_snapshot_gives_its_file_back(store):
    store.set("a", VALUE)
    before = len(os.listdir("/proc/self/fd"))
    with store.snapshot("a") as value:
        assert len(os.listdir("/proc/self/fd")) == before + 1
    value.close()
    forgotten = store.open_snapshot("a")
    del forgotten
    (store.root / "odd").mkdir()
    with pytest.raises(StoreError, match="cannot read 'odd': expected a regular file, found a directory"):
        store.open_snapshot("odd")
    assert len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(StoreError, match="cannot read 'a': bad file descriptor"):
        value.get(Range(0, 1))


@pytest.mark.parametrize("there", [0, 100])
@pytest.mark.parametrize("byte_range", [None, Range(50, 100), Range(120), Suffix(30)])
def test_a_file_that_ends_before_its_size_is_an_error(store, monkeypatch, there, byte_range):
    """As in a mount of rclone whose program still moves the file."""
    store.set("a", bytes(200))
    short_of(monkeypatch, there)
    with pytest.raises(StoreError, match="cannot read 'a': input/output error"):
        store.get("a", byte_range)
    for size in (200, 100, 300):
        if size > there:
            with pytest.raises(StoreError, match="cannot read 'a': input/output error"):
                store.get_into("a", memoryview(bytearray(size)))


def test_a_file_that_was_shortened_meanwhile_is_as_long_as_it_is(store, monkeypatch):
    store.set("a", bytes(200))
    plain = files.size_of

    def shortened(descriptor):
        found = plain(descriptor)
        os.truncate(store.root / "a", 100)
        return found

    monkeypatch.setattr(files, "size_of", shortened)
    assert store.get("a") == bytes(100)


def short_of(monkeypatch, there):
    """Let the system give nothing of what lies behind `there` bytes of a file."""
    pread, preadv = os.pread, os.preadv

    def short(descriptor, length, offset):
        return pread(descriptor, max(0, min(length, there - offset)), offset)

    def shortv(descriptor, targets, offset):
        first = memoryview(targets[0]).cast("B")
        return preadv(descriptor, [first[: max(0, min(len(first), there - offset))]], offset)

    monkeypatch.setattr(os, "pread", short)
    monkeypatch.setattr(os, "preadv", shortv)
