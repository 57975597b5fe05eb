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

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.errors import PathError, ReadOnlyError, StoreError, ZomError
from zom.paths import check_key, check_prefix
from zom.stores.capabilities import Capabilities
from zom.stores.locks import KeyLocks
from zom.stores.ranges import ByteRange, Range, Request, Suffix, check_range, cut

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Self

    from typing_extensions import Buffer

__all__ = [
    "ByteRange",
    "Capabilities",
    "Listing",
    "Range",
    "Request",
    "Store",
    "Suffix",
    "Versioned",
    "check_range",
    "cut",
    "is_key",
]


class Versioned(NamedTuple):
    """A value, and the mark by which a store knows whether it has changed since."""

    value: bytes
    version: Any


class Listing(NamedTuple):
    """What lies directly below a prefix: whole keys, and prefixes that end in a slash."""

    keys: list[str]
    prefixes: list[str]


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

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Keys, ranges and the right to write are checked in the public methods, for every store alike.
        for name in _VERBS & vars(cls).keys():
            raise TypeError(f"{cls.__name__}.{name}: a store defines the method with an underscore instead")

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

    def _remove(self, key: str) -> None:
        raise ReadOnlyError(self.url, key, "delete")

    def _keys(self, prefix: str) -> Iterable[str]:
        del prefix
        raise StoreError(self.url, "", "list", "this store can't list its keys")

    # --- what a store may define better ----------------------------------------------------------

    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        values: list[bytes | None] = []
        for key, byte_range in requests:
            with self._told(key, "read"):
                values.append(self._read(key, byte_range))
        return values

    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        for key, value in items:
            with self._told(key, "write"):
                self._write(key, value)

    def _write_partial(self, key: str, start: int, value: bytes) -> None:
        with self._lock(key):
            old = self._read(key, None) or b""
            if start < 0 or start > len(old):
                reason = f"expected a start from 0 to {len(old)}, got {start}"
                raise StoreError(self.url, key, "write", reason)
            self._write(key, old[:start] + value + old[start + len(value) :])

    def _remove_many(self, keys: Sequence[str]) -> None:
        for key in keys:
            with self._told(key, "delete"):
                self._remove(key)

    def _remove_prefix(self, prefix: str) -> None:
        self._remove_many([key for key in self._keys(prefix) if is_key(key)])

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

    def _create(self, key: str, value: bytes) -> bool:
        with self._lock(key):
            if self._read(key, Range(0, 0)) is not None:
                return False
            self._write(key, value)
            return True

    def _read_version(self, key: str) -> Versioned | None:
        value = self._read(key, None)
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
            value = self._read(key, None)
            if value is not None:
                self._write(new + key[len(old) :], value)
        self._remove_many(moved)

    @contextmanager
    def _lock(self, key: str) -> Generator[None]:
        locks: KeyLocks | None = vars(self).get("_key_locks")
        if locks is None:
            locks = cast("KeyLocks", vars(self).setdefault("_key_locks", KeyLocks()))
        with locks.hold(key):
            yield

    def _reason(self, cause: Exception) -> str:
        """What a failure below means, in a few words."""
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror.lower()
        return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__

    # --- reading -----------------------------------------------------------------------------------

    def get(self, key: str, byte_range: ByteRange | None = None) -> bytes | None:
        """The value under `key`, or the bytes of it that `byte_range` means; None where it is missing."""
        check_key(key)
        try:
            if byte_range is not None:
                check_range(byte_range)
            return self._read(key, byte_range)
        except ZomError:
            raise
        except Exception as cause:
            raise StoreError(self.url, key, "read", self._reason(cause)) from cause

    def get_many(self, requests: Iterable[Request]) -> list[bytes | None]:
        """The answers to all requests, in their order; the store reads as many at once as suits it."""
        pairs = [(request, None) if isinstance(request, str) else request for request in requests]
        for key, byte_range in pairs:
            check_key(key)
            if byte_range is not None:
                with self._told(key, "read"):
                    check_range(byte_range)
        if not pairs:
            return []
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

    def set(self, key: str, value: Buffer) -> None:
        """Put `value` under `key`: afterwards, whatever happens, there is the old value or the new."""
        self._check_write(key, "write")
        with self._told(key, "write"):
            self._write(key, _as_bytes(value))

    def set_many(self, items: Mapping[str, Buffer] | Iterable[tuple[str, Buffer]]) -> None:
        """Put each value under its key, in order; after a failure, any of them may be written."""
        self._check_writable("", "write")
        given = cast("Mapping[str, Buffer]", items).items() if isinstance(items, Mapping) else items
        pairs: list[tuple[str, bytes]] = []
        for key, value in given:
            check_key(key)
            with self._told(key, "write"):
                pairs.append((key, _as_bytes(value)))
        if pairs:
            with self._told(pairs[0][0] if len(pairs) == 1 else "", "write"):
                self._write_many(pairs)

    def set_partial(self, key: str, start: int, value: Buffer) -> None:
        """Put `value` over the bytes of what is under `key`, from `start` on; a gap is an error."""
        self._check_write(key, "write")
        with self._told(key, "write"):
            self._write_partial(key, start, _as_bytes(value))

    def create(self, key: str, value: Buffer) -> bool:
        """Put `value` under `key` where nothing is; False where something was."""
        self._check_write(key, "create")
        with self._told(key, "create"):
            return self._create(key, _as_bytes(value))

    def replace(self, key: str, value: Buffer, version: Any) -> bool:
        """Put `value` under `key` where it still holds what `get_version` read; else False.

        The version None says that there is no value yet.
        """
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
        self._check_writable("", "delete")
        given = [check_key(key) for key in keys]
        if given:
            with self._told(given[0] if len(given) == 1 else "", "delete"):
                self._remove_many(given)

    def delete_prefix(self, prefix: str) -> None:
        """Take away every key below `prefix`, which ends in a slash; "" means all."""
        check_prefix(prefix)
        self._check_writable("", "delete")
        with self._told(prefix, "delete"):
            self._remove_prefix(prefix)

    def rename(self, old: str, new: str) -> None:
        """Move every key below the prefix `old` to the prefix `new`, below which there is nothing."""
        check_prefix(old)
        check_prefix(new)
        self._check_writable("", "rename")
        with self._told(old, "rename"):
            if old.startswith(new) or new.startswith(old):
                raise StoreError(self.url, old, "rename", f"{new!r} and it lie in each other")
            if next(iter(self._keys(old)), None) is None:
                raise StoreError(self.url, old, "rename", "there are no keys below it")
            if next(iter(self._keys(new)), None) is not None:
                raise StoreError(self.url, old, "rename", f"there are keys below {new!r}")
            self._rename(old, new)

    @contextmanager
    def lock(self, key: str) -> Generator[None]:
        """Keep others from changing `key` meanwhile: other threads, and, where the store can, processes.

        It is held against those who take it too, as `set_partial` and `replace` do.
        """
        self._check_write(key, "lock")
        with ExitStack() as held:
            with self._told(key, "lock"):
                held.enter_context(self._lock(key))
            yield

    # --- listing -----------------------------------------------------------------------------------

    def list(self, prefix: str = "") -> Iterator[str]:
        """Every key below `prefix`, which is empty or ends in a slash, in no certain order.

        What is there but has no proper name for a key is left out.
        """
        return self._listed(check_prefix(prefix))

    def _listed(self, prefix: str) -> Iterator[str]:
        with self._told(prefix, "list"):
            yield from (key for key in self._keys(prefix) if is_key(key))

    def list_dir(self, prefix: str = "") -> Listing:
        """The keys and the prefixes directly below `prefix`, sorted."""
        check_prefix(prefix)
        with self._told(prefix, "list"):
            keys, prefixes = self._list_dir(prefix)
            keys = [key for key in keys if is_key(key)]
            return Listing(sorted(keys), sorted(below for below in prefixes if is_key(below[:-1])))

    # --- life --------------------------------------------------------------------------------------

    def flush(self) -> None:  # noqa: B027 - most stores keep nothing back
        """Make what was written durable, where the store promises that."""

    def close(self) -> None:  # noqa: B027 - many stores hold nothing
        """Give back what the store holds; it is not used afterwards. Closing twice does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        # Locks are of one process: a copy of the store makes its own.
        return {name: value for name, value in self.__dict__.items() if name != "_key_locks"}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"

    # --- private -----------------------------------------------------------------------------------

    def _check_write(self, key: str, verb: str) -> None:
        check_key(key)
        self._check_writable(key, verb)

    def _check_writable(self, key: str, verb: str) -> None:
        if not self.capabilities.writable:
            raise ReadOnlyError(self.url, key, verb)

    def _told(self, key: str, verb: str) -> _Told:
        """Turns what goes wrong in the block into one error that says where."""
        return _Told(self, key, verb)


_VERBS = frozenset(
    {"get", "get_many", "exists", "get_version", "set", "set_many", "set_partial", "create", "replace"}
    | {"delete", "delete_many", "delete_prefix", "rename", "lock", "list", "list_dir"}
)


class _Told:
    __slots__ = ("key", "store", "verb")

    def __init__(self, store: Store, key: str, verb: str) -> None:
        self.store = store
        self.key = key
        self.verb = verb

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, ZomError):
            reason = self.store._reason(error)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            raise StoreError(self.store.url, self.key, self.verb, reason) from error


def _as_bytes(value: Buffer) -> bytes:
    """The value as bytes that can't change under the store."""
    if type(value) is bytes:
        return value
    # bytes(5) would be five zeros: only what is made of bytes is taken.
    return memoryview(value).tobytes()


def is_key(key: str) -> bool:
    """Whether that is a key: for what a store finds in its place, and didn't write.

    >>> is_key("a/b"), is_key("a/../b")
    (True, False)
    """
    try:
        check_key(key)
    except (PathError, TypeError):
        return False
    return True
