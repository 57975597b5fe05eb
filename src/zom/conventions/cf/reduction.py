"""Reduction of size: gathering, and subsampled coordinates: CF 8.2 and 8.3.

https://cfconventions.org/cf-conventions/cf-conventions.html#compression-by-gathering
https://cfconventions.org/cf-conventions/cf-conventions.html#compression-by-coordinate-subsampling

The conformance document names the attributes of 8.3 as a draft of CF 1.9 did (`tie_points`,
`tie_point_dimensions`, `tie_point_indices`); chapter 8, the authority, has `coordinate_interpolation` and
`tie_point_mapping`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.checked_rule import CheckedRule
from zom.checks.values import forbidden, one_of
from zom.conventions.cf.domain import known_dimensions
from zom.conventions.cf.variable import INTEGERS, NUMBERS, Variable, judged, judged_text, section
from zom.conventions.cf.words import VocabularyEntry, entries, pairs
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach

__all__ = ["RULES"]

_GATHERING = section("compression-by-gathering")
_SUBSAMPLING = section("compression-by-coordinate-subsampling")

_INTERPOLATIONS: Final = (
    "linear", "bi_linear", "quadratic", "quadratic_latitude_longitude", "bi_quadratic_latitude_longitude",
)  # fmt: skip


def _compress_place(variable: Variable) -> Iterator[Breach]:
    if variable.dims != (variable.name,) or variable.dtype not in INTEGERS:
        dims = ", ".join(map(str, variable.dims or ()))
        yield variable.breach(
            "compress", "it at a coordinate variable of integers", f"{variable.dtype} of ({dims})"
        )


def _compress_exist(variable: Variable, text: str) -> Iterator[Breach]:
    known = known_dimensions(variable)
    for word in text.split():
        if word.rpartition("/")[2] not in known:
            yield variable.breach(
                "compress", f"dimensions of the dataset: {', '.join(sorted(known))}", repr(word)
            )


def _interpolation(variable: Variable, text: str) -> Iterator[Breach]:
    found = entries(text)
    if found is None or any(len(each.words) != 1 for each in found):
        expected = "tie points with colons, each group before its interpolation variable"
        yield variable.breach("coordinate_interpolation", expected, repr(text))


def _exist(variable: Variable, text: str) -> Iterator[Breach]:
    for each in entries(text) or ():
        for word in (*each.keys, *each.words):
            if variable.is_missing(word):
                yield variable.unknown("coordinate_interpolation", word)


def _is_interpolation(variable: Variable) -> bool:
    return variable.is_named("interpolation")


def _described(variable: Variable) -> Iterator[Breach]:
    names = ("interpolation_name", "interpolation_description")
    found = [name for name in names if name in variable.attributes]
    if len(found) != 1:
        yield variable.breach(names[0], f"one of {' and '.join(names)}", " and ".join(found) or "neither")


def _precise(variable: Variable) -> Iterator[Breach]:
    value = variable.attributes.get("computational_precision")
    if not isinstance(value, str) or value not in {"32", "64"}:
        found = "nothing" if value is None else show(value)
        yield variable.breach("computational_precision", "'32' or '64'", found)


def _mapping(variable: Variable) -> list[VocabularyEntry] | None:
    found = entries(variable.text("tie_point_mapping") or "")
    if found is None or any(len(each.keys) != 1 or len(each.words) not in {2, 3} for each in found):
        return None
    return found


def _mapped(variable: Variable) -> Iterator[Breach]:
    text = variable.attributes.get("tie_point_mapping")
    if _mapping(variable) is None:
        expected = "'dimension: index_variable subsampled_dimension [subarea_dimension]'"
        yield variable.breach("tie_point_mapping", expected, "nothing" if text is None else show(text))


def _index(variable: Variable) -> Iterator[Breach]:
    for each in _mapping(variable) or ():
        word, subsampled = each.words[:2]
        node = variable.variable(word)
        if variable.is_missing(word):
            yield variable.unknown("tie_point_mapping", word)
        elif node is not None and (node.dtype not in INTEGERS or node.dims != (subsampled,)):
            expected = f"an index variable of integers on the dimension {subsampled}"
            found = f"{word!r} of {node.dtype} on ({', '.join(map(str, node.dims or ()))})"
            yield variable.breach("tie_point_mapping", expected, found, related=[node])


def _same_dimensions(variable: Variable, text: str) -> Iterator[Breach]:
    for each in entries(text) or ():
        nodes = [
            node for node in map(variable.variable, each.keys) if node is not None and node.dims is not None
        ]
        for node in nodes:
            if set(node.dims or ()) != set(nodes[0].dims or ()):
                expected = f"tie points of the dimensions of {nodes[0].name!r}: {', '.join(map(str, nodes[0].dims or ()))}"
                found = f"{node.name!r} of {', '.join(map(str, node.dims or ()))}"
                yield variable.breach("coordinate_interpolation", expected, found, related=[nodes[0], node])


def _tie_point_dimensions(variable: Variable, text: str) -> Iterator[Breach]:
    for each in entries(text) or ():
        interpolation = variable.variable(each.words[-1])
        mapping = None if interpolation is None else _mapping(variable.of(interpolation))
        for word in each.keys if mapping is not None else ():
            node = variable.variable(word)
            subsampled = {entry.words[1]: entry.keys[0] for entry in mapping or ()}
            dims: set[str | None] = set() if node is None else set(node.dims or ())
            allowed = (set(variable.dims or ()) | set(subsampled)) - {
                subsampled[dim] for dim in subsampled if dim in dims
            }
            if node is not None and not dims <= allowed:
                expected = f"tie points of the dimensions {', '.join(sorted(map(str, allowed)))}"
                found = f"{word!r} of {', '.join(map(str, node.dims or ()))}"
                yield variable.breach("coordinate_interpolation", expected, found, related=[node])


def _parameters(variable: Variable, text: str) -> Iterator[Breach]:
    found = pairs(text)
    if found is None:
        yield variable.breach(
            "interpolation_parameters", "pairs 'term: variable', separated by blanks", repr(text)
        )
    for _, word in found or ():
        if variable.is_missing(word):
            yield variable.unknown("interpolation_parameters", word)


def _tie_point_bounds(variable: Variable, text: str) -> Iterator[Breach]:
    node = variable.variable(text.strip())
    if len(text.split()) != 1 or variable.is_missing(text.strip()):
        yield variable.unknown("bounds_tie_points", text.strip())
    elif node is not None and (node.dims != variable.dims or node.dtype not in NUMBERS):
        expected = f"a variable of numbers of the dimensions {', '.join(map(str, variable.dims or ()))}"
        found = f"{text.strip()!r} of {node.dtype} on {', '.join(map(str, node.dims or ()))}"
        yield variable.breach("bounds_tie_points", expected, found, related=[node])


def _scalar(variable: Variable) -> Iterator[Breach]:
    if variable.shape:
        yield variable.breach(("shape",), "no dimensions", show(list(variable.shape)))


_NO_INTERPOLATION: Final = "no interpolation variable"

RULES: Final = (
    CheckedRule(
        "compress-place",
        judged(_compress_place, about="compress", reach="name"),
        each="compress",
        must="compress stands at a coordinate variable of integers",
        fix="give the list variable the name of its dimension, and an integer type",
        link=_GATHERING,
        on="array",
    ),
    CheckedRule(
        "compress-dimensions",
        judged_text(_compress_exist, "compress"),
        each="compress",
        must="every word of compress names a dimension of the dataset",
        fix="correct the name, or add a coordinate variable of that dimension",
        link=_GATHERING,
        on="array",
    ),
    CheckedRule(
        "compress-without-bounds",
        forbidden("bounds"),
        must="the list variable of a compression by gathering has no bounds",
        fix="remove bounds",
        link=_GATHERING,
        on="array",
        each="compress",
    ),
    CheckedRule(
        "coordinate-interpolation",
        judged_text(_interpolation, "coordinate_interpolation", reach="document"),
        each="coordinate_interpolation",
        must="coordinate_interpolation is tie points with colons, each group before its interpolation variable",
        fix="write it as in 'lat: lon: bi_linear'",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "coordinate-interpolation-exists",
        judged_text(_exist, "coordinate_interpolation"),
        each="coordinate_interpolation",
        must="the variables that coordinate_interpolation names are in the dataset",
        fix="correct the name, or add the variable",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "interpolation-described",
        judged(_described, where=_is_interpolation, otherwise=_NO_INTERPOLATION),
        must="an interpolation variable has interpolation_name or interpolation_description, not both",
        fix="keep one of the two",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "interpolation-name",
        one_of(list(_INTERPOLATIONS), at="interpolation_name"),
        must="interpolation_name is one of Appendix J",
        fix="take the name from Appendix J, or use interpolation_description",
        link=section("appendix-coordinate-subsampling"),
        on="array",
    ),
    CheckedRule(
        "interpolation-precision",
        judged(_precise, where=_is_interpolation, otherwise=_NO_INTERPOLATION),
        must="an interpolation variable has a computational_precision of '32' or '64'",
        fix="add computational_precision: '64'",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "tie-point-mapping",
        judged(_mapped, where=_is_interpolation, otherwise=_NO_INTERPOLATION),
        must="an interpolation variable has a tie_point_mapping of dimensions, index variables and subsampled dimensions",
        fix="write it as in 'xc: x_indices tp_xc'",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "tie-point-index",
        judged(_index, about="tie_point_mapping"),
        each="tie_point_mapping",
        must="a tie point index variable is in the dataset, of integers, on the subsampled dimension alone",
        fix="correct the name, or the variable",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "tie-points-alike",
        judged_text(_same_dimensions, "coordinate_interpolation"),
        each="coordinate_interpolation",
        must="the tie points of one interpolation have the same dimensions",
        fix="store them on the same dimensions",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "tie-points-dimensions",
        judged_text(_tie_point_dimensions, "coordinate_interpolation"),
        each="coordinate_interpolation",
        must="tie points have dimensions of the data and subsampled ones, never one beside its subsampled one",
        fix="correct the dimensions, or tie_point_mapping",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "interpolation-parameters",
        judged_text(_parameters, "interpolation_parameters"),
        each="interpolation_parameters",
        must="interpolation_parameters are pairs of a term with a colon and a variable of the dataset",
        fix="write them as in 'w: w_lat'",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "bounds-tie-points",
        judged_text(_tie_point_bounds, "bounds_tie_points"),
        each="bounds_tie_points",
        must="bounds_tie_points names one variable of numbers with the dimensions of the tie points",
        fix="correct the name, or the variable",
        link=_SUBSAMPLING,
        on="array",
    ),
    CheckedRule(
        "interpolation-scalar",
        judged(_scalar, where=_is_interpolation, otherwise=_NO_INTERPOLATION),
        should="an interpolation variable has no dimensions",
        fix="make it a scalar: shape []",
        link=_SUBSAMPLING,
        on="array",
    ),
)
