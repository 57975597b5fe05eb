"""v2 in a store: the documents of a node, and `.zmetadata`, which holds those of a hierarchy.

Zarr v2, "Metadata"; consolidated metadata as zarr-python writes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.json.python_value import is_dict
from zom.json.value import JSONDict
from zom.model.family import Consolidation
from zom.model.stored import check_consolidated_format, metadata_in, stored_names, to_documents, without_block

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.model.spec import Spec
    from zom.problems import Path

__all__ = ["CONSOLIDATION", "documents_of"]


def documents_of(spec: Spec) -> dict[str, JSONDict]:
    """Return the node's document and its separate attributes document.

    >>> from zom import v2
    >>> documents_of(v2.GroupSpec(attributes={"a": 1}))
    {'.zgroup': {'zarr_format': 2}, '.zattrs': {'a': 1}}
    """
    document = spec.document
    name = ".zarray" if spec.kind == "array" else ".zgroup"
    attributes = document.get("attributes")
    own = JSONDict({name: value for name, value in document.items() if name != "attributes"})
    documents = {name: stored_names(own, spec.family)}
    if attributes is not None:
        documents[".zattrs"] = attributes
    return documents


def _write(nodes: Mapping[str, Spec]) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    for path, node in nodes.items():
        prefix = path.strip("/")
        for name, document in to_documents(node).items():
            metadata[f"{prefix}/{name}" if prefix else name] = document
    return {"zarr_consolidated_format": 1, "metadata": metadata}


def _entries(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    check_consolidated_format(document)
    nodes: dict[str, dict[str, Any]] = {}
    for key, value in metadata_in(document, ("metadata",)).items():
        path, _, name = key.rpartition("/")
        if name in {".zarray", ".zgroup", ".zattrs"}:
            # zarr-python 3 also nests a v3 block in v2 groups.
            entry = without_block(value) if name == ".zgroup" else value
            nodes.setdefault(f"/{path}", {})[name] = entry
    for documents in nodes.values():
        if documents.keys() >= {".zarray", ".zgroup"}:
            del documents[".zgroup"]  # every reader opens the array
    return {path: documents for path, documents in nodes.items() if documents.keys() != {".zattrs"}}


def _steps(document: Mapping[str, Any], path: str, inside: Path) -> Path:
    metadata = document.get("metadata")
    before = f"{path}/" if path else ""
    name = ".zarray" if is_dict(metadata) and f"{before}.zarray" in metadata else ".zgroup"
    if inside[:1] == ("attributes",):
        name, inside = ".zattrs", inside[1:]
    return ("metadata", f"{before}{name}", *inside)


CONSOLIDATION: Final = Consolidation(
    kinds=("array", "group"), by_key=True, write=_write, entries=_entries, steps=_steps
)
"""`.zmetadata`: documents by key."""
