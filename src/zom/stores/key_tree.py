"""Keys by directory, for listing directories in stores that keep their keys in one mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.stores.results import Listing

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["KeyTree"]


class KeyTree:
    """A set of keys that lists a directory without scanning all keys.

    >>> tree = KeyTree(["zarr.json", "a/zarr.json", "a/c/0"])
    >>> tree.list_dir(""), tree.below("a/")
    (Listing(keys=['zarr.json'], prefixes=['a/']), ['a/zarr.json', 'a/c/0'])
    """

    __slots__ = ("_directories",)

    def __init__(self, keys: Iterable[str] = ()) -> None:
        # Names by directory; paths and names of directories end in a slash.
        self._directories: dict[str, dict[str, None]] = {}
        for key in keys:
            self.add(key)

    def add(self, key: str) -> None:
        """Add a key, if it is not in the tree yet."""
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
        """Remove a key, and directories that become empty."""
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
        """List the keys and prefixes directly below `prefix`."""
        names = list(self._directories.get(prefix, ()))
        return Listing(
            [prefix + name for name in names if not name.endswith("/")],
            [prefix + name for name in names if name.endswith("/")],
        )

    def below(self, prefix: str) -> list[str]:
        """List all keys below `prefix`."""
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
