"""Chunks: those of one array in one store, and how they are read and written."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from zom.dataclass import dataclass
from zom.engine.split import count_parts
from zom.engine.workers import processors, worth
from zom.errors import ChunkError, MissingChunk
from zom.extension.axis import Axis

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from zom.engine.index import Index
    from zom.engine.plan import ArrayPlan, ChunkForm
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

_LARGE_INNER = 1 << 16
"""The bytes of an inner chunk from which on that holds for as many bytes of a shard, ..."""

_LARGE_SLOW = 1 << 12
"""... and with codecs that take their time, or none."""


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

    @property
    def are_bytes(self) -> bool:
        """Whether chunks are stored as they lie in memory."""
        uniform = self.plan.uniform
        return uniform is not None and self.plan.form(uniform).chain.direct

    @property
    def decodes_batches(self) -> bool:
        """Whether the inner chunks of a shard are decoded together, without the interpreter's lock."""
        form = self._inner
        return form is not None and form.rows.is_possible and form.chain.batches

    @property
    def _inner(self) -> ChunkForm | None:
        """The form of the inner chunks of all shards."""
        uniform = self.plan.uniform
        return None if uniform is None else self.plan.form(uniform).inner

    def threads_inside(self, form: ChunkForm, count: int) -> int:
        """How many threads may share what is inside of each of `count` chunks of this form, where these are large shards."""
        if form.shard is None or worth(2, form.nbytes) == 1:
            return 1
        if self.store.capabilities.lock_holds_all or self.plan.data_type.itemsize is None:
            return 1
        return max(1, (self.options.threads or processors()) // count)

    def kind(self, act: Literal["read", "write"]) -> Hashable:
        """What makes the work on chunks alike: the store, the codecs, and the bytes of a chunk."""
        uniform = self.plan.uniform
        forms = [] if uniform is None else [self.plan.form(uniform)]
        if self._inner is not None:
            forms.append(self._inner)
        return (act, type(self.store), *[(form.nbytes, form.chain.names) for form in forms])

    def keyed(self, parts: Walk) -> Iterator[Keyed]:
        """Each part with the key of its chunk."""
        return zip(parts, parts.keys(self.plan.keys, self.prefix), strict=True)

    def note_missing(self, key: str) -> None:
        """Take note that there is no chunk under `key`, or raise where that is an error."""
        if self.options.missing == "error":
            raise MissingChunk(self.store.url, self.node, key, "read", "it is not there")
        self.counts[1] += 1
        if not self.missing:
            self.missing.append(key)

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

    def refused(self, verb: str, key: str, error: CodecError | MemoryError) -> ChunkError:
        """The error of a chunk whose codecs raised `error`."""
        if isinstance(error, MemoryError):
            detail = f": {error}" if str(error) else ""
            return ChunkError(
                self.store.url, self.node, key, verb, f"there is no memory for it{detail}", lacks_memory=True
            )
        return self.failure(verb, key, error.reason, error.codec, byte_range=error.byte_range)

    def locate(self, error: StoreError) -> None:
        """Say in `error` which array was read or written."""
        error.node = error.node or self.node or "/"

    def units(self, index: Index, count: int) -> int:
        """How many pieces are decoded by themselves for each of `count` parts: more than one in shards.

        0 says that threads share the work, whatever it is: chunks or parts of shards are large.
        """
        if self.heavy:
            return 0
        plan = self.plan
        inner = self._inner
        if inner is None or not count:
            return 1
        if index.joint and not index.basic:
            # Splitting points takes as long as reading them; few lie in one inner chunk.
            pieces = max(1, math.prod(index.shape) // count)
        else:
            axes = tuple(Axis(axis.length, size) for axis, size in zip(plan.axes, inner.shape, strict=True))
            pieces = max(1, count_parts(index, axes) // count)
        if inner.chain.direct and not index.basic:
            return pieces  # without codecs, points are many small calls
        is_slow = inner.chain.is_slow or inner.chain.direct
        is_large = inner.nbytes >= (_LARGE_SLOW if is_slow else _LARGE_INNER)
        return 0 if is_large and pieces * inner.nbytes >= _HEAVY else pieces
