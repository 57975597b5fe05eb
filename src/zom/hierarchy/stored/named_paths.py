"""The paths in a spec or a template: where to look for nodes in a store that can't list its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.model.spec import Spec
from zom.model.tree import walk
from zom.template.models import GroupTemplate, NodeTemplate

if TYPE_CHECKING:
    from zom.model.family import NodeKind
    from zom.template.models import Template

__all__ = ["named_paths"]


def named_paths(like: Spec | Template) -> dict[str, NodeKind | None]:
    """The paths below the root of `like`, without slashes around them.

    >>> from zom import v3
    >>> named_paths(v3.GroupSpec(members={"a": v3.GroupSpec()}))
    {'': None, 'a': None}
    """
    if isinstance(like, Spec):
        return {path.strip("/"): None for path, _ in walk(like)}
    found: dict[str, NodeKind | None] = {}
    waiting: list[tuple[str, Any]] = [("", like)]
    while waiting:
        path, template = waiting.pop()
        found[path] = None
        if isinstance(template, NodeTemplate):
            template = template.group
        if isinstance(template, GroupTemplate):
            members = cast("dict[str, Any]", template.members)
            waiting.extend((f"{path}/{name}".strip("/"), member) for name, member in members.items())
    return found
