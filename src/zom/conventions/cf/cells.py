"""Cells: their measures, and the methods that the values were made with: CF 7.2 and 7.3.

https://cfconventions.org/cf-conventions/cf-conventions.html#cell-measures
https://cfconventions.org/cf-conventions/cf-conventions.html#cell-methods
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from zom.conventions.cf.cell_methods import METHODS, CellMethod, parse_cell_methods
from zom.conventions.cf.coordinates import uncompressed
from zom.conventions.cf.dataset import naming
from zom.conventions.cf.units import NOT_CHECKED, asks_udunits, measures
from zom.conventions.cf.variable import Variable, judged, judged_text, only
from zom.conventions.cf.words import pairs
from zom.extension.registry import did_you_mean, near

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.checks.check import Breach, Skip
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS"]

_UNITS: Final = {"area": "m2", "volume": "m3"}
_STANDARD: Final = frozenset({
    "time", "latitude", "longitude", "height", "altitude", "depth", "air_pressure", "area", "region", "realization",
    "forecast_period", "forecast_reference_time", "projection_x_coordinate", "projection_y_coordinate", "grid_latitude",
    "grid_longitude", "model_level_number", "radiation_wavelength", "radiation_frequency", "area_type",
})  # fmt: skip
"""Standard names that methods may refer to without a coordinate of that name."""

_BOUNDS: Final = frozenset({"bounds", "climatology"})


def _form(variable: Variable, text: str) -> Iterator[Breach]:
    if pairs(text) is None:
        yield variable.breach("cell_measures", "pairs 'area: variable' or 'volume: variable'", repr(text))


def _measure(variable: Variable, text: str) -> Iterator[Breach]:
    for measure, _ in pairs(text) or ():
        if measure not in _UNITS:
            fix = did_you_mean(near(measure, _UNITS))
            yield variable.breach("cell_measures", "area or volume", repr(measure), fix=fix)


def _exist(variable: Variable, text: str) -> Iterator[Breach]:
    for _, word in pairs(text) or ():
        if variable.is_missing(word) and word not in variable.dataset.external:
            yield variable.unknown("cell_measures", word)


def _dimensions(variable: Variable, text: str) -> Iterator[Breach]:
    allowed = uncompressed(variable)
    for _, word in pairs(text) or ():
        node = variable.variable(word)
        if node is not None and any(dim not in allowed for dim in node.dims or ()):
            names = ", ".join(map(str, variable.dims or ()))
            expected = f"a variable with the dimensions {names}, or some of them"
            expected = expected if names else f"a variable without dimensions, like {variable.name!r}"
            found = f"{word!r} of {', '.join(map(str, node.dims or ()))}"
            yield variable.breach("cell_measures", expected, found, related=[node])


def _units(variable: Variable, text: str) -> Iterable[Breach] | Skip:
    found = tuple(_wrong_units(variable, text))
    nodes = [(measure, variable.variable(word)) for measure, word in pairs(text) or ()]
    asked = [
        measures(str(node.attributes.get("units")), _UNITS[measure])
        for measure, node in nodes
        if node is not None and measure in _UNITS
    ]
    return NOT_CHECKED if not found and None in asked and not asks_udunits() else found


def _wrong_units(variable: Variable, text: str) -> Iterator[Breach]:
    for measure, word in pairs(text) or ():
        node = variable.variable(word)
        if node is None or measure not in _UNITS:
            continue
        units = node.attributes.get("units")
        wrong = not isinstance(units, str) or measures(units, _UNITS[measure]) is False
        if wrong:
            expected = f"a variable in units such as {_UNITS[measure]} for {measure}"
            found = f"{word!r} in {units!r}" if isinstance(units, str) else f"{word!r} without units"
            place = (node.path, ("attributes", "units"))
            yield variable.breach("cell_measures", expected, found, related=[node], copied=place)


def _parsed(variable: Variable) -> tuple[CellMethod, ...]:
    found = parse_cell_methods(variable.text("cell_methods") or "")
    return () if isinstance(found, str) else found


def _grammar(variable: Variable, text: str) -> Iterator[Breach]:
    found = parse_cell_methods(text)
    if isinstance(found, str):
        yield variable.breach(
            "cell_methods", "'dimension: method ...', as in 'time: mean'", f"{text!r}: {found}"
        )


def _known(variable: Variable) -> Iterator[Breach]:
    for each in _parsed(variable):
        if each.method not in METHODS:
            fix = did_you_mean(near(each.method, METHODS))
            yield variable.breach("cell_methods", "a method of Appendix E", repr(each.method), fix=fix)


def _names(variable: Variable) -> Iterator[Breach]:
    """Report a name only if it nearly matches an existing one, or can't be a standard name by its form.

    Any name of the standard name table is allowed here, and zom does not include that table.
    """
    coordinates = variable.coordinates
    for each in _parsed(variable):
        for dim in each.dims:
            if dim in _STANDARD or dim in (variable.dims or ()) or dim in coordinates.by_name:
                continue
            known = {*map(str, variable.dims or ()), *(one.name for one in coordinates.named), "area"}
            close = _close(dim, known | _STANDARD)
            if close or re.fullmatch("[a-z][a-z0-9_]*", dim) is None:
                expected = (
                    f"a dimension, a scalar coordinate, a standard name or area: {', '.join(sorted(known))}"
                )
                yield variable.breach("cell_methods", expected, repr(dim), fix=did_you_mean(close))


def _close(dim: str, known: set[str]) -> list[str]:
    from difflib import get_close_matches  # noqa: PLC0415 - only for mistakes

    return get_close_matches(dim, sorted(known), 2, 0.75)


def _once(variable: Variable) -> Iterator[Breach]:
    parsed = _parsed(variable)
    climatic = {dim for each in parsed if each.climate for dim in each.dims}
    # An anomaly repeats the dimensions of its norm, in addition to those of other methods.
    counted = (dim for each in parsed if each.norm is None for dim in each.dims)
    for dim, count in Counter(counted).items():
        if count > 1 and dim not in climatic:
            yield variable.breach("cell_methods", f"one method for {dim!r}", f"{count}")


def _climate(variable: Variable) -> Iterator[Breach]:
    for each in _parsed(variable):
        if each.climate and not any("climatology" in one.attributes for one in variable.coordinates.all):
            words = " ".join(each.climate[0])
            yield variable.breach(
                "cell_methods", "a time coordinate with climatology", f"{words!r} without one"
            )


@only("no method within or over days or years")
def _has_climate(variable: Variable) -> bool:
    return any(each.climate for each in _parsed(variable))


def _intervals(variable: Variable) -> Iterator[Breach]:
    for each in _parsed(variable):
        if len(each.intervals) not in {0, 1, len(each.dims)}:
            expected = f"1 interval, or {len(each.dims)}, one for each dimension"
            yield variable.breach(
                "cell_methods", expected, f"{len(each.intervals)} for {': '.join(each.dims)}:"
            )
        elif each.wrong_interval is not None:
            yield variable.breach("cell_methods", "'interval: <number> <unit>'", repr(each.wrong_interval))


@only("no intervals")
def _has_intervals(variable: Variable) -> bool:
    return any(each.intervals for each in _parsed(variable))


def _given(variable: Variable) -> Iterator[Breach]:
    said = {dim for each in _parsed(variable) for dim in each.dims}
    missing: list[str] = []
    for each in variable.coordinates.on_axes:
        names = (each.name, each.text("standard_name"), "area" if each.axis in {"X", "Y"} else None)
        if (each.is_coordinate or each.shape == ()) and said.isdisjoint(names):
            missing.append(each.name)
    if missing:
        found = (
            "no cell_methods"
            if "cell_methods" not in variable.attributes
            else repr(variable.attributes["cell_methods"])
        )
        yield variable.breach("cell_methods", f"a method for {', '.join(missing)}", found)


@only("not data with spatiotemporal coordinates")
def _has_axes(variable: Variable) -> bool:
    usable = "cell_methods" not in variable.attributes or bool(_parsed(variable))
    return usable and variable.is_data and not variable.is_text and bool(variable.coordinates.on_axes)


def _bounds(variable: Variable) -> Iterator[Breach]:
    for each in _parsed(variable):
        for dim in each.dims if each.method != "point" else ():
            found = variable.coordinates.by_name.get(dim)
            if found is None or found.is_text or not _BOUNDS.isdisjoint(naming(found.node)):
                continue
            if found.text("standard_name") == "healpix_index":
                continue  # the index of a cell determines its bounds
            yield variable.breach(
                "cell_methods",
                f"bounds of {found.name!r}, which has the method {each.method}",
                "none",
                related=[found.node],
            )


CHECKS: Final[Functions] = {
    "cell-measures": judged_text(_form, "cell_measures", reach="document"),
    "cell-measures-measure": judged_text(
        _measure,
        "cell_measures",
        where=only("no pairs")(lambda v: bool(pairs(v.text("cell_measures") or ""))),
        reach="document",
    ),
    "cell-measures-exist": judged_text(_exist, "cell_measures"),
    "cell-measures-dimensions": judged_text(
        _dimensions, "cell_measures", where=only("a domain variable")(lambda v: not v.is_domain)
    ),
    "cell-measures-units": judged_text(_units, "cell_measures"),
    "cell-methods": judged_text(_grammar, "cell_methods", reach="document"),
    "cell-methods-known": judged(_known, about="cell_methods", reach="document"),
    "cell-methods-names": judged(_names, about="cell_methods"),
    "cell-methods-once": judged(_once, about="cell_methods", reach="document"),
    "cell-methods-climatology": judged(_climate, about="cell_methods", where=_has_climate),
    "cell-methods-intervals": judged(
        _intervals, about="cell_methods", where=_has_intervals, reach="document"
    ),
    "cell-methods-given": judged(_given, where=_has_axes),
    "cell-methods-bounds": judged(_bounds, about="cell_methods"),
}
