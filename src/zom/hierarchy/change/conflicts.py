"""Conflicts: existing data where something else was to be written, as problems with rules.

Nothing is written if there is a conflict; each says what was found and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.errors import ConflictError, NodeExists
from zom.problems import Problem, rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.problems import Rule

__all__ = [
    "ARRAY_ABOVE",
    "BROKEN",
    "BUSY",
    "CHANGED",
    "EXISTS",
    "FILES",
    "IN_THE_WAY",
    "KIND",
    "LAYOUT",
    "NAME",
    "OBSTACLE",
    "OTHER_FORMAT",
    "UNKNOWN_CHUNKS",
    "UNLISTED",
    "conflict",
    "few",
    "refused",
]

_PLANS = "zom: nothing in a store is lost unless the caller asks for it"
_TREES = "Zarr v3, section Hierarchy, and Zarr v2, section Hierarchies"

EXISTS: Final = rule("plan/exists", "a new node doesn't replace an existing one", source=_PLANS)
LAYOUT: Final = rule(
    "plan/layout",
    "the chunks of an array are read with the document that they were written with",
    source=_PLANS,
)
NAME: Final = rule(
    "plan/name",
    "a node's name can be part of a key in every store",
    source="zom: keys have no backslash, control character or lone surrogate, and no name of zom's own files",
)
OBSTACLE: Final = rule(
    "plan/obstacle",
    "a key to write or delete is a file in writable directories, without links",
    source="zom: a plan without conflicts doesn't stop halfway for a reason that is visible beforehand",
)
KIND: Final = rule("plan/kind", "an array doesn't become a group, or a group an array", source=_PLANS)
OTHER_FORMAT: Final = rule(
    "plan/other-format", "a hierarchy has the documents of one format, not of two", source=_TREES
)
ARRAY_ABOVE: Final = rule("plan/array-above", "no node is below an array", source=_TREES)
IN_THE_WAY: Final = rule("plan/in-the-way", "no node is below an array", source=_TREES)
FILES: Final = rule(
    "plan/files", "a directory with files that are not Zarr's doesn't become a node", source=_PLANS
)
BROKEN: Final = rule("plan/broken", "an existing document can be read", source=_PLANS)
UNKNOWN_CHUNKS: Final = rule(
    "plan/unknown-chunks", "the chunk keys of an array to delete are known", source=_PLANS
)
UNLISTED: Final = rule("plan/unlisted", "keys to delete can be listed", source=_PLANS)
BUSY: Final = rule("plan/busy", "one change of a hierarchy ends before the next begins", source=_PLANS)
CHANGED: Final = rule("plan/changed", "the documents haven't changed since the plan was made", source=_PLANS)


def conflict(  # noqa: PLR0913 - a problem has that many facts
    broken: Rule, node: str, expected: str, found: str, fix: str | None = None, *, key: str | None = None
) -> Problem:
    """A problem of the node at the path `node`.

    >>> print(conflict(FILES, "/a", "nothing", "'photo.jpg'"))
    /a: expected nothing, found 'photo.jpg'
    """
    return Problem(broken.code, "error", node, "", (), expected, found, fix, key)


def refused(problems: Sequence[Problem], url: str) -> ConflictError:
    """The error of these problems of the store at `url`; NodeExists if existing nodes are the only problem.

    >>> type(refused([conflict(EXISTS, "/a", "nothing", "a group")], "a.zarr")).__name__
    'NodeExists'
    """
    kind = NodeExists if all(each.code == EXISTS.code for each in problems) else ConflictError
    return kind(problems, url)


def few(keys: list[str]) -> str:
    """The first few keys, and the number of further ones.

    >>> few(["b", "a", "d", "c"])
    "'a', 'b', 'c' and 1 more"
    """
    shown = sorted(keys)[:3]
    return ", ".join(map(repr, shown)) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
