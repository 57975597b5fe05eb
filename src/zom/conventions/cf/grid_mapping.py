"""Grid mappings: how horizontal coordinates relate to the Earth: CF 5.6 and Appendix F.

https://cfconventions.org/cf-conventions/cf-conventions.html#grid-mappings-and-projections
https://cfconventions.org/cf-conventions/cf-conventions.html#appendix-grid-mappings
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zom.conventions.cf.missing import is_number
from zom.conventions.cf.naming import names_each
from zom.conventions.cf.variable import Variable, judged, judged_text, listed, only
from zom.conventions.cf.words import VocabularyEntry, entries
from zom.patterns import compiled_later
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS", "MAPPINGS", "PARAMETERS"]

_CENTRE: Final = (("longitude_of_central_meridian",), ("latitude_of_projection_origin",))
_ORIGIN: Final = (("longitude_of_projection_origin",), ("latitude_of_projection_origin",))
_STEREO: Final = ("longitude_of_projection_origin", "straight_vertical_longitude_from_pole")
_EITHER: Final = ("standard_parallel", "scale_factor_at_projection_origin")

MAPPINGS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "albers_conical_equal_area": (("standard_parallel",), *_CENTRE),
    "azimuthal_equidistant": _ORIGIN,
    "geostationary": (*_ORIGIN, ("perspective_point_height",), ("sweep_angle_axis", "fixed_angle_axis")),
    "healpix": (("indexing_scheme",),),
    "lambert_azimuthal_equal_area": _ORIGIN,
    "lambert_conformal_conic": (("standard_parallel",), *_CENTRE),
    "lambert_cylindrical_equal_area": (("longitude_of_central_meridian",), _EITHER),
    "latitude_longitude": (),
    "mercator": (("longitude_of_projection_origin",), _EITHER),
    "oblique_mercator": (("azimuth_of_central_line",), *_ORIGIN, ("scale_factor_at_projection_origin",)),
    "orthographic": _ORIGIN,
    "polar_stereographic": (_STEREO, ("latitude_of_projection_origin",), _EITHER),
    "rotated_latitude_longitude": (("grid_north_pole_latitude",), ("grid_north_pole_longitude",)),
    "sinusoidal": (("longitude_of_projection_origin",),),
    "stereographic": (*_ORIGIN, ("scale_factor_at_projection_origin",)),
    "transverse_mercator": (("scale_factor_at_central_meridian",), *_CENTRE),
    "vertical_perspective": (*_ORIGIN, ("perspective_point_height",)),
}
"""The grid mappings of Appendix F with their required parameters: one out of each tuple."""

_TEXTS: Final = (
    "crs_wkt", "fixed_angle_axis", "geographic_crs_name", "geoid_name", "geopotential_datum_name", "grid_mapping_name",
    "horizontal_datum_name", "indexing_scheme", "prime_meridian_name", "projected_crs_name", "reference_ellipsoid_name",
    "sweep_angle_axis",
)  # fmt: skip
PARAMETERS: Final[dict[str, tuple[float | None, float | None]]] = {
    "azimuth_of_central_line": (None, None),
    "earth_radius": (None, None),
    "false_easting": (None, None),
    "false_northing": (None, None),
    "grid_north_pole_latitude": (None, None),
    "grid_north_pole_longitude": (None, None),
    "inverse_flattening": (None, None),
    "latitude_of_projection_origin": (-90, 90),
    "longitude_of_central_meridian": (-180, 180),
    "longitude_of_prime_meridian": (-180, 180),
    "longitude_of_projection_origin": (-180, 180),
    "north_pole_grid_longitude": (None, None),
    "perspective_point_height": (None, None),
    "refinement_level": (None, None),
    "scale_factor_at_central_meridian": (0, None),
    "scale_factor_at_projection_origin": (0, None),
    "semi_major_axis": (None, None),
    "semi_minor_axis": (None, None),
    "standard_parallel": (-90, 90),
    "straight_vertical_longitude_from_pole": (-180, 180),
    "towgs84": (None, None),
}
"""The numeric attributes of Table F.1, with the limits of their domains."""
_COUNTS: Final = {"standard_parallel": (1, 2), "towgs84": (3, 6, 7)}
_ALL_OR_NONE: Final = (
    "reference_ellipsoid_name",
    "prime_meridian_name",
    "horizontal_datum_name",
    "geographic_crs_name",
)
_WKT: Final = compiled_later(
    r"\s*(?:GEODCRS|GEODETICCRS|GEOGCRS|GEOGRAPHICCRS|PROJCRS|PROJECTEDCRS|VERTCRS|VERTICALCRS|ENGCRS|ENGINEERINGCRS"
    r"|IMAGECRS|PARAMETRICCRS|TIMECRS|COMPOUNDCRS|BOUNDCRS|DERIVEDPROJCRS"
    r"|GEOGCS|PROJCS|GEOCCS|VERT_CS|COMPD_CS|LOCAL_CS)\s*\[.*\]\s*",
    re.DOTALL,
)


def _mappings(text: str) -> list[VocabularyEntry] | None:
    words = text.split()
    if len(words) == 1 and ":" not in text:
        return [VocabularyEntry((words[0],), ())]
    found = entries(text)
    return None if found is None or any(len(each.keys) != 1 for each in found) else found


def _form(variable: Variable, text: str) -> Iterator[Breach]:
    if _mappings(text) is None:
        yield variable.breach(
            "grid_mapping", "the name of a variable, or 'mapping: coordinate coordinate ...'", repr(text)
        )


def _coordinates(variable: Variable, text: str) -> Iterator[Breach]:
    own = {each.node for each in variable.coordinates.all}
    for each in _mappings(text) or ():
        for word in each.words:
            node = variable.variable(word)
            if variable.is_missing(word):
                yield variable.unknown("grid_mapping", word)
            elif node is not None and node not in own and not variable.of(node).is_coordinate:
                expected = "coordinate variables, or coordinates that the attribute coordinates names"
                yield variable.breach("grid_mapping", expected, repr(word), related=[node])


@only("grid_mapping names no coordinates")
def _has_coordinates(variable: Variable) -> bool:
    return any(each.words for each in _mappings(variable.text("grid_mapping") or "") or ())


def _named(variable: Variable) -> Iterator[Breach]:
    if "grid_mapping_name" not in variable.attributes:
        users = variable.dataset.named(variable.node, "grid_mapping")
        yield variable.breach("grid_mapping_name", "the name of a grid mapping", "nothing", related=users[:4])


@only("not a grid mapping")
def _is_mapping(variable: Variable) -> bool:
    return variable.is_named("grid_mapping")


def _types(variable: Variable) -> Iterator[Breach]:
    for name, value in variable.attributes.items():
        if name in _TEXTS and not isinstance(value, str):
            yield variable.breach(name, "a string", show(value))
        elif name in PARAMETERS and not all(map(is_number, listed(value))):
            yield variable.breach(name, "a number", show(value))


def _counted(variable: Variable) -> Iterator[Breach]:
    for name in PARAMETERS:
        if name in variable.attributes:
            value, counts = variable.attributes[name], _COUNTS.get(name, (1,))
            if len(listed(value)) not in counts:
                yield variable.breach(
                    name, f"{' or '.join(map(str, counts))} values", f"{len(listed(value))}: {show(value)}"
                )


def _needed(variable: Variable, mapping: str) -> Iterator[Breach]:
    for choice in MAPPINGS.get(mapping, ()):
        if not any(name in variable.attributes for name in choice):
            yield variable.breach(choice[0], f"{' or '.join(choice)}, which {mapping} needs", "nothing")


def _ranges(variable: Variable) -> Iterator[Breach]:
    for name, (low, high) in PARAMETERS.items():
        value: Any = variable.attributes.get(name)
        for each in listed(value):
            if not is_number(each) or (low is None and high is None):
                continue
            if high is None:
                if each <= 0:
                    yield variable.breach(name, "a number above 0", show(each))
            elif low is not None and not (low <= each < high or (high == 90 and each == 90)):
                yield variable.breach(name, f"a number from {low} to {high}", show(each))


def _all_names(variable: Variable) -> Iterator[Breach]:
    missing = [name for name in _ALL_OR_NONE if name not in variable.attributes]
    if missing and len(missing) < len(_ALL_OR_NONE):
        for name in missing:
            yield variable.breach(name, f"all of {', '.join(_ALL_OR_NONE)}, or none", "nothing")


@only("none of these names")
def _has_names(variable: Variable) -> bool:
    return any(name in variable.attributes for name in _ALL_OR_NONE)


def _projected(variable: Variable) -> Iterator[Breach]:
    if "geographic_crs_name" not in variable.attributes:
        yield variable.breach(
            "geographic_crs_name", "a geographic_crs_name in addition to projected_crs_name", "nothing"
        )


def _wkt(variable: Variable, text: str) -> Iterator[Breach]:
    plain = re.sub(r'"(?:[^"]|"")*"', "", text)
    if _WKT.fullmatch(text) is None or plain.count("[") != plain.count("]") or '"' in plain:
        found = repr(text if len(text) < 60 else f"{text[:57]}...")
        yield variable.breach(
            "crs_wkt", "the well-known text of a coordinate reference system: KEYWORD[...]", found
        )


def _scalar(variable: Variable) -> Iterator[Breach]:
    if variable.shape:
        yield variable.breach(("shape",), "no dimensions", show(list(variable.shape)))


CHECKS: Final[Functions] = {
    "grid-mapping": judged_text(_form, "grid_mapping", reach="document"),
    "grid-mapping-exists": names_each(
        "grid_mapping", lambda text: [each.keys[0] for each in _mappings(text) or ()]
    ),
    "grid-mapping-coordinates": judged_text(_coordinates, "grid_mapping", where=_has_coordinates),
    "grid-mapping-named": judged(_named, where=_is_mapping),
    "grid-mapping-types": judged(_types, reach="document"),
    "grid-mapping-counts": judged(_counted, reach="document"),
    "grid-mapping-parameters": judged_text(_needed, "grid_mapping_name", reach="document"),
    "grid-mapping-domains": judged(_ranges, reach="document"),
    "crs-names": judged(_all_names, where=_has_names, reach="document"),
    "projected-crs-name": judged(_projected, reach="document"),
    "crs-wkt": judged_text(_wkt, "crs_wkt", reach="document"),
    "grid-mapping-scalar": judged(_scalar, reach="document"),
}
