"""Directories that are filled while an operation goes on take their names with all that was written, and nothing is lost."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import StoreError
from zom.stores.local import LocalStore, growing_tree, staging

VALUES = {f"c/{row}/{column}": b"%d" % column for row in range(3) for column in range(5)}


def hidden(folder):
    return list(Path(folder).rglob(".zom-*"))


def held(store):
    return {key: store.get(key) for key in store.list()}


def write(store, values=VALUES):
    with store.writing():
        for key, value in values.items():
            store.set(key, value)


@pytest.fixture
def store(tmp_path):
    with LocalStore(tmp_path / "x") as made:
        yield made


def test_values_are_seen_at_the_end_of_the_block_all_in_one_step(store):
    with store.writing():
        for key, value in VALUES.items():
            store.set(key, value)
        assert held(store) == {}
    assert held(store) == VALUES
    assert hidden(store.root) == []


@pytest.mark.parametrize(("name", "most"), [("_MOST_VALUES", 4), ("_MOST_BYTES", 4), ("_LONGEST", 0.0)])
def test_what_has_grown_is_seen_before_the_end(store, monkeypatch, name, most):
    monkeypatch.setattr(growing_tree, name, most)
    seen = []
    with store.writing():
        for key, value in VALUES.items():
            store.set(key, value)
            seen.append(len(held(store)))
    assert any(0 < count < len(VALUES) for count in seen)
    assert held(store) == VALUES


def test_who_locks_a_key_sees_what_was_written_before(store):
    with store.writing():
        store.set("c/0/0", b"1")
        with store.lock("c/0/0"):
            assert store.get("c/0/0") == b"1"
            store.set("c/0/0", b"2")
        store.set("c/0/1", b"3")
    assert held(store) == {"c/0/0": b"2", "c/0/1": b"3"}


def test_of_a_key_that_is_written_twice_the_last_value_counts(store):
    with store.writing():
        store.set("c/0", b"1")
        store.set("c/0", b"2")
    assert held(store) == {"c/0": b"2"}


def test_a_key_that_is_deleted_after_it_was_written_is_gone(store):
    with store.writing():
        store.set("c/0", b"1")
        store.set("c/1", b"1")
        store.delete("c/0")
    assert held(store) == {"c/1": b"1"}


def test_who_has_written_something_may_read_it_whoever_else_writes_below_the_same_directory(store):
    begun, ended = threading.Event(), threading.Event()
    seen = []

    def other():
        with store.writing():
            store.set("c/1", b"2")
            begun.set()
            ended.wait(20)

    thread = threading.Thread(target=other)
    thread.start()
    assert begun.wait(20)
    with store.writing():
        store.set("c/0", b"1")
    seen.append(store.get("c/0"))
    ended.set()
    thread.join(20)
    assert seen == [b"1"]
    assert held(store) == {"c/0": b"1", "c/1": b"2"}


def test_helpers_fill_the_directory_of_whom_they_help(store, monkeypatch):
    steps = []
    real = os.rename

    def rename(old, new, **how):
        steps.append(new)
        real(old, new, **how)

    monkeypatch.setattr(staging.calls, "rename", rename)

    def helper(keys):
        with store.writing(helps=True):
            for key in keys:
                store.set(key, VALUES[key])

    keys = list(VALUES)
    with store.writing():
        store.set(keys[0], VALUES[keys[0]])
        threads = [threading.Thread(target=helper, args=(keys[start::3],)) for start in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert held(store) == {}
    assert held(store) == {key: VALUES[key] for key in keys if key in held(store)}
    assert len(held(store)) == len(keys)
    assert steps == ["c"]


def test_values_that_others_put_there_meanwhile_stay_and_the_later_one_counts(store):
    with LocalStore(store.root) as other, store.writing():
        store.set("c/0", b"1")
        other.set("c/0", b"0")
        other.set("c/9", b"9")
        store.set("c/1", b"1")
    assert held(store) == {"c/0": b"1", "c/1": b"1", "c/9": b"9"}
    assert hidden(store.root) == []


def test_who_holds_the_lock_of_a_key_elsewhere_is_waited_for(store):
    taken, given = threading.Event(), threading.Event()

    def hold():
        with LocalStore(store.root) as other, other.lock("c/0"):
            taken.set()
            given.wait(20)
            other.set("c/0", b"what its holder makes of nothing")

    holder = threading.Thread(target=hold)
    ended = threading.Event()

    def begin():
        with store.writing():
            store.set("c/0", b"1")
            holder.start()
            assert taken.wait(20)
        ended.set()

    writer = threading.Thread(target=begin)
    writer.start()
    assert taken.wait(20)
    time.sleep(0.3)
    assert not ended.is_set()
    given.set()
    writer.join(20)
    holder.join(20)
    assert held(store) == {"c/0": b"1"}, "the later write counts"


@pytest.mark.parametrize("act", ["delete", "set"])
def test_who_holds_a_lock_does_not_wait_for_whom_waits_for_that_lock(store, act):
    """One thread publishes a directory into which another one has put the lock of a key meanwhile, and changes the key."""
    staged, taken, ended = threading.Event(), threading.Event(), threading.Event()

    def publish():
        with store.writing():
            store.set("c/0", b"1")
            staged.set()
            assert taken.wait(20)
        ended.set()

    def change():
        # As if the lock had been asked for before the directory was begun.
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(store._directories.growing, "publish", lambda _=None: None)
            lock = store.lock("c/0")
            lock.__enter__()
        taken.set()
        time.sleep(0.3)
        with store.writing():
            store.delete("c/0") if act == "delete" else store.set("c/0", b"2")
        lock.__exit__(None, None, None)

    threads = [threading.Thread(target=each, daemon=True) for each in (publish, change)]
    threads[0].start()
    assert staged.wait(20)
    threads[1].start()
    assert ended.wait(20)
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert held(store) == {"c/0": b"1"}, "the later write counts"


def test_a_failure_in_the_block_keeps_what_was_written(store):
    def broken():
        with store.writing():
            store.set("c/0", b"1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    assert held(store) == {"c/0": b"1"}
    assert hidden(store.root) == []


@pytest.mark.parametrize("call", ["mkdir", "open", "write", "close", "rename", "unlink", "rmdir", "link"])
@pytest.mark.parametrize("turn", range(12))
def test_a_call_that_fails_once_loses_no_value_silently(store, monkeypatch, call, turn):
    real = getattr(os, call)
    count = iter(range(1000))

    def fails(*given, **how):
        if next(count) == turn:
            if call == "close":
                real(*given, **how)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*given, **how)

    with monkeypatch.context() as patched:
        patched.setattr(os, call, fails)
        try:
            write(store)
        except StoreError as error:
            assert "nput/output error" in str(error)  # noqa: PT017 - either may be
            ended = False
        else:
            ended = True
    assert not ended or held(store) == VALUES
    assert set(held(store).items()) <= set(VALUES.items())
    store.sweep()
    assert hidden(store.root) == []


def test_a_full_disk_is_told_with_the_key_and_leaves_no_half_of_a_value(store, monkeypatch):
    real = os.write

    def full(descriptor, value):
        if bytes(value) == b"4444":
            real(descriptor, value[:2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, value)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match=r"cannot write 'c/0/4'.*: no space left on device"):
        write(store, {**VALUES, "c/0/4": b"4444"})
    assert held(store) == {key: value for key, value in VALUES.items() if key < "c/0/4"}
    assert hidden(store.root) == []


def test_a_value_that_finds_no_place_is_told_by_its_key(store):
    def begin():
        with store.writing():
            store.set("c/0", b"1")
            store.set("c/1", b"1")
            (store.root / "c").mkdir()
            (store.root / "c" / "1").mkdir()

    with pytest.raises(
        StoreError, match=r"cannot write 'c/1'.*expected a regular file or nothing, found a directory"
    ):
        begin()
    assert held(store) == {"c/0": b"1"}
    assert hidden(store.root) == []


def test_all_are_told_whose_values_may_be_among_those_that_found_no_place(store):
    """The values of two operations are in one directory, and the first that ends publishes it."""
    begun, ended = threading.Event(), threading.Event()
    told = []

    def other():
        with store.writing():
            store.set("c/1", b"1")
            begun.set()
            assert ended.wait(20)

    def first():
        with store.writing():
            store.set("c/0", b"1")
            (store.root / "c" / "1").mkdir(parents=True)

    def run(act):
        try:
            act()
        except StoreError as error:
            told.append((error.key, error.reason))

    thread = threading.Thread(target=run, args=(other,))
    thread.start()
    assert begun.wait(20)
    run(first)
    ended.set()
    thread.join(20)
    assert told == [("c/1", "expected a regular file or nothing, found a directory")] * 2
    assert held(store) == {"c/0": b"1"}


def test_a_link_in_the_place_of_the_directory_is_not_followed(store, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()

    def begin():
        with store.writing():
            store.set("c/0", b"1")
            (store.root / "c").symlink_to(outside)

    with pytest.raises(StoreError, match=r"cannot write 'c/0'.*a symbolic link that is not followed"):
        begin()
    assert list(outside.iterdir()) == []


def test_a_flush_after_the_block_syncs_what_a_flush_within_it_could_not_see(store):
    with store.writing():
        store.set("c/0", b"1")
        store.flush()
        assert store._unsynced.keys == set()
    assert store._unsynced.keys == {"c/0"}


def test_what_is_durable_name_by_name_is_written_in_its_place(tmp_path):
    with LocalStore(tmp_path, durability="full") as store, store.writing():
        store.set("c/0", b"1")
        assert held(store) == {"c/0": b"1"}


def test_bytes_are_synced_before_they_are_seen(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(staging.calls, "fsync", synced.append)
    with LocalStore(tmp_path, durability="file") as store:
        write(store)
    assert len(synced) == len(VALUES)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_process_leaves_the_directory_to_its_parent(store):
    with store.writing():
        store.set("c/0", b"1")
        child = os.fork()
        if not child:
            try:
                store.set("d/0", b"2")
            finally:
                os._exit(0 if store.get("c/0") is None else 1)
        assert os.waitpid(child, 0)[1] == 0
        store.set("c/1", b"1")
    assert held(store) == {"c/0": b"1", "c/1": b"1", "d/0": b"2"}
    assert hidden(store.root) == []


KILLED = """
import os, sys
from zom.stores.local import LocalStore
with LocalStore(sys.argv[1]) as store, store.writing():
    for number in range(9):
        store.set(f"c/{number}", b"1")
    os.kill(os.getpid(), 9)
"""


def test_a_sweep_removes_what_a_killed_writer_left(store):
    store.set("a", b"1")
    subprocess.run([sys.executable, "-c", KILLED, str(store.root)], check=False)
    assert held(store) == {"a": b"1"}
    assert hidden(store.root) != []
    assert store.sweep() == 1
    assert [path.name for path in store.root.iterdir()] == ["a"]


@pytest.mark.parametrize("threads", [None, 1, 4])
@pytest.mark.parametrize("separator", ["/", "."])
@pytest.mark.parametrize("shape", [(40, 24), (37, 23)])
def test_an_array_reads_as_it_was_written_at_once_over_edges_and_empty_chunks(
    tmp_path, threads, separator, shape
):
    values = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    values[8:16] = 0
    built = v3.ArraySpec.build(shape=shape, dtype="int32", chunks=(4, 4))
    keys = {"name": "default", "configuration": {"separator": separator}}
    spec = v3.ArraySpec.parse({**json.loads(built.to_json()), "chunk_key_encoding": keys})
    array = zom.materialize(spec, tmp_path / "a.zarr").with_options(threads=threads)
    array[...] = values
    np.testing.assert_array_equal(array[...], values)
    np.testing.assert_array_equal(zom.open_array(tmp_path / "a.zarr")[...], values)
    array[1:-1, 1:-1] = values[1:-1, 1:-1] + 1
    values[1:-1, 1:-1] += 1
    np.testing.assert_array_equal(zom.open_array(tmp_path / "a.zarr")[...], values)
    assert hidden(tmp_path) == []
