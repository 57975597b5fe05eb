"""File systems that treat names as equal if they differ only in case or Unicode form, such as those of macOS.

Keys are case-sensitive (Zarr v3 core, "abstract key/value store"). On such a disk, `T/zarr.json` would open
`t/zarr.json`: assigning a group `T` beside the time `t` would replace the values of `t`. So the directory of
an opened file must list the names as the key spells them. Unicode forms count as equal, since some of these
file systems store another form than they were given.
"""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING

from zom.paths import caseless
from zom.stores.local.files import names_in
from zom.stores.system import calls

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Spelling", "folds_name_of", "folds_names"]


def folds_names(path: Path) -> bool:
    """Whether names that differ only in case are the same file in the existing or future directory `path`.

    It tests a name in the directory, or else the name of the directory or one above it on the same disk.

    >>> from pathlib import Path
    >>> folds_names(Path("/no/such/directory"))
    False
    """
    try:
        here = next((each for each in (path, *path.parents) if each.exists()), None)
        if here is None:
            return False
        disk = here.stat().st_dev
        with os.scandir(here) as entries:
            inside = next((here / each.name for each in entries if each.name.swapcase() != each.name), None)
        for at in (inside, here, *here.parents):
            if at is not None and at.name.swapcase() != at.name and at.parent.stat().st_dev == disk:
                return at.samefile(at.with_name(at.name.swapcase()))
    except OSError:
        return False
    return False


def folds_name_of(root: int, key: str) -> bool:
    """Whether an existing document below the descriptor `root` also exists in the other case."""
    above, slash, name = key.rpartition("/")
    try:
        other = calls.stat(f"{above}{slash}{name.swapcase()}", dir_fd=root)
        return os.path.samestat(other, calls.stat(key, dir_fd=root))
    except OSError:
        return False


class Spelling:
    """Compares the spelling of keys with the names in directories, whose listings it caches."""

    def __init__(self) -> None:
        self._listed: dict[str, dict[str, str]] = {}

    def taken_for(self, root: int, key: str) -> tuple[str, str] | None:
        """Return the first directory of a key, below `root`, that exists by another name, and that name."""
        above = ""
        for name in key.split("/")[:-1]:
            form = _in_one_form(name)
            if form not in self._listed.get(above, ()):
                # The cached listing may be outdated: directories may have been created since.
                try:
                    self._listed[above] = listed = {
                        _in_one_form(each): each for each in names_in(root, above)
                    }
                except PermissionError:
                    return None  # access is denied
                if form not in listed:
                    return self._by_another_name(root, above, name)
            above = f"{above}{name}/"
        return None

    def _by_another_name(self, root: int, above: str, name: str) -> tuple[str, str] | None:
        form = caseless(name)
        other = next((each for each in self._listed[above].values() if caseless(each) == form), None)
        if other is None:
            return None  # it is missing, or was created just now
        try:
            calls.stat(above + name, dir_fd=root)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return above + name, above + other


def _in_one_form(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFC", name)
