"""Template documents: read, write and compare without recursion, at any depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from zom.json.exact import exact_key
from zom.json.python_value import is_dict, is_list
from zom.json.read import read_json
from zom.problems import Fault, Path, rule, show
from zom.template.definition import FORM, TemplatePart, plain, problems_of, template_in

if TYPE_CHECKING:
    from zom.problems import Problem
    from zom.template.models import Template

__all__ = ["VERSION", "equal", "hash_of", "parse", "to_dict"]

VERSION: Final = 1
"""The version of the template document form: the value of `zom_template` at the root."""

MARK = rule(
    "template/version",
    "the root of a template document states its version: zom_template is 1",
    source="template documents, docs/templates.md",
    schema=True,
)

_SLOTS: Final = frozenset({"members", "array", "group"})
"""The fields that contain only templates."""


def parse(document: str | bytes | Mapping[str, Any]) -> tuple[Template | None, list[Problem]]:
    """Return the template that `document` describes, or None, and the problems."""
    faults: list[Fault] = []
    value: Any = document
    if isinstance(document, (str, bytes)):
        value = read_json(document, faults)
        if faults:
            return None, problems_of(faults)
    if not isinstance(value, Mapping):
        return None, problems_of([Fault(FORM, (), "an object", show(value))])
    members = dict(cast("Mapping[str, Any]", value))
    version: Any = members.pop("zom_template", None)
    if type(version) is not int or version != VERSION:
        found = show(version) if "zom_template" in value else "nothing"
        faults.append(Fault(MARK, ("zom_template",), show(VERSION), found))
    made, inner = template_in(members)
    return made, problems_of([*faults, *inner])


def _own(template: Template) -> dict[str, Any]:
    """Return the document of a template as given, without inner templates."""
    said: dict[str, Any] = {"node_type": template.node_type}
    for name in type(template).model_fields:
        if name in template.model_fields_set and name not in {"node_type", "array", "group"}:
            said[name] = {} if name == "members" else plain(getattr(template, name))
    return said


def to_dict(template: Template) -> dict[str, Any]:
    """Return the complete document of `template` as plain dicts and lists."""
    root: dict[str, Any] = {"zom_template": VERSION, **_own(template)}
    waiting: list[tuple[Template, dict[str, Any]]] = [(template, root)]
    while waiting:
        node, made = waiting.pop()
        for steps, child in node.children():
            place: Any = made
            for step in steps[:-1]:
                place = place[step]
            place[steps[-1]] = _own(child)
            waiting.append((child, place[steps[-1]]))
    return root


def _key(template: Template) -> Any:
    """Return a key of a template's own fields, with defaults: equal if and only if they mean the same."""
    values = {name: getattr(template, name) for name in type(template).model_fields}
    return exact_key({name: _full(value) for name, value in values.items() if name not in _SLOTS})


def _full(value: Any) -> Any:
    if isinstance(value, TemplatePart):
        names = [name for name in type(value).model_fields if name != "template"]
        return {name: _full(getattr(value, name)) for name in names}
    if is_list(value) or isinstance(value, tuple):
        return [_full(item) for item in cast("list[Any]", value)]
    return {name: _full(item) for name, item in value.items()} if is_dict(value) else value


def equal(left: Template, right: Template) -> bool:
    """Whether two templates have the same meaning."""
    waiting = [(left, right)]
    while waiting:
        mine, theirs = waiting.pop()
        if mine is theirs:
            continue
        if _key(mine) != _key(theirs):
            return False
        inside, others = dict(mine.children()), dict(theirs.children())
        if inside.keys() != others.keys():
            return False
        waiting.extend((child, others[steps]) for steps, child in inside.items())
    return True


def hash_of(template: Template) -> int:
    """Return a hash that equal templates share."""
    keys: set[Any] = set()
    waiting: list[tuple[int, Path, Template]] = [(0, (), template)]
    while waiting:
        depth, steps, node = waiting.pop()
        keys.add((depth, steps, _key(node)))
        waiting.extend((depth + 1, inner, child) for inner, child in node.children())
    return hash(frozenset(keys))
