"""tensorstore, through its drivers `zarr` and `zarr3`."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Any

import numpy as np
import tensorstore as ts


def versions() -> str:
    return f"tensorstore {version('tensorstore')} on Python {sys.version_info[0]}.{sys.version_info[1]}"


def opened(folder: str, form: str, field: str | None = None, **options: Any) -> Any:
    spec: dict[str, Any] = {
        "driver": "zarr3" if form == "v3" else "zarr",
        "kvstore": {"driver": "file", "path": f"{folder}/a/"},
        "context": {"data_copy_concurrency": {"limit": 1}},
    }
    if field is not None:
        spec["field"] = field
    metadata = options.pop("metadata", None)
    if metadata is not None:
        spec["metadata"] = metadata
    return ts.open(spec, **options).result()


def write(folder: str, form: str, document: dict[str, Any], data: Any, region: Any) -> None:
    kind = document.get("data_type")
    if (isinstance(kind, str) and kind[0] == "r") or (isinstance(kind, dict) and kind["name"] == "raw_bytes"):
        raise NotImplementedError("it aborts the process when it creates an array of raw bytes")
    names = data.dtype.names or (None,)
    for name in names:
        array = opened(folder, form, name, metadata=document, open=True, create=True)
        part = data if name is None else data[name]
        array[region].write(_parts(part[region], array)).result()


def read(folder: str, form: str, document: dict[str, Any], dtype: Any) -> Any:
    if dtype is None or dtype.names is None:
        array = opened(folder, form, open=True)
        return _whole(np.asarray(array.read().result()), dtype, document)
    made = np.empty(document["shape"], dtype)
    for name in dtype.names:
        array = opened(folder, form, name, open=True)
        made[name] = _whole(np.asarray(array.read().result()), dtype[name].base, document)
    return made


def _parts(data: Any, array: Any) -> Any:
    """Elements of several bytes as arrays of bytes, which is what tensorstore takes them for."""
    if data.dtype.kind in "SV" and array.ndim == data.ndim + 1:
        flat = np.ascontiguousarray(data)
        return flat.view("S1" if data.dtype.kind == "S" else "V1").reshape((*data.shape, data.dtype.itemsize))
    return data if data.dtype.isbuiltin == 2 else data.astype(data.dtype.newbyteorder("="))


def _whole(found: Any, dtype: Any, document: dict[str, Any]) -> Any:
    if dtype is not None and dtype.kind in "SV" and found.ndim == len(document["shape"]) + 1:
        return np.frombuffer(found.tobytes(), dtype).reshape(document["shape"])
    return found
