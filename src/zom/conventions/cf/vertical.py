"""Parametric vertical coordinates: CF 4.3.3 and Appendix D.

https://cfconventions.org/cf-conventions/cf-conventions.html#parametric-vertical-coordinate
https://cfconventions.org/cf-conventions/cf-conventions.html#parametric-v-coord
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zom.conventions.cf.variable import Variable, judged, judged_text, only
from zom.conventions.cf.words import pairs
from zom.extension.registry import did_you_mean, near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS", "DEFINITIONS"]

_P0: Final = ("reference_air_pressure_for_atmosphere_vertical_coordinate",)
_HEIGHTS: Final = ("altitude", "height_above_geopotential_datum")

Names = dict[str, tuple[str, ...]]


class Definition(NamedTuple):
    """A parametric coordinate: its terms, their valid standard names, and those of the computed quantity."""

    terms: tuple[str, ...]
    names: Names
    computed: tuple[str, ...]


OCEAN: Final[dict[str, dict[str, str]]] = {
    "altitude": {
        "zlev": "altitude",
        "eta": "sea_surface_height_above_geoid",
        "depth": "sea_floor_depth_below_geoid",
    },
    **{
        computed: {
            "zlev": computed,
            "eta": f"sea_surface_height_above_{surface}",
            "depth": f"sea_floor_depth_below_{surface}",
        }
        for computed, surface in (
            ("height_above_geopotential_datum", "geopotential_datum"),
            ("height_above_reference_ellipsoid", "reference_ellipsoid"),
            ("height_above_mean_sea_level", "mean_sea_level"),
        )
    },
}
"""The consistent sets of Table D.1, by the standard name of the computed quantity."""

_OCEAN_NAMES: Final[Names] = {
    term: tuple(each[term] for each in OCEAN.values()) for term in ("eta", "depth", "zlev")
}


def _ocean(*terms: str, **names: tuple[str, ...]) -> Definition:
    own = {term: allowed for term, allowed in _OCEAN_NAMES.items() if term in terms}
    return Definition(terms, {**own, **names}, tuple(OCEAN))


DEFINITIONS: Final[dict[str, Definition]] = {
    "atmosphere_ln_pressure_coordinate": Definition(("p0", "lev"), {"p0": _P0}, ("air_pressure",)),
    "atmosphere_sigma_coordinate": Definition(
        ("sigma", "ps", "ptop"),
        {"ps": ("surface_air_pressure",), "ptop": ("air_pressure_at_top_of_atmosphere_model",)},
        ("air_pressure",),
    ),
    "atmosphere_hybrid_sigma_pressure_coordinate": Definition(
        ("a", "ap", "b", "ps", "p0"), {"ps": ("surface_air_pressure",), "p0": _P0}, ("air_pressure",)
    ),
    "atmosphere_hybrid_height_coordinate": Definition(
        ("a", "b", "orog"),
        {"a": ("atmosphere_hybrid_height_coordinate",), "orog": ("surface_altitude", "surface_height_above_geopotential_datum")},
        _HEIGHTS,
    ),
    "atmosphere_sleve_coordinate": Definition(
        ("a", "b1", "b2", "ztop", "zsurf1", "zsurf2"),
        {"ztop": ("altitude_at_top_of_atmosphere_model", "height_above_geopotential_datum_at_top_of_atmosphere_model")},
        _HEIGHTS,
    ),
    "ocean_sigma_coordinate": _ocean("sigma", "eta", "depth"),
    "ocean_s_coordinate": _ocean("s", "eta", "depth", "a", "b", "depth_c"),
    "ocean_s_coordinate_g1": _ocean("s", "C", "eta", "depth", "depth_c"),
    "ocean_s_coordinate_g2": _ocean("s", "C", "eta", "depth", "depth_c"),
    "ocean_sigma_z_coordinate": _ocean(
        "sigma", "eta", "depth", "depth_c", "nsigma", "zlev", sigma=("ocean_sigma_coordinate",)
    ),
    "ocean_double_sigma_coordinate": _ocean("sigma", "depth", "z1", "z2", "a", "href", "k_c"),
}  # fmt: skip
"""The parametric coordinates of Appendix D by their standard names."""

_AUTHORITIES: Final = {
    "atmosphere_hybrid_height_coordinate": ("orog", {"altitude": "surface_altitude", "height_above_geopotential_datum": "surface_height_above_geopotential_datum"}),
    "atmosphere_sleve_coordinate": ("ztop", {"altitude": "altitude_at_top_of_atmosphere_model", "height_above_geopotential_datum": "height_above_geopotential_datum_at_top_of_atmosphere_model"}),
}  # fmt: skip
"""For two coordinates, the term whose standard name determines the computed quantity."""


def _definition(variable: Variable) -> Definition | None:
    return DEFINITIONS.get(variable.text("standard_name") or "")


def _terms(variable: Variable) -> list[tuple[str, str]]:
    return pairs(variable.text("formula_terms") or "") or []


def _place(variable: Variable) -> Iterator[Breach]:
    name = variable.text("standard_name")
    if name not in DEFINITIONS:
        fix = did_you_mean(near(name, DEFINITIONS))
        expected = "the standard_name of a parametric vertical coordinate"
        found = "no standard_name" if name is None else repr(name)
        yield variable.breach("formula_terms", expected, found, fix=fix)


@only("a boundary variable")
def _is_parent(variable: Variable) -> bool:
    return not variable.is_boundary


def _form(variable: Variable, text: str) -> Iterator[Breach]:
    if pairs(text) is None:
        yield variable.breach("formula_terms", "pairs 'term: variable', separated by blanks", repr(text))


def _legal(variable: Variable) -> Iterator[Breach]:
    definition = _definition(variable)
    known = {} if definition is None else {term.lower(): term for term in definition.terms}
    for term, _ in _terms(variable):
        if term.lower() not in known:
            expected = f"a term of {variable.attributes['standard_name']}: {', '.join(known.values())}"
            yield variable.breach("formula_terms", expected, repr(term))


def _exist(variable: Variable) -> Iterator[Breach]:
    for _, word in _terms(variable):
        if variable.is_missing(word):
            yield variable.unknown("formula_terms", word)


def _names(variable: Variable) -> Iterator[Breach]:
    definition = _definition(variable)
    for term, word in _terms(variable):
        node = variable.variable(word)
        allowed = None if definition is None else definition.names.get(term.lower())
        name = None if node is None else node.attributes.get("standard_name")
        if node is not None and allowed and isinstance(name, str) and name not in allowed:
            expected = f"a variable with the standard name {' or '.join(allowed)} for the term {term}"
            yield variable.breach("formula_terms", expected, f"{word!r} with {name}", related=[node])


@only("no standard_name of a parametric vertical coordinate")
def _is_defined(variable: Variable) -> bool:
    return _definition(variable) is not None


def _nsigma(variable: Variable, text: str) -> Iterator[Breach]:
    if any(term.lower() == "nsigma" for term, _ in _terms(variable)):
        yield variable.breach("formula_terms", "no term nsigma", repr(text))


def _computed_place(variable: Variable) -> Iterator[Breach]:
    if "formula_terms" not in variable.attributes:
        yield variable.breach("computed_standard_name", "formula_terms on the same variable", "none")


def _computed(variable: Variable, name: str) -> Iterator[Breach]:
    definition = _definition(variable)
    if definition is None:
        return
    if name not in definition.computed:
        yield variable.breach("computed_standard_name", " or ".join(definition.computed), repr(name))
        return
    for term, word in _terms(variable):
        node = variable.variable(word)
        said = None if node is None else node.attributes.get("standard_name")
        wanted = _wanted(variable.text("standard_name") or "", term.lower(), name)
        if node is not None and wanted is not None and isinstance(said, str) and said != wanted:
            expected = f"a name that agrees with {said}, the standard name of the term {term}"
            yield variable.breach("computed_standard_name", expected, repr(name), related=[node])


def _wanted(coordinate: str, term: str, computed: str) -> str | None:
    """The standard name of a term if the computed quantity determines it, else None."""
    if coordinate.startswith("ocean_"):
        return OCEAN[computed].get(term)
    deciding, names = _AUTHORITIES.get(coordinate, ("", {}))
    return names.get(computed) if term == deciding else None


CHECKS: Final[Functions] = {
    "formula-terms-place": judged(_place, about="formula_terms", where=_is_parent),
    "formula-terms": judged_text(_form, "formula_terms", reach="document"),
    "formula-terms-known": judged(_legal, about="formula_terms", where=_is_defined, reach="document"),
    "formula-terms-exist": judged(_exist, about="formula_terms"),
    "formula-terms-names": judged(_names, about="formula_terms", where=_is_defined),
    "formula-terms-nsigma": judged_text(
        _nsigma,
        "formula_terms",
        where=only("not an ocean_sigma_z_coordinate")(
            lambda v: v.text("standard_name") == "ocean_sigma_z_coordinate"
        ),
        reach="document",
    ),
    "computed-name-place": judged(_computed_place, about="computed_standard_name", where=_is_parent),
    "computed-name": judged_text(_computed, "computed_standard_name", where=_is_defined),
}
