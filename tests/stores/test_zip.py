"""Zip files: those of others, which may lie, and our own, read by others."""
# ruff: noqa: PTH208, PT012 - names are compared; a block that fails is what is tested

import errno
import multiprocessing
import os
import pickle
import random
import shutil
import signal
import stat
import struct
import subprocess
import warnings
import zipfile
import zlib
from contextlib import suppress

import pytest

import zom
from zom.errors import StoreError
from zom.hierarchy.stored.open import read_node
from zom.stores.interface import Range, Suffix
from zom.stores.zip import ZipStore
from zom.stores.zip import records as zip_records


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.zip"


def write(path, entries, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, value in entries.items():
            archive.writestr(name, value)


def append(path, entries):
    """As zarr-python writes: an entry for each change."""
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings(action="ignore"):
        for name, value in entries:
            archive.writestr(name, value)


def patch(path, old, new, which=0):
    """Replace bytes of a file; `which` says which occurrence."""
    data = path.read_bytes()
    assert len(old) == len(new)
    at = -1
    for _ in range(which + 1):
        at = data.index(old, at + 1)
    path.write_bytes(data[:at] + new + data[at + len(old) :])


# --- reading what others wrote -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_every_usual_compression_is_read(path, method):
    value = bytes(range(256)) * 100
    write(path, {"a/b": value, "empty": b"", "é/日本": b"x", "dir/": b""}, method)
    with ZipStore(path) as store:
        assert store.get_many(["a/b", "empty", "é/日本"]) == [value, b"", b"x"]
        assert store.get("a/b", Range(3, 5)) == value[3:8]
        assert store.get("a/b", Suffix(5)) == value[-5:]
        assert sorted(store.list()) == ["a/b", "empty", "é/日本"]


def test_an_archive_behind_other_bytes_is_read(path):
    write(path, {"a": b"1"})
    path.write_bytes(b"#!/bin/sh\n" * 10 + path.read_bytes())
    with ZipStore(path) as store:
        assert store.get("a") == b"1"
        assert store.get("a", Range(0, 1)) == b"1"


def test_a_large_archive_in_the_large_format_is_read(path):
    with zipfile.ZipFile(path, "w") as archive, archive.open("a", "w", force_zip64=True) as stream:
        stream.write(b"123")
    with ZipStore(path) as store:
        assert store.get("a") == b"123"
        assert store.get("a", Range(1)) == b"23"


def test_the_last_of_several_entries_of_one_name_counts(path):
    append(path, [("a", b"1"), ("b", b"other"), ("a", b"22"), ("a", b"333")])
    with ZipStore(path) as store:
        assert store.get("a") == b"333"
        assert dict(store.sizes()) == {"a": 3, "b": 5}
        [(fault, key)] = store.oddities
        assert (fault.rule.code, key) == ("store/repeated-name", "a")
        assert fault.found == "two or more entries of 'a'; the last one is read"
    with ZipStore(path, mode="a") as store:
        store.set("b", b"new")
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["a", "b"]
        assert archive.read("a") == b"333"
    with ZipStore(path) as store:
        assert store.oddities == ()


def repeated(path):
    group = b'{"zarr_format": 3, "node_type": "group", "attributes": {"n": %d}}'
    append(path, [("zarr.json", group % 1), ("zarr.json", group % 2)])


def test_a_repeated_name_is_a_warning_to_whoever_reads_or_checks(path):
    repeated(path)
    text = "two or more entries of 'zarr.json'; the last one is read"
    with pytest.warns(zom.SpecWarning, match=text):
        spec = zom.read(path)
    assert spec.attributes == {"n": 2}
    [problem] = zom.validate(path, conventions=(), data="keys").problems
    assert (problem.code, problem.severity, problem.key) == ("store/repeated-name", "warning", "zarr.json")
    assert read_node(zom.store(path)).problems == (problem,)


GROUP = b'{"zarr_format": 3, "node_type": "group"}'


@pytest.mark.parametrize(
    ("names", "root"),
    [
        (["x.zarr/zarr.json", "x.zarr/a/zarr.json"], "x.zarr/"),
        (["x.zarr/", "x.zarr/zarr.json"], "x.zarr/"),
        (["data/2024/x.zarr/.zgroup", "data/2024/x.zarr/a/.zarray", "data/readme.txt"], "data/2024/x.zarr/"),
        (["x/zarr.json", "x/a/zarr.json", "__MACOSX/x/._zarr.json", "__MACOSX/x/zarr.json"], "x/"),
        ([".DS_Store", "x/zarr.json", "x/.DS_Store"], "x/"),
        (["zarr.json", "a/zarr.json"], ""),
        (["a/zarr.json", "b/zarr.json"], ""),
        (["a/zarr.json", "ab/zarr.json"], ""),
        (["notes/a.txt"], ""),
        ([], ""),
    ],
)
def test_the_only_hierarchy_of_an_archive_is_found_below_its_directories(path, names, root):
    write(path, dict.fromkeys(names, GROUP))
    with ZipStore(path) as store:
        assert store.root == root
        inside = [name[len(root) :] for name in names if name.startswith(root) and not name.endswith("/")]
        assert sorted(store.list()) == sorted(inside)
    with ZipStore(path, root="") as store:
        assert sorted(store.list()) == sorted(name for name in names if not name.endswith("/"))
    with ZipStore(path) as store:
        assert pickle.loads(pickle.dumps(store)).root == root


def test_a_hierarchy_below_a_directory_is_opened_read_checked_and_changed(path):
    write(path, {"x.zarr/": b"", "x.zarr/zarr.json": GROUP, "x.zarr/a/zarr.json": GROUP, "note.txt": b"kept"})
    assert list(zom.open(path)) == ["a"]
    assert zom.read(path)["a"].kind == "group"
    assert zom.open(path, "a").path == "/a"
    assert zom.validate(path, conventions=(), data="keys").problems == ()
    with zom.store(path, read_only=False) as store:
        array = zom.create_array(store, zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "b")
        array[:] = 7
        assert store.list_dir() == (["zarr.json"], ["a/", "b/"])
        zom.delete(store, "a")
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == [
            "note.txt",
            "x.zarr/",
            "x.zarr/b/c/0",
            "x.zarr/b/zarr.json",
            "x.zarr/zarr.json",
        ]


def test_the_directory_of_a_hierarchy_may_begin_a_path_as_long_as_nothing_else_has_its_name(path):
    write(path, {"x/a/zarr.json": GROUP})
    assert zom.open(path, "x/a").path == "/x/a"
    assert zom.open(path).path == "/"
    write(path, {"x/zarr.json": GROUP, "x/x/zarr.json": GROUP, "x/x/y/zarr.json": GROUP})
    assert list(zom.open(path, "x")) == ["y"]


def test_what_a_writer_left_in_a_directory_that_was_packed_is_no_key(path):
    write(path, {"x/zarr.json": GROUP, "x/.zom-tmp-1": b"", ".zom-locks": b""})
    with ZipStore(path, mode="a") as store:
        assert list(store.list()) == ["zarr.json"]
        store.set("b", b"")
    with zipfile.ZipFile(path) as archive:
        assert "x/.zom-tmp-1" in archive.namelist()


# --- archives that lie ---------------------------------------------------------------------------------


@pytest.mark.parametrize("program", ["zip", "zipfile"])
def test_a_link_that_was_packed_is_no_value_and_is_told_of(path, tmp_path, program):
    """`zip -y` keeps the path of a link as what the link holds: a chunk of one element is as long as this one."""
    spec = zom.v3.GroupSpec(
        members={"x": zom.v3.ArraySpec.build(shape=(2,), dtype="int8", compress=None, checksum=False)}
    )
    zom.materialize(spec, tmp_path / "a.zarr")["x"][:] = 7
    chunk = tmp_path / "a.zarr" / "x" / "c" / "0"
    chunk.rename(chunk.with_name("f0"))
    chunk.symlink_to("f0")
    (tmp_path / "a.zarr" / "linked").symlink_to("x")
    if program == "zip":
        if shutil.which("zip") is None:
            pytest.skip("the program zip is not installed")
        subprocess.run(["zip", "-qry", path, "."], cwd=tmp_path / "a.zarr", check=True)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            for each in sorted((tmp_path / "a.zarr").rglob("*")):
                name = str(each.relative_to(tmp_path / "a.zarr"))
                if each.is_symlink():
                    info = zipfile.ZipInfo(name)
                    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
                    archive.writestr(info, str(each.readlink()))
                elif each.is_file():
                    archive.write(each, name)
    told = "expected a file, found a symbolic link; pack the files themselves, as zip does without -y"
    with ZipStore(path) as store:
        for key in ("x/c/0", "linked"):
            for wanted in (None, Range(0, 1), Suffix(1)):
                with pytest.raises(StoreError, match=f"cannot read '{key}'.*: {told}"):
                    store.get(key, wanted)
        with pytest.warns(zom.SpecWarning, match="expected no symbolic link, found '[^']+' and 1 more"):
            array = zom.open(store)["x"]
        with pytest.raises(zom.ZomError, match=told):
            array[:]
        codes = [problem.code for problem in zom.validate(store, conventions=(), data="all")]
        assert "store/packed-link" in codes


def test_no_zip_file_is_an_error(path, tmp_path):
    with pytest.raises(StoreError, match="cannot open: no such file or directory"):
        ZipStore(path)
    with pytest.raises(StoreError, match="cannot open: expected a zip file, found a directory"):
        ZipStore(tmp_path)
    path.write_bytes(b"something else")
    for mode in ("r", "a"):
        with pytest.raises(StoreError, match="cannot open: not a complete zip file: file is not a zip file"):
            ZipStore(path, mode=mode)
    with pytest.raises(StoreError, match="expected mode r, w, x or a, got 'q'"):
        ZipStore(path, mode="q")
    assert os.listdir(tmp_path) == ["x.zip"]


def test_a_truncated_archive_is_refused_at_every_length(path):
    write(path, {"a/b": b"0123456789", "c": b"x" * 50})
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(StoreError, match="cannot open"):
            ZipStore(path)


@pytest.mark.parametrize(
    "name",
    ["../a", "/a", "a/../../b", "..\\b", "a//b", "./a", "..", "\\b", "../", "/", "../.zom-tmp-1", ".zom-a/b"],
)
def test_an_entry_that_leads_out_is_refused(path, name):
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("x" * len(name))
        archive.writestr(info, b"1")
    patch(path, b"x" * len(name), name.encode())
    patch(path, b"x" * len(name), name.encode())
    with pytest.raises(StoreError, match="cannot open: an entry has an invalid key"):
        ZipStore(path)


@pytest.mark.parametrize("name", ["a\nb", "a\\b", "a\x7f/0", "__x/zarr.json"])
def test_an_entry_that_zom_would_not_write_is_read(path, name):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"1")
    with ZipStore(path, root="") as store:
        assert list(store.list()) == [name]
        assert store.get(name) == b"1"


def test_a_name_with_a_nul_is_refused(path):
    write(path, {"axb": b"1"})
    patch(path, b"axb", b"a\0b")
    patch(path, b"axb", b"a\0b")
    with pytest.raises(StoreError, match="an entry has an invalid key"):
        ZipStore(path)


def test_an_encrypted_entry_is_refused(path):
    write(path, {"a": b"1"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(StoreError, match="cannot open 'a': the entry is encrypted"):
        ZipStore(path)


def forged(infos, bodies):
    """An archive whose directory says what `infos` say, over those bytes."""
    body = b"".join(bodies)
    return body + zip_records.directory(infos, len(body), b"")


def test_entries_that_share_bytes_are_refused(path):
    value = b"0123456789"
    first = zip_records.entry("a", 10, zlib.crc32(value), 0)
    body = zip_records.local_header(first) + value
    path.write_bytes(forged([first, zip_records.entry("b", 10, zlib.crc32(value), 0)], [body]))
    with pytest.raises(StoreError, match="cannot open 'b': the entry overlaps 'a'"):
        ZipStore(path)
    path.write_bytes(forged([first, zip_records.entry("b", 2, 0, 5)], [body]))
    with pytest.raises(StoreError, match="cannot open 'b': the entry overlaps 'a'"):
        ZipStore(path)


def test_an_entry_over_the_end_is_refused(path):
    value = b"0123456789"
    info = zip_records.entry("a", 1000, zlib.crc32(value), 0)
    path.write_bytes(forged([info], [zip_records.local_header(info), value]))
    with pytest.raises(StoreError, match="cannot open 'a': the entry overlaps the directory"):
        ZipStore(path)


def test_a_header_that_hides_what_overlaps_is_found_at_reading(path):
    """The header of the first entry claims extra fields that reach into the second."""
    value = b"0123456789"
    first, second = (zip_records.entry(key, 10, zlib.crc32(value), 0) for key in "ab")
    one = bytearray(zip_records.local_header(first))
    one[28:30] = struct.pack("<H", 20)
    second.header_offset = len(one) + 10
    path.write_bytes(forged([first, second], [bytes(one), value, zip_records.local_header(second), value]))
    with ZipStore(path) as store:
        for byte_range in (None, Range(0, 2)):
            with pytest.raises(StoreError, match="cannot read 'a': the entry overlaps the next one"):
                store.get("a", byte_range)
        assert store.get("b") == value


def test_a_wrong_crc_is_found(path):
    write(path, {"a": b"0123456789"})
    patch(path, b"0123456789", b"0123x56789")
    with ZipStore(path) as store, pytest.raises(StoreError, match="cannot read 'a': the CRC is wrong"):
        store.get("a")


def test_a_header_of_another_name_is_found(path):
    write(path, {"abc": b"1"})
    patch(path, b"abc", b"xyz")
    with ZipStore(path) as store, pytest.raises(StoreError, match="the entry's header has another name"):
        store.get("abc")


def test_a_header_of_another_method_is_found(path):
    write(path, {"abc": b"1"})
    data = bytearray(path.read_bytes())
    data[8] = 8
    path.write_bytes(data)
    with ZipStore(path) as store, pytest.raises(StoreError, match="header contradicts the directory"):
        store.get("abc")


def test_an_offset_to_nowhere_is_found(path):
    write(path, {"abc": b"1" * 100})
    patch(path, b"PK\x03\x04", b"nope")
    with (
        ZipStore(path) as store,
        pytest.raises(StoreError, match="expected a local header, found other bytes"),
    ):
        store.get("abc")


@pytest.mark.parametrize(
    ("claimed", "reason"), [(5, "expected 5 bytes, found more"), (50, "expected 50 bytes, found 10")]
)
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_a_size_that_lies_is_found(path, claimed, reason, method):
    write(path, {"a": b"0123456789"}, method)
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<L", claimed)
    path.write_bytes(data)
    with ZipStore(path) as store, pytest.raises(StoreError, match=f"cannot read 'a': {reason}"):
        store.get("a")


def test_a_stored_size_that_lies_is_found(path):
    write(path, {"a": b"0123456789"})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<L", 99)
    path.write_bytes(data)
    with ZipStore(path) as store:
        with pytest.raises(StoreError, match="expected 99 bytes, found 10"):
            store.get("a")
        with pytest.raises(StoreError, match="expected 99 bytes in a stored entry, found 10"):
            store.get("a", Range(0, 50))


@pytest.mark.slow
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_entry_of_another_size_never_takes_more_memory_than_it_claims(path, method):
    """A bomb: 100 MB of zeros, said to be ten bytes; lzma has a dictionary of 8 MB."""
    import tracemalloc

    write(path, {"a": bytes(100_000_000)}, method)
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<L", 10)
    path.write_bytes(data)
    with ZipStore(path) as store:
        tracemalloc.start()
        try:
            with pytest.raises(StoreError, match="cannot read 'a'"):
                store.get("a")
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()


def test_a_value_beyond_the_limit_is_refused(path):
    write(path, {"a": bytes(10_000)}, zipfile.ZIP_DEFLATED)
    refused = pytest.raises(StoreError, match="the entry has 10000 bytes, more than the limit of 9999")
    with ZipStore(path, max_value_bytes=9_999) as store, refused:
        store.get("a")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_bytes_are_found(path, method):
    write(path, {"a": os.urandom(1000)}, method)
    data = bytearray(path.read_bytes())
    data[60:100] = b"\xff" * 40
    path.write_bytes(data)
    with (
        ZipStore(path) as store,
        pytest.raises(StoreError, match=r"cannot read 'a': (the bytes|the CRC|expected)"),
    ):
        store.get("a")


def test_an_unknown_method_is_refused(path):
    write(path, {"a": b"1"})
    data = bytearray(path.read_bytes())
    data[8] = data[data.index(b"PK\x01\x02") + 10] = 97
    path.write_bytes(data)
    with ZipStore(path) as store, pytest.raises(StoreError, match="unknown compression method 97"):
        store.get("a")


def test_any_damage_is_an_error_of_ours_or_does_no_harm(path):
    """Every value that is read from a damaged archive is right, or the archive is refused."""
    values = {"a/b": bytes(range(200)), "c": b"text " * 30}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/b", values["a/b"])
        archive.writestr("c", values["c"], zipfile.ZIP_DEFLATED)
    whole = path.read_bytes()
    chance = random.Random(5)
    refused = 0
    for _ in range(600):
        damaged = bytearray(whole)
        for _ in range(chance.choice([1, 1, 2, 5])):
            damaged[chance.randrange(len(damaged))] = chance.choice([0, 1, 0x7F, 0xFF, chance.randrange(256)])
        path.write_bytes(damaged)
        try:
            with ZipStore(path) as store:
                for key in store.list():
                    assert store.get(key) in (*values.values(), b"")
        except StoreError:
            refused += 1
    assert refused > 200


@pytest.mark.slow
def test_a_hundred_thousand_entries_are_listed_with_little_effort_for_each(path, calls):
    with ZipStore(path, mode="w") as store:
        store.set_many((f"c/{i // 300}/{i % 300}", b"") for i in range(100_000))

    def listed():
        with ZipStore(path) as store:
            assert len(list(store.list())) == 100_000
            assert len(store.list_dir("c/").prefixes) == 334
            assert store.get("c/333/99") == b""

    assert calls(listed) < 70 * 100_000


def test_ten_thousand_entries_are_deleted_with_little_effort_for_each(path, calls):
    with ZipStore(path, mode="w") as store:
        store.set_many((str(i), b"") for i in range(10_000))

    def emptied():
        with ZipStore(path, mode="a") as store:
            store.delete_prefix("")

    assert calls(emptied) < 120 * 10_000
    with ZipStore(path) as store:
        assert list(store.list()) == []


# --- writing -------------------------------------------------------------------------------------------


def test_what_we_write_is_read_by_others(path):
    values = {"zarr.json": b"{}", "c/0/0": bytes(range(256)), "empty": b"", "é/日本": b"x"}
    with ZipStore(path, mode="w") as store:
        store.set_many(values)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == values


def test_many_entries_and_far_offsets_are_written_in_the_large_format(path, monkeypatch):
    monkeypatch.setattr(zip_records, "_LARGE", 100)
    with ZipStore(path, mode="w") as store:
        store.set_many({"a": bytes(150), "b": b"1", "c": bytes(200)})
    monkeypatch.undo()
    data = path.read_bytes()
    assert b"PK\x06\x06" in data
    # The sizes stand where 0xffffffff says so; here, where 100 did.
    path.write_bytes(data.replace(struct.pack("<L", 100), b"\xff" * 4))
    with zipfile.ZipFile(path) as archive:
        assert {name: len(archive.read(name)) for name in archive.namelist()} == {"a": 150, "b": 1, "c": 200}


def test_the_same_values_make_the_same_archive(tmp_path):
    for name in ("1", "2"):
        with ZipStore(tmp_path / f"{name}.zip", mode="w") as store:
            store.set_many({"a": b"1", "b": b"2"})
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_appending_keeps_what_was_there(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.comment = b"a comment"
        archive.writestr("kept", b"k" * 100, zipfile.ZIP_DEFLATED)
        archive.writestr("replaced", b"old")
        archive.writestr("deleted", b"old")
        archive.mkdir("folder")
    with ZipStore(path, mode="a") as store:
        assert store.get("replaced") == b"old"
        store.set("replaced", b"new")
        store.set("added", b"added")
        store.delete("deleted")
        assert store.get("replaced") == b"new"
        assert store.get("replaced", Range(1)) == b"ew"
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.comment == b"a comment"
        assert sorted(archive.namelist()) == ["added", "folder/", "kept", "replaced"]
        assert archive.read("kept") == b"k" * 100
        assert archive.read("replaced") == b"new"


def test_appending_to_nothing_makes_an_archive(path):
    with ZipStore(path, mode="a") as store:
        store.set("a", b"1")
    with ZipStore(path) as store:
        assert store.get("a") == b"1"


def test_appending_nothing_leaves_the_file_as_it_is(path):
    write(path, {"a": b"1"})
    before = path.stat()
    with ZipStore(path, mode="a") as store:
        store.delete("missing")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_old_archive_is_there_until_the_new_one_is_whole(path, tmp_path):
    write(path, {"a": b"old"})
    store = ZipStore(path, mode="w")
    store.set("a", b"new")
    with ZipStore(path) as reader:
        assert reader.get("a") == b"old"
        store.close()
        assert reader.get("a") == b"old"
    with ZipStore(path) as reader:
        assert reader.get("a") == b"new"
    assert os.listdir(tmp_path) == ["x.zip"]


def test_a_block_that_fails_leaves_the_old_archive(path, tmp_path):
    write(path, {"a": b"old"})
    for mode in ("w", "a"):
        with pytest.raises(KeyError), ZipStore(path, mode=mode) as store:
            store.set("a", b"new")
            raise KeyError
    store = ZipStore(path, mode="w")
    store.discard()
    store = ZipStore(path, mode="w")
    store.set("a", b"forgotten")
    with pytest.warns(
        RuntimeWarning, match=r"x\.zip: the zip file was never closed, so its changes are lost"
    ):
        del store
    with ZipStore(path) as reader:
        assert reader.get("a") == b"old"
    assert os.listdir(tmp_path) == ["x.zip"]


def test_a_new_archive_takes_no_other_ones_place(path, tmp_path):
    first, second = ZipStore(path, mode="x"), ZipStore(path, mode="x")
    first.set("a", b"first")
    first.close()
    with pytest.raises(StoreError, match="another writer has created the file since it was opened"):
        second.close()
    with pytest.raises(StoreError, match="cannot open: the file already exists"):
        ZipStore(path, mode="x")
    with ZipStore(path) as reader:
        assert reader.get("a") == b"first"
    assert os.listdir(tmp_path) == ["x.zip"]


def test_of_two_that_append_the_second_is_told(path):
    write(path, {"a": b"1"})
    first, second = ZipStore(path, mode="a"), ZipStore(path, mode="a")
    first.set("b", b"first")
    second.set("c", b"second")
    first.close()
    with pytest.raises(
        StoreError,
        match="another writer has changed the file since it was opened; open it again and repeat the changes",
    ):
        second.close()
    with ZipStore(path) as reader:
        assert sorted(reader.list()) == ["a", "b"]


@pytest.mark.parametrize("mode", ["w", "x", "a"])
def test_of_two_that_make_an_archive_the_second_is_told(path, tmp_path, mode):
    first, second = ZipStore(path, mode=mode), ZipStore(path, mode=mode)
    first.set("a", b"first")
    second.set("a", b"second")
    first.close()
    with pytest.raises(StoreError, match="another writer has created the file since it was opened"):
        second.close()
    with ZipStore(path) as reader:
        assert reader.get("a") == b"first"
    assert os.listdir(tmp_path) == ["x.zip"]


def test_of_two_that_replace_an_archive_the_second_is_told(path):
    write(path, {"a": b"1"})
    first, second = ZipStore(path, mode="w"), ZipStore(path, mode="w")
    first.set("a", b"first")
    second.set("a", b"second")
    first.close()
    with pytest.raises(StoreError, match="another writer has changed the file"):
        second.close()
    with ZipStore(path) as reader:
        assert reader.get("a") == b"first"


def test_an_archive_that_was_deleted_meanwhile_is_not_brought_back(path, tmp_path):
    write(path, {"a": b"1"})
    store = ZipStore(path, mode="a")
    store.set("b", b"2")
    path.unlink()
    with pytest.raises(StoreError, match="another writer has deleted the file since it was opened"):
        store.close()
    assert os.listdir(tmp_path) == []


def appended(path, number, start, done):
    """Append to an archive until the change is in it; how often another was first."""
    start.wait()
    lost = 0
    while True:
        store = ZipStore(path, mode="a")
        store.set(f"from/{number}", b"%d" % number)
        try:
            store.close()
        except StoreError:
            lost += 1
        else:
            break
    done.put(lost)


@pytest.mark.parametrize("exists", [True, False])
def test_no_change_of_many_processes_that_append_is_lost(path, exists):
    if exists:
        write(path, {"a": b"1"})
    context = multiprocessing.get_context("fork")
    start, done = context.Event(), context.Queue()
    workers = [context.Process(target=appended, args=(path, number, start, done)) for number in range(8)]
    for worker in workers:
        worker.start()
    start.set()
    for worker in workers:
        worker.join(120)
    with ZipStore(path) as store:
        assert sorted(store.list("from/")) == [f"from/{number}" for number in range(8)]


def test_of_many_processes_that_make_an_archive_one_succeeds(path):
    context = multiprocessing.get_context("fork")
    won = context.Queue()
    barrier = context.Barrier(6)

    def make(number):
        store = ZipStore(path, mode="w")
        store.set("a", b"%d" % number)
        barrier.wait()
        with suppress(StoreError):
            store.close()
            won.put(number)

    workers = [context.Process(target=make, args=(number,)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    winner = won.get(timeout=10)
    assert won.empty()
    with ZipStore(path) as store:
        assert store.get("a") == b"%d" % winner


@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOTSUP, errno.EIO, None])
def test_an_archive_is_made_where_there_are_no_hard_links(path, tmp_path, monkeypatch, error):
    def link(*_args, **_options):
        raise OSError(error, os.strerror(error))

    if error is None:
        monkeypatch.delattr(os, "link")  # as in WebAssembly
    else:
        monkeypatch.setattr(os, "link", link)
    first, second = ZipStore(path, mode="w"), ZipStore(path, mode="w")
    first.set("a", b"1")
    first.close()
    with pytest.raises(StoreError, match="another writer has created the file"):
        second.close()
    with ZipStore(path) as reader:
        assert reader.get("a") == b"1"
    assert os.listdir(tmp_path) == ["x.zip"]


def test_the_next_writer_removes_what_a_killed_one_left(path, tmp_path):
    write(path, {"a": b"1"})
    child = os.fork()
    if child == 0:
        store = ZipStore(path, mode="a")
        store.set("b", b"2")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    other = ZipStore(tmp_path / "y.zip", mode="w")
    living = ZipStore(path, mode="a")
    assert len(os.listdir(tmp_path)) == 3
    assert ZipStore(path).sweep() == 0
    living.discard()
    other.discard()
    assert os.listdir(tmp_path) == ["x.zip"]


def test_a_sweep_removes_what_a_killed_writer_left(path, tmp_path):
    child = os.fork()
    if child == 0:
        store = ZipStore(path, mode="w")
        store.set("a", b"1")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert len(os.listdir(tmp_path)) == 1
    write(path, {"a": b"1"})
    with ZipStore(path) as store:
        assert store.sweep() == 1
    assert os.listdir(tmp_path) == ["x.zip"]


def test_a_link_to_an_archive_stays_one(path, tmp_path):
    write(path, {"a": b"1"})
    (tmp_path / "link.zip").symlink_to(path)
    with ZipStore(tmp_path / "link.zip", mode="a") as store:
        store.set("b", b"2")
    assert (tmp_path / "link.zip").is_symlink()
    with ZipStore(path) as store:
        assert sorted(store.list()) == ["a", "b"]


@pytest.mark.parametrize("mode", ["r", "w"])
def test_a_closed_store_says_so(path, mode):
    write(path, {"a": b"1"})
    store = ZipStore(path, mode=mode)
    store.close()
    store.close()
    for act in (lambda: store.get("a"), lambda: list(store.list()), lambda: store.get("a", Range(0, 1))):
        with pytest.raises(StoreError, match="the store is closed"):
            act()
    if mode == "w":
        with pytest.raises(StoreError, match="cannot write 'a': the store is closed"):
            store.set("a", b"1")


def test_an_archive_that_is_being_written_stays_in_its_process(path):
    import pickle

    store = ZipStore(path, mode="w")
    store.set("a", b"1")
    with pytest.raises(StoreError, match="cannot pickle: a zip file that is being written"):
        pickle.dumps(store)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            try:
                store.set("b", b"2")
            except StoreError as error:
                code = 0 if "belongs to the process that opened it" in str(error) else 2
            store.close()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.set("c", b"3")
    store.close()
    with ZipStore(path) as reader:
        assert {key: reader.get(key) for key in reader.list()} == {"a": b"1", "c": b"3"}


def test_forked_readers_do_not_disturb_each_other(path):
    values = {str(number): bytes([number]) * 5000 for number in range(100)}
    write(path, values, zipfile.ZIP_DEFLATED)
    with ZipStore(path) as store:
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                os._exit(0 if {key: store.get(key) for key in values} == values else 1)
            children.append(child)
        assert {key: store.get(key) for key in values} == values
        assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]
