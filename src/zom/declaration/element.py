"""Elements: single values in a declaration, as scalars of a data type."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from zom.errors import SpecError
from zom.json.python_value import is_list
from zom.problems import rule, show

if TYPE_CHECKING:
    from zom.declaration.source import At
    from zom.extension.datatype import DataType
    from zom.problems import Fault, Problem

__all__ = ["VALUES", "UnfitError", "element_of"]

VALUES = rule(
    "declaration/values",
    "the values of an array fit its shape and its data type",
    source="declarations, docs/declaring.md",
)

_OFFSET: Final = re.compile(r"T.*[+-][0-9]{2}:?[0-9]{2}", re.ASCII | re.DOTALL)


class UnfitError(Exception):
    """Values don't fit: what was expected, what was found, and the fix."""

    def __init__(self, expected: str, found: str, fix: str | None = None) -> None:
        super().__init__(found)
        self.expected, self.found, self.fix = expected, found, fix

    def problem(self, at: At) -> Problem:
        """Return the problem at a place."""
        return at.problem(VALUES, self.expected, self.found, self.fix)


def element_of(given: Any, kind: DataType) -> Any:
    """Return the scalar for a number, text, or the text form of a fill value such as "NaN" or "0x7fc0".

    >>> from zom.extension.resolve import data_type
    >>> float(element_of("-Infinity", data_type("float32"))), int(element_of(3, data_type("int8")))
    (-inf, 3)
    """
    try:
        if isinstance(given, str):
            return _of_text(given, kind)
        if is_list(given) and kind.kind == "complex":
            return _parsed(given, kind)
        made = kind.cast(given)
    except SpecError as cause:
        first = cause.problems[0]
        raise UnfitError(first.expected, first.found, first.fix) from cause
    except (ValueError, TypeError, OverflowError) as cause:
        raise UnfitError(f"a value of the type {kind.name}", f"{show(given)}: {cause}") from cause
    if (
        kind.kind == "float"
        and not isinstance(given, bool)
        and _is_finite(given)
        and not _is_number(made, kind)
    ):
        raise UnfitError(f"a number that {kind.name} holds", show(given))
    return made


def _is_number(made: Any, kind: DataType) -> bool:
    """Whether an element is neither infinite nor NaN; without ml_dtypes, an element may be plain bytes."""
    return not isinstance(kind.fill_json(made, "v3"), str)


def _is_finite(given: Any) -> bool:
    return isinstance(given, int) or (isinstance(given, float) and math.isfinite(given))


def _of_text(given: str, kind: DataType) -> Any:
    if kind.kind in {"float", "complex"}:
        return _parsed(given, kind)
    if kind.kind == "datetime" and _OFFSET.fullmatch(given.partition("T")[1] + given.partition("T")[2]):
        raise UnfitError("a time in UTC, without an offset", show(given))
    if kind.kind == "bytes":
        if not given.isascii():
            raise UnfitError("text in ASCII, for bytes", show(given))
        return kind.cast(given.encode("ascii"))
    return kind.cast(given)


def _parsed(given: Any, kind: DataType) -> Any:
    """Parse a value in the form that fill values have in documents."""
    faults: list[Fault] = []
    made = kind.parse_fill(given, "v3", faults)
    if faults:
        raise UnfitError(faults[0].expected, faults[0].found, 'write a number, "NaN" or "Infinity"')
    return made
