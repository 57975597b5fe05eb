"""The directories below the root of a store, and the files in them that hold values.

Every path is resolved from a descriptor of the root, one name at a time, without following symbolic links. A
value is written to a temporary file, which then replaces the old one.
"""

from __future__ import annotations

import errno
import os
import threading
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from zom.stores.interrupts import Uninterrupted, many_uninterrupted
from zom.stores.local.files import give_back, is_file_there, open_directory, refuse_dangling
from zom.stores.local.growing_trees import Filling, GrowingTrees
from zom.stores.local.lock_files import is_lock_file, lock_name
from zom.stores.local.new_file import Nameless, NameNeeded, Temporary, has_nameless, replace
from zom.stores.local.staging import write_new
from zom.stores.local.sweeping import remover_of
from zom.stores.locks import remake_in_children
from zom.stores.system import calls, is_gone
from zom.stores.system.direct import open_below

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from contextlib import AbstractContextManager

    from zom.stores.local.lock_files import LockFiles
    from zom.stores.local.new_file import NewFile, Place
    from zom.stores.local.recycled_lock import RecycledLock
    from zom.stores.locks import Taken

__all__ = ["Batch", "Directories"]

_TRIES = 100
"""Attempts to write to a directory that other processes delete before the write."""

_STAYS = {
    *(errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY),
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ELOOP),
}
"""Errors for directories that stay: they are not empty, or access is denied."""

_BATCH = 8
"""Minimum number of values for which missing directories are staged."""

_MANY = 1 << 16
"""Maximum number of directories recorded as durable."""


class Batch:
    """What a thread keeps between writes, such as the last directory."""

    __slots__ = ("descriptor", "filling", "grows", "path", "recycled", "uninterrupted")

    def __init__(
        self,
        uninterrupted: AbstractContextManager[None],
        recycled: RecycledLock | None = None,
        *,
        grows: bool = False,
    ) -> None:
        self.path: str | None = None
        self.descriptor = -1
        self.uninterrupted = uninterrupted
        self.recycled = recycled
        self.grows = grows
        """Whether missing directories are filled before they are renamed into place."""
        self.filling = Filling()
        """The tree of missing directories that was written to last."""

    def close(self) -> None:
        """Close the descriptor."""
        if self.path is not None:
            self.path = None
            give_back(self.descriptor)


class Directories:
    """The directories below the open `root`; `sync_files` and `sync_names` sync these on each write.

    `published` gets the keys whose directory was renamed into place after they were written.
    """

    def __init__(
        self,
        root: int,
        locks: LockFiles,
        published: Callable[[Sequence[str]], None],
        *,
        sync_files: bool,
        sync_names: bool,
    ) -> None:
        self.root = root
        self._locks = locks
        self._sync_files = sync_files
        self._sync_names = sync_names
        self._settled: set[str] = set()
        self._of_thread = threading.local()
        self._nameless = has_nameless()
        self.growing = GrowingTrees(self.open, self._place, published, sync=sync_files)
        """The missing directories that are being filled."""
        remake_in_children(self)

    def after_fork(self) -> None:
        """Start without writing blocks: they belong to the parent."""
        self._of_thread = threading.local()

    @contextmanager
    def writing(self, *, grows: bool = False, helps: bool = False) -> Generator[None]:
        """Open a block in which this thread keeps shared resources between its writes.

        With `grows`, missing directories are renamed into place when they hold many values, at the latest at
        the end of the block; if this thread `helps` another one, at the end of the other's block.
        """
        if self.root < 0 or getattr(self._of_thread, "batch", None) is not None:
            yield
            return
        failures = self.growing.failures
        with many_uninterrupted() as uninterrupted, self._locks.recycling(self.root) as recycled:
            batch = self._of_thread.batch = Batch(
                uninterrupted, recycled, grows=grows and not self._sync_names
            )
            try:
                yield
                self._finish(batch, helps=helps)
                self.growing.check(failures)
            except BaseException:
                with suppress(OSError):  # report the first error
                    self._finish(batch, helps=helps)
                raise
            finally:
                self._of_thread.batch = None
                batch.close()

    def _finish(self, batch: Batch, *, helps: bool) -> None:
        """Publish everything that was written in a block, also directories that other threads fill."""
        with batch.uninterrupted:
            self.growing.leave(batch.filling)
            if not helps:
                self.growing.publish()
                # Another thread that publishes a tree may wait for a lock of this one.
                if not getattr(self._of_thread, "held", 0):
                    self.growing.wait()

    # --- directories -------------------------------------------------------------------------------

    def open(self, path: str, *, create: bool = False) -> int:
        """Return a descriptor of the directory `path`, which the caller closes."""
        durable = create and self._sync_names and path not in self._settled
        if path and not durable:
            directory = open_below(self.root, path)
            if directory >= 0:
                return directory
        names = path.split("/") if path else ()
        directory = open_directory(self.root, names, create=create, durable=durable)
        if durable and len(self._settled) < _MANY:
            self._settled.add(path)
        return directory

    @contextmanager
    def opened(self, path: str, *, create: bool = False) -> Generator[int]:
        """Open the directory `path` for a block."""
        directory = self.open(path, create=create)
        try:
            yield directory
        finally:
            give_back(directory)

    def have_changed(self) -> None:
        """Forget which directories are durable: a deleted and recreated one is not."""
        self._settled.clear()

    def tidy(self, path: str) -> None:
        """Prune and ignore errors, if another error came first or an empty directory is not a node."""
        with suppress(OSError):
            self.prune(path)

    def prune(self, path: str) -> None:
        """Delete `path` and its parents that are empty now: a store has no empty prefixes."""
        while path:
            above, _, name = path.rpartition("/")
            try:
                with self.opened(above) as directory:
                    calls.rmdir(name, dir_fd=directory)
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno not in _STAYS:
                    raise  # the draft treats a directory as a group
                return
            else:
                self.have_changed()
            path = above

    def remove_empty(self, path: str) -> None:
        """Delete the directory `path` if it only holds empty directories and files of killed writers."""
        try:
            with self.opened(path) as top:
                for here, folders, files, at in calls.fwalk(".", topdown=False, dir_fd=top):
                    del here
                    for name in files:
                        if remove := remover_of(name, is_folder=False):
                            remove(name, at)
                    for name in folders:
                        if remove := remover_of(name, is_folder=True):
                            remove(name, at)
                        with suppress(OSError):
                            calls.rmdir(name, dir_fd=at)
            above, _, name = path.rpartition("/")
            with self.opened(above) as directory, suppress(OSError):
                calls.rmdir(name, dir_fd=directory)
        except FileNotFoundError:
            return
        self.have_changed()

    # --- values ------------------------------------------------------------------------------------

    def put(self, key: str, value: bytes | memoryview[int], place: Place) -> bool:
        """Write `value` to a new file and let `place` give it the name of `key`; return its result."""
        batch: Batch | None = getattr(self._of_thread, "batch", None)
        if batch is not None:
            return self._put(key, value, place, batch)
        batch = Batch(Uninterrupted())
        try:
            return self._put(key, value, place, batch)
        finally:
            batch.close()

    def _put(self, key: str, value: bytes | memoryview[int], place: Place, batch: Batch) -> bool:
        path, _, name = key.rpartition("/")
        if is_lock_file(name):
            raise OSError(errno.EINVAL, "names that end in '.__lock' are reserved for lock files")
        # If the key is locked, its directory exists.
        if place is replace and not self._locks.is_taken(key) and self._grow([(key, value)], batch):
            return True
        for attempt in range(_TRIES):
            try:
                with batch.uninterrupted:
                    if batch.path != path:
                        batch.close()
                        batch.descriptor = self.open(path, create=True)
                        batch.path = path
                    return self._put_into(batch, key, name, value, place)
            except FileNotFoundError:
                # Others have deleted the empty directory before the file was in it.
                batch.close()
                self.have_changed()
                if attempt == _TRIES - 1 or is_gone(self.root):
                    refuse_dangling(self.root, "")
                    raise
            except NameNeeded:
                self._nameless = False
            except BaseException:
                batch.close()
                self.tidy(path)
                raise
        raise AssertionError  # pragma: no cover - the last attempt has returned or raised

    def put_growing(self, items: Sequence[tuple[str, bytes | memoryview[int]]]) -> int:
        """Write values in order to missing directories that are published later, and return how many."""
        batch: Batch | None = getattr(self._of_thread, "batch", None)
        return 0 if batch is None else self._grow(items, batch)

    def _grow(self, items: Sequence[tuple[str, bytes | memoryview[int]]], batch: Batch) -> int:
        if not batch.grows or batch.path == items[0][0].rpartition("/")[0]:
            return 0
        with batch.uninterrupted:
            return self.growing.put(items, batch.filling)

    def _place(self, key: str, directory: int, old: str) -> None:
        """Move the file `old` of the open hidden `directory` to `key`."""

        def act(target: int, name: str) -> None:
            calls.rename(old, name, src_dir_fd=directory, dst_dir_fd=target)

        self._tried(key, act, lambda: is_file_there(directory, old))

    def put_new(self, items: Sequence[tuple[str, bytes]]) -> list[str]:
        """Write values whose directories are missing, and return their keys; [] if few or `sync_names`."""
        if len(items) < _BATCH or self._sync_names:
            return []
        return write_new(items, self.open, sync=self._sync_files)

    def _put_into(
        self, batch: Batch, key: str, name: str, value: bytes | memoryview[int], place: Place
    ) -> bool:
        directory = batch.descriptor
        made: NewFile
        # An access check is cheaper than the exception for a missing file.
        if self._nameless and not calls.access(name, os.F_OK, dir_fd=directory, follow_symlinks=False):
            made = Nameless(directory, value, sync=self._sync_files)
        else:
            is_file_there(directory, name)
            made = Temporary(directory, value, sync=self._sync_files)
        try:
            # The holder of the lock may be in a read-modify-write: wait for it.
            recycled = batch.recycled
            if recycled is None or not recycled.is_made or self._locks.is_taken(key):
                with self._excluding(directory, key, name):
                    return place(made, name)
            # The lock file also excludes other threads, since each has its own.
            lock = lock_name(name)
            if recycled.take(directory, lock):
                try:
                    return place(made, name)
                finally:
                    recycled.give(directory, lock)
            with self._excluding(directory, key, name):
                return place(made, name)
        finally:
            made.close()

    def move(self, key: str, new: str) -> None:
        """Move the file of `key` to `new` in one step, replacing any file there."""
        old_path, _, old_name = key.rpartition("/")

        def act(target: int, name: str) -> None:
            with self.opened(old_path) as source:
                is_file_there(source, old_name)
                calls.rename(old_name, name, src_dir_fd=source, dst_dir_fd=target)

        self._tried(new, act, lambda: self._has(key))

    def _tried(self, key: str, act: Callable[[int, str], None], has_source: Callable[[], bool]) -> None:
        """Call `act` with the open directory of `key`, created if missing, and the name; retry if gone."""
        path, _, name = key.rpartition("/")
        for attempt in range(_TRIES):
            try:
                with (
                    self.opened(path, create=True) as target,
                    Uninterrupted(),
                    self._excluding(target, key, name),
                ):
                    is_file_there(target, name)
                    act(target, name)
            except FileNotFoundError:
                # Others may have deleted the empty directory before the file was in it.
                self.have_changed()
                if attempt == _TRIES - 1 or not has_source():
                    self.tidy(path)
                    raise
            except BaseException:
                self.tidy(path)
                raise
            else:
                return

    def _has(self, key: str) -> bool:
        """Whether `key` has a file."""
        path, _, name = key.rpartition("/")
        try:
            with self.opened(path) as directory:
                return is_file_there(directory, name)
        except FileNotFoundError:
            return False

    def remove(self, key: str) -> bool:
        """Delete the file of `key`; return whether it existed."""
        self.growing.publish(lambda tree: key in tree.keys)
        path, _, name = key.rpartition("/")
        if is_lock_file(name):
            return False
        try:
            with self.opened(path) as directory:
                if not is_file_there(directory, name):
                    refuse_dangling(self.root, key)
                    return False
                with Uninterrupted(), self._excluding(directory, key, name):
                    calls.unlink(name, dir_fd=directory)
        except FileNotFoundError:
            refuse_dangling(self.root, key)
            return False
        return True

    # --- locks -------------------------------------------------------------------------------------

    @contextmanager
    def _excluding(self, directory: int, key: str, name: str) -> Generator[None]:
        """Exclude holders of the lock of `key`, the file `name` of the open `directory`."""
        taken = self._locks.take(key)
        try:
            if taken.depth > 1:
                yield
            else:
                with self._locks.locked(taken, directory, name, needs_lock=False):
                    yield
        finally:
            self._locks.give(key, taken)

    @contextmanager
    def hold(self, key: str, *, is_brief: bool = False) -> Generator[None]:
        """Hold the lock of `key` in a block; a thread may take it again."""
        # The holder of the lock must see earlier writes.
        self.growing.publish(lambda tree: tree.holds(key))
        taken = self._locks.take(key)
        try:
            if taken.depth > 1:
                yield
                return
            with self._locked(key, taken, is_brief=is_brief):
                self._of_thread.held = getattr(self._of_thread, "held", 0) + 1
                try:
                    yield
                finally:
                    self._of_thread.held = getattr(self._of_thread, "held", 1) - 1  # 1: in a child process
        finally:
            self._locks.give(key, taken)

    @contextmanager
    def _locked(self, key: str, taken: Taken, *, is_brief: bool) -> Generator[None]:
        path, _, name = key.rpartition("/")
        directory = -1
        with ExitStack() as held:
            for attempt in range(_TRIES):
                try:
                    directory = held.enter_context(self.opened(path, create=True))
                    held.enter_context(self._locks.locked(taken, directory, name, is_brief=is_brief))
                    break
                except FileNotFoundError:
                    # Others have deleted the empty directory before the lock was in it.
                    held.close()
                    self.have_changed()
                    if attempt == _TRIES - 1 or is_gone(self.root):
                        refuse_dangling(self.root, "")
                        raise
            try:
                yield
            finally:
                # Delete a directory that only held the lock file.
                is_over = self._locks.has(key, taken) and not _is_file(directory, name)
                held.close()
                if is_over:
                    self.tidy(path)


def _is_file(directory: int, name: str) -> bool:
    try:
        calls.stat(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return False
    return True
