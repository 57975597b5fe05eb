"""File systems that programs make: files of one number may have locks of their own, so that the directory is locked besides."""

import os
import threading
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path

import pytest

from zom.stores.local import LocalStore, lock_files, mounts, recycled_lock
from zom.stores.local.directory_locks import DirectoryLocks

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


@pytest.fixture
def loose(monkeypatch, told):
    """Such a file system, where locks of files keep nobody out."""
    told("fuse.example")
    for module in (lock_files, recycled_lock):
        monkeypatch.setattr(module, "lock", lambda *_, **__: None)


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
@pytest.mark.parametrize("kind", [threading.Thread, get_context("fork").Process])
def test_no_update_is_lost_where_locks_of_files_keep_nobody_out(loose, tmp_path, kind, in_blocks):
    store = LocalStore(tmp_path / "s")
    store.set("a/count", b"0")
    workers = [kind(target=count_up, args=(tmp_path / "s", 50, in_blocks)) for _ in range(4)]
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


def test_a_write_waits_for_an_update_and_not_for_another_write(tmp_path):
    descriptor = os.open(tmp_path, os.O_RDONLY)
    mine, theirs = DirectoryLocks(), DirectoryLocks()
    with mine.hold(descriptor, shared=True), theirs.hold(descriptor, shared=True):
        pass
    for first, second in ((False, True), (True, False), (False, False)):
        entered = threading.Event()

        def enter(shared=second, entered=entered):
            with theirs.hold(descriptor, shared=shared):
                entered.set()

        waiting = threading.Thread(target=enter)
        with mine.hold(descriptor, shared=first):
            waiting.start()
            assert not entered.wait(0.1)
        waiting.join(30)
        assert entered.is_set()
    assert (mine._held, theirs._held) == ({}, {})
    os.close(descriptor)


def test_an_update_of_one_store_waits_for_its_writes(tmp_path):
    """A lock that others may share too keeps nobody out who updates."""
    descriptor = os.open(tmp_path, os.O_RDONLY)
    locks = DirectoryLocks()
    entered = threading.Event()

    def update():
        with locks.hold(descriptor):
            entered.set()

    waiting = threading.Thread(target=update)
    with locks.hold(descriptor, shared=True):
        waiting.start()
        assert not entered.wait(0.1)
    waiting.join(30)
    assert entered.is_set()
    os.close(descriptor)


def test_no_descriptor_is_left_where_the_lock_file_can_not_be_made(loose, tmp_path, monkeypatch):
    store = LocalStore(tmp_path / "s")
    store.set("a", b"1")

    def fail(*_):
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
