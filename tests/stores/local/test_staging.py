"""New directories are filled aside, and take their names whole."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from zom.errors import StoreError
from zom.stores.local import LocalStore, staging

TREE = {f"g{group}/a{place}/zarr.json": b"%d" % place for group in range(3) for place in range(4)}
GROUPS = {f"g{group}/zarr.json": b"g" for group in range(3)}
ALL = {**TREE, **GROUPS}


def hidden(folder):
    return list(Path(folder).rglob(".zom-*"))


def held(store):
    return {key: store.get(key) for key in store.list()}


@pytest.fixture
def store(tmp_path):
    with LocalStore(tmp_path / "x") as made:
        yield made


def meanwhile(monkeypatch, act):
    """Call `act` once, just before a directory takes its name."""
    real = os.rename
    waiting = [act]

    def rename(old, new, **how):
        if waiting and old.isdigit():
            waiting.pop()()
        real(old, new, **how)

    monkeypatch.setattr(staging.calls, "rename", rename)


def test_values_below_missing_directories_take_their_places_by_one_step_for_each(store, monkeypatch):
    steps = []
    real = os.rename

    def rename(old, new, **how):
        steps.append(new)
        assert [key for key in store.list() if key.startswith(f"{new}/")] == []
        real(old, new, **how)
        assert [key for key in store.list() if key.startswith(f"{new}/")] != []

    monkeypatch.setattr(staging.calls, "rename", rename)
    store.set_many(ALL)
    assert steps == ["g0", "g1", "g2"]
    assert held(store) == ALL
    assert hidden(store.root) == []


def test_below_existing_groups_each_new_directory_takes_its_place(store):
    for group in range(3):
        store.set(f"g{group}/zarr.json", b"old")
    store.set_many(ALL)
    assert held(store) == ALL
    assert hidden(store.root) == []


def test_of_a_key_that_is_given_twice_the_last_value_counts(store):
    store.set_many([*TREE.items(), ("g0/a0/zarr.json", b"last")])
    assert store.get("g0/a0/zarr.json") == b"last"


def test_values_that_others_put_into_the_directory_meanwhile_stay(store, monkeypatch):
    meanwhile(monkeypatch, lambda: store.set("g0/a0/c/0", b"theirs"))
    store.set_many(ALL)
    assert held(store) == {**ALL, "g0/a0/c/0": b"theirs"}
    assert hidden(store.root) == []


def test_an_empty_directory_that_others_made_meanwhile_is_no_hindrance(store, monkeypatch):
    meanwhile(monkeypatch, (store.root / "g0").mkdir)
    store.set_many(ALL)
    assert held(store) == ALL


def test_who_holds_the_lock_of_a_key_is_waited_for(store, monkeypatch):
    done = threading.Event()
    taken = threading.Event()

    def hold():
        with LocalStore(store.root) as other, other.lock("g0/a0/zarr.json"):
            taken.set()
            done.wait(20)
            other.set("g0/a0/zarr.json", b"what its holder makes of nothing")

    holder = threading.Thread(target=hold)

    def begin():
        holder.start()
        assert taken.wait(20)

    meanwhile(monkeypatch, begin)
    writer = threading.Thread(target=store.set_many, args=(ALL,))
    writer.start()
    writer.join(1)
    assert writer.is_alive()
    done.set()
    writer.join(20)
    holder.join(20)
    assert held(store) == ALL, "the later write counts"


def test_a_link_in_the_place_of_the_directory_is_not_followed(store, monkeypatch, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    meanwhile(monkeypatch, lambda: (store.root / "g0").symlink_to(outside))
    with pytest.raises(StoreError, match="a symbolic link that is not followed"):
        store.set_many(ALL)
    assert list(outside.iterdir()) == []
    assert hidden(store.root) == []


def test_a_link_that_is_there_is_not_followed(store, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (store.root / "g1").symlink_to(outside)
    with pytest.raises(StoreError, match="cannot write 'g1/"):
        store.set_many(ALL)
    assert list(outside.iterdir()) == []


def test_directories_have_the_rights_that_the_process_gives_new_ones(store):
    before = os.umask(0o027)
    try:
        store.set_many(ALL)
    finally:
        os.umask(before)
    for path in ("g0", "g0/a0"):
        assert stat.S_IMODE((store.root / path).stat().st_mode) == 0o750
    assert stat.S_IMODE((store.root / "g0/a0/zarr.json").stat().st_mode) == 0o640


@pytest.mark.parametrize("call", ["mkdir", "open", "write", "close", "rename"])
def test_a_call_that_fails_once_leaves_no_hidden_file_and_the_values_are_written(store, monkeypatch, call):
    real = getattr(os, call)
    count = iter(range(1000))

    def fails(*given, **how):
        if next(count) == 5:
            if call == "close":
                real(*given, **how)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*given, **how)

    with monkeypatch.context() as patched:
        patched.setattr(staging.calls, call, fails)
        try:
            store.set_many(ALL)
        except StoreError as error:
            assert "Input/output error" in str(error)  # noqa: PT017 - either may be
            ended = False
        else:
            ended = True
    assert not ended or held(store) == ALL
    assert set(held(store).items()) <= set(ALL.items())
    assert hidden(store.root) == []


def test_a_full_disk_is_told_with_the_key(store, monkeypatch):
    real = os.write

    def full(descriptor, value):
        if bytes(value) == b"2":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, value)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(
        StoreError, match=r"cannot write 'g0/a2/zarr\.json' of /g0/a2: no space left on device"
    ):
        store.set_many(TREE)
    assert hidden(store.root) == []


def test_an_interrupt_leaves_no_hidden_file(store, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    meanwhile(monkeypatch, interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.set_many(ALL)
    assert held(store) == {}
    assert hidden(store.root) == []


def test_what_is_durable_name_by_name_is_written_so(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "Staging", None)
    with LocalStore(tmp_path, durability="full") as store:
        store.set_many(ALL)
        assert held(store) == ALL


def test_bytes_are_synced_before_they_are_seen(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(staging.calls, "fsync", synced.append)
    with LocalStore(tmp_path, durability="file") as store:
        store.set_many(ALL)
    assert len(synced) == len(ALL)


KILLED = """
import os, sys
from zom.stores.local import LocalStore, staging
items = {f"g0/a{place}/zarr.json": b"1" for place in range(12)}
def stop(*given, **how):
    print("here", flush=True)
    if sys.argv[2] == "kill":
        os.kill(os.getpid(), 9)
    sys.stdin.read()
staging.calls.rename = stop
LocalStore(sys.argv[1]).set_many(items)
"""


def writer(folder, ends):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), ends], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"here\n"
    return process


def test_a_sweep_removes_what_a_killed_writer_left(store):
    with writer(store.root, "kill") as process:
        process.wait(20)
    assert hidden(store.root) != []
    assert list(store.list()) == []
    assert store.sweep() == 1
    assert list(store.root.iterdir()) == []


def test_a_sweep_leaves_the_files_of_a_living_writer(store):
    with writer(store.root, "wait") as process:
        try:
            before = hidden(store.root)
            assert store.sweep() == 0
            assert hidden(store.root) == before != []
        finally:
            process.kill()


def test_a_directory_with_what_killed_writers_left_is_empty_to_others(store):
    store.set("old/zarr.json", b"{}")
    with writer(store.root / "new", "kill") as process:
        process.wait(20)
    store.rename("old/", "new/")
    assert list(store.list()) == ["new/zarr.json"]
    assert hidden(store.root) == []


def test_a_sweep_that_comes_before_the_lock_stops_the_writer(store, monkeypatch):
    real = staging.lock

    def late(descriptor, **how):
        for name in hidden(store.root):
            if name.is_file():
                name.unlink()
        real(descriptor, **how)

    monkeypatch.setattr(staging, "lock", late)
    store.set_many(ALL)
    assert held(store) == ALL
    assert hidden(store.root) == []


def test_a_hidden_directory_whose_writer_has_made_no_mark_yet_is_not_emptied(tmp_path):
    (tmp_path / ".zom-tmp-1").mkdir()
    directory = os.open(tmp_path, os.O_RDONLY)
    real = os.scandir

    @contextmanager
    def late(descriptor):
        with real(descriptor) as entries:
            yield list(entries)
        (tmp_path / ".zom-tmp-1" / "0").mkdir()

    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(staging.calls, "scandir", late)
            staging.remove_abandoned_staging(".zom-tmp-1", directory)
    finally:
        os.close(directory)
    assert (tmp_path / ".zom-tmp-1" / "0").is_dir()
