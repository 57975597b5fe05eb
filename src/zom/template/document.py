"""Template documents: read, written and compared by iteration, however deep they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.json.read import read_json
from zom.json.value import exact_key
from zom.problems import Fault, rule, show
from zom.template.definition import FORM, build, problems_of
from zom.template.models import (
    VERSION,
    ArrayTemplate,
    GroupTemplate,
    NodeTemplate,
    Part,
    Pattern,
    Template,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.problems import Problem

__all__ = [
    "children",
    "equal",
    "hash_of",
    "members_of",
    "parse",
    "patterns_of",
    "template_in",
    "template_of",
    "to_dict",
]

Path = tuple[str | int, ...]

MARK = rule(
    "template/version",
    "the root of a template document says which form of templates it has: zom_template is 1",
    source="the form of template documents, docs/templates.md",
    schema=True,
)

_CLASSES: Final[dict[object, type[Template]]] = {
    "array": ArrayTemplate,
    "group": GroupTemplate,
    "any": NodeTemplate,
}


def parse(document: str | bytes | Mapping[str, Any]) -> tuple[Template | None, list[Problem]]:
    """The template that `document` describes, and what is wrong with it."""
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


class _OpenTemplate:
    __slots__ = ("cls", "data", "faults", "made", "path")

    def __init__(self, data: Mapping[str, Any], path: Path) -> None:
        self.data = data
        self.path = path
        self.faults: list[Fault] = []
        self.cls: type[Template] | None = None
        self.made: Template | None = None


def template_in(document: Mapping[str, Any]) -> tuple[Template | None, list[Fault]]:
    """The template of a document without the mark of a root, and what is wrong with it."""
    frames: list[_OpenTemplate] = []
    inner: dict[int, list[tuple[Path, _OpenTemplate]]] = {}
    waiting = [_OpenTemplate(document, ())]
    while waiting:
        frame = waiting.pop()
        frames.append(frame)
        frame.cls = _class_of(frame)
        below = [(steps, _OpenTemplate(child, (*frame.path, *steps))) for steps, child in _inside(frame)]
        inner[id(frame)] = below
        waiting.extend(child for _, child in reversed(below))
    for frame in reversed(frames):
        if frame.cls is not None:
            made = {steps: child.made or ArrayTemplate() for steps, child in inner[id(frame)]}
            frame.made = build(frame.cls, _with(frame.data, made), frame.faults)
    faults = [fault._replace(path=(*frame.path, *fault.path)) for frame in frames for fault in frame.faults]
    return (None if faults else frames[0].made), faults


def _class_of(frame: _OpenTemplate) -> type[Template] | None:
    declared: Any = frame.data.get("node_type")
    cls = _CLASSES.get(declared) if isinstance(declared, str) else None
    if cls is None:
        found = show(declared) if "node_type" in frame.data else "nothing"
        fix = did_you_mean(near(declared, ["array", "group", "any"]))
        wanted = '"array", "group" or "any"'
        frame.faults.append(Fault(FORM, ("node_type",), wanted, found, fix))
    return cls


def _inside(frame: _OpenTemplate) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The documents of templates inside of one."""
    if frame.cls is GroupTemplate:
        members: Any = frame.data.get("members")
        if is_dict(members):
            yield from ((("members", n), child) for n, child in members.items() if is_dict(child))
        patterns: Any = frame.data.get("patterns")
        for index, entry in enumerate(patterns if is_list(patterns) else ()):
            if is_dict(entry) and is_dict(entry.get("template")):
                yield ("patterns", index, "template"), entry["template"]
    elif frame.cls is NodeTemplate:
        for name in NodeTemplate.slots:
            child: Any = frame.data.get(name)
            if is_dict(child):
                yield (name,), child


def _with(document: Mapping[str, Any], made: Mapping[Path, Template]) -> dict[str, Any]:
    """`document` with templates in place of their documents."""
    copy = dict(document)
    for steps, template in made.items():
        if len(steps) == 1:
            copy[str(steps[0])] = template
        elif steps[0] == "members":
            if copy["members"] is document["members"]:
                copy["members"] = dict(document["members"])
            copy["members"][steps[1]] = template
        else:
            if copy["patterns"] is document["patterns"]:
                entries: Any = document["patterns"]
                copy["patterns"] = [dict(e) if is_dict(e) else e for e in entries]
            entry: Any = copy["patterns"][int(steps[1])]
            entry["template"] = template
    return copy


# --- writing and comparing ---------------------------------------------------------------------------


def children(template: Template) -> Iterator[tuple[Path, Template]]:
    """The templates inside of `template`, and the steps to each.

    >>> [steps for steps, child in children(GroupTemplate(members={"a": ArrayTemplate()}))]
    [('members', 'a')]
    """
    if isinstance(template, GroupTemplate):
        for name, child in members_of(template).items():
            yield ("members", name), child
        for index, pattern in enumerate(patterns_of(template)):
            claimed = template_of(pattern)
            if claimed is not None:
                yield ("patterns", index, "template"), claimed
    elif isinstance(template, NodeTemplate):
        for name in NodeTemplate.slots:
            either: Template | None = getattr(template, name)
            if either is not None:
                yield (name,), either


def members_of(template: GroupTemplate) -> Mapping[str, Template]:
    """The templates of named members: what was given as documents has been read."""
    return cast("Mapping[str, Template]", template.members)


def patterns_of(template: GroupTemplate) -> tuple[Pattern, ...]:
    """The patterns: what was given as documents has been read."""
    return cast("tuple[Pattern, ...]", template.patterns)


def template_of(pattern: Pattern) -> Template | None:
    """The template of the members that a pattern claims."""
    return cast("Template | None", pattern.template)


def own(template: Template) -> dict[str, Any]:
    """What a template says itself, as it was said, without the templates inside of it."""
    said: dict[str, Any] = {"node_type": template.node_type}
    for name in type(template).model_fields:
        if name in template.model_fields_set and name not in {"node_type", *NodeTemplate.slots}:
            said[name] = {} if name == "members" else plain(getattr(template, name))
    return said


def to_dict(template: Template) -> dict[str, Any]:
    """The whole document of `template`, as ordinary dicts and lists."""
    root: dict[str, Any] = {"zom_template": VERSION, **own(template)}
    waiting: list[tuple[Template, dict[str, Any]]] = [(template, root)]
    while waiting:
        node, made = waiting.pop()
        for steps, child in children(node):
            place: Any = made
            for step in steps[:-1]:
                place = place[step]
            place[steps[-1]] = own(child)
            waiting.append((child, place[steps[-1]]))
    return root


def _key(template: Template) -> Any:
    """What a template says itself, defaults included: equal where, and only where, it means the same."""
    values = {name: getattr(template, name) for name in type(template).model_fields}
    for slot in ("members", *NodeTemplate.slots):
        values.pop(slot, None)
    return exact_key({name: _full(value) for name, value in values.items()})


def _full(value: Any) -> Any:
    if isinstance(value, Part):
        names = [name for name in type(value).model_fields if name != "template"]
        return {name: _full(getattr(value, name)) for name in names}
    if is_list(value) or isinstance(value, tuple):
        return [_full(item) for item in cast("list[Any]", value)]
    return {name: _full(item) for name, item in value.items()} if is_dict(value) else value


def equal(left: Template, right: Template) -> bool:
    """Whether two templates say the same."""
    waiting = [(left, right)]
    while waiting:
        mine, theirs = waiting.pop()
        if mine is theirs:
            continue
        if _key(mine) != _key(theirs):
            return False
        inside, others = dict(children(mine)), dict(children(theirs))
        if inside.keys() != others.keys():
            return False
        waiting.extend((child, others[steps]) for steps, child in inside.items())
    return True


def hash_of(template: Template) -> int:
    """A hash that equal templates share."""
    keys: set[Any] = set()
    waiting: list[tuple[int, Path, Template]] = [(0, (), template)]
    while waiting:
        depth, steps, node = waiting.pop()
        keys.add((depth, steps, _key(node)))
        waiting.extend((depth + 1, inner, child) for inner, child in children(node))
    return hash(frozenset(keys))
