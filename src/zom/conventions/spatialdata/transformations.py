"""The transformations of elements from their coordinates to shared coordinate systems.

https://spatialdata.scverse.org/en/stable/design_doc.html#transformations. They follow a draft of OME-Zarr,
with input and output written out. Images have them beside datasets, points and shapes in attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Site, Skip
from zom.conventions.spatialdata.elements import image_of, role_of
from zom.count import count_of
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.conventions.framework.rulebook import Functions
    from zom.formats.node_view import Node
    from zom.problems import Path

    Judge = Callable[[Site], Iterator[Breach] | Skip]
    Located = tuple[Path, dict[str, Any]]

__all__ = ["TRANSFORMATION_CHECKS"]

_KEY: Final = "coordinateTransformations"
_PARAMETERS: Final = {
    "identity": None,
    "scale": "scale",
    "translation": "translation",
    "affine": "affine",
    "rotation": "rotation",
    "mapAxis": "mapAxis",
    "sequence": "transformations",
    "byDimension": "transformations",
}
"""Each transformation type with its required parameter."""
_NOTHING: Final = Skip("no element with transformations")


def _holder(node: Node) -> tuple[Path, dict[str, Any]] | None:
    """The path from an element's document to the object with its transformations, and that object."""
    role = role_of(node)
    if role in {"points", "shapes"}:
        return ("attributes",), dict(node.attributes)
    found = image_of(node) if role in {"images", "labels"} else None
    return None if found is None else (("attributes", *found[0]), found[1])


def _transformations(node: Node) -> list[Located]:
    """The transformations that are objects, each with its path; includes those inside sequences."""
    held = _holder(node)
    waiting = [] if held is None else list(_items(*held, _KEY))
    found: list[Located] = []
    while waiting:
        path, each = waiting.pop(0)
        found.append((path, each))
        waiting.extend(_items(path, each, "transformations"))
    return found


def _items(path: Path, held: dict[str, Any], key: str) -> Iterator[Located]:
    listed = held.get(key)
    for place, each in enumerate(listed if is_list(listed) else ()):
        if is_dict(each):
            yield (*path, key, place), each


def _listed(site: Site) -> Iterator[Breach] | Skip:
    held = _holder(site.node)
    if held is None:
        return _NOTHING
    path, around = held
    found = around.get(_KEY)
    if is_list(found) and found and all(map(is_dict, found)):
        return iter(())
    shown = show(found) if _KEY in around else "nothing"
    return iter((site.breach((*path, _KEY), "a list of one or more objects", shown),))


def _each(judge: Callable[[Path, dict[str, Any]], Iterator[tuple[Path, str, object, str | None]]]) -> Judge:
    """Turn `judge`, which checks one transformation, into a rule."""

    def judged(site: Site) -> Iterator[Breach] | Skip:
        found = _transformations(site.node)
        if not found:
            return _NOTHING
        return (
            site.breach(place, expected, shown, fix=fix)
            for path, each in found
            for place, expected, shown, fix in judge(path, each)
        )

    return judged


def _type_known(path: Path, each: dict[str, Any]) -> Iterator[tuple[Path, str, object, str | None]]:
    kind = each.get("type")
    if not isinstance(kind, str) or kind not in _PARAMETERS:
        shown = show(kind) if "type" in each else "nothing"
        yield (
            (*path, "type"),
            f"one of {', '.join(_PARAMETERS)}",
            shown,
            did_you_mean(near(kind, _PARAMETERS)),
        )


def _parameter_fits(path: Path, each: dict[str, Any]) -> Iterator[tuple[Path, str, object, str | None]]:
    kind = each.get("type")
    key = _PARAMETERS.get(kind) if isinstance(kind, str) else None
    if key is None:
        return
    found = each.get(key)
    shown = show(found) if key in each else "nothing"
    place = (*path, key)
    axes, others = _axes(each, "input"), _axes(each, "output")
    if key in {"scale", "translation"}:
        if not (is_list(found) and found and all(map(_is_number, found))):
            yield place, "a list of numbers", shown, None
        elif axes and len(found) != len(axes):
            yield place, f"{count_of(len(axes), 'number')}, one for each axis of the input", shown, None
    elif key in {"affine", "rotation"}:
        rows = len(others) or len(axes) or None
        columns = None if not axes else len(axes) + (key == "affine")
        if not _is_matrix(found, rows, columns):
            size = "" if rows is None or columns is None else f" of {rows} rows and {columns} columns"
            yield place, f"a matrix of numbers{size}, as a list of rows", shown, None
    elif key == "mapAxis":
        if not (is_dict(found) and all(isinstance(name, str) for name in found.values())):
            yield place, "an object that maps axes of the output to axes of the input", shown, None
    elif not (is_list(found) and all(map(is_dict, found))):
        yield place, "a list of transformations", shown, None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_matrix(value: object, rows: int | None, columns: int | None) -> bool:
    if not is_list(value) or not value or (rows is not None and len(value) != rows):
        return False
    width = columns if columns is not None else len(value[0]) if is_list(value[0]) else 0
    return all(is_list(row) and len(row) == width and all(map(_is_number, row)) for row in value)


def _axes(each: dict[str, Any], key: str) -> list[Any]:
    system = each.get(key)
    axes = system.get("axes") if is_dict(system) else None
    return axes if is_list(axes) else []


def _systems_told(site: Site) -> Iterator[Breach] | Skip:
    found = _transformations(site.node)
    return _wrong_systems(site, found) if found else _NOTHING


def _wrong_systems(site: Site, found: list[Located]) -> Iterator[Breach]:
    for path, each in found:
        for key in ("input", "output"):
            system = each.get(key)
            if not is_dict(system):
                shown = show(system) if key in each else "nothing"
                yield site.breach((*path, key), "a coordinate system: an object with name and axes", shown)
                continue
            if not isinstance(system.get("name"), str):
                shown = show(system.get("name")) if "name" in system else "nothing"
                yield site.breach((*path, key, "name"), "a string", shown)
            yield from _wrong_axes(site, (*path, key), system)


def _axes_kept(path: Path, each: dict[str, Any]) -> Iterator[tuple[Path, str, object, str | None]]:
    """Check that a transformation within its axes has the same axes in input and output."""
    before, after = _names(each, "input"), _names(each, "output")
    if not before or not after:
        return  # the rule on coordinate systems reports it
    kind, mapped = each.get("type"), each.get("mapAxis")
    if kind in ("identity", "scale", "translation", "rotation") and before != after:
        yield (*path, "output", "axes"), f"the axes of the input, {show(before)}", show(after), None
    if kind == "mapAxis" and is_dict(mapped):
        for name in mapped:
            if name not in after:
                yield (*path, "mapAxis", name), f"an axis of the output, {show(after)}", show(name), None
        for name, source in mapped.items():
            if isinstance(source, str) and source not in before:
                yield (*path, "mapAxis", name), f"an axis of the input, {show(before)}", show(source), None


def _names(each: dict[str, Any], key: str) -> list[str]:
    """The names of the axes; empty if a name is missing or repeated."""
    names = [axis.get("name") if is_dict(axis) else None for axis in _axes(each, key)]
    told = [name for name in names if isinstance(name, str)]
    return told if len({*told}) == len(names) else []


def _wrong_axes(site: Site, path: Path, system: dict[str, Any]) -> Iterator[Breach]:
    axes = system.get("axes")
    if not is_list(axes) or not axes:
        shown = show(axes) if "axes" in system else "nothing"
        yield site.breach((*path, "axes"), "a list of one or more axes", shown)
        return
    seen: set[object] = set()
    for place, axis in enumerate(axes):
        at = (*path, "axes", place)
        name = axis.get("name") if is_dict(axis) else None
        if not is_dict(axis) or not isinstance(name, str) or not isinstance(axis.get("type"), str):
            yield site.breach(at, "an object with the strings name and type", show(axis))
            if not is_dict(axis):
                return  # a writer that uses bare names does so for all axes
        elif axis["type"] != "channel" and "unit" not in axis:
            yield site.breach((*at, "unit"), "a unit, which every axis except channels has", "nothing")
        elif name in seen:
            yield site.breach((*at, "name"), "a name that no other axis has", show(name))
        if isinstance(name, str):
            seen.add(name)


def _targets_differ(site: Site) -> Iterator[Breach] | Skip:
    held = _holder(site.node)
    found = [] if held is None else list(_items(*held, _KEY))
    return _same_targets(site, found) if found else _NOTHING


def _same_targets(site: Site, found: list[Located]) -> Iterator[Breach]:
    seen: dict[str, Path] = {}
    for path, each in found:
        system = each.get("output")
        name = system.get("name") if is_dict(system) else None
        if isinstance(name, str) and seen.setdefault(name, path) != path:
            expected = "a coordinate system that is not the output of another transformation of the element"
            yield site.breach((*path, "output", "name"), expected, show(name))


TRANSFORMATION_CHECKS: Final[Functions] = {
    "transformations": _listed,
    "transformation-type": _each(_type_known),
    "transformation-parameter": _each(_parameter_fits),
    "coordinate-systems": _systems_told,
    "axes-kept": _each(_axes_kept),
    "targets-distinct": _targets_differ,
}
