"""Checks and conditions as written in a rulebook: names and JSON, turned into what they mean."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import check_called, names_of_checks
from zom.checks.checked_rule import schema
from zom.checks.selector import parse_selector
from zom.errors import ExtensionError, UnknownName
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from zom.checks.check import Check
    from zom.checks.checked_rule import Condition

__all__ = ["WrongEntry", "is_selector", "made_check", "only_known", "written_condition", "written_parameters"]


for _module in ("dimensions", "references", "tree", "values"):
    import_module(f"zom.checks.{_module}")  # these add their checks to the vocabulary


class WrongEntry(Exception):
    """Raised for a wrong entry in a rulebook; the reader adds the file and the rule."""

    def __init__(self, key: str, expected: str, found: object, fix: str | None = None) -> None:
        super().__init__(key, expected, found, fix)
        self.key, self.expected, self.fix = key, expected, fix
        self.found = "nothing" if found is None else show(found)

    def __str__(self) -> str:
        text = f"{self.key}: expected {self.expected}, found {self.found}"
        return text if self.fix is None else f"{text}; {self.fix}"


def only_known(table: Mapping[str, Any], known: Collection[str], where: str = "") -> None:
    """Raise WrongEntry for the first key of `table` that is not in `known`.

    >>> only_known({"mustt": "be"}, ["must", "should"])
    Traceback (most recent call last):
    ...
    zom.checks.written.WrongEntry: mustt: expected one of must, should, found "mustt"; did you mean 'must'?
    """
    for key in table:
        if key not in known:
            place = f"{where}.{key}" if where else key
            raise WrongEntry(place, f"one of {', '.join(known)}", key, did_you_mean(near(key, known)))


def _maker_of(name: str) -> Callable[..., Check] | None:
    return schema if name == "schema" else check_called(name)


def written_parameters(name: str, said: Any) -> dict[str, Any]:
    """The valid parameters of the check `name`: `said` is the first one, or a table of all of them.

    >>> written_parameters("unique", ".axes[*].name"), written_parameters("length", {"at": "a", "equals": 2})
    ({'at': '.axes[*].name'}, {'at': 'a', 'equals': 2})
    """
    make = _maker_of(name)
    if make is None:
        known = [*names_of_checks(), "python"]
        fix = did_you_mean(near(name, known)) or "docs/conventions-rules.md lists the checks"
        raise WrongEntry(f"check.{name}", "the name of a check", name, fix)
    parameters = signature(make).parameters
    if not is_dict(said):
        said = {next(iter(parameters)): said} if parameters else said
    if not is_dict(said):
        raise WrongEntry(f"check.{name}", f'no parameters: write check = "{name}"', said)
    only_known(said, parameters, f"check.{name}")
    for key, parameter in parameters.items():
        if key not in said and parameter.default is parameter.empty:
            raise WrongEntry(f"check.{name}.{key}", _words(parameter.annotation), None)
    for key, value in said.items():
        if not _fits(value, parameters[key].annotation):
            raise WrongEntry(f"check.{name}.{key}", _words(parameters[key].annotation), value)
    try:
        re.compile(said.get("regex", ""))
        make(**said)
    except re.error as error:
        raise WrongEntry(f"check.{name}.regex", "a regular expression", said["regex"], str(error)) from error
    except ExtensionError as error:
        raise WrongEntry(f"check.{name}", "selectors", dict(said), str(error)) from error
    return dict(said)


def made_check(name: str, parameters: Mapping[str, Any]) -> Check:
    """The check `name` with valid parameters.

    >>> made_check("required", {"at": "title"})
    Check(name='required', params={'at': 'title'})
    """
    make = _maker_of(name)
    if make is None:
        raise UnknownName(f"unknown check {name!r}")
    return make(**parameters)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _are_texts(value: object) -> bool:
    return is_list(value) and all(map(_is_text, value))


_FORMS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "str": (_is_text, "a string"),
    "At": (_is_text, "a selector"),
    "int": (lambda value: _is_number(value) and isinstance(value, int), "a whole number"),
    "float": (_is_number, "a number"),
    "bool": (lambda value: isinstance(value, bool), "true or false"),
    "list[str]": (_are_texts, "a list of strings"),
    "list[str | None]": (_are_texts, "a list of strings"),
    "list[Any]": (is_list, "a list"),
    "list[list[str]]": (
        lambda value: is_list(value) and all(map(_are_texts, value)),
        "a list of lists of strings",
    ),
    "Kind": (lambda value: value in ("array", "group"), '"array" or "group"'),
    "Base": (lambda value: value in ("group", "root", "parent"), '"group", "root" or "parent"'),
    "Literal['array', 'group']": (lambda value: value in ("array", "group"), '"array" or "group"'),
    "Literal['v2', 'v3']": (lambda value: value in ("v2", "v3"), '"v2" or "v3"'),
}
"""Test and wording for parameters of checks, by the annotation in the check's own function."""


@lru_cache(maxsize=256)
def _options(annotation: str) -> list[str]:
    return [each for each in re.split(r" \| (?![^\[]*\])", annotation) if each != "None"]


def _fits(value: object, annotation: str) -> bool:
    return annotation == "Any" or any(_FORMS[each][0](value) for each in _options(annotation))


def _words(annotation: str) -> str:
    return "a value" if annotation == "Any" else " or ".join(_FORMS[each][1] for each in _options(annotation))


_CONDITIONS: Final = (
    ("has",),
    ("lacks",),
    ("at", "values"),
    ("at", "like"),
    ("kind",),
    ("root",),
    ("above",),
)


def written_condition(said: Any, where: str = "when") -> Condition:
    """`said` as a condition; raise WrongEntry if it isn't one.

    >>> written_condition({"at": "type", "values": ["scale"]})
    {'at': 'type', 'values': ['scale']}
    """
    if not is_dict(said) or tuple(sorted(said)) not in _CONDITIONS:
        expected = (
            "a condition: { has = S }, { lacks = S }, { at = S, values = [...] }, { at = S, like = R }, "
        )
        raise WrongEntry(where, f"{expected}{{ kind = K }}, {{ root = C }} or {{ above = C }}", said)
    for name in ("root", "above"):
        if name in said:
            return {name: written_condition(said[name], f"{where}.{name}")}
    for name, value in said.items():
        fits, words = _PARTS[name]
        if not fits(value):
            raise WrongEntry(f"{where}.{name}", words, value)
    return dict(said)


def is_selector(value: object) -> bool:
    """Whether the value is a selector.

    >>> is_selector("a.b[*]"), is_selector("a["), is_selector(3)
    (True, False, False)
    """
    try:
        return isinstance(value, str) and bool(parse_selector(value))
    except ExtensionError:
        return False


def _is_regex(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(re.compile(value))
    except re.error:
        return False


_PARTS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    **dict.fromkeys(("has", "lacks", "at"), (is_selector, "a selector, such as a.b[*].c")),
    "values": (is_list, "a list"),
    "like": (_is_regex, "a regular expression"),
    "kind": _FORMS["Kind"],
}
