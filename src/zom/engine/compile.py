"""Compile a spec of any format to a plan.

Most arrays of a hierarchy differ only in their attributes, and are opened repeatedly. So plans, with their
bound codecs, are cached by what they were made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from zom.codecs.sharding_indexed.index import index_block
from zom.codecs.sharding_indexed.shard import ShardCoder
from zom.engine.plan import ArrayPlan, fill_array
from zom.errors import UnknownName
from zom.extension.bound import Block, Stream
from zom.extension.bound_chain import BoundChain, bind_chain
from zom.extension.memo import Memo
from zom.formats.resolve import resolve
from zom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.axis import Axis
    from zom.extension.datatype import DataType
    from zom.extension.keys import KeyForm
    from zom.formats.resolved import Encoding
    from zom.limits import Limits
    from zom.model.spec import Spec

__all__ = ["compile_plan"]

_plans: Memo[ArrayPlan] = Memo(1024)


def compile_plan(spec: Spec, limits: Limits = DEFAULT_LIMITS) -> ArrayPlan:
    """The plan of the array that `spec` describes.

    An unregistered data type, chunk grid or key encoding raises `UnknownName`; an unregistered codec raises
    it only when a chunk is touched.

    >>> from zom import v2
    >>> plan = compile_plan(v2.ArraySpec.build(shape=(4, 6), dtype=">i2", chunks=(2, 3)))
    >>> plan.keys.key((1, 0)), plan.dtype
    ('1.0', dtype('>i2'))
    """
    array = resolve(spec)
    if array.obstacle is not None:
        raise UnknownName(array.obstacle)
    key = (array.encoding, array.shape, limits.chunk_bytes)
    return _plans.get(key, lambda: _compile(array.encoding, array.shape, limits.chunk_bytes))


def _compile(encoding: Encoding, shape: tuple[int, ...], limit: int) -> ArrayPlan:
    # Without an obstacle, all of these are known.
    data_type = cast("DataType", encoding.data_type)
    axes = cast("Callable[[tuple[int, ...]], tuple[Axis, ...]]", encoding.axes)
    keys = cast("Callable[[], KeyForm]", encoding.keys)

    def bind(block: Block) -> BoundChain:
        if encoding.per_shard is None:
            return bind_chain(encoding.links, block, limit=limit)
        return _sharded(encoding, encoding.per_shard, block, limit)

    fill = fill_array(data_type, encoding.fill)
    return ArrayPlan(shape, data_type, data_type.numpy(), fill, axes(shape), keys(), bind)


def _sharded(encoding: Encoding, counts: tuple[int, ...], block: Block, limit: int) -> BoundChain:
    """The chain of shards without a sharding codec; the codecs apply to the chunks inside."""
    chunk = tuple(length // count for length, count in zip(block.shape, counts, strict=True))
    inner = bind_chain(encoding.links, Block(chunk, block.data_type, block.fill), limit=limit)
    # "The index is ... little-endian 64-bit unsigned integers": so there is no checksum.
    coder = ShardCoder(block, inner, bind_chain([], index_block(counts)), name="sharding")
    return BoundChain((block, block), [("sharding", coder)], 0, Stream(None, limit))
