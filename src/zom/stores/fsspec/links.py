"""Symbolic links to directories in listings: they are followed for reading, never for deleting.

Directories of fsspec have no identity that would reveal a link to a parent directory. A cycle passes the
same link again, and so a link of the same name.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from zom.stores.obstacles import NO_LINK, Obstacle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Links"]


class Links:
    """The listed prefixes that are links.

    >>> links = Links(); links.add("a/"); links.add("a/b/"); links.add("a/b/a/")
    >>> links.check_listed("a/b/")
    >>> links.check_listed("a/b/a/")
    Traceback (most recent call last):
    OSError: [Errno 40] a symbolic link below one of the same name, which may lead to a directory above it
    >>> [found.key for found in links.obstacles(["a/x", "c"])]
    ['a']
    """

    def __init__(self) -> None:
        self._prefixes: set[str] = set()

    def add(self, prefix: str) -> None:
        """Record that `prefix` is a link."""
        self._prefixes.add(prefix)

    def check_listed(self, prefix: str) -> None:
        """Raise OSError if `prefix` is a link below one of the same name."""
        if prefix not in self._prefixes:
            return
        name = _name(prefix)
        if any(prefix.startswith(each) and _name(each) == name for each in self._prefixes - {prefix}):
            reason = "a symbolic link below one of the same name, which may lead to a directory above it"
            raise OSError(errno.ELOOP, reason)

    def obstacles(self, keys: Iterable[str]) -> Iterator[Obstacle]:
        """Yield the links through which keys would be deleted."""
        if self._prefixes:
            for prefix in dict.fromkeys(
                each for key in keys for each in self._prefixes if key.startswith(each)
            ):
                fix = "remove the link yourself, or delete its target"
                yield Obstacle(prefix[:-1], NO_LINK, "a symbolic link", fix)


def _name(prefix: str) -> str:
    return prefix[:-1].rpartition("/")[2]
