"""Keys by directory: what listing a directory takes in stores that keep their keys in one mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.stores.results import Listing

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["KeyTree"]


class KeyTree:
    """A set of keys, listed by directory without a look at the others.

    >>> tree = KeyTree(["zarr.json", "a/zarr.json", "a/c/0"])
    >>> tree.list_dir(""), tree.below("a/")
    (Listing(keys=['zarr.json'], prefixes=['a/']), ['a/zarr.json', 'a/c/0'])
    """

    __slots__ = ("_directories",)

    def __init__(self, keys: Iterable[str] = ()) -> None:
        # The names in each directory, which ends in a slash; names of directories do, too.
        self._directories: dict[str, dict[str, None]] = {}
        for key in keys:
            self.add(key)

    def add(self, key: str) -> None:
        """Add a key; nothing happens where it is one already."""
        above, slash, name = key.rpartition("/")
        directory = above + slash
        names = self._directories.get(directory)
        while names is None:
            self._directories[directory] = {name: None}
            if not directory:
                return
            above, slash, name = directory[:-1].rpartition("/")
            name += "/"
            directory = above + slash
            names = self._directories.get(directory)
        names[name] = None

    def remove(self, key: str) -> None:
        """Remove a key, and the directories that are empty without it."""
        above, slash, name = key.rpartition("/")
        directory = above + slash
        names = self._directories.get(directory)
        while names is not None:
            names.pop(name, None)
            if names:
                return
            del self._directories[directory]
            if not directory:
                return
            above, slash, name = directory[:-1].rpartition("/")
            name += "/"
            directory = above + slash
            names = self._directories.get(directory)

    def list_dir(self, prefix: str) -> Listing:
        """The keys and the prefixes directly below `prefix`."""
        names = list(self._directories.get(prefix, ()))
        return Listing(
            [prefix + name for name in names if not name.endswith("/")],
            [prefix + name for name in names if name.endswith("/")],
        )

    def below(self, prefix: str) -> list[str]:
        """All keys below `prefix`."""
        found: list[str] = []
        waiting = [prefix]
        while waiting:
            here = waiting.pop()
            for name in list(self._directories.get(here, ())):
                if name.endswith("/"):
                    waiting.append(here + name)
                else:
                    found.append(here + name)
        return found
