"""The rules of OME-Zarr 0.6 for coordinate transformations: their places, inputs and outputs.

https://ngff.openmicroscopy.org/0.6/#coord-trafo-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Site, Skip
from zom.conventions.ome.paths import no_such_group
from zom.conventions.ome.transformations_place import images, places, systems_at
from zom.conventions.ome.transformations_shape import type_of
from zom.conventions.ome.v06_systems import EDITION
from zom.extension.registry import did_you_mean, near
from zom.formats.node_view import Unknown
from zom.json.python_value import is_dict, is_list
from zom.misspelling import slip
from zom.problems import Path, pointer_of, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.conventions.framework.rulebook import Functions
    from zom.conventions.ome.transformations_place import TransformationPlace

__all__ = ["TRANSFORMATION_FUNCTIONS"]


def _of_places(
    breaches: Callable[[Site, TransformationPlace], Iterator[Breach]], *kinds: str
) -> Callable[[Site], list[Breach] | Skip]:
    """A rule that applies `breaches` to all transformations at places of these kinds."""

    def judged(site: Site) -> list[Breach] | Skip:
        found = [place for place in places(site.node) if place.kind in kinds]
        if not found:
            return Skip(f"no coordinate transformations of a {' or '.join(kinds)}")
        return [breach for place in found for breach in breaches(site, place)]

    judged.__name__ = judged.__qualname__ = breaches.__name__
    return judged


# --- inputs and outputs ----------------------------------------------------------------------------------


def _ends(site: Site, place: TransformationPlace) -> Iterator[Breach]:
    for side in ("input", "output"):
        found = place.value.get(side)
        key = "path" if place.kind == "dataset" and side == "input" else "name"
        if found is None:
            yield site.breach((*place.path, side), f"an object with {key!r}", "nothing")
        elif is_dict(found) and found.get(key) is None:
            yield site.breach((*place.path, side, key), f"a {key}", "nothing")


def _systems(site: Site, place: TransformationPlace) -> Iterator[Breach]:
    for side in ("input", "output"):
        name = place.end(side, "name")
        if place.kind == "dataset" and side == "input":
            continue
        if name is None or place.value[side].get("path") is not None or name in place.systems:
            continue
        written = None if place.systems else _systems_written(site, place)
        known = ", ".join(map(show, place.systems)) or "none"
        yield site.breach(
            (*place.path, side, "name"),
            f"the name of a listed coordinate system: {known}",
            show(name) if written is None else f"{show(name)}, and {written!r}",
            fix=did_you_mean(near(name, place.systems))
            if written is None
            else f"rename {written!r} to {_SYSTEMS!r}",
            # Report only the first of several transformations that name the same system.
            cause=(name, site.node.path if place.image is None else pointer_of(place.image.path)),
            slip=None if written is None else (site.node.path, (*place.path[:-2], written)),
        )


_SYSTEMS: Final = "coordinateSystems"


def _systems_written(site: Site, place: TransformationPlace) -> str | None:
    """The misspelt key of a scene's coordinate systems, which a scene may also do without."""
    scene = EDITION.metadata(site.node).get("scene") if place.kind == "scene" else None
    return slip(_SYSTEMS, scene) if is_dict(scene) and _SYSTEMS not in scene else None


def _references(site: Site) -> list[Breach] | Skip:
    found: list[Breach] = []
    known = False
    for place in places(site.node):
        for side in ("input", "output"):
            path, name = place.end(side, "path"), place.end(side, "name")
            if path is None or (place.kind == "dataset" and side == "input"):
                continue
            systems = systems_at(site.node, path)
            if isinstance(systems, Unknown):
                continue
            known = True
            if systems is None:
                target = site.node.at(path)
                found.append(
                    no_such_group(EDITION, site, (*place.path, side, "path"), path, target, "multiscales")
                )
            elif name is not None and name not in systems:
                expected = f"a coordinate system of {path}: {', '.join(map(show, systems)) or 'none'}"
                found.append(site.breach((*place.path, side, "name"), expected, show(name)))
    return found if known else Skip("no references to coordinate systems of other groups that were read")


def _dataset_input(site: Site, place: TransformationPlace) -> Iterator[Breach]:
    path = place.end("input", "path")
    if path is not None and place.dataset is not None and path != place.dataset:
        yield site.breach(
            (*place.path, "input", "path"), f"{show(place.dataset)}, the path of the dataset", show(path)
        )


def _dataset_extra(site: Site, place: TransformationPlace) -> Iterator[Breach]:
    for side, key in (("input", "name"), ("output", "path")):
        found = place.value.get(side)
        if is_dict(found) and found.get(key) is not None:
            yield site.breach((*place.path, side, key), f"no {key}", found[key])


def _intrinsic(site: Site) -> list[Breach] | Skip:
    found: list[Breach] = []
    seen = False
    for place in places(site.node):
        name = place.end("output", "name")
        if place.kind == "dataset" and place.image is not None and name is not None:
            seen = True
            if name != place.image.intrinsic:
                expected = f"{show(place.image.intrinsic)}, as in the first dataset"
                found.append(site.breach((*place.path, "output", "name"), expected, show(name)))
    return found if seen else Skip("no dataset names the coordinate system of its output")


def _from_intrinsic(site: Site, place: TransformationPlace) -> Iterator[Breach]:
    intrinsic = None if place.image is None else place.image.intrinsic
    if intrinsic is None:
        return
    ends = [place.end(side, "name") for side in ("input", "output") if place.end(side, "path") is None]
    named = [place.end(side, "name") for side in ("input", "output")]
    if intrinsic not in ends and None not in named:
        shown = " to ".join(map(show, named))
        yield site.breach(
            place.path, f"{show(intrinsic)}, the intrinsic coordinate system, as input or output", shown
        )


def _to_labels(site: Site) -> list[Breach] | Skip:
    found: list[Breach] = []
    seen = False
    for place in places(site.node):
        if place.kind != "image" or (
            place.end("input", "path") is None and place.end("output", "path") is None
        ):
            continue
        seen = True
        kind, inner = type_of(place.value), place.value.get("transformations")
        kinds = [type_of(each) for each in inner] if is_list(inner) else []
        simple = kind in {"identity", "scale", "translation"} or (
            kind == "sequence" and kinds == ["scale", "translation"]
        )
        if not simple:
            expected = "an identity, a scale, a translation, or a sequence of a scale and a translation"
            found.append(site.breach((*place.path, "type"), expected, place.value.get("type", "nothing")))
        for side in ("input", "output"):
            path = place.end(side, "path")
            if path is not None and "labels" not in path.split("/")[:-1]:
                found.append(
                    site.breach((*place.path, side, "path"), "the path of an image below labels", show(path))
                )
    return found if seen else Skip("no transformation to a label image")


def _datasets(site: Site) -> list[tuple[Path, list[Any]]]:
    """The list of transformations of each dataset, with its path."""
    return [
        ((*image.path, "datasets", place, "coordinateTransformations"), dataset["coordinateTransformations"])
        for image in images(site.node)
        for place, dataset in enumerate(_list(image.value.get("datasets")))
        if is_dict(dataset) and is_list(dataset.get("coordinateTransformations"))
    ]


def _only_simple(site: Site) -> list[Breach] | Skip:
    found: list[Breach] = []
    datasets = _datasets(site)
    for at, listed in datasets:
        if len(listed) != 1:
            found.append(site.breach(at, "one transformation", f"{len(listed)}"))
        elif is_dict(listed[0]):
            kind, inner = type_of(listed[0]), listed[0].get("transformations")
            kinds = [type_of(each) for each in _list(inner)]
            if kind not in {"scale", "identity", "sequence"}:
                expected = "a scale, an identity, or a sequence of a scale and a translation"
                found.append(site.breach((*at, 0, "type"), expected, listed[0].get("type", "nothing")))
            elif (
                kind == "sequence"
                and is_list(inner)
                and (len(kinds) != 2 or {*kinds} - {"scale", "translation"})
            ):
                found.append(site.breach((*at, 0, "transformations"), "a scale and a translation", kinds))
    return found if datasets else Skip("no datasets")


def _in_order(site: Site) -> list[Breach] | Skip:
    found: list[Breach] = []
    seen = False
    for at, listed in _datasets(site):
        for place, each in enumerate(listed):
            inner = _list(each.get("transformations")) if is_dict(each) else []
            kinds = [type_of(one) for one in inner]
            if type_of(each) == "sequence" and len(kinds) == 2 and not {*kinds} - {"scale", "translation"}:
                seen = True
                if kinds != ["scale", "translation"]:
                    expected = "a scale, and a translation after it"
                    found.append(site.breach((*at, place, "transformations"), expected, kinds))
    return found if seen else Skip("no dataset has a scale and a translation")


def _list(value: object) -> list[Any]:
    return value if is_list(value) else []


def _names(site: Site) -> list[Breach] | Skip:
    seen: set[tuple[object, ...]] = set()
    found: list[Breach] = []
    named = [(place, place.value.get("name")) for place in places(site.node)]
    for place, name in named:
        if isinstance(name, str):
            key = (*place.path[:-1], name) if place.kind != "dataset" else place.path
            if key in seen:
                found.append(
                    site.breach((*place.path, "name"), "a name that is unique in the list", show(name))
                )
            seen.add(key)
    return found if seen else Skip("no transformation has a name")


def _connected(site: Site) -> list[Breach] | Skip:
    """Check that every coordinate system of an image can be reached from the intrinsic one."""
    found: list[Breach] = []
    several = False
    for image in images(site.node):
        if len(image.systems) < 2 or image.intrinsic not in image.systems:
            continue
        several = True
        edges = [
            (place.end("input", "name"), place.end("output", "name"))
            for place in places(site.node)
            if place.kind == "image" and place.image is image
            and place.end("input", "path") is None and place.end("output", "path") is None
        ]  # fmt: skip
        reached: set[str | None] = {image.intrinsic}
        while grown := {b if a in reached else a for a, b in edges if (a in reached) != (b in reached)}:
            reached |= grown
        for place, system in enumerate(_list(image.value.get("coordinateSystems"))):
            name = system.get("name") if is_dict(system) else None
            if isinstance(name, str) and name not in reached:
                expected = f"transformations that link it with {show(image.intrinsic)}"
                found.append(
                    site.breach(
                        (*image.path, "coordinateSystems", place), expected, f"none, for {show(name)}"
                    )
                )
    return found if several else Skip("fewer than two coordinate systems")


TRANSFORMATION_FUNCTIONS: Final[Functions] = {
    "ends": _of_places(_ends, "dataset", "image", "scene"),
    "systems": _of_places(_systems, "dataset", "image", "scene"),
    "references": _references,
    "names": _names,
    "only_simple": _only_simple,
    "in_order": _in_order,
    "dataset_input": _of_places(_dataset_input, "dataset"),
    "dataset_extra": _of_places(_dataset_extra, "dataset"),
    "intrinsic": _intrinsic,
    "from_intrinsic": _of_places(_from_intrinsic, "image"),
    "to_labels": _to_labels,
    "connected": _connected,
}
"""The functions of the 0.6 rules for inputs and outputs of transformations."""
