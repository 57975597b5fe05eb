"""The methods that a store defines, with an underscore, and the defaults of all others.

They only get valid keys and byte ranges, and are never asked to write to a read-only store: `Store`,
the public class, checks that first.
"""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from zom.errors import ReadOnlyError, StoreError, StoreNotFound, ZomError
from zom.paths import is_stored_key
from zom.patterns import compiled_later
from zom.reason import reason_of, reason_of_number
from zom.stores.capabilities import Capabilities
from zom.stores.locks import KeyLocks
from zom.stores.obstacles import Obstacle, Wanted, long_keys
from zom.stores.ranges import ByteRange, Part, Range
from zom.stores.results import Listing, Versioned
from zom.stores.snapshots import AskedSnapshot, Snapshot
from zom.stores.values import check_part, found_value, found_values

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from zom.problems import Problem
    from zom.stores.oddities import Oddity

__all__ = ["Backend", "Origin"]

Origin: TypeAlias = Literal["stored", "foreign", "made"]
"""Where chunks come from: "stored" as written; "foreign", the unchanged chunks of a file of another format;
"made" by the store on each read, from a file that has no such chunks."""

_HALF = compiled_later("[\ud800-\udfff]")


class Backend(ABC):
    """The storage side of a store: the methods that subclasses implement.

    >>> sorted(Backend.__abstractmethods__)
    ['_read', 'url']
    """

    capabilities: Capabilities = Capabilities()

    @property
    def oddities(self) -> Sequence[Oddity]:
        """Irregular content that the store reads nevertheless."""
        return ()

    @property
    def losses(self) -> Sequence[Problem]:
        """Content of a file of another format that its hierarchy lacks; copies report it."""
        return ()

    @property
    def uncommitted(self) -> Mapping[str, Sequence[Sequence[int]]]:
        """Chunks written since the last commit, by array path; copies hold them, too."""
        return {}

    def absorb(self, other: Backend) -> None:
        """Merge the changes of `other`, a copy of this store from another process.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().absorb(MemoryStore())  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        zom.errors.StoreError: memory://: cannot merge: this store can't merge copies from other processes...
        """
        del other
        raise StoreError(self.url, "", "merge", "this store can't merge copies from other processes")

    def origin(self, prefix: str) -> Origin:
        """Return the origin of the chunks whose keys start with `prefix`.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().origin("a/")
        'stored'
        """
        del prefix
        return "stored"

    # --- required and basic methods ------------------------------------------------------------------

    @property
    @abstractmethod
    def url(self) -> str:
        """The store's location without credentials, for messages and `repr`."""

    @abstractmethod
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        """Return the value of `key`, or its bytes in `byte_range`; None if it is missing."""

    def _write(self, key: str, value: bytes) -> None:
        del value
        raise ReadOnlyError(self.url, key, "write")

    def _write_view(self, key: str, value: memoryview[Any]) -> None:
        """Write memory that the caller may change later; the default copies it first."""
        self._write(key, value.tobytes())

    def _remove(self, key: str) -> None:
        raise ReadOnlyError(self.url, key, "delete")

    def _keys(self, prefix: str) -> Iterable[str]:
        del prefix
        raise StoreError(self.url, "", "list", "this store can't list its keys")

    # --- defaults that a store may override ----------------------------------------------------------

    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        for key in self._keys(prefix):
            if is_stored_key(key) and (size := self._size_of(key)) is not None:
                yield key, size

    def _size_of(self, key: str) -> int | None:
        """Return the size of the value in bytes; read the value only if nothing else tells."""
        found = self._snapshot(key)
        if found is None:
            return None
        try:
            return len(found.get()) if found.size is None else found.size
        finally:
            found.close()

    def _read_value(self, key: str, byte_range: ByteRange | None = None) -> bytes | None:
        """Return the result of `_read` as bytes, whatever its type."""
        found = self._read(key, byte_range)
        value = found if type(found) is bytes else found_value(self, key, found)
        if byte_range is not None:
            check_part(self, key, byte_range, value)
        return value

    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        values: list[bytes | None] = []
        for key, byte_range in requests:
            with self._told(key, "read"):
                # The caller checks their lengths once all answers are there.
                values.append(found_value(self, key, self._read(key, byte_range)))
        return values

    def _read_parts(self, parts: Sequence[Part]) -> list[Versioned | None]:
        """Return the bytes of each part, with the mark of its version.

        None means that the value is missing or has another version than the requested one. A store that
        can't tell versions returns any, with the mark None.
        """
        keys = [part.key for part in parts]
        found = self._read_many([(part.key, part.byte_range) for part in parts])
        values = found_values(self, keys, found)
        return [None if value is None else Versioned(value, None) for value in values]

    def _read_into(self, key: str, target: memoryview[Any]) -> int | None:
        value = self._read_value(key)
        if value is None:
            return None
        if value and len(value) == target.nbytes:
            target.cast("B")[:] = value
        return len(value)

    def _snapshot(self, key: str) -> Snapshot | None:
        return None if self._read_value(key, Range(0, 0)) is None else AskedSnapshot(self, key)

    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        for key, value in items:
            with self._told(key, "write"), self._excluding(key):
                self._write(key, value)

    def _write_partial(self, key: str, start: int, value: bytes) -> None:
        with self._lock(key):
            old = self._read_value(key) or b""
            if start < 0 or start > len(old):
                reason = f"expected a start from 0 to {len(old)}, got {start}"
                raise StoreError(self.url, key, "write", reason)
            self._write(key, old[:start] + value + old[start + len(value) :])

    def _remove_many(self, keys: Sequence[str]) -> None:
        for key in keys:
            with self._told(key, "delete"), self._excluding(key):
                self._remove(key)

    def _remove_prefix(self, prefix: str) -> None:
        self._remove_many([key for key in self._keys(prefix) if is_stored_key(key)])

    def _list_dir(self, prefix: str) -> Listing:
        keys: list[str] = []
        prefixes: dict[str, None] = {}
        for key in self._keys(prefix):
            name, slash, _ = key[len(prefix) :].partition("/")
            if slash:
                prefixes[f"{prefix}{name}/"] = None
            else:
                keys.append(key)
        return Listing(keys, list(prefixes))

    def _lists_by_scan(self) -> bool:
        """Whether listing one directory scans all keys below it, like the default `_list_dir`."""
        return type(self)._list_dir is Backend._list_dir  # noqa: SLF001 - own method

    def _create(self, key: str, value: bytes) -> bool:
        with self._lock(key):
            if self._read_value(key, Range(0, 0)) is not None:
                return False
            self._write(key, value)
            return True

    def _claim(self, key: str, value: bytes) -> bool | None:
        """As `_create`; None if the caller must read the key to learn whose value it has."""
        return self._create(key, value)

    def _create_many(self, items: Sequence[tuple[str, bytes]]) -> list[bool]:
        made: list[bool] = []
        for key, value in items:
            with self._told(key, "create"), self._excluding(key):
                made.append(self._create(key, value))
        return made

    def _read_version(self, key: str) -> Versioned | None:
        value = self._read_value(key)
        return None if value is None else Versioned(value, value)

    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        with self._lock(key):
            found = self._read_version(key)
            if (None if found is None else found.version) != version:
                return False
            self._write(key, value)
            return True

    def _rename(self, old: str, new: str) -> None:
        moved = list(self._keys(old))
        for key in moved:
            value = self._read_value(key)
            if value is not None:
                self._write(new + key[len(old) :], value)
        self._remove_many(moved)

    longest_key: int | None = None
    """The maximum length of a key in UTF-8 bytes; None if unlimited."""

    def holds(self, key: str) -> bool:
        """Whether the store can hold `key`: by default any valid Unicode text, so no lone surrogates.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().holds("a/b")
        True
        """
        return not _HALF.search(key)

    @property
    def folds_names(self) -> bool:
        """Whether names that differ only in case or Unicode form are the same name here."""
        return False

    def _obstacles(self, wanted: Wanted) -> Iterable[Obstacle]:
        """List why `wanted` can't be done, as far as a check without changes can tell."""
        return () if self.longest_key is None else long_keys(wanted.writes, self.longest_key)

    def _move(self, key: str, new: str) -> None:
        value = self._read_value(key)
        if value is None:
            raise FileNotFoundError(errno.ENOENT, "the key to move is missing")
        self._write(new, value)
        self._remove(key)

    def _lock(self, key: str) -> AbstractContextManager[None]:
        locks: KeyLocks | None = vars(self).get("_key_locks")
        if locks is None:
            locks = cast("KeyLocks", vars(self).setdefault("_key_locks", KeyLocks()))
        return locks.hold(key)

    def _lock_briefly(self, key: str) -> AbstractContextManager[None]:
        """As `_lock`, for a block in which this thread only reads and changes that key."""
        return self._lock(key)

    def _excluding(self, key: str) -> AbstractContextManager[None]:
        """Exclude holders of the lock of `key` while it is written or deleted as a whole.

        A store whose own methods do this returns `nullcontext()`.
        """
        return self._lock(key)

    def _writing(self, *, helps: bool) -> AbstractContextManager[None]:
        """Open a block in which one thread writes many values; `helps` if it works for another thread."""
        del helps
        return nullcontext()

    @contextmanager
    def _excluding_all(self, keys: Iterable[str]) -> Generator[None]:
        """As `_excluding` for many keys, in a fixed order that prevents deadlocks."""
        with ExitStack() as held:
            for key in sorted(set(keys)):
                held.enter_context(self._excluding(key))
            yield

    def _reason(self, cause: Exception) -> str:
        """Describe a failure of the storage below in a few words."""
        if isinstance(cause, MemoryError):
            return reason_of_number(errno.ENOMEM)
        if isinstance(cause, OSError) and cause.strerror:
            return reason_of(cause)
        return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__

    def _told(self, key: str, verb: str) -> _Told:
        """Return a block that converts any exception to a StoreError with the place."""
        return _Told(self, key, verb)


class _Told:
    __slots__ = ("key", "store", "verb")

    def __init__(self, store: Backend, key: str, verb: str) -> None:
        self.store = store
        self.key = key
        self.verb = verb

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, ZomError):
            reason = self.store._reason(error)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            is_missing = isinstance(error, FileNotFoundError) and self.verb == "open"
            made = StoreNotFound if is_missing else StoreError
            raise made(self.store.url, self.key, self.verb, reason) from error
