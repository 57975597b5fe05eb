"""Locate values in a JSON text: line and column of a pointer's target.

Pointers follow RFC 6901. Of a duplicate name, the last value counts, as everywhere in zom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.json.events import CLOSING, NAME, OPENING, Lines, NotJSONError, decode, events
from zom.json.value import repaired
from zom.problems import split_pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.json.events import Event

__all__ = ["locate", "locate_all"]


class _Step:
    """A step of a pointer, and where its value starts, if found."""

    __slots__ = ("parent", "position", "steps")

    def __init__(self, parent: _Step | None) -> None:
        self.parent = parent
        self.position: int | None = None
        self.steps: dict[str, _Step] = {}

    def child(self, step: str) -> _Step:
        if step not in self.steps:
            self.steps[step] = _Step(self)
        return self.steps[step]

    def forget(self) -> None:
        """Discard positions found inside an earlier value of the same name."""
        waiting = list(self.steps.values())
        while waiting:
            place = waiting.pop()
            if place.position is not None:
                place.position = None
                waiting.extend(place.steps.values())


def locate(text: str | bytes, pointer: str) -> tuple[int, int] | None:
    r"""Return the line and column, from 1, of the value that `pointer` leads to.

    If the value is missing, return the place of the innermost object or list on the way to it. Return None
    if the text is not JSON, or `pointer` is not a pointer.

    >>> locate('{"shape":\n [10, -3]}', "/shape/1")
    (2, 7)
    >>> locate('{"shape":\n [10, -3]}', "/shape/2")
    (2, 2)
    """
    return locate_all(text, [pointer])[pointer]


def locate_all(text: str | bytes, pointers: Iterable[str]) -> dict[str, tuple[int, int] | None]:
    """Like `locate`, for many pointers in one walk over the text.

    >>> locate_all('{"a": 1, "b": 2}', ["/a", "/b"])
    {'/a': (1, 7), '/b': (1, 15)}
    """
    places: dict[str, tuple[int, int] | None] = dict.fromkeys(pointers)
    decoded = decode(text, [])
    if decoded is None:
        return places
    root = _Step(None)
    wanted: dict[str, _Step] = {}
    for pointer in places:
        if pointer == "" or pointer.startswith("/"):
            place = root
            for step in split_pointer(pointer):
                place = place.child(step)
            wanted[pointer] = place
    try:
        _walk(events(decoded), root)
    except NotJSONError:
        return places
    lines = Lines(decoded)
    known = {pointer: _nearest(place) for pointer, place in wanted.items()}
    for pointer in sorted(known, key=known.__getitem__):
        places[pointer] = lines.at(known[pointer])
    return places


def _nearest(place: _Step) -> int:
    """Return the start of the value, or of the innermost existing value around it."""
    here: _Step | None = place
    while here is not None and here.position is None:
        here = here.parent
    return here.position or 0 if here else 0


def _walk(steps: Iterator[Event], root: _Step) -> None:
    """Set the start of each value that a pointer leads to or through."""
    open_places: list[_Step | None] = []  # None: no pointer leads inside
    counts: list[int] = []  # the index in a list; -1 in an object
    name = ""
    for kind, start, found in steps:
        if kind == NAME:
            name = repaired(found)
            continue
        if kind in CLOSING:
            open_places.pop()
            counts.pop()
            continue
        above = open_places[-1] if open_places else None
        step = name
        if counts and counts[-1] >= 0:
            step = str(counts[-1])
            counts[-1] += 1
        place = above.steps.get(step) if above else (None if open_places else root)
        if place is not None:
            place.position = start
            place.forget()
        if kind in OPENING:
            open_places.append(place)
            counts.append(-1 if found == "{" else 0)
