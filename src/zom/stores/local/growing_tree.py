"""A new directory that grows value by value, where nobody looks, until it takes its name.

An operation on an array writes its chunks one after the other, often below a directory that is missing. Written
in its place, each would need a lock and two names. Here each is a plain new file, without a lock, as in `staging`, and the
topmost missing directory takes its name with all of them in one step: when the operation goes on to other directories,
or ends, or when what is written has grown so much that a killed writer would lose more than a moment's work. Where something
has that name by then, the values take their places one by one, as others do.
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
"""How many values wait for their names at most, ..."""

_MOST_BYTES = 1 << 26
"""... how many bytes, ..."""

_LONGEST = 1.0
"""... and for how many seconds."""


class NotWritten(OSError):
    """The value of `key` could not be written, or not be put in its place; the OSError `reason` says why."""

    def __init__(self, key: str, reason: OSError) -> None:
        super().__init__(*reason.args)
        self.key = key
        self.reason = reason


class GrowingTree:
    """The missing directory `top`, which the threads of this process fill together.

    `published` is told of its keys when they have their places, before anybody who waits for that goes on.

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
        """Whose values are in it."""
        self._nbytes = 0
        self._ends = time.monotonic() + _LONGEST
        self._changed = threading.Condition()
        self._writers = 0
        self.users = 1
        """How many threads are about to write to it."""
        self.is_open = True
        """Whether it takes more values."""
        self._is_whole = True
        """Whether nothing lies in it but whole values."""

    def holds(self, key: str) -> bool:
        """Whether `key` can be put into it."""
        return key.startswith(self._prefix) and len(key) < LONG and not is_lock_file(key)

    @property
    def is_full(self) -> bool:
        """Whether it should take its name before more is written."""
        return len(self.keys) >= _MOST_VALUES or self._nbytes >= _MOST_BYTES or time.monotonic() > self._ends

    def put(self, items: Sequence[tuple[str, bytes | memoryview[int]]]) -> int:
        """Write the new values of the first keys, of which all are in it; how many.

        It stops where a key has a value here already, or where the directory has its name by now. NotWritten says which
        value could not be written.
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
        """Remove a file that may not be whole."""
        if self._staging is not None:
            try:
                calls.unlink(place, dir_fd=self._staging.directory)
            except FileNotFoundError:
                return
            except OSError:
                self._is_whole = False

    def publish(self, place: Callable[[str, int, str], object]) -> None:
        """Let the directory take its name, with all that was put into it.

        Where it can't take its name, `place` puts each value in its place: it is called with the key, the open hidden
        directory, and the path of the file in it. When this returns, all is done, whoever did it. NotWritten
        says which value could not be put in its place.
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
        """Forget it in a child process: it is its parent's."""
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
    """Put each value in its place; the first error is raised when all have been tried."""
    failure: NotWritten | None = None
    for key in keys:
        try:
            place(key, directory, path_of(key))
        except OSError as error:
            failure = failure or NotWritten(key, error)
    if failure is not None:
        raise failure
