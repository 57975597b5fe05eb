"""The locks of a directory: among threads, stores and processes, whatever becomes of them."""

# ruff: noqa: PTH108, PTH208 - what the store does with os is tested with os

import errno
import os
import select
import signal
import struct
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from zom.errors import StoreError
from zom.stores import range_locks
from zom.stores.local import LocalStore
from zom.stores.range_locks import LOCKS, RangeLocks

fcntl = pytest.importorskip("fcntl", reason="needs fcntl, which this system has not")
ofd = pytest.mark.skipif(not hasattr(fcntl, "F_OFD_SETLKW"), reason="needs open-file-description locks")


@pytest.fixture
def store(tmp_path):
    with LocalStore(tmp_path / "store") as store:
        yield store


def in_child(work):
    """Fork a process that runs `work()`; its number."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(30)
            code = int(work() or 0)
        finally:
            os._exit(code)
    return child


def ended_well(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Apart:
    """Work in another thread, which may have to wait."""

    def __init__(self, work):
        self.done = threading.Event()
        self.thread = threading.Thread(target=lambda: (work(), self.done.set()), daemon=True)
        self.thread.start()

    def waits(self):
        return not self.done.wait(0.05)

    def ended(self):
        return self.done.wait(20)


def without_ofd():
    """`fcntl` of a system that has only whole-file locks."""
    return SimpleNamespace(flock=fcntl.flock, LOCK_EX=fcntl.LOCK_EX, LOCK_UN=fcntl.LOCK_UN)


@pytest.fixture(params=[pytest.param("bytes of one file", marks=ofd), "a file for each key"])
def either_way(request, monkeypatch, tmp_path):
    """A store that locks the one way, and the other."""
    if request.param == "a file for each key":
        monkeypatch.setattr(range_locks, "fcntl", without_ofd())
    with LocalStore(tmp_path / "store") as store:
        yield store


# --- nothing is lost -------------------------------------------------------------------------------------

WRITERS = 3
GENERATIONS = 150


def pack(generation, counts):
    return struct.pack(f"<{WRITERS + 1}q", generation, *counts)


def unpack(value):
    generation, *counts = struct.unpack(f"<{WRITERS + 1}q", value)
    return generation, counts


def write_generations(store, key):
    """Write the next generation of a value as a whole, again and again; each must stay until the next."""
    for generation in range(1, GENERATIONS + 1):
        store.set(key, pack(generation, [0] * WRITERS))
        with store.lock(key):
            found, _ = unpack(store.get(key))
        if found != generation:
            raise AssertionError(f"generation {generation} is lost to {found}")
        time.sleep(0.0002)


def update(store, key, writer):
    """Count in one's own slot of each generation; nobody else may change it."""
    own, mine = 0, 0
    until = time.monotonic() + 20
    while own < GENERATIONS:
        assert time.monotonic() < until, "the last generation never came"
        with store.lock(key):
            generation, counts = unpack(store.get(key))
            if generation < own or (generation == own and counts[writer] != mine):
                raise AssertionError(f"an update is lost: {generation}, {counts[writer]}; {own}, {mine}")
            counts[writer] += 1
            own, mine = generation, counts[writer]
            store.set(key, pack(generation, counts))


def test_no_write_and_no_update_is_lost_among_processes(either_way):
    key = "a/b"
    either_way.set(key, pack(0, [0] * WRITERS))
    children = [in_child(lambda writer=writer: update(either_way, key, writer)) for writer in range(WRITERS)]
    children.append(in_child(lambda: write_generations(either_way, key)))
    assert all(ended_well(child) for child in children)
    assert unpack(either_way.get(key))[0] == GENERATIONS


def test_no_write_and_no_update_is_lost_among_threads_of_two_stores(either_way):
    key = "a/b"
    either_way.set(key, pack(0, [0] * WRITERS))
    with LocalStore(either_way.root) as other, ThreadPoolExecutor(WRITERS + 1) as pool:
        stores = [either_way, other, other]
        ends = [pool.submit(update, stores[writer], key, writer) for writer in range(WRITERS)]
        ends.append(pool.submit(write_generations, either_way, key))
        for end in ends:
            end.result()
    assert unpack(either_way.get(key))[0] == GENERATIONS


@pytest.mark.parametrize(
    "change",
    [
        lambda store: store.set("a", b"new"),
        lambda store: store.set_many([("b", b"1"), ("a", b"new")]),
        lambda store: store.set_partial("a", 0, b"new"),
        lambda store: store.delete("a"),
        lambda store: store.delete_many(["b", "a"]),
        lambda store: store.delete_prefix(""),
        lambda store: store.replace("a", b"new", store.get_version("a").version),
        lambda store: store.create("made", b"new"),
    ],
    ids=["set", "set_many", "set_partial", "delete", "delete_many", "delete_prefix", "replace", "create"],
)
def test_a_change_waits_for_who_holds_the_lock(either_way, change):
    either_way.set("a", b"old")
    with LocalStore(either_way.root) as other:
        with either_way.lock("a"), either_way.lock("made"):
            work = Apart(lambda: change(other))
            assert work.waits()
            assert either_way.get_many(["a", "made"]) == [b"old", None]
        assert work.ended()
    assert (either_way.get("a"), either_way.get("made")) != (b"old", None)


def test_who_holds_the_lock_changes_the_key_without_waiting(either_way):
    with either_way.lock("a"), either_way.lock("a"):
        either_way.set("a", b"1")
        either_way.set_many({"a": b"2", "b": b"3"})
        either_way.delete("a")
        assert either_way.create("a", b"4")
        assert either_way.replace("a", b"5", either_way.get_version("a").version)
    assert either_way.get_many(["a", "b"]) == [b"5", b"3"]


def test_a_change_of_one_key_does_not_wait_for_another(either_way):
    with either_way.lock("a"):
        assert ended_well(in_child(lambda: either_way.set("b", b"1")))
    assert either_way.get("b") == b"1"


def test_two_keys_of_one_byte_are_locked_as_one(store):
    names = ("plumless", "buckeroo")
    assert zlib.crc32(b"plumless") == zlib.crc32(b"buckeroo")
    held = []

    def hold(name):
        for _ in range(50):
            with store.lock(name):
                held.append(1)
                assert held == [1]
                held.pop()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(hold, names))
    with store.lock(names[0]), store.lock(names[1]):
        pass
    assert ended_well(in_child(lambda: store.set(names[0], b"1")))


# --- processes that fork and die -------------------------------------------------------------------------


def test_a_child_waits_for_the_lock_that_its_parent_held_at_the_fork(either_way):
    read, write = os.pipe()
    either_way.set("a", b"0")
    with either_way.lock("a"):
        child = in_child(lambda: os.write(write, b"x") and either_way.set("a", b"child"))
        os.read(read, 1)
        time.sleep(0.05)
        assert either_way.get("a") == b"0"
        either_way.set("a", b"1")
    assert ended_well(child)
    assert either_way.get("a") == b"child"
    os.close(read)
    os.close(write)


def test_a_child_that_leaves_the_block_of_its_parent_frees_nothing(either_way):
    read, write = os.pipe()
    with ExitStack() as block:
        block.enter_context(either_way.lock("a"))
        assert ended_well(in_child(block.close))
        waiting = in_child(lambda: either_way.set("a", b"1") or os.write(write, b"x") - 1)
        assert select.select([read], [], [], 0.05)[0] == []
    assert ended_well(waiting)
    os.close(read)
    os.close(write)


def test_the_lock_of_a_killed_process_is_free_while_its_child_lives(either_way):
    read, write = os.pipe()
    holder = os.fork()
    if holder == 0:
        with either_way.lock("a"):
            if os.fork() == 0:
                os.write(write, b"%d" % os.getpid())
            time.sleep(60)
        os._exit(0)
    grandchild = int(os.read(read, 20))
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    try:
        assert ended_well(in_child(lambda: either_way.set("a", b"1")))
    finally:
        os.kill(grandchild, signal.SIGKILL)
    os.close(read)
    os.close(write)


def test_children_forked_under_load_take_locks_of_their_own(either_way):
    stop = threading.Event()
    either_way.set("a", b"1")

    def work(key):
        while not stop.is_set():
            with either_way.lock(key):
                either_way.set(key, b"1")

    threads = [threading.Thread(target=work, args=(key,)) for key in "ab"]
    for thread in threads:
        thread.start()
    try:
        for _ in range(30):
            assert ended_well(in_child(lambda: [either_way.set(key, b"child") for key in "abc"] and 0))
    finally:
        stop.set()
        for thread in threads:
            thread.join()


# --- the file of locks -----------------------------------------------------------------------------------


@ofd
def test_the_file_of_locks_goes_with_the_last_store_that_has_it_open(tmp_path):
    first, second = LocalStore(tmp_path), LocalStore(tmp_path)
    first.set("a", b"1")
    second.set("b", b"2")
    assert sorted(os.listdir(tmp_path)) == [LOCKS, "a", "b"]
    assert sorted(first.list()) == ["a", "b"]
    first.close()
    assert sorted(os.listdir(tmp_path)) == [LOCKS, "a", "b"]
    second.close()
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@ofd
def test_a_store_that_is_forgotten_closes_the_file_of_locks(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        LocalStore(tmp_path).set("a", b"1")
    assert len(os.listdir("/proc/self/fd")) == before
    assert os.listdir(tmp_path) == ["a"]


@ofd
def test_reading_makes_no_file_of_locks(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    with LocalStore(tmp_path) as store, LocalStore(tmp_path, read_only=True) as reader:
        store.delete("missing")
        for each in (store, reader):
            each.get("a")
            with each.snapshot("a") as value:
                value.get()
            list(each.list())
        assert os.listdir(tmp_path) == ["a"]


@ofd
def test_a_file_of_locks_that_a_killed_process_left_is_swept(store):
    child = os.fork()
    if child == 0:
        store.set("a", b"1")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert sorted(os.listdir(store.root)) == [LOCKS, "a"]
    assert store.sweep() == 1
    assert os.listdir(store.root) == ["a"]


@ofd
def test_a_file_of_locks_that_is_in_use_is_not_swept(store):
    store.set("a", b"1")
    assert ended_well(in_child(store.sweep))
    with LocalStore(store.root) as other:
        with other.lock("a"):
            assert store.sweep() == 0
            work = Apart(lambda: store.set("a", b"2"))
            assert work.waits()
            other.set("a", b"3")
        assert work.ended()
    assert store.get("a") == b"2"


@ofd
def test_a_sweep_in_the_midst_of_writers_costs_no_update(store):
    store.set("count", b"0")

    def add(_):
        for _ in range(100):
            with store.lock("count"):
                store.set("count", b"%d" % (int(store.get("count")) + 1))

    with LocalStore(store.root) as other, ThreadPoolExecutor(3) as pool:
        adding = [pool.submit(add, None) for _ in range(3)]
        children = [in_child(lambda: add(None)) for _ in range(2)]
        while not all(each.done() for each in adding):
            store.sweep()
            other.sweep()
        assert all(ended_well(child) for child in children)
        for each in adding:
            each.result()
    assert store.get("count") == b"500"


@ofd
def test_a_file_of_locks_that_was_removed_by_hand_is_made_again(store):
    store.set("a", b"1")
    os.unlink(store.root / LOCKS)
    with LocalStore(store.root) as other:
        with other.lock("a"):
            work = Apart(lambda: store.set("a", b"2"))
            assert work.waits()
        assert work.ended()
    assert store.get("a") == b"2"


@ofd
@pytest.mark.parametrize(("mode", "expected"), [(0o700, 0o600), (0o775, 0o664), (0o1777, 0o666)])
def test_who_may_write_in_the_directory_may_lock(tmp_path, mode, expected):
    tmp_path.chmod(mode)
    with LocalStore(tmp_path) as store:
        store.set("a", b"1")
        assert (tmp_path / LOCKS).stat().st_mode & 0o777 == expected


@ofd
def test_a_link_in_the_place_of_the_file_of_locks_is_not_followed(store, tmp_path):
    (store.root / LOCKS).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="cannot write 'a': a symbolic link that is not followed"):
        store.set("a", b"1")
    assert store.get("a") is None
    assert not (tmp_path / "elsewhere").exists()


def test_locks_that_are_not_open_are_closed_twice_without_harm(tmp_path):
    locks = RangeLocks()
    locks.close(-1)
    locks.close(-1)


# --- where nothing can be locked -------------------------------------------------------------------------


class Refusing:
    """`os`, as `range_locks` sees it, where the file of locks can't be made, or not even be opened."""

    def __init__(self, error):
        self.error = error

    def __getattr__(self, name):
        return getattr(os, name)

    def open(self, path, flags, *arguments, dir_fd):
        if flags & os.O_CREAT or path in os.listdir(dir_fd):
            raise OSError(self.error, os.strerror(self.error))
        return os.open(path, flags, *arguments, dir_fd=dir_fd)


@ofd
@pytest.mark.parametrize("error", [errno.EACCES, errno.ENOSPC, errno.EROFS])
def test_a_value_is_written_where_no_file_of_locks_can_be_made(store, monkeypatch, error):
    """Nobody can hold a lock, so nobody is kept from anything; who wants to hold one is told."""
    monkeypatch.setattr(range_locks, "os", Refusing(error))
    store.set("a", b"1")
    store.set_many({"b": b"2"})
    assert store.create("c", b"3")
    store.delete("b")
    assert store.get_many(["a", "b", "c"]) == [b"1", None, b"3"]
    with pytest.raises(
        StoreError, match=r"cannot lock 'a': '\.zom-locks', whose bytes are the locks of keys"
    ):
        store.lock("a").__enter__()


@ofd
def test_a_file_of_locks_that_may_not_be_opened_stops_writers(store, monkeypatch):
    (store.root / LOCKS).touch()
    monkeypatch.setattr(range_locks, "os", Refusing(errno.EACCES))
    with pytest.raises(StoreError, match=r"cannot write 'a': '\.zom-locks', .* can't be opened: permission"):
        store.set("a", b"1")
    assert store.get("a") is None


@ofd
@pytest.mark.parametrize("error", [errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK])
def test_a_value_is_written_where_the_file_system_knows_no_locks(store, monkeypatch, error):
    def refuse(*_):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    monkeypatch.setattr(fcntl, "flock", refuse)
    store.set("a", b"1")
    store.set("a", b"2")
    store.delete("a")
    store.set("a", b"3")
    assert store.get("a") == b"3"
    with pytest.raises(StoreError, match="cannot lock 'a'"):
        store.lock("a").__enter__()


@ofd
def test_files_are_locked_where_the_file_system_knows_no_bytes(store, monkeypatch):
    """As gVisor: a file for each key, then, among all processes alike."""

    def refuse(*_):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    with LocalStore(store.root) as other:
        with store.lock("a"):
            assert [name for name in os.listdir(store.root) if name.startswith(".zom-lock-")]
            work = Apart(lambda: other.set("a", b"1"))
            assert work.waits()
            store.set("a", b"0")
        assert work.ended()
    assert store.get("a") == b"1"
