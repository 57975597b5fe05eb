"""Suggestions for names that lead nowhere, with a limit on the search.

A group may have thousands of members, and as many names that lead to none of them: a hint for each would
take longer than everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.extension.registry import did_you_mean, near
from zom.formats.node_view import remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.formats.node_view import Node

__all__ = ["NearNames", "near_member"]

MOST_COMPARED: Final = 1 << 17
"""Number of pairs of names that are compared before hints end."""


class NearNames:
    """Known names, and the near names found for others; each name is searched once.

    >>> names = NearNames(["lat", "lon", "time"])
    >>> names.hint("latt"), names.hint("latt", but="lat")
    ("did you mean 'lat'?", 'known are lon, time')
    """

    def __init__(self, known: Sequence[str]) -> None:
        self._known = known
        self._found: dict[tuple[str, str | None], tuple[str, ...]] = {}
        self._left = MOST_COMPARED

    def hint(self, name: str, *, but: str | None = None) -> str | None:
        """A clause with the names near to `name`, except `but`, or None."""
        close = self._near(name, None)
        if close and but in close:
            close = self._near(name, but)
        known = [each for each in self._known if each != but]
        return None if close is None else did_you_mean(close, known)

    def _near(self, name: str, but: str | None) -> tuple[str, ...] | None:
        """The names near to `name`, except `but`; None if the limit is reached."""
        key = (name, but)
        if key not in self._found:
            if self._left <= 0:
                return None
            known = [each for each in self._known if each != but]
            self._left -= len(known)
            self._found[key] = near(name, known, most=MOST_COMPARED)
        return self._found[key]


def near_member(group: Node, name: str, kind: str | None = None) -> str | None:
    """A clause with the members of the group, of that kind, near to `name`, or None.

    >>> from zom.formats.node_view import document_tree
    >>> group = {"zarr_format": 3, "node_type": "group"}
    >>> near_member(document_tree({**group, "members": {"image": group}}), "imagge")
    "did you mean 'image'?"
    """
    return remembered(group, _members_by_kind)[kind].hint(name)


def _members_by_kind(group: Node) -> dict[str | None, NearNames]:
    named = {None: group.members or {}, "array": group.arrays, "group": group.groups}
    return {kind: NearNames(list(members)) for kind, members in named.items()}
