"""The interface of stores: bytes by key, in batches.

Zarr v3 core, section "Abstract store interface"; its operations under their names here:

    get                   Store.get                erase          Store.delete
    get_partial_values    Store.get_many           erase_values   Store.delete_many
    set                   Store.set                erase_prefix   Store.delete_prefix
    set_partial_values    Store.set_partial        list, list_prefix   Store.list
                                                   list_dir       Store.list_dir

A new store defines `_read`, and as far as it can `_write`, `_remove` and `_keys`; everything else has a
default made of these. Missing is None; whatever else goes wrong raises `StoreError`. Keys are checked
here, and so is whether the store may be written: a store's own methods see good keys only.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from zom.errors import ReadOnlyError, StoreError, ZomError
from zom.paths import check_key, check_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["ByteRange", "Capabilities", "Listing", "Range", "Request", "Store", "Suffix", "Versioned", "cut"]


class Range(NamedTuple):
    """The bytes of a value from `start` on: `length` of them, or all.

    >>> cut(b"abcdef", Range(1, 3)), cut(b"abcdef", Range(4))
    (b'bcd', b'ef')
    """

    start: int
    length: int | None = None


class Suffix(NamedTuple):
    """The last `length` bytes of a value, or all where it is shorter.

    >>> cut(b"abcdef", Suffix(2))
    b'ef'
    """

    length: int


ByteRange: TypeAlias = Range | Suffix
"""Which bytes of a value are meant. A range that reaches over the end gives the bytes that are there."""

Request: TypeAlias = "str | tuple[str, ByteRange | None]"
"""What is asked of `get_many`: a key, or a key and a byte range."""


class Versioned(NamedTuple):
    """A value, and the mark by which a store knows whether it has changed since."""

    value: bytes
    version: Any


class Listing(NamedTuple):
    """What lies directly below a prefix: whole keys, and prefixes that end in a slash."""

    keys: list[str]
    prefixes: list[str]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a store can do, as data.

    >>> Capabilities(listable=False).listable
    False
    """

    writable: bool = True
    listable: bool = True
    atomic_replace: bool = True
    """A reader sees the old value or the new one, whatever happens to the writer."""
    create_if_absent: bool = False
    """Of several creators of one key, in any process, exactly one succeeds."""
    compare_and_set: bool = False
    """A value is replaced only where it is still the one that was read."""
    durable: bool = False
    """What was written survives a loss of power."""
    rename: bool = False
    """A whole prefix moves in one step."""


def cut(value: bytes, byte_range: ByteRange | None) -> bytes:
    """The bytes of `value` that `byte_range` means.

    >>> cut(b"abc", None)
    b'abc'
    """
    if byte_range is None:
        return value
    if isinstance(byte_range, Suffix):
        return value[max(0, len(value) - byte_range.length) :]
    if byte_range.length is None:
        return value[byte_range.start :]
    return value[byte_range.start : byte_range.start + byte_range.length]


class Store(ABC):
    """Bytes by key. Safe to use from several threads.

    A store for any mapping takes four short methods:

    >>> class DictStore(Store):
    ...     def __init__(self): self.data = {}
    ...     @property
    ...     def url(self): return "dict:"
    ...     def _read(self, key, byte_range):
    ...         value = self.data.get(key)
    ...         return None if value is None else cut(value, byte_range)
    ...     def _write(self, key, value): self.data[key] = value
    ...     def _remove(self, key): self.data.pop(key, None)
    ...     def _keys(self, prefix): return [k for k in self.data if k.startswith(prefix)]
    >>> store = DictStore()
    >>> store.set("a/b", b"1"); store.get("a/b"), store.get("a"), store.list_dir("")
    (b'1', None, Listing(keys=[], prefixes=['a/']))
    """

    capabilities: Capabilities = Capabilities()

    # --- what a store defines ------------------------------------------------------------------

    @property
    @abstractmethod
    def url(self) -> str:
        """Where the store is, without credentials: what messages and `repr` show."""

    @abstractmethod
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        """The value, or those bytes of it; None where there is no such key."""

    def _write(self, key: str, value: bytes) -> None:
        raise ReadOnlyError(self.url, key, "write")

    def _remove(self, key: str) -> None:
        raise ReadOnlyError(self.url, key, "delete")

    def _keys(self, prefix: str) -> Iterable[str]:
        del prefix
        raise StoreError(self.url, "", "list", "this store can't list its keys")

    # --- what a store may define better ----------------------------------------------------------

    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        return [self._read(key, byte_range) for key, byte_range in requests]

    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        for key, value in items:
            self._write(key, value)

    def _remove_many(self, keys: Sequence[str]) -> None:
        for key in keys:
            self._remove(key)

    def _list_dir(self, prefix: str) -> Listing:
        keys: list[str] = []
        prefixes: dict[str, None] = {}
        for key in self._keys(prefix):
            name, slash, _ = key[len(prefix) :].partition("/")
            if slash:
                prefixes[f"{prefix}{name}/"] = None
            else:
                keys.append(key)
        return Listing(sorted(keys), sorted(prefixes))

    def _create(self, key: str, value: bytes) -> bool:
        with self.lock(key):
            if self._read(key, Range(0, 0)) is not None:
                return False
            self._write(key, value)
            return True

    def _read_version(self, key: str) -> Versioned | None:
        value = self._read(key, None)
        return None if value is None else Versioned(value, value)

    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        with self.lock(key):
            found = self._read_version(key)
            if (None if found is None else found.version) != version:
                return False
            self._write(key, value)
            return True

    def _rename(self, old: str, new: str) -> None:
        for key in list(self._keys(old)):
            value = self._read(key, None)
            if value is not None:
                self._write(new + key[len(old) :], value)
        self._remove_many(list(self._keys(old)))

    @contextmanager
    def _lock(self, key: str) -> Iterator[None]:
        with _locks_of(self).hold(key):
            yield

    # --- reading -----------------------------------------------------------------------------------

    def get(self, key: str, byte_range: ByteRange | None = None) -> bytes | None:
        """The value under `key`, or the bytes of it that `byte_range` means; None where it is missing."""
        check_key(key)
        with self._told(key, "read"):
            return self._read(key, byte_range)

    def get_many(self, requests: Iterable[Request]) -> list[bytes | None]:
        """The answers to all requests, in their order; the store reads as many at once as suits it."""
        pairs = [(request, None) if isinstance(request, str) else request for request in requests]
        for key, _ in pairs:
            check_key(key)
        with self._told(pairs[0][0] if len(pairs) == 1 else "", "read"):
            return self._read_many(pairs)

    def exists(self, key: str) -> bool:
        """Whether there is a value under `key`."""
        return self.get(key, Range(0, 0)) is not None

    def get_version(self, key: str) -> Versioned | None:
        """The value under `key` with the mark that `replace` asks for; None where it is missing."""
        check_key(key)
        with self._told(key, "read"):
            return self._read_version(key)

    # --- writing -----------------------------------------------------------------------------------

    def set(self, key: str, value: bytes) -> None:
        """Put `value` under `key`: afterwards, whatever happens, there is the old value or the new."""
        self._check_write(key, "write")
        with self._told(key, "write"):
            self._write(key, _as_bytes(value))

    def set_many(self, items: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> None:
        """Put each value under its key, in order; after a failure, those before it are written."""
        pairs = [
            (key, _as_bytes(value)) for key, value in (items.items() if hasattr(items, "items") else items)
        ]  # type: ignore[union-attr]
        for key, _ in pairs:
            self._check_write(key, "write")
        with self._told(pairs[0][0] if len(pairs) == 1 else "", "write"):
            self._write_many(pairs)

    def set_partial(self, key: str, start: int, value: bytes) -> None:
        """Put `value` over the bytes of what is under `key`, from `start` on; a gap is an error."""
        self._check_write(key, "write")
        with self._told(key, "write"), self._lock(key):
            old = self._read(key, None) or b""
            if start < 0 or start > len(old):
                raise StoreError(
                    self.url, key, "write", f"expected a start from 0 to {len(old)}, got {start}"
                )
            self._write(key, old[:start] + value + old[start + len(value) :])

    def create(self, key: str, value: bytes) -> bool:
        """Put `value` under `key` where nothing is; False where something was."""
        self._check_write(key, "create")
        with self._told(key, "create"):
            return self._create(key, _as_bytes(value))

    def replace(self, key: str, value: bytes, version: Any) -> bool:
        """Put `value` under `key` where it still holds what `get_version` read; else False."""
        self._check_write(key, "write")
        with self._told(key, "write"):
            return self._replace(key, _as_bytes(value), version)

    def delete(self, key: str) -> None:
        """Take `key` away; it need not be there."""
        self._check_write(key, "delete")
        with self._told(key, "delete"):
            self._remove(key)

    def delete_many(self, keys: Iterable[str]) -> None:
        """Take all `keys` away; they need not be there."""
        given = list(keys)
        for key in given:
            self._check_write(key, "delete")
        with self._told(given[0] if len(given) == 1 else "", "delete"):
            self._remove_many(given)

    def delete_prefix(self, prefix: str) -> None:
        """Take away every key below `prefix`, which ends in a slash; "" means all."""
        check_prefix(prefix)
        self._check_write("", "delete")
        with self._told(prefix, "delete"):
            self._remove_many(list(self._keys(prefix)))

    def rename(self, old: str, new: str) -> None:
        """Move every key below the prefix `old` to the prefix `new`, below which there is nothing."""
        check_prefix(old)
        check_prefix(new)
        self._check_write("", "rename")
        with self._told(old, "rename"):
            if next(iter(self._keys(new)), None) is not None:
                raise StoreError(self.url, new, "rename", "there are keys below the new prefix")
            self._rename(old, new)

    @contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Keep others from changing `key` meanwhile: other threads, and, where the store can, processes."""
        check_key(key)
        with self._lock(key):
            yield

    # --- listing -----------------------------------------------------------------------------------

    def list(self, prefix: str = "") -> Iterator[str]:
        """Every key below `prefix`, which is empty or ends in a slash, in no certain order."""
        check_prefix(prefix)
        with self._told(prefix, "list"):
            yield from self._keys(prefix)

    def list_dir(self, prefix: str = "") -> Listing:
        """The keys and the prefixes directly below `prefix`, sorted."""
        check_prefix(prefix)
        with self._told(prefix, "list"):
            return self._list_dir(prefix)

    # --- life --------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Make what was written durable, where the store promises that."""

    def close(self) -> None:
        """Give back what the store holds; it is not used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"

    # --- private -----------------------------------------------------------------------------------

    def _check_write(self, key: str, verb: str) -> None:
        if key:
            check_key(key)
        if not self.capabilities.writable:
            raise ReadOnlyError(self.url, key, verb)

    @contextmanager
    def _told(self, key: str, verb: str) -> Iterator[None]:
        """Turns what goes wrong below into one error that says where."""
        try:
            yield
        except ZomError:
            raise
        except Exception as cause:
            raise StoreError(self.url, key, verb, _reason(cause)) from cause


def _reason(cause: Exception) -> str:
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror.lower()
    return f"{type(cause).__name__}: {cause}"


def _as_bytes(value: bytes | bytearray | memoryview) -> bytes:
    """The value as bytes that can't change under the store."""
    return value if type(value) is bytes else bytes(value)


class KeyLocks:
    """One lock for each key that is held or waited for; none for others."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: dict[str, tuple[threading.RLock, int]] = {}  # type: ignore[valid-type]

    @contextmanager
    def hold(self, key: str) -> Iterator[None]:
        """Hold the lock of `key`."""
        with self._guard:
            lock, users = self._held.get(key, (threading.RLock(), 0))
            self._held[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._held[key]
                if users == 1:
                    del self._held[key]
                else:
                    self._held[key] = (lock, users - 1)


def _locks_of(store: Store) -> KeyLocks:
    with _making:
        locks: KeyLocks | None = store.__dict__.get("_key_locks")
        if locks is None:
            locks = store.__dict__["_key_locks"] = KeyLocks()
        return locks


_making = threading.Lock()
