"""Flags: values and bits with meanings in words: CF 3.5.

https://cfconventions.org/cf-conventions/cf-conventions.html#flags
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.conventions.cf.missing import is_number, representable
from zom.conventions.cf.variable import TYPED, Variable, judged, listed, only
from zom.count import count_of
from zom.json.python_value import is_list
from zom.problems import Path, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS"]


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
    return judged(check, where=TYPED, reach="document")


def _counted(name: str) -> Any:
    def check(variable: Variable) -> Iterator[Breach]:
        words = (variable.text("flag_meanings") or "").split()
        values = listed(variable.attributes[name])
        if len(values) != len(words):
            expected = f"{count_of(len(words), 'value')}, as many as flag_meanings has words"
            yield variable.breach(name, expected, f"{len(values)}: {show(values)}")

    check.__name__ = check.__qualname__ = f"{name}_are_as_many"
    return judged(
        check,
        where=only("flag_meanings is not a string")(lambda v: v.text("flag_meanings") is not None),
        reach="document",
    )


def _distinct(variable: Variable) -> Iterator[Breach]:
    seen: list[Any] = []
    for place, each in enumerate(listed(variable.attributes["flag_values"])):
        if any(each == other and isinstance(each, bool) == isinstance(other, bool) for other in seen):
            yield variable.breach(
                _path(variable, "flag_values", place), "a value that is listed once", f"{show(each)} again"
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
            expected = f"a value with only bits of its mask {mask}"
            yield variable.breach(_path(variable, "flag_values", place), expected, show(value))


CHECKS: Final[Functions] = {
    "flag-values-type": _typed("flag_values"),
    "flag-masks-type": _typed("flag_masks"),
    "flag-values-count": _counted("flag_values"),
    "flag-masks-count": _counted("flag_masks"),
    "flag-masks-not-zero": judged(_nonzero, reach="document"),
    "flag-values-differ": judged(_distinct, reach="document"),
    "flag-values-in-masks": judged(_selected, reach="document"),
}
