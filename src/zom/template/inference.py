"""Infer the tightest sensible template that all examples match.

Members of all examples are required, members of some are optional. Members whose names differ only in a
number (`r10m`, `r20m`; `0`, `1`) become a pattern with counts; numbers with leading zeros (`b02`) count as
names. For arrays, rank, dimension names, kind of data type, chunks and attributes are kept; lengths and
codecs are not, since they vary between products.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from zom.errors import ZomError
from zom.formats.dimension import is_place
from zom.formats.resolve import resolve
from zom.model.operand import check_is_spec
from zom.model.output import member_specs
from zom.model.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zom.formats.resolved import ResolvedArray
    from zom.json.value import JSONDict
    from zom.model.spec import Spec

__all__ = ["infer"]

Document = dict[str, Any]
"""A template, or a pattern, as JSON."""

_DIGITS = re.compile(r"[0-9]+")
_SYNTAX = re.compile(r"[\\^$.|?*+()\[\]{}/]")
_MOST_LENGTHS: Final = 8
"""The most chunk lengths to list; more become a range."""


def infer(examples: Sequence[Spec], *, is_open: bool) -> Document:
    """Return the document of the tightest sensible template that all `examples` match.

    >>> from zom import v3
    >>> make = lambda *names: v3.GroupSpec(members={name: v3.GroupSpec(members={}) for name in names})
    >>> template = infer([make("r10m", "r20m", "a"), make("r10m", "a", "b")], is_open=True)
    >>> sorted(template["members"]), template["optional"]
    (['a', 'b'], ['b'])
    >>> template["patterns"][0]["pattern"], template["patterns"][0]["max_count"]
    ('r[0-9]+m', 2)
    """
    if not examples:
        raise ZomError("expected at least one example, found none")
    tables: dict[int, _Table] = {}
    for example in examples:
        check_is_spec(example)
        _tabulate(example, tables)
    frames = [_Examples(examples, None, "")]
    for frame in frames:  # grows during iteration: parents first
        frames.extend(frame.split(tables))
    for frame in reversed(frames):
        made = frame.made(closed=not is_open)
        if frame.parent is None:
            return made
        frame.parent.inner[frame.slot] = made
    message = "a tree without a root"  # pragma: no cover - the root is the last of the frames
    raise AssertionError(message)


class _Examples:
    """The examples at one place of the hierarchy, to make a template of."""

    __slots__ = (
        "covered",
        "examples",
        "groups",
        "inner",
        "known",
        "names",
        "parent",
        "patterns",
        "same",
        "slot",
    )

    def __init__(self, examples: Sequence[Spec], parent: _Examples | None, slot: str) -> None:
        self.examples = examples
        self.parent = parent
        self.slot = slot
        self.inner: dict[str, Document] = {}
        self.groups: list[Mapping[str, Spec]] = []
        self.known = True
        self.names: dict[str, list[Spec]] = {}
        self.patterns: dict[str, list[str]] = {}
        """The names that each pattern covers."""
        self.same: list[str] = []
        """The dimensions with one length throughout each example that no ancestor covers."""
        self.covered: frozenset[str] = parent.covered if parent is not None else frozenset()

    def _find_same(self, tables: Mapping[int, _Table]) -> None:
        found = [tables[id(spec)] for spec in self.examples]
        names = {name for table in found for name, (_, count) in table.items() if count > 1}
        differing = {name for table in found for name, (length, _) in table.items() if length is None}
        self.same = sorted(names - differing - self.covered)
        self.covered |= frozenset(self.same)

    def split(self, tables: Mapping[int, _Table]) -> list[_Examples]:
        """Return the frames of the places below this one."""
        kinds = {spec.kind for spec in self.examples}
        if len(kinds) > 1:
            arrays = [spec for spec in self.examples if spec.kind == "array"]
            groups = [spec for spec in self.examples if spec.kind == "group"]
            return [_Examples(arrays, self, "array"), _Examples(groups, self, "group")]
        if kinds != {"group"}:
            return []
        found = [member_specs(spec) for spec in self.examples]
        self.groups = [members for members in found if members is not None]
        # A template with members can't be checked if members are unknown.
        self.known = len(self.groups) == len(found)
        if not self.known:
            return []
        self._find_same(tables)
        for members in self.groups:
            for name, spec in members.items():
                self.names.setdefault(name, []).append(spec)
        self.patterns = _patterns(self.names)
        claimed = {name for names in self.patterns.values() for name in names}
        plain = [_Examples(specs, self, name) for name, specs in self.names.items() if name not in claimed]
        # Names have no slash, so these slots can't collide with names.
        return plain + [
            _Examples([spec for name in names for spec in self.names[name]], self, f"/{pattern}")
            for pattern, names in self.patterns.items()
        ]

    def made(self, *, closed: bool) -> Document:
        """Return the template of this place, once those below it are made."""
        if "array" in self.inner and not self.names and len({s.kind for s in self.examples}) > 1:
            return {"node_type": "any", "array": self.inner["array"], "group": self.inner["group"]}
        attributes = [cast("JSONDict", spec.document.get("attributes") or {}) for spec in self.examples]
        types = _attribute_types(attributes)
        said: dict[str, Any] = {"attributes": types} if types else {}
        if self.examples[0].kind == "array":
            return _array([resolve(spec) for spec in self.examples], said)
        if not self.known:
            return {"node_type": "group", **said}
        if closed:
            said["open"] = False
        if self.same:
            said["same_length"] = self.same
        return self._group(said)

    def _group(self, said: Document) -> Document:
        members = {name: self.inner[name] for name in self.names if name in self.inner}
        optional = [name for name in members if any(name not in group for group in self.groups)]
        patterns = [self._pattern(text, names) for text, names in self.patterns.items()]
        below: dict[str, Any] = {"members": members, "optional": optional, "patterns": patterns}
        return {"node_type": "group", **said, **{field: value for field, value in below.items() if value}}

    def _pattern(self, text: str, names: Sequence[str]) -> Document:
        counts = [sum(name in group for name in names) for group in self.groups]
        child = self.inner[f"/{text}"]
        said: Document = {"pattern": text, "template": child}
        said.update(min_count=min(counts), max_count=max(counts))
        if child["node_type"] == "array" and max(counts) > 1:
            types = [
                {resolve(group[name]).type_name for name in names if name in group} for group in self.groups
            ]
            if all(len(found) < 2 for found in types):
                said["same"] = ["dtype"]
        return said


# --- names -------------------------------------------------------------------------------------------


def _patterns(names: Mapping[str, Sequence[Spec]]) -> dict[str, list[str]]:
    """Return the names that differ only in a number, by the pattern that they match."""
    found: dict[str, list[str]] = {}
    for name in names:
        if _DIGITS.search(name):
            parts = _DIGITS.split(name)
            found.setdefault("[0-9]+".join(_SYNTAX.sub(r"\\\g<0>", part) for part in parts), []).append(name)
    return {text: alike for text, alike in found.items() if len(alike) > 1 and _numbered(alike, names)}


def _numbered(alike: Sequence[str], names: Mapping[str, Sequence[Spec]]) -> bool:
    """Whether the numbers in the names have no leading zeros, and all nodes are of one kind."""
    if any(len(digits) > 1 and digits[0] == "0" for name in alike for digits in _DIGITS.findall(name)):
        return False
    return len({spec.kind for name in alike for spec in names[name]}) == 1


# --- attributes --------------------------------------------------------------------------------------


def _attribute_types(examples: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the types of each attribute, with `?` if some examples lack it."""
    types: dict[str, dict[str, None]] = {}
    counts: dict[str, int] = {}
    for attributes in examples:
        for name, value in attributes.items():
            types.setdefault(name, {})[_type_of(value)] = None
            counts[name] = counts.get(name, 0) + 1
    return {
        name: "|".join(_merged(found)) + "?" * (counts[name] < len(examples)) for name, found in types.items()
    }


def _type_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = ((int, "integer"), (float, "number"), (str, "string"), (dict, "object"))
    return next((name for kind, name in names if isinstance(value, kind)), "array")


def _merged(types: Iterable[str]) -> list[str]:
    found = list(types)
    return [name for name in found if name != "integer" or "number" not in found]


# --- arrays ------------------------------------------------------------------------------------------


def _array(views: Sequence[ResolvedArray], said: Document) -> Document:
    ranks = sorted({view.rank for view in views})
    said["rank"] = ranks[0] if len(ranks) == 1 else ranks
    names = {view.names for view in views}
    if len(names) == 1 and views[0].names is not None:
        said["dimension_names"] = list(views[0].names)
    elif None not in names:
        common = {name for name in views[0].names or () if name is not None}
        for view in views[1:]:
            common &= set(view.names or ())
        if common:
            said["dimension_names"] = {"required": sorted(common)}
    kinds = {None if view.data_type is None else view.data_type.kind for view in views}
    if None not in kinds:
        listed = sorted(kind for kind in kinds if kind is not None)
        said["dtype"] = listed[0] if len(listed) == 1 else listed
    chunks = _chunks(views, by_place=len(ranks) == 1)
    if chunks:
        said["chunks"] = chunks
    return {"node_type": "array", **said}


def _chunks(views: Sequence[ResolvedArray], *, by_place: bool) -> dict[str, Any]:
    """Return the chunk lengths along each dimension, by name if all have names, else by place."""
    if any(view.chunks is None for view in views):
        return {}
    every = {name for view in views for name in view.names or (None,) * view.rank}
    named = None not in every and not any(map(is_place, filter(None, every)))
    if not named and not by_place:
        return {}
    found: dict[str, set[int]] = {}
    for view in views:
        for index, lengths in enumerate(view.chunks or ()):
            name = view.names[index] if named and view.names is not None else None
            found.setdefault(str(index) if name is None else name, set()).update(lengths)
    return {name: _extent(sorted(lengths)) for name, lengths in found.items() if lengths}


def _extent(lengths: list[int]) -> int | list[int] | dict[str, int]:
    if len(lengths) == 1:
        return lengths[0]
    return lengths if len(lengths) <= _MOST_LENGTHS else {"min": lengths[0], "max": lengths[-1]}


_Table = dict[str, tuple["int | None", int]]
"""For each dimension in the arrays below a node: its length, None if they differ, and their number."""


def _tabulate(example: Spec, tables: dict[int, _Table]) -> None:
    """Add the table of each node of `example`, merged from its members' tables."""
    nodes = list(walk(example))
    for _, spec in reversed(nodes):  # members come after their group
        table: _Table = {}
        if spec.kind == "array":
            view = resolve(spec)
            for name, length in zip(view.names or (), view.shape, strict=False):
                if name is not None:
                    _count(table, name, length, 1)
        for member in (member_specs(spec) or {}).values():
            for name, (shared, count) in tables[id(member)].items():
                _count(table, name, shared, count)
        tables[id(spec)] = table


def _count(table: _Table, name: str, length: int | None, count: int) -> None:
    before = table.get(name)
    if before is None:
        table[name] = (length, count)
    else:
        table[name] = (length if before[0] == length else None, before[1] + count)
