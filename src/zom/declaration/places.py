"""Places: the line and column of each value in a text, by path."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, cast

from zom.dataclass import dataclass
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from zom.problems import Path

__all__ = ["Places"]


@dataclass(slots=True)
class Places:
    """Line and column of each entry of each mapping and list; a value used twice has one place per entry."""

    start: tuple[int, int] = (1, 1)
    _entries: dict[int, dict[Any, tuple[int, int]]] = field(default_factory=dict[int, Any])
    _alive: list[Any] = field(default_factory=list[Any])

    def note(self, container: Any, step: Any, place: tuple[int, int]) -> None:
        """Record the place of the entry `step` of a mapping or list."""
        entries = self._entries.get(id(container))
        if entries is None:
            entries = self._entries[id(container)] = {}
            self._alive.append(container)  # an id is unique while its value is alive
        entries[step] = place

    def known(self, container: Any) -> dict[Any, tuple[int, int]]:
        """Return the places of the entries of a mapping or list."""
        return self._entries.get(id(container), {})

    def find(self, value: Any, path: Path) -> tuple[int, int]:
        """Return the place of the value at `path` in `value`, or of the innermost enclosing one.

        >>> places = Places()
        >>> value = {"a": {"b": 1}}
        >>> places.note(value, "a", (2, 1))
        >>> places.find(value, ("a", "b")), places.find(value, ())
        ((2, 1), (1, 1))
        """
        found, here = self.start, value
        for step in path:
            found = self.known(here).get(step, found)
            inside = step in here if is_dict(here) else is_list(here) and step in range(len(here))
            if not inside:
                break
            here = cast("Any", here)[step]
        return found
