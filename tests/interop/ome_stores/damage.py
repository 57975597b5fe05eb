"""Damage: one thing changed in the metadata of a hierarchy, chosen by a seeded generator."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["damaged", "write"]

_OTHERS: tuple[Any, ...] = (None, True, -1, 1.5, "", "other", [], {}, [7], {"name": 7}, 10**6)


def damaged(document: dict[str, Any], chance: random.Random) -> tuple[dict[str, Any], str] | None:
    """The hierarchy, in one document, with one thing changed, and what that is; None where there is nothing to change."""
    made = copy.deepcopy(document)
    nodes = [(path, node) for path, node in _nodes(made) if node.get("attributes")]
    if chance.random() < 0.15:
        return _without_a_member(made, chance)
    path, node = chance.choice(nodes)
    places = list(_places(node["attributes"], ()))
    where, holder, key = chance.choice(places)
    words = f"{path}: {'.'.join(map(str, where))}"
    kind = chance.choice(("removed", "another value", "another value", "a near value", "twice"))
    value = holder[key]
    if kind == "removed":
        del holder[key]
    elif kind == "another value":
        other = chance.choice([each for each in _OTHERS if each != value])
        holder[key] = copy.deepcopy(other)
        kind = f"{other!r}"
    elif kind == "twice" and isinstance(holder, list):
        holder.append(copy.deepcopy(value))
    else:
        kind = "a near value"
        holder[key] = _near(value, chance)
    return made, f"{words}: {kind}"


def _nodes(document: dict[str, Any], path: str = "/") -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, document
    for name, member in document.get("members", {}).items():
        yield from _nodes(member, f"{path.rstrip('/')}/{name}")


def _places(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any, Any]]:
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key), value, key
        yield from _places(value[key], (*path, key))


def _near(value: Any, chance: random.Random) -> Any:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, (int, float)):
        return chance.choice((-value, value + 1, value / 4, 0))
    if isinstance(value, str):
        return chance.choice((value.upper(), f"{value}s", value[:-1], f"{value}/x", f" {value}"))
    if isinstance(value, list):
        return value[::-1] if len(value) > 1 and chance.random() < 0.5 else value[:-1]
    return {**value, "more": 1}


def _without_a_member(document: dict[str, Any], chance: random.Random) -> tuple[dict[str, Any], str]:
    groups = [(path, node) for path, node in _nodes(document) if node.get("members")]
    path, node = chance.choice(groups)
    name = chance.choice(list(node["members"]))
    del node["members"][name]
    return document, f"{path}: without {name}"


def write(document: dict[str, Any], folder: Path) -> None:
    """The documents of a hierarchy as files, whatever stands in them."""
    for path, node in _nodes(document):
        own = {name: value for name, value in node.items() if name != "members"}
        place = folder / path.strip("/")
        place.mkdir(parents=True, exist_ok=True)
        if own["zarr_format"] == 3:
            (place / "zarr.json").write_text(json.dumps(own))
        else:
            attributes = own.pop("attributes", {})
            (place / (".zarray" if "shape" in own else ".zgroup")).write_text(json.dumps(own))
            (place / ".zattrs").write_text(json.dumps(attributes))
