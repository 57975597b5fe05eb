"""Chunks: those of one array in one store, and how they are read and written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from zom.engine.split import count_parts
from zom.errors import ChunkError
from zom.extension.axis import Axis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.engine.index import Index
    from zom.engine.plan import ArrayPlan
    from zom.engine.split import ChunkPart, Walk
    from zom.errors import CodecError, StoreError
    from zom.stores.interface import Store

__all__ = ["Chunks", "Keyed", "Missing", "Options"]

Keyed: TypeAlias = "tuple[ChunkPart, str]"
"""A part of a selection, and the key of its chunk."""

Missing: TypeAlias = Literal["fill", "error"]
"""What a chunk that is not there is."""


_HEAVY = 1 << 20
"""The bytes of a chunk from which on codecs and copies take most of its time."""


@dataclass(frozen=True, slots=True)
class Options:
    """How chunks are read and written.

    >>> Options().missing
    'fill'
    """

    missing: Missing = "fill"
    """What a chunk that is not there is: fill values, or an error."""
    write_empty_chunks: bool = False
    """Whether chunks that hold nothing but the fill value, bit for bit, are written."""
    threads: int | None = None
    """How many threads work on one operation, at most; None lets the chunks' work decide."""

    def __post_init__(self) -> None:
        if self.missing not in {"fill", "error"}:
            raise ValueError(f'missing: expected "fill" or "error", got {self.missing!r}')
        threads = cast("object", self.threads)
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise ValueError(f"threads: expected a number from 1, or None, got {threads!r}")


@dataclass(frozen=True, slots=True, eq=False)
class Chunks:
    """The chunks of one array in one store."""

    plan: ArrayPlan
    store: Store
    prefix: str
    """What the keys of all chunks begin with: empty, or a prefix that ends in a slash."""
    node: str
    """The path of the array, for messages."""
    options: Options
    missing: list[str] = field(default_factory=list[str])
    """The key of the first chunk that a read did not find, if there is one."""
    counts: list[int] = field(default_factory=lambda: [0, 0])
    """How many chunks were asked for, and how many of these were not found; fewer may be told by threads."""

    @property
    def found_nothing(self) -> bool:
        """Whether no chunk that was asked for was found."""
        asked, missed = self.counts
        return 0 < asked <= missed

    @property
    def heavy(self) -> bool:
        """Whether most of the work on a chunk is done without the interpreter, so that several threads share it."""
        plan = self.plan
        uniform = plan.uniform
        if uniform is None or plan.data_type.itemsize is None:
            return False
        form = plan.form(uniform)
        return form.nbytes >= _HEAVY and form.shard is None

    def keyed(self, parts: Walk) -> Iterator[Keyed]:
        """Each part with the key of its chunk."""
        return zip(parts, parts.keys(self.plan.keys, self.prefix), strict=True)

    def failure(
        self,
        verb: str,
        key: str,
        reason: str,
        codec: str = "",
        *,
        byte_range: tuple[int, int] | None = None,
    ) -> ChunkError:
        """The error of a chunk."""
        return ChunkError(self.store.url, self.node, key, verb, reason, codec=codec, byte_range=byte_range)

    def refused(self, verb: str, key: str, error: CodecError) -> ChunkError:
        """The error of a chunk whose codecs raised `error`."""
        return self.failure(verb, key, error.reason, error.codec, byte_range=error.byte_range)

    def locate(self, error: StoreError) -> None:
        """Say in `error` which array was read or written."""
        error.node = error.node or self.node or "/"

    def units(self, index: Index, count: int) -> int:
        """How many pieces are decoded by themselves for each of `count` parts: more than one in shards.

        0 says that threads share the work on each, whatever it is.
        """
        if self.heavy:
            return 0
        plan = self.plan
        uniform = plan.uniform
        inner = None if uniform is None else plan.form(uniform).inner
        if inner is None or not count:
            return 1
        axes = tuple(Axis(axis.length, size) for axis, size in zip(plan.axes, inner.shape, strict=True))
        return max(1, count_parts(index, axes) // count)
