"""Blocks of many writes: their locks are one file, linked anew, and exclude others as any lock file does."""

# ruff: noqa: PTH208 - what the store does with os is tested with os

import errno
import os
import signal
import struct
import threading
import time

import pytest

from zom.errors import ReadOnlyError
from zom.stores.local import LocalStore, recycled_lock
from zom.stores.local.lock_files import LOCK_END
from zom.stores.system.whole_locks import lock
from zom.stores.wrap import PrefixStore

pytest.importorskip("fcntl", reason="needs fcntl, which this system has not")


NAMELESS = getattr(os, "O_TMPFILE", -1)
"""The flag of a file without a name; no flags at all where there are none."""


@pytest.fixture
def store(tmp_path):
    with LocalStore(tmp_path / "store") as store:
        store.set("a/0", b"0")
        yield store


def files(store):
    return sorted(name for _, _, names in os.walk(store.root) for name in names)


def made_files(monkeypatch):
    """The names of the files that `os.open` makes from now on."""
    made, plain = [], os.open

    def counted(path, flags, *args, **options):
        descriptor = plain(path, flags, *args, **options)
        if flags & os.O_CREAT or flags & NAMELESS == NAMELESS:
            made.append(path)
        return descriptor

    monkeypatch.setattr(os, "open", counted)
    return made


def in_child(work):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(30)
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def ended_well(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_values_written_in_a_block_make_one_file_each_and_two_for_all_locks(store, monkeypatch):
    made = made_files(monkeypatch)
    with store.writing():
        for number in range(20):
            store.set(f"a/{number}", b"1")
    assert len(made) == 20 + 2
    assert [name for name in made if str(name).endswith(LOCK_END)] == [f"0{LOCK_END}"]
    assert len(files(store)) == 20


def test_a_batch_and_deletions_make_two_files_for_all_locks(store, monkeypatch):
    store.set_many({f"b/{number}": b"1" for number in range(20)})
    made = made_files(monkeypatch)
    store.set_many({f"b/{number}": b"2" for number in range(20)})
    assert len(made) == 20 + 2
    made.clear()
    store.delete_many([f"b/{number}" for number in range(20)])
    assert len(made) == 2
    assert files(store) == ["0"]


def test_one_value_in_a_block_makes_no_file_for_later(store, monkeypatch):
    made = made_files(monkeypatch)
    with store.writing():
        store.set("a/0", b"1")
    assert len(made) == 2


def test_a_block_in_a_block_uses_the_same_file(store, monkeypatch):
    made = made_files(monkeypatch)
    with store.writing():
        store.set("a/0", b"1")
        with store.writing():
            store.set("a/1", b"1")
        store.set("a/2", b"1")
    assert len(made) == 3 + 2


def test_a_block_of_a_store_around_the_store_is_one_of_both(store, monkeypatch):
    made = made_files(monkeypatch)
    around = PrefixStore(store, "a/")
    with around.writing():
        for number in range(20):
            around.set(f"{number}", b"1")
    assert len(made) == 20 + 2


def test_a_store_that_is_read_only_has_no_such_block(store):
    with pytest.raises(ReadOnlyError, match="read-only"):
        LocalStore(store.root, read_only=True).writing()


def test_each_thread_has_its_own_file(store):
    failures = []

    def work(thread):
        try:
            with store.writing():
                for number in range(100):
                    store.set(f"a/{number}", b"%d" % thread)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(files(store)) == 100


@pytest.mark.parametrize("error", [errno.EPERM, errno.EXDEV, errno.EMLINK, errno.EOPNOTSUPP, errno.EIO])
def test_values_are_written_where_the_file_system_has_no_links(store, monkeypatch, error):
    asked = []

    def refuse(*names, **_):
        asked.append(names)
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "link", refuse)
    with store.writing():
        for number in range(20):
            store.set(f"a/{number}", b"1")
    assert len(asked) == 1 + 2  # the first file without a name, and two lock files
    assert len(files(store)) == 20


def test_values_are_written_where_there_is_no_room_for_links_of_lock_files(store, monkeypatch):
    asked, plain = [], os.link

    def refuse(old, new, **options):
        if new.endswith(LOCK_END):
            asked.append(new)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        plain(old, new, **options)

    monkeypatch.setattr(os, "link", refuse)
    with store.writing():
        for number in range(20):
            store.set(f"a/{number}", b"1")
    assert len(asked) == 2
    assert len(files(store)) == 20


def test_values_are_written_where_no_file_can_be_made_in_the_root(store, monkeypatch):
    plain = os.open

    def refuse(path, flags, *args, **options):
        if flags & os.O_CREAT and str(path).startswith(".zom-tmp-") and flags & os.O_RDWR:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return plain(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", refuse)
    with store.writing():
        for number in range(20):
            store.set(f"a/{number}", b"1")
    assert len(files(store)) == 20


def test_a_sweep_in_the_midst_of_a_block_harms_nothing(store):
    with LocalStore(store.root) as other, store.writing():
        for number in range(20):
            store.set(f"a/{number}", b"1")
            other.sweep()
    assert len(files(store)) == 20


def test_who_waited_for_the_last_lock_keeps_the_block_from_nothing(store, monkeypatch):
    """He has the lock of the file until he finds that it is no lock file of his any more."""
    held = []
    plain = os.unlink

    def opened_before(name, *args, **options):
        if str(name).endswith(LOCK_END) and not held:
            held.append(os.open(name, os.O_RDWR, **options))
        plain(name, *args, **options)

    with store.writing():
        store.set("a/0", b"1")
        monkeypatch.setattr(os, "unlink", opened_before)
        store.set("a/1", b"1")
        lock(held[0], wait=False)
        store.set("a/2", b"1")
        store.set("a/3", b"1")
    os.close(held[0])
    assert files(store) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("call", ["link", "rename", "unlink"])
def test_a_writer_that_is_killed_in_a_block_leaves_empty_files_that_a_sweep_removes(store, call):
    def work():
        with store.writing():
            store.set("a/0", b"new")
            store.set("a/1", b"new")

            def kill(*_, **__):
                os.kill(os.getpid(), signal.SIGKILL)

            setattr(os, call, kill)
            store.set("a/0", b"newer")

    os.waitpid(in_child(work), 0)
    left = [name for name in files(store) if name.endswith(LOCK_END)]
    assert left == ([] if call == "link" else [f"0{LOCK_END}"])
    assert all((store.root / "a" / name).stat().st_size == 0 for name in left)
    assert store.get("a/0") == (b"newer" if call == "unlink" else b"new")
    store.set("a/0", b"2")
    store.sweep()
    assert files(store) == ["0", "1"]


def test_a_child_of_a_process_in_a_block_writes_with_files_of_its_own(store):
    def write(value):
        for number in range(20):
            store.set(f"a/{number}", value)

    with store.writing():
        write(b"parent")
        child = in_child(lambda: write(b"child"))
        assert ended_well(child)
        assert store.get("a/5") == b"child"
        write(b"again")
    assert store.get("a/5") == b"again"
    assert len(files(store)) == 20


def test_no_update_is_lost_among_processes_that_write_in_blocks(store):
    """Each adds to counters that it reads under their lock; some waits hit the file of another block."""
    keys = [f"a/{number}" for number in range(3)]
    store.set_many({key: struct.pack("<q", 0) for key in keys})

    def count():
        with store.writing():
            for _ in range(150):
                for key in keys:
                    with store.lock(key):
                        (found,) = struct.unpack("<q", store.get(key))
                        store.set(key, struct.pack("<q", found + 1))

    children = [in_child(count) for _ in range(4)]
    assert all(ended_well(child) for child in children)
    assert [struct.unpack("<q", store.get(key))[0] for key in keys] == [600] * 3
    assert files(store) == ["0", "1", "2"]


def test_whole_writes_in_a_block_are_not_lost_to_updates_of_other_processes(store):
    """The value is a generation, and a count that others raise: nobody may bring an old generation back."""
    key = "a/0"
    generations = 200
    store.set(key, struct.pack("<qq", 0, 0))

    def update():
        until = time.monotonic() + 20
        newest = 0
        while newest < generations:
            assert time.monotonic() < until
            with store.lock(key):
                generation, number = struct.unpack("<qq", store.get(key))
                assert generation >= newest
                newest = generation
                store.set(key, struct.pack("<qq", generation, number + 1))

    def write():
        with store.writing():
            for generation in range(1, generations + 1):
                store.set(key, struct.pack("<qq", generation, 0))
                found, _ = struct.unpack("<qq", store.get(key))
                assert found == generation
                time.sleep(0.0005)

    children = [in_child(update), in_child(update), in_child(write)]
    assert all(ended_well(child) for child in children)


def test_a_lock_file_of_a_block_is_a_link_to_an_empty_file(store, monkeypatch):
    for number in range(3):
        store.set(f"a/{number}", b"0")  # such a file is replaced by renaming
    seen = []
    plain = os.rename

    def look(*args, **options):
        for name in os.listdir(store.root / "a"):
            if name.endswith(LOCK_END):
                found = (store.root / "a" / name).stat()
                seen.append((found.st_nlink, found.st_size))
        plain(*args, **options)

    monkeypatch.setattr(os, "rename", look)
    with store.writing():
        for number in range(3):
            store.set(f"a/{number}", b"1")
    assert seen == [(1, 0), (2, 0), (2, 0)]


def test_a_file_that_lost_its_name_is_made_anew(store):
    with store.writing():
        store.set("a/0", b"1")
        store.set("a/1", b"1")
        for name in os.listdir(store.root):
            if name.startswith(".zom-tmp-"):
                (store.root / name).unlink()
        store.set("a/2", b"1")
        store.set("a/3", b"1")
    assert files(store) == ["0", "1", "2", "3"]


def test_a_recycled_lock_is_not_taken_while_it_is_held(tmp_path):
    home = os.open(tmp_path, os.O_RDONLY)
    recycled = recycled_lock.RecycledLock(home)
    assert not recycled.take(home, "a")
    assert recycled.take(home, "a")
    assert not recycled.take(home, "b")
    recycled.give(home, "a")
    assert recycled.take(home, "b")
    recycled.give(home, "b")
    recycled.close()
    os.close(home)
    assert os.listdir(tmp_path) == []
