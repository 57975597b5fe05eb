"""Objects of obstore, fsspec and universal-pathlib, and references, wherever a verb takes a store."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import ReadOnlyError, StoreError
from zom.stores.object import ObjectStore

if TYPE_CHECKING:
    from pathlib import Path

SPEC = v3.GroupSpec(
    attributes={"title": "places"},
    members={
        "x": v3.ArraySpec.build(shape=(6, 4), dtype="int16", chunks=(2, 4)),
        "g": v3.GroupSpec(members={"y": v3.ArraySpec.build(shape=(3,), dtype="float64", chunks=(2,))}),
    },
)
X = np.arange(24, dtype="i2").reshape(6, 4)
FSSPEC = "fsspec is not installed (pip install 'zom[fsspec]')"
OBSTORE = "obstore is not installed (pip install 'zom[cloud]')"
UPATH = "universal-pathlib is not installed (pip install universal-pathlib)"


def obstore_place(kind: str, folder: Path) -> Any:
    stores = pytest.importorskip("obstore.store", reason=OBSTORE)
    if kind == "memory":
        return stores.MemoryStore()
    return stores.LocalStore(folder / "a b", mkdir=True)


def fsspec_place(kind: str, folder: Path) -> Any:
    fsspec = pytest.importorskip("fsspec", reason=FSSPEC)
    local, memory = fsspec.filesystem("file"), fsspec.filesystem("memory")
    return {
        "memory mapper": lambda: fsspec.get_mapper(f"memory:/{folder}/m"),
        "local mapper": lambda: local.get_mapper(str(folder / "m"), create=True),
        "directory": lambda: fsspec.filesystem("dir", path=str(folder / "d"), fs=local),
        "mapper in a directory": lambda: fsspec.filesystem("dir", path=f"/{folder}", fs=memory).get_mapper(
            "m"
        ),
    }[kind]()


def upath_place(kind: str, folder: Path) -> Any:
    upath = pytest.importorskip("upath", reason=UPATH)
    return {
        "memory": lambda: upath.UPath(f"memory:/{folder}/u"),
        "local": lambda: upath.UPath(folder / "u"),
        "file": lambda: upath.UPath(f"file://{folder}/u"),
    }[kind]()


PLACES = {
    **{f"obstore {kind}": (obstore_place, kind) for kind in ("memory", "local")},
    **{
        f"fsspec {kind}": (fsspec_place, kind)
        for kind in ("memory mapper", "local mapper", "directory", "mapper in a directory")
    },
    **{f"UPath {kind}": (upath_place, kind) for kind in ("memory", "local", "file")},
}


def fill(place: Any) -> None:
    root = zom.materialize(SPEC, place)
    root["x"][...] = X
    root["g/y"][:] = [1, 2, 3]


@pytest.fixture(params=sorted(PLACES))
def place(request: Any, tmp_path: Path) -> Any:
    make, kind = PLACES[request.param]
    return make(kind, tmp_path)


@pytest.fixture
def filled(place: Any) -> Any:
    fill(place)
    return place


def test_it_is_filled_opened_and_read(filled: Any) -> None:
    assert np.array_equal(zom.open(filled)["x"][1:5, ::2], X[1:5, ::2])
    assert np.array_equal(zom.open_array(filled, "x")[...], X)
    assert list(zom.open_group(filled, "g")) == ["y"]
    assert zom.read(filled) == SPEC
    assert zom.read(filled, "g/y") == SPEC["g/y"]
    zom.open(filled, mode="r+")["x"][0] = 7
    assert zom.open(filled)["x"][0].tolist() == [7] * 4
    with pytest.raises(ReadOnlyError):
        zom.open(filled)["x"][0] = 8


def test_it_is_a_source_and_a_target(filled: Any, tmp_path: Path) -> None:
    zom.copy(filled, tmp_path / "out.zarr")
    assert np.array_equal(zom.open(tmp_path / "out.zarr")["x"][...], X)
    zom.copy(tmp_path / "out.zarr", filled, target_path="again")
    assert np.array_equal(zom.open(filled)["again/x"][...], X)
    zom.migrate(filled, "v2", target=tmp_path / "v2.zarr")
    assert np.array_equal(zom.open(tmp_path / "v2.zarr")["x"][...], X)


def test_it_is_checked_and_compared(filled: Any) -> None:
    assert list(zom.validate(filled, conventions=(), data="all")) == []
    assert not zom.diff(filled, SPEC)
    zom.store(filled).set("x/c/0/0", b"no chunk")
    assert [each.code for each in zom.validate(filled, conventions=(), data="all")] == ["chunk/undecodable"]


def test_it_is_changed(filled: Any) -> None:
    zom.create_array(filled, v3.ArraySpec.build(shape=(2,), dtype="int8"), "g/z")[:] = [1, 2]
    zom.create_group(filled, v3.GroupSpec(attributes={"a": 1}), "h")
    zom.rename(filled, "g", "h/g")
    zom.consolidate(filled)
    assert zom.open(filled)["h/g/z"][:].tolist() == [1, 2]
    plan = zom.plan_delete(filled, "h")
    assert plan
    zom.delete(filled, "h")
    assert [path for path, _ in zom.read(filled).walk()] == ["/", "/x"]
    assert zom.repair(filled) == ()


def test_it_is_refused_for_reading_only_where_nothing_is(place: Any) -> None:
    with pytest.raises(zom.ZomError, match=r"no|there is"):
        zom.open(place)


# --- what is only read --------------------------------------------------------------------------------------


def read_only_places(folder: Path) -> dict[str, Any]:
    fsspec = pytest.importorskip("fsspec", reason=FSSPEC)
    upath = pytest.importorskip("upath", reason=UPATH)
    root = folder / "root.zarr"
    fill(root)
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    with zipfile.ZipFile(folder / "root.zip", "w") as archive:
        for path in files:
            archive.write(path, path.relative_to(root))
    refs = {path.relative_to(root).as_posix(): [str(path)] for path in files}
    return {
        "references": refs,
        "references, versioned": {"version": 1, "refs": refs},
        "reference mapper": fsspec.get_mapper("reference://", fo=refs),
        "reference file system": fsspec.filesystem("reference", fo=refs),
        "zip mapper": fsspec.get_mapper(f"zip::file://{folder / 'root.zip'}"),
        "zip file system": fsspec.filesystem("zip", fo=str(folder / "root.zip")),
        "UPath in a zip": upath.UPath("zip://", fo=str(folder / "root.zip")),
        "UPath of a zip": upath.UPath(folder / "root.zip"),
    }


@pytest.mark.parametrize(
    "kind",
    [
        "references", "references, versioned", "reference mapper", "reference file system", "zip mapper",
        "zip file system", "UPath in a zip", "UPath of a zip",
    ],
)  # fmt: skip
def test_what_is_only_read_is_a_source(kind: str, tmp_path: Path) -> None:
    place = read_only_places(tmp_path)[kind]
    assert zom.read(place) == SPEC
    assert np.array_equal(zom.open(place)["x"][...], X)
    assert list(zom.validate(place, conventions=(), data="all")) == []
    assert not zom.diff(place, tmp_path / "root.zarr")
    zom.copy(place, tmp_path / "copied.zarr")
    assert np.array_equal(zom.open(tmp_path / "copied.zarr")["x"][...], X)


def test_a_bucket_of_obstore_is_shown_with_its_prefix() -> None:
    stores = pytest.importorskip("obstore.store", reason=OBSTORE)
    store = zom.store(stores.S3Store("bucket", prefix="a/b.zarr", skip_signature=True, region="eu-west-1"))
    assert isinstance(store, ObjectStore)
    assert store.url == "s3://bucket/a/b.zarr"
    web = zom.store(stores.HTTPStore("https://example.org/a.zarr"))
    assert not web.capabilities.writable


def test_a_file_system_without_a_path_says_what_to_pass() -> None:
    fsspec = pytest.importorskip("fsspec", reason=FSSPEC)
    with pytest.raises(StoreError, match=r"pass file_system.get_mapper\('path/to/data.zarr'\)"):
        zom.open(fsspec.filesystem("memory"))


def test_a_file_system_of_obstore_for_fsspec_is_taken_as_one_of_fsspec(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason=FSSPEC)
    module = pytest.importorskip("obstore.fsspec", reason=OBSTORE)
    filesystem = module.FsspecStore("file")
    with pytest.raises(StoreError, match="expected a path in this file system"):
        zom.store(filesystem)
    mapper = filesystem.get_mapper(str(tmp_path / "m"))
    zom.materialize(SPEC, zom.store(tmp_path / "m"))["x"][...] = X
    assert np.array_equal(zom.open(mapper)["x"][...], X)
