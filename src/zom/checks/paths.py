"""The check of paths in attributes: each leads to a node, from the node, its parent or the root.

A path that begins with "/" always starts at the root, and ".." leads up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from zom.checks.check import Breach, Outcome, Site, Value, unpublished
from zom.checks.references import dead_end, path_words
from zom.dataclass import dataclass
from zom.formats.node_view import UNKNOWN, Unknown
from zom.json.python_value import is_dict, is_list
from zom.problems import Path, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.checks.references import Kind
    from zom.formats.node_view import Node

__all__ = ["PathReference", "known_paths", "paths_lead", "pointer_steps"]

Step = str | re.Pattern[str] | None
"""A key or list index, a pattern for it, or None for any."""


def pointer_steps(steps: tuple[str, ...]) -> tuple[Step, ...]:
    """The steps of a pointer; `*` matches any text within one step.

    >>> pointer_steps(("a", "*", "*_path"))
    ('a', None, re.compile('.*_path', re.DOTALL))
    """
    return tuple(_step(text) for text in steps)


def _step(text: str) -> Step:
    if text == "*":
        return None
    if "*" not in text:
        return text
    return re.compile(".*".join(re.escape(part) for part in text.split("*")), re.DOTALL)


class _End(NamedTuple):
    """A path, and its fault."""

    text: str
    fault: Breach | Unknown
    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class PathReference:
    """A place in attributes that holds paths, and their targets; with `is_split`, a text holds several."""

    steps: tuple[Step, ...]
    start: Literal["node", "parent", "root"] = "node"
    kind: Kind | None = None
    is_split: bool = False

    def ends(self, node: Node) -> list[_End]:
        """The paths in the attributes of a node that lead to no node, found once."""
        found: list[_End] | None = node.memory.get(self)
        if found is None:
            found = node.memory[self] = self._ends(node)
        return found

    def _ends(self, node: Node) -> list[_End]:
        found: list[_End] = []
        expected = path_words(self.kind)
        start = node.root if self.start == "root" else node
        if self.start == "parent":
            start = node.parent or node
        for value in _values(node, self.steps):
            if not isinstance(value.value, str):
                found.append(_End("", Breach(node, value.path, expected, show(value.value)), value))
                continue
            for text in value.value.split() if self.is_split else (value.value,):
                fault = dead_end(value, text, start, self.kind, expected)
                if fault is not None:
                    found.append(_End(text, fault, value))
        return found


def _values(node: Node, steps: tuple[Step, ...]) -> list[Value]:
    """The values that the steps of a pointer select from the attributes."""
    found: list[tuple[Path, Any]] = [(("attributes",), node.attributes)]
    for step in steps:
        found = [((*path, name), each) for path, value in found for name, each in _inside(value, step)]
    return [Value(node, path, value) for path, value in found]


def _inside(value: Any, step: Step) -> Iterable[tuple[str | int, Any]]:
    """The names and values that a step selects from a value."""
    if is_dict(value):
        if isinstance(step, str):
            return ((step, value[step]),) if step in value else ()
        items: Iterable[tuple[str | int, Any]] = value.items()
    elif is_list(value):
        items = enumerate(value)
    else:
        return ()
    if step is None:
        return items
    if isinstance(step, str):
        return [(name, each) for name, each in items if str(name) == step]
    return [(name, each) for name, each in items if step.fullmatch(str(name))]


@unpublished
def paths_lead(site: Site, reference: PathReference) -> Outcome:
    """Check that each path leads to a node of the required kind."""
    ends = reference.ends(site.node)
    return [end.fault for end in ends if isinstance(end.fault, Breach)] if ends else ()


@unpublished
def known_paths(site: Site, reference: PathReference) -> Outcome:
    """Check that the members along each path are known."""
    ends = [end for end in reference.ends(site.node) if end.fault is UNKNOWN]
    return [
        Breach(value.node, value.path, "a path along known members", show(text)) for text, _, value in ends
    ]
