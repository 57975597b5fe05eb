"""Places: where the values of a text stand, found again by the way that leads to them."""

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
    """Line and column of each entry of each mapping and list; a value that is used twice is kept once."""

    start: tuple[int, int] = (1, 1)
    _entries: dict[int, dict[Any, tuple[int, int]]] = field(default_factory=dict[int, Any])
    _alive: list[Any] = field(default_factory=list[Any])

    def note(self, container: Any, step: Any, place: tuple[int, int]) -> None:
        """Keep where the entry `step` of a mapping or list stands."""
        entries = self._entries.get(id(container))
        if entries is None:
            entries = self._entries[id(container)] = {}
            self._alive.append(container)  # an id is one value's as long as that lives
        entries[step] = place

    def known(self, container: Any) -> dict[Any, tuple[int, int]]:
        """The places of the entries of a mapping or list."""
        return self._entries.get(id(container), {})

    def find(self, value: Any, path: Path) -> tuple[int, int]:
        """Where the value at `path` in `value` stands, or the innermost one around it.

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
