"""The arrays whose chunks a change deletes, as recorded in its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.errors import SpecError
from zom.formats.families import V2, V3
from zom.hierarchy.stored.layout import LAYOUTS
from zom.model.assembly import assemble

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.hierarchy.journal.journal import Clearing
    from zom.model.family import Family
    from zom.model.spec import Spec

__all__ = ["array_of"]

_BESIDE: Final[Mapping[str, Family]] = {"v2": V3, "v3": V2, "draft": V2}
"""For each format, another one whose documents may be beside its own."""


def array_of(clearing: Clearing, document: str) -> Spec:
    """The array that a document in the record describes."""
    is_kept = clearing.kept is not None and document == clearing.kept
    form = clearing.form
    family = _BESIDE[form] if is_kept else LAYOUTS[form][0].family
    spec, problems = assemble(family.classes["array"], document, "lenient")
    if spec is None:
        raise SpecError(problems, clearing.path)
    return spec
