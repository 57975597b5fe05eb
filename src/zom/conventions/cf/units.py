"""Units as far as CF identifies coordinates by them, and UDUNITS if it is installed.

CF 4.1 to 4.3: https://cfconventions.org/cf-conventions/cf-conventions.html#coordinate-types

zom has no table of units. UDUNITS, through the package `cf-units` if installed, decides whether a unit
exists, and whether two units measure the same. (`pyudunits2` 0.1 reads neither "%" nor 49 others of the 583
names in UDUNITS' own tables, and takes 160 ms to decide whether two units convert; cf-units takes 0.01.)
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Final

from zom.checks.check import LACKING, Skip
from zom.packages import import_package
from zom.patterns import compiled_later

__all__ = [
    "DEPRECATED",
    "LATITUDE",
    "LONGITUDE",
    "NOT_CHECKED",
    "VOLUME_RATIOS",
    "asks_udunits",
    "axis_of_units",
    "has_temperature",
    "is_pressure",
    "measures",
    "wrong_units",
]

LATITUDE: Final = frozenset({"degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"})
LONGITUDE: Final = frozenset({"degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"})
DEPRECATED: Final = ("level", "layer", "sigma_level")
"""Units of dimensionless vertical coordinates in COARDS, unknown to UDUNITS."""
_OF_CF: Final = frozenset({"dB"})
"""Units of the standard name table that UDUNITS doesn't know."""
NOT_CHECKED: Final = Skip(f"{LACKING}UDUNITS, which checks units: install it with pip install 'zom[cf]'")
VOLUME_RATIOS: Final = ("ppv", "ppmv", "ppbv", "pptv", "ppqv")

_PRESSURE: Final = compiled_later(
    r"(?:[hkMGmud]|da)?Pa|(?:hecto|kilo|mega|milli|micro)?pascals?|(?:[mdcku]|deci|milli|centi|kilo|micro)?bars?|cb|cbar"
    r"|atm|atmospheres?|standard_atmospheres?|torr|mmHg|millimeters?_Hg|inHg|psi"
)
_TEMPERATURE: Final = re.compile(
    r"[mukM]?K|(?:milli|micro|kilo)?kelvins?|°[CFKR]|deg(?:ree|rees)?_?[CFKR]|(?:deg(?:ree|rees)?_)?(?:celsius|fahrenheit|kelvins?|rankines?)"
    r"|degrees?[CFKR]|℃|℉",
    re.IGNORECASE,
)
_ASCII_TEMPERATURE: Final = re.compile(r"[mukM]?K")


def axis_of_units(units: object) -> str | None:
    """The axis that the units alone identify, or None.

    >>> axis_of_units("degrees_north"), axis_of_units("hPa"), axis_of_units("days since 2000-01-01"), axis_of_units("m")
    ('Y', 'Z', 'T', None)
    """
    if not isinstance(units, str):
        return None
    if units in LATITUDE:
        return "Y"
    if units in LONGITUDE:
        return "X"
    if re.search(r"\ssince\s", units, re.IGNORECASE):
        return "T"
    return "Z" if is_pressure(units) else None


def is_pressure(units: object) -> bool:
    """Whether they are units of pressure as used for vertical axes.

    >>> is_pressure("hPa"), is_pressure("decibar"), is_pressure("m")
    (True, True, False)
    """
    return isinstance(units, str) and _PRESSURE.fullmatch(units.strip()) is not None


def has_temperature(units: object) -> bool:
    """Whether they contain a unit of temperature.

    >>> has_temperature("W m-2 K-1"), has_temperature("degC"), has_temperature("kg")
    (True, True, False)
    """
    if not isinstance(units, str):
        return False
    parts = re.split(r"[\s./*()^]+", units)
    names = (re.sub(r"[-+]?\d+$", "", part) for part in parts)
    return any(
        _ASCII_TEMPERATURE.fullmatch(name) is not None
        or (len(name) > 2 and _TEMPERATURE.fullmatch(name) is not None)
        for name in names
    )


@cache
def _cf_units() -> Any:
    try:
        return import_package("cf_units")
    except ImportError:
        return None


def asks_udunits() -> bool:
    """Whether UDUNITS is available: the package cf-units is installed."""
    return _cf_units() is not None


@lru_cache(maxsize=4096)
def wrong_units(units: str) -> str | None:
    """Why UDUNITS can't read the units; None if it can, or is not available.

    Without the package cf-units, only errors of form are reported: an unknown unit looks like a known one.

    >>> wrong_units("m s-1") is None, wrong_units("kg (m-2")
    (True, 'a parenthesis is not closed')
    """
    if units.count("(") != units.count(")"):
        return "a parenthesis is not closed"
    if re.search(r"[/^*][\s]*[/^]|^\s*[/^*]|[/^*.]\s*$", units):
        return "an operator has no operand"
    if re.search(r"[\[\]{}=<>;&|~\\`?!,]", units):
        return "a character that no unit contains"
    if not asks_udunits() or not units.strip() or units in _OF_CF:
        return None
    found = _unit(units)
    # cf-units has its own names for a missing unit, which UDUNITS doesn't know.
    is_unit = found is not None and not found.is_unknown() and not found.is_no_unit()
    return None if is_unit else "unknown unit"


def _unit(units: str) -> Any:
    """The unit of UDUNITS, or None."""
    try:
        return _cf_units().Unit(units)
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def measures(units: str, like: str) -> bool | None:
    """Whether the units measure the same quantity; None if unknown without cf-units.

    >>> measures("km2", "m2") in {True, None}
    True
    """
    if units == like:
        return True
    if not asks_udunits():
        return None
    one, other = _unit(units), _unit(like)
    return None if one is None or other is None else bool(one.is_convertible(other))
