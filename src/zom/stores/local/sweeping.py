"""What killed writers left in a directory, removed as far as that can be done.

A file or a directory that can't be looked at or removed, as that of another user, stops nothing: the others go, and
the first that stayed is told at the end.
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
    """What removes the file or folder `name` of an open directory where its writer is gone; None if it is no writer's.

    >>> remover_of("c.__lock", is_folder=False) is remove_abandoned_lock, remover_of("c", is_folder=True)
    (True, None)
    """
    if is_folder:
        return remove_abandoned_staging if name.startswith(TEMPORARY) else None
    if is_lock_file(name):
        return remove_abandoned_lock
    return remove_abandoned if name.startswith(TEMPORARY) else None


class Sweep:
    """One walk below the open directory `root`, and what it found."""

    def __init__(self, root: int) -> None:
        self._root = root
        self.removed = 0
        """How many files are gone."""
        self.left: set[str] = set()
        """The directories that may be empty now."""
        self.failed: list[tuple[str, OSError]] = []
        """What could not be looked at or removed, by its path."""

    def run(self) -> None:
        """Remove what has no living writer."""
        walk = calls.fwalk(".", dir_fd=self._root, onerror=self._unread)
        for here, folders, names, directory in walk:
            path = here.removeprefix(".").removeprefix("/")
            if not folders and not names and "/.zom." in f"/{path}":
                self.left.add(path)  # of a change, which was killed, or could not remove it at its end
            for name in [*folders]:
                if remove := remover_of(name, is_folder=True):
                    folders.remove(name)  # those of living writers are not looked into
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
