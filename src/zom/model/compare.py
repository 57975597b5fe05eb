"""Comparing specs by meaning: `like` and `diff`, on canonical documents.

Two spellings of the same thing are alike: a short-hand name and its object, a default that is spelled
or not, "NaN" and its bits, absent attributes and empty ones. 0.0 and -0.0, true and 1 are not.

Nodes of two formats are compared in one. Converting is above the model: what does it is imported by name, as views
are, and only where two formats meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from zom.brief import notebook_html, short
from zom.json.changes import value_changes
from zom.json.value import same, thaw
from zom.json.write import write_json
from zom.model.bare_spec import exact_digest
from zom.model.operand import spec_of
from zom.model.output import member_specs
from zom.problems import Path, dotted, one_line, pointer_of, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zom.json.changes import ValueChange
    from zom.model.spec import Spec

    _Ignorer = Callable[[tuple[str, ...], Path], bool]

__all__ = [
    "Change",
    "Difference",
    "canonical",
    "diff",
    "document_changes",
    "ignorer",
    "like",
    "value_change",
]

_Step = str | int
_COMMON_FORMAT = "zom.conversion.common_format"


class _CommonFormat(Protocol):
    """What is asked of `zom.conversion.common_format`."""

    notes: list[str]

    def nodes(self, names: tuple[str, ...], old: Spec, new: Spec, /) -> tuple[Spec, Spec] | None: ...

    def is_stored_otherwise(self, names: tuple[str, ...], change: ValueChange, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two trees.

    `pointer` leads into the whole document; `old` and `new` are canonical JSON, None where the
    value is on the other side only.
    """

    kind: Literal["added", "removed", "changed"]
    node: str
    pointer: str
    inside: tuple[_Step, ...]
    old: Any = None
    new: Any = None
    elements: int = 0
    """Of values: how many elements differ; `old` and `new` are the first of them."""
    places: tuple[tuple[int, ...], ...] = ()
    """Of values: where the next ones are that differ, some of them."""

    def __repr__(self) -> str:
        return short("Change", str(self))

    def __str__(self) -> str:
        what = dotted(self.inside) or "the node"
        if self.kind == "added":
            return one_line(f"+ {self.node}: {what}: {show(self.new)}")
        if self.kind == "removed":
            return one_line(f"- {self.node}: {what}: {show(self.old)}")
        more = f", the first of {self.elements} elements" if self.elements > 1 else ""
        if self.places:
            more += f"; also at {', '.join(map(str, map(list, self.places)))}"
        old, new = _told_apart(self.old, self.new)
        return one_line(f"~ {self.node}: {what}: {old} -> {new}{more}")

    def to_dict(self) -> dict[str, Any]:
        """The change as plain JSON.

        >>> Change("added", "/", "/attributes/a", ("attributes", "a"), new=1).to_dict()["kind"]
        'added'
        """
        facts: dict[str, Any] = {"kind": self.kind, "node": self.node, "pointer": self.pointer}
        if self.kind != "added":
            facts["old"] = thaw(self.old)
        if self.kind != "removed":
            facts["new"] = thaw(self.new)
        if self.elements:
            facts["elements"] = self.elements
        if self.places:
            facts["places"] = [list(place) for place in self.places]
        return facts


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes that lead from one tree to another; false where there are none.

    >>> from zom import v3
    >>> print(diff(v3.GroupSpec(attributes={"a": 1}), v3.GroupSpec(attributes={"a": 2})))
    ~ /: attributes.a: 1 -> 2
    """

    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    """What differs in how the same is stored, where the formats differ: that is no change."""
    values_compared: bool | None = None
    """Whether the values of arrays in stores were compared; None where no array is on both sides."""

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __repr__(self) -> str:
        count = len(self.changes)
        first = f": {self.changes[0]}" if count else ""
        return short("Difference", f"{count:,} change{'' if count == 1 else 's'}{first}")

    def __str__(self) -> str:
        lines = [*map(str, self.changes)] or ["no difference"]
        lines += [one_line(f"note: {note}") for note in self.notes]
        if self.values_compared is False:
            lines.append("values were not compared; pass data=True to compare them")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return notebook_html("difference", self)

    def to_dict(self) -> dict[str, Any]:
        """The changes, the notes, and whether values were compared, as plain JSON.

        >>> Difference(()).to_dict()
        {'changes': [], 'notes': [], 'values_compared': None}
        """
        return {
            "changes": [change.to_dict() for change in self.changes],
            "notes": list(self.notes),
            "values_compared": self.values_compared,
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """As `to_dict`, as text.

        >>> Difference(()).to_json()
        '{"changes":[],"notes":[],"values_compared":null}'
        """
        return write_json(self.to_dict(), indent=indent)


def canonical(spec: Spec) -> dict[str, Any]:
    """The node's own document in its canonical spelling, without its members.

    >>> from zom import v3
    >>> canonical(v3.GroupSpec())
    {'zarr_format': 3, 'node_type': 'group', 'attributes': {}}
    """
    return spec.family.canonical(spec.kind, spec.document)


def like(left: object, right: object, ignore: str | Iterable[str] = ()) -> bool:
    """Whether two trees mean the same: specs of any formats, open arrays and groups, and those of zarr-python.

    >>> from zom import v2, v3
    >>> like(v3.GroupSpec(), v3.GroupSpec(attributes={})), like(v2.GroupSpec(), v3.GroupSpec())
    (True, True)
    """
    old, new = spec_of(left), spec_of(right)
    return next(_changes(old, new, ignore, _common_format(old, new)), None) is None


def diff(left: object, right: object, ignore: str | Iterable[str] = ()) -> Difference:
    """What must change in `left` to make it mean what `right` does.

    Each pattern in `ignore` is a pointer inside a node's document, in which `*` stands for part of a
    step and `**` for any number of steps; `NODE:POINTER` limits it to nodes whose path matches, and
    `NODE:` is everything about those nodes.

    Trees of two formats are compared by what they mean, in v3, and pointers are those of v3. What differs in how
    the same is stored, as codecs and keys of chunks, is then a note.

    >>> from zom import v2, v3
    >>> old, new = v3.GroupSpec(attributes={"a": 1}), v3.GroupSpec(attributes={"a": 2, "b": 3})
    >>> [change.pointer for change in diff(old, new, ignore="/attributes/b")]
    ['/attributes/a']
    >>> print(diff(v2.GroupSpec(attributes={"a": 1}), new, ignore="/attributes/b"))
    ~ /: attributes.a: 1 -> 2
    note: v2 -> v3
    """
    old, new = spec_of(left), spec_of(right)
    common = _common_format(old, new)
    changes = tuple(_changes(old, new, ignore, common))
    return Difference(changes, () if common is None else tuple(common.notes))


def document_changes(left: Spec, right: Spec, ignore: str | Iterable[str] = ()) -> Iterator[Change]:
    """As `diff`, of what is in a place where the format counts: another one is a change.

    >>> from zom import v2, v3
    >>> print(*document_changes(v2.GroupSpec(), v3.GroupSpec()))
    ~ /: the node: "v2 group" -> "v3 group"
    """
    return _changes(left, right, ignore, None)


def _common_format(left: Spec, right: Spec) -> _CommonFormat | None:
    if left.family is right.family:
        return None
    module: Any = import_module(_COMMON_FORMAT)
    made: _CommonFormat = module.CommonFormat(left, right)
    return made


def _changes(
    left: Spec, right: Spec, ignore: str | Iterable[str], common: _CommonFormat | None
) -> Iterator[Change]:
    if not isinstance(cast("object", ignore), Iterable):
        raise TypeError(f"ignore: expected patterns of pointers, such as '/attributes/*', got {show(ignore)}")
    ignored = ignorer((ignore,) if isinstance(ignore, str) else tuple(ignore))
    waiting: list[tuple[tuple[str, ...], Spec, Spec]] = [((), left, right)]
    while waiting:
        names, old, new = waiting.pop()
        if old is new:
            continue
        yield from _node_changes(names, old, new, ignored, common)
        if old.kind != new.kind or (common is None and old.family is not new.family):
            continue
        mine, theirs = member_specs(old), member_specs(new)
        if mine is None or theirs is None:
            if mine is not theirs:
                yield from _known_changes(names, mine, theirs, ignored)
            continue
        if mine is not theirs:
            yield from _one_sided(names, mine, theirs, ignored)
            both = [name for name in mine if name in theirs and mine[name] is not theirs[name]]
            waiting.extend(((*names, name), mine[name], theirs[name]) for name in reversed(both))


def _node_changes(
    names: tuple[str, ...], old: Spec, new: Spec, ignored: _Ignorer, common: _CommonFormat | None
) -> Iterator[Change]:
    """The changes in the own documents of two nodes at one path."""
    pair: tuple[Spec, Spec] | None = (old, new)
    if old.kind != new.kind:
        pair = None
    elif old.family is not new.family:
        pair = None if common is None or ignored(names, ()) else common.nodes(names, old, new)
    if pair is None:
        what = [f"{spec.family.form} {spec.kind}" for spec in (old, new)]
        if not ignored(names, ()):
            yield _change("changed", names, (), what[0], what[1])
        return
    if pair[0].document is pair[1].document or exact_digest(pair[0]) == exact_digest(pair[1]):
        return
    before, after = map(canonical, pair)
    if same(before, after):
        return
    for found in value_changes(before, after):
        if not ignored(names, found.steps) and not (common and common.is_stored_otherwise(names, found)):
            yield _change(found.kind, names, found.steps, found.old, found.new)


def _known_changes(
    names: tuple[str, ...], mine: object, theirs: object, ignored: _Ignorer
) -> Iterator[Change]:
    if not ignored(names, ("members",)):
        texts = ["unknown" if side is None else "known" for side in (mine, theirs)]
        yield _change("changed", names, ("members",), texts[0], texts[1])


def _one_sided(
    names: tuple[str, ...], mine: Mapping[str, Spec], theirs: Mapping[str, Spec], ignored: _Ignorer
) -> Iterator[Change]:
    for name, member in mine.items():
        if name not in theirs and not ignored((*names, name), ()):
            yield _change("removed", (*names, name), (), member.to_dict(), None)
    for name, member in theirs.items():
        if name not in mine and not ignored((*names, name), ()):
            yield _change("added", (*names, name), (), None, member.to_dict())


def _told_apart(old: Any, new: Any) -> tuple[str, str]:
    """Two values that differ as short texts that do, too."""
    texts = show(old), show(new)
    if texts[0] != texts[1]:
        return texts
    whole = write_json(old), write_json(new)
    first = next((at for at, (a, b) in enumerate(zip(*whole, strict=False)) if a != b), min(map(len, whole)))
    start = max(first - 10, 0)
    made = [
        f"{'...' if start else ''}{text[start : start + 60]}{'...' if len(text) > start + 60 else ''}"
        for text in whole
    ]
    return made[0], made[1]


def value_change(  # noqa: PLR0913, PLR0917 - all that is told
    node: str,
    place: tuple[int, ...],
    old: Any,
    new: Any,
    elements: int,
    places: tuple[tuple[int, ...], ...] = (),
) -> Change:
    """A change of the values of an array: so many elements differ, the first at `place`; None where a side has none.

    >>> print(value_change("/a", (0, 3), 1, 2, 1))
    ~ /a: values[0][3]: 1 -> 2
    """
    kind: Any = "added" if old is None else "removed" if new is None else "changed"
    names = tuple(name for name in node.split("/") if name)
    made = _change(kind, names, ("values", *place), old, new)
    return replace(made, elements=elements, places=places)


def _change(kind: Any, names: tuple[str, ...], inside: tuple[_Step, ...], old: Any, new: Any) -> Change:
    steps = tuple(step for name in names for step in ("members", name))
    return Change(kind, "/" + "/".join(names), pointer_of((*steps, *inside)), inside, old, new)


def ignorer(patterns: tuple[str, ...]) -> _Ignorer:
    """Whether a place in a tree matches any pattern, or lies below one that does.

    >>> ignorer(("/attributes/*",))(("a",), ("attributes", "units"))
    True
    """
    for pattern in patterns:
        if not isinstance(cast("object", pattern), str):
            raise TypeError(
                f"ignore: expected patterns of pointers, such as '/attributes/*', got {show(pattern)}"
            )
    if not patterns:
        return lambda _names, _steps: False
    tests = [_pattern(pattern) for pattern in patterns]

    def ignored(names: tuple[str, ...], steps: tuple[_Step, ...]) -> bool:
        node, pointer = "".join(f"/{name}" for name in names), pointer_of(steps)
        return any(where.fullmatch(node) and what.fullmatch(pointer) for where, what in tests)

    return ignored


@lru_cache(maxsize=256)  # asked for at each pair of nodes
def _pattern(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    # A colon may stand in the name of an attribute, too; what a pointer starts with, can't.
    node, colon, pointer = pattern.rpartition(":/")
    if not colon:
        node, colon, pointer = (pattern[:-1], ":", "") if pattern.endswith(":") else ("", "", pattern)
    where = _glob(node) if colon else "(?:/[^/]*)*"
    return re.compile(where), re.compile(_glob(pointer) + "(?:/.*)?", re.DOTALL)


def _glob(pattern: str) -> str:
    parts = [part for part in pattern.strip("/").split("/") if part]
    text = ""
    for part in parts:
        letters = "".join({"*": "[^/]*", "?": "[^/]"}.get(c, re.escape(c)) for c in part)
        text += "(?:/[^/]*)*" if part == "**" else f"/{letters}"
    return text
