"""Boundary and climatology variables: CF 7.1 and 7.4.

https://cfconventions.org/cf-conventions/cf-conventions.html#cell-boundaries
https://cfconventions.org/cf-conventions/cf-conventions.html#climatological-statistics
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.values import equal
from zom.conventions.cf.missing import without_fill, without_nan_fill
from zom.conventions.cf.naming import names_one
from zom.conventions.cf.time_units import is_reference
from zom.conventions.cf.variable import NUMBERS, Variable, judged, judged_text, only
from zom.conventions.cf.words import pairs
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS", "INHERITED"]

INHERITED: Final = (
    "axis", "calendar", "cf_role", "computed_standard_name", "leap_month", "leap_year", "long_name", "month_lengths",
    "positive", "standard_name", "units", "units_metadata",
)  # fmt: skip
"""The attributes marked "BI" in Appendix A: a boundary variable has them from its parent."""

_INHERITED_BEFORE: Final = (
    "axis", "calendar", "leap_month", "leap_year", "month_lengths", "positive", "standard_name", "units",
)  # fmt: skip
"""The attributes that had to agree before CF 1.11 marked them so (issue 265): `long_name` could differ."""


def _dims(variable: Variable) -> str:
    return "(" + ", ".join(map(str, variable.dims or ())) + ")"


def _dimensions(name: str) -> Any:
    def check(variable: Variable, text: str) -> Iterator[Breach]:
        node = variable.variable(text.strip())
        if node is None or node.dims is None or variable.dims is None:
            return
        dims = variable.dims[:-1] if variable.is_char else variable.dims
        if node.dims[:-1] != dims or len(node.dims) != len(dims) + 1:
            expected = f"a variable with the dimensions {_dims(variable)} followed by one more"
            yield variable.breach(
                name, expected, f"{text.strip()!r} of {_dims(variable.of(node))}", related=[node]
            )

    check.__name__ = check.__qualname__ = f"{name}_dimensions"
    return judged_text(check, name)


def _vertices(variable: Variable, text: str) -> Iterator[Breach]:
    node = variable.variable(text.strip())
    rank = variable.node.ndim
    if node is None or not node.shape or rank is None or len(node.shape) != rank + 1:
        return
    size = node.shape[-1]
    if (rank == 1 and size != 2) or (rank > 1 and size < 3):
        expected = "2 vertices for each cell" if rank == 1 else "at least 3 vertices for each cell"
        yield variable.breach("bounds", expected, f"{text.strip()!r} with {size}", related=[node])


def _two(variable: Variable, text: str) -> Iterator[Breach]:
    node = variable.variable(text.strip())
    if node is not None and node.shape and node.shape[-1] != 2:
        yield variable.breach(
            "climatology", "a last dimension of 2", f"{text.strip()!r} with {node.shape[-1]}", related=[node]
        )


def _numeric(name: str) -> Any:
    def check(variable: Variable, text: str) -> Iterator[Breach]:
        node = variable.variable(text.strip())
        if node is not None and node.dtype is not None and node.dtype not in NUMBERS:
            yield variable.breach(
                name, "a numeric variable", f"{text.strip()!r} of {node.dtype}", related=[node]
            )

    check.__name__ = check.__qualname__ = f"{name}_is_numeric"
    return judged_text(check, name)


def _agreeing(variable: Variable) -> tuple[str, ...]:
    """The attributes that a boundary variable has from its parent, in the dataset's version of CF."""
    return INHERITED if variable.dataset.version >= (1, 11) else _INHERITED_BEFORE


def _inherited(variable: Variable) -> Iterator[Breach]:
    for parent in variable.dataset.named(variable.node, "bounds", "bounds_tie_points"):
        for name in _agreeing(variable):
            if name not in variable.attributes:
                continue
            found = variable.attributes[name]
            if name not in parent.attributes:
                yield variable.breach(
                    name, f"no {name}, as {parent.path} has none", show(found), related=[parent]
                )
            elif not equal(found, parent.attributes[name]):
                expected = f"{show(parent.attributes[name])}, as in {parent.path}"
                yield variable.breach(name, expected, show(found), related=[parent])


@only("not a boundary variable")
def _is_bounds(variable: Variable) -> bool:
    return variable.is_named("bounds", "bounds_tie_points")


def _bare(variable: Variable) -> Iterator[Breach]:
    for name in _agreeing(variable):
        if name in variable.attributes:
            yield variable.breach(name, f"no {name} on a boundary variable", show(variable.attributes[name]))


def _formula(variable: Variable) -> Iterator[Breach]:
    for parent in variable.dataset.named(variable.node, "bounds"):
        terms = parent.attributes.get("formula_terms")
        if isinstance(terms, str) and "formula_terms" not in variable.attributes:
            expected = f"formula_terms, because {parent.path} has them"
            yield variable.breach("formula_terms", expected, "nothing", related=[parent])


def _same_terms(variable: Variable, text: str) -> Iterator[Breach]:
    own = dict(pairs(text) or ())
    for parent in variable.dataset.named(variable.node, "bounds"):
        above = dict(pairs(str(parent.attributes.get("formula_terms"))) or ())
        if not own or not above:
            continue
        if {term.lower() for term in own} != {term.lower() for term in above}:
            expected = f"the terms of {parent.path}: {', '.join(above)}"
            yield variable.breach("formula_terms", expected, ", ".join(own), related=[parent])
            continue
        for term, word in own.items():
            node = variable.of(parent).variable(above.get(term, ""))
            vertical = node is not None and parent.name in (node.dims or ())
            if node is not None and vertical == (word == above[term]):
                expected = f"bounds of {above[term]!r}" if vertical else repr(above[term])
                yield variable.breach(
                    "formula_terms", f"{term}: {expected}", repr(f"{term}: {word}"), related=[parent, node]
                )


@only("not the bounds of a parametric vertical coordinate")
def _parent_has_terms(variable: Variable) -> bool:
    parents = variable.dataset.named(variable.node, "bounds")
    return any(isinstance(parent.attributes.get("formula_terms"), str) for parent in parents)


def _time(variable: Variable) -> Iterator[Breach]:
    units = variable.attributes.get("units")
    if not is_reference(units):
        yield variable.breach(
            "climatology", "climatology on a coordinate of time since a date", f"units {show(units)}"
        )


def _agrees(variable: Variable) -> Iterator[Breach]:
    for parent in variable.dataset.named(variable.node, "climatology"):
        for name in ("units", "standard_name", "calendar"):
            found = variable.attributes.get(name)
            if name in variable.attributes and not equal(found, parent.attributes.get(name)):
                expected = f"{show(parent.attributes.get(name))}, as in {parent.path}"
                yield variable.breach(name, expected, show(found), related=[parent])


@only("not a climatology variable")
def _is_climatology(variable: Variable) -> bool:
    return variable.is_named("climatology")


def _of_climatology(check: Callable[[Variable], Iterator[Breach]]) -> Any:
    return judged(check, where=_is_climatology)


CHECKS: Final[Functions] = {
    "bounds-exist": names_one("bounds"),
    "bounds-dimensions": _dimensions("bounds"),
    "bounds-vertices": judged_text(_vertices, "bounds"),
    "bounds-numeric": _numeric("bounds"),
    "bounds-attributes": judged(_inherited, where=_is_bounds),
    "bounds-bare": judged(_bare, where=_is_bounds),
    "bounds-formula-terms": judged(_formula, where=_parent_has_terms),
    "bounds-formula-terms-agree": judged_text(
        _same_terms,
        "formula_terms",
        where=_parent_has_terms,
    ),
    "climatology-of-time": judged(_time, about="climatology", reach="document"),
    "climatology-exists": names_one("climatology"),
    "climatology-dimensions": _dimensions("climatology"),
    "climatology-vertices": judged_text(_two, "climatology"),
    "climatology-numeric": _numeric("climatology"),
    "climatology-attributes": _of_climatology(_agrees),
    "climatology-without-fill": _of_climatology(without_fill("bounds are never missing")),
    "climatology-without-nan-fill": _of_climatology(without_nan_fill),
}
