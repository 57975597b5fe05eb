"""Sources: the texts of declarations, read into plain values with their places.

A source is a YAML, TOML or JSON file, by its suffix, or a Python mapping. Every value from a text has a line
and a column, for use in problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from zom.dataclass import dataclass
from zom.declaration.toml_text import read_toml
from zom.declaration.yaml_text import read_yaml
from zom.errors import DeclarationError
from zom.json.place import locate
from zom.json.python_value import is_dict, is_list
from zom.json.read import read_json
from zom.json.value import thaw
from zom.problems import Fault, Problem, pointer_of, rule, show, split_pointer
from zom.reason import reason_of

if TYPE_CHECKING:
    from zom.declaration.places import Places
    from zom.problems import Path, Rule

__all__ = ["TEXT", "At", "Problems", "Source", "read_source", "source_of_mapping", "source_of_text"]

TEXT = rule(
    "declaration/text",
    "a declaration is one mapping in YAML, TOML or JSON",
    source="declarations, docs/declaring.md",
)

MOST_BYTES: Final = 1 << 24
"""The most bytes of a text: declarations are written by hand."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The values that were read, and their places."""

    name: str
    """The file as the user named it, for messages."""
    value: Any
    folder: FilePath | None = None
    """The folder that included files are relative to, or None without a file."""
    places: Places | None = None
    text: str | None = None
    """The JSON text, in which places are searched only if there is a problem."""

    def place(self, path: Path) -> tuple[int, int] | None:
        """Return line and column of the value at `path`, or of the innermost enclosing one."""
        if self.text is not None:
            return locate(self.text, pointer_of(path))
        return None if self.places is None else self.places.find(self.value, path)


@dataclass(frozen=True, slots=True)
class At:
    """A place in a source, with the path of the node that it declares."""

    source: Source
    path: Path = ()
    node: str = "/"

    def child(self, *steps: str | int) -> At:
        """Return the place of a value inside of this one."""
        return At(self.source, (*self.path, *steps), self.node)

    def inside(self, pointer: str) -> At:
        """Return the place that a JSON pointer, relative to this one, points to."""
        found = self
        for step in split_pointer(pointer):
            found = found.child(int(step) if is_list(found.value) and step.isdecimal() else step)
        return found

    @property
    def value(self) -> Any:
        """The value at this place, or None if missing."""
        here: Any = self.source.value
        for step in self.path:
            inside = step in here if is_dict(here) else is_list(here) and step in range(len(here))
            if not inside:
                return None
            here = cast("Any", here)[step]
        return here

    def of(self, node: str) -> At:
        """Return the same place for the node at the path `node`."""
        return At(self.source, self.path, node)

    def problem(self, broken: Rule, expected: str, found: str, fix: str | None = None) -> Problem:
        """Return a problem at this place."""
        fault = Fault(broken, self.path, expected, found, fix, self.source.place(self.path))
        return fault.problem(node="/", key=self.source.name or None)


@dataclass(slots=True)
class Problems:
    """The distinct problems of a declaration, in the order of discovery."""

    found: list[Problem] = field(default_factory=list[Problem])

    def add(self, problem: Problem) -> None:
        """Add a problem unless it is known: a loop finds it once for each turn."""
        if problem not in self.found:
            self.found.append(problem)

    def raise_any(self, name: str) -> None:
        """Raise DeclarationError if there is a problem."""
        if self.found:
            raise DeclarationError(self.found, name)


def read_source(file: str | FilePath, name: str | None = None) -> Source:
    """Read the declaration in a file, called `name` in messages; its suffix determines the language."""
    path = FilePath(file)
    name = str(file) if name is None else name
    try:
        with path.open("rb") as opened:
            text = opened.read(MOST_BYTES + 1)
    except (OSError, ValueError) as cause:
        # ValueError: the system can't represent a name with a NUL or a lone surrogate.
        raise _refused(name, "a file that can be read", reason_of(cause), None) from cause
    return source_of_text(text, name, path.suffix.lower().removeprefix("."), path.parent)


def source_of_text(text: bytes | str, name: str, language: str, folder: FilePath | None = None) -> Source:
    """Read the declaration in a text; `language` is "yaml" ("yml"), "toml" or "json".

    >>> source_of_text("zom: 1", "a.yaml", "yaml").value
    {'zom': 1}
    """
    data = text.encode() if isinstance(text, str) else text
    if len(data) > MOST_BYTES:
        raise _refused(name, f"at most {MOST_BYTES} bytes", "more", "declare repeated parts with `for`")
    try:
        decoded = data.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        place = (data[: cause.start].count(b"\n") + 1, cause.start - data.rfind(b"\n", 0, cause.start))
        raise _refused(name, "text in UTF-8", f"byte {cause.start}, which is not", None, place) from cause
    faults: list[Fault] = []
    places: Places | None = None
    value: Any = None
    if language in {"yaml", "yml"}:
        value, places = read_yaml(decoded, faults, TEXT)
    elif language == "toml":
        value, places = read_toml(decoded, faults, TEXT)
    elif language == "json":
        value = thaw(read_json(decoded, faults))
    else:
        found = f".{language}" if language else "a name without an extension"
        raise _refused(name, "a name that ends in .yaml, .toml or .json", found, None)
    if not faults and not isinstance(value, Mapping):
        faults.append(Fault(TEXT, (), "a mapping", show(value), "begin with zom: 1", (1, 1)))
    if faults:
        raise DeclarationError([fault.problem(key=name) for fault in faults], name)
    return Source(name, value, folder, places, decoded if language == "json" else None)


def source_of_mapping(value: Mapping[str, Any]) -> Source:
    """Return the source for a Python mapping."""
    return Source("", _plain(value))


def _plain(value: Any) -> Any:
    """Convert tuples, numpy arrays and numpy scalars to lists and plain scalars."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in cast("list[Any]", value)]
    if isinstance(value, (np.ndarray, np.generic)):
        array = cast("Any", value)
        return _plain((array.astype(str) if array.dtype.kind in "mM" else array).tolist())
    return value.str if isinstance(value, np.dtype) else value


def _refused(
    name: str, expected: str, found: str, fix: str | None, place: tuple[int, int] | None = None
) -> DeclarationError:
    return DeclarationError([Fault(TEXT, (), expected, found, fix, place).problem(key=name)], name)
