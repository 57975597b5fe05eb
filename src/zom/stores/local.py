"""A directory as a store: a key is a path below it, a value is a regular file.

Zarr v3, "File system store". Every path is resolved from a descriptor of the root directory, one name
at a time, so that no name leads out of it. A value is written to a temporary file, which then takes the
place of the old one: a reader, or a crash, finds the old value or the new one.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from zom.errors import StoreError
from zom.stores.interface import ByteRange, Capabilities, KeyLocks, Listing, Store, Suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

__all__ = ["LocalStore"]

Durability = Literal["none", "file", "full"]
"""What survives a loss of power: nothing is promised; the bytes of each file; the files' names, too."""

_OWN = ".zom-"
"""How the names of our own files begin: they are never listed, and no key may use them."""
_LOCKS = f"{_OWN}locks"
_BUCKETS = 1024

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class LocalStore(Store):
    """Values as files below a directory.

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
        if durability not in {"none", "file", "full"}:
            raise StoreError(
                str(self.root), "", "open", f"expected durability none, file or full, got {durability!r}"
            )
        self.capabilities = Capabilities(
            writable=not read_only,
            create_if_absent=True,
            compare_and_set=True,
            durable=durability == "full",
            rename=True,
        )
        self._follow = follow_symlinks
        self._durability = durability
        self._unsynced: dict[str, None] = {}
        self._locks = KeyLocks()
        self._held: dict[int, tuple[int, int]] = {}
        self._root_fd = self._open_root(create=create and not read_only)

    def _open_root(self, *, create: bool) -> int:
        try:
            if create:
                self.root.mkdir(parents=True, exist_ok=True)
            return os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except NotADirectoryError:
            raise StoreError(str(self.root), "", "open", "expected a directory, found a file") from None
        except OSError as cause:
            raise StoreError(str(self.root), "", "open", (cause.strerror or str(cause)).lower()) from cause

    @property
    def url(self) -> str:
        return str(self.root)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_reopen, (str(self.root), self._options))

    # --- reading -----------------------------------------------------------------------------------

    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        try:
            descriptor = self._open_for_reading(key)
        except FileNotFoundError:
            return None
        try:
            return _contents(descriptor, byte_range)
        finally:
            os.close(descriptor)

    def _open_for_reading(self, key: str) -> int:
        if self._follow:
            return os.open(key, _READ, dir_fd=self._root_fd)
        *parents, name = key.split("/")
        with self._directory(parents) as directory:
            return os.open(name, _READ | os.O_NOFOLLOW, dir_fd=directory)

    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        values: list[bytes | None] = []
        for key, byte_range in requests:
            try:
                values.append(self._read(key, byte_range))
            except OSError as cause:
                raise StoreError(self.url, key, "read", (cause.strerror or str(cause)).lower()) from cause
        return values

    # --- writing -----------------------------------------------------------------------------------

    @contextmanager
    def _directory(self, names: Sequence[str], *, create: bool = False) -> Iterator[int]:
        """A descriptor of the directory below the root that `names` lead to, links not followed."""
        here = os.dup(self._root_fd)
        try:
            for name in names:
                try:
                    below = os.open(name, _DIRECTORY, dir_fd=here)
                except FileNotFoundError:
                    if not create:
                        raise
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=here)
                    below = os.open(name, _DIRECTORY, dir_fd=here)
                    if self._durability == "full":
                        os.fsync(here)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)

    def _write(self, key: str, value: bytes) -> None:
        self._refuse_own(key)
        *parents, name = key.split("/")
        with self._directory(parents, create=True) as directory:
            self._refuse_odd(directory, key, name)
            with self._written(directory, value) as temporary:
                os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
            if self._durability == "full":
                os.fsync(directory)

    @contextmanager
    def _written(self, directory: int, value: bytes) -> Iterator[str]:
        """The name of a temporary file that holds `value`; it is gone afterwards unless it was renamed."""
        temporary = f"{_OWN}tmp-{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o666, dir_fd=directory)
        try:
            try:
                view = memoryview(value)
                while view:
                    view = view[os.write(descriptor, view) :]
                if self._durability != "none":
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
            yield temporary
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=directory)

    def _create(self, key: str, value: bytes) -> bool:
        self._refuse_own(key)
        *parents, name = key.split("/")
        with self._directory(parents, create=True) as directory, self._written(directory, value) as temporary:
            try:
                os.link(temporary, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
            except FileExistsError:
                self._refuse_odd(directory, key, name)
                return False
            if self._durability == "full":
                os.fsync(directory)
            return True

    def _refuse_own(self, key: str) -> None:
        if any(name.startswith(_OWN) for name in key.split("/")):
            raise StoreError(self.url, key, "write", f"names that begin with {_OWN!r} are zom's own")

    def _refuse_odd(self, directory: int, key: str, name: str) -> None:
        """Only a regular file is replaced: not a directory, and not a link to somewhere else."""
        try:
            mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISREG(mode):
            raise StoreError(
                self.url, key, "write", f"expected a regular file or nothing, found {_kind(mode)}"
            )

    def _remove(self, key: str) -> None:
        self._refuse_own(key)
        *parents, name = key.split("/")
        try:
            with self._directory(parents) as directory:
                self._refuse_odd(directory, key, name)
                os.unlink(name, dir_fd=directory)
                if self._durability == "full":
                    os.fsync(directory)
        except FileNotFoundError:
            return
        self._prune(parents)

    def _prune(self, names: Sequence[str]) -> None:
        """Remove the directories along `names` that are empty now: a store has no empty prefixes."""
        for depth in range(len(names), 0, -1):
            try:
                with self._directory(names[: depth - 1]) as directory:
                    os.rmdir(names[depth - 1], dir_fd=directory)
            except OSError:
                return  # not empty, or somebody else's: either way it stays

    def _rename(self, old: str, new: str) -> None:
        self._refuse_own(old)
        self._refuse_own(new)
        *old_parents, old_name = old.rstrip("/").split("/")
        *new_parents, new_name = new.rstrip("/").split("/")
        with (
            self._directory(old_parents) as source,
            self._directory(new_parents, create=True) as target,
        ):
            os.rename(old_name, new_name, src_dir_fd=source, dst_dir_fd=target)
            if self._durability == "full":
                os.fsync(source)
                os.fsync(target)

    # --- listing -----------------------------------------------------------------------------------

    def _keys(self, prefix: str) -> Iterable[str]:
        waiting = [prefix]
        while waiting:
            here = waiting.pop()
            found = self._list_dir(here)
            yield from found.keys
            waiting.extend(found.prefixes)

    def _list_dir(self, prefix: str) -> Listing:
        keys: list[str] = []
        prefixes: list[str] = []
        try:
            descriptor = self._open_for_listing(prefix)
        except (FileNotFoundError, NotADirectoryError):
            return Listing([], [])
        try:
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    if entry.name.startswith(_OWN):
                        continue
                    if entry.is_dir(follow_symlinks=self._follow):
                        prefixes.append(f"{prefix}{entry.name}/")
                    elif entry.is_file(follow_symlinks=self._follow):
                        keys.append(prefix + entry.name)
        finally:
            os.close(descriptor)
        return Listing(sorted(keys), sorted(prefixes))

    def _open_for_listing(self, prefix: str) -> int:
        if self._follow:
            return os.open(prefix or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._root_fd)
        with self._directory(prefix.split("/")[:-1]) as directory:
            return os.dup(directory)

    # --- locks -------------------------------------------------------------------------------------

    @contextmanager
    def _lock(self, key: str) -> Iterator[None]:
        """Held against other threads by a lock, against other processes by a lock on a file.

        Keys share lock files, so that there are never more than a thousand; a thread may hold one
        file's lock for several keys.
        """
        bucket = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=4).digest(), "big") % _BUCKETS
        with self._locks.hold(str(bucket)):
            descriptor, depth = self._held.get(bucket, (-1, 0))
            if depth == 0:
                descriptor = self._flock(bucket)
            self._held[bucket] = (descriptor, depth + 1)
            try:
                yield
            finally:
                if depth == 0:
                    del self._held[bucket]
                    os.close(descriptor)
                else:
                    self._held[bucket] = (descriptor, depth)

    def _flock(self, bucket: int) -> int:
        import fcntl  # noqa: PLC0415 - not there on Windows

        with self._directory([_LOCKS], create=True) as directory:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(f"{bucket:03x}", flags, 0o666, dir_fd=directory)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    # --- life --------------------------------------------------------------------------------------

    def sweep(self) -> int:
        """Remove the temporary files that killed writers left; how many there were.

        Call it where nobody writes: a file of a running writer looks the same.
        """
        swept = 0
        for folder, _, names in os.walk(self.root):
            for name in names:
                if name.startswith(f"{_OWN}tmp-"):
                    with suppress(FileNotFoundError):
                        Path(folder, name).unlink()
                        swept += 1
        return swept

    def close(self) -> None:
        if self._root_fd >= 0:
            os.close(self._root_fd)
            self._root_fd = -1


def _reopen(root: str, options: dict[str, Any]) -> LocalStore:
    return LocalStore(root, **options)


def _contents(descriptor: int, byte_range: ByteRange | None) -> bytes:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, f"expected a regular file, found {_kind(found.st_mode)}")
    size = found.st_size
    if byte_range is None:
        return _read_all(descriptor, 0, size, to_end=True)
    if isinstance(byte_range, Suffix):
        start = max(0, size - byte_range.length)
        return _read_all(descriptor, start, size - start, to_end=False)
    start, length = byte_range
    return _read_all(descriptor, start, max(0, size - start) if length is None else length, to_end=False)


def _read_all(descriptor: int, start: int, length: int, *, to_end: bool) -> bytes:
    """`length` bytes from `start` on, however few one call gives; all there are where `to_end`."""
    value = os.pread(descriptor, length + to_end, start)
    if len(value) == length:
        return value
    pieces = [value]
    got = len(value)
    while pieces[-1] and (to_end or got < length):
        pieces.append(os.pread(descriptor, (1 << 20) if to_end else length - got, start + got))
        got += len(pieces[-1])
    return b"".join(pieces)


def _kind(mode: int) -> str:
    names = {
        stat.S_IFDIR: "a directory",
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFBLK: "a device",
        stat.S_IFCHR: "a device",
    }
    return names.get(stat.S_IFMT(mode), "something else")


if sys.platform == "win32":  # pragma: no cover - os.open has no dir_fd there
    message = "zom's local store needs openat, which Windows lacks; use zom.stores.fsspec or zip"
    raise ImportError(message)
