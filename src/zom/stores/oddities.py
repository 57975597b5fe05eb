"""Oddities: what a store finds in its place and reads nevertheless, for those who report problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zom.problems import rule

if TYPE_CHECKING:
    from zom.problems import Fault

__all__ = ["REPEATED_NAME", "Oddity"]

REPEATED_NAME = rule(
    "store/repeated-name",
    "a zip file has one entry of each name",
    source="APPNOTE.TXT 6.3 is silent; zarr-python adds an entry for each change, and the last one counts",
    lenient="warning",
    strict="warning",
    closed="warning",
)


class Oddity(NamedTuple):
    """What is odd about a store, and a key that shows it."""

    fault: Fault
    key: str
