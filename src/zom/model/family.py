"""A family: the array and group specs of one format, and how to recognize its documents."""

from __future__ import annotations

import importlib
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, Literal

from zom.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.extension.datatype import Format
    from zom.json.value import JSONDict
    from zom.model.spec import Spec
    from zom.problems import Fault, Path, Rule

__all__ = ["DIMENSIONS", "Consolidation", "Family", "NodeKind", "family_of"]

DIMENSIONS: Final = "_ARRAY_DIMENSIONS"
"""The attribute that names the dimensions in formats without a field for them."""

_HOME: Final = "zom.formats"
"""The package that defines families and their classes, and imports the model."""

NodeKind = Literal["array", "group", "entry point"]
"""The kind of a document: an array, a group, or the entry point of a draft hierarchy."""


@dataclass(frozen=True, slots=True, eq=False)
class Consolidation:
    """How a format stores the documents of a hierarchy in one."""

    kinds: tuple[NodeKind, ...]
    """The kinds that the root may have."""
    by_key: bool
    """Whether documents are listed by key instead of node path."""
    write: Callable[[Mapping[str, Spec]], dict[str, Any]]
    """Writes the consolidated document of the nodes at their paths."""
    entries: Callable[[Mapping[str, Any]], dict[str, dict[str, Any]]]
    """Returns its documents, by node path and the end of their key."""
    steps: Callable[[Mapping[str, Any], str, Path], Path]
    """Returns the consolidated path of a place inside the node at a path; node paths are like "a/b"."""


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """The pair of specs of one format, and the functions that handle its documents."""

    form: Format
    """The format."""
    zarr_format: int | None
    """The number of the format in its documents; None in the draft."""
    kind_of: Callable[[Mapping[str, Any]], NodeKind | None]
    """Returns the kind of a document, or None if it doesn't say."""
    fields: Callable[[NodeKind, Mapping[str, Any], list[Fault]], dict[str, Any]]
    """Returns the document's members as field values; fixes tolerated deviations and adds a fault."""
    rules: Callable[[NodeKind, Mapping[str, Any], frozenset[str], list[Fault]], None]
    """Checks the rules that span fields; skips the names of fields with faults."""
    canonical: Callable[[NodeKind, Mapping[str, Any]], dict[str, Any]]
    """Returns the canonical spelling of a node's own document."""
    field_rules: Mapping[str, Rule]
    """The rule for a field's own form, by field."""
    node_rule: Rule
    """The rule that a node is an object that declares its type."""
    members_rule: Rule
    """The rule that members are an object of nodes."""
    missing_rule: Rule
    """The rule for members that a document must have."""
    other_members: Mapping[NodeKind, Literal["none", "ignorable", "any"]]
    """What a document of each kind may hold besides its own members, such as ignorable objects."""
    constants: Mapping[NodeKind, Mapping[str, Any]]
    """The members that a spec made in Python may leave out."""
    reserved: tuple[str, ...]
    """Names of the object model that a stored document may use, too (ZEP 6: `_members`)."""
    type_path: tuple[str, ...]
    """The path of an array's data type."""
    chunks_path: tuple[str, ...]
    """The path of the chunk lengths of a regular grid."""
    names_path: tuple[str, ...]
    """The path of an array's dimension names."""
    kind_path: tuple[str, ...]
    """The path of a document's kind; empty if other members show the kind."""
    documents_of: Callable[[Spec], dict[str, JSONDict]]
    """Returns the stored documents of a node by the end of their key; members have their own documents."""
    consolidation: Consolidation | None = None
    """How one document holds a hierarchy; None if the format has no such document."""
    _classes: dict[NodeKind, type[Spec]] = field(init=False, default_factory=dict[NodeKind, "type[Spec]"])

    @property
    def classes(self) -> Mapping[NodeKind, type[Spec]]:
        """The family's own classes, imported on first use."""
        if not self._classes:
            importlib.import_module(f"{_HOME}.{self.form}")
        return self._classes

    def define(self, classes: Mapping[NodeKind, type[Spec]]) -> None:
        """Set the family's own classes; called by the module that defines them."""
        self._classes.update(classes)

    def __repr__(self) -> str:
        return f"<family {self.form}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # There is one family per format: unpickling returns the other process's own.
        return (family_of, (self.form,))


def family_of(form: Format) -> Family:
    """Return the family of a format.

    >>> family_of("v2")
    <family v2>
    """
    families: Mapping[Format, Family] = importlib.import_module(f"{_HOME}.families").FAMILIES
    return families[form]
