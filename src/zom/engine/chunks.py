"""The chunks of one array in one store, and how they are read and written."""

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
"""How a missing chunk is treated."""


_HEAVY = 1 << 20
"""Bytes of a chunk from which codecs and copies take most of its time."""

_LARGE_INNER = 1 << 16
"""Bytes of an inner chunk from which the same holds, for as many bytes of a shard, ..."""

_LARGE_SLOW = 1 << 12
"""... and with slow codecs, or none."""


@dataclass(frozen=True, slots=True)
class Options:
    """How chunks are read and written.

    >>> Options().missing
    'fill'
    """

    missing: Missing = "fill"
    """How a missing chunk is treated: as fill values, or as an error."""
    write_empty_chunks: bool = False
    """Whether chunks that hold only the fill value, bit for bit, are written."""
    threads: int | None = None
    """Maximum number of threads per operation; None chooses by the work on the chunks."""

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
    """Prefix of all chunk keys: empty, or with a slash at its end."""
    node: str
    """The path of the array, for messages."""
    options: Options
    missing: list[str] = field(default_factory=list[str])
    """Key of the first missing chunk of a read, if any."""
    counts: list[int] = field(default_factory=lambda: [0, 0])
    """Number of requested chunks, and of missing ones among these; threads may count fewer."""

    @property
    def found_nothing(self) -> bool:
        """Whether chunks were requested, and all of them are missing."""
        asked, missed = self.counts
        return 0 < asked <= missed

    @property
    def heavy(self) -> bool:
        """Whether most of the work on a chunk runs without the interpreter lock, so that threads share it."""
        plan = self.plan
        uniform = plan.uniform
        if uniform is None or plan.data_type.itemsize is None:
            return False
        form = plan.form(uniform)
        return form.nbytes >= _HEAVY and form.shard is None

    @property
    def are_bytes(self) -> bool:
        """Whether chunks are stored as they are in memory."""
        uniform = self.plan.uniform
        return uniform is not None and self.plan.form(uniform).chain.direct

    @property
    def decodes_batches(self) -> bool:
        """Whether the inner chunks of a shard are decoded together, without the interpreter lock."""
        form = self._inner
        return form is not None and form.rows.is_possible and form.chain.batches

    @property
    def _inner(self) -> ChunkForm | None:
        """The form of the inner chunks of all shards."""
        uniform = self.plan.uniform
        return None if uniform is None else self.plan.form(uniform).inner

    def threads_inside(self, form: ChunkForm, count: int) -> int:
        """Number of threads that may share each of `count` chunks, if these are large shards."""
        if form.shard is None or worth(2, form.nbytes) == 1:
            return 1
        if self.store.capabilities.lock_holds_all or self.plan.data_type.itemsize is None:
            return 1
        return max(1, (self.options.threads or processors()) // count)

    def kind(self, act: Literal["read", "write"]) -> Hashable:
        """A key for this kind of work: the act, the type of store, the codecs, and the bytes of a chunk."""
        uniform = self.plan.uniform
        forms = [] if uniform is None else [self.plan.form(uniform)]
        if self._inner is not None:
            forms.append(self._inner)
        return (act, type(self.store), *[(form.nbytes, form.chain.names) for form in forms])

    def keyed(self, parts: Walk) -> Iterator[Keyed]:
        """Each part with the key of its chunk."""
        return zip(parts, parts.keys(self.plan.keys, self.prefix), strict=True)

    def note_missing(self, key: str) -> None:
        """Record that there is no chunk at `key`, or raise if that is an error."""
        if self.options.missing == "error":
            raise MissingChunk(self.store.url, self.node, key, "read", "it is missing")
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
        """The ChunkError for a chunk."""
        return ChunkError(self.store.url, self.node, key, verb, reason, codec=codec, byte_range=byte_range)

    def refused(self, verb: str, key: str, error: CodecError | MemoryError) -> ChunkError:
        """The ChunkError for a chunk whose codecs raised `error`."""
        if isinstance(error, MemoryError):
            detail = f": {error}" if str(error) else ""
            return ChunkError(
                self.store.url, self.node, key, verb, f"not enough memory{detail}", lacks_memory=True
            )
        return self.failure(verb, key, error.reason, error.codec, byte_range=error.byte_range)

    def locate(self, error: StoreError) -> None:
        """Add the path of the array to `error`."""
        error.node = error.node or self.node or "/"

    def units(self, index: Index, count: int) -> int:
        """The number of separately decoded pieces for each of `count` parts; more than one in shards.

        0 means that threads always share the work: chunks or parts of shards are large.
        """
        if self.heavy:
            return 0
        plan = self.plan
        inner = self._inner
        if inner is None or not count:
            return 1
        if index.joint and not index.basic:
            # Splitting points takes as long as reading them; few are in one inner chunk.
            pieces = max(1, math.prod(index.shape) // count)
        else:
            axes = tuple(Axis(axis.length, size) for axis, size in zip(plan.axes, inner.shape, strict=True))
            pieces = max(1, count_parts(index, axes) // count)
        if inner.chain.direct and not index.basic:
            return pieces  # without codecs, points are many small calls
        is_slow = inner.chain.is_slow or inner.chain.direct
        is_large = inner.nbytes >= (_LARGE_SLOW if is_slow else _LARGE_INNER)
        return 0 if is_large and pieces * inner.nbytes >= _HEAVY else pieces
