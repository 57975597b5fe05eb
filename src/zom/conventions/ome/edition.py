"""Editions: the versions of OME-Zarr, and what differs between them: where metadata stands, and its pages.

OME-Zarr 0.4 has its metadata among the attributes of groups of Zarr v2, later ones have it under `ome`, in
groups of Zarr v3. The rules that versions share are written once, as functions of the edition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from zom.conventions.attributes import rules_beside
from zom.conventions.check import Breach, Site, Skip
from zom.conventions.convention import Convention
from zom.conventions.selector import parse_selector
from zom.conventions.view import UNKNOWN, Node, Unknown
from zom.jsonvalue import JSONDict
from zom.model.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.conventions.attributes import Steps
    from zom.conventions.rule import Rule
    from zom.conventions.view import Path

__all__ = ["Edition", "Judge", "OMEZarr", "lists", "reached"]

Judge: TypeAlias = Callable[[Site], Iterable[Breach] | Skip]
"""A rule that no name of the vocabulary says, as a function of where it is judged."""

_NOTHING: Final[Mapping[str, Any]] = JSONDict()


@dataclass(frozen=True, slots=True)
class Edition:
    """A version of OME-Zarr: the key of attributes under which its metadata stands, and its page.

    >>> edition = Edition("0.5", "ome", "https://ngff.openmicroscopy.org/0.5/")
    >>> edition.at("multiscales[*].axes"), edition.link("axes-md")
    ('ome.multiscales[*].axes', 'https://ngff.openmicroscopy.org/0.5/#axes-md')
    """

    version: str
    key: str | None
    page: str

    def at(self, selector: str) -> str:
        """The selector of what stands at `selector` in the metadata."""
        return selector if self.key is None else f"{self.key}.{selector}"

    def path(self, *steps: str | int) -> Path:
        """What leads from a node's document to what `steps` lead to from the metadata."""
        return ("attributes", *steps) if self.key is None else ("attributes", self.key, *steps)

    def link(self, anchor: str) -> str:
        """A section of the text."""
        return f"{self.page}#{anchor}"

    def schema(self, name: str) -> str:
        """One of the JSON Schemas."""
        return f"{self.page}schemas/{name}.schema"

    def metadata(self, node: Node) -> Mapping[str, Any]:
        """The metadata of a node; nothing, where something else than an object stands there.

        >>> from zom.conventions.view import attributes_node
        >>> Edition("0.5", "ome", "").metadata(attributes_node({"ome": {"version": "0.5"}}))
        {'version': '0.5'}
        """
        if self.key is None:
            return node.attributes
        found = node.attributes.get(self.key)
        return found if is_dict(found) else _NOTHING

    def images(self, node: Node) -> list[tuple[int, Mapping[str, Any]]]:
        """The images of a node, those of `multiscales` that are objects, each with its place there."""
        return list(lists(self.metadata(node), "multiscales"))

    def is_image(self, node: Node | Unknown | None) -> bool:
        """Whether the node is known to be an image."""
        return isinstance(node, Node) and node.is_group and "multiscales" in self.metadata(node)


def lists(value: Mapping[str, Any], key: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of the list at `key`, each with its place; none where there is no such list.

    >>> list(lists({"rows": [{"name": "A"}, 7]}, "rows"))
    [(0, {'name': 'A'})]
    """
    found = value.get(key)
    if is_list(found):
        for place, item in enumerate(found):
            if is_dict(item):
                yield place, item


def reached(node: Node, path: str) -> Node | Unknown | None:
    """As `node.at`, but what is above the root was not read: an image may be opened without its plate.

    >>> from zom.conventions.view import attributes_node
    >>> reached(attributes_node({}), "../../")
    UNKNOWN
    """
    here: Node | Unknown | None = node
    for step in path.split("/"):
        if step == ".." and isinstance(here, Node) and here.parent is None:
            return UNKNOWN
        here = here.at(step) if isinstance(here, Node) else here
    return here


class OMEZarr(Convention):
    """A version of OME-Zarr as a convention, whose rules on the form of attributes are data, too.

    What the model finds is told by the rule with `schema()` whose `each` leads nearest to it, so that models
    can be shared by versions whose rules link to different pages.
    """

    @cached_property
    def all_rules(self) -> tuple[Rule, ...]:
        """Every rule, those beside the fields of models first."""
        return (*(each for _, each in self._beside), *self.rules)

    def form_rules(self, kind: str | None) -> tuple[tuple[Steps, Rule], ...]:
        """The rules that the model judges, each with the steps to the field."""
        return self._form if kind in self.models else ()

    @cached_property
    def _beside(self) -> tuple[tuple[Steps, Rule], ...]:
        return tuple(pair for model in dict.fromkeys(self.models.values()) for pair in rules_beside(model))

    @cached_property
    def _form(self) -> tuple[tuple[Steps, Rule], ...]:
        own = ((parse_selector(each.each or "").steps, each) for each in self.rules if each.is_schema)
        rules = [*(pair for pair in self._beside if pair[1].is_schema), *own]
        # The last one stands for all that no other is nearer to.
        return tuple(sorted(rules, key=lambda pair: -len(pair[0])))
