"""Scenes of OME-Zarr 0.6: images in one space, and the transformations between them.

https://ngff.openmicroscopy.org/0.6/#scene-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Site, Skip
from zom.conventions.ome.transformations_place import places, scene_systems
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.conventions.framework.rulebook import Functions
    from zom.conventions.ome.transformations_place import TransformationPlace

__all__ = ["SCENE_FUNCTIONS"]


End = tuple[str, str]
"""A coordinate system: the path of its image, or an empty path, and its name."""


def _connected(site: Site) -> list[Breach] | Skip:
    """Check that everything a scene names is connected; another rule checks the systems within one image."""
    found = [(place, _ends(place)) for place in places(site.node) if place.kind == "scene"]
    own: list[End] = [("", name) for name in scene_systems(site.node)]
    edges = [(place, ends) for place, ends in found if ends is not None]
    if not edges:
        return Skip("no transformation of a scene names both its input and its output")
    groups = _Groups()
    for _, (left, right) in edges:
        groups.join(left, right)
    root = groups.of(edges[0][1][0])
    told: set[End] = {root}
    breaches: list[Breach] = []
    first = show(_words(edges[0][1][0]))
    for place, (left, _) in edges:
        if groups.of(left) not in told:
            told.add(groups.of(left))
            breaches.append(
                site.breach(
                    place.path,
                    f"transformations that link its coordinate systems with {first}",
                    f"none, for {show(_words(left))}",
                )
            )
    for end in own:
        if groups.of(end) not in told:
            told.add(groups.of(end))
            at = ("attributes", "ome", "scene", "coordinateSystems", _index(site, end[1]))
            breaches.append(
                site.breach(at, f"transformations that link it with {first}", f"none, for {show(end[1])}")
            )
    return breaches


def _ends(place: TransformationPlace) -> tuple[End, End] | None:
    left, right = place.end("input", "name"), place.end("output", "name")
    if left is None or right is None:
        return None
    return (_path(place, "input"), left), (_path(place, "output"), right)


def _path(place: TransformationPlace, side: Any) -> str:
    return (place.end(side, "path") or "").strip("/")


def _words(end: End) -> str:
    return f"{end[0]}: {end[1]}" if end[0] else end[1]


def _index(site: Site, name: str) -> int:
    scene: Mapping[str, Any] = site.holder.attributes["ome"]["scene"]
    return next(
        place
        for place, each in enumerate(scene["coordinateSystems"])
        if is_dict(each) and each.get("name") == name
    )


class _Groups:
    """Connected coordinate systems, as a union-find; all systems of one image are connected."""

    def __init__(self) -> None:
        self._above: dict[End, End] = {}

    def of(self, end: End) -> End:
        """The representative of the systems connected with `end`."""
        here = (end[0], "") if end[0] else end
        while (above := self._above.get(here, here)) != here:
            here = above
        return here

    def join(self, left: End, right: End) -> None:
        """Connect the two."""
        self._above[self.of(left)] = self.of(right)


def _storage(site: Site) -> list[Breach] | Skip:
    """Check that arrays of parameters are in a group coordinateTransformations."""
    found: list[Breach] = []
    seen = False
    for place in places(site.node):
        path = place.value.get("path")
        if place.kind == "scene" and isinstance(path, str):
            seen = True
            if path.strip("/").split("/")[0] != "coordinateTransformations":
                found.append(
                    site.breach((*place.path, "path"), "a path below coordinateTransformations", show(path))
                )
    return found if seen else Skip("no transformation of a scene has its parameters in another node")


def _only_names(site: Site) -> list[Breach] | Skip:
    found = [place for place in places(site.node) if place.kind == "scene"]
    if not found:
        return Skip("no transformations of a scene")
    return [
        site.breach((*place.path, side, key), "name and path only", show(key))
        for place in found
        for side in ("input", "output")
        if is_dict(end := place.value.get(side))
        for key in end
        if key not in {"name", "path"}
    ]


SCENE_FUNCTIONS: Final[Functions] = {
    "only_names": _only_names,
    "scene_connected": _connected,
    "storage": _storage,
}
"""The functions of the 0.6 rules for scenes."""
