"""Expressions: `${days}` and `${days * 24}` in the values of a declaration.

Names are those of parameters and loops. Operators on names and whole numbers are +, -, *, // and %, with
parentheses. Text that is a single expression gets the type of its value; otherwise the value becomes text.
`$${` is an escaped `${`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.problems import rule, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.declaration.source import At, Problems

__all__ = ["UNFILLED", "UNKNOWN", "escaped", "filled", "unescaped"]


class _Unfilled:
    """A placeholder for an expression without a value, which is already reported."""

    def __repr__(self) -> str:
        return "UNFILLED"


UNFILLED: Final = _Unfilled()

UNKNOWN = rule(
    "declaration/expression",
    "${...} is a parameter, a loop's name, or whole-number arithmetic with them",
    source="declarations, docs/declaring.md",
)

_HOLE = re.compile(r"\$\$\{|\$\{([^}]*)\}?")
_TOKEN = re.compile(r"\s*(?:([0-9]{1,19})|([A-Za-z_][A-Za-z0-9_]*)|(//|[-+*%()]))")
_MOST_BITS: Final = 128
_MOST_TOKENS: Final = 100
_FIX: Final = 'write "${name}", or "$${" for the characters themselves'


def escaped(value: Any) -> Any:
    """Escape a value so that its texts are not read as expressions.

    >>> escaped({"a": ["${b}"]})
    {'a': ['$${b}']}
    """
    if isinstance(value, str):
        return value.replace("${", "$${")
    if is_dict(value):
        return {name.replace("${", "$${"): escaped(each) for name, each in value.items()}
    return [escaped(each) for each in value] if is_list(value) else value


def unescaped(value: Any) -> Any:
    """Return the original of an escaped value.

    >>> unescaped({"a": ["$${b}"]})
    {'a': ['${b}']}
    """
    if isinstance(value, str):
        return value.replace("$${", "${")
    if is_dict(value):
        return {name.replace("$${", "${"): unescaped(each) for name, each in value.items()}
    return [unescaped(each) for each in value] if is_list(value) else value


class _UnfitError(Exception):
    """An expression has no value; the message has what was found, `fix` what to do."""

    def __init__(self, found: str, fix: str | None = None) -> None:
        super().__init__(found)
        self.fix = fix


def filled(value: Any, names: Mapping[str, Any], at: At, problems: Problems) -> Any:
    """Replace all expressions in `value` by their values; text without any is returned unchanged."""
    if isinstance(value, str):
        return _text(value, names, at, problems) if "${" in value else value
    if is_list(value):
        return [filled(inner, names, at.child(index), problems) for index, inner in enumerate(value)]
    if is_dict(value):
        return {
            _name(name, names, at.child(name), problems): filled(inner, names, at.child(name), problems)
            for name, inner in value.items()
        }
    return value


def _name(name: str, names: Mapping[str, Any], at: At, problems: Problems) -> str:
    """Return a key with its expressions replaced."""
    found = filled(name, names, at, problems)
    return name if found is UNFILLED else str(found)


def _text(text: str, names: Mapping[str, Any], at: At, problems: Problems) -> Any:
    whole = _HOLE.fullmatch(text)
    try:
        if whole and whole[1] is not None:
            return _value(whole, names)
        return _HOLE.sub(lambda hole: "${" if hole[1] is None else _spoken(_value(hole, names)), text)
    except _UnfitError as unfit:
        expected = "a parameter, a loop's name, or whole-number arithmetic with them"
        problems.add(at.problem(UNKNOWN, expected, str(unfit), unfit.fix or _FIX))
        return UNFILLED


def _spoken(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(hole: re.Match[str], names: Mapping[str, Any]) -> Any:
    if not hole[0].endswith("}"):
        raise _UnfitError(f"{show(hole[0])} without an end", "close it with }")
    if hole[1].strip() in names:
        return names[hole[1].strip()]
    return _Sum(hole[1], names).value()


class _Sum:
    """Whole-number arithmetic, parsed from left to right."""

    def __init__(self, text: str, names: Mapping[str, Any]) -> None:
        self.text, self.names = text, names
        self.tokens = self._tokens(text)

    def _tokens(self, text: str) -> list[tuple[str, str, str]]:
        found: list[tuple[str, str, str]] = []
        place = 0
        stripped = text.rstrip()
        while place < len(stripped):
            token = _TOKEN.match(stripped, place)
            if token is None or len(found) == _MOST_TOKENS:
                raise _UnfitError(show(text))
            found.append((token[1] or "", token[2] or "", token[3] or ""))
            place = token.end()
        return found[::-1]

    def value(self) -> int:
        found = self._sum()
        if self.tokens:
            raise _UnfitError(show(self.text))
        return found

    def _next(self, *operators: str) -> str:
        if self.tokens and self.tokens[-1][2] in operators:
            return self.tokens.pop()[2]
        return ""

    def _sum(self) -> int:
        left = self._product()
        while operator := self._next("+", "-"):
            right = self._product()
            left = left + right if operator == "+" else left - right
        return left

    def _product(self) -> int:
        left = self._factor()
        while operator := self._next("*", "//", "%"):
            right = self._factor()
            if operator == "*":
                left *= right
            elif right == 0:
                raise _UnfitError(
                    f"a division by zero in {show(self.text)}", "divide by a number other than 0"
                )
            else:
                left = left // right if operator == "//" else left % right
            if left.bit_length() > _MOST_BITS:
                raise _UnfitError(
                    f"a number beyond {_MOST_BITS} bits in {show(self.text)}", "make it smaller"
                )
        return left

    def _factor(self) -> int:
        if self._next("-"):
            return -self._factor()
        if self._next("("):
            inner = self._sum()
            if not self._next(")"):
                raise _UnfitError(f"{show(self.text)} without a )", "close the parenthesis")
            return inner
        if not self.tokens:
            raise _UnfitError(show(self.text) if self.text.strip() else "${} with nothing in it")
        number, name, _ = self.tokens.pop()
        if number:
            return int(number)
        if name not in self.names:
            known = sorted(self.names)
            hint = did_you_mean(near(name, known), known)
            raise _UnfitError(
                show(name or self.text), hint or f"state {name} in parameters" if name else None
            )
        value = self.names[name]
        if type(value) is not int:
            raise _UnfitError(f"{name}, which is {show(value)}", "use whole numbers in arithmetic")
        return value
