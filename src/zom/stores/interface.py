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
        # Keys, ranges and the right to write are checked in the public methods, for every store alike.
        for name in _VERBS & vars(cls).keys():
            raise TypeError(f"{cls.__name__}.{name}: a store defines the method with an underscore instead")

    @property
    def place(self) -> str:
        """What tells where the store is from all other places, without credentials: its URL, unless that is not enough.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().place
        'memory://'
        """
        return self.url

    # --- reading -----------------------------------------------------------------------------------

    def get(self, key: str, byte_range: ByteRange | None = None) -> bytes | None:
        """The value under `key`, or the bytes of it that `byte_range` means; None where it is missing."""
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
        """Put the value under `key` into `target`, and give its length; None where it is missing.

        Where the length is not that of `target`, what `target` holds then means nothing.

        >>> from zom.stores.memory import MemoryStore
        >>> target = bytearray(3)
        >>> MemoryStore({"a": b"123"}).get_into("a", memoryview(target)), target
        (3, bytearray(b'123'))
        """
        check_stored_key(key)
        if target.readonly or not target.c_contiguous:
            reason = "expected a target that is writable, and contiguous in C order"
            raise StoreError(self.url, key, "read", reason)
        try:
            length = self._read_into(key, target)
            return length if type(length) is int else answer(self, key, "read", length, LENGTH, "_read_into")
        except ZomError:
            raise
        except Exception as cause:
            raise StoreError(self.url, key, "read", self._reason(cause)) from cause

    def get_many(self, requests: Iterable[Request]) -> list[bytes | None]:
        """The answers to all requests, in their order; the store reads as many at once as suits it."""
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
        """The bytes that all `parts` mean, in their order, with marks of the versions that they are of.

        A part with such a mark is of that version: None says that there is no value, or another version now. Where
        the mark is None, the store can't tell versions, and gives any. `replace` wants the marks of `get_version`.

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
        """Whether there is a value under `key`."""
        return self.get(key, Range(0, 0)) is not None

    def snapshot(self, key: str) -> AbstractContextManager[Snapshot | None]:
        """A block in which the value under `key` is read in parts, of one version of it.

        None where it is missing. Where a store can't hold a version, as most web services can't, it says
        `consistent = False`, and looking whether the value is there takes a request.

        >>> from zom.stores.memory import MemoryStore
        >>> with MemoryStore({"a": b"0123"}).snapshot("a") as value:
        ...     value.get(Suffix(1))
        b'3'
        """
        return OpenSnapshot(self, check_stored_key(key))

    def open_snapshot(self, key: str) -> Snapshot | None:
        """The same without a block: whoever opens it closes it."""
        check_stored_key(key)
        with self._told(key, "read"):
            return answer(self, key, "read", self._snapshot(key), SNAPSHOT, "_snapshot")

    def get_version(self, key: str) -> Versioned | None:
        """The value under `key` with the mark that `replace` asks for; None where it is missing."""
        check_stored_key(key)
        with self._told(key, "read"):
            found = answer(self, key, "read", self._read_version(key), VERSIONED, "_read_version")
            if found is None or type(found.value) is bytes:
                return found
            value = found_value(self, key, found.value, "_read_version")
            return None if value is None else found._replace(value=value)

    # --- writing -----------------------------------------------------------------------------------

    def set(self, key: str, value: Buffer) -> None:
        """Put `value` under `key`: afterwards, whatever happens, there is the old value or the new."""
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
        """Put each value under its key; of a key that is given twice, the last value counts.

        They are put in any order: a reader may see each before any other, and after a failure any may be
        written. What must be seen later than something else is put by a later call.
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
        """Put `value` over the bytes of what is under `key`, from `start` on; a gap is an error."""
        self._check_write(key, "write")
        with self._told(key, "write"), self._excluding(key):
            self._write_partial(key, start, _as_bytes(value))

    def create(self, key: str, value: Buffer) -> bool:
        """Put `value` under `key` where nothing is; False where something was."""
        self._check_write(key, "create")
        with self._told(key, "create"), self._excluding(key):
            return answer(self, key, "create", self._create(key, _as_bytes(value)), FLAG, "_create")

    def claim(self, key: str, value: Buffer) -> bool | None:
        """Create a value that nobody else would write, such as one with a token; None where `get` has to tell whose it is.

        So a store that answers late need not read the key before and after.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore({"a": b"1"}).claim("a", b"2")
        False
        """
        self._check_write(key, "create")
        with self._told(key, "create"), self._excluding(key):
            return answer(self, key, "create", self._claim(key, _as_bytes(value)), CLAIM, "_claim")

    def create_many(self, items: Mapping[str, Buffer]) -> list[bool]:
        """Put each value under its key where nothing is; for each, in order, whether it was put.

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
        """Put `value` under `key` where it still holds what `get_version` read; else False.

        The version None says that there is no value yet.
        """
        self._check_write(key, "write")
        with self._told(key, "write"), self._excluding(key):
            return answer(self, key, "write", self._replace(key, _as_bytes(value), version), FLAG, "_replace")

    def delete(self, key: str) -> None:
        """Take `key` away; it need not be there."""
        self._check_write(key, "delete")
        with self._told(key, "delete"), self._excluding(key):
            self._remove(key)

    def delete_many(self, keys: Iterable[str]) -> None:
        """Take all `keys` away; they need not be there."""
        self._check_writable("", "delete")
        given = [check_stored_key(key) for key in keys]
        if given:
            with self._told(given[0] if len(given) == 1 else "", "delete"):
                self._remove_many(given)

    def delete_prefix(self, prefix: str) -> None:
        """Take away every key below `prefix`, which ends in a slash; "" means all."""
        check_stored_prefix(prefix)
        self._check_writable("", "delete")
        with self._told(prefix, "delete"):
            self._remove_prefix(prefix)

    def prune(self, prefix: str) -> None:
        """Delete the directories below `prefix` that hold no key: what was killed while it deleted left them.

        Stores without directories have none.
        """
        check_stored_prefix(prefix)
        self._check_writable("", "delete")
        with self._told(prefix, "delete"):
            self._prune(prefix)

    def _prune(self, prefix: str) -> None:
        """As above; nothing, for stores without directories."""

    def rename(self, old: str, new: str) -> None:
        """Move every key below the prefix `old` to the prefix `new`, below which there is nothing."""
        check_stored_prefix(old)
        check_stored_prefix(new)
        self._check_writable("", "rename")
        with self._told(old, "rename"):
            if old.startswith(new) or new.startswith(old):
                raise StoreError(self.url, old, "rename", f"{new!r} and it lie in each other")
            if next(iter(self._keys(old)), None) is None:
                raise StoreError(self.url, old, "rename", "there are no keys below it")
            if next(iter(self._keys(new)), None) is not None:
                raise StoreError(self.url, old, "rename", f"there are keys below {new!r}")
            self._rename(old, new)

    def obstacles(self, wanted: Wanted) -> list[Obstacle]:
        """Why what is wanted can't be done, as far as can be seen without doing it.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().obstacles(Wanted(writes=["a"]))
        []
        """
        with self._told("", "list"):
            return list(self._obstacles(wanted))

    def move(self, key: str, new: str) -> None:
        """Put what is under `key` in the place of what is under `new`; nothing is under `key` afterwards.

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
        """Keep others from changing `key` in a block: other threads, and, where the store can, processes.

        Whoever sets or deletes the key meanwhile waits, but for the thread that holds the lock. A block that
        `is_brief` is not ended by Ctrl-C, unless by a second one: the interrupt is raised behind it.
        """
        return _Lock(self, key, is_brief=is_brief)

    def presence(self, key: str) -> AbstractContextManager[None]:
        """A block in which other processes can tell that somebody works at `key`: they wait in theirs.

        Unlike a lock, it keeps nobody from writing. Where processes can't tell, it is an empty block.
        """
        self._check_write(key, "lock")
        with self._told(key, "lock"):
            return answer(self, key, "lock", self._presence(key), BLOCK, "_presence")

    def _presence(self, key: str) -> AbstractContextManager[None]:
        return self.lock(key) if self.capabilities.process_locks else nullcontext()

    def _locked(self, key: str, *, is_brief: bool) -> AbstractContextManager[None]:
        """The lock of `key`, taken."""
        self._check_write(key, "lock")
        with self._told(key, "lock"):
            lock = self._lock_briefly(key) if is_brief else self._lock(key)
            answer(self, key, "lock", lock, BLOCK, "_lock")
            lock.__enter__()
            return lock

    def writing(self, *, helps: bool = False) -> AbstractContextManager[None]:
        """A block in which this thread writes or deletes many values one by one.

        It changes nothing but the time that takes: a store may keep open what each of them needs. What is written in it
        may be read at its end, and not before. A thread that `helps` another one is in a block that ends before the
        other's: what it writes may be read at the end of that.

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
        """Every key below `prefix`, which is empty or ends in a slash, in no certain order.

        What is there but has no proper name for a key is left out.
        """
        return self._listed(check_stored_prefix(prefix))

    def _listed(self, prefix: str) -> Iterator[str]:
        with self._told(prefix, "list"):
            yield from (key for key in self._keys(prefix) if is_stored_key(key))

    def sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Every key below `prefix` with the number of bytes of its value, in no certain order.

        Values are not read, but where a store has no other way to tell.

        >>> from zom.stores.memory import MemoryStore
        >>> dict(MemoryStore({"a/b": b"123", "c": b""}).sizes())
        {'a/b': 3, 'c': 0}
        """
        return self._sized(check_stored_prefix(prefix))

    def _sized(self, prefix: str) -> Iterator[tuple[str, int]]:
        with self._told(prefix, "list"):
            yield from (found for found in self._sizes(prefix) if is_stored_key(found[0]))

    def list_dir(self, prefix: str = "") -> Listing:
        """The keys and the prefixes directly below `prefix`, sorted."""
        check_stored_prefix(prefix)
        with self._told(prefix, "list"):
            keys, prefixes = self._list_dir(prefix)
            keys = [key for key in keys if is_stored_key(key)]
            return Listing(sorted(keys), sorted(below for below in prefixes if is_stored_key(below[:-1])))

    @property
    def lists_by_scan(self) -> bool:
        """Whether `list_dir` takes as long as `list`: to list many directories, list all keys once.

        >>> from zom.stores.memory import MemoryStore
        >>> MemoryStore().lists_by_scan
        False
        """
        return self._lists_by_scan()

    # --- life --------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Make what was written durable, where the store promises that."""

    def sweep(self) -> int:
        """Remove the files of our own that killed writers left; how many there were.

        Only stores on files have any; `zom.repair` sweeps, too.
        """
        return 0

    def close(self) -> None:
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

    def _repr_html_(self) -> str:
        """What a notebook shows: where it is and what it can do; nothing is read."""
        return notebook_html("store", self)

    def as_zarr(self, *, read_only: bool = False) -> Any:
        """The store as one that zarr-python 3 opens; what holds one of its stores gives that back.

        >>> zarr = __import__("pytest").importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
        >>> import zom
        >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
        >>> zarr.open_array(array.store.as_zarr(), path="a").shape
        (4,)
        """
        # By name, as a plugin is: that module is made of this one, and brings asyncio.
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
    """A lock for a block; what goes wrong in taking it is told, what goes wrong in the block is not."""

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
    """The value as bytes that can't change under the store."""
    if type(value) is bytes:
        return value
    # bytes(5) would be five zeros: only what is made of bytes is taken.
    return memoryview(value).tobytes()
