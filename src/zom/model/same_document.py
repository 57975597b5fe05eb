"""Compare two documents of one node by meaning: explicit and implied defaults are equal.

Invalid documents have no meaning to compare: they are compared as JSON.
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
    """Return the members in which two documents differ, except those in `ignore`.

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
    """Return the canonical spelling, or None if the document is invalid."""
    spec, _ = assemble(family, document, "lenient")
    return None if spec is None else family.canonical(spec.kind, spec.document)
