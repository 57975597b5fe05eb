"""Comparing two documents of one node by what they mean: a default counts the same, spelled or not.

Documents that break rules have no meaning that could be compared: these are compared as JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.json.exact import same
from zom.model.assembly import assemble

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from zom.model.family import Family

__all__ = ["differing_members"]


def differing_members(
    family: Family, left: Mapping[str, Any], right: Mapping[str, Any], ignore: Collection[str] = ()
) -> list[str]:
    """The members in which two documents differ, but for those to `ignore`.

    >>> from zom.formats.families import V3
    >>> group = {"zarr_format": 3, "node_type": "group"}
    >>> differing_members(V3, group, {**group, "attributes": {}})
    []
    >>> differing_members(V3, group, {**group, "attributes": {"a": 1}})
    ['attributes']
    """
    left, right = ({name: each[name] for name in each if name not in ignore} for each in (left, right))
    if same(left, right):
        return []
    mine, theirs = _canonical(family, left), _canonical(family, right)
    if mine is None or theirs is None:
        mine, theirs = left, right
    return [
        name
        for name in dict.fromkeys((*mine, *theirs))
        if (name in mine) is not (name in theirs) or not same(mine.get(name), theirs.get(name))
    ]


def _canonical(family: Family, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The canonical spelling; None where the document breaks rules."""
    spec, _ = assemble(family, document, "lenient")
    return None if spec is None else family.canonical(spec.kind, spec.document)
