"""YAML texts, read by YAML 1.2's core schema: `NO` is text, 1e3 is a number, 2000-01-01 is not a date.

The parser yields events, from which values are built without recursion. Aliases are supported, but the total
number of values is limited, and an anchor inside of itself is refused.
"""

from __future__ import annotations

import re
from dataclasses import field
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from zom.dataclass import dataclass
from zom.declaration.places import Places
from zom.json.python_value import is_dict, is_list
from zom.packages import imported
from zom.problems import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.problems import Rule

__all__ = ["read_yaml"]

_MOST_VALUES: Final = 1 << 20
_MOST_DEPTH: Final = 100
_INTEGER = re.compile(r"[-+]?[0-9]{1,400}|0o[0-7]{1,400}|0x[0-9a-fA-F]{1,400}", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_INFINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], float("nan")),
}
_MERGE: Final = object()
"""A placeholder for an unquoted key <<."""
_TAGS: Final = "tag:yaml.org,2002:"


class _UnfitError(Exception):
    """The text is not a declaration: the place, what was expected, what was found, and the fix."""

    def __init__(self, mark: Any, expected: str, found: str, fix: str | None = None) -> None:
        super().__init__(found)
        self.place = (mark.line + 1, mark.column + 1)
        self.expected, self.found, self.fix = expected, found, fix


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read."""

    value: Any
    anchor: str | None
    mark: Any
    key: Any = None
    has_key: bool = False
    count: int = 1
    merged: list[Any] = field(default_factory=list[Any])
    """The mappings after `<<`, whose entries apply unless the mapping has its own."""


def read_yaml(text: str, faults: list[Fault], broken: Rule) -> tuple[Any, Places | None]:
    """Return the value of a text with its places; add what is wrong to `faults`.

    >>> from zom.declaration.source import TEXT
    >>> read_yaml("a: [1, NO, 1e3]", [], TEXT)[0]
    {'a': [1, 'NO', 1000.0]}
    """
    yaml: Any = imported("yaml", "yaml")
    try:
        reader = _Reader(yaml, Places())
        return reader.read(_events(yaml, text)), reader.places
    except _UnfitError as unfit:
        faults.append(Fault(broken, (), unfit.expected, unfit.found, unfit.fix, unfit.place))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = None if mark is None else (mark.line + 1, mark.column + 1)
        faults.append(Fault(broken, (), "YAML", _words(error), None, place))
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = (before.count("\n") + 1, len(before) - before.rfind("\n"))
        found = f"the character U+{ord(text[error.position]):04X}"
        faults.append(Fault(broken, (), "text that YAML allows", found, "write an escape in quotes", place))
    return None, None


def _events(yaml: Any, text: str) -> Iterator[Any]:
    # Neither parser recurses into nested values; the one in C takes a twentieth of the time.
    found: Iterator[Any] = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found


def _words(error: Any) -> str:
    said = str(error.problem or error.context or error).replace("\n", " ")
    return re.sub(r"^did not find expected", "no", said)


class _Reader:
    def __init__(self, yaml: Any, places: Places) -> None:
        self.yaml, self.places = yaml, places
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.count = 0
        self.root: Any = None
        self.documents = 0

    def read(self, events: Iterator[Any]) -> Any:
        yaml = self.yaml
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._add(_scalar(event), event, event.anchor)
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._begin(event, {} if isinstance(event, yaml.MappingStartEvent) else [])
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                self._end()
            elif isinstance(event, yaml.AliasEvent):
                self._again(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                self.documents += 1
                if self.documents > 1:
                    raise _UnfitError(event.start_mark, "one document", "another after ---")
        return self.root

    def _begin(self, event: Any, value: Any) -> None:
        if event.tag is not None and event.tag not in {"!", f"{_TAGS}map", f"{_TAGS}seq"}:
            raise _UnfitError(event.start_mark, "no tags", event.tag, "leave the tag out")
        if len(self.open) >= _MOST_DEPTH:
            raise _UnfitError(event.start_mark, f"values at most {_MOST_DEPTH} deep", "deeper nesting")
        if self.open and isinstance(self.open[-1].value, dict) and not self.open[-1].has_key:
            raise _UnfitError(event.start_mark, "a string as key", "a mapping or list")
        if event.anchor is not None:
            self.anchors.pop(event.anchor, None)
        self.open.append(_Open(value, event.anchor, event.start_mark))

    def _end(self) -> None:
        done = self.open.pop()
        self._merge(done)
        if done.anchor is not None:
            self.anchors[done.anchor] = (done.value, done.count)
        self._put(done.value, done.mark, done.count)

    def _again(self, event: Any) -> None:
        known = self.anchors.get(event.anchor)
        if known is None:
            inside = any(each.anchor == event.anchor for each in self.open)
            found = f"*{event.anchor} inside itself" if inside else f"*{event.anchor}, which doesn't exist"
            raise _UnfitError(event.start_mark, "the name of an anchor before it", found)
        self._put(known[0], event.start_mark, known[1])

    def _add(self, value: Any, event: Any, anchor: str | None) -> None:
        if self.open and is_dict(self.open[-1].value) and not self.open[-1].has_key and not event.style:
            if event.value == "<<":
                value = _MERGE
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                value = event.value  # a key is text, as written
        if anchor is not None:
            self.anchors[anchor] = (value, 1)
        self._put(value, event.start_mark, 1)

    def _put(self, value: Any, mark: Any, count: int) -> None:
        self.count += count
        if self.count > _MOST_VALUES:
            fix = "declare repeated parts with `for`"
            raise _UnfitError(
                mark, f"at most {_MOST_VALUES} values, each counted where it is used", "more", fix
            )
        place = (mark.line + 1, mark.column + 1)
        if not self.open:
            self.root, self.places.start = value, place
            return
        top = self.open[-1]
        top.count += count
        if is_list(top.value):
            self.places.note(top.value, len(top.value), place)
            top.value.append(value)
        elif not top.has_key:
            self._key(top, value, mark)
        else:
            self._entry(top, value, place)

    def _key(self, top: _Open, key: Any, mark: Any) -> None:
        if key is not _MERGE and not isinstance(key, str):
            raise _UnfitError(mark, "a string as key", repr(key), f'write "{_spelled(key)}" in quotes')
        if key in top.value:
            raise _UnfitError(mark, "each key once", f"{key!r} a second time")
        top.key, top.has_key = key, True

    def _entry(self, top: _Open, value: Any, place: tuple[int, int]) -> None:
        key, top.key, top.has_key = top.key, None, False
        if key is not _MERGE:
            top.value[key] = value
            self.places.note(top.value, key, place)
            return
        for each in value if is_list(value) else [value]:
            if not is_dict(each):
                raise _UnfitError(top.mark, "a mapping, or several, after <<", repr(each))
            top.merged.append(each)

    def _merge(self, done: _Open) -> None:
        for each in done.merged:
            for name, inner in each.items():
                if name not in done.value:
                    done.value[name] = inner
                    self.places.note(done.value, name, self.places.known(each).get(name, (0, 0)))


def _spelled(key: Any) -> str:
    """Return a non-text key in YAML syntax."""
    return {None: "null", True: "true", False: "false"}.get(key, str(key))


def _scalar(event: Any) -> Any:
    text: str = event.value
    tag = event.tag
    if tag is not None and tag != "!":
        if tag == f"{_TAGS}str":
            return text
        raise _UnfitError(event.start_mark, "no tags", tag, "leave the tag out")
    if event.style or tag == "!":
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not isfinite(number):
            raise _UnfitError(
                event.start_mark, "a number that fits 64 bits", text[:40], "write .inf, or a string"
            )
        return number
    infinite = _INFINITE.fullmatch(text)
    return float(f"{infinite[1]}inf") if infinite else text
