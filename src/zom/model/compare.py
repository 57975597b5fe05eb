"""Compare specs by meaning: `like` and `diff`, on canonical documents.

Different spellings of the same value are equal: a short-hand name and its object, an explicit and an
implied default, "NaN" and its bits, absent and empty attributes. 0.0 and -0.0, and true and 1, differ.

Nodes of two formats are compared in one. Conversion is a layer above the model, so it is imported by
name, like views, and only if the formats differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from zom.json.changes import value_changes
from zom.json.exact import same
from zom.model.bare_spec import exact_digest
from zom.model.difference import Difference, change_at
from zom.model.operand import spec_of
from zom.model.output import member_specs
from zom.problems import Path, pointer_of, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zom.json.changes import ValueChange
    from zom.model.difference import Change
    from zom.model.spec import Spec

    _Ignorer = Callable[[tuple[str, ...], Path], bool]

__all__ = [
    "canonical",
    "diff",
    "document_changes",
    "ignorer",
    "like",
]

_COMMON_FORMAT = "zom.conversion.common_format"


class _CommonFormat(Protocol):
    """The used interface of `zom.conversion.common_format`."""

    notes: list[str]

    def nodes(self, names: tuple[str, ...], old: Spec, new: Spec, /) -> tuple[Spec, Spec] | None: ...

    def is_stored_otherwise(self, names: tuple[str, ...], change: ValueChange, /) -> bool: ...


def canonical(spec: Spec) -> dict[str, Any]:
    """Return the node's own document in its canonical spelling, without its members.

    >>> from zom import v3
    >>> canonical(v3.GroupSpec())
    {'zarr_format': 3, 'node_type': 'group', 'attributes': {}}
    """
    return spec.family.canonical(spec.kind, spec.document)


def like(left: object, right: object, ignore: str | Iterable[str] = ()) -> bool:
    """Whether two trees mean the same: specs of any format, open arrays and groups, or zarr-python nodes.

    >>> from zom import v2, v3
    >>> like(v3.GroupSpec(), v3.GroupSpec(attributes={})), like(v2.GroupSpec(), v3.GroupSpec())
    (True, True)
    """
    old, new = spec_of(left), spec_of(right)
    return next(_changes(old, new, ignore, _common_format(old, new)), None) is None


def diff(left: object, right: object, ignore: str | Iterable[str] = ()) -> Difference:
    """Return the changes that turn the meaning of `left` into that of `right`.

    Each pattern in `ignore` is a pointer inside a node's document, in which `*` matches part of a
    step and `**` any number of steps. `NODE:POINTER` limits it to nodes whose path matches, and
    `NODE:` ignores everything about those nodes.

    Trees of two formats are compared by meaning, in v3, with v3 pointers. Differences in storage only,
    such as codecs and chunk keys, become notes.

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
    """Like `diff`, for the nodes stored in one place: a different format is a change.

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
    """Yield the changes between the own documents of two nodes at one path."""
    pair: tuple[Spec, Spec] | None = (old, new)
    if old.kind != new.kind:
        pair = None
    elif old.family is not new.family:
        pair = None if common is None or ignored(names, ()) else common.nodes(names, old, new)
    if pair is None:
        what = [f"{spec.family.form} {spec.kind}" for spec in (old, new)]
        if not ignored(names, ()):
            yield change_at("changed", names, (), what[0], what[1])
        return
    if pair[0].document is pair[1].document or exact_digest(pair[0]) == exact_digest(pair[1]):
        return
    before, after = map(canonical, pair)
    if same(before, after):
        return
    for found in value_changes(before, after):
        if not ignored(names, found.steps) and not (common and common.is_stored_otherwise(names, found)):
            yield change_at(found.kind, names, found.steps, found.old, found.new)


def _known_changes(
    names: tuple[str, ...], mine: object, theirs: object, ignored: _Ignorer
) -> Iterator[Change]:
    if not ignored(names, ("members",)):
        texts = ["unknown" if side is None else "known" for side in (mine, theirs)]
        yield change_at("changed", names, ("members",), texts[0], texts[1])


def _one_sided(
    names: tuple[str, ...], mine: Mapping[str, Spec], theirs: Mapping[str, Spec], ignored: _Ignorer
) -> Iterator[Change]:
    for name, member in mine.items():
        if name not in theirs and not ignored((*names, name), ()):
            yield change_at("removed", (*names, name), (), member.to_dict(), None)
    for name, member in theirs.items():
        if name not in mine and not ignored((*names, name), ()):
            yield change_at("added", (*names, name), (), None, member.to_dict())


def ignorer(patterns: tuple[str, ...]) -> _Ignorer:
    """Return a test for whether a place in a tree matches a pattern, or is below a match.

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

    def ignored(names: tuple[str, ...], steps: Path) -> bool:
        node, pointer = "".join(f"/{name}" for name in names), pointer_of(steps)
        return any(where.fullmatch(node) and what.fullmatch(pointer) for where, what in tests)

    return ignored


@lru_cache(maxsize=256)  # called for each pair of nodes
def _pattern(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    # Attribute names may contain a colon, but only a pointer starts with a slash.
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
