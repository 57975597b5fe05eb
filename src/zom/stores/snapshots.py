"""Snapshots: the parts of one version of a value, read one after the other.

A shard is read in parts: its index, then the chunks that the index locates. If a writer replaces the
shard in between, the old index doesn't fit the new bytes.
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
        """An object that opens snapshots, which the caller closes."""

        def open_snapshot(self, key: str) -> Snapshot | None:
            """Open the value of `key` for reading in parts; None if it is missing."""


__all__ = ["CHANGED", "AskedSnapshot", "OpenSnapshot", "Snapshot", "ValueSnapshot"]


CHANGED: Final = "it was replaced or deleted while it was read in parts; read it again"
"""The reason if parts of different versions were read."""


class Snapshot:
    """A value that is read in parts; made by `Store.snapshot`.

    A byte range that exceeds the value returns the existing bytes.

    >>> from zom.stores.interface import Range, Suffix
    >>> from zom.stores.memory import MemoryStore
    >>> with MemoryStore({"a": b"0123456789"}).snapshot("a") as value:
    ...     value.size, value.get(Suffix(2)), value.get_many([Range(0, 2), Range(5, 2)])
    (10, b'89', [b'01', b'56'])
    """

    size: int | None = None
    """The size of the value in bytes, if known without a request."""
    consistent: bool = True
    """Whether all parts come from one version of the value, even if another writer replaces it."""

    def __init__(self, store: Backend, key: str) -> None:
        self._store = store
        self._key = key

    # --- methods for subclasses --------------------------------------------------------------------

    def _part(self, byte_range: ByteRange | None) -> bytes:
        raise NotImplementedError

    def _parts(self, ranges: Sequence[ByteRange]) -> list[bytes]:
        return [self._part(byte_range) for byte_range in ranges]

    # --- reading -----------------------------------------------------------------------------------

    def get(self, byte_range: ByteRange | None = None) -> bytes:
        """Return the bytes in `byte_range`, or all."""
        try:
            if byte_range is not None:
                check_range(byte_range)
            return self._present([self._part(byte_range)], [self._key], "_part")[0]
        except ZomError:
            raise
        except Exception as cause:
            raise self._failure(cause) from cause

    def get_many(self, ranges: Sequence[ByteRange]) -> list[bytes]:
        """Return the bytes in each of `ranges`, in order."""
        try:
            for byte_range in ranges:
                check_range(byte_range)
            return self._present(self._parts(ranges), [self._key] * len(ranges), "_parts")
        except ZomError:
            raise
        except Exception as cause:
            raise self._failure(cause) from cause

    def _present(self, parts: object, keys: Sequence[str], method: str) -> list[bytes]:
        """Return the results of `method` as bytes; StoreError if any is missing."""
        found = found_values(self._store, keys, parts, method)
        if None in found:
            raise wrong_answer(self._store, self._key, "read", "bytes", method, None)
        return cast("list[bytes]", found)

    def close(self) -> None:
        """Release its resources; don't use it afterwards. Closing twice does nothing."""

    def _failure(self, cause: Exception) -> StoreError:
        reason = self._store._reason(cause)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        return StoreError(self._store.url, self._key, "read", reason)


class ValueSnapshot(Snapshot):
    """A snapshot of a value in memory."""

    def __init__(self, store: Backend, key: str, value: bytes) -> None:
        super().__init__(store, key)
        self._value = value
        self.size = len(value)

    @override
    def _part(self, byte_range: ByteRange | None) -> bytes:
        return cut(self._value, byte_range)


class AskedSnapshot(Snapshot):
    """A snapshot that requests each part; raises if the value has changed, if the store knows versions."""

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
    """Opens a snapshot for a block and closes it at the end."""

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
