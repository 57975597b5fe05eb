"""Symbolic links to directories, as listings of file systems show them: read through, and nothing is deleted through one.

Directories of fsspec have no identity by which a link to a directory above it would be known. Whoever goes in a circle
comes through the same link again, and so through one of the same name.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from zom.stores.obstacles import NO_LINK, Obstacle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Links"]


class Links:
    """The prefixes that were listed and are links.

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
        """Note that there is a link."""
        self._prefixes.add(prefix)

    def check_listed(self, prefix: str) -> None:
        """OSError where `prefix` is a link below one of the same name."""
        if prefix not in self._prefixes:
            return
        name = _name(prefix)
        if any(prefix.startswith(each) and _name(each) == name for each in self._prefixes - {prefix}):
            reason = "a symbolic link below one of the same name, which may lead to a directory above it"
            raise OSError(errno.ELOOP, reason)

    def obstacles(self, keys: Iterable[str]) -> Iterator[Obstacle]:
        """The links that lead to what shall be deleted."""
        if self._prefixes:
            for prefix in dict.fromkeys(
                each for key in keys for each in self._prefixes if key.startswith(each)
            ):
                fix = "remove the link yourself, or delete where it leads"
                yield Obstacle(prefix[:-1], NO_LINK, "a symbolic link", fix)


def _name(prefix: str) -> str:
    return prefix[:-1].rpartition("/")[2]
