"""One empty file that a thread links under the name of one lock file after another.

A lock file that is made and deleted for each value costs an inode each time. ext4 gives out none that was
deleted in the last minute, and looks at all of those first: after some thousand locks, making a file takes
300 us instead of 10. A link takes no inode.

The file is locked before it gets a name, and has that name for as long as the lock is held, like any lock
file. Who has opened it meanwhile waits, then finds that it lost its name, and starts again.
"""

from __future__ import annotations

import os
from contextlib import suppress

from zom.stores.local.files import give_back, remove_lock_file
from zom.stores.local.temporary import temporary_name
from zom.stores.local.whole_locks import lock, unlock

__all__ = ["RecycledLock"]

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

_TRIES = 2
"""After how many failures no further file is made: this file system has no links, or no such locks."""


class RecycledLock:
    """The file, in the open directory `home`; it is made when a second lock is taken.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     home = os.open(folder, os.O_RDONLY)
    ...     recycled = RecycledLock(home)
    ...     recycled.take(home, "a.__lock")
    ...     recycled.take(home, "a.__lock") >= 0, "a.__lock" in os.listdir(folder)
    ...     recycled.give(home, "a.__lock")
    ...     recycled.close()
    ...     os.listdir(folder)
    ...     os.close(home)
    -1
    (True, True)
    []
    """

    def __init__(self, home: int) -> None:
        self._home = home
        self._name = ""
        self._descriptor = -1
        self._asked = 0
        self._failures = 0
        self._is_held = False

    def take(self, directory: int, name: str) -> int:
        """A descriptor of the lock file `name`, which this call made and locked; -1 where it can't be done so."""
        if self._is_held or self._failures >= _TRIES or not self._is_made():
            return -1
        try:
            lock(self._descriptor, wait=False)
        except OSError:
            # Somebody waited for the last lock that this file was, and has it until he looks at its name.
            self.close()
            return -1
        try:
            os.link(self._name, name, src_dir_fd=self._home, dst_dir_fd=directory, follow_symlinks=False)
        except FileExistsError:
            unlock(self._descriptor)
            return -1
        except OSError:
            self._failures += 1
            self.close()
            return -1
        self._is_held = True
        return self._descriptor

    def give(self, directory: int, name: str) -> None:
        """Remove the lock file `name`, and unlock it."""
        self._is_held = False
        remove_lock_file(name, directory)
        unlock(self._descriptor)

    def _is_made(self) -> bool:
        if self._descriptor >= 0:
            return True
        self._asked += 1
        if self._asked == 1:
            return False
        self._name = temporary_name()
        try:
            self._descriptor = os.open(self._name, _NEW, 0o666, dir_fd=self._home)
        except OSError:
            self._failures = _TRIES
            return False
        return True

    def close(self) -> None:
        """Remove the file; the next lock makes another."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with suppress(OSError):
                os.unlink(self._name, dir_fd=self._home)
            give_back(descriptor)

    def abandon(self) -> None:
        """Close the copy that a child process has, unless that is done for all locks that are held."""
        descriptor, self._descriptor = self._descriptor, -1
        self._failures = _TRIES
        if descriptor >= 0 and not self._is_held:
            give_back(descriptor)
