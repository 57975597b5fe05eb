"""Results of stores other than bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Listing", "Versioned"]


class Versioned(NamedTuple):
    """A value, and a mark that tells the store whether it has changed since.

    >>> Versioned(b"1", 7).value
    b'1'
    """

    value: bytes
    version: Any


class Listing(NamedTuple):
    """The content directly below a prefix: whole keys, and prefixes that end in a slash.

    >>> Listing(["zarr.json"], ["a/"]).prefixes
    ['a/']
    """

    keys: list[str]
    prefixes: list[str]
