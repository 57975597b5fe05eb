"""Write JSON values as text that reads back as the same value, bit for bit.

Numbers are written like Python's `repr`, with the shortest digits that read back the same; text is
not escaped to ASCII; names keep their order. The output equals that of the standard library's
`json.dumps` with `ensure_ascii=False`, at any depth. JSON has no NaN and no infinities: they are
reported when values are read, and written as that library and zarr-python write them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from pydantic_core import to_json

from zom.errors import SpecError
from zom.json.scan import DIGITS
from zom.json.value import (
    DEPTH,
    NOT_FINITE,
    NOT_JSON,
    REPEATS,
    SURROGATE,
    JSONDict,
    JSONList,
    freeze,
    repaired,
)
from zom.limits import DEFAULT_LIMITS
from zom.patterns import compiled_later
from zom.problems import Fault, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ascii_json", "facts_json", "quick_json", "write_json"]

_compact = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def write_json(value: Any, *, indent: int | None = None) -> str:
    """Return `value` as JSON text: on one line, or indented with each item on its own line.

    Raises SpecError, with a problem for each place, if JSON can't hold the value.

    >>> write_json({"title": "Zürich", "scale": 1e-07, "fill": -0.0, "big": 2**70})
    '{"title":"Zürich","scale":1e-07,"fill":-0.0,"big":1180591620717411303424}'
    >>> print(write_json({"shape": [10]}, indent=2))
    {
      "shape": [
        10
      ]
    }
    """
    if indent is None and type(value) is str and value.isascii():
        return _compact(value)
    faults: list[Fault] = []
    frozen = value if type(value) in {JSONDict, JSONList} else freeze(value, faults)
    faults = [fault for fault in faults if fault.rule is not NOT_FINITE]
    if not faults:
        text = _quick(frozen, indent)
        if text is not None:
            return text
    rules = {fault.rule for fault in faults}
    if not rules or (DEPTH in rules and REPEATS not in rules):
        # Deep values, numbers that the compiled writer spells differently, or objects that break their
        # type's promises.
        faults.clear()
        text = "".join(_Pieces(faults, indent).of(value))
        if not faults:
            return text
    raise SpecError([_problem(fault) for fault in faults], "value")


def ascii_json(value: Any, *, indent: int | None = None) -> str:
    r"""Return ordinary JSON values as ASCII text, for zom's own records and reports.

    Keys of local disks and names of nodes may hold lone surrogates, which only escapes can represent.

    >>> ascii_json({"key": "\udcff"})
    '{"key": "\\udcff"}'
    """
    return json.dumps(value, indent=indent)


_HALF = compiled_later("[\ud800-\udfff]")


def facts_json(value: Any, *, indent: int | None = None) -> str:
    r"""Like `write_json`, for reports: lone surrogates in names are escaped.

    >>> print(facts_json({"store": "日本\udcff.zarr"}))
    {"store": "日本\udcff.zarr"}
    """
    try:
        return write_json(value, indent=indent)
    except SpecError as error:
        if {problem.code for problem in error.problems} != {SURROGATE.code}:
            raise
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


_EXPONENT = re.compile(rb"e[-\d]")
_MOST_DIGITS = DEFAULT_LIMITS.integer_digits
_TOO_LONG = 10**_MOST_DIGITS
_MANY_DIGITS = b"0" * (_MOST_DIGITS + 1)
_DIGITS_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")


def _maybe_otherwise(text: bytes) -> bool:
    """Whether `text` may hold numbers that Python spells differently: 1e-07, not 1e-7; 1e-05, not 0.00001.

    Integers with too many digits, which are rejected, count as well.
    """
    return b".0000" in text or _EXPONENT.search(text) is not None or _maybe_too_long(text)


def _maybe_too_long(text: bytes) -> bool:
    """Whether `text` may hold an integer with more digits than the reader allows."""
    return len(text) > _MOST_DIGITS and _MANY_DIGITS in text.translate(_DIGITS_AS_ZERO)


def quick_json(value: Any) -> str | None:
    """Return the text of frozen values; None if `value` is too deep, or needs the slow path.

    >>> quick_json({"a": JSONDict({"b": 1})})
    '{"a":{"b":1}}'
    """
    try:
        text = to_json(value)
    except (ValueError, TypeError, RecursionError):
        return None
    return None if _maybe_otherwise(text) else text.decode()


def _quick(frozen: Any, indent: int | None) -> str | None:
    """Return the text from a compiled writer; None if none of them writes the value correctly."""
    try:
        if indent is None:
            text = to_json(frozen)
            if _maybe_too_long(text):
                return None
            return _compact(frozen) if _maybe_otherwise(text) else text.decode()
        if indent > 0:
            text = to_json(frozen, indent=indent)
            if not _maybe_otherwise(text) or not _spelled_otherwise(frozen, 64):
                return text.decode()
    except (ValueError, TypeError, RecursionError):
        return None
    return None


def _spelled_otherwise(value: Any, room: int) -> bool:
    """Whether pydantic may spell a number differently (1e-7, in Python 1e-07), or the value is deep."""
    kind: object = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is float:
        return value != 0 and not 1e-4 <= abs(value) < 1e16
    if kind is JSONDict or kind is JSONList:
        if not room:
            return True
        for item in value.values() if kind is JSONDict else value:
            if type(item) is not str and _spelled_otherwise(item, room - 1):
                return True
        return False
    return kind is int and value.bit_length() >= _TOO_LONG.bit_length()


class _Container:
    """An object or a list that is partly written."""

    __slots__ = ("close", "items", "value", "written")

    def __init__(self, value: Mapping[Any, Any] | list[Any] | tuple[Any, ...]) -> None:
        self.value = value
        self.items: Iterator[tuple[Any, Any]]
        if isinstance(value, Mapping):
            self.items, self.close = iter(value.items()), "}"
        else:
            self.items, self.close = iter(enumerate(value)), "]"
        self.written = False


class _Pieces:
    """Writes a value in pieces, with a stack instead of recursion, at any depth."""

    def __init__(self, faults: list[Fault], indent: int | None) -> None:
        self.faults = faults
        self.indent = indent
        self.stack: list[_Container] = []
        self.path: list[str | int] = []
        self.open: set[int] = set()

    def of(self, value: Any) -> Iterator[str]:
        yield self._start(value)
        while self.stack:
            level = self.stack[-1]
            for step, item in level.items:
                lead = self._lead(level, step)
                if lead is not None:
                    yield lead
                    yield self._start(item)
                    if self.stack[-1] is not level:
                        break
                    self.path.pop()
            else:
                self.stack.pop()
                self.open.discard(id(level.value))
                yield (self._line() if level.written else "") + level.close
                if self.path:
                    self.path.pop()

    def _start(self, value: Any) -> str:
        """Return a scalar, or the opening bracket of `value`, which is pushed on the stack."""
        if not isinstance(value, (Mapping, list, tuple)):
            value = self._frozen(value)
            if not isinstance(value, list):  # a list comes from a numpy array
                return self._scalar(value)
        if id(value) in self.open:  # pyright: ignore[reportUnknownArgumentType]
            self.faults.append(
                Fault(NOT_JSON, tuple(self.path), "a JSON value", "a value that contains itself")
            )
            return "null"
        self.open.add(id(value))  # pyright: ignore[reportUnknownArgumentType]
        self.stack.append(_Container(cast("Mapping[Any, Any] | list[Any]", value)))
        return "{" if isinstance(value, Mapping) else "["

    def _frozen(self, value: Any) -> Any:
        faults: list[Fault] = []
        frozen = freeze(value, faults)
        # In deep values the path is long, so it is built only for faults.
        self.faults.extend(
            fault._replace(path=(*self.path, *fault.path)) for fault in faults if fault.rule is not NOT_FINITE
        )
        return frozen

    def _scalar(self, value: Any) -> str:
        # The reader must accept the output.
        if type(value) is int and abs(value) >= _TOO_LONG:
            wanted, found = (
                f"an integer of at most {_MOST_DIGITS} digits",
                f"an integer of {value.bit_length()} bits",
            )
            self.faults.append(Fault(DIGITS, tuple(self.path), wanted, found))
            return "null"
        return _compact(value)

    def _lead(self, level: _Container, step: Any) -> str | None:
        """Return the text before an item and push its step on the path; None if its name is invalid."""
        named = level.close == "}"
        if named and not isinstance(step, str):
            freeze({step: None}, self.faults, path=tuple(self.path))
            return None
        comma = "," if level.written else ""
        lead = comma + self._line()
        level.written = True
        if named:
            self.path.append(repaired(step))
            lead += _compact(self._frozen(step)) + (":" if self.indent is None else ": ")
        else:
            self.path.append(step)
        return lead

    def _line(self) -> str:
        return "" if self.indent is None else "\n" + " " * (self.indent * len(self.stack))


def _problem(fault: Fault) -> Problem:
    return fault.problem(node="")
