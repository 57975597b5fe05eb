"""Mutations: documents that are nearly those of others, the same ones for the same seed.

Every kind of change can happen at every pointer of a document: a value goes, becomes one of another JSON
type, a number at the edge of a range, or what another document has under that name; objects gain members,
lists are reordered, text is misspelled, and whole documents become members of groups.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from random import Random

__all__ = ["BOUNDARIES", "OF_EACH_TYPE", "Mutator", "Pool", "mutants_at", "pointers"]

Path: TypeAlias = "tuple[str | int, ...]"

OF_EACH_TYPE: Final[tuple[Any, ...]] = (
    None, True, False, 0, 7, -1.5, "", "x", [], [1], [None], [[]], {}, {"a": 1}, {"name": "x"},
)  # fmt: skip
"""Values of every JSON type, empty ones and others."""

BOUNDARIES: Final[tuple[int | float, ...]] = (
    -1, 0, 1, 2, 3, 8, 9, 10, 22, 23, 100, 127, 128, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, 2**32,
    2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**31), -(2**63), -(2**63) - 1,
    0.5, 1.0, -0.0, 2.0, 1e-7, 65504.0, 65520.0, 1e300, -1e300,
)  # fmt: skip
"""Numbers at the edges of the ranges that documents speak of, and beside them."""

_ADDED: Final[tuple[tuple[str, Any], ...]] = (
    ("x-unknown", 1),
    ("x-unknown", {"must_understand": False}),
    ("x-unknown", {"must_understand": True}),
    ("x-unknown", {"must_understand": 0}),
    ("must_understand", False),
    ("must_understand", True),
    ("members", {}),
    ("members", None),
    ("members", {"a": {}}),
    ("attributes", {"a": 1}),
    ("attributes", None),
    ("configuration", {}),
    ("configuration", None),
    ("configuration", {"level": 1}),
    ("name", "x"),
    ("id", "gzip"),
    ("", {}),
    ("consolidated_metadata", None),
    ("consolidated_metadata", {"kind": "inline", "must_understand": False, "metadata": {}}),
    ("storage_transformers", []),
    ("dimension_names", [None]),
    ("dimension_separator", "/"),
    ("zarr_format", 3),
    ("node_type", "group"),
    ("shape", [1]),
    ("extensions", []),
)
"""Members that an object gains."""

_NODE_NAMES: Final = (
    "a", "b", "a.b", "c0", "é", "a b", "~", "_x", "a~1b", "members", "attributes", "x" * 255, "...x",
    "", ".", "..", "...", "a/b", "/", "__x", "__", "zarr.json", "zarr.json\n", "a\n", "\n", ".zarray", ".zgroup",
    "\x00", "a\\b", "0", "0.0", "c", ".x", " ", "\N{GREEK SMALL LETTER ALPHA}", "meta", "data", "a.array.json",
)  # fmt: skip
"""Names of members, those that break rules among them."""

_AFFIXES: Final = ("", " ", "\n", "\x00", "0", "1", "_", "-", ".", "x", "é", "\u0663", "/", "=", "\U0001f40d")


def pointers(document: Any) -> list[Path]:
    """The paths to every value in `document`, the whole first."""
    found: list[Path] = []
    waiting: list[tuple[Path, Any]] = [((), document)]
    while waiting:
        path, value = waiting.pop()
        found.append(path)
        if isinstance(value, dict):
            waiting.extend(((*path, name), item) for name, item in value.items())
        elif isinstance(value, list):
            waiting.extend(((*path, index), item) for index, item in enumerate(value))
    return found


def at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def changed(document: Any, path: Path, value: Any) -> Any:
    """`document` with `value` at `path`; only what lies on the way is copied."""
    if not path:
        return value
    made = copy.copy(document)
    made[path[0]] = changed(document[path[0]], path[1:], value)
    return made


def without(document: Any, path: Path) -> Any:
    """`document` without the member or item at `path`."""
    made = copy.copy(at(document, path[:-1]))
    del made[path[-1]]
    return changed(document, path[:-1], made)


class Pool:
    """What stands under each name in many documents, so that one may be given what another has."""

    def __init__(self, documents: Iterable[Any]) -> None:
        self.documents = list(documents)
        self.values: dict[str, list[Any]] = defaultdict(list)
        self.names: list[str] = []
        seen: set[tuple[str, str]] = set()
        names: set[str] = set()
        for document in self.documents:
            for path in pointers(document):
                # Items of a list count as its own: a codec may take the place of another.
                label = next((step for step in reversed(path) if isinstance(step, str)), None)
                if label is None:
                    continue
                names.update(step for step in path if isinstance(step, str))
                label += "[]" * isinstance(path[-1], int)
                value = at(document, path)
                if (label, repr(value)) not in seen and len(repr(value)) < 2000:
                    seen.add((label, repr(value)))
                    self.values[label].append(value)
        self.names = sorted(names)

    def like(self, path: Path) -> Sequence[Any]:
        """What other documents have at such a place."""
        label = next((step for step in reversed(path) if isinstance(step, str)), "")
        return self.values.get(label + "[]" * bool(path and isinstance(path[-1], int)), ())


class Mutator:
    """Random mutants of documents."""

    def __init__(self, pool: Pool, random: Random, group: dict[str, Any]) -> None:
        self.pool = pool
        self.random = random
        self.group = group
        """A group without members, of the format of the documents."""

    def mutant(self, document: Any, changes: int = 1) -> Any:
        """`document` after so many changes."""
        for _ in range(changes):
            document = self._changed(document)
        return document

    def tree(self) -> Any:
        """A group of some nodes, whose names may break rules."""
        random, members = self.random, dict[str, Any]()
        for _ in range(random.choice((1, 1, 2, 3))):
            odd = random.random() < 0.2
            name = random.choice(_NODE_NAMES) if odd else random.choice("abcdefgh")
            members[name] = random.choice(self.pool.documents)
        tree = {**self.group, "members": members}
        return {**self.group, "members": {"g": tree}} if random.random() < 0.2 else tree

    def _changed(self, document: Any) -> Any:
        # The first steps count as much as the leaves: a large configuration would draw most changes.
        places = pointers(document)
        path = self.random.choice(places)
        if self.random.random() < 0.3:
            path = path[: self.random.randint(0, len(path))]
        value = at(document, path)
        actions: list[Callable[[Any, Path, Any], Any]] = [self._typed, self._numbered, self._swapped]
        if path:
            actions += [self._deleted, self._swapped]
            if isinstance(path[-1], str):
                actions.append(self._renamed)
        if isinstance(value, dict):
            actions += [self._grown, self._grown]
        elif isinstance(value, list):
            actions += [self._reordered, self._reordered]
        elif isinstance(value, str):
            actions += [self._misspelled, self._misspelled]
        return self.random.choice(actions)(document, path, value)

    def _typed(self, document: Any, path: Path, _value: Any) -> Any:
        return changed(document, path, self.random.choice(OF_EACH_TYPE))

    def _numbered(self, document: Any, path: Path, _value: Any) -> Any:
        return changed(document, path, self.random.choice(BOUNDARIES))

    def _deleted(self, document: Any, path: Path, _value: Any) -> Any:
        return without(document, path)

    def _swapped(self, document: Any, path: Path, value: Any) -> Any:
        others = self.pool.like(path)
        return changed(document, path, self.random.choice(others) if others else value)

    def _renamed(self, document: Any, path: Path, value: Any) -> Any:
        old = str(path[-1])
        member = len(path) > 1 and path[-2] == "members"
        options = (misspelling(old, self.random), self.random.choice(self.pool.names))
        new = self.random.choice(_NODE_NAMES if member else options)
        parent = at(document, path[:-1])
        return changed(document, path[:-1], {new if name == old else name: x for name, x in parent.items()})

    def _grown(self, document: Any, path: Path, value: Any) -> Any:
        if self.random.random() < 0.3:
            name = self.random.choice(self.pool.names)
            given = self.random.choice(self.pool.values.get(name) or [1])
        else:
            name, given = self.random.choice(_ADDED)
        return changed(document, path, {**value, name: given})

    def _reordered(self, document: Any, path: Path, value: Any) -> Any:
        return changed(document, path, self.random.choice(list(self._reorderings(path, value))))

    def _reorderings(self, path: Path, value: list[Any]) -> Iterator[list[Any]]:
        yield value[::-1]
        yield self.random.sample(value, len(value))
        if value:
            yield [*value, self.random.choice(value)]
            yield value[1:]
            yield value[:-1]
        place = self.random.randint(0, len(value))
        others = self.pool.like((*path, 0))
        if others:
            yield [*value[:place], self.random.choice(others), *value[place:]]

    def _misspelled(self, document: Any, path: Path, value: Any) -> Any:
        return changed(document, path, misspelling(value, self.random))


def misspelling(text: str, random: Random) -> str:
    """Text near `text`."""
    place = random.randint(0, len(text))
    affix = random.choice(_AFFIXES)
    options = (
        text + affix,
        affix + text,
        text[:place] + affix + text[place + 1 :],
        text[:place] + text[place + 1 :],
        text.upper(),
        text.capitalize(),
        text.replace("1", "2"),
        text.replace("8", "7"),
        text + text,
    )
    return random.choice(options)


def mutants_at(document: Any, path: Path) -> Iterator[Any]:
    """The mutants of one place: without it, with each type, each boundary number and each new member."""
    value = at(document, path)
    if path:
        yield without(document, path)
    for other in (*OF_EACH_TYPE, *BOUNDARIES):
        yield changed(document, path, other)
    if isinstance(value, dict):
        for name, given in _ADDED:
            yield changed(document, path, {**value, name: given})
    elif isinstance(value, list) and len(value) > 1:
        yield changed(document, path, value[::-1])
        yield changed(document, path, [*value, value[0]])
