"""Build specs from existing arrays: numpy, h5py, dask, zarr, xarray, or anything that looks like them.

The array's own layout is kept: chunks, shards, compression, fill value, dimension names, attributes.
Arrays of zarr-python or zom bring their whole document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from zom.model.builders.build import AUTO
from zom.model.builders.chunking import refuse
from zom.numpy_later import np
from zom.problems import show

__all__ = ["arguments_of", "document_in"]


def document_in(array: Any) -> dict[str, Any] | None:
    """Return the Zarr document that an array carries, or None if it is not a Zarr array."""
    metadata = getattr(array, "metadata", None)
    to_dict = getattr(metadata, "to_dict", None)
    if to_dict is None:
        return None
    document = to_dict()
    if not isinstance(document, Mapping) or "zarr_format" not in document:
        return None
    found = dict(cast("Mapping[str, Any]", document))
    names = found.get("dimension_names")
    if names is None or all(name is None for name in names):
        found.pop("dimension_names", None)
    if not found.get("storage_transformers"):
        found.pop("storage_transformers", None)
    return found


def arguments_of(array: Any) -> dict[str, Any]:
    """Return the properties of an array as arguments of `build`.

    >>> arguments_of(np.zeros((2, 3), "i2"))["shape"]
    (2, 3)
    """
    if not hasattr(array, "shape") or not hasattr(array, "dtype"):
        array = np.asarray(array)
    found: dict[str, Any] = {"shape": tuple(array.shape), "dtype": _dtype_of(array)}
    chunks = _chunks_of(array)
    if chunks is not None:
        found["chunks"] = chunks
    fill = _fill_of(array)
    if isinstance(fill, bytes) and isinstance(found["dtype"], str) and found["dtype"] == "string":
        fill = fill.decode("utf-8", "replace")  # h5py keeps text as bytes
    if fill is not AUTO:
        found["fill_value"] = fill
    names: Any = getattr(array, "dims", None)
    if isinstance(names, tuple) and all(isinstance(name, str) for name in names):  # pyright: ignore[reportUnknownVariableType] - any library's array
        found["dimension_names"] = names
    attributes = getattr(array, "attrs", None)
    if attributes is not None and len(attributes):
        found["attributes"] = {str(name): _plain(value) for name, value in attributes.items()}
    compression = _compression_of(array)
    if compression is not None:
        found["compress"] = compression
    return found


def _dtype_of(array: Any) -> Any:
    dtype: Any = array.dtype
    if getattr(dtype, "kind", None) != "O":
        return dtype
    if array.__class__.__module__.split(".")[0] == "h5py":
        metadata: Any = dtype.metadata or {}
        held = {str: "string", bytes: "bytes"}.get(metadata.get("vlen"))
        if held is None:
            raise refuse("dtype", "elements that Zarr supports", f"objects of HDF5: {dict(metadata)}")
        return held
    sample = [item for item in np.asarray(array).ravel()[:1000] if item is not None]
    if sample and all(isinstance(item, str) for item in sample):
        return "string"
    if sample and all(isinstance(item, bytes) for item in sample):
        return "bytes"
    kinds = ", ".join(sorted({type(item).__name__ for item in sample})) or "no elements to determine the type"
    raise refuse("dtype", "elements that are all str or all bytes", f"objects: {kinds}", "name the dtype")


def _chunks_of(array: Any) -> tuple[int, ...] | None:
    """Return chunk lengths, given one per dimension (h5py, zarr) or as dask's lengths of every chunk."""
    chunks = getattr(array, "chunks", None)
    if not isinstance(chunks, (tuple, list)) or not chunks:
        return None
    lengths: list[int] = []
    for axis, item in enumerate(cast("Sequence[Any]", chunks)):
        if isinstance(item, int):
            lengths.append(max(1, item))
            continue
        sizes = tuple(cast("Sequence[Any]", item))
        if not all(isinstance(size, int) for size in sizes):
            raise refuse("chunks", "known chunk lengths", show(list(sizes)), "compute the chunk sizes first")
        if len(set(sizes[:-1])) > 1 or (len(sizes) > 1 and sizes[-1] > sizes[0]):
            wanted = f"equal chunks along dimension {axis}, but for a shorter last one"
            raise refuse("chunks", wanted, show(list(sizes)), "rechunk the array, or name chunks=")
        lengths.append(max(1, sizes[0]) if sizes else 1)
    return tuple(lengths)


def _fill_of(array: Any) -> Any:
    if isinstance(array, np.ma.MaskedArray):
        return cast("Any", array).fill_value
    value = getattr(array, "fillvalue", None)
    return AUTO if value is None or callable(value) else value


def _compression_of(array: Any) -> str | None:
    """Return h5py's compression name if Zarr has an equivalent; otherwise None, which means the default."""
    name = getattr(array, "compression", None)
    if name != "gzip":
        return None
    level = getattr(array, "compression_opts", None)
    return f"gzip:{level}" if isinstance(level, int) else "gzip"


def _plain(value: Any) -> Any:
    """Return an attribute as JSON holds it: bytes as text, numpy values as numbers and lists."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (np.ndarray, np.generic)):
        return cast("Any", value).tolist()
    return value
