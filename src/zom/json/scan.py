"""The careful JSON scanner, which locates every value and reports all faults.

It follows RFC 8259, and continues after faults that real software writes: NaN and Infinity, duplicate
names, a byte order mark. It walks the text once, without recursion; memory is proportional to depth and
length. `zom.json.read` calls it if the fast parser rejects a text or may have lost a name.

The depth of a value is counted from the nearest node. A node is the outermost object, and each
object along a path that alternates "members" and a name from there: /members/a, /members/a/members/b.
An object named "members" anywhere else, for example in attributes, starts no node.
"""

from __future__ import annotations

import sys
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any

from zom.json.events import (
    CLOSING,
    NAME,
    NUMBER,
    OPENING,
    TEXT,
    Lines,
    NotJSONError,
    decode,
    events,
)
from zom.json.value import (
    DEPTH,
    MOST_FAULTS,
    JSONDict,
    JSONList,
    lone_surrogate,
    not_finite,
    repaired,
)
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.json.events import Event
    from zom.limits import Limits
    from zom.problems import Rule

__all__ = ["most_digits", "scan"]

SYNTAX = rule("json/syntax", "a document is one JSON text", source="RFC 8259, section 2")
DUPLICATE = rule(
    "json/duplicate-key",
    "the names in an object are unique; the last value of a repeated name counts",
    source="RFC 8259, section 4",
    lenient="warning",
)
DIGITS = rule(
    "json/integer-digits",
    "an integer has no more digits than the limit",
    source="RFC 8259, section 9: an implementation may set limits",
)
OVERFLOW = rule(
    "json/number-range",
    "a number fits into a 64-bit float, or is an integer",
    source="RFC 8259, section 6",
    lenient="warning",
)

_WORDS: dict[str, bool | float | None] = {
    "true": True, "false": False, "null": None, "NaN": nan, "Infinity": inf, "-Infinity": -inf
}  # fmt: skip


def most_digits(limits: Limits) -> int:
    """Return the maximum digits of an integer; Python itself rejects more than some thousand.

    >>> from zom.limits import Limits
    >>> most_digits(Limits(integer_digits=20))
    20
    """
    return min(limits.integer_digits, sys.get_int_max_str_digits() or limits.integer_digits)


def scan(text: str | bytes, faults: list[Fault], limits: Limits) -> Any:
    """Return the frozen value of `text`, and add every fault; a text that is not JSON has one fault.

    A value that exceeds a limit (too deep, too many digits) becomes null, with a fault.

    >>> from zom.limits import Limits
    >>> scan('{"a": 1, "a": NaN}', faults := [], Limits()), [fault.rule.code for fault in faults]
    ({'a': nan}, ['json/duplicate-key', 'json/not-finite'])
    """
    found: list[Fault] = []
    decoded = decode(text, found)
    if decoded is None:
        faults.extend(found)
        return None
    lines = Lines(decoded)
    try:
        value = _Builder(lines, found, limits).build(events(decoded))
    except NotJSONError as error:
        place = lines.at(error.position)
        faults.append(Fault(SYNTAX, (), error.expected, error.found, error.fix, place))
        return None
    faults.extend(found)
    return value


class _Container:
    """An object or a list that is still open."""

    __slots__ = ("depth", "groups", "is_members", "is_node", "made", "name")

    def __init__(self, made: dict[str, Any] | list[Any]) -> None:
        self.made = made
        self.depth = 1
        self.groups = 1
        self.name = ""
        self.is_node = False
        self.is_members = False


class _Builder:
    """Builds values from events, and collects faults."""

    def __init__(self, lines: Lines, faults: list[Fault], limits: Limits) -> None:
        self.lines = lines
        self.faults = faults
        self.limits = limits
        self.most_digits = most_digits(limits)
        self.here = 0
        """The start of the current name or value."""
        self.stack: list[_Container] = []
        self.value: Any = None
        self.counts: dict[Rule, int] = {}

    def build(self, steps: Iterator[Event]) -> Any:
        for kind, self.here, found in steps:
            if kind == NAME:
                self._name(found)
            elif kind in OPENING:
                if not self._open(is_object=found == "{"):
                    _skip(steps)
                    self._add(None)
            elif kind in CLOSING:
                made = self.stack.pop().made
                self._add(JSONDict(made) if isinstance(made, dict) else JSONList(made))
            elif kind == TEXT:
                self._add(self._whole(found))
            else:
                self._add(self._number(found) if kind == NUMBER else self._word(found))
        for broken, count in self.counts.items():
            if count > MOST_FAULTS:
                self.faults.append(Fault(broken, (), "no more of them", f"{count - MOST_FAULTS} more"))
        return self.value

    def _name(self, name: str) -> None:
        frame = self.stack[-1]
        frame.name = repaired(name)
        frame.name = self._whole(name)
        if frame.name in frame.made:
            found = f"{show(frame.name)} again"
            self._report(DUPLICATE, "each name once", found, "remove all but the last")

    def _open(self, *, is_object: bool) -> bool:
        """Open one more level if the limits allow it, and return whether they do."""
        above = self.stack[-1] if self.stack else None
        frame = _Container({} if is_object else [])
        if above is None:
            frame.is_node = is_object
        else:
            frame.depth, frame.groups = above.depth + 1, above.groups
            if is_object:
                frame.is_members = above.is_node and above.name == "members"
                frame.is_node = above.is_members
        if frame.is_node and above is not None:
            frame.depth, frame.groups = 1, above.groups + 1
        if frame.groups > self.limits.tree_depth:
            self._report(DEPTH, f"groups nested at most {self.limits.tree_depth} deep", "deeper nesting")
            return False
        if frame.depth > self.limits.value_depth:
            self._report(DEPTH, f"values nested at most {self.limits.value_depth} deep", "deeper nesting")
            return False
        self.stack.append(frame)
        return True

    def _add(self, value: Any) -> None:
        if not self.stack:
            self.value = value
            return
        frame = self.stack[-1]
        if isinstance(frame.made, list):
            frame.made.append(value)
        else:
            frame.made[frame.name] = value

    def _whole(self, text: str) -> str:
        if text.isascii():
            return text
        fault = lone_surrogate(text, ())
        if fault is None:
            return text
        self._report(fault.rule, fault.expected, fault.found)
        return repaired(text)

    def _number(self, digits: str) -> int | float | None:
        if "." in digits or "e" in digits or "E" in digits:
            number = float(digits)
            if isfinite(number):
                return number
            found = f"{_shortened(digits)}, which is read as {show(number)}"
            self._report(OVERFLOW, "a number that fits into 64 bits", found)
            return number
        count = len(digits) - digits.startswith("-")
        if count > self.most_digits:
            self._report(DIGITS, f"an integer of at most {self.most_digits} digits", f"an integer of {count}")
            return None
        return int(digits)

    def _word(self, word: str) -> bool | float | None:
        value = _WORDS[word]
        if isinstance(value, float):
            fault = not_finite(value, ())
            self._report(fault.rule, fault.expected, fault.found, fault.fix)
        return value

    def _report(self, broken: Rule, expected: str, found: str, fix: str | None = None) -> None:
        """Add a fault at the current value, or in its name."""
        count = self.counts[broken] = self.counts.get(broken, 0) + 1
        if count <= MOST_FAULTS:
            path = tuple(len(f.made) if isinstance(f.made, list) else f.name for f in self.stack)
            self.faults.append(Fault(broken, path, expected, found, fix, self.lines.at(self.here)))


def _shortened(digits: str) -> str:
    return digits if len(digits) <= 40 else f"{digits[:37]}..."


def _skip(steps: Iterator[Event]) -> None:
    """Skip to the end of the object or list just opened."""
    still_open = 1
    for kind, _, _ in steps:
        still_open += (kind in OPENING) - (kind in CLOSING)
        if not still_open:
            return
