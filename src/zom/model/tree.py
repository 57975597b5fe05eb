"""Walk, flatten, select from and map trees of specs, by iteration, for any depth.

A node's path is `/` for the root and `/a/b` below it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from zom.errors import NotFound, SpecError
from zom.extension.registry import did_you_mean, near
from zom.json.value import JSONDict
from zom.model.assembly import MIXED, RANK, assemble
from zom.model.bare_spec import is_spec
from zom.model.members import ANY, member_plan
from zom.model.output import member_specs
from zom.model.repeats import node_count
from zom.paths import document_name_faults, parse_path
from zom.problems import Fault, Problem, pointer_of, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.model.spec import Spec
    from zom.problems import Level

__all__ = ["at", "check_depth", "flatten", "map_nodes", "select", "unflatten", "walk"]

BELOW_ARRAY = rule(
    "tree/below-array",
    "an array has no members",
    source="https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#hierarchy",
)
FLAT = rule(
    "tree/flat-group",
    "a group in a flattened hierarchy has no members itself: they have their own entries",
    source="ZEP 6: consolidated metadata is a flattening of a hierarchy",
)
TWICE = rule("tree/twice", "a path names one node", source="the v3 core specification, section Name")


def check_depth(depth: int | None) -> None:
    """Raise ValueError unless `depth` is None or a number from 0 on.

    >>> check_depth(-1)
    Traceback (most recent call last):
    ValueError: depth: expected None or a number from 0 on, got -1
    """
    if depth is not None and not (isinstance(depth, int) and depth >= 0):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may not be checked
        raise ValueError(f"depth: expected None or a number from 0 on, got {depth!r}")


def walk(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """Iterate over (path, node) pairs, a group before its members, members in the document's order.

    >>> from zom import v3
    >>> tree = v3.GroupSpec(members={"a": v3.GroupSpec(members={"b": v3.GroupSpec()})})
    >>> [path for path, node in walk(tree)]
    ['/', '/a', '/a/b']
    """
    waiting: list[tuple[str, Spec]] = [("", spec)]
    while waiting:
        path, node = waiting.pop()
        yield path or "/", node
        members = member_specs(node)
        if members:
            waiting.extend((f"{path}/{name}", member) for name, member in reversed(members.items()))


def at(spec: Spec, path: str) -> Any:
    """Return the node at `path` below `spec`; raise NotFound, with similar names, if it is missing.

    >>> from zom import v3
    >>> at(v3.GroupSpec(members={"a": v3.GroupSpec()}), "/a").kind
    'group'
    """
    node, here = spec, ""
    for name in parse_path(path):
        members = member_specs(node)
        if members is None:
            what = "an array" if node.kind == "array" else "a group whose members are unknown"
            raise NotFound(f"{here or '/'}: expected a group with a member {name!r}, found {what}")
        if name not in members:
            raise _missing(here, name, list(members))
        node, here = members[name], f"{here}/{name}"
    return node


def with_members(spec: Spec, members: Mapping[str, Spec]) -> Spec:
    """Return the group `spec` with other members, unchecked: they must come from such a group.

    If the class of `spec` constrains its members, the format's own class replaces it. The group's level is
    at most the lowest level of its members.
    """
    cls = type(spec) if member_plan(type(spec)) is ANY else spec.family.classes["group"]
    made = cls.__new__(cls)
    values = dict(spec.__dict__)
    values["members"] = members if type(members) is JSONDict else JSONDict(members)
    if cls is not type(spec):
        values["attributes"] = spec.document.get("attributes", JSONDict())
    level = min((spec.level, *(member.level for member in members.values())), key=RANK.__getitem__)
    nodes = 1 + sum(map(node_count, members.values()))
    private = {**(spec.__pydantic_private__ or {}), "level": level, "nodes": nodes}
    object.__setattr__(made, "__dict__", values)
    object.__setattr__(made, "__pydantic_extra__", spec.__pydantic_extra__)
    object.__setattr__(made, "__pydantic_private__", private)
    object.__setattr__(made, "__pydantic_fields_set__", spec.model_fields_set | {"members"})
    return made


_NONE = JSONDict()


def flatten(spec: Spec, prefix: str = "") -> dict[str, Spec]:
    """Return every node by its path, without its members.

    Groups with known members keep an empty `members`, and groups with unknown members keep them
    unknown, so `unflatten` restores exactly the tree.

    >>> from zom import v3
    >>> sorted(flatten(v3.GroupSpec(members={"a": v3.GroupSpec()}), prefix="root"))
    ['/root', '/root/a']
    """
    start = "".join(f"/{name}" for name in parse_path(prefix))
    flat: dict[str, Spec] = {}
    for path, node in walk(spec):
        where = (start + path) if path != "/" else (start or "/")
        flat[where] = with_members(node, _NONE) if member_specs(node) else node
    return flat


def unflatten(flat: Mapping[str, Spec], prefix: str = "") -> Any:
    """Build the tree from nodes in `flat`, by their paths below `prefix`.

    Missing parents become groups. An array with nodes below it, a group that already has members, and
    two entries for one path raise SpecError.

    >>> from zom import v3
    >>> tree = unflatten({"/a/b": v3.GroupSpec()})
    >>> [path for path, node in walk(tree)]
    ['/', '/a', '/a/b']
    """
    if not isinstance(cast("object", flat), Mapping):
        raise TypeError(f"expected a mapping from paths to specs, got {show(flat)}")
    start = parse_path(prefix)
    nodes: dict[tuple[str, ...], Spec] = {}
    problems: list[Problem] = []
    for path, spec in flat.items():
        if not is_spec(spec):  # what is in users' mappings
            message = f"{path}: expected a spec, got {show(spec)}; read documents with zom.parse"
            raise TypeError(message)
        names = parse_path(path)
        if names[: len(start)] != start:
            raise NotFound(f"{path}: expected a path below /{'/'.join(start)}")
        names = names[len(start) :]
        if names in nodes:
            problems.append(_problem(TWICE, names, "one node for a path", f"a second one at {path}"))
        elif member_specs(spec):
            problems.append(_problem(FLAT, names, "a group without members of its own", _few(spec)))
        nodes[names] = spec
    if not nodes:
        raise NotFound("expected at least one node, found none")
    _check_parents(nodes, problems)
    if problems:
        raise SpecError(problems, "flat hierarchy")
    return _raise_tree(nodes)


def _few(spec: Spec) -> str:
    return show(sorted(member_specs(spec) or ()))


def _problem(rule_: Any, names: tuple[str, ...], expected: str, found: str) -> Problem:
    fault = Fault(rule_, (), expected, found)
    node = "/" + "/".join(names)
    pointer = pointer_of(step for name in names for step in ("members", name))
    return Problem(fault.rule.code, "error", node, pointer, (), fault.expected, fault.found)


def _check_parents(nodes: Mapping[tuple[str, ...], Spec], problems: list[Problem]) -> None:
    """Add the problems of names and of the nodes above each node."""
    family = next(iter(nodes.values())).family
    arrays = {names for names, spec in nodes.items() if spec.kind != "group"}
    judged: set[tuple[str, ...]] = set()
    for names, spec in nodes.items():
        above = names
        while above and above not in judged:
            judged.add(above)
            faults: list[Fault] = []
            document_name_faults(above[-1], family.form, spec.level, faults)
            problems.extend(
                _problem(fault.rule, above, fault.expected, fault.found)
                for fault in faults
                if fault.rule.severity(spec.level) == "error"
            )
            above = above[:-1]
        if spec.family is not family:
            found = f"a {spec.family.form} node"
            problems.append(_problem(MIXED, names, f"a {family.form} node", found))
        for depth in range(len(names)) if arrays else ():
            if names[:depth] in arrays:
                found = f"the array /{'/'.join(names[:depth])} above it"
                problems.append(_problem(BELOW_ARRAY, names, "only groups above a node", found))
                break


def _raise_tree(nodes: dict[tuple[str, ...], Spec]) -> Spec:
    """Build the tree of `nodes` from the deepest level up; members keep the order of the entries."""
    filler = next(iter(nodes.values())).family.classes["group"]
    ordered: dict[tuple[str, ...], None] = {}
    for names in nodes:
        missing_parents: list[tuple[str, ...]] = []
        parent = names[:-1]
        while names and parent not in ordered and parent not in nodes:
            missing_parents.append(parent)
            parent = parent[:-1]
            if not missing_parents[-1]:
                break
        ordered.update(dict.fromkeys(reversed(missing_parents)))
        ordered[names] = None
    below: dict[tuple[str, ...], dict[str, Spec]] = {}
    for names in ordered:
        if names:
            below.setdefault(names[:-1], {})[names[-1]] = cast("Spec", None)
    for names in sorted(ordered, key=len, reverse=True):
        spec = nodes.get(names)
        if spec is None:
            spec = cast("Any", filler)(members={})
        inner = below.get(names)
        if inner is not None:
            spec = with_members(spec, JSONDict(inner))
        if not names:
            return spec
        below[names[:-1]][names[-1]] = spec
    message = "a tree without a root"  # pragma: no cover - the root is always in `ordered`
    raise AssertionError(message)


def select(spec: Spec, pattern: str) -> dict[str, Spec]:
    """Return the nodes whose path matches: `*` is part of one name, `**` any number of names.

    >>> from zom import v3
    >>> tree = v3.GroupSpec(members={"a": v3.GroupSpec(members={"b": v3.GroupSpec()})})
    >>> list(select(tree, "**/b")), list(select(tree, "*"))
    (['/a/b'], ['/a'])
    """
    matches = _matcher(pattern)
    return {path: node for path, node in walk(spec) if matches(path)}


def _matcher(pattern: str) -> Callable[[str], bool]:
    if not isinstance(pattern, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may not be checked
        raise TypeError(f"pattern: expected a string such as '**/t2m', got {pattern!r}")
    parts = [part for part in pattern.strip("/").split("/") if part]
    text = ""
    for part in parts:
        if part == "**":
            text += "(?:/[^/]+)*"
        else:
            text += "/" + "".join(_GLOB.get(c, re.escape(c)) for c in part)
    expression = re.compile(text or "/")
    return lambda path: expression.fullmatch("" if path == "/" and parts else path) is not None


_GLOB = {"*": "[^/]*", "?": "[^/]"}


def map_nodes(spec: Spec, change: Callable[[str, Spec], Spec | None]) -> Any:
    """Return the tree with each node changed, members before their group; None removes a node.

    `change` gets the path and the node with its changed members; its result is checked.

    >>> from zom import v3
    >>> tree = v3.GroupSpec(members={"a": v3.GroupSpec(), "b": v3.GroupSpec()})
    >>> smaller = map_nodes(tree, lambda path, node: None if path == "/b" else node)
    >>> list(smaller.members)
    ['a']
    """
    nodes = list(walk(spec))
    made: dict[str, Spec | None] = {}
    for path, node in reversed(nodes):
        members = member_specs(node)
        current = node
        if members is not None:
            base = "" if path == "/" else path
            changed = {name: made.pop(f"{base}/{name}") for name in members}
            kept = {name: member for name, member in changed.items() if member is not None}
            if len(kept) != len(members) or any(kept[name] is not members[name] for name in kept):
                current = _checked(node, kept)
        made[path] = change(path, current)
    root = made["/"]
    if root is None:
        raise NotFound("/: expected the root to remain, found it removed")
    return root


def _checked(node: Spec, members: Mapping[str, Spec]) -> Spec:
    levels: list[Level] = [node.level, *(member.level for member in members.values())]
    level: Level = min(levels, key=RANK.__getitem__)
    spec, problems = assemble(type(node), {**node.document, "members": members}, level)
    if spec is None:
        raise SpecError(problems, f"{node.family.form} group")
    return spec


def _missing(path: str, name: str, known: list[str]) -> NotFound:
    """Return the error for a missing member."""
    hint = did_you_mean(near(name, known), known) if known else "the group is empty"
    return NotFound(f"{path or '/'}: expected a member {name!r}, found none{f'; {hint}' if hint else ''}")
