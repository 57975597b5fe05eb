"""Consolidated metadata as a document of its own, to validate the hierarchy in it.

`.zmetadata` of v2, or a `zarr.json` of v3 with consolidated metadata in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zom.dataclass import dataclass
from zom.errors import SpecError
from zom.formats.families import V2, V3
from zom.formats.node_view import grown
from zom.json.python_value import is_dict
from zom.model.stored import check_consolidated, consolidated_entries, consolidated_pointer, model_document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.formats.node_view import Facts
    from zom.formats.node_view import Node as View
    from zom.model.family import Family
    from zom.problems import Level, Problem

__all__ = ["ConsolidatedDocument", "consolidated_in"]


@dataclass(frozen=True, slots=True)
class ConsolidatedDocument:
    """A document with consolidated metadata in it, and its format."""

    family: Family
    value: Mapping[str, Any]

    def problems(self, level: Level) -> tuple[Problem, ...]:
        """Its problems as Zarr."""
        return check_consolidated(self.family, self.value, level)

    def view(self) -> View:
        """The hierarchy as conventions see it; an empty group if the metadata is invalid."""
        try:
            entries = consolidated_entries(self.family, self.value)
        except SpecError:
            entries = {}
        return _grown(self.family, entries)

    def located(self, problem: Problem) -> Problem:
        """The problem of a node, with a pointer into the document."""
        return replace(problem, pointer=consolidated_pointer(problem, self.family, self.value))


def consolidated_in(value: Any) -> ConsolidatedDocument | None:
    """The consolidated metadata in the document, or None if it is something else.

    >>> consolidated_in({"zarr_consolidated_format": 1, "metadata": {}}).view()
    <group />
    """
    if not is_dict(value):
        return None
    if "zarr_consolidated_format" in value:
        return ConsolidatedDocument(V2, value)
    is_v3 = value.get("zarr_format") == 3 and is_dict(value.get("consolidated_metadata"))
    return ConsolidatedDocument(V3, value) if is_v3 and "members" not in value else None


def _grown(family: Family, entries: Mapping[str, Mapping[str, Any]]) -> View:
    """The view of a hierarchy whose documents are known by path."""
    below: dict[str, dict[str, str]] = {"/": {}}
    for path in entries:
        names = path.strip("/").split("/") if path != "/" else []
        here = ""
        for name in names:
            inner = below.setdefault(here or "/", {})
            here = f"{here}/{name}"
            inner[name] = here
            below.setdefault(here, {})

    def facts(path: str) -> Facts:
        document = (
            model_document(family, entries[path]) if path in entries else dict(family.constants["group"])
        )
        kind = family.kind_of(document) if is_dict(document) else None
        return kind, family.form, document

    return grown("/", facts, below.get)
