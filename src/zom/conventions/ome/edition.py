"""Editions: where each version of OME-Zarr keeps its metadata.

OME-Zarr 0.4 has its metadata among the attributes of Zarr v2 groups, later versions have it under `ome` in
Zarr v3 groups. The rules that versions share are written once, as functions of the edition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from zom.checks.check import Breach, Skip
from zom.conventions.framework.convention import Convention
from zom.dataclass import dataclass
from zom.formats.node_view import UNKNOWN, Node, Unknown
from zom.json.python_value import is_dict, is_list
from zom.json.value import JSONDict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.checks.checked_rule import CheckedRule
    from zom.conventions.framework.attributes import Steps
    from zom.problems import Path

__all__ = ["Edition", "Judge", "OMEZarr", "arrays_of", "lists", "reached"]

Judge: TypeAlias = Callable[..., Iterable[Breach] | Skip]
"""A rule that the vocabulary can't express: a function of the site and the rulebook's arguments."""

_NOTHING: Final[Mapping[str, Any]] = JSONDict()


@dataclass(frozen=True, slots=True)
class Edition:
    """The attribute key of the metadata in some versions of OME-Zarr.

    >>> Edition("ome").at("multiscales[*].axes"), Edition(None).at("multiscales[*].axes")
    ('ome.multiscales[*].axes', 'multiscales[*].axes')
    """

    key: str | None

    def at(self, selector: str) -> str:
        """The selector of `selector` in the metadata."""
        return selector if self.key is None else f"{self.key}.{selector}"

    def path(self, *steps: str | int) -> Path:
        """The path from a node's document to `steps` in the metadata."""
        return ("attributes", *steps) if self.key is None else ("attributes", self.key, *steps)

    def metadata(self, node: Node) -> Mapping[str, Any]:
        """The metadata of a node; empty if it is not an object.

        >>> from zom.formats.node_view import attributes_node
        >>> Edition("ome").metadata(attributes_node({"ome": {"version": "0.5"}}))
        {'version': '0.5'}
        """
        if self.key is None:
            return node.attributes
        found = node.attributes.get(self.key)
        return found if is_dict(found) else _NOTHING

    def images(self, node: Node) -> list[tuple[int, Mapping[str, Any]]]:
        """The images of a node: the objects in `multiscales`, each with its index."""
        return list(lists(self.metadata(node), "multiscales"))

    def is_image(self, node: Node | Unknown | None) -> bool:
        """Whether the node is known to be an image."""
        return isinstance(node, Node) and node.is_group and "multiscales" in self.metadata(node)


def lists(value: Mapping[str, Any], key: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects in the list at `key`, each with its index; none if there is no list.

    >>> list(lists({"rows": [{"name": "A"}, 7]}, "rows"))
    [(0, {'name': 'A'})]
    """
    found = value.get(key)
    if is_list(found):
        for place, item in enumerate(found):
            if is_dict(item):
                yield place, item


def arrays_of(node: Node, image: Mapping[str, Any]) -> Iterator[tuple[int, Node]]:
    """The arrays of an image that exist and have a shape, each with the index of its dataset.

    >>> from zom.formats.node_view import attributes_node
    >>> list(arrays_of(attributes_node({}), {"datasets": [{"path": "0"}]}))
    []
    """
    for place, dataset in lists(image, "datasets"):
        path = dataset.get("path")
        found = node.at(path) if isinstance(path, str) else None
        if isinstance(found, Node) and found.is_array and found.shape is not None:
            yield place, found


def reached(node: Node, path: str) -> Node | Unknown | None:
    """Like `node.at`, but UNKNOWN above the root: an image may be opened without its plate.

    >>> from zom.formats.node_view import attributes_node
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
    """A convention with keys among others: a rule for each key checks its form, and none all attributes."""

    @cached_property
    def all_rules(self) -> tuple[CheckedRule, ...]:
        """Every rule except the one for the form of all attributes."""
        return tuple(each for each in super().all_rules if each.id != "attributes")

    def form_rules(self, kind: str | None) -> tuple[tuple[Steps, CheckedRule], ...]:
        """The rules that the model checks, each with the steps to its field."""
        return tuple(pair for pair in super().form_rules(kind) if pair[1].id != "attributes")
