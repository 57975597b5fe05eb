"""Mutations of declarations: the examples and random ones, changed as a slip of the hand or a stranger would."""

from __future__ import annotations

import copy
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zom.declaration.source import read_source
from zom.declaration.words import ARRAY, GROUP, ROOT
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    import random

__all__ = ["EXAMPLES", "mutated_text", "mutated_value", "originals"]

EXAMPLES = Path(__file__).parents[2] / "examples" / "declarations"

ODD: list[Any] = [
    None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 0.5, -0.0, 1e308, float("nan"),
    float("inf"), "", " ", "x", "1", "NaN", "0x7fc0", "2000-01-01", "1 day", "4 MiB", "auto", "whole", "zstd:3", "zstd:99",
    "float32", "string", "${", "${}", "${rows}", "${nothing}", "${1 // 0}", "$${a}", "${rows * rows * rows}", "\0", "\ud800",
    "../../etc/passwd", "a/../b", ".", "..", "a//b", "/", "__x", [], {}, [[]], [None], {"": 1}, [1, 2], [1, "a"], ["x", "x"],
    {"start": 0, "stop": 3}, {"start": 0, "step": 0}, {"start": 2000000, "stop": 0}, {"step": 1e-300, "stop": 1e300},
    {"start": "2000-01-01", "step": "1 day"}, {"a": {"b": {"c": []}}}, {"name": "zstd"}, {"id": "zlib"},
    {"zarr_format": 3}, {"node_type": "array"}, {"document": {}}, {"zarr_format": 2, "shape": "x"}, {"for": {"i": [1, 2]}},
    {"name": "bytes", "configuration": {"endian": "middle"}}, {"name": "sharding_indexed"}, {"default": 1, "type": "object"},
]  # fmt: skip
NAMES = [
    *ARRAY,
    *GROUP,
    *ROOT,
    "zarr_format",
    "node_type",
    "document",
    "0",
    "-1",
    "${rows}",
    "a/b",
    "",
    "x",
    "no",
    "on",
    "\0",
]
SNIPPETS = [
    "&a", "*a", "<<: *a", "<<: {a: 1}", "!!python/object:os.system x", "!!set {a}", "\t", "\ufeff", "---", "...", "- ", ": ",
    "{", "}", "[", "]", "'", '"', "#", "|", ">", "%YAML 1.1", "? ", "no", "0o17", "1_000", "2001-01-01", "1e400", "\x85", "\u2028", "\0",
]  # fmt: skip


def originals() -> list[dict[str, Any]]:
    """What the examples say, small enough to be compiled thousands of times."""
    found = [read_source(file).value for file in sorted(EXAMPLES.iterdir())]
    for each in found:
        parameters = each.get("parameters", {})
        each["parameters"] = {name: min(value, 2) for name, value in parameters.items()}
    return found


def mutated_value(value: dict[str, Any], random: random.Random) -> dict[str, Any]:
    """A copy in which some values are replaced, removed, renamed, repeated or moved."""
    made = copy.deepcopy(value)
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        _change(made, random)
    return made


def _change(root: dict[str, Any], random: random.Random) -> None:
    places = _places(root)
    container, step = random.choice(places)
    act = random.randrange(6)
    if act == 0:
        container[step] = copy.deepcopy(random.choice(ODD))
    elif act == 1:
        del container[step]
    elif act == 2 and is_dict(container):
        container[random.choice(NAMES)] = container.pop(step)
    elif act == 3 and is_dict(container):
        container[random.choice(NAMES)] = copy.deepcopy(random.choice(ODD))
    elif act == 4:
        other, there = random.choice(places)
        with suppress(KeyError, IndexError):
            other[there] = copy.deepcopy(container[step])
    elif is_list(container):
        container.insert(random.randrange(len(container) + 1), copy.deepcopy(random.choice(ODD)))
    else:
        container[step] = [container[step]]


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        entries = list(here.items()) if is_dict(here) else list(enumerate(here))
        for step, inner in entries:
            found.append((here, step))
            if is_dict(inner) or is_list(inner):
                waiting.append(inner)
    return found or [(value, "x")]


def mutated_text(text: str, random: random.Random) -> str:
    """The text with some characters removed, repeated, exchanged or put in between."""
    for _ in range(random.choice([1, 1, 2, 5])):
        place = random.randrange(len(text) + 1)
        end = min(len(text), place + random.choice([1, 1, 5, 40]))
        middle = random.choice([
            "", text[place:end] * 2, random.choice(SNIPPETS), chr(random.randrange(1, 0x250)), text[place:end][::-1],
        ])  # fmt: skip
        text = text[:place] + middle + text[end:]
    return text
