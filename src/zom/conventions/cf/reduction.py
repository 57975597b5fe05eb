"""Reduction of size: gathering, and subsampled coordinates: CF 8.2 and 8.3.

https://cfconventions.org/cf-conventions/cf-conventions.html#compression-by-gathering
https://cfconventions.org/cf-conventions/cf-conventions.html#compression-by-coordinate-subsampling

The conformance document has attribute names of a draft of CF 1.9 for 8.3 (`tie_points`,
`tie_point_dimensions`, `tie_point_indices`); chapter 8, the authority, has `coordinate_interpolation` and
`tie_point_mapping`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.conventions.cf.domain import known_dimensions
from zom.conventions.cf.naming import names_each
from zom.conventions.cf.variable import INTEGERS, NUMBERS, Variable, judged, judged_text, only
from zom.conventions.cf.words import VocabularyEntry, entries, pairs
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS"]


def _compress_place(variable: Variable) -> Iterator[Breach]:
    if variable.dims != (variable.name,) or variable.dtype not in INTEGERS:
        dims = ", ".join(map(str, variable.dims or ()))
        yield variable.breach(
            "compress", "compress on a coordinate variable of integers", f"{variable.dtype} of ({dims})"
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
        expected = "groups of tie points with colons, each followed by its interpolation variable"
        yield variable.breach("coordinate_interpolation", expected, repr(text))


@only("not an interpolation variable")
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
                expected = f"tie points with the dimensions of {nodes[0].name!r}: {', '.join(map(str, nodes[0].dims or ()))}"
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
                expected = f"tie points with dimensions among {', '.join(sorted(map(str, allowed)))}"
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
        expected = f"a numeric variable with the dimensions {', '.join(map(str, variable.dims or ()))}"
        found = f"{text.strip()!r} of {node.dtype} on {', '.join(map(str, node.dims or ()))}"
        yield variable.breach("bounds_tie_points", expected, found, related=[node])


def _scalar(variable: Variable) -> Iterator[Breach]:
    if variable.shape:
        yield variable.breach(("shape",), "no dimensions", show(list(variable.shape)))


CHECKS: Final[Functions] = {
    "compress-place": judged(_compress_place, about="compress", reach="name"),
    "compress-dimensions": judged_text(_compress_exist, "compress"),
    "coordinate-interpolation": judged_text(_interpolation, "coordinate_interpolation", reach="document"),
    "coordinate-interpolation-exists": names_each(
        "coordinate_interpolation",
        lambda text: [word for each in entries(text) or () for word in (*each.keys, *each.words)],
    ),
    "interpolation-described": judged(_described, where=_is_interpolation),
    "interpolation-precision": judged(_precise, where=_is_interpolation),
    "tie-point-mapping": judged(_mapped, where=_is_interpolation),
    "tie-point-index": judged(_index, about="tie_point_mapping"),
    "tie-points-alike": judged_text(_same_dimensions, "coordinate_interpolation"),
    "tie-points-dimensions": judged_text(_tie_point_dimensions, "coordinate_interpolation"),
    "interpolation-parameters": judged_text(_parameters, "interpolation_parameters"),
    "bounds-tie-points": judged_text(_tie_point_bounds, "bounds_tie_points"),
    "interpolation-scalar": judged(_scalar, where=_is_interpolation),
}
