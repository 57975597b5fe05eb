"""Sweeping: deleting the files that killed writers left in a directory.

Files and directories that can't be read or deleted, such as those of another user, don't stop a sweep: the
others are deleted, and the first failure is reported at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.stores.local.lock_files import is_lock_file, remove_abandoned_lock
from zom.stores.local.staging import remove_abandoned_staging
from zom.stores.local.temporary import TEMPORARY, remove_abandoned
from zom.stores.system import calls

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Sweep", "remover_of"]


def remover_of(name: str, *, is_folder: bool) -> Callable[[str, int], bool] | None:
    """Return the function that deletes an abandoned file or folder `name`; None if it is not a writer's.

    >>> remover_of("c.__lock", is_folder=False) is remove_abandoned_lock, remover_of("c", is_folder=True)
    (True, None)
    """
    if is_folder:
        return remove_abandoned_staging if name.startswith(TEMPORARY) else None
    if is_lock_file(name):
        return remove_abandoned_lock
    return remove_abandoned if name.startswith(TEMPORARY) else None


class Sweep:
    """One sweep below the open directory `root`, and its results."""

    def __init__(self, root: int) -> None:
        self._root = root
        self.removed = 0
        """Number of deleted files."""
        self.left: set[str] = set()
        """Directories that may be empty now."""
        self.failed: list[tuple[str, OSError]] = []
        """Paths that could not be read or deleted, with their errors."""

    def run(self) -> None:
        """Delete all files without a living writer."""
        walk = calls.fwalk(".", dir_fd=self._root, onerror=self._unread)
        for here, folders, names, directory in walk:
            path = here.removeprefix(".").removeprefix("/")
            if not folders and not names and "/.zom." in f"/{path}":
                self.left.add(path)  # left by a change that was killed, or failed to delete it
            for name in [*folders]:
                if remove := remover_of(name, is_folder=True):
                    folders.remove(name)  # don't enter those of living writers
                    self._try(remove, path, name, directory)
            for name in names:
                if remove := remover_of(name, is_folder=False):
                    self._try(remove, path, name, directory)

    def _try(self, remove: Callable[[str, int], bool], path: str, name: str, directory: int) -> None:
        try:
            if remove(name, directory):
                self.removed += 1
                self.left.add(path)
        except OSError as error:
            self.failed.append((f"{path}/{name}" if path else name, error))

    def _unread(self, error: OSError) -> None:
        self.failed.append((str(error.filename).removeprefix("./"), error))
