"""One empty file that a thread links under the name of one lock file after another.

Creating and deleting a lock file for each value takes an inode each time. ext4 doesn't reuse inodes deleted
in the last minute, but checks all of them first: after a few thousand locks, creating a file takes 300 us
instead of 10. A link takes no inode.

The file is locked before it gets a name, and keeps that name as long as the lock is held, like any lock
file. A process that has opened it meanwhile waits, then finds that it lost its name, and starts again.
"""

from __future__ import annotations

from contextlib import suppress

from zom.stores.local.files import give_back, link, remove_lock_file
from zom.stores.local.temporary import temporary_name
from zom.stores.system import BY_DESCRIPTORS, calls
from zom.stores.system.whole_locks import lock, unlock

__all__ = ["RecycledLock"]

_NEW = calls.O_RDWR | calls.O_CREAT | calls.O_EXCL | calls.O_NOFOLLOW | calls.O_CLOEXEC

_TRIES = 2
"""Number of failures after which it gives up: this file system has no links, or no such locks."""


class RecycledLock:
    """The file in the open directory `home`, created when a second lock is taken.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     home = calls.open(folder, calls.O_RDONLY)
    ...     recycled = RecycledLock(home)
    ...     recycled.take(home, "a.__lock")
    ...     recycled.take(home, "a.__lock"), "a.__lock" in calls.listdir(folder)
    ...     recycled.give(home, "a.__lock")
    ...     recycled.close()
    ...     calls.listdir(folder)
    ...     calls.close(home)
    False
    (True, True)
    []
    """

    def __init__(self, home: int) -> None:
        self._home = home
        self._name = ""
        self._descriptor = -1
        self._asked = 0
        self._failures = 0 if BY_DESCRIPTORS else _TRIES
        self._is_held = False

    @property
    def is_made(self) -> bool:
        """Whether the file exists by now."""
        return self._descriptor >= 0

    def take(self, directory: int, name: str) -> bool:
        """Create the locked lock file `name`; return False if that fails or the lock is held."""
        if self._is_held or self._failures >= _TRIES or not self._make():
            return False
        try:
            lock(self._descriptor, wait=False)
        except OSError:
            # A process that waited for the last lock of this file has it until it checks the name.
            self.close()
            return False
        try:
            link(self._name, name, src_dir_fd=self._home, dst_dir_fd=directory, follow_symlinks=False)
        except FileExistsError:
            unlock(self._descriptor)
            return False
        except OSError:
            self._failures += 1
            self.close()
            return False
        self._is_held = True
        return True

    def give(self, directory: int, name: str) -> None:
        """Delete the lock file `name` and unlock it; does nothing in a child that was forked meanwhile."""
        self._is_held = False
        if self._descriptor >= 0:
            remove_lock_file(name, directory)
            unlock(self._descriptor)

    def _make(self) -> bool:
        if self._descriptor >= 0:
            return True
        self._asked += 1
        if self._asked == 1:
            return False
        self._name = temporary_name()
        try:
            self._descriptor = calls.open(self._name, _NEW, 0o666, dir_fd=self._home)
        except OSError:
            self._failures = _TRIES
            return False
        return True

    def close(self) -> None:
        """Delete the file; the next lock creates another."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with suppress(OSError):
                calls.unlink(self._name, dir_fd=self._home)
            give_back(descriptor)

    def abandon(self) -> None:
        """Close the copy in a child process, which would keep the lock as long as it is open."""
        descriptor, self._descriptor = self._descriptor, -1
        self._failures = _TRIES
        if descriptor >= 0:
            give_back(descriptor)
