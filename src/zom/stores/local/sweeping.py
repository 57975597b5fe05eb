"""What killed writers left in a directory, removed as far as that can be done.

A file or a directory that can't be looked at or removed, as that of another user, stops nothing: the others go, and
the first that stayed is told at the end.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zom.stores.local.lock_files import is_lock_file, remove_abandoned_lock
from zom.stores.local.staging import remove_abandoned_staging
from zom.stores.local.temporary import TEMPORARY, remove_abandoned

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Sweep"]


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
        walk = os.fwalk(".", dir_fd=self._root, onerror=self._unread)
        for here, folders, names, directory in walk:
            path = here.removeprefix(".").removeprefix("/")
            if not folders and not names and "/.zom." in f"/{path}":
                self.left.add(path)  # of a change, which was killed, or could not remove it at its end
            hidden = [name for name in folders if name.startswith(TEMPORARY)]
            # Those of living writers are not looked into.
            folders[:] = [name for name in folders if not name.startswith(TEMPORARY)]
            for name in hidden:
                self._try(remove_abandoned_staging, path, name, directory)
            for name in names:
                if is_lock_file(name):
                    self._try(remove_abandoned_lock, path, name, directory)
                elif name.startswith(TEMPORARY):
                    self._try(remove_abandoned, path, name, directory)

    def _try(self, remove: Callable[[str, int], bool], path: str, name: str, directory: int) -> None:
        try:
            if remove(name, directory):
                self.removed += 1
                self.left.add(path)
        except OSError as error:
            self.failed.append((f"{path}/{name}" if path else name, error))

    def _unread(self, error: OSError) -> None:
        self.failed.append((str(error.filename).removeprefix("./"), error))
