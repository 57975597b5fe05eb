"""Find where two JSON values differ: members of objects by name, items of lists one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from zom.json.exact import exact_text, same

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ValueChange", "value_changes"]

Steps = tuple[str | int, ...]

_ALIGNED = 1000
"""Longer lists of different lengths differ as a whole: aligning them would take long."""


class ValueChange(NamedTuple):
    """An added, removed or changed value: its path, and the old and new value, or None."""

    kind: Literal["added", "removed", "changed"]
    steps: Steps
    old: Any
    new: Any


def value_changes(old: Any, new: Any, steps: Steps = ()) -> Iterator[ValueChange]:
    """Yield the differences of two JSON values.

    >>> [tuple(each) for each in value_changes({"a": [1, 2]}, {"a": [1], "b": True})]
    [('removed', ('a', 1), 2, None), ('added', ('b',), None, True)]
    """
    if isinstance(old, dict) and isinstance(new, dict):
        before, after = cast("dict[str, Any]", old), cast("dict[str, Any]", new)
        for name, value in before.items():
            if name not in after:
                yield ValueChange("removed", (*steps, name), value, None)
            else:
                yield from value_changes(value, after[name], (*steps, name))
        for name, value in after.items():
            if name not in before:
                yield ValueChange("added", (*steps, name), None, value)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _item_changes(cast("list[Any]", old), cast("list[Any]", new), steps)
    elif not same(old, new):
        yield ValueChange("changed", steps, old, new)


def _item_changes(old: list[Any], new: list[Any], steps: Steps) -> Iterator[ValueChange]:
    """Yield the differences of two lists: removed items by their old index, all others by their new index."""
    if len(old) == len(new):
        for index, (was, becomes) in enumerate(zip(old, new, strict=True)):
            yield from value_changes(was, becomes, (*steps, index))
        return
    if max(len(old), len(new)) > _ALIGNED:
        yield ValueChange("changed", steps, old, new)
        return
    from difflib import SequenceMatcher  # noqa: PLC0415 - only for lists of different lengths

    texts: list[Any] = [[exact_text(item) for item in items] for items in (old, new)]
    for verb, start, end, first, last in SequenceMatcher[Any](
        None, texts[0], texts[1], autojunk=False
    ).get_opcodes():
        if verb == "equal":
            continue
        pairs = _paired(old[start:end], new[first:last])
        for mine, theirs in pairs:
            if theirs is None:
                yield ValueChange(
                    "removed", (*steps, start + cast("int", mine)), old[start + cast("int", mine)], None
                )
            elif mine is None:
                yield ValueChange("added", (*steps, first + theirs), None, new[first + theirs])
            else:
                yield from value_changes(old[start + mine], new[first + theirs], (*steps, first + theirs))


def _paired(old: list[Any], new: list[Any]) -> list[tuple[int | None, int | None]]:
    """Pair items that replace each other: by name, as for codecs; items without names in order."""
    theirs = [_name_of(item, at) for at, item in enumerate(new)]
    left = dict(enumerate(theirs))
    found: list[tuple[int | None, int | None]] = []
    for at, item in enumerate(old):
        name = _name_of(item, at)
        there = next((place for place, one in left.items() if one == name), None)
        if there is not None:
            del left[there]
        found.append((at, there))
    return [*found, *((None, place) for place in left)]


def _name_of(item: Any, place: int) -> Any:
    """Return the identity of an item: its name, or its index."""
    if isinstance(item, dict):
        facts = cast("dict[str, Any]", item)
        for key in ("name", "id", "path"):
            if isinstance(facts.get(key), str):
                return facts[key]
    return place
