"""Existing pyramid metadata of a group whose finest level gets more levels."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from zom.dataclass import dataclass
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Existing", "convention_in", "existing_of"]

_STEPS = {"identity", "scale", "translation"}


@dataclass(frozen=True, slots=True)
class Existing:
    """The `multiscales` of a group whose finest level stays as it is."""

    convention: str
    entry: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The metadata object of the pyramid."""
    axes: tuple[dict[str, Any], ...] | None = None
    system: str | None = None
    """The coordinate system of the levels, in OME-Zarr 0.6."""
    steps: Any = None
    """The transformations of the finest level."""
    paths: tuple[str, ...] = ()
    """The paths of existing levels, the finest first."""

    @property
    def scale(self) -> tuple[float, ...]:
        """The element size of the finest level, or empty if unknown."""
        return _placed(self.steps).get("scale", ())

    @property
    def translation(self) -> tuple[float, ...]:
        """The position of the finest level's first element, or empty if unknown."""
        return _placed(self.steps).get("translation", ())


def convention_in(attributes: Mapping[str, Any]) -> str | None:
    """Return the convention of the pyramid that a group's attributes describe, or None.

    >>> convention_in({"ome": {"version": "0.5", "multiscales": []}}), convention_in({})
    ('ome/0.5', None)
    """
    ome = attributes.get("ome")
    if is_dict(ome):
        version = ome.get("version")
        return f"ome/{version}" if isinstance(version, str) else None
    found = attributes.get("multiscales")
    if is_list(found):
        return "ome/0.4"
    return "multiscales" if is_dict(found) and "layout" in found else None


def existing_of(attributes: Mapping[str, Any], convention: str) -> Existing:
    """Return the pyramid that a group's attributes describe by a convention; unreadable parts are left out.

    >>> levels = [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [0.5]}]}]
    >>> existing_of({"multiscales": [{"axes": [{"name": "x"}], "datasets": levels}]}, "ome/0.4").scale
    (0.5,)
    """
    if convention == "multiscales":
        entry = attributes.get("multiscales")
        found: Any = entry if is_dict(entry) else {}
        return Existing(convention, found, paths=_texts(found.get("layout"), "asset"))
    holder: Any = attributes if convention == "ome/0.4" else attributes.get("ome")
    listed = holder.get("multiscales") if is_dict(holder) else None
    if not is_list(listed) or not listed or not is_dict(listed[0]):
        return Existing(convention)
    return _image(convention, listed[0])


def _image(convention: str, entry: dict[str, Any]) -> Existing:
    systems: Any = entry.get("coordinateSystems")
    # In 0.6 the transformations of levels map to the first system, or name another one.
    system = systems[0] if is_list(systems) and systems and is_dict(systems[0]) else entry
    axes: Any = system.get("axes")
    whole = is_list(axes) and all(is_dict(axis) and isinstance(axis.get("name"), str) for axis in axes)
    datasets: Any = entry.get("datasets")
    first: Any = datasets[0] if is_list(datasets) and datasets and is_dict(datasets[0]) else {}
    name: Any = system.get("name")
    return Existing(
        convention,
        entry,
        axes=tuple(dict(axis) for axis in axes) if whole else None,
        system=name if isinstance(name, str) and system is not entry else None,
        steps=first.get("coordinateTransformations"),
        paths=_texts(datasets, "path"),
    )


def _placed(steps: Any) -> dict[str, tuple[float, ...]]:
    """Return the scale and translation of a level; raise ValueError for other transformations."""
    found: list[Any] = list(steps) if is_list(steps) else []
    if len(found) == 1 and is_dict(found[0]) and found[0].get("type") == "sequence":
        inner = found[0].get("transformations")
        found = list(inner) if is_list(inner) else []
    kinds = [str(step.get("type") if is_dict(step) else None) for step in found]
    if not set(kinds) <= _STEPS or kinds not in (sorted(kinds), []):
        names = ", ".join(kinds)
        raise ValueError(
            f"coordinateTransformations of level 0: expected a scale and a translation at most, found {names}"
        )
    return {step["type"]: tuple(map(float, step.get(step["type"]) or ())) for step in found}


def _texts(entries: Any, name: str) -> tuple[str, ...]:
    found: list[Any] = [entry.get(name) for entry in entries if is_dict(entry)] if is_list(entries) else []
    return tuple(each for each in found if isinstance(each, str))
