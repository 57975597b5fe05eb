"""The fsspec store over local and memory file systems, and over one that fails or remembers too much."""

from __future__ import annotations

import errno
import ftplib
import io
import os
import pickle
import shutil
import tarfile
import zipfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

import zom
from zom.errors import ReadOnlyError, StoreError
from zom.stores import opening
from zom.stores.fsspec import FsspecStore
from zom.stores.interface import Listing, Range, Store, Suffix, cut
from zom.testing.stores import StoreSuite

if TYPE_CHECKING:
    from pathlib import Path

fsspec = pytest.importorskip("fsspec", reason="pip install 'zom[fsspec]'")

from bucket_of_fsspec import Bucket  # noqa: E402
from fsspec.asyn import AsyncFileSystem  # noqa: E402 - with fsspec
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper  # noqa: E402
from fsspec.implementations.dirfs import DirFileSystem  # noqa: E402
from fsspec.implementations.local import LocalFileSystem  # noqa: E402
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402
from fsspec.spec import AbstractFileSystem  # noqa: E402


@pytest.fixture(params=["memory", "local", "async"])
def store(request: Any, tmp_path: Path) -> FsspecStore:
    if request.param == "local":
        return FsspecStore(fsspec.filesystem("file"), tmp_path)
    if request.param == "memory":
        return FsspecStore(fsspec.filesystem("memory"), str(tmp_path))
    return FsspecStore(Bucket(), "async/x")


RANGES = [Range(0, 3), Range(2, 3), Range(4, 99), Range(3), Range(6, 1), Range(6), Range(99), Range(99, 1), Range(0, 0), Range(9, 0), Suffix(2), Suffix(99), Suffix(0)]  # fmt: skip


@pytest.mark.parametrize("byte_range", RANGES)
@pytest.mark.parametrize("value", [b"abcdef", b""])
def test_ranges_mean_what_they_mean_for_bytes(store: FsspecStore, value: bytes, byte_range: Any) -> None:
    store.set("d/a", value)
    assert store.get("d/a", byte_range) == cut(value, byte_range)
    assert store.get_many([("d/a", byte_range), ("none", byte_range), "d/a"]) == [
        cut(value, byte_range),
        None,
        value,
    ]


@pytest.mark.parametrize(
    "key", ["a*", "a?", "[a]", "{a}", "a b", "a%20b", "%", "a#b", "ü/é", "e\u0301", "a:b", "~", "..a", "a..", ".a", "😀", "$HOME", "a::b"]
)  # fmt: skip
def test_names_with_odd_characters_are_taken_for_what_they_are(store: FsspecStore, key: str) -> None:
    store.set_many({key: b"1", "aa": b"2", "d/aa": b"3"})
    assert store.get_many([key, "aa", "a"]) == [b"1", b"2", None]
    assert sorted(store.list()) == sorted([key, "aa", "d/aa"])
    store.delete_many([key, "none"])
    assert sorted(store.list()) == ["aa", "d/aa"]


def test_a_prefix_is_of_whole_names(store: FsspecStore) -> None:
    store.set_many(dict.fromkeys(["a/x", "a/y/z", "ab/x", "a.b"], b"1"))
    assert sorted(store.list("a/")) == ["a/x", "a/y/z"]
    assert store.list_dir() == Listing(["a.b"], ["a/", "ab/"])
    assert store.list_dir("a/") == Listing(["a/x"], ["a/y/"])
    assert store.list_dir("none/") == Listing([], [])
    assert store.list_dir("a.b/") == Listing([], [])
    assert list(store.list("a.b/")) == []


def test_a_directory_and_a_pipe_are_errors_and_never_a_hang(tmp_path: Path) -> None:
    store = FsspecStore(fsspec.filesystem("file"), tmp_path)
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="cannot read 'd': expected a regular file, found a directory"):
        store.get("d")
    with pytest.raises(StoreError, match="cannot read 'pipe': expected a regular file, found something else"):
        store.get("pipe", Range(0, 0))
    assert list(store.list()) == []


class SqueezingBucket(Bucket):
    """Takes two slashes for one where it lists: s3fs does, where the key of an object begins with a slash."""

    protocol = "squeezing-bucket"

    async def _ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        return await super()._ls(path.replace("//", "/"), detail=detail, **options)

    async def _find(self, path: str, *arguments: Any, **options: Any) -> Any:
        return await super()._find(path.replace("//", "/"), *arguments, **options)


class SqueezingMemory(MemoryFileSystem):
    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        return super().ls(path.replace("//", "/"), detail=detail, **options)


@pytest.mark.parametrize("kind", [SqueezingBucket, SqueezingMemory])
def test_a_file_system_that_lists_another_folder_is_an_error_and_not_an_empty_one(kind: Any) -> None:
    filesystem = kind()
    FsspecStore(filesystem, "/squeezed/a").set("k", b"1")
    store = FsspecStore(filesystem, "/squeezed//a")
    found = "'/?squeezed/a/k', which is not in this folder; check that its path has no empty parts"
    with pytest.raises(StoreError, match=f"cannot list: the file system lists {found}"):
        store.list_dir()
    if kind is SqueezingBucket:  # in memory, all files are looked at
        with pytest.raises(StoreError, match=found):
            list(store.list())
    filesystem.rm("/squeezed/a/k")


def test_what_others_write_is_listed_at_once() -> None:
    """fsspec's object stores answer from the listing they remember."""

    class Forgetful(MemoryFileSystem):
        cachable = False
        remembered: dict[str, Any]

        def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
            memory = self.__dict__.setdefault("remembered", {})
            if path not in memory:
                memory[path] = super().ls(path, detail=detail, **options)
            return memory[path]

        def invalidate_cache(self, path: str | None = None) -> None:
            self.__dict__.setdefault("remembered", {}).clear()

    filesystem = Forgetful()
    store = FsspecStore(filesystem, "/forgetful")
    store.set("a", b"1")
    assert list(store.list()) == ["a"]
    filesystem.pipe_file("/forgetful/b", b"1")
    assert sorted(store.list()) == ["a", "b"]
    assert store.list_dir().keys == ["a", "b"]


class Failing:
    """A file system where every call ends with one exception."""

    protocol = ("s3", "s3a")
    asynchronous = False
    storage_options: ClassVar = {"secret": "canary", "key": "canary"}

    def __init__(self, error: Exception) -> None:
        self.error = error

    def _strip_protocol(self, path: str) -> str:
        return path.removeprefix("s3://")

    def invalidate_cache(self, path: str | None = None) -> None: ...

    def cat_ranges(self, paths: list[str], starts: Any, ends: Any, on_error: str) -> list[Any]:
        return [self.error for _ in paths]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def fail(*_: Any, **__: Any) -> Any:
            raise self.error

        return fail


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), TimeoutError("slow"), OSError(5, "I/O error"), KeyError("x"), RuntimeError("canary")])  # fmt: skip
def test_every_failure_but_missing_is_an_error_without_secrets(error: Exception) -> None:
    store = FsspecStore(Failing(error), "bkt/x")
    for use in (
        lambda: store.get("a"),
        lambda: store.get("a", Range(5, 1)),
        lambda: store.get("a", Range(0, 0)),
        lambda: store.get_many(["a", ("b", Suffix(1))]),
        lambda: store.exists("a"),
        lambda: store.set("a", b""),
        lambda: store.delete("a"),
        lambda: list(store.list()),
        store.list_dir,
    ):
        with pytest.raises(StoreError, match="s3://bkt/x: cannot ") as caught:
            use()
        told = caught.value
        assert "canary" not in f"{told} {told.args} {told.__cause__} {told.__context__}"


def test_a_missing_file_is_none_and_its_deletion_no_error() -> None:
    store = FsspecStore(Failing(FileNotFoundError("x")), "bkt/x")
    assert store.get("a") is None
    assert not store.exists("a")
    store.delete("a")
    assert store.list_dir() == Listing([], [])
    with pytest.raises(StoreError, match="cannot write 'a': FileNotFoundError: x"):
        store.set("a", b"")


def test_a_missing_bucket_is_an_error_and_no_missing_value() -> None:
    error = FileNotFoundError("x")
    error.__cause__ = RuntimeError("An error occurred (NoSuchBucket) when calling GetObject")
    store = FsspecStore(Failing(error), "bkt/x")
    for use in (lambda: store.get("a"), lambda: store.exists("a"), lambda: store.delete("a"), store.list_dir):
        with pytest.raises(StoreError, match=r"s3://bkt/x: cannot .*: FileNotFoundError: x"):
            use()


@pytest.mark.parametrize("made", [lambda fs: fs, lambda fs: DirFileSystem("b", fs, asynchronous=True)])
def test_a_file_system_for_asynchronous_use_is_refused(made: Any) -> None:
    with pytest.raises(StoreError, match=r"cannot open: expected .*; open it with asynchronous=False"):
        FsspecStore(made(Bucket(asynchronous=True)), "x")


def test_something_else_is_refused() -> None:
    with pytest.raises(
        StoreError, match="object: cannot open: expected a file system and a path, or a UPath"
    ):
        FsspecStore(object())


def test_a_store_is_shown_and_pickled_without_options(tmp_path: Path) -> None:
    local = FsspecStore(fsspec.filesystem("file"), tmp_path)
    local.set("a", b"1")
    assert repr(local) == f"<FsspecStore file://{tmp_path}>"
    assert pickle.loads(pickle.dumps(local)).get("a") == b"1"
    with pytest.raises(StoreError, match="its options may hold credentials"):
        pickle.dumps(FsspecStore(Failing(OSError()), "bkt"))
    with pytest.raises(StoreError, match="a file system in memory belongs to its process"):
        pickle.dumps(FsspecStore(fsspec.filesystem("memory"), "/x"))


def test_a_read_only_store_is_not_written(tmp_path: Path) -> None:
    store = FsspecStore(fsspec.filesystem("file"), tmp_path, read_only=True)
    with pytest.raises(ReadOnlyError):
        store.set("a", b"1")
    assert list(tmp_path.iterdir()) == []


def test_a_upath_is_taken_by_its_file_system() -> None:
    upath = pytest.importorskip("upath", reason="pip install universal-pathlib")
    store = FsspecStore(upath.UPath("memory:///upath/x"))
    store.set("a/0", b"1")
    assert upath.UPath("memory:///upath/x/a/0").read_bytes() == b"1"


def test_requests_are_in_flight_at_once_where_the_file_system_is_asynchronous(tmp_path: Path) -> None:
    assert FsspecStore(fsspec.filesystem("file"), tmp_path).capabilities.parallel == 1
    assert FsspecStore(Bucket(), "b").capabilities.parallel == 128
    assert FsspecStore(Bucket(batch_size=7), "b").capabilities.parallel == 7


def references(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "blob").write_bytes(b"__0123456789__")
    blob = f"file://{tmp_path / 'blob'}"
    return {
        ".zgroup": '{"zarr_format": 2}',
        "x/.zarray": '{"zarr_format": 2, "shape": [12], "chunks": [4], "dtype": "|u1", "compressor": null, "fill_value": 0, "order": "C", "filters": null}',
        "x/0": [blob, 2, 4],
        "x/1": "base64:NDU2Nw==",
        "whole/key": [blob],
    }  # fmt: skip


@pytest.mark.parametrize("form", ["plain", "versioned"])
@pytest.mark.parametrize("given", ["mapper", "file system"])
def test_references_are_read_as_keys(tmp_path: Path, form: str, given: str) -> None:
    refs = references(tmp_path)
    made = {"plain": refs, "versioned": {"version": 1, "refs": refs}}[form]
    filesystem = fsspec.filesystem("reference", fo=made)
    store = opening.store(filesystem.get_mapper("") if given == "mapper" else filesystem)
    assert sorted(store.list()) == sorted(refs)
    assert store.list_dir("") == Listing([".zgroup"], ["whole/", "x/"])
    assert store.list_dir("x/") == Listing(["x/.zarray", "x/0", "x/1"], [])
    assert store.get_many(["x/0", "x/1", "x/2", "whole/key", ("x/0", Range(1, 2)), ("x/1", Suffix(2))]) == [
        b"0123", b"4567", None, b"__0123456789__", b"12", b"67"]  # fmt: skip
    assert dict(store.sizes("x/")) == {"x/.zarray": len(refs["x/.zarray"]), "x/0": 4, "x/1": 4}
    assert zom.open(store)["x"][:].tolist() == [*b"01234567", 0, 0, 0, 0]
    assert [
        problem
        for problem in zom.validate(store, conventions=(), data="all").problems
        if problem.severity == "error"
    ] == []


def test_a_mapper_below_a_root_reads_what_is_below(tmp_path: Path) -> None:
    filesystem = fsspec.filesystem("reference", fo=references(tmp_path))
    store = opening.store(filesystem.get_mapper("x"))
    assert sorted(store.list()) == [".zarray", "0", "1"]
    assert zom.open(store)[:5].tolist() == [*b"01234"]


def test_a_reference_to_a_missing_file_is_an_error_and_no_fill_value(tmp_path: Path) -> None:
    store = opening.store(fsspec.get_mapper("reference://", fo=references(tmp_path)))
    (tmp_path / "blob").unlink()
    with pytest.raises(StoreError, match=r"reference://: cannot read 'x/0': .*blob"):
        store.get("x/0")
    with pytest.raises(StoreError, match="x/0"):
        store.get("x/0", Range(0, 2))
    assert store.get("x/2") is None


def test_references_are_not_written(tmp_path: Path) -> None:
    store = opening.store(fsspec.get_mapper("reference://", fo=references(tmp_path)))
    with pytest.raises(ReadOnlyError):
        store.set("x/2", b"1234")


def test_mappers_of_other_file_systems_are_read(tmp_path: Path) -> None:
    array = zom.create_array(str(tmp_path / "a.zarr"), zom.v3.ArraySpec.build(shape=(3,), dtype="int8"), "x")
    array[...] = [1, 2, 3]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for path in sorted((tmp_path / "a.zarr").rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(tmp_path / "a.zarr"))
    local = fsspec.filesystem("file")
    places = [
        fsspec.get_mapper(str(tmp_path / "a.zarr")),
        fsspec.get_mapper(f"zip::file://{tmp_path / 'a.zip'}"),
        fsspec.filesystem("dir", path=str(tmp_path / "a.zarr"), fs=local),
        fsspec.filesystem("dir", path=str(tmp_path), fs=local).get_mapper("a.zarr"),
        fsspec.filesystem("zip", fo=str(tmp_path / "a.zip")),
    ]
    for place in places:
        assert zom.open(place)["x"][:].tolist() == [1, 2, 3], place
        assert [member.path for member in zom.open(place).values()] == ["/x"]


def test_a_file_system_without_a_root_needs_a_path() -> None:
    with pytest.raises(StoreError, match=r"file://: cannot open: expected a path in this file system"):
        opening.store(fsspec.filesystem("file"))


def test_a_bucket_takes_many_values_at_once() -> None:
    bucket = Bucket(batch_size=10)
    store = FsspecStore(bucket, "b/x")
    values = {f"c*/{number}": b"1" for number in range(30)}
    store.set_many(values)
    assert bucket.held == {f"b/x/{key}": value for key, value in values.items()}
    assert bucket.most_at_once == 10
    with pytest.raises(StoreError, match=r"bucket://b/x: cannot write 'no': permission denied"):
        store.set_many({"a": b"1", "no": b"2"})
    assert store.get("a") == b"1"


def test_a_bucket_deletes_many_values_at_once_and_none_by_a_pattern() -> None:
    bucket = Bucket(batch_size=10)
    store = FsspecStore(bucket, "b/x")
    bucket.held = {f"b/x/{key}": b"1" for key in ["a*", "ab", "[ab]", "c/1", "c/2", "no"]}
    store.delete_many(["a*", "[ab]", "c/1", "missing"])
    assert (sorted(store.list()), bucket.most_at_once) == (["ab", "c/2", "no"], 4)
    with pytest.raises(StoreError, match="bucket://b/x: cannot delete 'no': permission denied"):
        store.delete_many(["ab", "no", "c/2"])
    assert sorted(store.list()) == ["no"]


@pytest.mark.skipif(
    tuple(map(int, fsspec.__version__.split(".")[:2])) < (2026, 1),
    reason="fsspec of 2026 or newer: earlier ones delete no file by a pattern",
)
def test_a_file_system_that_deletes_by_patterns_is_not_asked_to() -> None:
    class Careless(Bucket):
        """As fsspec has it by default: `_rm` takes paths with "*" in them, and deletes one file by it."""

        _rm_file = AsyncFileSystem._rm_file

        async def _rm(self, path: str, **_: Any) -> None:
            for name in await self._expand_path(path):
                del self.held[name]

    bucket = Careless()
    store = FsspecStore(bucket, "b")
    store.set_many({"a*": b"1", "ab": b"2", "c": b"3"})
    for delete in (lambda: store.delete("a*"), lambda: store.delete_many(["c", "a*"])):
        with pytest.raises(
            StoreError,
            match=r"cannot delete 'a\*': the file system bucket treats this key as a pattern and would delete every key",
        ):
            delete()
    store.delete_many(["c"])
    assert sorted(store.list()) == ["a*", "ab"]


def test_a_file_system_that_is_made_asynchronous_is_asked_without_that(tmp_path: Path) -> None:
    local = fsspec.filesystem("file")
    store = FsspecStore(AsyncFileSystemWrapper(local, asynchronous=True), tmp_path)
    assert (store.url, store.capabilities) == (
        f"file://{tmp_path}",
        FsspecStore(local, tmp_path).capabilities,
    )
    store.set("c/0", b"1")
    assert (tmp_path / "c/0").read_bytes() == b"1"


def test_the_end_of_a_value_is_read_where_no_range_counts_from_the_end() -> None:
    class Azure(Bucket):
        looks = 0

        async def _cat_file(
            self, path: str, start: int | None = None, end: int | None = None, **_: Any
        ) -> bytes:
            if start is not None and start < 0:
                raise ValueError("Required Content-Range response header is missing or malformed.")
            return await super()._cat_file(path, start, end)

        async def _info(self, path: str, **_: Any) -> dict[str, Any]:
            self.looks += 1
            return await super()._info(path)

    bucket = Azure()
    store = FsspecStore(bucket, "b")
    store.set_many({"a": b"12345", "b": b"123", "empty": b""})
    wanted = [
        ("a", Suffix(2)),
        "missing",
        ("b", Suffix(9)),
        ("none", Suffix(1)),
        ("empty", Suffix(3)),
        ("a", Range(0, 2)),
    ]
    for _ in range(2):
        assert store.get_many(wanted) == [b"45", None, b"123", None, b"", b"12"]
    assert bucket.looks == 8
    bucket.held["b/no"] = b"1"
    with pytest.raises(StoreError, match="cannot read 'no': permission denied"):
        store.get("no", Suffix(2))


def test_a_missing_directory_is_made_whatever_error_it_is(tmp_path: Path) -> None:
    class Server(LocalFileSystem):
        """As FTP, where a missing directory is one error among others."""

        protocol = "ftp"
        cachable = False

        def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **options: Any) -> None:
            if path.endswith("no"):
                raise ValueError("552 Insufficient storage space.")
            try:
                super().pipe_file(path, value, mode, **options)
            except FileNotFoundError:
                raise ValueError("550 No such file or directory.") from None

    store = FsspecStore(Server(host="example.org", password="canary"), tmp_path)
    assert store.url == f"ftp://example.org{tmp_path}"
    store.set("a/b/c", b"1")
    assert (store.get("a/b/c"), (tmp_path / "a/b/c").read_bytes()) == (b"1", b"1")
    for key in ("a/b/no", "no", "d/no"):
        with pytest.raises(StoreError, match=f"cannot write '{key}': ValueError: 552 Insufficient"):
            store.set(key, b"1")
    (tmp_path / "file").write_bytes(b"1")
    with pytest.raises(StoreError, match="cannot write 'file/x': "):
        store.set("file/x", b"1")


def test_a_directory_of_a_file_system_is_a_place_in_it(tmp_path: Path) -> None:
    store = FsspecStore(DirFileSystem(str(tmp_path), fsspec.filesystem("file")), "a/b")
    assert (store.url, store.capabilities) == (
        f"file://{tmp_path}/a/b",
        FsspecStore(fsspec.filesystem("file"), tmp_path).capabilities,
    )
    store.set("c/0", b"1")
    assert (tmp_path / "a/b/c/0").read_bytes() == b"1"
    with pytest.raises(StoreError, match=r"DirFileSystem: cannot open: .* escapes"):
        FsspecStore(DirFileSystem(str(tmp_path / "a"), fsspec.filesystem("file")), "../b")


def test_a_cache_of_an_old_fsspec_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fsspec, "__version__", "2025.7.0")
    cache = fsspec.filesystem("simplecache", target_protocol="file", cache_storage=str(tmp_path / "cache"))
    with pytest.raises(
        StoreError,
        match=r"SimpleCacheFileSystem: cannot open: expected fsspec 2025\.9 or newer for a cache, found 2025\.7\.0: ",
    ):
        FsspecStore(cache, tmp_path)
    FsspecStore(fsspec.filesystem("file"), tmp_path).set("a", b"1")
    monkeypatch.setattr(fsspec, "__version__", "unknown")
    assert not FsspecStore(cache, tmp_path).capabilities.writable


# A cache of blocks leaves the file that it keeps them in to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("protocol", ["simplecache", "filecache", "blockcache", "zip", "tar"])
def test_caches_and_archives_are_only_read(tmp_path: Path, protocol: str) -> None:
    (tmp_path / "a").write_bytes(b"1")
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.write(tmp_path / "a", "a")
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        tar.add(tmp_path / "a", "a")
    named: dict[str, Any] = {"fo": str(tmp_path / f"x.{protocol}")}
    if protocol.endswith("cache"):
        named = {"target_protocol": "file", "cache_storage": str(tmp_path / "cache")}
    store = FsspecStore(fsspec.filesystem(protocol, **named), "" if "fo" in named else tmp_path)
    assert store.get_many(["a", "missing", ("a", Suffix(9))]) == [b"1", None, b"1"]
    with pytest.raises(ReadOnlyError):
        store.set("a", b"2")
    assert (tmp_path / "a").read_bytes() == b"1"


def test_options_of_the_file_system_behind_a_cache_are_not_told() -> None:
    from fsspec.implementations.cached import SimpleCacheFileSystem

    class Refusing(Bucket):
        async def _info(self, *_: Any, **__: Any) -> dict[str, Any]:
            raise OSError(f"{self.storage_options['secret']} refused")

        _cat_file = _get_file = _info

    store = FsspecStore(SimpleCacheFileSystem(fs=Refusing(secret="canary-1")), "b")
    for read in (lambda: store.get("a"), lambda: store.get("a", Suffix(2))):
        with pytest.raises(StoreError, match="refused") as caught:
            read()
        assert "canary" not in str(caught.value)


def test_a_tar_file_behind_a_store_of_zarr_python_is_read_by_one_thread_at_a_time(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
    values = {f"c/{number}": bytes([number]) * 40_000 for number in range(200)}
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        for key, value in values.items():
            entry = tarfile.TarInfo(f"d/{key}")
            entry.size = len(value)
            tar.addfile(entry, io.BytesIO(value))
    archive = AsyncFileSystemWrapper(fsspec.filesystem("tar", fo=str(tmp_path / "x.tar")), asynchronous=True)
    store = zom.store(zarr.storage.FsspecStore(archive, path="d", read_only=True))
    with ThreadPoolExecutor(8) as threads:
        assert dict(zip(values, threads.map(store.get, values), strict=True)) == values
    assert not store.capabilities.writable


def test_a_forked_process_reads_no_archive_of_the_other_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"123")
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        tar.add(tmp_path / "a", "a")
    store = FsspecStore(fsspec.filesystem("tar", fo=str(tmp_path / "x.tar")), "")
    cache = FsspecStore(fsspec.filesystem("simplecache", target_protocol="file"), tmp_path)
    with ProcessPoolExecutor(1, get_context("fork"), initializer=_hold, initargs=(store, cache)) as child:
        told, cached = child.submit(_read_held).result()
    assert "cannot read 'a': its files and connections belong to the parent process" in told
    assert (cached, store.get("a")) == (b"123", b"123")


_held: list[FsspecStore] = []


def _hold(*stores: FsspecStore) -> None:
    _held.extend(stores)


def _read_held() -> tuple[str, bytes | None]:
    store, cache = _held
    for use in (store.list_dir, lambda: list(store.sizes()), lambda: store.get("a")):
        with pytest.raises(StoreError) as caught:
            use()
    return str(caught.value), cache.get("a")


# -- links --------------------------------------------------------------------------------------------------


def linked(tmp_path: Path) -> Any:
    """A hierarchy whose array lies elsewhere, as on a larger disk, and a document that is a link."""
    spec = zom.v3.GroupSpec(
        members={"x": zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "g": zom.v3.GroupSpec()}
    )
    zom.materialize(spec, tmp_path / "a.zarr")["x"][:] = 7
    (tmp_path / "a.zarr" / "x").rename(tmp_path / "far")
    (tmp_path / "a.zarr" / "x").symlink_to("../far")
    (tmp_path / "a.zarr" / "g" / "zarr.json").rename(tmp_path / "g.json")
    (tmp_path / "a.zarr" / "g" / "zarr.json").symlink_to("../../g.json")
    (tmp_path / "a.zarr" / "nowhere").symlink_to("../missing")
    return FsspecStore(fsspec.filesystem("file"), tmp_path / "a.zarr")


def test_links_are_listed_and_read_through(tmp_path: Path) -> None:
    store = linked(tmp_path)
    assert store.list_dir() == Listing(["zarr.json"], ["g/", "x/"])
    assert store.list_dir("g/") == Listing(["g/zarr.json"], [])
    assert sorted(store.sizes()) == sorted((key, len(store.get(key) or b"")) for key in store.list())
    assert sorted(zom.read(store).members) == ["g", "x"]
    assert zom.copy(store, tmp_path / "b.zarr")
    assert zom.open(tmp_path / "b.zarr")["x"][:].tolist() == [7] * 4


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(
    "act",
    [
        lambda store: zom.delete(store, "x"),
        lambda store: zom.delete(store, whole=True),
        lambda store: store.delete_prefix("x/"),
        lambda store: store.delete_prefix(""),
        lambda store: zom.materialize(zom.v3.GroupSpec(members={}), store, on_conflict="replace", prune=True),
    ],
)
def test_nothing_is_deleted_through_a_link(tmp_path: Path, act: Any, is_known: bool) -> None:
    store = linked(tmp_path)
    if is_known:
        zom.read(store)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(
        zom.ZomError, match="expected a directory that is not a symbolic link, found a symbolic link"
    ):
        act(store)
    assert sorted(tmp_path.rglob("*")) == before
    assert zom.open(tmp_path / "far")[:].tolist() == [7] * 4


def test_links_to_directories_above_come_to_an_end(tmp_path: Path) -> None:
    store = linked(tmp_path)
    for link, target in {"up": ".", "g/up": "..", "g/down": "."}.items():
        (tmp_path / "a.zarr" / link).symlink_to(target)
    told = "a symbolic link below one of the same name, which may lead to a directory above it"
    with pytest.raises(StoreError, match=f"cannot list '[^']+': {told}"):
        list(store.list())
    problems = [each for each in zom.validate(store, conventions=()) if each.severity == "error"]
    assert {(each.code, each.found) for each in problems} == {("store/unlisted-group", told)}
    assert len(problems) < 40


@pytest.mark.parametrize("above", [".", "./", "", "data.zarr"])
def test_a_tar_file_of_whatever_names_is_read(tmp_path: Path, above: str) -> None:
    spec = zom.v3.GroupSpec(members={"x": zom.v3.ArraySpec.build(shape=(4,), dtype="int8")})
    zom.materialize(spec, tmp_path / "a.zarr")["x"][:] = 7
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        if above:
            archive.add(tmp_path / "a.zarr", above)
        else:
            for each in (tmp_path / "a.zarr").iterdir():
                archive.add(each, each.name)
    filesystem = fsspec.filesystem("tar", fo=str(tmp_path / "a.tar"))
    store = FsspecStore(filesystem, "data.zarr" if above == "data.zarr" else "")
    assert zom.read(store) == zom.read(tmp_path / "a.zarr")
    assert zom.open(store)["x"][:].tolist() == [7] * 4


# -- parts of files -----------------------------------------------------------------------------------------


class Whole(LocalFileSystem):
    """Passes over which part of a file it is asked for."""

    protocol = "whole"

    def cat_file(self, path: str, **options: Any) -> bytes:
        del options
        return super().cat_file(path)


class Silent(LocalFileSystem):
    """The same, of which nothing tells."""

    protocol = "silent"

    def cat_file(self, path: str, start: Any = None, end: Any = None, **options: Any) -> bytes:
        del start, end, options
        return super().cat_file(path)


@pytest.mark.parametrize("byte_range", RANGES)
@pytest.mark.parametrize("value", [b"abcdef", b""])
def test_a_part_is_read_where_the_file_system_gives_the_whole(
    tmp_path: Path, value: bytes, byte_range: Any
) -> None:
    store = FsspecStore(Whole(), tmp_path)
    store.set("d/a", value)
    assert store.get("d/a", byte_range) == cut(value, byte_range)
    assert store.get_many([("d/a", byte_range), ("none", byte_range)]) == [cut(value, byte_range), None]


@pytest.mark.parametrize("byte_range", [Range(0, 3), Range(2, 3), Suffix(2)])
def test_more_bytes_than_were_asked_for_are_an_error_and_no_data(tmp_path: Path, byte_range: Any) -> None:
    store = FsspecStore(Silent(), tmp_path)
    store.set("a", b"abcdef")
    asked = byte_range.length
    with pytest.raises(StoreError, match=f"cannot read 'a': expected {asked} bytes at most, found 6"):
        store.get("a", byte_range)
    with store.snapshot("a") as value:
        for act in (lambda: value.get(byte_range), lambda: value.get_many([byte_range])):
            with pytest.raises(StoreError, match=f"cannot read 'a': expected {asked} bytes at most, found 6"):
                act()


# -- servers of Windows' files ------------------------------------------------------------------------------


class ForeignError(OSError):
    """An error of a package's own with a number of the system, as smbprotocol has them."""


class WindowsFiles(LocalFileSystem):
    """Says in errors of its own that there is no file, and no directory."""

    protocol = "smb"

    def ls(self, path: str, detail: bool = False, **options: Any) -> Any:
        try:
            found = super().ls(path, detail=True, **options)
        except OSError as cause:
            raise ForeignError(cause.errno, cause.strerror, path) from cause
        if len(found) == 1 and found[0]["name"] == path.rstrip("/"):
            raise ForeignError(errno.ENOTDIR, "Not a directory", path)
        return found

    def cat_file(self, path: str, start: Any = None, end: Any = None, **options: Any) -> Any:
        try:
            return super().cat_file(path, start, end, **options)
        except OSError as cause:
            raise ForeignError(cause.errno, cause.strerror, path) from cause


class TestWindowsFiles(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return FsspecStore(WindowsFiles(host="here"), tmp_path)


@pytest.mark.filterwarnings("ignore:.*name/reserved")
@pytest.mark.parametrize("name", ["con", "AUX.txt", "a.", "b ", "a:b", "a?"])
def test_a_name_that_windows_lists_as_another_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    store = FsspecStore(WindowsFiles(), tmp_path)
    spec = zom.v3.GroupSpec(members={name: zom.v3.GroupSpec(), "sound": zom.v3.GroupSpec()})
    with pytest.raises(zom.ConflictError, match="expected a name that Windows does not reserve"):
        zom.materialize(spec, store)
    with pytest.raises(StoreError, match="expected a name that Windows does not reserve"):
        store.set(f"{name}/zarr.json", b"{}")
    assert list(tmp_path.rglob("*")) == []
    assert store.folds_names


# -- file systems that take away more than they are asked for -------------------------------------------------


class Sweeping(AbstractFileSystem):
    """Takes a directory away with all that is in it, as pyarrow's file systems (HDFS) and those of some services do."""

    protocol = "sweeping"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.inner = LocalFileSystem()

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        return self.inner.ls(path, detail=detail, **options)

    def info(self, path: str, **options: Any) -> Any:
        return self.inner.info(path, **options)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        self.inner.makedirs(path, exist_ok=exist_ok)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        del options
        return self.inner.open(path, mode)

    def rmdir(self, path: str) -> None:
        shutil.rmtree(path)

    def rm_file(self, path: str) -> None:
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)  # noqa: PTH107, PTH112 - as it is named


class OfArrow(Sweeping):
    """One of pyarrow's says the protocol of what it leads to."""

    protocol = "file"


OfArrow.__name__ = "ArrowFSWrapper"


@pytest.mark.parametrize("kind", [Sweeping, OfArrow])
def test_a_deleted_key_takes_nothing_with_it(tmp_path: Path, kind: Any) -> None:
    store = FsspecStore(kind(), tmp_path)
    store.set_many(dict.fromkeys(["a/b", "a/c/d", "a/e/f", "g"], b"1"))
    store.delete("a/b")
    assert sorted(store.list()) == ["a/c/d", "a/e/f", "g"]
    store.delete("a")
    store.delete_many(["a/e", "a/c", "missing"])
    assert sorted(store.list()) == ["a/c/d", "a/e/f", "g"]
    store.delete("a/c/d")
    assert sorted(store.list()) == ["a/e/f", "g"]
    spec = zom.v3.GroupSpec(members={name: zom.v3.GroupSpec() for name in "xy"})
    zom.materialize(spec, store, "h")
    zom.delete(store, "h/x")
    assert sorted(store.list()) == ["a/e/f", "g", "h/y/zarr.json", "h/zarr.json", "zarr.json"]


class Telling(LocalFileSystem):
    """As fsspec's FTP: whatever a server answers is told as a file that is missing, and what can't be listed as empty."""

    protocol = "ftp"
    answer: ClassVar[Exception | None] = None

    @property
    def ftp(self) -> Any:
        return self

    def mlsd(self, path: str) -> Any:
        del path
        if self.answer is not None:
            raise self.answer
        return iter(())

    def ls(self, path: str, detail: bool = False, **options: Any) -> Any:
        return [] if self.answer is not None else super().ls(path, detail=detail, **options)

    def cat_file(self, path: str, start: Any = None, end: Any = None, **options: Any) -> Any:
        if self.answer is not None:
            raise FileNotFoundError(path) from self.answer
        return super().cat_file(path, start, end, **options)

    def info(self, path: str, **options: Any) -> Any:
        if isinstance(self.answer, ftplib.error_temp):
            raise FileNotFoundError(path) from self.answer
        return super().info(path, **options)


@pytest.mark.parametrize(
    "answer", [ftplib.error_temp("425 No data connection"), ftplib.error_perm("550 Permission denied")]
)
def test_what_a_server_of_ftp_cannot_give_is_no_missing_value(
    tmp_path: Path, monkeypatch: Any, answer: Any
) -> None:
    spec = zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,))
    zom.create_array(tmp_path, spec)[:] = 7
    store = FsspecStore(Telling(), tmp_path)
    array = zom.open(store)
    monkeypatch.setattr(Telling, "answer", answer)
    for act in (lambda: array[:], lambda: store.get("c/0"), lambda: store.get_many(["c/0", "c/1"])):
        with pytest.raises(zom.ZomError, match=r"cannot (read|decode)"):
            act()
    with pytest.raises(StoreError, match="cannot list"):
        list(store.list())
    monkeypatch.undo()
    assert store.get_many(["c/0", "none"]) == [store.get("c/0"), None]
    assert array[:].tolist() == [7] * 4
