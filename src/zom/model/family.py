"""A family: the array and group specs of one format, and what tells its documents apart."""

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
"""The attribute that names the dimensions where the format has no place for them."""

_HOME: Final = "zom.formats"
"""Where families and their classes are defined, which need the model."""

NodeKind = Literal["array", "group", "entry point"]
"""What a document is: a node of one of two kinds, or the entry point of a draft hierarchy."""


@dataclass(frozen=True, slots=True, eq=False)
class Consolidation:
    """How a format keeps the documents of a hierarchy in one."""

    kinds: tuple[NodeKind, ...]
    """The kinds that the root may have."""
    by_key: bool
    """Whether it has documents by their keys, and not by the paths of their nodes."""
    write: Callable[[Mapping[str, Spec]], dict[str, Any]]
    """The document of the nodes at their paths."""
    entries: Callable[[Mapping[str, Any]], dict[str, dict[str, Any]]]
    """The documents in it, by the path of their node and the end of their key."""
    steps: Callable[[Mapping[str, Any], str, Path], Path]
    """Where it has what stands inside of the node at a path; paths are like "a/b"."""


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """One format's pair of specs, and the functions that know its documents."""

    form: Format
    """The format."""
    zarr_format: int | None
    """The number of the format in its documents; None in the draft."""
    kind_of: Callable[[Mapping[str, Any]], NodeKind | None]
    """Whether a document is an array or a group; None where it doesn't say."""
    fields: Callable[[NodeKind, Mapping[str, Any], list[Fault]], dict[str, Any]]
    """The document's members as field values; a tolerated deviation is put right, with a fault."""
    rules: Callable[[NodeKind, Mapping[str, Any], frozenset[str], list[Fault]], None]
    """Checks the rules that span fields; the names of the fields at fault are left out."""
    canonical: Callable[[NodeKind, Mapping[str, Any]], dict[str, Any]]
    """The canonical spelling of a node's own document."""
    field_rules: Mapping[str, Rule]
    """The rule that a field's own form obeys, by field."""
    node_rule: Rule
    """The rule that a node is an object which says what it is."""
    members_rule: Rule
    """The rule that members are an object of nodes."""
    missing_rule: Rule
    """The rule that names the members a document must have."""
    other_members: Mapping[NodeKind, Literal["none", "ignorable", "any"]]
    """What a document of each kind may hold beside its own members: objects with must_understand false, say."""
    constants: Mapping[NodeKind, Mapping[str, Any]]
    """The members that a spec made in Python need not spell."""
    reserved: tuple[str, ...]
    """Names that the object model uses and a stored document may use, too (ZEP 6: `_members`)."""
    type_path: tuple[str, ...]
    """Where the data type of an array stands."""
    chunks_path: tuple[str, ...]
    """Where the lengths of a regular grid's chunks stand."""
    names_path: tuple[str, ...]
    """Where the names of an array's dimensions stand."""
    kind_path: tuple[str, ...]
    """Where a document says its kind; empty where the kind shows in other members."""
    documents_of: Callable[[Spec], dict[str, JSONDict]]
    """The stored documents of a node by the end of their key; its members have documents of their own."""
    consolidation: Consolidation | None = None
    """How one document holds a hierarchy; None where there is no such document."""
    _classes: dict[NodeKind, type[Spec]] = field(init=False, default_factory=dict[NodeKind, "type[Spec]"])

    @property
    def classes(self) -> Mapping[NodeKind, type[Spec]]:
        """The family's own classes, which are defined with the first question for them."""
        if not self._classes:
            importlib.import_module(f"{_HOME}.{self.form}")
        return self._classes

    def define(self, classes: Mapping[NodeKind, type[Spec]]) -> None:
        """Take the family's own classes, from the module that defines them."""
        self._classes.update(classes)

    def __repr__(self) -> str:
        return f"<family {self.form}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # There is one of each format: a copy in another process is that process's own.
        return (family_of, (self.form,))


def family_of(form: Format) -> Family:
    """The family of a format.

    >>> family_of("v2")
    <family v2>
    """
    families: Mapping[Format, Family] = importlib.import_module(f"{_HOME}.families").FAMILIES
    return families[form]
