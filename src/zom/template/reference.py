"""References: paths of nodes that stand in attributes, and whether they lead anywhere.

A path is relative to the node, to its parent or to the root; one that begins with "/" always starts
at the root, and ".." leads up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.problems import Fault, rule, show, split_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.formats.node_view import Node
    from zom.template.models import Reference

__all__ = ["ReferenceCheck"]

_SOURCE = "the template"
Path = tuple[str | int, ...]

DANGLING = rule(
    "template/dangling-reference",
    "a path in attributes that refers to a node leads to one, of the kind that is asked for",
    source=_SOURCE,
)
UNTOLD = rule(
    "template/unknown-reference",
    "the members are known along a path in attributes, so that it can be followed",
    source=_SOURCE,
    lenient="warning",
    strict="warning",
    closed="warning",
)


class ReferenceCheck:
    """One reference of a template, compiled."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.steps = [_step(text) for text in split_pointer(reference.attribute)]
        kind = {"array": "an array", "group": "a group", "any": "a node"}[reference.kind]
        self.words = f"the path of {kind}"

    def check(self, node: Node, faults: list[Fault]) -> None:
        """Add a fault for each path in the attributes of `node` that leads nowhere."""
        for value, path in _matches(node.document.get("attributes"), self.steps):
            if not isinstance(value, str):
                faults.append(Fault(DANGLING, path, self.words, show(value)))
                continue
            for text in value.split() if self.reference.split else (value,):
                fault = self._fault(node, text, path)
                if fault is not None:
                    faults.append(fault)

    def _fault(self, node: Node, text: str, path: Path) -> Fault | None:
        base = self.reference.relative_to
        start = node.root if base == "root" else (node.parent or node) if base == "parent" else node
        last, step = start.follow(text)
        if step is None:
            if self.reference.kind in {"any", last.kind}:
                return None
            article = "an" if last.is_array else "a"
            return Fault(DANGLING, path, self.words, f"{show(text)}, {article} {last.kind}")
        if step == "..":
            return Fault(DANGLING, path, self.words, f"{show(text)}, which leaves the root")
        if last.members is None and not last.is_array:
            return Fault(UNTOLD, path, "a path along known members", show(text))
        fix = did_you_mean(near(step, last.members or ()))
        return Fault(DANGLING, path, self.words, f"{show(text)}, which leads nowhere", fix)


def _step(text: str) -> str | re.Pattern[str]:
    if "*" not in text:
        return text
    return re.compile(".*".join(re.escape(part) for part in text.split("*")), re.DOTALL)


def _matches(attributes: Any, steps: list[str | re.Pattern[str]]) -> Iterator[tuple[Any, Path]]:
    """The values that the steps of a pointer lead to, each with its place in the document."""
    found: list[tuple[Any, Path]] = [(attributes, ("attributes",))]
    for step in steps:
        inner: list[tuple[Any, Path]] = []
        for value, path in found:
            inner.extend((each, (*path, name)) for name, each in _items(value) if _is(step, name))
        found = inner
    yield from found


def _items(value: Any) -> list[tuple[str | int, Any]]:
    if is_dict(value):
        return cast("list[tuple[str | int, Any]]", list(value.items()))
    return list(enumerate(value)) if is_list(value) else []


def _is(step: str | re.Pattern[str], name: str | int) -> bool:
    return step == str(name) if isinstance(step, str) else step.fullmatch(str(name)) is not None
