"""Hierarchies that xarray and zarr-python wrote, as documents that can be changed and stored again."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
import zarr
from zarr.core.buffer import default_buffer_prototype
from zarr.storage import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable

Tree = dict[str, Any]
Contents = dict[str, bytes]

_METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")


class Stored(NamedTuple):
    """What was written: the documents as one tree, and the chunks."""

    name: str
    tree: Tree
    chunks: Contents


def _climate() -> xr.Dataset:
    time = xr.date_range("2000-01-01", periods=4)
    lat, lon = np.array([10.0, 20.0]), np.array([1.0, 2.0, 3.0])
    values = 273.15 + np.arange(24, dtype="f4").reshape(4, 2, 3)
    data = {
        "t2m": (("time", "lat", "lon"), values, {"units": "K"}),
        "counts": (("lat", "lon"), np.arange(6, dtype="i4").reshape(2, 3)),
        "height": ((), np.float64(2.0), {"units": "m"}),
    }
    aux = {"area": (("lat", "lon"), np.ones((2, 3)))}
    dataset = xr.Dataset(data, {"time": time, "lat": lat, "lon": lon, **aux}, {"title": "a small climate"})
    dataset["t2m"].encoding = {"dtype": "i2", "scale_factor": 0.1, "add_offset": 273.15, "_FillValue": -32768}
    dataset["time"].encoding = {"units": "days since 2000-01-01", "dtype": "i8"}
    return dataset


def _kinds() -> xr.Dataset:
    data = {
        "words": (("x",), np.array(["a", "b", "c"])),
        "flags": (("x",), np.array([True, False, True])),
        "spans": (("x",), np.array([1, 2, 3], "timedelta64[s]")),
        "waves": (("x",), np.array([1, 2, 3], "c8")),
        "small": (("x",), np.array([1, 2, 3], "u1"), {"_Unsigned": "true"}),
    }
    return xr.Dataset(data, {"x": np.arange(3)})


def _by_xarray(dataset: xr.Dataset | xr.DataTree) -> Callable[[MemoryStore, int], None]:
    def write(store: MemoryStore, zarr_format: int) -> None:
        if isinstance(dataset, xr.DataTree):
            dataset.to_zarr(store, zarr_format=zarr_format, consolidated=False)
        else:
            dataset.to_zarr(store, zarr_format=zarr_format, consolidated=False)

    return write


def _tree() -> xr.DataTree:
    low = xr.Dataset({"v": (("y", "x"), np.zeros((2, 3), "f4"))}, {"y": np.arange(2)})
    parts = {
        "/": xr.Dataset(coords={"x": np.arange(3)}),
        "/low": low,
        "/low/deep": xr.Dataset({"u": (("x",), [1, 2, 3])}),
    }
    return xr.DataTree.from_dict(parts)


def _by_zarr_python(store: MemoryStore, zarr_format: int) -> None:
    root = zarr.create_group(store, zarr_format=zarr_format, attributes={"title": "bare"})
    for name, dims, length in (("x", ["x"], (3,)), ("v", ["y", "x"], (2, 3)), ("w", ["x"], (3,))):
        named: dict[str, Any] = {"dimension_names": dims} if zarr_format == 3 else {}
        attributes = {} if zarr_format == 3 else {"_ARRAY_DIMENSIONS": dims}
        array = root.create_array(
            name,
            shape=length,
            dtype="float32",
            chunks=length,
            compressors=None,
            attributes=attributes,
            **named,
        )
        array[...] = 1


def written(zarr_format: int) -> list[Stored]:
    """Every hierarchy to start from, in one format."""
    writers = {
        "climate": _by_xarray(_climate()),
        "kinds": _by_xarray(_kinds()),
        "tree": _by_xarray(_tree()),
        "bare": _by_zarr_python,
    }
    found: list[Stored] = []
    for name, write in writers.items():
        contents: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write(MemoryStore(contents), zarr_format)
        plain = {key: value.to_bytes() for key, value in contents.items()}
        chunks = {key: value for key, value in plain.items() if key.rpartition("/")[2] not in _METADATA}
        found.append(Stored(f"{name}-v{zarr_format}", _tree_of(plain, zarr_format), chunks))
    return found


def _tree_of(contents: Contents, zarr_format: int) -> Tree:
    nodes: dict[str, Tree] = {}
    for key in sorted(contents):
        path, _, name = key.rpartition("/")
        if name in {"zarr.json", ".zarray", ".zgroup"}:
            node = nodes.setdefault(path, json.loads(contents[key]))
            node.pop("consolidated_metadata", None)
            attributes = contents.get(f"{path}/.zattrs".lstrip("/"))
            if zarr_format == 2 and attributes is not None:
                node["attributes"] = json.loads(attributes)
    for path, node in nodes.items():
        if "shape" not in node:
            node.setdefault("members", {})
        if path:
            parent, _, name = path.rpartition("/")
            nodes[parent].setdefault("members", {})[name] = node
    return nodes[""]


def store_of(tree: Tree, chunks: Contents) -> MemoryStore:
    """A store with the documents of `tree`, and the chunks."""
    contents: dict[str, Any] = dict(chunks)
    waiting = [("", tree)]
    while waiting:
        path, node = waiting.pop()
        document = {name: value for name, value in node.items() if name != "members"}
        if document.get("zarr_format") == 2:
            attributes = document.pop("attributes", None)
            if attributes is not None:
                contents[f"{path}.zattrs"] = json.dumps(attributes).encode()
            contents[f"{path}{'.zarray' if 'shape' in document else '.zgroup'}"] = json.dumps(
                document
            ).encode()
        else:
            contents[f"{path}zarr.json"] = json.dumps(document).encode()
        waiting.extend((f"{path}{name}/", member) for name, member in node.get("members", {}).items())
    buffer = default_buffer_prototype().buffer
    return MemoryStore({key: buffer.from_bytes(value) for key, value in contents.items()})
