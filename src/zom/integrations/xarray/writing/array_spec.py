"""The document of one variable, in the form that xarray and zarr-python write."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from zom.extension.registry import revision
from zom.extension.resolve import data_type
from zom.formats import v2, v3
from zom.integrations.xarray.writing.cf_variables import encoded_attributes, encoded_fill, holds_text
from zom.integrations.xarray.writing.chunk_sizes import chosen_grid
from zom.integrations.xarray.writing.codec_documents import codec_documents, document_of, separator_of
from zom.model.builders.build import AUTO
from zom.model.builders.chunking import refuse
from zom.model.family import DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.datatype import DataType

__all__ = ["array_spec"]

_KNOWN: Final = {
    "chunks",
    "shards",
    "compressors",
    "filters",
    "serializer",
    "cache_metadata",
    "write_empty_chunks",
    "chunk_key_encoding",
}
_DROPPED: Final = {"source", "original_shape", "preferred_chunks"}

_V2_COMPRESSOR: Final = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
_V3_COMPRESSOR: Final = {"name": "zstd", "configuration": {"level": 0, "checksum": False}}


def array_spec(name: str, encoded: Any, source: Any, number: int, *, strict: bool) -> Any:
    """Return the spec of a variable; `encoded` is the result of `cf_variables.encoded` for `source`.

    With `strict`, for encodings that a user passed, unknown names in the encoding are refused.

    >>> import xarray as xr
    >>> from zom.integrations.xarray.writing.cf_variables import encoded
    >>> variable = xr.Variable("x", [0.5, 1.5], {"units": "m"})
    >>> array_spec("t", encoded("t", variable, 3, values=False), variable, 3, strict=False).attributes
    {'units': 'm', '_FillValue': 'AAAAAAAA+H8='}
    """
    encoding = _checked(name, encoded.encoding, number, strict=strict)
    kind = _kind_of(name, encoded.dtype, number)
    # zarr-python counts an element of variable length as one byte.
    chunks, shards = chosen_grid(name, source, encoding, kind.itemsize or 1)
    attributes = dict(encoded.attrs)
    build = _v2 if number == 2 else _v3
    return build(
        name, encoding, kind, (tuple(source.shape), chunks, shards), attributes, source.dims, encoded
    )


def _checked(name: str, encoding: Mapping[str, Any], number: int, *, strict: bool) -> dict[str, Any]:
    known = {*_KNOWN, "fill_value"} if number == 3 else _KNOWN
    unknown = [key for key in encoding if key not in known | _DROPPED and key != "_FillValue"]
    if unknown and strict:
        expected = f"names for Zarr v{number}: {', '.join(sorted(known))}"
        fix = "use _FillValue for the fill value of v2" if "fill_value" in unknown else None
        raise refuse(f"{name}.encoding", expected, unknown, fix)
    return {key: value for key, value in encoding.items() if key in known}


def _kind_of(name: str, given: Any, number: int) -> DataType:
    if isinstance(given, np.dtype):
        dtype = cast("np.dtype[Any]", given)
        if holds_text(dtype):
            return data_type("string")
        if number == 3 and dtype.kind not in "OT":
            dtype = dtype.newbyteorder("<")  # in v3 the codec has the byte order, which is "little"
        if dtype.kind != "O":
            return _data_type(dtype, revision())
    raise refuse(name, "elements that Zarr supports", f"the type {given}", "convert it with .astype()")


@lru_cache(maxsize=64)
def _data_type(dtype: np.dtype[Any], _revision: int) -> DataType:
    """Return `data_type(dtype)`, cached: variables share types, and a lookup tries every registered one."""
    return data_type(dtype)


def _v2(  # noqa: PLR0913, PLR0917 - the parts of a document
    name: str,
    encoding: dict[str, Any],
    kind: DataType,
    grid: tuple[Any, ...],
    attributes: dict[str, Any],
    dims: tuple[str, ...],
    _encoded: Any,
) -> Any:
    shape, chunks, shards = grid
    if shards is not None:
        raise refuse(f"{name}.encoding['shards']", "none, as v2 has no shards", shards, "use zarr_format=3")
    if encoding.get("serializer") not in ("auto", None):
        raise refuse(f"{name}.encoding['serializer']", "none, as v2 has no serializer", "one")
    fill = attributes.pop("_FillValue", None)
    compressors = codec_documents(
        name, "compressors", encoding.get("compressors", "auto"), [_V2_COMPRESSOR], kind, "id"
    )
    if len(compressors) > 1:
        raise refuse(f"{name}.encoding['compressors']", "one compressor, the maximum in v2", compressors)
    separator = separator_of(encoding.get("chunk_key_encoding"))
    return v2.ArraySpec.build(
        shape=shape,
        dtype=kind,
        chunks=chunks,
        compress=compressors[0] if compressors else None,
        filters=codec_documents(name, "filters", encoding.get("filters", "auto"), [], kind, "id"),
        fill_value=fill,
        separator=cast("Any", separator),
        attributes={**encoded_attributes(attributes), DIMENSIONS: list(dims)},
    )


def _v3(  # noqa: PLR0913, PLR0917 - the parts of a document
    name: str,
    encoding: dict[str, Any],
    kind: DataType,
    grid: tuple[Any, ...],
    attributes: dict[str, Any],
    dims: tuple[str, ...],
    encoded: Any,
) -> Any:
    shape, chunks, shards = grid
    fill = encoding.get("fill_value")
    if fill is None:
        fill = np.nan if encoded.dtype.kind == "f" else AUTO
    own = attributes.pop("_FillValue", None)
    written = encoded_attributes(attributes)
    if own is not None:
        written["_FillValue"] = encoded_fill(own, encoded.dtype)
    chain = [
        *codec_documents(name, "filters", encoding.get("filters", "auto"), [], kind, "name"),
        *codec_documents(
            name, "serializer", encoding.get("serializer", "auto"), [_serializer(kind)], kind, "name"
        ),
        *codec_documents(
            name, "compressors", encoding.get("compressors", "auto"), [_V3_COMPRESSOR], kind, "name"
        ),
    ]
    made = v3.ArraySpec.build(
        shape=shape,
        dtype=kind,
        chunks=chunks,
        shards=shards,
        codecs=chain,
        fill_value=fill,
        dimension_names=dims or None,
        attributes=written,
    )
    keys = encoding.get("chunk_key_encoding")
    return made if keys is None else made.replace(chunk_key_encoding=document_of(keys))


def _serializer(kind: DataType) -> dict[str, Any]:
    if kind.itemsize is None:
        return {"name": "vlen-utf8" if kind.kind == "string" else "vlen-bytes"}
    if kind.has_order:
        return {"name": "bytes", "configuration": {"endian": "little"}}
    return {"name": "bytes"}
