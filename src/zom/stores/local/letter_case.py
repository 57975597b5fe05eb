"""File systems that take names for the same which differ only by case or Unicode form, as those of macOS do.

Keys are told apart by every letter (Zarr v3 core, "abstract key/value store"). There, `T/zarr.json` would open `t/zarr.json`:
who assigns a group `T` beside the time `t` would replace the values of `t`. So of what was opened, the
directory has to list the names as the key spells them; Unicode forms are all one, since some of these file systems
write another one than they were given.
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
    """Whether names that differ only by case are one file in the directory `path`, or where it would be made.

    What is in the directory tells, and else its own name, or one above, as long as they are on the same disk.

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
    """Whether a document that is there, below the descriptor `root`, is there by a name in the other case, too."""
    above, slash, name = key.rpartition("/")
    try:
        other = calls.stat(f"{above}{slash}{name.swapcase()}", dir_fd=root)
        return os.path.samestat(other, calls.stat(key, dir_fd=root))
    except OSError:
        return False


class Spelling:
    """Whether directories of a store are spelled as keys spell them; what they list is kept."""

    def __init__(self) -> None:
        self._listed: dict[str, dict[str, str]] = {}

    def taken_for(self, root: int, key: str) -> tuple[str, str] | None:
        """The first directory of a key, below the descriptor `root`, that is there by another name, and that name."""
        above = ""
        for name in key.split("/")[:-1]:
            form = _in_one_form(name)
            if form not in self._listed.get(above, ()):
                # What was listed may be old: directories have been made since.
                try:
                    self._listed[above] = listed = {
                        _in_one_form(each): each for each in names_in(root, above)
                    }
                except PermissionError:
                    return None  # nobody may look
                if form not in listed:
                    return self._by_another_name(root, above, name)
            above = f"{above}{name}/"
        return None

    def _by_another_name(self, root: int, above: str, name: str) -> tuple[str, str] | None:
        form = caseless(name)
        other = next((each for each in self._listed[above].values() if caseless(each) == form), None)
        if other is None:
            return None  # it is missing, or was made just now
        try:
            calls.stat(above + name, dir_fd=root)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return above + name, above + other


def _in_one_form(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFC", name)
