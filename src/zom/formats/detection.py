"""Read a document of unknown format: detect the format from its content.

https://zarr-specs.readthedocs.io: v3 and v2 mark their documents with `zarr_format`; array and group
documents of the draft have no mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from zom.formats.families import DRAFT, ENTRY_POINT, V2, V3
from zom.formats.parsing import check_as, parse_as
from zom.json.python_value import is_dict
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.formats import draft, v2, v3
    from zom.model.family import Family
    from zom.problems import Level, Problem

__all__ = [
    "AnyArraySpec",
    "AnyGroupSpec",
    "AnySpec",
    "check",
    "family_of",
    "parse",
]


AnyArraySpec: TypeAlias = "v2.ArraySpec[Any] | v3.ArraySpec[Any] | draft.ArraySpec[Any]"
"""The spec of an array of any format."""
AnyGroupSpec: TypeAlias = "v2.GroupSpec[Any, Any] | v3.GroupSpec[Any, Any] | draft.GroupSpec[Any, Any]"
"""The spec of a group of any format."""
AnySpec: TypeAlias = "AnyArraySpec | AnyGroupSpec"
"""The spec of a node of any format."""


def family_of(document: object) -> Family | None:
    """Return the format that a document declares; v3 if it declares an unknown one.

    Draft documents have no `zarr_format`: they are recognized by members that only draft arrays have, in the
    document or its descendants. Returns None if nothing identifies the format; then use `zom.draft.parse`.

    >>> family_of({"zarr_format": 2}), family_of({"chunk_memory_layout": "C"}), family_of({"zarr_format": 3})
    (<family v2>, <family draft>, <family v3>)
    >>> print(family_of({"attributes": {}}))
    None
    """
    if isinstance(document, Spec):
        return document.family
    if not isinstance(document, Mapping):
        return V3
    document = cast("Mapping[str, Any]", document)
    declared: object = document.get("zarr_format")
    if type(declared) is int and declared == 2:
        return V2
    if isinstance(declared, str) and "metadata_encoding" in document:
        return ENTRY_POINT
    if "zarr_format" in document or "node_type" in document:
        return V3
    return DRAFT if _is_draft(document) else None


def _is_draft(document: Mapping[str, Any]) -> bool:
    """Whether the document or a descendant has a member that only draft arrays have."""
    waiting: list[Any] = [document]
    seen: set[int] = set()  # a mapping made in Python may contain itself
    while waiting:
        node = waiting.pop()
        if isinstance(node, Spec):
            return node.family is DRAFT
        if not isinstance(node, Mapping) or id(cast("object", node)) in seen:
            continue
        found = cast("Mapping[str, Any]", node)
        seen.add(id(found))
        grid: object = found.get("chunk_grid")
        if "chunk_memory_layout" in found or (is_dict(grid) and "type" in grid):
            return True
        members: object = found.get("members")
        if isinstance(members, Mapping):
            waiting.extend(cast("Mapping[str, Any]", members).values())
    return False


def parse(
    document: str | bytes | Mapping[str, Any],
    level: Level = "strict",
    *,
    limits: Limits = DEFAULT_LIMITS,
    on_warning: Callable[[Problem], None] | None = None,
) -> AnySpec:
    """Parse the node that `document` describes, in any format.

    >>> parse('{"zarr_format": 2, "members": {}}').family
    <family v2>
    """
    found: AnySpec = parse_as(family_of, document, level, limits=limits, on_warning=on_warning)
    return found


def check(
    document: str | bytes | Mapping[str, Any] | Spec,
    level: Level = "strict",
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Problem, ...]:
    """Return every problem of `document`, in any format; empty if it is valid.

    >>> [problem.code for problem in check('{"zarr_format": 3, "node_type": "group", "x": 1}')]
    ['v3/unknown-member']
    """
    target = document.family if isinstance(document, Spec) else family_of
    return check_as(target, document, level, limits=limits)
