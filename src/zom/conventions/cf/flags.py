"""Flags: values and bits that stand for words: CF 3.5.

https://cfconventions.org/cf-conventions/cf-conventions.html#flags
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.checked_rule import CheckedRule, has
from zom.checks.values import any_of, one_of, pattern, required
from zom.conventions.cf.missing import is_number, representable
from zom.conventions.cf.variable import INTEGERS, Variable, judged, listed, section
from zom.json.python_value import is_list
from zom.problems import Path, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach

__all__ = ["RULES"]

_LINK = section("flags")


def _path(variable: Variable, name: str, place: int) -> Path:
    return ("attributes", name, place) if is_list(variable.attributes[name]) else ("attributes", name)


def _typed(name: str) -> Any:
    def check(variable: Variable) -> Iterator[Breach]:
        for place, each in enumerate(listed(variable.attributes[name])):
            if not representable(each, variable.dtype):
                yield variable.breach(
                    _path(variable, name, place), f"a value of the type {variable.dtype}", show(each)
                )

    check.__name__ = check.__qualname__ = f"{name}_have_the_type"
    return judged(
        check, where=lambda v: v.dtype is not None, otherwise="the data type is not known", reach="document"
    )


def _counted(name: str) -> Any:
    def check(variable: Variable) -> Iterator[Breach]:
        words = (variable.text("flag_meanings") or "").split()
        values = listed(variable.attributes[name])
        if len(values) != len(words):
            expected = f"{len(words)} values, as many as flag_meanings has words"
            yield variable.breach(name, expected, f"{len(values)}: {show(values)}")

    check.__name__ = check.__qualname__ = f"{name}_are_as_many"
    return judged(
        check,
        where=lambda v: v.text("flag_meanings") is not None,
        otherwise="flag_meanings is no text",
        reach="document",
    )


def _distinct(variable: Variable) -> Iterator[Breach]:
    seen: list[Any] = []
    for place, each in enumerate(listed(variable.attributes["flag_values"])):
        if any(each == other and isinstance(each, bool) == isinstance(other, bool) for other in seen):
            yield variable.breach(
                _path(variable, "flag_values", place), "a value that stands there once", f"{show(each)} again"
            )
        seen.append(each)


def _nonzero(variable: Variable) -> Iterator[Breach]:
    for place, each in enumerate(listed(variable.attributes["flag_masks"])):
        if is_number(each) and each == 0:
            yield variable.breach(
                _path(variable, "flag_masks", place), "a mask with at least one bit", show(each)
            )


def _selected(variable: Variable) -> Iterator[Breach]:
    values, masks = (listed(variable.attributes[name]) for name in ("flag_values", "flag_masks"))
    for place, (value, mask) in enumerate(zip(values, masks, strict=False)):
        whole = isinstance(value, int) and isinstance(mask, int)
        if whole and value & mask != value:
            expected = f"a value of bits that its mask {mask} has"
            yield variable.breach(_path(variable, "flag_values", place), expected, show(value))


RULES: Final = (
    CheckedRule(
        "flag-values-type",
        _typed("flag_values"),
        must="flag_values have the type of their variable",
        fix="write values that the data type of the variable has, as a list of numbers",
        link=_LINK,
        on="array",
        each="flag_values",
    ),
    CheckedRule(
        "flag-masks-type",
        _typed("flag_masks"),
        must="flag_masks have the type of their variable",
        fix="write masks that the data type of the variable has, as a list of integers",
        link=_LINK,
        on="array",
        each="flag_masks",
    ),
    CheckedRule(
        "flag-masks-variable",
        one_of([*INTEGERS, "null_terminated_bytes"], at="@dtype"),
        must="a variable with flag_masks is of integers or characters",
        fix="store the flags as integers",
        link=_LINK,
        on="array",
        each="flag_masks",
    ),
    CheckedRule(
        "flag-values-need-meanings",
        required("flag_meanings"),
        must="where there are flag_values, there are flag_meanings",
        fix="add flag_meanings, a word for each value",
        link=_LINK,
        on="array",
        each="flag_values",
    ),
    CheckedRule(
        "flag-masks-need-meanings",
        required("flag_meanings"),
        must="where there are flag_masks, there are flag_meanings",
        fix="add flag_meanings, a word for each mask",
        link=_LINK,
        on="array",
        each="flag_masks",
    ),
    CheckedRule(
        "flag-meanings-need-values",
        any_of(["flag_values", "flag_masks"]),
        must="where there are flag_meanings, there are flag_values or flag_masks",
        fix="add flag_values, a value for each word",
        link=_LINK,
        on="array",
        when=(has("flag_meanings"),),
    ),
    CheckedRule(
        "flag-meanings",
        pattern(r"\s*[A-Za-z0-9_.+@-]+(\s+[A-Za-z0-9_.+@-]+)*\s*", at="flag_meanings"),
        must="flag_meanings are words, separated by blanks, of letters, digits, and _ - . + @",
        fix="join the words of a phrase by underscores, and separate phrases by blanks, not by commas",
        link=_LINK,
        on="array",
    ),
    CheckedRule(
        "flag-values-count",
        _counted("flag_values"),
        must="there are as many flag_values as words in flag_meanings",
        fix="give each value one word; join the words of a phrase by underscores",
        link=_LINK,
        on="array",
        each="flag_values",
    ),
    CheckedRule(
        "flag-masks-count",
        _counted("flag_masks"),
        must="there are as many flag_masks as words in flag_meanings",
        fix="give each mask one word; join the words of a phrase by underscores",
        link=_LINK,
        on="array",
        each="flag_masks",
    ),
    CheckedRule(
        "flag-masks-not-zero",
        judged(_nonzero, reach="document"),
        must="flag_masks are not zero",
        fix="write the bits that the flag has",
        link=_LINK,
        on="array",
        each="flag_masks",
    ),
    CheckedRule(
        "flag-values-differ",
        judged(_distinct, reach="document"),
        must="flag_values are all different",
        fix="give each meaning a value of its own",
        link=_LINK,
        on="array",
        each="flag_values",
    ),
    CheckedRule(
        "flag-values-in-masks",
        judged(_selected, reach="document"),
        should="a value has no bits but those of its mask",
        fix="add the bits to the mask",
        link=_LINK,
        on="array",
        when=(has("flag_values"), has("flag_masks")),
    ),
)
