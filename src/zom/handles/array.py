"""Arrays: a spec opened on a store, with data access by numpy's indexing.

Opening reads only the document; chunks are read when elements are accessed. An array is read-only unless it
was opened for writing.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from zom.brief import notebook_html
from zom.count import count_of
from zom.engine.indexing import write_selection
from zom.engine.selection import basic_or_numpy, blocks, outer, vectorized
from zom.engine.text import as_elements
from zom.errors import ConcurrentWriteError, SelectionError
from zom.formats.resolve import resolve
from zom.handles.described_array import ArrayT_co, DescribedArray
from zom.handles.handle import store_token
from zom.handles.indexer import Indexer, read_indexed, write_indexed
from zom.hierarchy.change.alone import alone
from zom.hierarchy.change.chunk_effects import changes_between
from zom.hierarchy.change.node_change import read_spec
from zom.hierarchy.change.plan_text import changes_words
from zom.hierarchy.change.resize import behind, check_clearing, clear_beyond, resize_chunks
from zom.hierarchy.stored.pending import check_settled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Self

    from zom.engine.chunks import Options
    from zom.engine.plan import ArrayPlan
    from zom.extension.bound import Array as NumpyArray
    from zom.handles.handle import Mode
    from zom.handles.plan import Plan
    from zom.limits import Limits
    from zom.model.spec import Spec

__all__ = ["Array"]


class Array(DescribedArray[ArrayT_co]):
    """An array in a store.

    >>> import numpy as np, zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)))
    >>> array[1] = 7
    >>> array[:2, 4:]
    array([[0, 0],
           [7, 7]], dtype=int16)
    """

    # --- data --------------------------------------------------------------------------------------

    @property
    def oindex(self) -> Indexer:
        """Index dimension by dimension: lists and masks select a product."""
        return Indexer(self, outer)

    @property
    def vindex(self) -> Indexer:
        """Index point by point: lists are combined, and their dimensions come first."""
        return Indexer(self, vectorized)

    @property
    def blocks(self) -> Indexer:
        """Index by chunk numbers: `blocks[0, 1:3]`; in a sharded array, by shards."""
        return Indexer(self, lambda key, _: blocks(key, self.plan.axes))

    def __getitem__(self, key: Any) -> NumpyArray:
        return read_indexed(self, basic_or_numpy, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        write_indexed(self, basic_or_numpy, key, value)

    def read(self, key: Any = (), *, out: NumpyArray | None = None) -> NumpyArray:
        """Read the elements that `key` selects, into the caller's array `out` if given.

        >>> import numpy as np, zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
        >>> array.read(slice(1, 3), out=np.ones(2, "i1"))
        array([0, 0], dtype=int8)
        """
        return read_indexed(self, basic_or_numpy, key, out)

    def resize(self, shape: int | Sequence[int]) -> None:
        """Change the array's shape; elements in both shapes keep their values.

        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
        >>> array[:] = 7
        >>> array.resize(5); array[:]
        array([7, 7, 7, 0, 0], dtype=int8)

        Use `plan_resize` to see beforehand which chunks are deleted.
        """
        self.check_writable()
        check_settled(self._store, self._path)
        with self._alone():
            self.refresh()
            wanted = self._checked_shape(shape)
            old, chunks = self.shape, self.chunk_access
            both = tuple(map(max, old, wanted))
            wide = self.plan if both == old else self._plan_of(both)
            check_clearing(chunks, wide, tuple(map(min, old, wanted)))
            resize_chunks(chunks, wide, old, wanted, self._set_shape)

    def plan_resize(self, shape: int | Sequence[int]) -> Plan[Self]:
        """The plan of `resize`; nothing is written before `apply`.

        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)))
        >>> array[:] = 7
        >>> print(array.plan_resize((1,)))
        memory://: 1 to resize, 1 chunk to remove
          ~ /  array  resize: shape[0]: 4 -> 1; 1 chunk removed
        """
        from zom.handles.plan import Plan  # noqa: PLC0415 - loads the code that applies plans
        from zom.hierarchy.change.planner import plan_for  # noqa: PLC0415 - loads the planning code

        current = read_spec(self._store, self._path, self._layout, self._spec)
        spec = current.replace(shape=self._checked_shape(shape))
        change = plan_for(spec, self._store, self.path, on_conflict="update", spelling="given")
        return Plan.of(change, self._resized, declared=spec)

    def _resized(self, plan: Plan[Any]) -> Self:
        spec: Any = plan.root_spec()
        return type(self)(spec, plan.store, plan.path, plan.layout, mode="r+")

    def append(self, data: Any, axis: int = 0) -> tuple[int, ...]:
        """Append `data` along `axis`, and return the new shape. The data is written before the shape.

        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(1, 2), dtype="int8"))
        >>> array.append([[1, 2], [3, 4]])
        (3, 2)
        """
        self.check_writable()
        check_settled(self._store, self._path)
        with self._alone():
            self.refresh()
            old, values = self.shape, as_elements(data, self.dtype)
            place, wanted = behind(old, values.shape, axis)
            chunks = replace(self.chunk_access, plan=self._plan_of(wanted))
            here = (*[slice(None)] * place, slice(old[place], None))
            if not self._store.capabilities.transactional:
                write_selection(chunks, basic_or_numpy(here, wanted), values)
                self._set_shape(old, wanted)
                return wanted
            # The new shape is not visible yet; stores that check keys reject chunks beyond the old one.
            self._set_shape(old, wanted)
            try:
                write_selection(chunks, basic_or_numpy(here, wanted), values)
            except BaseException:
                clear_beyond(chunks, chunks.plan, old)
                self._set_shape(wanted, old)
                raise
            return wanted

    def _alone(self) -> AbstractContextManager[object]:
        """A block in which nobody else changes the shape, if the store's locks keep others out.

        Two concurrent appends would write to the same place, and a concurrent cut would delete newly appended
        data.
        """
        return alone(self._store, self._path, self._layout, self._layout.keys(self._path, "array")[0])

    def refresh(self) -> None:
        """Read the document again, because others may have changed it."""
        self._change_spec(read_spec(self._store, self._path, self._layout, self._spec))

    def check_current(self) -> None:
        """Check before writing chunks that the document is the one that was opened.

        A document with the same meaning for chunks is adopted, and so is a larger shape. ConcurrentWriteError
        if the array was cut or replaced, NotFound if it was deleted: nothing is written then.

        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)))
        >>> zom.open_array(array.store, mode="r+").resize((2,))
        >>> array[3] = 1
        Traceback (most recent call last):
        zom.errors.ConcurrentWriteError: memory://: cannot update 'zarr.json' of /: the array has changed since it was opened: shape[0]: 4 -> 2; call refresh() and write again
        """
        key = self._layout.keys(self._path, "array")[0]
        text = self._store.get(key)
        if text is not None and text == self._text:
            return
        # NotFound if it is gone.
        current = read_spec(self._store, self._path, self._layout, self._spec)
        if current.document is not self._spec.document:
            meaning, changes = changes_between(self._spec, current)
            old, new = self.shape, tuple(current.__dict__["shape"])
            is_cut = len(old) == len(new) and any(b < a for a, b in zip(old, new, strict=True))
            if meaning == "replace" or is_cut:
                raise ConcurrentWriteError(self._store.url, key, changes_words(changes))
            if meaning != "keep":
                self._change_spec(current)
        self._text = text

    def _checked_shape(self, shape: int | Sequence[int]) -> tuple[int, ...]:
        given = tuple(shape) if isinstance(shape, Iterable) else (shape,)
        wanted = tuple(operator.index(length) for length in given)
        if len(wanted) != self.ndim or min(wanted, default=0) < 0:
            raise SelectionError(f"expected {count_of(self.ndim, 'length')} of 0 or more, got {given}")
        return wanted

    def _plan_of(self, shape: tuple[int, ...]) -> ArrayPlan:
        return self._compiled(self._spec.replace(shape=shape))

    def _set_shape(self, old: tuple[int, ...], new: tuple[int, ...]) -> None:
        def change(spec: Spec) -> Spec:
            if tuple(spec.__dict__["shape"]) != old:
                raise ConcurrentWriteError(self._store.url, self._layout.keys(self._path, "array")[0])
            return spec.replace(shape=new)

        self._change_now(change)

    def with_options(self, **changes: Any) -> Array[ArrayT_co]:
        """The same array with other options: `missing`, `write_empty_chunks`, `threads`.

        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
        >>> array.with_options(missing="error")[0]
        Traceback (most recent call last):
        zom.errors.MissingChunk: memory://: cannot read chunk 'c/0' of /: it is missing; write it, or read with missing='fill'
        """
        options = replace(self._options, **changes)
        where = (self.spec, self._store, self._path, self._layout)
        return Array(*where, mode=self._mode, limits=self._limits, options=options)

    def as_reader(self, *, threads: int | None = None) -> Array[ArrayT_co]:
        """The same array, read-only; it uses `threads` threads unless its options set a number.

        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
        >>> array.as_reader().mode
        'r'
        """
        options = (
            self._options
            if threads is None or self._options.threads
            else replace(self._options, threads=threads)
        )
        where = (self.spec, self._store, self._path, self._layout)
        return Array(*where, mode="r", limits=self._limits, options=options)

    def to_dask(self, chunks: Any = "auto") -> Any:
        """The array as a dask array; each task reads its part when dask computes it.

        `chunks` are "auto", as many whole stored chunks as dask considers a good size for a task; "native",
        those of `array.chunks`; "shards", those of `array.shards`, if there are shards; or anything else that
        dask takes: lengths for each dimension, -1 for all of it.

        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)))
        >>> array[:] = 7
        >>> array.to_dask("native").numblocks, int(array.to_dask().sum().compute())
        ((2, 2), 168)
        """
        from zom.handles.dask_array import to_dask  # noqa: PLC0415 - for dask only

        return to_dask(self, chunks)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NumpyArray:  # noqa: FBT001 - numpy's protocol
        """Read all elements: `numpy.asarray(array)`. They can't be viewed without a copy."""
        if copy is False:
            where = f"{self._store.url} {self.path}"
            raise ValueError(
                f"{where}: expected copy=None or True, got copy=False: the elements of a store are always read "
                "into new memory; leave out copy"
            )
        made: NumpyArray = self[...]
        return made if dtype is None else made.astype(dtype, copy=False)

    def __len__(self) -> int:
        if not self.shape:
            message = "len() of an array without dimensions"
            raise TypeError(message)
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """The parts along the first dimension; each chunk is read once."""
        if not self.shape:
            message = "an array without dimensions can't be iterated over"
            raise TypeError(message)
        axis = self.plan.axes[0]
        for number in range(axis.count):
            start = axis.start(number)
            yield from self[start : min(start + axis.size(number), self.shape[0])]

    def __bool__(self) -> bool:
        if self.size != 1:
            message = "the truth value of an array is ambiguous unless it has exactly one element"
            raise ValueError(message)
        return bool(np.asarray(self).reshape(())[()])

    def __float__(self) -> float:
        return float(self._only())

    def __int__(self) -> int:
        return int(self._only())

    def __complex__(self) -> complex:
        return complex(self._only())

    def _only(self) -> Any:
        """The element of a zero-dimensional array, for conversions to a number."""
        if self.ndim:
            raise TypeError("only an array without dimensions converts to a number; select an element")
        return self[()]

    async def aget(self, key: Any = ()) -> Any:
        """`array[key]` for async code, in a thread."""
        import asyncio  # noqa: PLC0415 - only for its users

        return await asyncio.to_thread(self.read, key)

    async def aset(self, key: Any, value: Any) -> None:
        """`array[key] = value` for async code, in a thread."""
        import asyncio  # noqa: PLC0415

        await asyncio.to_thread(self.__setitem__, key, value)

    def __reduce__(self) -> tuple[Any, ...]:
        where = (self._spec, self._store, self._path, self._layout)
        return (Array, where, (self._mode, self._limits, self._options))

    def __setstate__(self, state: tuple[Mode, Limits, Options]) -> None:
        self._mode, self._limits, self._options = state

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        """A token that identifies the array; chunks written since are not considered."""
        # Mode and threads don't affect what is read; the option for missing chunks does.
        what = (self._layout.name, self._spec.to_json(), self._options.missing)
        return (type(self).__name__, store_token(self._store), self._path, *what)

    def __repr__(self) -> str:
        type_name = resolve(self.spec).type_name
        return f"<zom.Array {self._where()} {self.shape} {type_name} mode={self._mode!r}>"

    def _repr_html_(self) -> str:
        """The HTML for a notebook; nothing is read. Use `array.stored()` to see which chunks are stored."""
        return notebook_html("array", self)
