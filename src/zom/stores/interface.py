"""The interface of stores: bytes by key, in batches.

The operations of Zarr v3 core, section "Abstract store interface", and their names here:

    get                   Store.get                erase          Store.delete
    get_partial_values    Store.get_many           erase_values   Store.delete_many
    set                   Store.set                erase_prefix   Store.delete_prefix
    set_partial_values    Store.set_partial        list, list_prefix   Store.list
                                                   list_dir       Store.list_dir

A new store defines `_read`, and if it can `_write`, `_remove` and `_keys`; all other methods have
defaults based on these. Missing values are None; every other failure raises `StoreError`. The methods
here check keys and write access first, so that a store's own methods only see valid keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, cast

from zom.brief import notebook_html
from zom.errors import ReadOnlyError, StoreError, ZomError
from zom.packages import imported
from zom.paths import check_stored_key, check_stored_prefix, is_stored_key
from zom.stores.answers import (
    BLOCK,
    CLAIM,
    FLAG,
    LENGTH,
    SNAPSHOT,
    VERSIONED,
    answer,
    flags,
)
from zom.stores.backend import Backend
from zom.stores.capabilities import Capabilities
from zom.stores.interrupts import Uninterrupted
from zom.stores.obstacles import Obstacle, Wanted
from zom.stores.ranges import ByteRange, Part, Range, Request, Span, Suffix, check_range, cut, near
from zom.stores.results import Listing, Versioned
from zom.stores.snapshots import CHANGED, OpenSnapshot, Snapshot
from zom.stores.values import check_part, found_parts, found_value, found_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self

    from typing_extensions import Buffer

__all__ = [
    "CHANGED",
    "ByteRange",
    "Capabilities",
    "Listing",
    "Obstacle",
    "Part",
    "Range",
    "Request",
    "Snapshot",
    "Span",
    "Store",
    "Suffix",
    "Versioned",
    "Wanted",
    "check_range",
    "cut",
    "near",
]


class Store(Backend):
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

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # The public methods check keys, ranges and write access, for every store.
        for name in _VERBS & vars(cls).keys():
            raise TypeError(f"{cls.__name__}.{name}: define the method with a leading underscore instead")

    @property
    def place(self) -> str:
        """Where the store is, unique and without credentials: its URL, or more if that is ambiguous.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().place
        'memory://'
        """
        return self.url

    # --- reading -----------------------------------------------------------------------------------

    def get(self, key: str, byte_range: ByteRange | None = None) -> bytes | None:
        """Return the value of `key`, or its bytes in `byte_range`; None if it is missing."""
        check_stored_key(key)
        try:
            if byte_range is not None:
                check_range(byte_range)
            return self._read_value(key, byte_range)
        except ZomError:
            raise
        except Exception as cause:
            raise StoreError(self.url, key, "read", self._reason(cause)) from cause

    def get_into(self, key: str, target: memoryview[Any]) -> int | None:
        """Read the value of `key` into `target` and return its length; None if it is missing.

        If the length differs from that of `target`, the contents of `target` are undefined.

        >>> from zom.stores.memory import MemoryStore
        >>> target = bytearray(3)
        >>> MemoryStore({"a": b"123"}).get_into("a", memoryview(target)), target
        (3, bytearray(b'123'))
        """
        check_stored_key(key)
        if target.readonly or not target.c_contiguous:
            reason = "expected a writable target, contiguous in C order"
            raise StoreError(self.url, key, "read", reason)
        try:
            length = self._read_into(key, target)
            return length if type(length) is int else answer(self, key, "read", length, LENGTH, "_read_into")
        except ZomError:
            raise
        except Exception as cause:
            raise StoreError(self.url, key, "read", self._reason(cause)) from cause

    def get_many(self, requests: Iterable[Request]) -> list[bytes | None]:
        """Return the values of all requests, in order; the store chooses how many it reads at once."""
        pairs = [(request, None) if isinstance(request, str) else request for request in requests]
        for key, byte_range in pairs:
            self._check_request(key, byte_range)
        if not pairs:
            return []
        with self._told(pairs[0][0] if len(pairs) == 1 else "", "read"):
            values = found_values(self, [key for key, _ in pairs], self._read_many(pairs))
            for (key, byte_range), value in zip(pairs, values, strict=True):
                if byte_range is not None:
                    check_part(self, key, byte_range, value)
            return values

    def get_parts(self, parts: Sequence[Part]) -> list[Versioned | None]:
        """Return the bytes of all `parts`, in order, each with the mark of its version.

        A part with such a mark asks for that version: None means that the value is missing or changed. A mark
        of None means that the store can't tell versions. `replace` needs the marks of `get_version` instead.

        >>> from zom.stores.memory import MemoryStore
        >>> [found] = MemoryStore({"a": b"0123"}).get_parts([Part("a", Suffix(1))]); found.value
        b'3'
        """
        keys = [part.key for part in parts]
        for key, byte_range, _ in parts:
            self._check_request(key, byte_range)
        if not parts:
            return []
        with self._told(keys[0] if len(keys) == 1 else "", "read"):
            return found_parts(self, parts, self._read_parts(parts))

    def _check_request(self, key: str, byte_range: ByteRange | None) -> None:
        check_stored_key(key)
        if byte_range is not None:
            with self._told(key, "read"):
                check_range(byte_range)

    def exists(self, key: str) -> bool:
        """Whether `key` has a value."""
        return self.get(key, Range(0, 0)) is not None

    def snapshot(self, key: str) -> AbstractContextManager[Snapshot | None]:
        """Open a block that reads one version of the value of `key` in parts.

        It yields None if the value is missing. A store that can't hold a version, like most web services,
        sets `consistent = False`, and checking that the value exists takes a request.

        >>> from zom.stores.memory import MemoryStore
        >>> with MemoryStore({"a": b"0123"}).snapshot("a") as value:
        ...     value.get(Suffix(1))
        b'3'
        """
        return OpenSnapshot(self, check_stored_key(key))

    def open_snapshot(self, key: str) -> Snapshot | None:
        """Return the same snapshot without a block; the caller closes it."""
        check_stored_key(key)
        with self._told(key, "read"):
            return answer(self, key, "read", self._snapshot(key), SNAPSHOT, "_snapshot")

    def get_version(self, key: str) -> Versioned | None:
        """Return the value of `key` with the mark that `replace` needs; None if it is missing."""
        check_stored_key(key)
        with self._told(key, "read"):
            found = answer(self, key, "read", self._read_version(key), VERSIONED, "_read_version")
            if found is None or type(found.value) is bytes:
                return found
            value = found_value(self, key, found.value, "_read_version")
            return None if value is None else found._replace(value=value)

    # --- writing -----------------------------------------------------------------------------------

    def set(self, key: str, value: Buffer) -> None:
        """Write `value` to `key`; a failure leaves either the old value or the new one."""
        self._check_write(key, "write")
        try:
            with self._excluding(key):
                if type(value) is bytes:
                    self._write(key, value)
                else:
                    self._write_view(key, memoryview(value))
        except ZomError:
            raise
        except Exception as cause:
            raise StoreError(self.url, key, "write", self._reason(cause)) from cause

    def set_many(self, items: Mapping[str, Buffer] | Iterable[tuple[str, Buffer]]) -> None:
        """Write each value to its key; if a key is repeated, its last value counts.

        The order is undefined: readers may see any value before any other, and after a failure any of them
        may be written. Use a later call for a value that must become visible later.
        """
        self._check_writable("", "write")
        given = cast("Mapping[str, Buffer]", items).items() if isinstance(items, Mapping) else items
        pairs: list[tuple[str, bytes]] = []
        for key, value in given:
            check_stored_key(key)
            if type(value) is bytes:
                pairs.append((key, value))
                continue
            with self._told(key, "write"):
                pairs.append((key, _as_bytes(value)))
        if pairs:
            with self._told(pairs[0][0] if len(pairs) == 1 else "", "write"):
                self._write_many(pairs)

    def set_partial(self, key: str, start: int, value: Buffer) -> None:
        """Overwrite the bytes of `key` with `value`, from `start` on; a gap is an error."""
        self._check_write(key, "write")
        with self._told(key, "write"), self._excluding(key):
            self._write_partial(key, start, _as_bytes(value))

    def create(self, key: str, value: Buffer) -> bool:
        """Write `value` to `key` if `key` is missing; return False if it exists."""
        self._check_write(key, "create")
        with self._told(key, "create"), self._excluding(key):
            return answer(self, key, "create", self._create(key, _as_bytes(value)), FLAG, "_create")

    def claim(self, key: str, value: Buffer) -> bool | None:
        """Create a unique value, such as one with a token; None means that `get` must tell whose value it is.

        This saves slow stores from reading the key before and after.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore({"a": b"1"}).claim("a", b"2")
        False
        """
        self._check_write(key, "create")
        with self._told(key, "create"), self._excluding(key):
            return answer(self, key, "create", self._claim(key, _as_bytes(value)), CLAIM, "_claim")

    def create_many(self, items: Mapping[str, Buffer]) -> list[bool]:
        """Write each value to its key if the key is missing; return, in order, whether it was written.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore({"a": b"1"}).create_many({"a": b"2", "b": b"3"})
        [False, True]
        """
        self._check_writable("", "create")
        pairs: list[tuple[str, bytes]] = []
        for key, value in items.items():
            check_stored_key(key)
            with self._told(key, "create"):
                pairs.append((key, _as_bytes(value)))
        if not pairs:
            return []
        with self._told(pairs[0][0] if len(pairs) == 1 else "", "create"):
            return flags(self, [key for key, _ in pairs], self._create_many(pairs), "_create_many")

    def replace(self, key: str, value: Buffer, version: Any) -> bool:
        """Write `value` to `key` if it still holds what `get_version` read; return False otherwise.

        The version None means that the key is still missing.
        """
        self._check_write(key, "write")
        with self._told(key, "write"), self._excluding(key):
            return answer(self, key, "write", self._replace(key, _as_bytes(value), version), FLAG, "_replace")

    def delete(self, key: str) -> None:
        """Delete `key`, if it exists."""
        self._check_write(key, "delete")
        with self._told(key, "delete"), self._excluding(key):
            self._remove(key)

    def delete_many(self, keys: Iterable[str]) -> None:
        """Delete all `keys` that exist."""
        self._check_writable("", "delete")
        given = [check_stored_key(key) for key in keys]
        if given:
            with self._told(given[0] if len(given) == 1 else "", "delete"):
                self._remove_many(given)

    def delete_prefix(self, prefix: str) -> None:
        """Delete every key below `prefix`, which ends in a slash; "" means all."""
        check_stored_prefix(prefix)
        self._check_writable("", "delete")
        with self._told(prefix, "delete"):
            self._remove_prefix(prefix)

    def prune(self, prefix: str) -> None:
        """Delete the directories below `prefix` that hold no keys, left by a process killed while deleting.

        Stores without directories have none.
        """
        check_stored_prefix(prefix)
        self._check_writable("", "delete")
        with self._told(prefix, "delete"):
            self._prune(prefix)

    def _prune(self, prefix: str) -> None:
        """As `prune`; does nothing in stores without directories."""

    def rename(self, old: str, new: str) -> None:
        """Move every key below the prefix `old` to the prefix `new`, which must be empty."""
        check_stored_prefix(old)
        check_stored_prefix(new)
        self._check_writable("", "rename")
        with self._told(old, "rename"):
            if old.startswith(new) or new.startswith(old):
                raise StoreError(self.url, old, "rename", f"it overlaps {new!r}")
            if next(iter(self._keys(old)), None) is None:
                raise StoreError(self.url, old, "rename", "there are no keys below it")
            if next(iter(self._keys(new)), None) is not None:
                raise StoreError(self.url, old, "rename", f"there are keys below {new!r}")
            self._rename(old, new)

    def obstacles(self, wanted: Wanted) -> list[Obstacle]:
        """List why `wanted` can't be done, as far as a check without changes can tell.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().obstacles(Wanted(writes=["a"]))
        []
        """
        with self._told("", "list"):
            return list(self._obstacles(wanted))

    def move(self, key: str, new: str) -> None:
        """Move the value of `key` to `new`, replacing any value there; `key` is missing afterwards.

        >>> from zom.stores.memory import MemoryStore
        >>> store = MemoryStore({"a": b"1", "b": b"2"}); store.move("a", "b"); dict(store.sizes()), store.get("b")
        ({'b': 1}, b'1')
        """
        check_stored_key(new)
        self._check_write(key, "move")
        if key != new:
            with self._told(key, "move"), self._excluding(new):
                self._move(key, new)

    def lock(self, key: str, *, is_brief: bool = False) -> AbstractContextManager[None]:
        """Keep other threads, and other processes if the store can, from changing `key` in a block.

        Other writers and deleters of the key wait; the thread that holds the lock does not. A block that
        `is_brief` defers Ctrl-C until it ends; a second Ctrl-C ends it at once.
        """
        return _Lock(self, key, is_brief=is_brief)

    def presence(self, key: str) -> AbstractContextManager[None]:
        """Open a block that shows other processes that `key` is in use; their own such blocks wait.

        Unlike a lock, it doesn't block writes. It does nothing if processes can't tell.
        """
        self._check_write(key, "lock")
        with self._told(key, "lock"):
            return answer(self, key, "lock", self._presence(key), BLOCK, "_presence")

    def _presence(self, key: str) -> AbstractContextManager[None]:
        return self.lock(key) if self.capabilities.process_locks else nullcontext()

    def _locked(self, key: str, *, is_brief: bool) -> AbstractContextManager[None]:
        """Acquire the lock of `key`."""
        self._check_write(key, "lock")
        with self._told(key, "lock"):
            lock = self._lock_briefly(key) if is_brief else self._lock(key)
            answer(self, key, "lock", lock, BLOCK, "_lock")
            lock.__enter__()
            return lock

    def writing(self, *, helps: bool = False) -> AbstractContextManager[None]:
        """Open a block in which this thread writes or deletes many values one by one.

        It only saves time: a store may keep shared resources open. Values written in the block are
        readable at its end, not before. A thread that `helps` another one is in a block that ends
        before the other's: its values are readable at the end of the other block.

        >>> from zom.stores.memory import MemoryStore
        >>> store = MemoryStore()
        >>> with store.writing():
        ...     store.set("a", b"1"); store.set("b", b"2")
        """
        self._check_writable("", "write")
        with self._told("", "write"):
            return answer(self, "", "write", self._writing(helps=helps), BLOCK, "_writing")

    # --- listing -----------------------------------------------------------------------------------

    def list(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys below `prefix`, which is empty or ends in a slash, in no particular order.

        Names that are not valid keys are skipped.
        """
        return self._listed(check_stored_prefix(prefix))

    def _listed(self, prefix: str) -> Iterator[str]:
        with self._told(prefix, "list"):
            yield from (key for key in self._keys(prefix) if is_stored_key(key))

    def sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Iterate over keys below `prefix` and the sizes of their values in bytes, in no particular order.

        Values are only read if a store has no other way to tell their size.

        >>> from zom.stores.memory import MemoryStore
        >>> dict(MemoryStore({"a/b": b"123", "c": b""}).sizes())
        {'a/b': 3, 'c': 0}
        """
        return self._sized(check_stored_prefix(prefix))

    def _sized(self, prefix: str) -> Iterator[tuple[str, int]]:
        with self._told(prefix, "list"):
            yield from (found for found in self._sizes(prefix) if is_stored_key(found[0]))

    def list_dir(self, prefix: str = "") -> Listing:
        """List the keys and prefixes directly below `prefix`, sorted."""
        check_stored_prefix(prefix)
        with self._told(prefix, "list"):
            keys, prefixes = self._list_dir(prefix)
            keys = [key for key in keys if is_stored_key(key)]
            return Listing(sorted(keys), sorted(below for below in prefixes if is_stored_key(below[:-1])))

    @property
    def lists_by_scan(self) -> bool:
        """Whether `list_dir` is as slow as `list`; if so, list all keys once instead of many directories.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().lists_by_scan
        False
        """
        return self._lists_by_scan()

    # --- life --------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Make written data durable, if the store promises that."""

    def sweep(self) -> int:
        """Delete the files of zom's own that killed writers left, and return how many.

        Only file-based stores have any; `zom.repair` sweeps, too.
        """
        return 0

    def close(self) -> None:
        """Release the store's resources; don't use it afterwards. Closing twice does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        # Locks belong to one process: a copy of the store creates its own.
        return {name: value for name, value in self.__dict__.items() if name != "_key_locks"}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"

    def _repr_html_(self) -> str:
        """HTML for notebooks: the store's place and capabilities; reads nothing."""
        return notebook_html("store", self)

    def as_zarr(self, *, read_only: bool = False) -> Any:
        """Return a store for zarr-python 3; a wrapper of a zarr-python store returns that one.

        >>> zarr = __import__("pytest").importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
        >>> zarr.open_array(array.store.as_zarr(), path="a").shape
        (4,)
        """
        # Imported by name, like a plugin: that module imports this one, and asyncio.
        return imported("zom.stores.zarr_python", "zarr").as_zarr_python(self, read_only=read_only)

    # --- private -----------------------------------------------------------------------------------

    def _check_write(self, key: str, verb: str) -> None:
        check_stored_key(key)
        self._check_writable(key, verb)

    def _check_writable(self, key: str, verb: str) -> None:
        if not self.capabilities.writable:
            raise ReadOnlyError(self.url, key, verb)


_VERBS = frozenset(
    {"get", "get_into", "get_many", "exists", "get_version", "snapshot", "open_snapshot"}
    | {"set", "set_many", "set_partial", "create", "create_many", "claim", "replace"}
    | {"delete", "delete_many", "delete_prefix", "prune", "rename", "move", "lock", "presence", "list"}
    | {"list_dir", "sizes", "writing"}
)


class _Lock:
    """A lock for a block; failures to acquire it become StoreErrors, failures in the block do not."""

    __slots__ = ("_block", "_is_brief", "_key", "_lock", "_store")

    def __init__(self, store: Store, key: str, *, is_brief: bool) -> None:
        self._store = store
        self._key = key
        self._is_brief = is_brief
        self._block = Uninterrupted() if is_brief else nullcontext()

    def __enter__(self) -> None:
        self._block.__enter__()
        try:
            with Uninterrupted():
                taken = self._store._locked(self._key, is_brief=self._is_brief)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
                self._lock = taken
        except BaseException as error:
            self._block.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        try:
            with Uninterrupted():
                return self._lock.__exit__(kind, error, trace)
        finally:
            self._block.__exit__(kind, error, trace)


def _as_bytes(value: Buffer) -> bytes:
    """Return the value as immutable bytes."""
    if type(value) is bytes:
        return value
    # bytes(5) would be five zeros: accept only objects that hold bytes.
    return memoryview(value).tobytes()
