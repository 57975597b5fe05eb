"""The layout of a pyramid: its levels, from which they were made, and the arrays that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zom.conventions.affine import numbers_of
from zom.formats.node_view import Node
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zom.problems import Path


__all__ = ["ResolutionLevel", "arrays_of", "levels_of", "sources_of"]

PLACE: Final[Path] = ("attributes", "multiscales", "layout")


class ResolutionLevel(NamedTuple):
    """One entry of a layout, and its place there."""

    place: int
    entry: Mapping[str, Any]

    def text(self, name: str) -> str | None:
        """What stands at `name`; None where that is no text."""
        found = self.entry.get(name)
        return found if isinstance(found, str) else None

    @property
    def asset(self) -> str | None:
        """The path of its group or array."""
        return self.text("asset")

    @property
    def source(self) -> str | None:
        """The path of the level that it was made from."""
        return self.text("derived_from")

    def numbers(self, name: str) -> tuple[float, ...] | None:
        """The numbers of its `scale` or `translation`; None where there are none."""
        transform = self.entry.get("transform")
        return numbers_of(transform.get(name)) if is_dict(transform) else None

    def at(self, *steps: str | int) -> Path:
        """What leads there from the document of its group."""
        return (*PLACE, self.place, *steps)


def levels_of(node: Node) -> list[ResolutionLevel]:
    """The levels that a group's layout names, as far as it has the form of one.

    >>> from zom.formats.node_view import attributes_node
    >>> levels_of(attributes_node({"multiscales": {"layout": [{"asset": "0"}, 7]}}))
    [ResolutionLevel(place=0, entry={'asset': '0'})]
    """
    multiscales = node.attributes.get("multiscales")
    layout = multiscales.get("layout") if is_dict(multiscales) else None
    entries = enumerate(layout) if is_list(layout) else ()
    return [ResolutionLevel(place, entry) for place, entry in entries if is_dict(entry)]


def sources_of(levels: Sequence[ResolutionLevel]) -> Iterator[tuple[ResolutionLevel, ResolutionLevel]]:
    """Each level that is made from another one, and that one.

    >>> zero, one = ResolutionLevel(0, {"asset": "0"}), ResolutionLevel(1, {"asset": "1", "derived_from": "0"})
    >>> [(level.asset, source.asset) for level, source in sources_of([zero, one])]
    [('1', '0')]
    """
    by_asset: dict[str, ResolutionLevel] = {}
    for level in levels:
        if level.asset is not None:
            by_asset.setdefault(level.asset, level)
    for level in levels:
        source = by_asset.get(level.source or "")
        if source is not None and source is not level:
            yield level, source


def arrays_of(group: Node, level: ResolutionLevel) -> dict[str, Node]:
    """The arrays of a level by name, the level's own one by an empty name; none where they are not known."""
    if not level.asset:
        return {}
    node = group.at(level.asset)
    if not isinstance(node, Node):
        return {}
    return {"": node} if node.is_array else node.arrays
