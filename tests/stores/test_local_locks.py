"""The locks of a directory: among threads, stores and processes, whatever becomes of them."""

# ruff: noqa: PTH208 - what the store does with os is tested with os

import errno
import os
import select
import signal
import struct
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from zom.errors import StoreError
from zom.stores.local import LocalStore, lock_files
from zom.stores.local.lock_files import LOCK_END
from zom.stores.system import whole_locks

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
    names = ("flock", "LOCK_EX", "LOCK_SH", "LOCK_UN", "LOCK_NB")
    return SimpleNamespace(**{name: getattr(fcntl, name) for name in names})


@pytest.fixture(params=[pytest.param("open file descriptions", marks=ofd), "flock"])
def either_way(request, monkeypatch, tmp_path):
    """A store that locks the one way, and the other."""
    if request.param == "flock":
        monkeypatch.setattr(whole_locks, "fcntl", without_ofd())
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
    until = time.monotonic() + 60
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


@pytest.mark.parametrize("key", ["a" * 255, "a" * 248, "a" * 249, "\u65e5" * 85, "x/" + "\u65e5" * 82])
def test_a_name_as_long_as_may_be_is_locked(either_way, key):
    either_way.set(key, b"1")
    with either_way.lock(key):
        child = in_child(lambda: either_way.set(key, b"2"))
        time.sleep(0.05)
        assert either_way.get(key) == b"1"
        assert list(either_way.list()) == [key]
    assert ended_well(child)
    assert either_way.get(key) == b"2"
    assert sum(len(names) for _, _, names in os.walk(either_way.root)) == 1


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


@pytest.mark.slow
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


# --- lock files ------------------------------------------------------------------------------------------


def files(store):
    return sorted(name for _, _, names in os.walk(store.root) for name in names)


def test_a_lock_file_is_there_as_long_as_the_lock_is_held_and_never_listed(either_way):
    either_way.set("g/a", b"1")
    with either_way.lock("g/a"), either_way.lock("new/b"):
        assert files(either_way) == ["a", f"a{LOCK_END}", f"b{LOCK_END}"]
        assert list(either_way.list()) == ["g/a"]
        assert dict(either_way.sizes()) == {"g/a": 1}
        assert either_way.list_dir("g/") == (["g/a"], [])
        assert either_way.get(f"g/a{LOCK_END}") is None
        assert not either_way.exists(f"g/a{LOCK_END}")
    assert files(either_way) == ["a"]
    assert os.listdir(either_way.root) == ["g"]


def test_a_key_that_is_a_lock_file_is_refused_and_a_directory_of_such_a_name_is_not(store):
    for change in (
        lambda: store.set(f"a{LOCK_END}", b""),
        lambda: store.create(f"g/a{LOCK_END}", b""),
        lambda: store.lock(f"a{LOCK_END}").__enter__(),
        lambda: store.lock(f"a{LOCK_END}", is_brief=True).__enter__(),
    ):
        with pytest.raises(StoreError, match=r"names that end in '\.__lock' are reserved for lock files"):
            change()
    store.delete(f"a{LOCK_END}")
    store.set(f"a{LOCK_END}/b", b"1")
    assert list(store.list()) == [f"a{LOCK_END}/b"]
    assert store.list_dir() == ([], [f"a{LOCK_END}/"])


def test_changes_leave_nothing_but_values(either_way):
    either_way.set("a/b", b"1")
    either_way.set_many({"a/b": b"2", "c": b"3"})
    either_way.create("d/e", b"4")
    either_way.set_partial("d/e", 0, b"5")
    either_way.delete("c")
    with either_way.lock("x/y/z"):
        pass
    assert files(either_way) == ["b", "e"]
    assert sorted(os.listdir(either_way.root)) == ["a", "d"]


def test_a_store_that_is_forgotten_closes_its_files(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        store = LocalStore(tmp_path)
        store.set("a", b"1")
        with store.lock("a"):
            store.set("a", b"2")
        del store
    assert len(os.listdir("/proc/self/fd")) == before


def killed_holder(store, key):
    child = os.fork()
    if child == 0:
        with store.lock(key):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def test_a_lock_file_that_a_killed_process_left_is_taken_by_the_next(either_way):
    either_way.set("a", b"1")
    for change in (
        lambda: either_way.set("a", b"2"),
        lambda: either_way.set_partial("a", 0, b"3"),
        lambda: either_way.delete("a"),
        lambda: either_way.create("a", b"4"),
    ):
        killed_holder(either_way, "a")
        assert f"a{LOCK_END}" in files(either_way)
        change()
        assert f"a{LOCK_END}" not in files(either_way)
    assert either_way.get("a") == b"4"


@pytest.mark.parametrize("call", ["rename", "unlink"])
@pytest.mark.parametrize(
    "change", [lambda store: store.set("a", b"new"), lambda store: store.set_many({"a": b"new"})]
)
def test_a_writer_that_is_killed_leaves_no_lock_file_with_anything_in_it(either_way, change, call):
    """tensorstore writes into a lock file that it finds, and what is longer stays behind its value."""
    either_way.set("a", b"old")

    def work():
        def kill(*_, **__):
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(os, call, kill)
        change(either_way)

    os.waitpid(in_child(work), 0)
    assert (either_way.root / f"a{LOCK_END}").stat().st_size == 0
    assert either_way.get("a") == (b"old" if call == "rename" else b"new")
    either_way.set("a", b"2")
    assert f"a{LOCK_END}" not in files(either_way)
    either_way.sweep()
    assert files(either_way) == ["a"]


def test_a_lock_file_that_a_killed_process_left_is_swept(either_way):
    either_way.set("a/b", b"1")
    killed_holder(either_way, "a/b")
    assert files(either_way) == ["b", f"b{LOCK_END}"]
    assert either_way.sweep() == 1
    assert files(either_way) == ["b"]


def test_what_a_writer_of_another_program_left_in_its_lock_file_is_never_the_value(either_way):
    either_way.set("a", b"1")
    (either_way.root / f"a{LOCK_END}").write_bytes(b"half a value")
    either_way.set("a", b"2")
    assert either_way.get("a") == b"2"
    assert files(either_way) == ["a"]


def test_a_lock_file_that_is_held_is_not_swept(either_way):
    either_way.set("a", b"1")
    with LocalStore(either_way.root) as other:
        with other.lock("a"):
            assert either_way.sweep() == 0
            work = Apart(lambda: either_way.set("a", b"2"))
            assert work.waits()
            other.set("a", b"3")
        assert work.ended()
    assert either_way.get("a") == b"2"


@pytest.mark.slow
def test_a_sweep_in_the_midst_of_writers_costs_no_update(either_way):
    either_way.set("count", b"0")

    def add(_):
        for _ in range(100):
            with either_way.lock("count"):
                either_way.set("count", b"%d" % (int(either_way.get("count")) + 1))

    with LocalStore(either_way.root) as other, ThreadPoolExecutor(3) as pool:
        adding = [pool.submit(add, None) for _ in range(3)]
        children = [in_child(lambda: add(None)) for _ in range(2)]
        while not all(each.done() for each in adding):
            either_way.sweep()
            other.sweep()
        assert all(ended_well(child) for child in children)
        for each in adding:
            each.result()
    assert either_way.get("count") == b"500"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a file that is another's")
def test_a_lock_file_that_another_user_left_is_removed(tmp_path):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        Path(folder, f"a{LOCK_END}").touch()

        def work():
            os.setuid(65534)
            with LocalStore(folder) as store, store.lock("a"):
                store.set("a", b"1")

        assert ended_well(in_child(work))
        assert os.listdir(folder) == ["a"]


def test_a_link_in_the_place_of_a_lock_file_is_not_followed(store, tmp_path):
    (store.root / f"a{LOCK_END}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="cannot write 'a': a symbolic link that is not followed"):
        store.set("a", b"1")
    assert store.get("a") is None
    assert not (tmp_path / "elsewhere").exists()


# --- where nothing can be locked -------------------------------------------------------------------------


class Refusing:
    """`os`, as `lock_files` sees it, where no lock file can be made."""

    def __init__(self, error):
        self.error = error

    def __getattr__(self, name):
        return getattr(os, name)

    def open(self, path, flags, *arguments, dir_fd):
        if flags & os.O_CREAT:
            raise OSError(self.error, os.strerror(self.error))
        return os.open(path, flags, *arguments, dir_fd=dir_fd)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_stops_no_deletion_and_no_repair(store, monkeypatch, error):
    """Where there is no room for a lock file, the directory is locked."""
    store.set("a", b"1")
    monkeypatch.setattr(lock_files, "calls", Refusing(error))
    store.set("a", b"2")
    assert store.create("c", b"3")
    with LocalStore(store.root) as other:
        with store.lock("a"):
            work = Apart(lambda: other.lock("a").__enter__() or other.delete("c"))
            assert work.waits()
            store.delete("a")
        assert work.ended()
    assert list(store.list()) == []


@pytest.mark.parametrize("error", [errno.EACCES, errno.EROFS])
def test_a_lock_that_can_not_be_had_is_an_error(store, monkeypatch, error):
    store.set("a", b"1")
    monkeypatch.setattr(lock_files, "calls", Refusing(error))
    with pytest.raises(StoreError, match=r"cannot lock 'a': (permission denied|read-only file system)"):
        store.lock("a").__enter__()


@pytest.mark.parametrize("error", [errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK])
def test_a_value_is_written_where_the_file_system_knows_no_locks(store, monkeypatch, error):
    def refuse(*_):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    monkeypatch.setattr(fcntl, "flock", refuse)
    store.set("a", b"1")
    store.set("a", b"2")
    store.delete("a")
    assert store.create("a", b"3")
    assert store.get("a") == b"3"
    with pytest.raises(StoreError, match="cannot lock 'a'"):
        store.lock("a").__enter__()
    assert files(store) == ["a"]


@ofd
def test_files_are_locked_where_the_system_knows_no_open_file_descriptions(store, monkeypatch):
    """As gVisor: flock then, among all processes alike."""

    def refuse(*_):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    with LocalStore(store.root) as other:
        with store.lock("a"):
            work = Apart(lambda: other.set("a", b"1"))
            assert work.waits()
            store.set("a", b"0")
        assert work.ended()
    assert store.get("a") == b"1"


@pytest.mark.parametrize("threaded", [False, True], ids=["by the thread itself", "by another thread"])
def test_who_holds_a_key_on_a_disk_without_inodes_changes_keys_beside_it(store, monkeypatch, threaded):
    store.set_many({"a/0": b"1", "a/1": b"1"})
    plain = os.open

    def refuse(path, flags, *args, **options):
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return plain(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", refuse)
    with store.lock("a/0"):
        work = threading.Thread(target=store.delete, args=("a/1",), daemon=True)
        if threaded:
            work.start()
            work.join(30)
            assert not work.is_alive()
        else:
            store.delete("a/1")
    assert sorted(store.list()) == ["a/0"]
