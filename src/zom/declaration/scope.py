"""Scopes: the sizes, defaults and names that a node of a declaration inherits."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final

from zom.dataclass import dataclass
from zom.declaration.words import ARRAY, DEFAULTS, check_words
from zom.formats.families import FAMILIES
from zom.json.python_value import is_dict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.declaration.source import At, Problems
    from zom.extension.datatype import Format
    from zom.model.family import Family

__all__ = ["Scope", "merged", "scope_below"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The settings that a node inherits."""

    form: Format = "v3"
    """The format: "v2", "v3" or "draft"."""
    names: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The values of parameters and of enclosing loops."""
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def family(self) -> Family:
        """The family of classes of the format."""
        return FAMILIES[self.form]

    def inside(self, sizes: Mapping[str, int], defaults: Mapping[str, Any]) -> Scope:
        """Return the scope below a group with these sizes and defaults."""
        return replace(self, sizes={**self.sizes, **sizes}, defaults=merged(self.defaults, defaults))

    def turn(self, names: Mapping[str, Any]) -> Scope:
        """Return the scope of one turn of a loop."""
        return replace(self, names={**self.names, **names})


_INHERITED: Final = {name: ARRAY[name] for name in sorted(DEFAULTS)}


def scope_below(scope: Scope, said: Mapping[str, Any], at: At, problems: Problems) -> Scope:
    """Return the scope below a group with the words `said`; words that can't be defaults are problems.

    >>> from zom.declaration.source import At, Problems, source_of_mapping
    >>> at = At(source_of_mapping({}))
    >>> scope_below(Scope(), {"sizes": {"x": 2}, "defaults": {"dtype": "int8"}}, at, Problems()).defaults
    {'dtype': 'int8'}
    """
    given = said.get("defaults", {})
    defaults = check_words(given, _INHERITED, at.child("defaults"), problems, "defaults")
    return scope.inside(said.get("sizes", {}), defaults)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two mappings, where `above` takes precedence; `chunks`, `shards` and `attributes` are merged too.

    >>> merged({"chunks": {"t": 1}, "dtype": "int8"}, {"chunks": {"x": 2}})
    {'chunks': {'t': 1, 'x': 2}, 'dtype': 'int8'}
    """
    made: dict[str, Any] = {**below, **above}
    for name in ("chunks", "shards", "attributes"):
        lower, upper = below.get(name), above.get(name)
        if is_dict(lower) and is_dict(upper):
            made[name] = {**lower, **upper}
    return made
