"""A directory as a store: a key is a path below it, a value is a regular file.

Zarr v3, "File system store". Every path is resolved from a descriptor of the root directory, so that no name
escapes it; for writing and deleting, one name at a time and without following symbolic links. A new value
replaces the old one in one step: readers see the old value or the new one, also after a crash.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
import weakref
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import override

from zom.errors import StoreError
from zom.paths import is_document, is_stored_key
from zom.stores.interface import (
    ByteRange,
    Capabilities,
    Listing,
    Obstacle,
    Range,
    Snapshot,
    Store,
    Wanted,
)
from zom.stores.local.directories import Directories
from zom.stores.local.durability import Unsynced, sync_directory
from zom.stores.local.files import (
    LONG,
    NO_LINKS,
    READ,
    CircleError,
    contents,
    contents_into,
    give_back,
    is_there,
    kind,
    mode_of,
    open_directory,
    open_followed,
    refuse_dangling,
)
from zom.stores.local.growing_tree import NotWritten
from zom.stores.local.letter_case import Spelling, folds_name_of, folds_names
from zom.stores.local.lock_files import LOCK_END, LockFiles, is_lock_file
from zom.stores.local.names import reserved_in
from zom.stores.local.new_file import create, replace
from zom.stores.local.obstacles import file_obstacles
from zom.stores.local.snapshot import FileSnapshot
from zom.stores.local.sweeping import Sweep
from zom.stores.local.temporary import OWN
from zom.stores.system import calls

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

__all__ = ["LocalStore"]

Durability = Literal["none", "file", "full"]
"""What survives a power cut once written: with "none" only what `flush` made durable; with "file" the bytes
of each file, so that a key is old or new and never torn; with "full" also the names, so everything."""

_NOTHING = nullcontext()


class LocalStore(Store):
    """Values as files below a directory.

    Symbolic links are followed for reading, unless `follow_symlinks` is False; never for writing. A missing
    directory is created, or with `create="later"` empty until the first write creates it; without `create`,
    it is an error.

    With the default, `durability="none"`, a power cut may lose data that the system had not written: call
    `flush`. With "file", each key is old or new afterwards; with "full", all written data survives.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, LocalStore(folder) as store:
    ...     store.set("a/0", b"123")
    ...     store.get("a/0"), list(store.list())
    (b'123', ['a/0'])
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        create: bool | Literal["later"] = True,
        read_only: bool = False,
        follow_symlinks: bool = True,
        durability: Durability = "none",
    ) -> None:
        self.root = Path(os.path.abspath(root))  # noqa: PTH100 - Path.resolve would follow links
        self._options: dict[str, Any] = {
            "create": create,
            "read_only": read_only,
            "follow_symlinks": follow_symlinks,
            "durability": durability,
        }
        self.capabilities = Capabilities(
            writable=not read_only,
            create_if_absent=True,
            compare_and_set=True,
            durable=durability == "full",
            rename=True,
            move=True,
            nested_keys=False,
            process_locks=True,
        )
        self._follow = follow_symlinks
        self._durability = durability
        self._unsynced = Unsynced(files=durability == "none")
        self._root_fd = -1
        self._locks = LockFiles()
        self._guard = threading.Lock()
        self._is_closed = False
        self._spelling: Spelling | Literal[False] | None = None
        """Distinguishes names by case if the file system doesn't; None before the first check."""
        self._directories = Directories(
            -1,
            self._locks,
            self._unsynced.note,
            sync_files=durability != "none",
            sync_names=durability == "full",
        )
        with self._told("", "open"):
            if durability not in {"none", "file", "full"}:
                raise ValueError(f"expected durability none, file or full, got {durability!r}")
            if not self._attach(create=create is True and not read_only) and (read_only or not create):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    def _attach(self, *, create: bool = False) -> bool:
        """Open the directory of the store if it exists, or create it; return whether it is open."""
        with self._guard:
            if self._is_closed:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            if self._root_fd >= 0:
                return True
            if not create and not is_there(self.root):
                _check_above(self.root)
                return False
            self._root_fd = self._directories.root = self._open_root(create=create)
            self._finish = weakref.finalize(self, give_back, self._root_fd)
            return True

    def _is_missing(self) -> bool:
        """Whether the directory is still missing; opens it if it exists by now."""
        return self._root_fd < 0 and not self._attach()

    def _make(self) -> None:
        """Create the directory of the store, if missing, before a write."""
        if self._root_fd < 0:
            self._attach(create=True)

    def _open_root(self, *, create: bool) -> int:
        if create:
            missing = [folder for folder in (self.root, *self.root.parents) if not is_there(folder)]
            self.root.mkdir(parents=True, exist_ok=True)
            if self._durability == "full":
                for folder in missing:
                    sync_directory(folder.parent)
        return calls.open(self.root, calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC)

    @override
    def holds(self, key: str) -> bool:
        # In WebAssembly, file names are JavaScript texts, which map all invalid bytes to one character.
        return super().holds(key) if sys.platform == "emscripten" else reserved_in(key) is None

    @property
    @override
    def url(self) -> str:
        return str(self.root)

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        # If the directory existed, another process that can't find it must not treat it as empty.
        create = "later" if self._root_fd < 0 else False
        return (_reopen, (str(self.root), {**self._options, "create": create}))

    @override
    def _reason(self, cause: Exception) -> str:
        if isinstance(cause, OSError):
            if cause.errno == errno.EBADF and self._root_fd < 0:
                return "the store is closed"
            if cause.errno == errno.ELOOP:
                return "a symbolic link that is not followed, or that leads to itself"
        return super()._reason(cause)

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        descriptor = self._open_value(key)
        if descriptor < 0:
            return None
        try:
            return contents(descriptor, byte_range)
        finally:
            calls.close(descriptor)

    @override
    def _read_into(self, key: str, target: memoryview[Any]) -> int | None:
        descriptor = self._open_value(key)
        if descriptor < 0:
            return None
        try:
            return contents_into(descriptor, target)
        finally:
            calls.close(descriptor)

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        descriptor = self._open_value(key)
        return None if descriptor < 0 else FileSnapshot(self, key, descriptor)

    def _open_value(self, key: str) -> int:
        """Open the file of `key`, of any kind; return -1 if it is missing."""
        if key.endswith(LOCK_END) or (self._root_fd < 0 and self._is_missing()) or reserved_in(key):
            return -1
        try:
            if self._follow and len(key) < LONG:
                descriptor = calls.open(key, READ, dir_fd=self._root_fd)
            else:
                descriptor = self._open_by_steps(key)
        except FileNotFoundError:
            refuse_dangling(self._root_fd, key)
            return -1
        # Chunks need no check: the document of their array was read before.
        if self._spelling is not False and is_document(key):
            if self._spelling is None:
                self._spelling = Spelling() if folds_name_of(self._root_fd, key) else False
            if self._taken_for(key) is not None:
                calls.close(descriptor)
                return -1
        return descriptor

    def _taken_for(self, key: str) -> tuple[str, str] | None:
        """Return the first directory of a key or prefix that only exists by another name, and that name."""
        if self._spelling is None:
            self._spelling = Spelling() if folds_names(self.root) else False
        return None if self._spelling is False else self._spelling.taken_for(self._root_fd, key)

    def _refuse_other_names(self, keys: Iterable[str]) -> None:
        """Raise StoreError if a document would replace another one, or if Windows reserves a name."""
        keys = list(keys)
        self._refuse_reserved(keys)
        for key in () if self._spelling is False else keys:
            taken = self._taken_for(key) if is_document(key) else None
            if taken is not None:
                reason = f"{taken[0]!r} is the same as {taken[1]!r} on this disk, which ignores case; choose another name"
                raise StoreError(self.url, key, "write", reason)

    def _refuse_reserved(self, keys: Iterable[str]) -> None:
        for key in keys:
            if name := reserved_in(key):
                reason = f"Windows reserves the name {name!r}; choose another name"
                raise StoreError(self.url, key, "write", reason)

    def _open_by_steps(self, key: str) -> int:
        """Open a file step by step, for keys longer than a path can be, or without following links."""
        parents, _, name = key.rpartition("/")
        directory = self._open_for_listing(parents, follow=self._follow)
        try:
            return calls.open(name, READ if self._follow else READ | calls.O_NOFOLLOW, dir_fd=directory)
        finally:
            calls.close(directory)

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _excluding(self, key: str) -> AbstractContextManager[None]:
        """Nothing: creating, replacing and deleting a file take the lock."""
        return _NOTHING

    @override
    def _write(self, key: str, value: bytes) -> None:
        self._put(key, value)

    @override
    def _write_view(self, key: str, value: memoryview[Any]) -> None:
        self._put(key, _as_bytes(value))

    def _put(self, key: str, value: bytes | memoryview[int]) -> None:
        self._make()
        self._refuse_other_names((key,))
        with self._noting((key,)):
            with self._placing():
                self._directories.put(key, value, replace)
            self._settle((key,))

    def _placing(self) -> _Placing:
        """Return a block that may publish earlier values, too, whose errors name their own keys."""
        return _Placing(self._not_written)

    def _not_written(self, error: NotWritten) -> StoreError:
        return StoreError(self.url, error.key, "write", self._reason(error.reason))

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        self._make()
        self._refuse_other_names(key for key, _ in items)
        with self._noting([key for key, _ in items]):
            written: list[str] = []
            try:
                with self._placing():
                    grown = self._directories.put_growing(items)
                written += [key for key, _ in items[:grown]]
                items = items[grown:]
                written += self._directories.put_new(items)
                done = set(written)
                with self._directories.writing():
                    for key, value in items:
                        if key in done:
                            continue
                        with self._told(key, "write"), self._placing():
                            self._directories.put(key, value, replace)
                        written.append(key)
            finally:
                self._settle(written)

    @override
    @contextmanager
    def _writing(self, *, helps: bool) -> Generator[None]:
        with self._placing(), self._directories.writing(grows=True, helps=helps):
            yield

    @override
    def _create(self, key: str, value: bytes) -> bool:
        self._directories.growing.publish()
        if self._read(key, Range(0, 0)) is not None:
            return False
        self._make()
        self._refuse_other_names((key,))
        with self._noting((key,)):
            try:
                created = self._directories.put(key, value, create)
            except OSError as error:
                if error.errno not in NO_LINKS:
                    raise
                # No hard links here: exclusive only among users of the lock.
                with self._lock(key):
                    if self._read(key, None) is not None:
                        return False
                    created = self._directories.put(key, value, replace)
            if created:
                self._settle((key,))
        return created

    # --- deleting ----------------------------------------------------------------------------------

    @override
    def _remove(self, key: str) -> None:
        self._remove_many([key])

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        if self._is_missing():
            return
        keys = [key for key in keys if reserved_in(key) is None]
        removed: list[str] = []
        try:
            with self._noting(keys):
                try:
                    with self._directories.writing():
                        for key in keys:
                            with self._told(key, "delete"):
                                if self._directories.remove(key):
                                    removed.append(key)
                finally:
                    self._settle(removed)
        finally:
            # Also for missing keys: their deleter may have been killed before this.
            for path in sorted({key.rpartition("/")[0] for key in keys}, key=len, reverse=True):
                with self._told(path, "delete"):
                    self._directories.prune(path)

    @override
    def _remove_prefix(self, prefix: str) -> None:
        self._directories.growing.publish()
        keys: list[str] = []
        for key, mode in self._walk(prefix, follow=False):
            if not is_stored_key(key):
                continue
            if stat.S_ISLNK(mode) and self._follow:
                reason = "it is a symbolic link, and zom deletes nothing through links"
                raise StoreError(self.url, key, "delete", reason)
            if stat.S_ISREG(mode):
                keys.append(key)
        self._remove_many(keys)

    @override
    def _prune(self, prefix: str) -> None:
        if not self._is_missing():
            self._directories.remove_empty(prefix.rstrip("/"))

    @override
    def _rename(self, old: str, new: str) -> None:
        self._directories.growing.publish()
        self._refuse_reserved((new[:-1],))
        old_above, _, old_name = old[:-1].rpartition("/")
        new_above, _, new_name = new[:-1].rpartition("/")
        with self._noting([old[:-1], new[:-1]]), self._directories.opened(old_above) as source:
            mode = calls.stat(old_name, dir_fd=source, follow_symlinks=False).st_mode
            if not stat.S_ISDIR(mode):
                raise OSError(errno.ENOTDIR, f"expected a directory, found {kind(mode)}")
            try:
                with self._directories.opened(new_above, create=True) as target:
                    self._directories.remove_empty(new[:-1])
                    calls.rename(old_name, new_name, src_dir_fd=source, dst_dir_fd=target)
                    if self._durability == "full":
                        calls.fsync(target)
                        calls.fsync(source)
            except BaseException:
                self._directories.tidy(new_above)
                raise
            self._directories.have_changed()
            if self._durability != "full":
                self._unsynced.note([old[:-1], new[:-1]])
        self._directories.tidy(old_above)

    @property
    @override
    def folds_names(self) -> bool:
        return folds_names(self.root)

    @override
    def _obstacles(self, wanted: Wanted) -> Iterable[Obstacle]:
        if not self._is_missing():
            return file_obstacles(self._root_fd, wanted)
        # The first write creates the directory: check the directories above it.
        above = next((each for each in self.root.parents if each.exists()), None)
        if above is None:
            return []  # a missing disk: opening it reports the error
        inner = "/".join(self.root.relative_to(above).parts)
        root = calls.open(above, calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC)
        try:
            return list(file_obstacles(root, wanted.prefixed(f"{inner}/")))
        finally:
            calls.close(root)

    @override
    def _move(self, key: str, new: str) -> None:
        self._directories.growing.publish()
        self._refuse_reserved((new,))
        with self._noting((new, key)):
            self._directories.move(key, new)
            # The new name first, so that at least one of the two is durable at any time.
            self._settle((new, key))
        self._directories.tidy(key.rpartition("/")[0])

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return (key for key, mode in self._walk(prefix, follow=self._follow) if stat.S_ISREG(mode))

    @override
    def _size_of(self, key: str) -> int | None:
        if len(key) >= LONG or self._is_missing() or reserved_in(key):
            return super()._size_of(key)
        try:
            # It was a file when it was listed; if it has changed, reading reports that.
            return calls.stat(key, dir_fd=self._root_fd, follow_symlinks=self._follow).st_size
        except FileNotFoundError:
            return None

    def _walk(self, prefix: str, *, follow: bool) -> Iterator[tuple[str, int]]:
        """Yield every file below `prefix`, except zom's own, with its kind as a mode."""
        waiting = [prefix]
        while waiting:
            here = waiting.pop()
            for name, mode in self._entries(here, follow=follow):
                if not stat.S_ISDIR(mode):
                    yield here + name, mode
                else:
                    waiting.append(f"{here}{name}/")

    def _entries(self, prefix: str, *, follow: bool) -> list[tuple[str, int]]:
        """List the names in a directory with their kinds."""
        if self._is_missing() or reserved_in(prefix):
            return []
        try:
            descriptor = self._open_for_listing(prefix[:-1], follow=follow)
        except FileNotFoundError:
            refuse_dangling(self._root_fd, prefix[:-1])
            return []
        except NotADirectoryError:
            return []
        except CircleError as cause:
            raise StoreError(self.url, prefix[:-1], "list", f"{cause.strerror}") from cause
        if prefix and self._spelling is not False and self._taken_for(prefix) is not None:
            calls.close(descriptor)
            return []
        try:
            with calls.scandir(descriptor) as entries:
                found = [
                    (entry.name, mode_of(entry, follow=follow))
                    for entry in entries
                    if not entry.name.startswith(OWN)
                    and not (entry.name.endswith(LOCK_END) and not entry.is_dir(follow_symlinks=False))
                ]
        finally:
            calls.close(descriptor)
        if not found:
            refuse_dangling(self._root_fd, "")
        return found

    @override
    def _list_dir(self, prefix: str) -> Listing:
        found = self._entries(prefix, follow=self._follow)
        return Listing(
            [prefix + name for name, mode in found if stat.S_ISREG(mode)],
            [f"{prefix}{name}/" for name, mode in found if stat.S_ISDIR(mode)],
        )

    def _open_for_listing(self, path: str, *, follow: bool) -> int:
        if follow:
            return open_followed(self._root_fd, path)
        # Open everything again, even the root: copies of a descriptor share the read position.
        return open_directory(self._root_fd, path.split("/") if path else ["."])

    # --- durability, locks, life -------------------------------------------------------------------

    def _noting(self, keys: Sequence[str]) -> AbstractContextManager[None]:
        """Return a block that changes `keys`; if it fails or is interrupted, any of them may be changed."""
        return _Noting(self._unsynced, keys)

    def _settle(self, keys: Sequence[str]) -> None:
        """Make a change of `keys` durable as far as promised, and record the rest for `flush`."""
        if self._durability != "full":
            self._unsynced.note(keys)
            return
        for path in dict.fromkeys(key.rpartition("/")[0] for key in keys):
            with suppress(FileNotFoundError), self._directories.opened(path) as directory:
                calls.fsync(directory)

    @override
    def flush(self) -> None:
        """Make data written through this object durable, files first, then their directories."""
        if self.capabilities.writable:
            with self._told("", "flush"):
                if self._is_missing():
                    return
                self._unsynced.flush(self._root_fd)

    @override
    def _lock(self, key: str) -> AbstractContextManager[None]:
        return self._hold(key, is_brief=False)

    @override
    def _lock_briefly(self, key: str) -> AbstractContextManager[None]:
        return self._hold(key, is_brief=True)

    def _hold(self, key: str, *, is_brief: bool) -> AbstractContextManager[None]:
        if is_lock_file(key):
            raise OSError(errno.EINVAL, "names that end in '.__lock' are reserved for lock files")
        self._make()
        return self._directories.hold(key, is_brief=is_brief)

    @override
    def sweep(self) -> int:
        """Delete the files of zom's own that killed writers left, and return how many.

        Files of living writers, in any process of this machine, stay. Directories that held nothing else are
        deleted, too. If a file can't be deleted, such as one of another user, StoreError names it after the
        others were deleted.
        """
        self._check_writable("", "sweep")
        with self._told("", "sweep"):
            if self._is_missing():
                return 0
            sweep = Sweep(self._root_fd)
            sweep.run()
            for path in sorted(sweep.left, key=len, reverse=True):
                self._directories.tidy(path)
        if sweep.failed:
            path, error = min(sweep.failed, key=lambda each: each[0])
            more = len(sweep.failed) - 1
            also = f"; {more} more failed" if more else ""
            raise StoreError(
                self.url, path, "sweep", f"{self._reason(error)}{also}; all others were deleted"
            ) from error
        return sweep.removed

    @override
    def close(self) -> None:
        self._is_closed = True
        if self._root_fd >= 0:
            self._root_fd = self._directories.root = -1
            self._finish()


class _Placing:
    """A block that converts NotWritten to a StoreError; a generator would be slower for each value."""

    __slots__ = ("_refused",)

    def __init__(self, refused: Callable[[NotWritten], StoreError]) -> None:
        self._refused = refused

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if isinstance(error, NotWritten):
            raise self._refused(error) from error.reason


class _Noting:
    """A block that records keys as unsynced if it fails; a generator would be slower for each value."""

    __slots__ = ("_keys", "_unsynced")

    def __init__(self, unsynced: Unsynced, keys: Sequence[str]) -> None:
        self._unsynced = unsynced
        self._keys = keys

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None:
            self._unsynced.note_failure(self._keys)


def _check_above(root: Path) -> None:
    """Raise OSError if the directory can't be created, because a parent is not a directory."""
    above = next((each for each in root.parents if is_there(each)), None)
    if above is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if not above.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def _as_bytes(value: memoryview[Any]) -> bytes | memoryview[int]:
    """Return the same memory as bytes; a copy if it is not in C order or its type can't be cast."""
    try:
        return value.cast("B")
    except TypeError:
        return value.tobytes()


def _reopen(root: str, options: dict[str, Any]) -> LocalStore:
    return LocalStore(root, **options)
