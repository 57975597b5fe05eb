"""A new version of a file, written beside it, that replaces it when complete.

A killed writer leaves a temporary file, which the next writer of the same file deletes. If two writers start
from the same version, the second one to finish gets an error.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from zom.digests import blake2b
from zom.stores.local.durability import sync_directory
from zom.stores.local.files import DIRECTORY, NO_LINKS, link
from zom.stores.local.lock_files import LockFiles
from zom.stores.local.temporary import TEMPORARY, hold, remove_abandoned, temporary_name
from zom.stores.system import BY_DESCRIPTORS, calls

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

__all__ = ["Replacement", "sweep_beside"]

_NEW = calls.O_RDWR | calls.O_CREAT | calls.O_EXCL | calls.O_CLOEXEC
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ETXTBSY}
_WAIT = 60.0
"""Seconds to wait for another writer that is replacing the file."""

_locks = LockFiles()
"""Lock files beside archives, for systems that don't lock the archive itself."""

_CHANGED = "another writer has {0} the file since it was opened; open it again and repeat the changes"


class Replacement:
    """The temporary file of a new version of `target`.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = pathlib.Path(folder, "x")
    ...     new = Replacement(target)
    ...     _ = os.write(new.descriptor, b"1")
    ...     new.put(); new.close()
    ...     target.read_bytes(), len(calls.listdir(folder))
    (b'1', 1)
    """

    def __init__(self, target: Path, *, is_new: bool = False) -> None:
        """With `is_new`, it never replaces an existing file."""
        self.target = target
        self._process = os.getpid()
        sweep_beside(target)
        self.old = -1 if is_new else _opened(target)
        """A descriptor of the existing version; -1 if there is none."""
        self._mark = None if self.old < 0 else _mark(calls.fstat(self.old))
        try:
            self.temporary, self.descriptor = _made(target)
        except BaseException:
            self._close_old()
            raise

    def put(self) -> None:
        """Move the new version into place; FileExistsError or OSError if another writer was first."""
        calls.fsync(self.descriptor)
        if self._mark is None:
            self._create()
        else:
            with self._alone():
                try:
                    now = _mark(self.target.stat())
                except FileNotFoundError:
                    raise OSError(errno.ESTALE, _CHANGED.format("deleted")) from None
                if now != self._mark:
                    raise OSError(errno.ESTALE, _CHANGED.format("changed"))
                if not BY_DESCRIPTORS:
                    self._close_old()  # some file systems on Windows can't replace an open file
                calls.rename(self.temporary, self.target)
        sync_directory(self.target.parent)

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Exclude other writers of the same version, if the file system can."""
        if BY_DESCRIPTORS:
            with _locked(self.old):
                yield
            return
        key = str(self.target)
        taken = _locks.take(key)
        directory = calls.open(self.target.parent, DIRECTORY)
        try:
            with _locks.locked(taken, directory, self.target.name, needs_lock=False):
                yield
        finally:
            calls.close(directory)
            _locks.give(key, taken)

    def _create(self) -> None:
        try:
            link(self.temporary, self.target)
        except FileExistsError:
            raise FileExistsError(errno.EEXIST, _CHANGED.format("created")) from None
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            # No hard links here. Create an empty file first: if there are two creators, one succeeds.
            try:
                calls.close(calls.open(self.target, _NEW, 0o666))
            except FileExistsError:
                raise FileExistsError(errno.EEXIST, _CHANGED.format("created")) from None
            calls.rename(self.temporary, self.target)

    def close(self) -> None:
        """Close all files and delete the temporary one; closing twice does nothing."""
        self._close_old()
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            # Deleted while it is held, so that no sweep takes it for an abandoned one.
            if self._process == os.getpid():
                with suppress(OSError):
                    calls.unlink(self.temporary)
            calls.close(descriptor)

    def _close_old(self) -> None:
        old, self.old = self.old, -1
        if old >= 0:
            calls.close(old)


def sweep_beside(target: Path) -> int:
    """Delete the temporary files that killed writers of `target` left beside it, and return how many."""
    swept = 0
    # Failed deletions don't stop a writer.
    with suppress(OSError):
        directory = calls.open(target.parent, calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC)
        try:
            for name in calls.listdir(directory):
                if name.startswith(TEMPORARY) and name.endswith(_tag(target)):
                    with suppress(OSError):
                        swept += remove_abandoned(name, directory)
        finally:
            calls.close(directory)
    return swept


def _tag(target: Path) -> str:
    """Return the suffix of the temporary files of `target`."""
    return f".{blake2b(os.fsencode(target.name), digest_size=8).hexdigest()}"


def _made(target: Path) -> tuple[Path, int]:
    while True:
        temporary = target.with_name(f"{temporary_name()}{_tag(target)}")
        descriptor = calls.open(temporary, _NEW, 0o666)
        try:
            hold(descriptor)
            # Another writer may have swept it before it was held.
            if os.path.samestat(temporary.stat(), calls.fstat(descriptor)):
                return temporary, descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            calls.close(descriptor)
            temporary.unlink(missing_ok=True)
            raise
        calls.close(descriptor)


def _opened(target: Path) -> int:
    """Open the file, so that its inode can't be reused; return -1 if it is missing."""
    try:
        return calls.open(target, calls.O_RDWR | calls.O_CLOEXEC)
    except FileNotFoundError:
        return -1
    except OSError as error:
        if error.errno not in _READ_ONLY:
            raise
        return calls.open(target, calls.O_RDONLY | calls.O_CLOEXEC)


def _mark(found: os.stat_result) -> tuple[int, ...]:
    """Return the state of a file, which differs if it is replaced or changed."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@contextmanager
def _locked(descriptor: int) -> Generator[None]:
    """Exclude other writers of the same version, if the file system can."""
    end = time.monotonic() + _WAIT
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > end:
                raise OSError(errno.EBUSY, "another process has locked the file; try again") from None
            time.sleep(0.01)
        except OSError:
            break  # this file system has no such locks
    # Closing the descriptor releases the lock, after the file is in place.
    yield
