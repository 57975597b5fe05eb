"""The properties of an open array: shape, data type, chunks, codecs, and its stored chunks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from typing_extensions import TypeVar, override

from zom.engine.chunks import Chunks, Options
from zom.formats.codec_roles import codec_roles
from zom.formats.resolve import resolve
from zom.handles.handle import Handle
from zom.handles.info import ArrayInfo, array_info
from zom.hierarchy.stored.array_chunks import array_plan
from zom.hierarchy.stored.chunks import StoredChunks, stored_chunks
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.other_separator import is_looked_for, stored_otherwise
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.construction import outside

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from zom.engine.plan import ArrayPlan
    from zom.handles.handle import Mode
    from zom.hierarchy.stored.layout import Layout
    from zom.model.array import Array as ArrayBase
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["ArrayT_co", "DescribedArray"]

ArrayT_co = TypeVar("ArrayT_co", bound="ArrayBase", covariant=True, default="ArrayBase")
"""The class of an array's spec."""


class DescribedArray(Handle[ArrayT_co]):
    """The properties of an open array; `zom.Array` adds its data."""

    def __init__(  # noqa: PLR0913 - a spec, its place, and options
        self,
        spec: ArrayT_co,
        store: Store,
        path: str,
        layout: Layout,
        *,
        mode: Mode = "r",
        limits: Limits = DEFAULT_LIMITS,
        options: Options | None = None,
    ) -> None:
        super().__init__(spec, store, path, layout, mode=mode, limits=limits)
        self._options = options or Options()
        self._plan: ArrayPlan | None = None
        self._chunks: Chunks | None = None
        self._text: bytes | None = None
        """The document as it was at the last check before a write."""
        self._looked = False
        """Whether chunks under keys with the other separator were looked up."""

    @property
    def plan(self) -> ArrayPlan:
        """The compiled spec."""
        if self._plan is None:
            self._plan = self._compiled(self.spec)
        return self._plan

    @property
    def chunk_access(self) -> Chunks:
        """The array's chunks in its store, as the engine sees them."""
        if self._chunks is None:
            prefix = self._layout.chunk_prefix(self._path)
            self._chunks = Chunks(self.plan, self._store, prefix, self.path, self._options)
        return self._chunks

    def warn_of_other_keys(self) -> None:
        """Check once whether the first missing chunk is stored under another key, and warn."""
        chunks = self._chunks
        if self._looked or chunks is None or not is_looked_for(chunks, self._layout):
            return
        self._looked = True
        problem = stored_otherwise(chunks, self._layout)
        if problem is not None:
            warn(self._store.url, (problem,), None, outside())

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of elements along each dimension."""
        found: tuple[int, ...] = self._spec.__dict__["shape"]
        return found

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy data type of the elements."""
        return self.plan.dtype

    @property
    def nbytes(self) -> int:
        """The size of all elements in memory, in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def chunks(self) -> tuple[Any, ...]:
        """The shape of the smallest piece that can be read.

        A dimension with chunks of different lengths has a tuple of all lengths.
        """
        return self._lengths(resolve(self.spec).chunks)

    @property
    def shards(self) -> tuple[Any, ...] | None:
        """The shape of stored objects that hold several chunks, or None."""
        found = resolve(self.spec).shards
        return None if found is None else self._lengths(found)

    def _lengths(self, lengths: tuple[tuple[int, ...], ...] | None) -> tuple[Any, ...]:
        axes = self.plan.axes
        known = lengths or tuple(axis.sizes for axis in axes)
        return tuple(
            choices[0] if len(choices) == 1 else tuple(axis.size(i) for i in range(axis.count))
            for choices, axis in zip(known, axes, strict=True)
        )

    @property
    def nchunks(self) -> int:
        """The number of objects in the store when every chunk is written."""
        return math.prod(self.plan.grid)

    @property
    def fill_value(self) -> Any:
        """The value of elements that were never written; None if a v2 document doesn't define it."""
        if self.spec.document.get("fill_value") is None:
            return None
        return self.plan.fill[()]

    @property
    def filters(self) -> tuple[Mapping[str, Any], ...]:
        """The codecs that change elements before they become bytes, as spelled in the document.

        >>> import zom
        >>> spec = zom.v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3), shards=(4, 6), compress="gzip")
        >>> array = zom.create_array("memory:", spec)
        >>> array.filters, array.serializer, array.compressors[0]["name"]
        ((), {'name': 'bytes', 'configuration': {'endian': 'little'}}, 'gzip')

        For shards, these are the codecs of the inner chunks.
        """
        return codec_roles(self.spec).filters

    @property
    def serializer(self) -> Mapping[str, Any] | None:
        """The codec that turns elements into bytes; None in v2, which has none."""
        return codec_roles(self.spec).serializer

    @property
    def compressors(self) -> tuple[Mapping[str, Any], ...]:
        """The codecs that change the bytes: compression and checksums."""
        return codec_roles(self.spec).compressors

    @property
    def dimension_names(self) -> tuple[str | None, ...] | None:
        """The names of the dimensions, or None if the document has none."""
        return resolve(self.spec).names

    @property
    def info(self) -> ArrayInfo:
        """A summary of the array that prints as a few lines. Nothing is read for it."""
        return array_info(self._spec, self._store.url, self.path, self._layout)

    def stored(self, *, inner: bool = False) -> StoredChunks:
        """The stored chunks, from a listing; with `inner`, the indexes of shards are read, too.

        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)))
        >>> array[0] = 7
        >>> array.stored().exists
        array([ True, False])
        """
        return stored_chunks(self.chunk_access, inner=inner)

    def nbytes_stored(self) -> int:
        """The size of all chunks and documents in the store in bytes, from a listing.

        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"))
        >>> array.nbytes_stored() == len(array.store.get("zarr.json"))
        True

        `stored()` is about the chunks alone, and lists them.
        """
        documents = self._store.get_many(self._layout.keys(self._path, "array"))
        return self.stored().nbytes + sum(len(text) for text in documents if text is not None)

    def _compiled(self, spec: Spec) -> ArrayPlan:
        return array_plan(spec, self._store, self._path, self._layout, self._limits)

    @override
    def _change_spec(self, spec: Spec) -> None:
        super()._change_spec(spec)
        self._plan = self._chunks = None
