"""A key holds the old value or the new one, whatever call fails and whenever the writer is killed.

The calls are those that Python makes; a full disk is tried for real where a test may mount one.
"""

import errno
import os
import random
import signal
import sqlite3
import time
from importlib import import_module
from pkgutil import iter_modules

import pytest

from zom.errors import StoreError
from zom.stores import local, system
from zom.stores import zip as zip_module
from zom.stores.local import LocalStore, durability, temporary
from zom.stores.sqlite import SQLiteStore
from zom.stores.zip import ZipStore

OLD = b"old" * 1000
NEW = b"the new value" * 5000
ERRORS = [errno.EIO, errno.ENOSPC, errno.EDQUOT, "short"]
LOCAL = [
    import_module(each.name)
    for package in (local, system)
    for each in iter_modules(package.__path__, f"{package.__name__}.")
]
LOCAL = [local, *LOCAL]
"""Every module of local stores that calls the system."""


CALLS = ("open", "write", "pwrite", "fsync", "rename", "replace", "link", "unlink", "mkdir", "rmdir", "stat")
CALLS = (*CALLS, "fstat", "dup", "close", "ftruncate")


class FaultyOS:
    """`os`, as a module sees it. Counts the calls, and lets the n-th fail with `error`, or write less than it was given."""

    def __init__(self, at=-1, error=errno.EIO):
        self.at = at
        self.error = error
        self.log = []

    def __getattr__(self, name):
        real = getattr(os, name)
        if name not in CALLS:
            return real

        if name == "fsync":
            # That it is called is what counts; the disk would only take its time.
            real = os.fstat

        def call(*arguments, **options):
            number = len(self.log)
            self.log.append((name, arguments[0] if arguments else None))
            if number != self.at:
                return real(*arguments, **options)
            if self.error == "short":
                if name in ("write", "pwrite") and len(arguments[1]) > 1:
                    return real(arguments[0], arguments[1][: len(arguments[1]) // 2], *arguments[2:])
                return real(*arguments, **options)
            if name == "close":
                # A close that fails has closed, all the same.
                real(*arguments, **options)
            raise OSError(self.error, os.strerror(self.error))

        return call

    @property
    def names(self):
        return [name for name, _ in self.log]


def patch(monkeypatch, faulty, *modules):
    for module in modules:
        for name in {"os", "calls"} & set(vars(module)):
            monkeypatch.setattr(module, name, faulty)


def visible(folder):
    return sorted(name for _, _, names in os.walk(folder) for name in names)


NEW_KEYS = ("d/e", "x/1", "x/y/z", "x/y/w", "x/v/1")
LOCAL_WRITES = {
    "set": (lambda store: store.set("a/b", NEW), {"a/b": {OLD, NEW}}),
    "set in a new directory": (lambda store: store.set("x/y/z", NEW), {"x/y/z": {None, NEW}}),
    "set_partial": (lambda store: store.set_partial("a/b", 3, NEW), {"a/b": {OLD, OLD[:3] + NEW}}),
    "set_many": (
        lambda store: store.set_many({"a/b": NEW, "c": NEW, "d/e": NEW}),
        {"a/b": {OLD, NEW}, "c": {OLD, NEW}, "d/e": {None, NEW}},
    ),
    "set_many in new directories": (
        lambda store: store.set_many(dict.fromkeys(NEW_KEYS, NEW)),
        {key: {None, NEW} for key in NEW_KEYS},
    ),
    "create": (lambda store: store.create("a/new", NEW), {"a/new": {None, NEW}}),
    "replace": (
        lambda store: store.replace("a/b", NEW, store.get_version("a/b").version),
        {"a/b": {OLD, NEW}},
    ),
    "delete": (lambda store: store.delete("a/b"), {"a/b": {OLD, None}}),
    "delete_prefix": (lambda store: store.delete_prefix(""), {"a/b": {OLD, None}, "c": {OLD, None}}),
    "flush": (lambda store: store.flush(), {}),
}


@pytest.mark.parametrize("level", ["none", "file", "full"])
@pytest.mark.parametrize("verb", LOCAL_WRITES)
def test_a_call_that_fails_leaves_the_old_value_or_the_new(tmp_path, monkeypatch, verb, level):
    write, allowed = LOCAL_WRITES[verb]

    def attempt(folder, faulty):
        """What there is after a write in which a call fails, and how the write ended."""
        with LocalStore(folder) as store:
            store.set_many({"a/b": OLD, "c": OLD})
        ended = None
        with LocalStore(folder, durability=level) as store:
            with monkeypatch.context() as patched:
                patch(patched, faulty, *LOCAL)
                try:
                    write(store)
                except StoreError as failure:
                    ended = failure
            found = {key: store.get(key) for key in ("a/b", "c", *NEW_KEYS, "a/new")}
            assert sorted(store.list()) == sorted(key for key, value in found.items() if value is not None)
        return found, ended

    whole = FaultyOS()
    attempt(tmp_path / "whole", whole)
    raised = 0
    for at, name in enumerate(whole.names):
        # The cause makes no difference to one that fails; a short write is one that doesn't.
        for error in ERRORS if name in ("write", "pwrite") else ERRORS[at % 3 : at % 3 + 1]:
            folder = tmp_path / f"{error}-{at}"
            faulty = FaultyOS(at, error)
            found, ended = attempt(folder, faulty)
            for key, value in found.items():
                expected = {"a/b": {OLD}, "c": {OLD}, **allowed}.get(key, {None})
                assert value in expected, f"{key} after call {at} failed: {faulty.log}"
            if ended is not None:
                raised += 1
                assert ended.store == str(folder)
                assert ended.verb
            if name != "unlink":
                left = visible(folder)
                assert not [each for each in left if each.startswith(".zom-tmp")], faulty.log
                # A lock file that stays is a group of the draft, if nothing else is in its directory.
                assert not [each for each in left if each.endswith("__lock")], faulty.log
    assert len(whole.log) > 8 or verb == "flush"
    assert raised > 2 or verb == "flush"


def test_a_value_is_synced_before_it_is_named_and_its_directory_after(tmp_path, monkeypatch):
    with LocalStore(tmp_path, durability="full") as store:
        faulty = FaultyOS()
        patch(monkeypatch, faulty, *LOCAL)
        store.set("a/b", b"1")
    calls = [name for name in faulty.names if name in ("mkdir", "fsync", "write", "link")]
    # The new directory's name, the file, and, once it has its name, the directory.
    assert calls == ["mkdir", "fsync", "write", "fsync", "link", "fsync"]


def test_every_new_directory_is_synced_in_the_one_above(tmp_path, monkeypatch):
    with LocalStore(tmp_path, durability="full") as store:
        faulty = FaultyOS()
        patch(monkeypatch, faulty, *LOCAL)
        store.set("a/b/c", b"1")
    calls = [name for name in faulty.names if name in ("mkdir", "fsync", "link")]
    assert calls == ["mkdir", "fsync", "mkdir", "fsync", "fsync", "link", "fsync"]


def test_a_deletion_is_synced(tmp_path, monkeypatch):
    with LocalStore(tmp_path, durability="full") as store:
        store.set_many({"a/b": b"1", "a/c": b"1"})
        faulty = FaultyOS()
        patch(monkeypatch, faulty, *LOCAL)
        store.delete("a/b")
        assert [name for name in faulty.names if name in ("unlink", "fsync")] == ["unlink", "unlink", "fsync"]


@pytest.mark.parametrize(("level", "syncs"), [("none", 0), ("file", 1), ("full", 3)])
def test_a_write_syncs_as_much_as_was_asked_for(tmp_path, monkeypatch, level, syncs):
    with LocalStore(tmp_path, durability=level) as store:
        faulty = FaultyOS()
        patch(monkeypatch, faulty, *LOCAL)
        store.set("a/b", b"1")
    assert faulty.names.count("fsync") == syncs


@pytest.mark.parametrize(("level", "syncs"), [("none", 5), ("file", 3), ("full", 0)])
def test_a_flush_syncs_files_and_then_directories_once(tmp_path, monkeypatch, level, syncs):
    with LocalStore(tmp_path, durability=level) as store:
        store.set_many({"a/b/c": b"1", "a/b/d": b"2"})
        faulty = FaultyOS()
        patch(monkeypatch, faulty, *LOCAL)
        store.flush()
        assert faulty.names.count("fsync") == syncs
        store.flush()
        assert faulty.names.count("fsync") == syncs


def test_a_flush_that_fails_is_tried_again(tmp_path, monkeypatch):
    with LocalStore(tmp_path) as store:
        store.set("a/b", b"1")
        with monkeypatch.context() as patched:
            patch(patched, FaultyOS(0), *LOCAL)
            with pytest.raises(StoreError, match="cannot flush: input/output error"):
                store.flush()
        faulty = FaultyOS()
        patch(monkeypatch, faulty, *LOCAL)
        store.flush()
        assert faulty.names.count("fsync") == 3


def test_a_directory_that_fails_to_close_is_no_error(tmp_path, monkeypatch):
    store = LocalStore(tmp_path)
    store.set_many({"a/b": OLD})
    patch(monkeypatch, FaultyOS(0, errno.EIO), local)
    store.close()
    assert store.url == str(tmp_path)
    with pytest.raises(StoreError, match="the store is closed"):
        store.get("a/b")


class FullAtCommit:
    """A connection to SQLite whose next commit finds the disk full."""

    def __init__(self, connection):
        self.connection = connection
        self.full = True

    def __getattr__(self, name):
        return getattr(self.connection, name)

    def execute(self, text, *values):
        if text == "COMMIT" and self.full:
            self.full = False
            raise sqlite3.OperationalError("database or disk is full")
        return self.connection.execute(text, *values)


def test_a_lock_of_sqlite_whose_commit_fails_names_the_key_and_keeps_nobody_out(tmp_path):
    path = tmp_path / "x.sqlite"
    with SQLiteStore(path) as store, SQLiteStore(path, timeout=1) as other:
        store.set("a", OLD)
        store._connection = FullAtCommit(store._connection)
        full = pytest.raises(StoreError, match=r"x\.sqlite: cannot write 'a': .*database or disk is full")
        with full, store.lock("a"):
            store.set("a", NEW)
        assert store.get("a") == OLD
        other.set("a", NEW)
        assert store.get("a") == NEW


@pytest.mark.parametrize("mode", ["w", "a"])
def test_a_zip_file_is_the_old_one_or_the_new_whatever_fails(tmp_path, monkeypatch, mode):
    path = tmp_path / "x.zip"
    faults, ended = 0, []
    for error in ERRORS:
        at = 0
        while True:
            with ZipStore(path, mode="w") as store:
                store.set_many({"a": OLD, "b": OLD})
            faulty = FaultyOS(at, error)
            with monkeypatch.context() as patched:
                patch(patched, faulty, zip_module, temporary, durability)
                try:
                    with ZipStore(path, mode=mode) as store:
                        store.set("a", NEW)
                        store.set("c", NEW)
                        store.delete("b")
                except StoreError as failure:
                    ended.append(failure.store)
            with ZipStore(path) as store:
                found = {key: store.get(key) for key in store.list()}
            assert found in ({"a": OLD, "b": OLD}, {"a": NEW, "c": NEW}), faulty.log
            if len(faulty.log) <= at:
                break
            if "unlink" not in faulty.log[at][0]:
                assert visible(tmp_path) == ["x.zip"]
            faults += 1
            at += 1
    assert faults > 30
    assert set(ended) == {str(path)}


def test_a_value_that_failed_in_a_zip_file_is_the_old_one(tmp_path, monkeypatch):
    with ZipStore(tmp_path / "x.zip", mode="w") as store:
        store.set("a", OLD)
        for at in (0, 1):
            with monkeypatch.context() as patched:
                patch(patched, FaultyOS(at, errno.ENOSPC), zip_module)
                with pytest.raises(StoreError, match=r"cannot write 'a': no space left on device"):
                    store.set("a", NEW)
            assert store.get("a") == OLD
        store.set("b", b"1")
        assert store.get_many(["a", "b"]) == [OLD, b"1"]
    with ZipStore(tmp_path / "x.zip") as store:
        assert store.get_many(["a", "b"]) == [OLD, b"1"]


# --- killed at any moment ----------------------------------------------------------------------------


def kill_writers(write, check, seen, *, kills, longest=0.02):
    """Fork writers that run `write(number)`, kill each at a random moment, and check what is left.

    On a busy machine it takes more of them until some have written anything: until there are six in `seen`.
    """
    chance = random.Random(7)
    for number in range(20 * kills):
        if number >= kills and len(seen) > 5:
            break
        child = os.fork()
        if child == 0:
            try:
                write(number)
            finally:
                os._exit(0)
        time.sleep(chance.random() * longest)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        check()


def whole(value):
    """Whether a value is what one writer wrote: one byte, many times."""
    return value is not None and len(value) == 1 << 20 and value == value[:1] * len(value)


def test_a_killed_writer_leaves_a_file_whole(tmp_path):
    with LocalStore(tmp_path) as store:
        store.set("a/b", bytes(1 << 20))
        seen = set()

        def write(number):
            for step in range(1000):
                store.set("a/b", bytes([(number + step) % 256]) * (1 << 20))

        def check():
            value = store.get("a/b")
            assert whole(value)
            seen.add(value[:1])
            assert list(store.list()) == ["a/b"]

        kill_writers(write, check, seen, kills=100)
        assert len(seen) > 5
        left = [name for name in visible(tmp_path) if name != "b"]
        assert store.sweep() == len(left)
        assert visible(tmp_path) == ["b"]


def test_a_killed_writer_leaves_a_zip_file_whole(tmp_path):
    path = tmp_path / "x.zip"
    with ZipStore(path, mode="w") as store:
        store.set_many({"a": bytes(1 << 20), "b": bytes(1 << 20)})
    seen = set()

    def write(number):
        for step in range(1000):
            with ZipStore(path, mode="w") as store:
                value = bytes([(number + step) % 256]) * (1 << 20)
                store.set_many({"a": value, "b": value})

    def check():
        with ZipStore(path) as store:
            first, second = store.get_many(["a", "b"])
        assert whole(first)
        assert first == second
        seen.add(first[:1])

    kill_writers(write, check, seen, kills=60, longest=0.05)
    assert len(seen) > 5
    with LocalStore(tmp_path) as folder:
        folder.sweep()
    assert visible(tmp_path) == ["x.zip"]


def test_a_killed_writer_leaves_a_sqlite_file_whole(tmp_path):
    path = tmp_path / "x.sqlite"
    with SQLiteStore(path) as store:
        store.set_many({"a": bytes(1 << 20), "b": bytes(1 << 20)})
    seen = set()

    def write(number):
        with SQLiteStore(path) as store:
            # A process is killed, not the machine: what it wrote need not be on the disk.
            store._connection.execute("PRAGMA synchronous = OFF")
            for step in range(1000):
                value = bytes([(number + step) % 256]) * (1 << 20)
                store.set_many({"a": value, "b": value})

    def check():
        with SQLiteStore(path) as store:
            first, second = store.get_many(["a", "b"])
        assert whole(first)
        assert first == second
        seen.add(first[:1])

    kill_writers(write, check, seen, kills=60, longest=0.05)
    assert len(seen) > 5
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_readers_see_whole_values_while_others_write(tmp_path):
    with LocalStore(tmp_path) as store:
        store.set("a/b", bytes(1 << 20))
        child = os.fork()
        if child == 0:
            try:
                for step in range(100_000):
                    store.set("a/b", bytes([step % 256]) * (1 << 20))
            finally:
                os._exit(0)
        try:
            values = [store.get("a/b") for _ in range(500)]
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    assert all(map(whole, values))
    assert len({value[:1] for value in values}) > 1
