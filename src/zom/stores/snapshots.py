"""Snapshots: the parts of one version of a value, read one after the other.

A shard is read in parts: its index, then the chunks that the index says where to find. Where another
writes a new shard in between, the old index means nothing for the new bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, cast

from typing_extensions import override

from zom.errors import StoreError, ZomError
from zom.stores.ranges import ByteRange, Part, check_range, cut
from zom.stores.values import found_parts, found_values, wrong_answer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from zom.stores.backend import Backend

    class Opener(Protocol):
        """What can be asked for a snapshot, to be closed afterwards."""

        def open_snapshot(self, key: str) -> Snapshot | None:
            """The value under `key`, to be read in parts; None where it is missing."""


__all__ = ["CHANGED", "AskedSnapshot", "OpenSnapshot", "Snapshot", "ValueSnapshot"]


CHANGED: Final = "it was replaced or deleted while it was read in parts; read it again"
"""Why parts that were read are of no one version."""


class Snapshot:
    """A value that is read in parts; made by `Store.snapshot`.

    A byte range that reaches over the end of the value gives the bytes that are there.

    >>> from zom.stores.interface import Range, Suffix
    >>> from zom.stores.memory import MemoryStore
    >>> with MemoryStore({"a": b"0123456789"}).snapshot("a") as value:
    ...     value.size, value.get(Suffix(2)), value.get_many([Range(0, 2), Range(5, 2)])
    (10, b'89', [b'01', b'56'])
    """

    size: int | None = None
    """How many bytes the value has, where that is known without asking."""
    consistent: bool = True
    """Whether all parts are of one version of the value, whoever writes meanwhile."""

    def __init__(self, store: Backend, key: str) -> None:
        self._store = store
        self._key = key

    # --- what a kind of snapshot defines -----------------------------------------------------------

    def _part(self, byte_range: ByteRange | None) -> bytes:
        raise NotImplementedError

    def _parts(self, ranges: Sequence[ByteRange]) -> list[bytes]:
        return [self._part(byte_range) for byte_range in ranges]

    # --- reading -----------------------------------------------------------------------------------

    def get(self, byte_range: ByteRange | None = None) -> bytes:
        """The bytes that `byte_range` means, or all."""
        try:
            if byte_range is not None:
                check_range(byte_range)
            return self._present([self._part(byte_range)], [self._key], "_part")[0]
        except ZomError:
            raise
        except Exception as cause:
            raise self._failure(cause) from cause

    def get_many(self, ranges: Sequence[ByteRange]) -> list[bytes]:
        """The bytes that each of `ranges` means, in their order."""
        try:
            for byte_range in ranges:
                check_range(byte_range)
            return self._present(self._parts(ranges), [self._key] * len(ranges), "_parts")
        except ZomError:
            raise
        except Exception as cause:
            raise self._failure(cause) from cause

    def _present(self, parts: object, keys: Sequence[str], method: str) -> list[bytes]:
        """What `method` found, of a value that was there when the snapshot was taken."""
        found = found_values(self._store, keys, parts, method)
        if None in found:
            raise wrong_answer(self._store, self._key, "read", "bytes", method, None)
        return cast("list[bytes]", found)

    def close(self) -> None:
        """Give back what it holds; it is not used afterwards. Closing twice does nothing."""

    def _failure(self, cause: Exception) -> StoreError:
        reason = self._store._reason(cause)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        return StoreError(self._store.url, self._key, "read", reason)


class ValueSnapshot(Snapshot):
    """A snapshot of a value that is in memory."""

    def __init__(self, store: Backend, key: str, value: bytes) -> None:
        super().__init__(store, key)
        self._value = value
        self.size = len(value)

    @override
    def _part(self, byte_range: ByteRange | None) -> bytes:
        return cut(self._value, byte_range)


class AskedSnapshot(Snapshot):
    """Each part is asked of the store, which may hold another value by then: that is told, where it knows versions."""

    consistent = False

    def __init__(self, store: Backend, key: str) -> None:
        super().__init__(store, key)
        self._version: Any = None

    @override
    def _part(self, byte_range: ByteRange | None) -> bytes:
        return self._ask([byte_range])[0]

    @override
    def _parts(self, ranges: Sequence[ByteRange]) -> list[bytes]:
        return self._ask(ranges) if ranges else []

    def _ask(self, ranges: Sequence[ByteRange | None]) -> list[bytes]:
        parts = [Part(self._key, byte_range, self._version) for byte_range in ranges]
        found = found_parts(self._store, parts, self._store._read_parts(parts))  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        there = [each for each in found if each is not None]
        if len(there) < len(found) or any(each.version != there[0].version for each in there):
            raise StoreError(self._store.url, self._key, "read", CHANGED)
        self._version = there[0].version
        return [each.value for each in there]


class OpenSnapshot:
    """Opens a snapshot for a block, and closes it after it."""

    __slots__ = ("_key", "_snapshot", "_store")

    def __init__(self, store: Opener, key: str) -> None:
        self._store = store
        self._key = key

    def __enter__(self) -> Snapshot | None:
        self._snapshot = self._store.open_snapshot(self._key)
        return self._snapshot

    def __exit__(self, kind: object, error: object, trace: object) -> Literal[False]:
        if self._snapshot is not None:
            self._snapshot.close()
        return False
