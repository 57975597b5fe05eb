"""Nodes that are changed at random: left out, renamed, of another shape, with other dimensions, or with empty values.

Whatever it breaks in the conventions of other nodes, one change gives one finding.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import zom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
DOCUMENTS = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("documents/*.json"))
}
SEED = 20261127
EACH = 12
"""How many nodes of each document are changed in each way."""


def groups(node: Any) -> Iterator[Any]:
    """A document, and all groups in it."""
    yield node
    for member in (node.get("members") or {}).values():
        if "shape" not in member:
            yield from groups(member)


def renamed(names: dict[str, Any], old: str, new: str) -> None:
    items = [(new if name == old else name, value) for name, value in names.items()]
    names.clear()
    names.update(items)


def chunks(array: Any) -> list[Any]:
    return array["chunks"] if "chunks" in array else array["chunk_grid"]["configuration"]["chunk_shape"]


def dims(array: Any) -> list[Any]:
    return array.get("dimension_names") or array.get("attributes", {}).get("_ARRAY_DIMENSIONS") or []


def left_out(holder: dict[str, Any], name: str, chance: random.Random) -> bool:
    del holder[name], chance
    return True


def called_old(holder: dict[str, Any], name: str, chance: random.Random) -> bool:
    del chance
    renamed(holder, name, f"{name}_old")
    return True


def longer(holder: dict[str, Any], name: str, chance: random.Random) -> bool:
    shape = holder[name].get("shape")
    if shape:
        shape[chance.randrange(len(shape))] += 3
    return bool(shape)


def shorter(holder: dict[str, Any], name: str, chance: random.Random) -> bool:
    shape = holder[name].get("shape")
    place = chance.randrange(len(shape)) if shape else 0
    if not shape or shape[place] < 2:
        return False
    shape[place] -= 1
    return True


def exchanged(holder: dict[str, Any], name: str, chance: random.Random) -> bool:
    del chance
    names = dims(holder[name])
    names[:2] = names[1::-1]
    return len(names) > 1


def a_letter_less(holder: dict[str, Any], name: str, chance: random.Random) -> bool:
    names = [each for each in enumerate(dims(holder[name])) if len(each[1] or "") > 3]
    if not names:
        return False
    place, dim = chance.choice(names)
    at = chance.randrange(1, len(dim))
    dims(holder[name])[place] = dim[:at] + dim[at + 1 :]
    return True


def a_dimension_more(holder: dict[str, Any], name: str, chance: random.Random) -> bool:
    del chance
    array = holder[name]
    if not array.get("shape") or "transpose" in json.dumps(array) or "sharding" in json.dumps(array):
        return False
    array["shape"].append(2)
    chunks(array).append(2)
    for names in (array.get("dimension_names"), array.get("attributes", {}).get("_ARRAY_DIMENSIONS")):
        if names:
            names.append("more")
    return True


def items(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each object and list of an object, with each of its keys or places."""
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, step
        if isinstance(item, (dict, list)):
            yield from items(item)


def a_value_emptied(holder: dict[str, Any], name: str, chance: random.Random) -> bool:
    values = [(around, step) for around, step in items(holder[name].get("attributes") or {}) if around[step]]
    values = [pair for pair in values if isinstance(pair[0][pair[1]], (dict, list, str))]
    if not values:
        return False
    around, step = chance.choice(values)
    around[step] = type(around[step])()
    return True


CHANGES: dict[str, Callable[[dict[str, Any], str, random.Random], bool]] = {
    "left out": left_out,
    "called _old": called_old,
    "longer": longer,
    "shorter": shorter,
    "dimensions exchanged": exchanged,
    "a dimension without a letter": a_letter_less,
    "a dimension more": a_dimension_more,
    "a value emptied": a_value_emptied,
}


@pytest.mark.slow
@pytest.mark.parametrize("how", CHANGES)
def test_a_changed_node_gives_no_more_than_one_finding(how):
    told = 0
    otherwise: list[str] = []
    for name, document in DOCUMENTS.items():
        chance = random.Random(f"{SEED} {name} {how}")
        for _ in range(EACH):
            changed = {"root": json.loads(json.dumps(document))}
            members = [each["members"] for each in groups(changed["root"]) if each.get("members")]
            if how == "a value emptied":
                members.append(changed)
            if not members:
                break
            holder = chance.choice(members)
            node = chance.choice(sorted(holder))
            if CHANGES[how](holder, node, chance):
                found = [each for each in zom.validate(changed["root"]) if each.severity != "note"]
                told += bool(found)
                if len(found) > 1:
                    otherwise.append(f"{name}, {node}: {[str(each) for each in found]}")
    assert told > 20
    assert not otherwise, "\n".join(otherwise)
