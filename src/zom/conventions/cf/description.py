"""The description of variables: units, long name and standard name: CF 3.1 to 3.3.

https://cfconventions.org/cf-conventions/cf-conventions.html#units
https://cfconventions.org/cf-conventions/cf-conventions.html#standard-name
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zom.checks.check import Skip
from zom.conventions.cf.cell_methods import parse_cell_methods
from zom.conventions.cf.time_units import is_reference, parse_time_units
from zom.conventions.cf.units import (
    DEPRECATED,
    LATITUDE,
    LONGITUDE,
    NOT_CHECKED,
    VOLUME_RATIOS,
    asks_udunits,
    axis_of_units,
    has_temperature,
    wrong_units,
)
from zom.conventions.cf.variable import Variable, judged, judged_text, only
from zom.misspelling import meant
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS", "MODIFIERS"]

MODIFIERS: Final = ("detection_minimum", "number_of_observations", "standard_error", "status_flag")
"""The standard name modifiers of Appendix C."""
_OLD_MODIFIERS: Final = ("number_of_observations", "status_flag")
_DIMENSIONAL: Final = frozenset({
    "latitude", "longitude", "grid_latitude", "grid_longitude", "projection_x_coordinate", "projection_y_coordinate",
    "projection_x_angular_coordinate", "projection_y_angular_coordinate", "time", "forecast_reference_time",
    "forecast_period", "height", "altitude", "depth", "air_pressure", "air_temperature", "sea_surface_temperature",
    "sea_water_temperature", "surface_temperature", "precipitation_flux", "eastward_wind", "northward_wind", "wind_speed",
})  # fmt: skip
"""Standard names of quantities with a dimension that are known without a table."""

_DIFFERENCES: Final = frozenset({"range", "standard_deviation", "variance"})


@only("not a quantity that is known to be dimensional")
def _needs_units(variable: Variable) -> bool:
    name = (variable.text("standard_name") or "").split()
    quantity = len(name) == 1 and name[0] in _DIMENSIONAL
    return (quantity or variable.attributes.get("axis") == "T") and not variable.is_boundary


def _units_given(variable: Variable) -> Iterator[Breach]:
    if "units" not in variable.attributes:
        what = variable.text("standard_name") or "an axis T"
        yield variable.breach("units", f"the units of {what}", "nothing")


def _units_empty(variable: Variable, units: str) -> Iterator[Breach]:
    if not units.strip():
        yield variable.breach("units", "units, or '1' for a dimensionless quantity", repr(units))


def _units_known(variable: Variable, units: str) -> Iterable[Breach] | Skip:
    if _is_misspelt(units) is not None:
        return Skip("the rule on the spelling of latitude and longitude reports it")
    why = wrong_units(units)
    if why is not None:
        return (variable.breach("units", "units that UDUNITS recognizes", f"{units!r}: {why}"),)
    return () if asks_udunits() else NOT_CHECKED


_SPELLED_OUT: Final = ("degrees_north", "degrees_east", "degree_north", "degree_east")


def _is_misspelt(units: str) -> str | None:
    """The intended units of latitude or longitude; CF lists their spellings."""
    # The short forms are left out: they differ by one letter from known units such as degrees.
    return None if units in LATITUDE | LONGITUDE else meant(units, _SPELLED_OUT)


def _units_spelt(variable: Variable, units: str) -> Iterator[Breach]:
    near = _is_misspelt(units)
    if near is not None:
        yield variable.breach("units", repr(near), repr(units), fix=f"did you mean {near!r}?")


@only("units of time since a date, or of COARDS")
def _is_for_udunits(variable: Variable) -> bool:
    units = variable.attributes.get("units")
    return units not in DEPRECATED and not is_reference(units)


def _deprecated(variable: Variable, units: str) -> Iterator[Breach]:
    if units in DEPRECATED:
        yield variable.breach("units", "no units, and a standard_name with formula_terms", repr(units))


def _volume_ratio(variable: Variable, units: str) -> Iterator[Breach]:
    if units in VOLUME_RATIOS:
        yield variable.breach(
            "units", "'1' or a number such as 1e-6, as standard_name names the quantity", repr(units)
        )


def _shown(units: object) -> str:
    return repr(units) if isinstance(units, str) else show(units)


def _metadata_fits(variable: Variable, metadata: str) -> Iterator[Breach]:
    units = variable.attributes.get("units")
    if units is None:
        yield variable.breach("units_metadata", "units that it applies to", "no units")
    elif metadata.startswith("temperature:") and not has_temperature(units):
        yield variable.breach("units_metadata", "units with a unit of temperature", _shown(units))
    elif metadata.startswith("leap_seconds:") and not _is_time(units):
        yield variable.breach("units_metadata", "units of time with a reference date", _shown(units))


def _is_time(units: object) -> bool:
    """Whether they are units of time since a date, with any word that UDUNITS accepts for `since`."""
    return isinstance(units, str) and (
        axis_of_units(units) == "T" or not isinstance(parse_time_units(units), str)
    )


@only("not a difference of temperatures")
def _is_difference(variable: Variable) -> bool:
    if not has_temperature(variable.attributes.get("units")):
        return False
    if "standard_error" in (variable.text("standard_name") or "").split()[1:]:
        return True
    methods = parse_cell_methods(variable.text("cell_methods") or "")
    return not isinstance(methods, str) and any(each.method in _DIFFERENCES for each in methods)


def _difference(variable: Variable, metadata: str) -> Iterator[Breach]:
    if metadata != "temperature: difference":
        yield variable.breach("units_metadata", "'temperature: difference'", repr(metadata))


def _temperature_metadata(variable: Variable) -> Iterator[Breach]:
    if "units_metadata" not in variable.attributes:
        yield variable.breach(
            "units_metadata",
            "'temperature: on_scale', 'temperature: difference' or 'temperature: unknown'",
            "nothing",
        )


@only("no units of temperature")
def _is_temperature(variable: Variable) -> bool:
    return has_temperature(variable.attributes.get("units"))


def _described(variable: Variable) -> Iterator[Breach]:
    if "long_name" not in variable.attributes and "standard_name" not in variable.attributes:
        yield variable.breach("long_name", "a long_name or a standard_name", "neither")


@only("neither data nor coordinates")
def _is_described(variable: Variable) -> bool:
    is_coordinate = variable.is_coordinate and "compress" not in variable.attributes
    return variable.is_data or is_coordinate or variable.is_auxiliary


def _name_spelt(variable: Variable, name: str) -> Iterator[Breach]:
    quantity = (name.split() or [""])[0]
    near = None if quantity in _DIMENSIONAL else meant(quantity, _DIMENSIONAL)
    if near is not None:
        yield variable.breach("standard_name", repr(near), repr(name), fix=f"did you mean {near!r}?")


def _modifier(variable: Variable, name: str) -> Iterator[Breach]:
    modifier = name.split()[1]
    if modifier not in MODIFIERS:
        yield variable.breach("standard_name", f"a modifier: {', '.join(MODIFIERS)}", repr(modifier))


def _old_modifier(variable: Variable, name: str) -> Iterator[Breach]:
    modifier = name.split()[1]
    if modifier in _OLD_MODIFIERS:
        yield variable.breach("standard_name", f"the standard name {modifier!r}", f"the modifier in {name!r}")


@only("no modifier")
def _has_modifier(variable: Variable) -> bool:
    return re.fullmatch(r"\S+\s+\S+", (variable.text("standard_name") or "").strip()) is not None


CHECKS: Final[Functions] = {
    "units-given": judged(_units_given, where=_needs_units),
    "units-not-empty": judged_text(_units_empty, "units", reach="document"),
    "units-known": judged_text(
        _units_known,
        "units",
        where=_is_for_udunits,
        reach="document",
    ),
    "units-spelling": judged_text(_units_spelt, "units", reach="document"),
    "units-deprecated": judged_text(_deprecated, "units", reach="document"),
    "units-volume-ratio": judged_text(_volume_ratio, "units", reach="document"),
    "units-metadata-fits": judged_text(_metadata_fits, "units_metadata", reach="document"),
    "units-metadata-difference": judged_text(
        _difference,
        "units_metadata",
        where=_is_difference,
        reach="document",
    ),
    "units-metadata-of-temperature": judged(_temperature_metadata, where=_is_temperature, reach="document"),
    "described": judged(_described, where=_is_described),
    "standard-name-spelling": judged_text(_name_spelt, "standard_name", reach="document"),
    "standard-name-modifier": judged_text(_modifier, "standard_name", where=_has_modifier, reach="document"),
    "standard-name-modifier-deprecated": judged_text(
        _old_modifier, "standard_name", where=_has_modifier, reach="document"
    ),
}
