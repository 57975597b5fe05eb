"""Oddities: irregular content that a store reads nevertheless, to be reported as problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zom.problems import rule

if TYPE_CHECKING:
    from zom.problems import Fault

__all__ = ["PACKED_LINK", "REPEATED_NAME", "Oddity"]

REPEATED_NAME = rule(
    "store/repeated-name",
    "a zip file has one entry of each name",
    source="APPNOTE.TXT 6.3 is silent; zarr-python adds an entry for each change, and the last one counts",
    lenient="warning",
    strict="warning",
    closed="warning",
)


PACKED_LINK = rule(
    "store/packed-link",
    "a zip file has no symbolic links",
    source="APPNOTE.TXT 6.3, 4.4.15: zip -y stores the path of a link as its value, and no reader of Zarr follows it",
    lenient="warning",
    strict="warning",
    closed="warning",
)


class Oddity(NamedTuple):
    """An irregularity of a store, and a key that shows it."""

    fault: Fault
    key: str
