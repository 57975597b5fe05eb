"""Differences between two hierarchies, as records and as lines of text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from zom.brief import notebook_html, short
from zom.count import count_of
from zom.dataclass import dataclass
from zom.json.value import thaw
from zom.json.write import write_json
from zom.problems import dotted, one_line, pointer_of, show

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Change", "Difference", "change_at", "unreadable_values", "value_change"]

_Step = str | int


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two trees.

    `pointer` leads into the whole document. `old` and `new` are canonical JSON, or None if the value
    exists only on the other side.
    """

    kind: Literal["added", "removed", "changed", "unreadable"]
    """The kind of change; "unreadable" values can't be read on one side, so they may or may not differ."""
    node: str
    pointer: str
    inside: tuple[_Step, ...]
    old: Any = None
    new: Any = None
    elements: int = 0
    """For values: the number of elements that differ; `old` and `new` are the first of them."""
    places: tuple[tuple[int, ...], ...] = ()
    """For values: the places of some further elements that differ."""
    side: Literal["old", "new", ""] = ""
    """For unreadable values: the side they are on; `inside` is the place of the first, if known."""
    key: str = ""
    """For unreadable values: the key of their chunk; empty if it is not one chunk."""
    reason: str = ""
    """For unreadable values: the reason."""

    def __repr__(self) -> str:
        return short("Change", str(self))

    def __str__(self) -> str:
        what = dotted(self.inside) or "the node"
        if self.kind == "added":
            return one_line(f"+ {self.node}: {what}: {show(self.new)}")
        if self.kind == "removed":
            return one_line(f"- {self.node}: {what}: {show(self.old)}")
        if self.kind == "unreadable":
            which = f"the {self.side} chunk {self.key!r}" if self.key else f"those of the {self.side} array"
            return one_line(f"! {self.node}: {what}: {which} can't be read: {self.reason}")
        more = f", the first of {self.elements} elements" if self.elements > 1 else ""
        if self.places:
            more += f"; also at {', '.join(map(str, map(list, self.places)))}"
        old, new = _told_apart(self.old, self.new)
        return one_line(f"~ {self.node}: {what}: {old} -> {new}{more}")

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain JSON.

        >>> Change("added", "/", "/attributes/a", ("attributes", "a"), new=1).to_dict()["kind"]
        'added'
        """
        facts: dict[str, Any] = {"kind": self.kind, "node": self.node, "pointer": self.pointer}
        if self.kind == "unreadable":
            return {**facts, "side": self.side, "key": self.key, "reason": self.reason}
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
    """All changes and unreadable values between two trees; false if there are none.

    >>> from zom import v3
    >>> print(v3.GroupSpec(attributes={"a": 1}).diff(v3.GroupSpec(attributes={"a": 2})))
    ~ /: attributes.a: 1 -> 2
    """

    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    """Differences in storage only, between two formats: these are no changes."""
    values_compared: bool | None = None
    """Whether values of stored arrays were compared; None if no array is on both sides."""

    @property
    def unreadable(self) -> tuple[Change, ...]:
        """The `changes` that are unreadable values, which were not compared.

        >>> Difference(()).unreadable
        ()
        """
        return tuple(change for change in self.changes if change.kind == "unreadable")

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __repr__(self) -> str:
        count = len(self.changes)
        first = f": {self.changes[0]}" if count else ""
        return short("Difference", f"{count_of(count, 'change')}{first}")

    def __str__(self) -> str:
        lines = [*map(str, self.changes)] or ["no difference"]
        lines += [one_line(f"note: {note}") for note in self.notes]
        if self.values_compared is False:
            lines.append("values were not compared; pass data=True to compare them")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""
        return notebook_html("difference", self)

    def to_dict(self) -> dict[str, Any]:
        """Return the changes, the notes, and whether values were compared, as plain JSON.

        >>> Difference(()).to_dict()
        {'changes': [], 'notes': [], 'values_compared': None}
        """
        return {
            "changes": [change.to_dict() for change in self.changes],
            "notes": list(self.notes),
            "values_compared": self.values_compared,
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Return `to_dict` as JSON text.

        >>> Difference(()).to_json()
        '{"changes":[],"notes":[],"values_compared":null}'
        """
        return write_json(self.to_dict(), indent=indent)


def _told_apart(old: Any, new: Any) -> tuple[str, str]:
    """Return two different values as short texts that differ."""
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


def value_change(  # noqa: PLR0913, PLR0917 - all that is reported
    node: str,
    place: tuple[int, ...],
    old: Any,
    new: Any,
    elements: int,
    places: tuple[tuple[int, ...], ...] = (),
) -> Change:
    """Return a change of array values: `elements` differ, the first at `place`; a side without one is None.

    >>> print(value_change("/a", (0, 3), 1, 2, 1))
    ~ /a: values[0][3]: 1 -> 2
    """
    kind: Any = "added" if old is None else "removed" if new is None else "changed"
    names = tuple(name for name in node.split("/") if name)
    made = change_at(kind, names, ("values", *place), old, new)
    return replace(made, elements=elements, places=places)


def unreadable_values(
    node: str, place: tuple[int, ...], side: Literal["old", "new"], key: str, reason: str
) -> Change:
    """Return the change for array values from `place` on that `side` can't read, in the chunk under `key`.

    >>> print(unreadable_values("/a", (4,), "old", "a/c/1", "zstd: not a zstd frame"))
    ! /a: values[4]: the old chunk 'a/c/1' can't be read: zstd: not a zstd frame
    """
    names = tuple(name for name in node.split("/") if name)
    made = change_at("unreadable", names, ("values", *place), None, None)
    return replace(made, side=side, key=key, reason=reason)


def change_at(kind: Any, names: tuple[str, ...], inside: tuple[_Step, ...], old: Any, new: Any) -> Change:
    """Return a change inside the node that `names` lead to.

    >>> change_at("added", ("a",), ("attributes", "x"), None, 1).pointer
    '/members/a/attributes/x'
    """
    steps = tuple(step for name in names for step in ("members", name))
    return Change(kind, "/" + "/".join(names), pointer_of((*steps, *inside)), inside, old, new)
