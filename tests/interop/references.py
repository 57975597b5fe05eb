"""References that kerchunk and virtualizarr make of HDF5 files, read by zom: values equal to h5py's.

    python tests/interop/references.py

Each in JSON (version 0 and 1, with templates), as a dict, in parquet, over HTTP on the loopback device, and through
fsspec's own file system; zarr-python reads the same through fsspec beside it. Ends with 1 where anything differs.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import functools
import http.server
import json
import sys
import tempfile
import threading
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fsspec
import h5py
import numpy as np
import zarr
from kerchunk.combine import MultiZarrToZarr
from kerchunk.df import refs_to_dataframe
from kerchunk.hdf import SingleHdf5ToZarr
from obstore.store import HTTPStore
from upath import UPath

import zom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

counts: Counter[str] = Counter()


def check(what: str, act: Callable[[], Any]) -> None:
    """Run `act`, which raises where `what` doesn't hold."""
    try:
        act()
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is a finding
        counts["failed"] += 1
        print(f"FAILED {what}: {type(error).__name__}: {str(error)[:500]}", flush=True)
    else:
        counts["passed"] += 1
        print(f"ok     {what}", flush=True)


def equal(found: Any, expected: Any) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape or not np.array_equal(found, expected):
        raise AssertionError(f"expected {str(expected)[:200]}, found {str(found)[:200]}")


def write(path: Path, start: int = 0) -> None:
    """An HDF5 file with what references can express; kerchunk leaves out most arrays with fletcher32."""
    draw = np.random.default_rng(start)
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "references"
        time = file.create_dataset("time", data=np.arange(start, start + 6, dtype="<i8"), chunks=(6,))
        time.make_scale("time")
        for name, options in {
            "plain": {},
            "contiguous": {"chunks": None},
            "gzip": {"compression": "gzip", "chunks": (4, 3)},
            "shuffled": {"compression": "gzip", "shuffle": True, "chunks": (2, 5)},
        }.items():
            for dtype in ("<f4", ">f8", "<i2", "|u1"):
                data = draw.integers(0, 100, (6, 10)).astype(dtype)
                file.create_dataset(f"g/{name}_{dtype[1:]}", data=data, **{"chunks": (3, 5), **options})
        part = file.create_dataset("sparse", (40, 40), "<i4", chunks=(10, 10), fillvalue=-1)
        part[12:25, 3:9] = 7
        file.create_dataset("text", data=np.array([b"one", b"three", b""], "S5"))
        file.create_dataset("scalar", data=np.float32(2.5))
        file.create_dataset("flag", data=np.array([True, False, True]))


def arrays(file: h5py.File) -> Iterator[tuple[str, Any]]:
    found: list[str] = []
    file.visititems(lambda name, node: found.append(name) if isinstance(node, h5py.Dataset) else None)
    yield from ((name, file[name][()]) for name in found)


def same_values(place: Any, path: Path, *, names: set[str] | None = None) -> None:
    """What zom reads of references is what h5py reads of the file."""
    root = zom.open(place)
    compared = 0
    with h5py.File(path) as file:
        for name, expected in arrays(file):
            if names is None or name in names:
                equal(root[name][...], expected)
                if expected.ndim == 2:
                    equal(root[name][1:-1:2, ::3], expected[1:-1:2, ::3])
                compared += 1
    if compared < (18 if names is None else len(names)):
        raise AssertionError(f"only {compared} arrays were compared")


def same_as_zarr_python(place: Any, refs: dict[str, Any]) -> None:
    """What zom reads is what zarr-python reads through fsspec."""
    filesystem = fsspec.filesystem(
        "reference", fo=refs, asynchronous=True, remote_options={"asynchronous": True}
    )
    other = zarr.open_group(zarr.storage.FsspecStore(filesystem, read_only=True), mode="r", zarr_format=2)
    root = zom.open(place)
    names = [name for name, node in other.members(max_depth=None) if isinstance(node, zarr.Array)]
    if len(names) < 18:
        raise AssertionError(f"zarr-python finds only {names}")
    for name in names:
        equal(root[name][...], other[name][...])


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


def of_kerchunk(folder: Path) -> None:
    path = folder / "data" / "a.h5"
    made = SingleHdf5ToZarr(str(path), inline_threshold=0).translate()
    inline = SingleHdf5ToZarr(str(path), inline_threshold=500).translate()
    if made.get("version") != 1:
        raise AssertionError(f"kerchunk writes version {made.get('version')}")
    template = {"version": 1, "templates": {"u": str(path)}, "refs": {}}
    for key, value in made["refs"].items():
        template["refs"][key] = ["{{u}}", *value[1:]] if isinstance(value, list) else value
    relative = {
        key: ["data/a.h5", *value[1:]] if isinstance(value, list) else value
        for key, value in made["refs"].items()
    }
    documents = {
        "v1": made,
        "v1 inline": inline,
        "v0": made["refs"],
        "templates": template,
        "relative": relative,
    }
    for name, document in documents.items():
        file = folder / f"{name}.json"
        file.write_text(json.dumps(document))
        allow = None if name == "relative" else [path.parent]
        check(f"kerchunk, {name}, JSON", lambda f=file, a=allow: same_values(zom.store(f, allow=a), path))
        if name != "relative":
            check(f"kerchunk, {name}, dict", lambda d=document: same_values(d, path))
            mapper = fsspec.get_mapper("reference://", fo=document)
            check(f"kerchunk, {name}, through fsspec", lambda m=mapper: same_values(m, path))
            check(f"kerchunk, {name}, beside zarr-python", lambda d=document: same_as_zarr_python(d, d))
    check("kerchunk, validated", lambda: equal(zom.validate(made, conventions=(), data="all").ok, True))
    zom.copy(made, folder / "copied.zarr")
    check("kerchunk, copied", lambda: same_values(folder / "copied.zarr", path))
    refs_to_dataframe(made["refs"], str(folder / "refs.parq"), record_size=4)
    check("kerchunk, parquet", lambda: same_values(folder / "refs.parq", path))
    check("kerchunk, parquet, kept keys", lambda: equal(*(
        sorted(key for key in store.list() if not key.endswith(".zmetadata"))
        for store in (zom.store(made), zom.store(folder / "refs.parq"))
    )))  # fmt: skip


def of_several_files(folder: Path) -> None:
    """One hierarchy of two files, joined along time."""
    paths = [folder / "data" / name for name in ("a.h5", "b.h5")]
    write(paths[1], 6)
    for number, path in enumerate(paths):
        with h5py.File(folder / "data" / f"m{number}.h5", "w") as file, h5py.File(path) as source:
            file["time"] = source["time"][()]
            file["time"].make_scale("time")
            file.create_dataset("v", data=source["g/gzip_f4"][()], chunks=(3, 10))
            file["x"] = np.arange(10)
            file["x"].make_scale("x")
            file["v"].dims[0].attach_scale(file["time"])
            file["v"].dims[1].attach_scale(file["x"])
    parts = [SingleHdf5ToZarr(str(folder / "data" / f"m{number}.h5")).translate() for number in (0, 1)]
    joined = MultiZarrToZarr(parts, concat_dims=["time"], identical_dims=["x"]).translate()

    def compare() -> None:
        root = zom.open(joined)
        expected = []
        for path in paths:
            with h5py.File(path) as file:
                expected.append(file["g/gzip_f4"][()])
        equal(root["v"][...], np.concatenate(expected))
        equal(root["time"][...], np.arange(12))

    check("kerchunk, two files as one", compare)


def of_virtualizarr(folder: Path) -> None:
    import virtualizarr
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore

    path = folder / "data" / "a.h5"
    registry = ObjectStoreRegistry({"file://": LocalStore()})
    names = {"g/gzip_f4", "g/shuffled_i2", "g/plain_f8", "g/contiguous_u1"}
    parser = virtualizarr.parsers.HDFParser(group="g")
    with virtualizarr.open_virtual_dataset(path.as_uri(), registry=registry, parser=parser) as virtual:
        virtual.vz.to_kerchunk(str(folder / "virtual.json"), format="json")
        refs = virtual.vz.to_kerchunk(format="dict")
        virtual.vz.to_kerchunk(str(folder / "virtual.parq"), format="parquet")
    store = zom.store(folder / "virtual.json", allow=[path.parent])

    def compare(place: Any) -> None:
        root = zom.open(place)
        with h5py.File(path) as file:
            for name in sorted(names):
                equal(root[name.removeprefix("g/")][...], file[name][()])

    check("virtualizarr, JSON", lambda: compare(store))
    check("virtualizarr, dict", lambda: compare(refs))
    check("virtualizarr, parquet", lambda: compare(zom.store(folder / "virtual.parq", allow=[path.parent])))


def over_http(folder: Path) -> None:
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        path = folder / "data" / "a.h5"
        made = SingleHdf5ToZarr(path.open("rb"), f"{url}/data/a.h5", inline_threshold=100).translate()
        (folder / "web.json").write_text(json.dumps(made))
        refs_to_dataframe(made["refs"], str(folder / "web.parq"))
        check("over HTTP, document and file", lambda: same_values(f"{url}/web.json", path))
        check("over HTTP, relative", lambda: same_values(f"{url}/relative.json", path))
        check("over HTTP, parquet", lambda: same_values(f"{url}/web.parq", path))
        check("over HTTP, the file alone", lambda: same_values(made, path))

        # The same hierarchy, copied, by whatever other libraries call a place on the web.
        places = {
            "UPath": UPath(f"{url}/copied.zarr"),
            "mapper of fsspec": fsspec.get_mapper(f"{url}/copied.zarr"),
            "directory of fsspec": fsspec.filesystem(
                "dir", path=f"{url}/copied.zarr", fs=fsspec.filesystem("http")
            ),
            "HTTPStore of obstore": HTTPStore(f"{url}/copied.zarr", client_options={"allow_http": True}),
        }
        for kind, place in places.items():
            check(f"over HTTP, {kind}", lambda p=place: same_values(p, path))

        def refused() -> None:
            try:
                zom.open(f"{url}/v1.json")["g/gzip_f4"][...]
            except zom.StoreError as error:
                if "may not read" not in str(error):
                    raise
            else:
                raise AssertionError("a document on the web read a file of this machine")

        check("over HTTP, a file of this machine is refused", refused)
        server.shutdown()
        thread.join()


def main() -> int:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="zom-references-") as name:
        folder = Path(name)
        (folder / "data").mkdir()
        write(folder / "data" / "a.h5")
        for part in (of_kerchunk, of_several_files, of_virtualizarr, over_http):
            check(part.__name__, lambda p=part: p(folder))
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
