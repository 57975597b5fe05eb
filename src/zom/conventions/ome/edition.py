"""Editions: the versions of OME-Zarr, and what differs between them: where metadata stands.

OME-Zarr 0.4 has its metadata among the attributes of groups of Zarr v2, later ones have it under `ome`, in
groups of Zarr v3. The rules that versions share are written once, as functions of the edition.
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
"""A rule that no name of the vocabulary says, as a function of where it is judged and what the rulebook says."""

_NOTHING: Final[Mapping[str, Any]] = JSONDict()


@dataclass(frozen=True, slots=True)
class Edition:
    """What versions of OME-Zarr have in common: the key of attributes under which their metadata stands.

    >>> Edition("ome").at("multiscales[*].axes"), Edition(None).at("multiscales[*].axes")
    ('ome.multiscales[*].axes', 'multiscales[*].axes')
    """

    key: str | None

    def at(self, selector: str) -> str:
        """The selector of what stands at `selector` in the metadata."""
        return selector if self.key is None else f"{self.key}.{selector}"

    def path(self, *steps: str | int) -> Path:
        """What leads from a node's document to what `steps` lead to from the metadata."""
        return ("attributes", *steps) if self.key is None else ("attributes", self.key, *steps)

    def metadata(self, node: Node) -> Mapping[str, Any]:
        """The metadata of a node; nothing, where something else than an object stands there.

        >>> from zom.formats.node_view import attributes_node
        >>> Edition("ome").metadata(attributes_node({"ome": {"version": "0.5"}}))
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


def arrays_of(node: Node, image: Mapping[str, Any]) -> Iterator[tuple[int, Node]]:
    """The arrays of an image that are there and have a shape, each with the place of its dataset.

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
    """As `node.at`, but what is above the root was not read: an image may be opened without its plate.

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
    """A convention whose keys stand beside others: the form of each is told by a rule of its own, of all by none."""

    @cached_property
    def all_rules(self) -> tuple[CheckedRule, ...]:
        """Every rule, that of the form of all attributes left out."""
        return tuple(each for each in super().all_rules if each.id != "attributes")

    def form_rules(self, kind: str | None) -> tuple[tuple[Steps, CheckedRule], ...]:
        """The rules that the model judges, each with the steps to the field."""
        return tuple(pair for pair in super().form_rules(kind) if pair[1].id != "attributes")
