"""File systems that programs make: a lock file that is opened while another takes its place may have a lock of its own."""

import errno
import os
import random
import signal
import threading
import time
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import zom
from zom.stores.local import LocalStore, lock_files
from zom.stores.system import mounts

MOUNTS = """\
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/root rw
36 22 {number} / /mnt/a\\040b rw,nosuid shared:7 master:1 - {kind} user@host:/x rw,user_id=0
"""


@pytest.fixture
def told(monkeypatch, tmp_path):
    """Says of what kind the file system of this test is."""

    def tell(kind):
        device = tmp_path.stat().st_dev
        path = tmp_path / "mountinfo"
        path.write_text(MOUNTS.format(number=f"{os.major(device)}:{os.minor(device)}", kind=kind))
        monkeypatch.setattr(mounts, "_MOUNTS", path)
        mounts._kind_of.cache_clear()

    yield tell
    mounts._kind_of.cache_clear()


class Nodes:
    """Lock files as such a program has them: whoever looked before another took the place of a file, opens that one, with a lock of its own."""

    def __init__(self):
        self.guard = threading.Lock()
        self.newest = 0
        self.of = {}
        self.held = {}
        self.plain = lock_files._found_or_made

    def found_or_made(self, directory, name, *, wait):
        looked = self.newest
        time.sleep(0.001 * random.random())
        descriptor, is_ours = self.plain(directory, name, wait=wait)
        if descriptor >= 0:
            with self.guard:
                self.newest += is_ours
                self.of[descriptor] = self.newest if is_ours else looked
        return descriptor, is_ours

    def lock(self, descriptor, *, wait):
        while True:
            with self.guard:
                node = self.of[descriptor]
                if self.held.setdefault(node, descriptor) == descriptor:
                    return
            if not wait:
                raise BlockingIOError
            time.sleep(0.0005)

    def unlock(self, descriptor):
        with self.guard:
            self.held.pop(self.of.pop(descriptor, None), None)


@pytest.fixture
def loose(monkeypatch, told):
    """Such a file system."""
    told("fuse.example")
    nodes = Nodes()
    monkeypatch.setattr(lock_files, "_found_or_made", nodes.found_or_made)
    monkeypatch.setattr(lock_files, "lock", nodes.lock)
    monkeypatch.setattr(lock_files, "unlock", nodes.unlock)
    monkeypatch.setattr(lock_files, "is_in_place", lambda *_: True)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("fuse.sshfs", True), ("fuse", True), ("fuseblk", True), ("ext4", False), ("nfs4", False)],
)
def test_the_system_tells_what_made_a_file_system(told, tmp_path, kind, expected):
    told(kind)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    assert mounts.is_by_program(descriptor) is expected
    os.close(descriptor)


def test_where_nobody_tells_it_is_none(monkeypatch, told, tmp_path):
    told("fuse")
    monkeypatch.setattr(mounts, "_MOUNTS", tmp_path / "missing")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    assert not mounts.is_by_program(descriptor)
    os.close(descriptor)


def count_up(folder, times, in_blocks):
    store = LocalStore(folder)
    for _ in range(times):
        with ExitStack() as stack:
            if in_blocks:
                stack.enter_context(store.writing())
            with store.lock("a/count"):
                store.set("a/count", b"%d" % (int(store.get("a/count") or b"") + 1))


@pytest.mark.parametrize("in_blocks", [False, True])
def test_no_update_is_lost_where_a_lock_file_may_have_two_locks(loose, tmp_path, in_blocks):
    store = LocalStore(tmp_path / "s")
    store.set("a/count", b"0")
    workers = [threading.Thread(target=count_up, args=(tmp_path / "s", 25, in_blocks)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert store.get("a/count") == b"100"
    assert [file.name for file in (tmp_path / "s" / "a").iterdir()] == ["count"]


@pytest.mark.parametrize("kind", [threading.Thread, get_context("fork").Process])
def test_the_locks_of_files_are_used_there_too(told, tmp_path, kind):
    told("fuse.example")
    store = LocalStore(tmp_path / "s")
    store.set("a/count", b"0")
    workers = [kind(target=count_up, args=(tmp_path / "s", 50, number % 2)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert store.get("a/count") == b"200"


def test_who_holds_a_key_changes_those_beside_it(loose, tmp_path):
    store = LocalStore(tmp_path / "s")
    with store.lock("a/x"):
        store.set("a/x", b"1")
        store.set("a/y", b"2")
        helper = threading.Thread(target=lambda: (store.set("a/z", b"3"), store.delete("a/y")))
        helper.start()
        helper.join(30)
        assert not helper.is_alive()
    assert dict.fromkeys(store.list()) == dict.fromkeys(["a/x", "a/z"])


@pytest.mark.parametrize("kind", [threading.Thread, get_context("fork").Process])
def test_no_change_of_a_part_is_lost_where_locks_of_files_keep_nobody_out(told, tmp_path, monkeypatch, kind):
    told("fuse.example")
    monkeypatch.setattr(lock_files, "lock", lambda *_, **__: None)
    zom.create_array(tmp_path / "s", data=np.zeros(80, "i2"), chunks=(80,))

    def work(first):
        array = zom.open_array(tmp_path / "s", mode="r+")
        for number in range(first, 80, 4):
            array[number] = number

    workers = [kind(target=work, args=(first,)) for first in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (zom.open_array(tmp_path / "s")[...] == np.arange(80)).all()


def test_two_that_hold_locks_in_two_directories_do_not_wait_for_each_other(told, tmp_path):
    """As a change of a group and one of the hierarchy above it, each of which writes where the other one's journal lies."""
    told("fuse.example")
    both = threading.Barrier(2, timeout=30)
    done = []

    def work(mine, other):
        store = LocalStore(tmp_path / "s")
        with store.lock(f"{mine}/journal"):
            both.wait()
            store.set(f"{other}/document", b"1")
            done.append(mine)

    threads = [threading.Thread(target=work, args=pair, daemon=True) for pair in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(done) == ["a", "b"]


def test_on_a_full_disk_the_lock_of_the_directory_must_do(told, tmp_path, monkeypatch):
    told("fuse.example")
    store = LocalStore(tmp_path / "s")
    store.set_many({"a/x": b"1", "a/y": b"2"})

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(lock_files, "_found_or_made", full)

    def work():
        with store.lock("a/x"):
            store.delete("a/y")
        store.set("a/x", b"3")

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert {key: store.get(key) for key in store.list()} == {"a/x": b"3"}


def test_ctrl_c_ends_the_wait_for_a_lock(told, tmp_path):
    told("fuse.example")
    first, second = LocalStore(tmp_path / "s"), LocalStore(tmp_path / "s")
    with first.lock("a"):
        timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt), second.lock("a"):
            pass
    with second.lock("a"):
        pass


def test_no_descriptor_is_left_where_the_lock_file_can_not_be_made(loose, tmp_path, monkeypatch):
    store = LocalStore(tmp_path / "s")
    store.set("a", b"1")

    def fail(*_, **__):
        raise PermissionError(13, "Permission denied")

    before = len(list(Path("/proc/self/fd").iterdir()))
    with monkeypatch.context() as patched:
        patched.setattr(lock_files, "_found_or_made", fail)
        for _ in range(5):
            with pytest.raises(Exception, match="permission denied"), store.lock("a"):
                pass
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    with store.lock("a"):
        pass
