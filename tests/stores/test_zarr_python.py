"""zarr-python's stores as stores of zom, and the other way round."""

from __future__ import annotations

import asyncio
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import zom
from zom import draft, v3
from zom.errors import (
    ConflictError,
    ExtensionError,
    NotFound,
    ReadOnlyError,
    SpecWarning,
    StoreError,
    StoreNotFound,
)
from zom.stores.interface import Listing, Range, Suffix, cut
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import ReadOnlyStore
from zom.stores.zarr_python import ZarrPythonStore, as_zarr_python
from zom.testing.logged import LoggedStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

zarr = pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")


def of_fsspec(folder: Path) -> Any:
    fsspec = pytest.importorskip("fsspec", reason="pip install 'zom[fsspec]'")
    from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

    return zarr.storage.FsspecStore(
        AsyncFileSystemWrapper(fsspec.filesystem("memory"), asynchronous=True), path=f"/zarr{folder}"
    )


def of_obstore(_: Path) -> Any:
    pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
    from obstore.store import MemoryStore as Inner

    return zarr.storage.ObjectStore(Inner())


KINDS: dict[str, Callable[[Path], Any]] = {
    "memory": lambda _: zarr.storage.MemoryStore(),
    "local": lambda folder: zarr.storage.LocalStore(folder / "local"),
    "zip": lambda folder: zarr.storage.ZipStore(folder / "a.zip", mode="w"),
    "obstore": of_obstore,
    "fsspec": of_fsspec,
    "zom": lambda _: as_zarr_python(MemoryStore()),
}
RANGES = [Range(0, 3), Range(2, 3), Range(4, 99), Range(3), Range(6, 1), Range(6), Range(99), Range(99, 1), Range(0, 0), Range(9, 0), Suffix(2), Suffix(99), Suffix(0)]  # fmt: skip


@pytest.fixture(params=list(KINDS))
def store(request: Any, tmp_path: Path) -> Any:
    inner = KINDS[request.param](tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield ZarrPythonStore(inner)
        inner.close()


@pytest.mark.parametrize("byte_range", RANGES)
def test_ranges_mean_what_they_mean_for_bytes(store: ZarrPythonStore, byte_range: Any) -> None:
    for key, value in (("d/a", b"abcdef"), ("d/empty", b""), ("zarr.json", b"{}")):
        store.set(key, value)
        assert store.get(key, byte_range) == cut(value, byte_range)
        assert store.get_many([(key, byte_range), ("none", byte_range)]) == [cut(value, byte_range), None]


def test_a_listing_tells_keys_from_prefixes(store: ZarrPythonStore) -> None:
    store.set_many({"a/zarr.json": b"1", "a/c/0": b"1", "ab/0": b"1", "k": b"1"})
    assert store.list_dir() == Listing(["k"], ["a/", "ab/"])
    assert store.list_dir("a/") == Listing(["a/zarr.json"], ["a/c/"])
    assert sorted(store.list("a/")) == ["a/c/0", "a/zarr.json"]
    assert sorted(store.list()) == ["a/c/0", "a/zarr.json", "ab/0", "k"]
    assert store.list_dir("none/") == Listing([], [])


def test_values_can_be_deleted_where_the_store_can(store: ZarrPythonStore) -> None:
    if store._inner.supports_deletes and type(store._inner).__name__ != "ZipStore":
        store.set_many({"a/0": b"1", "a/1": b"2"})
        store.delete_many(["a/0", "none"])
        assert list(store.list()) == ["a/1"]


def test_a_name_that_is_key_and_prefix_is_listed_as_both() -> None:
    store = ZarrPythonStore(zarr.storage.MemoryStore())
    store.set_many({"a": b"1", "a/x": b"1"})
    assert store.list_dir() == Listing(["a"], ["a/"])


def test_a_read_only_store_is_not_written() -> None:
    inner = zarr.storage.MemoryStore()
    for store in (ZarrPythonStore(inner, read_only=True), ZarrPythonStore(inner.with_read_only(True))):
        with pytest.raises(ReadOnlyError):
            store.set("a", b"1")


def test_a_failure_names_store_and_key() -> None:
    class Broken(zarr.storage.MemoryStore):
        async def get(self, *_: Any, **__: Any) -> Any:
            raise PermissionError("https://h/?sig=canary denied\nmore")

        set = delete = get

    store = ZarrPythonStore(Broken())
    for use, verb in (
        (lambda: store.get("a"), "read 'a'"),
        (lambda: store.get_many(["a", "b"]), "read 'a'"),
        (lambda: store.get("a", Range(1, 1)), "read 'a'"),
        (lambda: store.set("a", b""), "write 'a'"),
        (lambda: store.set_many({"a": b"", "b": b""}), "write 'a'"),
        (lambda: store.delete("a"), "delete 'a'"),
    ):
        with pytest.raises(StoreError) as caught:
            use()
        assert str(caught.value).startswith(
            f"zarr-python:Broken: cannot {verb}: PermissionError: https://h/?... denied"
        )
        assert "canary" not in str(caught.value)


def test_it_works_inside_a_running_event_loop() -> None:
    async def cell() -> bytes | None:
        store = ZarrPythonStore(zarr.storage.MemoryStore())
        store.set("a", b"1")
        return store.get("a")

    assert asyncio.run(cell()) == b"1"


def test_what_is_no_store_of_zarr_python_is_refused() -> None:
    with pytest.raises(StoreError, match=r"builtins.dict: cannot open: expected a store of zarr-python 3"):
        ZarrPythonStore({})


def test_without_zarr_python_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zarr.abc.store", None)
    with pytest.raises(ExtensionError, match=r"zarr is not installed; pip install 'zom\[zarr\]'"):
        as_zarr_python(MemoryStore())


# --- icechunk --------------------------------------------------------------------------------------


@pytest.fixture
def session() -> Any:
    icechunk = pytest.importorskip("icechunk", reason="pip install icechunk")
    repository = icechunk.Repository.create(icechunk.in_memory_storage())
    return repository.writable_session("main")


def test_an_icechunk_session_is_read_and_written(session: Any) -> None:
    written = zarr.create_array(session.store, name="x", shape=(4,), chunks=(2,), dtype="i4")
    written[:] = [1, 2, 3, 4]
    store = ZarrPythonStore(session.store)
    assert sorted(store.list()) == ["x/c/0", "x/c/1", "x/zarr.json", "zarr.json"]
    assert store.list_dir("x/") == Listing(["x/zarr.json"], ["x/c/"])
    chunk = store.get("x/c/0")
    assert chunk is not None
    store.set_many({"y/c/1": chunk, "y/zarr.json": store.get("x/zarr.json") or b""})
    session.commit("one more")
    assert np.array_equal(zarr.open_array(session.store, path="y", mode="r")[:], [0, 0, 1, 2])


def test_keys_that_icechunk_cannot_hold_are_missing_to_read_and_errors_to_write(session: Any) -> None:
    zarr.create_group(session.store)
    store = ZarrPythonStore(session.store)
    keys = ["README", ".zgroup", "x/.zarray", "none/c/0", "none/zarr.json", "a b"]
    assert store.get_many(keys) == [None] * len(keys)
    assert [store.exists(key) for key in keys] == [False] * len(keys)
    store.delete_many(["README", "none/c/0"])
    for key in ("README", ".zgroup", "none/c/0"):
        with pytest.raises(StoreError, match=f"cannot write '{key}'"):
            store.set(key, b"{}")


@pytest.mark.parametrize("byte_range", RANGES)
def test_ranges_of_icechunk_mean_what_they_mean_for_bytes(session: Any, byte_range: Any) -> None:
    zarr.create_array(session.store, name="x", shape=(4,), chunks=(2,), dtype="i4")[:] = 7
    store = ZarrPythonStore(session.store)
    for key in ("x/c/0", "x/zarr.json"):
        assert store.get(key, byte_range) == cut(store.get(key) or b"", byte_range)


# --- the other way round ---------------------------------------------------------------------------


def test_zarr_python_creates_reads_and_writes_in_a_store_of_zom(tmp_path: Path) -> None:
    for store in (MemoryStore(), LocalStore(tmp_path)):
        outer = as_zarr_python(store)
        group = zarr.create_group(outer, attributes={"a": 1})
        array = group.create_array("g/x", shape=(40, 40), chunks=(10, 10), shards=(20, 20), dtype="f4")
        array[:] = np.arange(1600).reshape(40, 40)
        array[3:5, 7:30] = -1
        found = zarr.open_group(outer, mode="r")
        assert dict(found.attrs) == {"a": 1}
        assert found["g/x"][4, 8] == -1
        assert found["g/x"][39, 39] == 1599
        assert sorted(key for key, _ in found.members(max_depth=None)) == ["g", "g/x"]
        assert np.array_equal(zarr.open_array(ZarrPythonStore(outer)._inner, path="g/x")[:], array[:])
        del group["g"]
        assert list(store.list()) == ["zarr.json"]


def test_zarr_python_version_2_works_too() -> None:
    store = MemoryStore()
    array = zarr.create_array(as_zarr_python(store), shape=(4,), chunks=(2,), dtype="i4", zarr_format=2)
    array[:] = 5
    assert sorted(store.list()) == [".zarray", ".zattrs", "0", "1"]
    assert zarr.open_array(as_zarr_python(store), mode="r")[:].tolist() == [5] * 4


def test_a_store_that_can_only_be_read_is_one_to_zarr_python() -> None:
    store = MemoryStore()
    zarr.create_array(as_zarr_python(store), shape=(4,), dtype="i4")[:] = 5
    shut = as_zarr_python(ReadOnlyStore(store))
    assert shut.read_only
    assert zarr.open_array(shut, mode="r")[:].tolist() == [5] * 4
    with pytest.raises(ValueError, match="read-only"):
        zarr.open_array(shut, mode="r+")


def test_a_batch_of_partial_values_is_one_call() -> None:
    from zarr.core.buffer import default_buffer_prototype
    from zarr.core.sync import sync

    store = LoggedStore(MemoryStore({"a": b"abcdef", "b": b"1"}))
    outer = as_zarr_python(store)
    ranges = [("a", zarr.abc.store.RangeByteRequest(1, 3)), ("b", None), ("c", None)]
    found = sync(outer.get_partial_values(default_buffer_prototype(), ranges))
    assert [value and value.to_bytes() for value in found] == [b"bc", b"1", None]
    assert store.log.counts == {"read": 1}


def test_an_old_zarr_python_gets_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zarr, "__version__", "3.1.2")
    with pytest.raises(
        ExtensionError, match=r"expected zarr 3\.1\.3 or newer, found 3\.1\.2; pip install 'zom\[zarr\]'"
    ):
        MemoryStore().as_zarr()


def test_a_bridge_to_a_directory_is_pickled_and_one_to_memory_is_not(tmp_path: Path) -> None:
    outer = as_zarr_python(LocalStore(tmp_path))
    again = pickle.loads(pickle.dumps(outer))
    assert again == outer
    assert hash(again) == hash(outer)
    assert as_zarr_python(MemoryStore()) != as_zarr_python(MemoryStore())
    with pytest.raises(StoreError, match="cannot pickle"):
        pickle.dumps(as_zarr_python(MemoryStore()))


class Counting(zarr.storage.WrapperStore):  # type: ignore[misc] # its type is not known here
    """Notes how many values are written at the same time."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self.now = self.most = 0

    async def set(self, key: str, value: Any) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        await self._store.set(key, value)
        self.now -= 1


def test_documents_are_written_at_the_same_time() -> None:
    inner = Counting(zarr.storage.MemoryStore())
    spec = v3.GroupSpec(members={f"a{n}": v3.ArraySpec.build(shape=(2,), dtype="int8") for n in range(40)})
    zom.materialize(spec, inner)
    assert inner.most == 40
    assert zom.read(inner) == spec


def test_what_is_created_and_chunks_are_written_at_the_same_time() -> None:
    inner = Counting(zarr.storage.MemoryStore())
    store = ZarrPythonStore(inner)
    assert store.create_many({"a": b"1", "b": b"2"}) == [True, True]
    assert store.create_many({"c": b"1", "b": b"3", "d": b"4"}) == [True, False, True]
    assert (inner.most, store.get("b")) == (2, b"2")
    store.set_many({f"x/c/{n}": b"1" for n in range(9)} | {"x/zarr.json": b"{}"})
    assert inner.most == 9


def test_a_directory_of_fsspec_is_listed_without_a_request_for_each_name(
    tmp_path: Path, monkeypatch: Any
) -> None:
    store = ZarrPythonStore(of_fsspec(tmp_path))
    store.set_many({"a/zarr.json": b"1", "a/c/0": b"1", "a/0": b"1", "b/zarr.json": b"1", "k": b"1"})

    async def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("asked for a value")

    monkeypatch.setattr(store.inner, "get", refused)
    assert store.list_dir() == Listing(["k"], ["a/", "b/"])
    assert store.list_dir("a/") == Listing(["a/0", "a/zarr.json"], ["a/c/"])
    assert store.list_dir("none/") == store.list_dir("k/") == Listing([], [])


def test_as_zarr_gives_back_what_is_held_and_bridges_the_rest() -> None:
    inner = zarr.storage.MemoryStore()
    assert zom.store(inner).as_zarr() is inner
    assert zom.store(inner).as_zarr(read_only=True).read_only
    array = zom.create_array(inner, v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    array.as_zarr()[:] = 3
    assert array[:].tolist() == [3, 3, 3, 3]
    assert zom.open_array(inner, "a").as_zarr().read_only
    made = zom.create_array("memory:", v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    assert zom.open_group(made.store).as_zarr()["a"].shape == (4,)


def test_as_zarr_refuses_the_draft() -> None:
    array = zom.create_array("memory:", draft.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    with pytest.raises(StoreError, match="zarr-python reads v2 and v3; copy it to v3"):
        array.as_zarr()


def test_of_two_changes_that_claim_one_journal_one_succeeds() -> None:
    class Rival(zarr.storage.MemoryStore):
        """Somebody else's journal is there first."""

        async def set_if_not_exists(self, key: str, value: Any) -> None:
            await self.set(key, type(value).from_bytes(b"{}"))
            await super().set_if_not_exists(key, value)

    store = ZarrPythonStore(Rival())
    spec = zom.v3.ArraySpec.build(shape=(4,), dtype="int8")
    with pytest.raises(zom.ConflictError, match="expected no change under way, found one that is running"):
        zom.materialize(zom.v3.GroupSpec(members={"a": spec}), store)
    assert store.get(".zom.journal") == b"{}"
    assert list(store.list()) == [".zom.journal"]


def test_a_far_store_is_asked_as_seldom_as_can_be() -> None:
    asked: list[str] = []

    class Counted(zarr.storage.MemoryStore):
        async def get(self, key: str, *given: Any, **named: Any) -> Any:
            asked.append(f"get {key}")
            return await super().get(key, *given, **named)

        async def set(self, key: str, *given: Any) -> None:
            asked.append(f"set {key}")
            await super().set(key, *given)

        async def set_if_not_exists(self, key: str, *given: Any) -> None:
            asked.append(f"claim {key}")
            await super().set_if_not_exists(key, *given)

    spec = zom.v3.ArraySpec.build(shape=(4,), dtype="int8")
    zom.materialize(zom.v3.GroupSpec(members={"a": spec}), ZarrPythonStore(Counted()))
    assert [each for each in asked if "journal" in each] == ["claim .zom.journal", "get .zom.journal"]


def test_the_end_of_a_value_is_read_where_no_range_counts_from_the_end() -> None:
    from zarr.abc.store import SuffixByteRequest

    class Azure(zarr.storage.MemoryStore):  # type: ignore[misc] # its type is not known here
        refused = 0

        async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
            if isinstance(byte_range, SuffixByteRequest):
                self.refused += 1
                raise RuntimeError("Required Content-Range response header is missing or malformed.")  # noqa: TRY004 - as adlfs
            return await super().get(key, prototype, byte_range)

    inner = Azure()
    store = ZarrPythonStore(inner)
    store.set_many({"c/0": b"12345", "c/1": b""})
    assert store.get("c/0", Suffix(9)) == b"12345"
    assert inner.refused == 1
    for _ in range(2):
        assert store.get("c/0", Suffix(2)) == b"45"
        assert inner.refused == 2
    assert store.get_many([("c/1", Suffix(2)), ("c/2", Suffix(2)), ("c/0", Suffix(1))]) == [b"", None, b"5"]
    store.delete_prefix("")
    values = np.arange(400).reshape(20, 20)
    array = zom.create_array(
        store,
        v3.ArraySpec.build(shape=(20, 20), chunks=(2, 2), shards=(10, 10), dtype="int64"),
        "a",
        data=values,
    )
    assert array[3, 5:7].tolist() == [65, 66]
    assert inner.refused == 2


def test_a_directory_of_zarr_python_is_opened_as_one_of_zom(tmp_path: Path) -> None:
    """zarr-python deletes through links, and lists those to directories above them without end."""
    zom.materialize(zom.v3.GroupSpec(members={"g": zom.v3.GroupSpec()}), tmp_path / "elsewhere.zarr")
    place = zarr.storage.LocalStore(tmp_path / "a.zarr")
    root = zom.open_group(place, mode="w")
    root.create_array("t", shape=(4,), dtype="i4")[...] = 1
    assert isinstance(root.store, LocalStore)
    (tmp_path / "a.zarr/latest").symlink_to(".")
    (tmp_path / "a.zarr/linked").symlink_to(tmp_path / "elsewhere.zarr")
    with pytest.warns(SpecWarning, match="/latest: .*a symbolic link that leads to a directory above it"):
        found = zom.read(place, on_error="skip")
    assert sorted(path for path, _ in found.walk()) == ["/", "/latest", "/linked", "/linked/g", "/t"]
    with pytest.raises(ConflictError, match="symbolic link"):
        zom.delete(place, "linked/g")
    assert (tmp_path / "elsewhere.zarr/g/zarr.json").exists()
    assert zarr.open_group(place, mode="r")["t"][...].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("read_only", [True, False])
def test_a_directory_of_zarr_python_that_is_missing_is_not_made_by_a_look(
    tmp_path: Path, read_only: bool
) -> None:
    place = zarr.storage.LocalStore(tmp_path / "a.zarr", read_only=read_only)
    with pytest.raises((NotFound, StoreNotFound), match=r"a\.zarr"):
        zom.open(place)
    assert list(tmp_path.iterdir()) == []
    if read_only:
        zom.materialize(zom.v3.GroupSpec(), tmp_path / "a.zarr")
        with pytest.raises(ReadOnlyError):
            zom.open_group(place, mode="r+")
