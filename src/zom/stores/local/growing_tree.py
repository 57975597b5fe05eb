"""A new hidden directory that grows value by value until it is renamed into place.

An operation on an array writes its chunks one after the other, often below a missing directory. A direct
write of each would need a lock and two names. Here each is a plain new file, without a lock, as in `staging`,
and one rename publishes the topmost missing directory with all of them. That happens when the operation moves
on to other directories or ends, or when a killed writer would lose more than a moment's work. If something
has that name by then, the values are moved one by one.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from zom.stores.local.files import LONG, give_back
from zom.stores.local.lock_files import is_lock_file
from zom.stores.local.staging import Staging
from zom.stores.system import calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["GrowingTree", "NotWritten"]

_MOST_VALUES = 4096
"""Maximum number of unpublished values, ..."""

_MOST_BYTES = 1 << 26
"""... their bytes, ..."""

_LONGEST = 1.0
"""... and the age of the tree in seconds."""


class NotWritten(OSError):
    """The value of `key` could not be written or published; the OSError `reason` says why."""

    def __init__(self, key: str, reason: OSError) -> None:
        super().__init__(*reason.args)
        self.key = key
        self.reason = reason


class GrowingTree:
    """The missing directory `top`, which threads of this process fill together.

    `published` gets the keys once they are in place, before waiting threads continue.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parent = calls.open(folder, calls.O_RDONLY)
    ...     tree = GrowingTree("c", parent, print, sync=False)
    ...     tree.put([("c/0/0", b"1")]), os.path.exists(f"{folder}/c")
    ...     tree.publish(place=print), calls.listdir(f"{folder}/c/0")
    (1, False)
    ['c/0/0']
    (None, ['0'])
    """

    def __init__(
        self, top: str, parent: int, published: Callable[[Sequence[str]], None], *, sync: bool
    ) -> None:
        self.top = top
        self._published = published
        self._prefix = f"{top}/"
        self._name = top.rpartition("/")[2]
        self._sync = sync
        self._parent = parent
        self._staging: Staging | None = Staging(parent)
        self._tree = self._staging.new_tree()
        self._made: set[str] = set()
        self.keys: dict[str, None] = {}
        """The keys in the tree."""
        self._nbytes = 0
        self._ends = time.monotonic() + _LONGEST
        self._changed = threading.Condition()
        self._writers = 0
        self.users = 1
        """Number of threads that are about to write to it."""
        self.is_open = True
        """Whether it accepts more values."""
        self._is_whole = True
        """Whether it only contains complete values."""

    def holds(self, key: str) -> bool:
        """Whether `key` can be written to the tree."""
        return key.startswith(self._prefix) and len(key) < LONG and not is_lock_file(key)

    @property
    def is_full(self) -> bool:
        """Whether it should be published before more is written."""
        return len(self.keys) >= _MOST_VALUES or self._nbytes >= _MOST_BYTES or time.monotonic() > self._ends

    def put(self, items: Sequence[tuple[str, bytes | memoryview[int]]]) -> int:
        """Write values in order and return how many; all keys must belong to the tree.

        It stops at a key that has a value here already, and writes nothing if the tree was published by now.
        NotWritten names the value that could not be written.
        """
        with self._changed:
            if not self.is_open or self._staging is None:
                return 0
            self._writers += 1
        written = 0
        write, skipped, sync = self._staging.write, len(self.top), self._sync
        place = ""
        try:
            for key, value in items:
                place = self._tree + key[skipped:]
                write(place, value, self._made, sync=sync)
                self.keys[key] = None
                self._nbytes += len(value)
                written += 1
        except FileExistsError:
            return written
        except BaseException as error:
            self._remove_part(place)
            if isinstance(error, OSError):
                raise NotWritten(items[written][0], error) from error
            raise
        finally:
            with self._changed:
                self._writers -= 1
                self._changed.notify_all()
        return written

    def _place(self, key: str) -> str:
        return self._tree + key[len(self.top) :]

    def _remove_part(self, place: str) -> None:
        """Delete a file that may be incomplete."""
        if self._staging is not None:
            try:
                calls.unlink(place, dir_fd=self._staging.directory)
            except FileNotFoundError:
                return
            except OSError:
                self._is_whole = False

    def publish(self, place: Callable[[str, int, str], object]) -> None:
        """Rename the directory into place, with all its values.

        If that fails, `place` moves each value: it gets the key, the open hidden directory, and the path of
        the file in it. On return, everything is published, by this thread or another. NotWritten names the
        value that could not be moved.
        """
        with self._changed:
            if not self.is_open:
                while self._staging is not None:
                    self._changed.wait()
                return
            self.is_open = False
        try:
            with self._changed:
                while self._writers:
                    self._changed.wait()
            if self._staging is not None and self.keys:
                self._publish(self._staging, place)
        finally:
            self._published(list(self.keys))
            self._close()

    def _publish(self, staging: Staging, place: Callable[[str, int, str], object]) -> None:
        if self._is_whole:
            with suppress(OSError):
                staging.rename(self._tree, self._name)
                return
        _place_each(self.keys, place, staging.directory, self._place)

    def _close(self) -> None:
        staging = self._staging
        if staging is not None:
            staging.remove(self._tree)
            staging.close()
            give_back(self._parent)
        with self._changed:
            self._staging = None
            self._changed.notify_all()

    def abandon(self) -> None:
        """Forget the tree in a child process: it belongs to the parent."""
        staging, self._staging, self.is_open = self._staging, None, False
        self._changed = threading.Condition()
        if staging is not None:
            give_back(staging.directory)
            give_back(self._parent)


def _place_each(
    keys: Iterable[str],
    place: Callable[[str, int, str], object],
    directory: int,
    path_of: Callable[[str], str],
) -> None:
    """Move each value into place; raise the first error after trying all."""
    failure: NotWritten | None = None
    for key in keys:
        try:
            place(key, directory, path_of(key))
        except OSError as error:
            failure = failure or NotWritten(key, error)
    if failure is not None:
        raise failure
