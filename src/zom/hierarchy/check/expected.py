"""Differences between a hierarchy and the spec that it should equal, or the template that it should fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zom.hierarchy.check.chunk_rules import DIFFERS
from zom.model.compare import document_changes
from zom.model.spec import Spec
from zom.problems import Problem, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.model.difference import Change
    from zom.problems import Level
    from zom.template.models import Template

__all__ = ["differences", "joined"]


def differences(like: Spec | Template, spec: Spec, level: Level, path: str = "/") -> Iterator[Problem]:
    """The differences from `like`; `spec` is of the node at `path`.

    >>> from zom import v3
    >>> [str(each) for each in differences(v3.GroupSpec(), v3.GroupSpec(attributes={"a": 1}), "strict")]
    ['attributes.a: expected nothing, found 1']
    """
    if not isinstance(like, Spec):
        for problem in like.check(spec, level):
            yield replace(problem, node=joined(path, problem.node))
        return
    for change in document_changes(like, spec):
        expected, found = _words(change)
        node = joined(path, change.node)
        yield Problem(DIFFERS.code, "error", node, change.pointer, change.inside, expected, found)


def _words(change: Change) -> tuple[str, str]:
    if not change.inside and change.kind != "changed":
        there = "a node, as in the spec" if change.kind == "removed" else "a node"
        return (there, "none") if change.kind == "removed" else ("none, as in the spec", there)
    old: Any = "nothing" if change.kind == "added" else show(change.old)
    new: Any = "nothing" if change.kind == "removed" else show(change.new)
    return old, new


def joined(above: str, path: str) -> str:
    """The path of a node at `path` below the node at `above`.

    >>> joined("/a", "/b"), joined("/", "/")
    ('/a/b', '/')
    """
    return "/" + "/".join(part for part in (above.strip("/"), path.strip("/")) if part)
