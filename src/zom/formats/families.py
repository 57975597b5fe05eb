"""The families of v2, v3 and the draft: everything about a format except its classes, defined on first use.

https://zarr-specs.readthedocs.io: a v3 node declares its kind; the members of a v2 or draft node show it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from zom.formats import draft_rules, v2_rules, v2_stored, v3_rules, v3_stored
from zom.formats.canonical_document import canonical_draft, canonical_v2, canonical_v3
from zom.model.family import DIMENSIONS, Family
from zom.model.stored import stored_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.datatype import Format
    from zom.json.value import JSONDict
    from zom.model.family import NodeKind
    from zom.model.spec import Spec

__all__ = ["DRAFT", "ENTRY_POINT", "FAMILIES", "V2", "V3"]


def _kind_in_v2(document: Mapping[str, Any]) -> NodeKind | None:
    if document.get("zarr_format") == 3 and "node_type" in document:
        return None
    # A document without its shape is an array with one fault, not a group with seven.
    is_array = "shape" in document or ("chunks" in document and "dtype" in document)
    return "array" if is_array else "group"


V2 = Family(
    form="v2",
    zarr_format=2,
    kind_of=_kind_in_v2,
    fields=v2_rules.fields,
    rules=v2_rules.check,
    canonical=canonical_v2,
    field_rules=v2_rules.FIELD_RULES,
    node_rule=v2_rules.NODE,
    members_rule=v2_rules.MEMBERS,
    missing_rule=v2_rules.MISSING,
    other_members={"array": "any", "group": "none"},
    constants={"array": {"zarr_format": 2}, "group": {"zarr_format": 2}},
    reserved=("members", "attributes"),
    type_path=("dtype",),
    chunks_path=("chunks",),
    names_path=("attributes", DIMENSIONS),
    kind_path=(),
    documents_of=v2_stored.documents_of,
    consolidation=v2_stored.CONSOLIDATION,
)


def _kind_in_v3(document: Mapping[str, Any]) -> NodeKind | None:
    declared = document.get("node_type")
    if declared == "array":
        return "array"
    return "group" if declared == "group" else None


V3 = Family(
    form="v3",
    zarr_format=3,
    kind_of=_kind_in_v3,
    fields=v3_rules.fields,
    rules=v3_rules.check,
    canonical=canonical_v3,
    field_rules=v3_rules.FIELD_RULES,
    node_rule=v3_rules.NODE,
    members_rule=v3_rules.MEMBERS,
    missing_rule=v3_rules.MISSING,
    other_members={"array": "ignorable", "group": "ignorable"},
    constants={
        "array": {"zarr_format": 3, "node_type": "array"},
        "group": {"zarr_format": 3, "node_type": "group"},
    },
    reserved=("members",),
    type_path=("data_type",),
    chunks_path=("chunk_grid", "configuration", "chunk_shape"),
    names_path=("dimension_names",),
    kind_path=("node_type",),
    documents_of=v3_stored.documents_of,
    consolidation=v3_stored.CONSOLIDATION,
)


def _kind_in_draft(document: Mapping[str, Any]) -> NodeKind | None:
    if document.get("zarr_format") in (2, 3):  # nodes of other formats declare theirs; draft nodes don't
        return None
    # A document without its shape is an array with one fault, not a group with many.
    is_array = "shape" in document or ("data_type" in document and "chunk_grid" in document)
    return "array" if is_array else "group"


def _entry_point(_document: Mapping[str, Any]) -> NodeKind:
    return "entry point"


def _draft_documents(spec: Spec) -> dict[str, JSONDict]:
    if spec.kind == "group" and "attributes" not in spec.document:
        return {}  # an implicit group
    end = "zarr.json" if spec.kind == "entry point" else f".{spec.kind}.json"
    return {end: stored_names(spec.document, spec.family)}


DRAFT = Family(
    form="draft",
    zarr_format=None,
    kind_of=_kind_in_draft,
    fields=draft_rules.fields,
    rules=draft_rules.check,
    canonical=canonical_draft,
    field_rules=draft_rules.FIELD_RULES,
    node_rule=draft_rules.NODE,
    members_rule=draft_rules.MEMBERS,
    missing_rule=draft_rules.MISSING,
    other_members={"array": "none", "group": "none"},
    constants={"array": {}, "group": {}},
    reserved=("members",),
    type_path=("data_type",),
    chunks_path=("chunk_grid", "chunk_shape"),
    names_path=("attributes", DIMENSIONS),
    kind_path=(),
    documents_of=_draft_documents,
)

ENTRY_POINT = replace(
    DRAFT,
    kind_of=_entry_point,
    rules=draft_rules.check_entry_point,
    constants={"entry point": {"zarr_format": draft_rules.FORMAT_URI}},
    reserved=(),
)

FAMILIES: Final[Mapping[Format, Family]] = {family.form: family for family in (V2, V3, DRAFT)}
"""The family of each format."""
