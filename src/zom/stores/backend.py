"""What a store defines: a few methods with an underscore, and what all others are made of by default.

They see keys and byte ranges that were checked, and are not asked to write where the store is read-only:
`Store`, which callers see, does that.
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
"""Where chunks come from: they are kept as they were written; they are those of a file of another format, as they
are there; the store makes them, whenever they are read, of a file that has no such chunks."""

_HALF = compiled_later("[\ud800-\udfff]")


class Backend(ABC):
    """The side of a store that faces what it keeps its values in.

    >>> sorted(Backend.__abstractmethods__)
    ['_read', 'url']
    """

    capabilities: Capabilities = Capabilities()

    @property
    def oddities(self) -> Sequence[Oddity]:
        """What is odd in what the store found, and read nevertheless."""
        return ()

    @property
    def losses(self) -> Sequence[Problem]:
        """What a file of another format holds and its hierarchy does not; copies report it."""
        return ()

    @property
    def uncommitted(self) -> Mapping[str, Sequence[Sequence[int]]]:
        """The chunks that were written since the last commit, by the paths of their arrays: copies hold them, too."""
        return {}

    def absorb(self, other: Backend) -> None:
        """Take over what was written into `other`, a copy of this store that another process had.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().absorb(MemoryStore())  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        zom.errors.StoreError: memory://: cannot merge: its copies in other processes are no part of it...
        """
        del other
        raise StoreError(self.url, "", "merge", "its copies in other processes are no part of it")

    def origin(self, prefix: str) -> Origin:
        """Where the chunks whose keys begin with `prefix` come from.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().origin("a/")
        'stored'
        """
        del prefix
        return "stored"

    # --- what a store defines ------------------------------------------------------------------

    @property
    @abstractmethod
    def url(self) -> str:
        """Where the store is, without credentials: what messages and `repr` show."""

    @abstractmethod
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        """The value, or those bytes of it; None where there is no such key."""

    def _write(self, key: str, value: bytes) -> None:
        del value
        raise ReadOnlyError(self.url, key, "write")

    def _write_view(self, key: str, value: memoryview[Any]) -> None:
        """The same for memory of the caller's, which may change later: it is copied, unless a store keeps none of it."""
        self._write(key, value.tobytes())

    def _remove(self, key: str) -> None:
        raise ReadOnlyError(self.url, key, "delete")

    def _keys(self, prefix: str) -> Iterable[str]:
        del prefix
        raise StoreError(self.url, "", "list", "this store can't list its keys")

    # --- what a store may define better ----------------------------------------------------------

    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        for key in self._keys(prefix):
            if is_stored_key(key) and (size := self._size_of(key)) is not None:
                yield key, size

    def _size_of(self, key: str) -> int | None:
        """How many bytes the value has; where nothing but the value can tell, it is read."""
        found = self._snapshot(key)
        if found is None:
            return None
        try:
            return len(found.get()) if found.size is None else found.size
        finally:
            found.close()

    def _read_value(self, key: str, byte_range: ByteRange | None = None) -> bytes | None:
        """What `_read` gives, as bytes, whatever holds them."""
        found = self._read(key, byte_range)
        value = found if type(found) is bytes else found_value(self, key, found)
        if byte_range is not None:
            check_part(self, key, byte_range, value)
        return value

    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        values: list[bytes | None] = []
        for key, byte_range in requests:
            with self._told(key, "read"):
                # How much it is, is looked at where all answers are together.
                values.append(found_value(self, key, self._read(key, byte_range)))
        return values

    def _read_parts(self, parts: Sequence[Part]) -> list[Versioned | None]:
        """Those bytes of each value, with a mark of the version that they are of.

        None where there is no such value, or another version of it than the one that is asked for. A store that
        can't tell gives the mark None, and any version.
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
        """Whether listing one directory looks at all keys below it, as the method above does."""
        return type(self)._list_dir is Backend._list_dir  # noqa: SLF001 - its own

    def _create(self, key: str, value: bytes) -> bool:
        with self._lock(key):
            if self._read_value(key, Range(0, 0)) is not None:
                return False
            self._write(key, value)
            return True

    def _claim(self, key: str, value: bytes) -> bool | None:
        """As `_create`; None where only reading the key tells whose value is there, which a store need not do."""
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
    """How many bytes a key may have, in UTF-8; None where nothing limits them."""

    def holds(self, key: str) -> bool:
        """Whether `key` can be one here: most stores hold Unicode text, and no bytes that are none.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().holds("a/b")
        True
        """
        return not _HALF.search(key)

    @property
    def folds_names(self) -> bool:
        """Whether names that differ only by case or Unicode form are one name here."""
        return False

    def _obstacles(self, wanted: Wanted) -> Iterable[Obstacle]:
        """Why what is wanted can't be done, as far as can be seen without doing it."""
        return () if self.longest_key is None else long_keys(wanted.writes, self.longest_key)

    def _move(self, key: str, new: str) -> None:
        value = self._read_value(key)
        if value is None:
            raise FileNotFoundError(errno.ENOENT, "there is nothing to move")
        self._write(new, value)
        self._remove(key)

    def _lock(self, key: str) -> AbstractContextManager[None]:
        locks: KeyLocks | None = vars(self).get("_key_locks")
        if locks is None:
            locks = cast("KeyLocks", vars(self).setdefault("_key_locks", KeyLocks()))
        return locks.hold(key)

    def _lock_briefly(self, key: str) -> AbstractContextManager[None]:
        """The same for a block in which this thread reads and changes that key, and does nothing else."""
        return self._lock(key)

    def _excluding(self, key: str) -> AbstractContextManager[None]:
        """Keep those out who hold the lock of `key`, while it is written or deleted as a whole.

        A store that sees to it in its own methods answers with `nullcontext()`.
        """
        return self._lock(key)

    def _writing(self, *, helps: bool) -> AbstractContextManager[None]:
        """A block in which one thread writes many values; it may help another one."""
        del helps
        return nullcontext()

    @contextmanager
    def _excluding_all(self, keys: Iterable[str]) -> Generator[None]:
        """The same for many keys, in one order for all who ask, so that none waits for another in a ring."""
        with ExitStack() as held:
            for key in sorted(set(keys)):
                held.enter_context(self._excluding(key))
            yield

    def _reason(self, cause: Exception) -> str:
        """What a failure below means, in a few words."""
        if isinstance(cause, MemoryError):
            return reason_of_number(errno.ENOMEM)
        if isinstance(cause, OSError) and cause.strerror:
            return reason_of(cause)
        return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__

    def _told(self, key: str, verb: str) -> _Told:
        """Turns what goes wrong in the block into one error that says where."""
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
