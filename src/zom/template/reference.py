"""References: paths of nodes that stand in attributes, and whether they lead anywhere.

A path is relative to the node, to its parent or to the root; one that begins with "/" always starts
at the root, and ".." leads up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol, cast

from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.model.output import member_specs
from zom.problems import Fault, rule, show, split_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.model.spec import Spec
    from zom.template.models import Reference

__all__ = ["Located", "ReferenceCheck"]

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


class Located(Protocol):
    """A node in its tree."""

    @property
    def spec(self) -> Spec:
        """The node itself."""
        ...

    @property
    def parent(self) -> Located | None:
        """The node above; None for the root."""
        ...


class ReferenceCheck:
    """One reference of a template, compiled."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.steps = [_step(text) for text in split_pointer(reference.attribute)]
        kind = {"array": "an array", "group": "a group", "any": "a node"}[reference.kind]
        self.words = f"the path of {kind}"

    def check(self, node: Located, faults: list[Fault]) -> None:
        """Add a fault for each path in the attributes of `node` that leads nowhere."""
        attributes = node.spec.document.get("attributes")
        for value, path in _matches(attributes, self.steps):
            if not isinstance(value, str):
                faults.append(Fault(DANGLING, path, self.words, show(value)))
                continue
            for text in value.split() if self.reference.split else (value,):
                self._follow(node, text, path, faults)

    def _start(self, node: Located, text: str) -> Located:
        if text.startswith("/") or self.reference.relative_to == "root":
            while node.parent is not None:
                node = node.parent
            return node
        return (node.parent or node) if self.reference.relative_to == "parent" else node

    def _follow(self, node: Located, text: str, path: Path, faults: list[Fault]) -> None:
        start = self._start(node, text)
        trail: list[Spec] = [start.spec]
        for name in text.split("/"):
            if name in {"", "."}:
                continue
            if name == "..":
                if len(trail) > 1:
                    trail.pop()
                elif start.parent is None:
                    faults.append(Fault(DANGLING, path, self.words, f"{show(text)}, which leaves the root"))
                    return
                else:
                    start = start.parent
                    trail = [start.spec]
                continue
            if not self._enter(trail, name, text, path, faults):
                return
        if self.reference.kind not in {"any", trail[-1].kind}:
            article = "an" if trail[-1].kind == "array" else "a"
            faults.append(Fault(DANGLING, path, self.words, f"{show(text)}, {article} {trail[-1].kind}"))

    def _enter(self, trail: list[Spec], name: str, text: str, path: Path, faults: list[Fault]) -> bool:
        """Whether there is a member `name`, which ends the trail now."""
        members: Mapping[str, Spec] | None = member_specs(trail[-1])
        if members is None and trail[-1].kind == "group":
            faults.append(Fault(UNTOLD, path, "a path along known members", show(text)))
            return False
        if members is None or name not in members:
            fix = did_you_mean(near(name, members or ()))
            faults.append(Fault(DANGLING, path, self.words, f"{show(text)}, which leads nowhere", fix))
            return False
        trail.append(members[name])
        return True


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
