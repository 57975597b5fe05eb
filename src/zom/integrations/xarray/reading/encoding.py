"""The encoding of an array for xarray: chunks, shards and codecs, in the form that `to_zarr` accepts.

Codecs of v2 are numcodecs objects, as in xarray's engine "zarr". Codecs of v3 are documents,
`{"name": "zstd", "configuration": {...}}`: that engine uses objects of zarr-python, which zom doesn't need.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import numcodecs
from numcodecs.errors import UnknownCodecError

from zom.formats.resolve import resolve
from zom.formats.resolved import inner_links
from zom.json.python_value import is_dict, is_list
from zom.json.value import thaw

if TYPE_CHECKING:
    from zom.extension.link import Link
    from zom.handles.array import Array

__all__ = ["encoding_of"]

_PLACES: Final = {
    "array->array": "filters",
    "array->bytes": "serializer",
    "bytes->bytes": "compressors",
}


def encoding_of(array: Array, dimensions: tuple[Any, ...]) -> dict[str, Any]:
    """Return how the array is stored, under the names that xarray uses.

    >>> import zom
    >>> spec = zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,), compress="gzip")
    >>> found = encoding_of(zom.create_array("memory:", spec), ("x",))
    >>> found["preferred_chunks"], [codec["name"] for codec in found["compressors"]]
    ({'x': 2}, ['gzip'])
    """
    chunks = _lengths(array.chunks, array.shape)
    encoding: dict[str, Any] = {
        "chunks": chunks,
        "preferred_chunks": dict(zip(dimensions, chunks, strict=True)),
    }
    if array.dtype.kind == "T":
        encoding["dtype"] = array.dtype
    shards = array.shards
    encoding["shards"] = None if shards is None else _lengths(shards, array.shape)
    encoding.update(_v2_codecs(array) if array.layout.family.form == "v2" else _codecs(array))
    return encoding


def _lengths(lengths: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return chunk lengths by dimension: one number if all but a shorter last one are equal, else all."""
    return tuple(
        length if isinstance(length, int) else _explicit(length, whole)
        for length, whole in zip(lengths, shape, strict=True)
    )


def _explicit(sizes: tuple[int, ...], whole: int) -> Any:
    # The last chunk may extend beyond the array; dask's chunks don't.
    starts = accumulate(sizes, initial=0)
    held = tuple(
        [min(size, whole - start) for size, start in zip(sizes, starts, strict=False) if start < whole]
    )
    if not held:
        return 0
    alike = len(set(held[:-1])) <= 1 and held[-1] <= held[0]
    return held[0] if alike else held


def _codecs(array: Array) -> dict[str, Any]:
    links: list[Link] = list(resolve(array.spec).links)
    if [link.name for link in links] == ["sharding_indexed"]:
        links = inner_links(links[0])
    found: dict[str, list[Any]] = {place: [] for place in _PLACES.values()}
    serialized = False
    for link in links:
        if link.written is None:
            continue  # a codec that the format implies
        unknown = "bytes->bytes" if serialized else "array->array"
        kind = unknown if link.codec is None else link.codec.kind
        serialized = serialized or kind == "array->bytes"
        found[_PLACES[kind]].append(_document(link.value))
    serializers = found.pop("serializer")
    codecs: dict[str, Any] = {place: tuple(values) for place, values in found.items()}
    return {**codecs, "serializer": serializers[0] if serializers else None}


def _document(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else thaw(value)


def _v2_codecs(array: Array) -> dict[str, Any]:
    document = array.spec.document
    filters, compressor = document.get("filters"), document.get("compressor")
    return {
        "compressors": () if compressor is None else (_numcodec(compressor),),
        "filters": tuple(map(_numcodec, filters)) if is_list(filters) else (),
    }


def _numcodec(document: Any) -> Any:
    """Return the numcodecs object, or the document if numcodecs has no such codec."""
    values = thaw(document)
    if not is_dict(document):
        return values
    try:
        known: Any = numcodecs
        return known.get_codec(dict(values))
    except (UnknownCodecError, TypeError, ValueError):
        return values
