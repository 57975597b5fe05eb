"""Obstacles: why keys can't be written, deleted or renamed, as far as reading a store can tell."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final, NamedTuple

from zom.dataclass import dataclass
from zom.paths import windows_reserved_in
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["NO_LINK", "Obstacle", "Wanted", "long_keys", "refuse_any", "reserved_keys"]


NO_LINK: Final = "a directory that is not a symbolic link"


class Obstacle(NamedTuple):
    """Why one key can't be written, deleted or renamed."""

    key: str
    expected: str
    found: str
    fix: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """The changes that a caller is about to make to a store."""

    writes: Sequence[str] = ()
    """Keys that will be written."""
    new: frozenset[str] = frozenset()
    """The keys of `writes` that are missing according to a listing."""
    removes: Sequence[str] = ()
    """Keys that will be deleted."""
    moves: Sequence[tuple[str, str]] = ()
    """Prefixes that will be renamed, old and new."""

    def prefixed(self, prefix: str) -> Wanted:
        """Return the same changes with `prefix` before every key and prefix.

        >>> Wanted(writes=["a"]).prefixed("x/").writes
        ['x/a']
        """
        return Wanted(
            [prefix + key for key in self.writes],
            frozenset(prefix + key for key in self.new),
            [prefix + key for key in self.removes],
            [(prefix + old, prefix + new) for old, new in self.moves],
        )


def refuse_any(obstacles: Iterable[Obstacle]) -> None:
    """Raise OSError for the first obstacle, if any.

    >>> refuse_any([Obstacle("a/con", "another name", "one of a device", "rename it")])
    Traceback (most recent call last):
    OSError: [Errno 22] 'a/con': expected another name, found one of a device; rename it
    """
    for key, expected, found, fix in obstacles:
        raise OSError(errno.EINVAL, f"{key!r}: expected {expected}, found {found}; {fix}")


def long_keys(keys: Iterable[str], limit: int) -> Iterator[Obstacle]:
    """Yield an obstacle for each key longer than `limit` bytes.

    >>> [obstacle.found for obstacle in long_keys(["abc", "é"], 2)]
    ['one of 3 bytes']
    """
    for key in keys:
        length = len(key.encode(errors="surrogatepass"))
        if length > limit:
            yield Obstacle(
                key, f"a key of at most {limit} bytes", f"one of {length} bytes", "shorten its path"
            )


def reserved_keys(keys: Iterable[str]) -> Iterator[Obstacle]:
    """Yield an obstacle for each key with a name that Windows reserves.

    >>> [obstacle.found for obstacle in reserved_keys(["a/con", "a/b"])]
    ['"con"']
    """
    for key in keys:
        name = windows_reserved_in(key)
        if name is not None:
            yield Obstacle(key, "a name that Windows does not reserve", show(name), "choose another name")
