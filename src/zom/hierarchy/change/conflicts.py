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

_PLANS = "zom: nothing that lies in a store is lost unless that was asked for"
_TREES = "Zarr v3, section Hierarchy, and Zarr v2, section Hierarchies"

EXISTS: Final = rule("plan/exists", "a new node takes no other's place", source=_PLANS)
LAYOUT: Final = rule(
    "plan/layout",
    "the chunks of an array are read by the document that they were written by",
    source=_PLANS,
)
NAME: Final = rule(
    "plan/name",
    "a node's name can be a part of the keys of every store",
    source="zom: no backslash, control character or half character in a key, and no name of zom's own files",
)
OBSTACLE: Final = rule(
    "plan/obstacle",
    "what is to be written or deleted is a file in directories that may be written to, without links",
    source="zom: a plan without conflicts doesn't stop half way for a reason that can be seen beforehand",
)
KIND: Final = rule("plan/kind", "an array doesn't become a group, nor a group an array", source=_PLANS)
OTHER_FORMAT: Final = rule(
    "plan/other-format", "the documents of one format lie in a hierarchy, not those of two", source=_TREES
)
ARRAY_ABOVE: Final = rule("plan/array-above", "no node lies below an array", source=_TREES)
IN_THE_WAY: Final = rule("plan/in-the-way", "no node lies below an array", source=_TREES)
FILES: Final = rule("plan/files", "a place with files that are not Zarr's is not made a node", source=_PLANS)
BROKEN: Final = rule("plan/broken", "a document that is there can be read", source=_PLANS)
UNKNOWN_CHUNKS: Final = rule(
    "plan/unknown-chunks", "it is known which keys are the chunks of an array that goes", source=_PLANS
)
UNLISTED: Final = rule("plan/unlisted", "what goes can be listed", source=_PLANS)
BUSY: Final = rule("plan/busy", "one change of a hierarchy ends before the next begins", source=_PLANS)
CHANGED: Final = rule("plan/changed", "what was planned for is still there when it is done", source=_PLANS)


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
