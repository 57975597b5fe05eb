"""A directory as a store: a key is a path below it, a value is a regular file.

Zarr v3, "File system store". Every path is resolved from a descriptor of the root directory, so that no
name leads out of it; for writing and deleting, one name at a time and through no symbolic link. A value
takes the place of the old one in one step: a reader, or a crash, finds the old value or the new one.
"""

from __future__ import annotations

import errno
import os
import stat
import weakref
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import override

from zom.errors import StoreError
from zom.stores.directories import Directories, Folder
from zom.stores.durability import Unsynced, sync_directory
from zom.stores.file_locks import LOCK
from zom.stores.file_snapshot import FileSnapshot
from zom.stores.files import (
    LONG,
    READ,
    contents,
    contents_into,
    kind,
    leads_back,
    mode_of,
    open_directory,
    open_followed,
    refuse_dangling,
)
from zom.stores.interface import ByteRange, Capabilities, Listing, Range, Snapshot, Store, is_key
from zom.stores.range_locks import RangeLocks, remove_unused
from zom.stores.temporary import OWN, TEMPORARY, link_in_place, put_in_place, remove_abandoned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

__all__ = ["LocalStore"]

Durability = Literal["none", "file", "full"]
"""What survives a loss of power, once written: what `flush` made durable; the bytes of each file, so
that a file is never torn; the files' names, too."""

_NOTHING = nullcontext()

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}


class LocalStore(Store):
    """Values as files below a directory.

    Symbolic links are followed for reading, unless `follow_symlinks` is False; never for writing.

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
        create: bool = True,
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
            nested_keys=False,
            process_locks=True,
        )
        self._follow = follow_symlinks
        self._durability = durability
        self._unsynced = Unsynced(files=durability == "none")
        self._root_fd = -1
        self._locks = RangeLocks()
        with self._told("", "open"):
            if durability not in {"none", "file", "full"}:
                raise ValueError(f"expected durability none, file or full, got {durability!r}")
            self._root_fd = self._open_root(create=create and not read_only)
        self._directories = Directories(
            self._root_fd, self._locks, sync_files=durability != "none", sync_names=durability == "full"
        )
        self._finish = weakref.finalize(self, _give_back, self._root_fd, self._locks)

    def _open_root(self, *, create: bool) -> int:
        if os.open not in os.supports_dir_fd:  # pragma: no cover - Windows
            reason = "this system can't open files relative to a directory; use a zip or SQLite file"
            raise StoreError(self.url, "", "open", reason)
        if create:
            missing = [folder for folder in (self.root, *self.root.parents) if not folder.exists()]
            self.root.mkdir(parents=True, exist_ok=True)
            if self._durability == "full":
                for folder in missing:
                    sync_directory(folder.parent)
        return os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    @property
    @override
    def url(self) -> str:
        return str(self.root)

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (_reopen, (str(self.root), self._options))

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
            os.close(descriptor)

    @override
    def _read_into(self, key: str, target: memoryview[Any]) -> int | None:
        descriptor = self._open_value(key)
        if descriptor < 0:
            return None
        try:
            return contents_into(descriptor, target)
        finally:
            os.close(descriptor)

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        descriptor = self._open_value(key)
        return None if descriptor < 0 else FileSnapshot(self, key, descriptor)

    def _open_value(self, key: str) -> int:
        """A descriptor of what lies under `key`, whatever it is; -1 where it is missing."""
        try:
            if self._follow and len(key) < LONG:
                return os.open(key, READ, dir_fd=self._root_fd)
            return self._open_by_steps(key)
        except FileNotFoundError:
            refuse_dangling(self._root_fd, key)
            return -1

    def _open_by_steps(self, key: str) -> int:
        """For keys longer than a path may be, and where links are not followed."""
        parents, _, name = key.rpartition("/")
        directory = self._open_for_listing(parents, follow=self._follow)
        try:
            return os.open(name, READ if self._follow else READ | os.O_NOFOLLOW, dir_fd=directory)
        finally:
            os.close(directory)

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _excluding(self, key: str) -> AbstractContextManager[None]:
        """Nothing: what takes a name or gives it up does so under the lock."""
        return _NOTHING

    @override
    def _write(self, key: str, value: bytes) -> None:
        self._directories.put_alone(key, value, put_in_place)
        self._settle((key,))

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        written: list[str] = []
        folder = Folder()
        try:
            for key, value in items:
                with self._told(key, "write"):
                    self._directories.put(key, value, put_in_place, folder)
                written.append(key)
        finally:
            folder.close()
            self._settle(written)

    @override
    def _create(self, key: str, value: bytes) -> bool:
        if self._read(key, Range(0, 0)) is not None:
            return False
        try:
            created = self._directories.put_alone(key, value, link_in_place)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            # No hard links here: exclusive among those who take the lock.
            with self._lock(key):
                if self._read(key, None) is not None:
                    return False
                created = self._directories.put_alone(key, value, put_in_place)
        if created:
            self._settle((key,))
        return created

    # --- deleting ----------------------------------------------------------------------------------

    @override
    def _remove(self, key: str) -> None:
        self._remove_many([key])

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        removed: list[str] = []
        try:
            for key in keys:
                with self._told(key, "delete"):
                    if self._directories.remove(key):
                        removed.append(key)
        finally:
            self._settle(removed)
            for path in sorted({key.rpartition("/")[0] for key in removed}, key=len, reverse=True):
                self._directories.prune(path)

    @override
    def _remove_prefix(self, prefix: str) -> None:
        keys: list[str] = []
        for key, mode in self._walk(prefix, follow=False):
            if not is_key(key):
                continue
            if stat.S_ISLNK(mode) and self._follow:
                reason = "it is a symbolic link, and nothing is deleted through one"
                raise StoreError(self.url, key, "delete", reason)
            if stat.S_ISREG(mode):
                keys.append(key)
        self._remove_many(keys)

    @override
    def _rename(self, old: str, new: str) -> None:
        old_above, _, old_name = old[:-1].rpartition("/")
        new_above, _, new_name = new[:-1].rpartition("/")
        with self._directories.opened(old_above) as source:
            mode = os.stat(old_name, dir_fd=source, follow_symlinks=False).st_mode
            if not stat.S_ISDIR(mode):
                raise OSError(errno.ENOTDIR, f"expected a directory, found {kind(mode)}")
            try:
                with self._directories.opened(new_above, create=True) as target:
                    os.rename(old_name, new_name, src_dir_fd=source, dst_dir_fd=target)
                    if self._durability == "full":
                        os.fsync(target)
                        os.fsync(source)
            except BaseException:
                self._directories.prune(new_above)
                raise
        self._directories.have_changed()
        if self._durability != "full":
            self._unsynced.note([old[:-1], new[:-1]])
        self._directories.prune(old_above)

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return (key for key, mode in self._walk(prefix, follow=self._follow) if stat.S_ISREG(mode))

    @override
    def _size_of(self, key: str) -> int | None:
        if len(key) >= LONG:
            return super()._size_of(key)
        try:
            # What was a file when it was listed: what it is by now is told when it is read.
            return os.stat(key, dir_fd=self._root_fd, follow_symlinks=self._follow).st_size
        except FileNotFoundError:
            return None

    def _walk(self, prefix: str, *, follow: bool) -> Iterator[tuple[str, int]]:
        """Every file below `prefix` that isn't our own, with its kind as a mode."""
        waiting = [prefix]
        while waiting:
            here = waiting.pop()
            for name, mode, is_link in self._entries(here, follow=follow):
                if not stat.S_ISDIR(mode):
                    yield here + name, mode
                elif is_link and leads_back(self._root_fd, here + name):
                    raise StoreError(
                        self.url, here + name, "list", "a symbolic link that leads to a directory above it"
                    )
                else:
                    waiting.append(f"{here}{name}/")

    def _entries(self, prefix: str, *, follow: bool) -> list[tuple[str, int, bool]]:
        """The names in a directory, the kind of each, and whether it is a symbolic link."""
        try:
            descriptor = self._open_for_listing(prefix[:-1], follow=follow)
        except FileNotFoundError:
            refuse_dangling(self._root_fd, prefix[:-1])
            return []
        except NotADirectoryError:
            return []
        try:
            with os.scandir(descriptor) as entries:
                found = [
                    (entry.name, mode_of(entry, follow=follow), entry.is_symlink())
                    for entry in entries
                    if not entry.name.startswith(OWN)
                ]
        finally:
            os.close(descriptor)
        if not found:
            refuse_dangling(self._root_fd, "")
        return found

    @override
    def _list_dir(self, prefix: str) -> Listing:
        found = self._entries(prefix, follow=self._follow)
        return Listing(
            [prefix + name for name, mode, _ in found if stat.S_ISREG(mode)],
            [f"{prefix}{name}/" for name, mode, _ in found if stat.S_ISDIR(mode)],
        )

    def _open_for_listing(self, path: str, *, follow: bool) -> int:
        if follow:
            return open_followed(self._root_fd, path)
        return open_directory(self._root_fd, path.split("/") if path else [])

    # --- durability, locks, life -------------------------------------------------------------------

    def _settle(self, keys: Sequence[str]) -> None:
        """After a change of `keys`: make it durable as far as was promised, and note the rest."""
        if self._durability != "full":
            self._unsynced.note(keys)
            return
        for path in dict.fromkeys(key.rpartition("/")[0] for key in keys):
            with suppress(FileNotFoundError), self._directories.opened(path) as directory:
                os.fsync(directory)

    @override
    def flush(self) -> None:
        """Make durable what was written through this object, files first, then their directories."""
        if self.capabilities.writable:
            with self._told("", "flush"):
                self._unsynced.flush(self._root_fd)

    @override
    def _lock(self, key: str) -> AbstractContextManager[None]:
        return self._locks.hold(key, self._root_fd)

    def sweep(self) -> int:
        """Remove the files of our own that killed writers left; how many there were.

        Files of writers that live, in any process of this machine, are left alone.
        """
        self._check_writable("", "sweep")
        with self._told("", "sweep"):
            swept = int(self._locks.rest(self._root_fd) or remove_unused(self._root_fd))
            for _, _, names, directory in os.fwalk(".", dir_fd=self._root_fd):
                for name in names:
                    if name.startswith((TEMPORARY, LOCK)):
                        swept += remove_abandoned(name, directory)
        return swept

    @override
    def close(self) -> None:
        self._root_fd = self._directories.root = -1
        self._finish()


def _give_back(root: int, locks: RangeLocks) -> None:
    locks.close(root)
    os.close(root)


def _reopen(root: str, options: dict[str, Any]) -> LocalStore:
    return LocalStore(root, **options)
