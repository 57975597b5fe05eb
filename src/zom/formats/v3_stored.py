"""v3 in a store: one document per node; the document of a group may hold those of a hierarchy.

Consolidated metadata: https://github.com/zarr-developers/zarr-specs/pull/309
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.errors import SpecError
from zom.model.family import Consolidation
from zom.model.stored import (
    CONSOLIDATED,
    consolidated_problem,
    metadata_in,
    stored_names,
    to_documents,
    without_block,
)
from zom.problems import Fault, Path, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.json.value import JSONDict
    from zom.model.spec import Spec

__all__ = ["CONSOLIDATION", "documents_of"]

_BLOCK: Final = "consolidated_metadata"


def documents_of(spec: Spec) -> dict[str, JSONDict]:
    """Return the document of the node, copied only if necessary.

    >>> from zom import v3
    >>> group = v3.GroupSpec()
    >>> documents_of(group)["zarr.json"] is group.document
    True
    """
    return {"zarr.json": stored_names(spec.document, spec.family)}


def _write(nodes: Mapping[str, Spec]) -> dict[str, Any]:
    entries: dict[str, dict[str, Any]] = {}
    for path, node in nodes.items():
        entry = to_documents(node)["zarr.json"]
        if node.kind == "group":
            entry.pop(_BLOCK, None)  # it may be outdated
        entries[path.strip("/")] = entry
    document = entries.pop("")
    document[_BLOCK] = {"kind": "inline", "must_understand": False, "metadata": entries}
    return document


def _entries(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    block: Any = document.get(_BLOCK)
    if not isinstance(block, dict):
        fault = Fault(CONSOLIDATED, (_BLOCK,), "an object", show(block))
        raise SpecError([consolidated_problem(fault)], "consolidated metadata")
    nodes: dict[str, dict[str, Any]] = {"/": {"zarr.json": without_block(document)}}
    for path, value in metadata_in(cast("dict[str, Any]", block), (_BLOCK, "metadata")).items():
        nodes[f"/{path.strip('/')}"] = {"zarr.json": without_block(value)}
    return nodes


def _steps(_document: Mapping[str, Any], path: str, inside: Path) -> Path:
    return (_BLOCK, "metadata", path, *inside) if path else inside


CONSOLIDATION: Final = Consolidation(
    kinds=("group",), by_key=False, write=_write, entries=_entries, steps=_steps
)
"""The member `consolidated_metadata` of a group: documents by node path."""
