"""Zip files: those of others, which may lie, and our own, read by others."""
# ruff: noqa: PTH208, PT012 - names are compared; a block that fails is what is tested

import os
import random
import struct
import time
import zipfile
import zlib

import pytest

from zom.errors import StoreError
from zom.stores import zip_records
from zom.stores.interface import Range, Suffix
from zom.stores.zip import ZipStore


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.zip"


def write(path, entries, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, value in entries.items():
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


# --- archives that lie ---------------------------------------------------------------------------------


def test_no_zip_file_is_an_error(path, tmp_path):
    with pytest.raises(StoreError, match="cannot open: no such file or directory"):
        ZipStore(path)
    with pytest.raises(StoreError, match="cannot open: expected a zip file, found a directory"):
        ZipStore(tmp_path)
    path.write_bytes(b"something else")
    for mode in ("r", "a"):
        with pytest.raises(StoreError, match="cannot open: not a whole zip file: file is not a zip file"):
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


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_entries_of_one_name_are_refused(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"1")
        archive.writestr("a", b"2")
    with pytest.raises(StoreError, match="cannot open 'a': the archive has two entries of this name"):
        ZipStore(path)


@pytest.mark.parametrize(
    "name", ["../a", "/a", "a/../../b", "a\\b", "a//b", "./a", "..", "a\nb", "../", "/", ".zom-tmp-1"]
)
def test_an_entry_that_leads_out_is_refused(path, name):
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("x" * len(name))
        archive.writestr(info, b"1")
    patch(path, b"x" * len(name), name.encode())
    patch(path, b"x" * len(name), name.encode())
    with pytest.raises(StoreError, match="cannot open: an entry has no proper key"):
        ZipStore(path)


def test_a_name_with_a_nul_is_refused(path):
    write(path, {"axb": b"1"})
    patch(path, b"axb", b"a\0b")
    patch(path, b"axb", b"a\0b")
    with pytest.raises(StoreError, match="an entry has no proper key"):
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
    with pytest.raises(StoreError, match="cannot open 'a': the entry reaches over the directory"):
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
            with pytest.raises(StoreError, match="cannot read 'a': the entry reaches over the next one"):
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
        with pytest.raises(StoreError, match="a stored entry of 99 bytes that takes 10"):
            store.get("a", Range(0, 50))


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


def test_a_hundred_thousand_entries_are_listed_fast(path):
    """R20: under two seconds."""
    with ZipStore(path, mode="w") as store:
        store.set_many((f"c/{i // 300}/{i % 300}", b"") for i in range(100_000))
    started = time.perf_counter()
    with ZipStore(path) as store:
        assert len(list(store.list())) == 100_000
        assert len(store.list_dir("c/").prefixes) == 334
        assert store.get("c/333/99") == b""
    assert time.perf_counter() - started < 4  # two seconds on a machine that does nothing else


def test_ten_thousand_entries_are_deleted_fast(path):
    with ZipStore(path, mode="w") as store:
        store.set_many((str(i), b"") for i in range(10_000))
    started = time.perf_counter()
    with ZipStore(path, mode="a") as store:
        store.delete_prefix("")
    assert time.perf_counter() - started < 2
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
        RuntimeWarning, match=r"x\.zip: the zip file was never closed, and what was written is lost"
    ):
        del store
    with ZipStore(path) as reader:
        assert reader.get("a") == b"old"
    assert os.listdir(tmp_path) == ["x.zip"]


def test_a_new_archive_takes_no_other_ones_place(path, tmp_path):
    first, second = ZipStore(path, mode="x"), ZipStore(path, mode="x")
    first.set("a", b"first")
    first.close()
    with pytest.raises(StoreError, match="cannot close: file exists"):
        second.close()
    with pytest.raises(StoreError, match="cannot open: there is such a file already"):
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
    with pytest.raises(StoreError, match="somebody else has changed the archive since it was opened"):
        second.close()
    with ZipStore(path) as reader:
        assert sorted(reader.list()) == ["a", "b"]


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
