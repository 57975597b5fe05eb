"""A plan: an array's spec, compiled to exactly what the loop over chunks needs.

The plan is independent of formats: a document's order, filters, compressors and separators have become axes,
a form of keys and a chain of codecs. Codecs are bound when the first chunk is touched, so that an array with
unknown codecs can still be opened and described.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from zom.codecs.sharding_indexed.shard import ShardCoder
from zom.dataclass import dataclass
from zom.engine.split import walk
from zom.engine.workers import share, worth
from zom.extension.axis import Axis
from zom.extension.bound import Block
from zom.extension.fill_bits import FillTest, fill_cell
from zom.extension.rows import RowDecoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.engine.index import Index
    from zom.engine.split import ChunkPart
    from zom.extension.bound import Array, Data
    from zom.extension.bound_chain import BoundChain
    from zom.extension.datatype import DataType
    from zom.extension.keys import KeyForm

__all__ = ["FEW", "ArrayPlan", "ChunkForm"]

FEW = 24
"""Below this number, inner chunks of a shard are read faster one by one."""


class ChunkForm:
    """The properties of all chunks of one shape.

    A chunk that is a shard, and nothing else, can be read and written in parts: `shard` is its codec, and
    `inner` the form of the chunks inside.
    """

    __slots__ = ("_few", "axes", "chain", "fill", "inner", "is_fill", "nbytes", "rows", "shape", "shard")

    def __init__(self, chain: BoundChain) -> None:
        self.chain = chain
        self.shape = chain.block.shape
        self.nbytes = chain.block.count * chain.block.dtype.itemsize
        """Bytes of such a chunk in memory."""
        self.is_fill = FillTest(chain.block)
        self.fill = self.is_fill.cell
        self.rows = RowDecoder(chain, self.fill)
        """Decodes many small chunks at once."""
        self.shard: ShardCoder | None = None
        self.inner: ChunkForm | None = None
        self.axes: tuple[Axis, ...] = ()
        self._few: tuple[Index, tuple[tuple[ChunkPart, int], ...] | None] | None = None
        coder = chain.serializer
        if isinstance(coder, ShardCoder) and len(chain.coders) == 1:
            self.shard = coder
            self.inner = ChunkForm(coder.inner)
            pairs = zip(chain.block.shape, coder.chunk_shape, strict=True)
            self.axes = tuple(Axis(length, size) for length, size in pairs)

    def few_parts(self, inside: Index) -> tuple[tuple[ChunkPart, int], ...] | None:
        """The inner chunks that slices select, with their numbers in C order; None if there are many.

        The last result is cached: a series through many shards selects the same part of each.
        """
        if self.shard is None or not inside.basic:
            return None
        few = self._few
        if few is None or few[0] != inside:
            parts = walk(inside, self.axes)
            numbered = zip(parts, parts.numbers(self.shard.counts), strict=True)
            few = self._few = (inside, tuple(numbered) if parts.count < FEW else None)
        return few[1]

    def encode(self, chunk: Array, *, threads: int = 1) -> Data:
        """Encode `chunk`; at most `threads` threads encode the inner chunks of a shard."""
        shard, inside = self.shard, worth(threads, self.nbytes)
        if shard is None or inside == 1:
            return self.chain.encode(chunk)

        def shared(take: Callable[[Iterator[int]], None], count: int) -> None:
            share(iter(range(count)), count, take, threads=inside)

        return self.chain.encode_by(lambda array: shard.encode(array, shared), chunk)

    def new(self) -> Array:
        """A new chunk of fill values; raise MemoryError if it doesn't fit in memory."""
        try:
            return np.full(self.shape, self.fill, self.chain.block.dtype)
        except (MemoryError, ValueError) as cause:
            raise self._too_large() from cause

    def scratch(self) -> Array:
        """Memory for a chunk that decoding fills without a copy; raise MemoryError if there is none."""
        try:
            return self.chain.scratch()
        except (MemoryError, ValueError) as cause:
            raise self._too_large() from cause

    def _too_large(self) -> MemoryError:
        lengths = " x ".join(map(str, self.shape))
        return MemoryError(f"{lengths} elements, {self.nbytes} bytes")


@dataclass(frozen=True, slots=True, eq=False)
class ArrayPlan:
    """How the chunks of one array are located, read and written.

    >>> from zom import v3
    >>> from zom.engine.compile import compile_plan
    >>> plan = compile_plan(v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)))
    >>> plan.keys.key((1, 0)), plan.chunk_shape((1, 0)), plan.form((2, 3)).chain.names
    ('c/1/0', (2, 3), ('bytes', 'zstd'))
    """

    shape: tuple[int, ...]
    data_type: DataType
    dtype: np.dtype[Any]
    """The numpy type of the elements."""
    fill: Array
    """The value of elements that were never written, as an array without dimensions."""
    axes: tuple[Axis, ...]
    keys: KeyForm
    bind: Callable[[Block], BoundChain]
    """Function that binds the codecs for chunks of one shape."""
    uniform: tuple[int, ...] | None = field(init=False)
    """The shape of all chunks, if it is the same."""
    _forms: dict[tuple[int, ...], ChunkForm] = field(default_factory=dict["tuple[int, ...]", ChunkForm])

    def __post_init__(self) -> None:
        sizes = tuple([axis.regular for axis in self.axes if axis.regular is not None])
        object.__setattr__(self, "uniform", sizes if len(sizes) == len(self.axes) else None)

    def chunk_shape(self, chunk: tuple[int, ...]) -> tuple[int, ...]:
        """The shape in which `chunk` is stored; it may overhang the array."""
        return tuple([axis.size(number) for axis, number in zip(self.axes, chunk, strict=True)])

    def held(self, chunk: tuple[int, ...]) -> tuple[int, ...]:
        """Number of elements of `chunk` within the array, along each dimension."""
        pairs = zip(self.axes, chunk, strict=True)
        return tuple([min(axis.size(number), axis.length - axis.start(number)) for axis, number in pairs])

    def form(self, shape: tuple[int, ...]) -> ChunkForm:
        """The form of chunks of that shape; their codecs are bound once."""
        found = self._forms.get(shape)
        if found is None:
            chain = self.bind(Block(shape, self.data_type, self.fill[()]))
            found = self._forms[shape] = ChunkForm(chain)
        return found

    @property
    def sharded(self) -> bool:
        """Whether chunks are shards that can be read in parts."""
        uniform = self.uniform
        return uniform is not None and self.form(uniform).shard is not None

    @property
    def grid(self) -> tuple[int, ...]:
        """Number of chunks along each dimension."""
        return tuple(axis.count for axis in self.axes)


def fill_array(data_type: DataType, scalar: Any) -> Array:
    """`scalar` as an array without dimensions, bit for bit; if it is None, the default of the type.

    The default of a struct is a record of zeros, as in zarr-python, even for dates.
    """
    dtype = data_type.numpy()
    if scalar is None:
        scalar = data_type.default() if dtype.names is None else np.zeros((), dtype)[()]
    cell = fill_cell(dtype, scalar)
    cell.flags.writeable = False
    return cell
