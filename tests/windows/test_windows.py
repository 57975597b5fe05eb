"""What is different on Windows: who has a file open, names of devices, long paths, drives."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress

import numpy as np
import pytest

import zom
from zom.errors import StoreError
from zom.stores.interface import Range
from zom.stores.local import LocalStore
from zom.stores.zip import ZipStore

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="needs Windows")


@pytest.fixture
def store(tmp_path):
    with LocalStore(tmp_path / "a.zarr") as made:
        yield made


def test_bytes_are_kept_whatever_they_are(store):
    value = bytes(range(256)) * 100 + b"\r\n\x1a\n"
    store.set("a", value)
    assert store.get("a") == value
    assert store.get("a", Range(13, 20)) == value[13:33]
    target = np.empty(len(value), "u1")
    assert store.get_into("a", memoryview(target)) == len(value)
    assert target.tobytes() == value


def test_what_is_read_may_be_deleted_and_its_directory_moved(store):
    store.set("d/a", b"1" * 1000)
    with store.snapshot("d/a") as value:
        store.delete("d/a")
        assert value.get(Range(0, 3)) == b"111"
    assert store.get("d/a") is None
    store.set("d/a", b"2")
    store.rename("d/", "e/")
    assert dict(store.sizes()) == {"e/a": 1}


def test_threads_read_one_file_at_many_places(store):
    store.set("a", b"".join(bytes([n]) * 1000 for n in range(200)))
    wrong = []
    with store.snapshot("a") as value:

        def read(first):
            for n in range(first, 200, 4):
                part = value.get(Range(1000 * n, 1000))
                wrong.extend([n] * (part != bytes([n]) * 1000))

        threads = [threading.Thread(target=read, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


@pytest.mark.parametrize("name", ["con", "NUL.txt", "aux", "a:b", "a.", "a ", "a?", "com1"])
def test_a_name_that_windows_has_no_files_for_is_missing_and_refused(store, name):
    for key in (name, f"d/{name}", f"{name}/zarr.json"):
        assert store.get(key) is None
        assert list(store.list(f"{key}/")) == []
        for write in (
            lambda key: store.set(key, b"1"),
            lambda key: store.create(key, b"1"),
            lambda key: store.set_many({key: b"1"}),
        ):
            with pytest.raises(StoreError, match=f"Windows reserves the name '{name}'".replace("?", "\\?")):
                write(key)
        store.delete(key)
    assert list(store.list()) == []


def test_a_path_may_be_longer_than_260_characters(tmp_path):
    group = zom.open_group(tmp_path / "a.zarr", mode="w")
    path = "/".join(["a-name-of-thirty-characters-xx"] * 20)
    for depth in range(1, 21):
        group.create_group("/".join(path.split("/")[:depth]))
    array = group.create_array(f"{path}/t", shape=(4,), dtype="i4")
    array[...] = [1, 2, 3, 4]
    assert zom.open(tmp_path / "a.zarr")[f"{path}/t"][...].tolist() == [1, 2, 3, 4]
    zom.delete(tmp_path / "a.zarr", path.split("/")[0])
    assert [each.name for each in (tmp_path / "a.zarr").iterdir()] == ["zarr.json"]


@pytest.mark.parametrize("end", ["zarr", "zip", "sqlite"])
def test_a_place_is_a_path_with_a_drive_or_a_url(tmp_path, end):
    place = str(tmp_path / f"a.{end}")
    root = zom.materialize(zom.v3.GroupSpec(attributes={"n": 1}), place)
    root.store.close()
    slashes = place.replace("\\", "/")
    for name in (place, slashes, f"file:///{slashes}", f"file://{place}", f"\\\\?\\{place}"):
        assert zom.read(name).attributes == {"n": 1}
    with pytest.raises(StoreError, match="it is the source of the copy"):
        zom.copy(place, f"file:///{slashes}", on_conflict="replace")


def test_a_drive_that_is_missing_is_told(tmp_path):
    for verb in (lambda: zom.read("Q:\\a.zarr"), lambda: zom.open_group("Q:\\b\\a.zarr", mode="w")):
        with pytest.raises(StoreError, match=r"Q:\\.*no such file or directory"):
            verb()


def test_an_archive_is_replaced_while_nobody_has_it_open(tmp_path):
    for value in (b"1" * 10, b"2\r\n\x1a" * 1000, b"3"):
        with ZipStore(tmp_path / "a.zip", mode="a") as archive:
            archive.set("a", value)
        with ZipStore(tmp_path / "a.zip") as archive:
            assert archive.get("a") == value
    assert [each.name for each in tmp_path.iterdir()] == ["a.zip"]


def test_a_key_with_a_drive_leads_nowhere_else(store, tmp_path):
    """Joined to a directory, such a path is one of its own."""
    outside = tmp_path / "outside"
    (outside / "empty").mkdir(parents=True)
    (outside / "a").write_bytes(b"1")
    key = outside.as_posix()
    store.set("b", b"2")
    for act in (
        lambda: store.get(f"{key}/a"),
        lambda: store.set(f"{key}/a", b"3"),
        lambda: store.delete(f"{key}/a"),
        lambda: store.delete_prefix(f"{key}/"),
        lambda: store.rename(f"{key}/", "c/"),
        lambda: store.rename("b/", f"{key}/c/"),
        lambda: store.move(f"{key}/a", "c"),
        lambda: store.move("b", f"{key}/a"),
        lambda: store.lock(f"{key}/new").__enter__(),
        lambda: store.create(f"{key}/new", b"3"),
        lambda: list(store.list(f"{key}/")),
    ):
        with suppress(StoreError):
            assert not act()
    assert sorted(each.name for each in outside.iterdir()) == ["a", "empty"]
    assert (outside / "a").read_bytes() == b"1"
    assert list(store.list()) == ["b"]


ADD = """
import sys, zom
array = zom.open_array(sys.argv[1], mode="r+")
for n in range(int(sys.argv[2]), 60, 3):
    array[n] = n
"""


def test_processes_that_change_one_chunk_lose_nothing(tmp_path):
    place = tmp_path / "a.zarr"
    zom.create_array(place, shape=(60,), chunks=(60,), dtype="i4", fill_value=-1)[...] = -1
    children = [
        subprocess.Popen([sys.executable, "-c", ADD, str(place), str(n)], stdin=subprocess.PIPE)
        for n in range(3)
    ]
    for child in children:
        child.communicate(timeout=200)
    assert [child.returncode for child in children] == [0, 0, 0]
    assert zom.open_array(place)[...].tolist() == list(range(60))
    assert sorted(each.name for each in place.rglob("*") if each.is_file()) == ["0", "zarr.json"]


def test_what_a_killed_writer_left_is_swept(tmp_path):
    script = "import sys, os; from zom.stores.local import LocalStore; s = LocalStore(sys.argv[1]); held = s.lock('d/a'); held.__enter__(); os._exit(1)"
    command = [sys.executable, "-c", script, str(tmp_path / "a.zarr")]
    assert subprocess.run(command, input=b"", check=False, timeout=100).returncode == 1
    with LocalStore(tmp_path / "a.zarr") as store:
        assert (tmp_path / "a.zarr/d/a.__lock").exists()
        with store.lock("b"):
            assert store.sweep() == 1  # the lock of the living is left
            assert (tmp_path / "a.zarr/b.__lock").exists()
        assert list((tmp_path / "a.zarr").iterdir()) == []


@pytest.mark.parametrize("form", [2, 3])
def test_what_zarr_python_writes_is_read_and_it_reads_what_zom_writes(tmp_path, form):
    zarr = pytest.importorskip("zarr", reason="pip install zarr")
    theirs = zarr.open_group(str(tmp_path / "theirs.zarr"), mode="w", zarr_format=form)
    values = np.arange(1000, dtype="f8").reshape(20, 50)
    made = theirs.create_array("g/t", shape=(20, 50), chunks=(7, 9), dtype="f8")
    made[...] = values
    found = zom.open(tmp_path / "theirs.zarr")
    assert (found["g/t"][...] == values).all()
    zom.copy(tmp_path / "theirs.zarr", tmp_path / "ours.zarr")
    assert (zarr.open_group(str(tmp_path / "ours.zarr"), mode="r")["g/t"][...] == values).all()
    assert zom.validate(tmp_path / "ours.zarr", data=True).ok
