"""The rules of OME-Zarr 0.6 for the parameters of coordinate transformations, by type.

https://ngff.openmicroscopy.org/0.6/#trafo-types-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip
from zom.conventions.ome.transformations_place import pieces_of
from zom.conventions.ome.transformations_shape import Fault, axes_faults, fit_faults, rotation_faults
from zom.json.python_value import is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zom.conventions.framework.rulebook import Functions
    from zom.conventions.ome.transformations_shape import Piece

__all__ = ["PARAMETER_FUNCTIONS"]

_NONE: Final = Skip("no coordinate transformations")


def _of_pieces(
    faults: Callable[[Piece], Iterable[Fault]], *types: str
) -> Callable[[Site], list[Breach] | Skip]:
    """A rule that applies `faults` to all transformations, or those of `types`."""

    def judged(site: Site) -> list[Breach] | Skip:
        found = [piece for _, piece in pieces_of(site.node) if not types or piece.type in types]
        if not found:
            return Skip(f"no {' or '.join(types)}") if types else _NONE
        return [
            site.breach(fault.path, fault.expected, fault.found) for piece in found for fault in faults(piece)
        ]

    judged.__name__ = judged.__qualname__ = getattr(faults, "__name__", "judged")
    return judged


def _one_matrix(piece: Piece) -> Iterator[Fault]:
    kind = str(piece.type)
    given = [name for name in (kind, "path") if name in piece.value]
    if not given:
        yield Fault((*piece.path, kind), f"{kind} or path", "nothing")
    elif len(given) == 2:
        yield Fault((*piece.path, "path"), f"no path beside {kind}", piece.value["path"])
    elif given == [kind] and piece.value[kind] == []:
        yield Fault((*piece.path, kind), "a matrix", piece.value[kind])


def _numbers(piece: Piece) -> Iterator[tuple[int, float]]:
    found = piece.value.get("scale")
    for place, number in enumerate(found if is_list(found) else ()):
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            yield place, number


def _zeros(piece: Piece) -> Iterator[Fault]:
    for place, number in _numbers(piece):
        if number == 0:
            yield Fault((*piece.path, "scale", place), "a number other than 0", number)


def _not_positive(piece: Piece) -> Iterator[Fault]:
    for place, number in _numbers(piece):
        if number <= 0:
            yield Fault((*piece.path, "scale", place), "a number greater than 0", number)


def _interpolation(piece: Piece) -> Iterator[Fault]:
    found = piece.value.get("interpolation")
    if isinstance(found, str) and found not in {"nearest", "linear", "cubic"}:
        yield Fault((*piece.path, "interpolation"), "nearest, linear or cubic", found)


_LISTS: Final = {
    "mapAxis": (("mapAxis", 2, 5),),
    "projectAxis": (("droppedInputs", 1, 3), ("createdOutputs", 1, 3)),
}
"""The index lists that the published schema bounds, with minimum and maximum length."""


def _out_of_bounds(piece: Piece) -> Iterator[Fault]:
    """Faults of indices and sizes by the bounds of the schema, which can't compare them with the axes."""
    if piece.type == "rotation":
        yield from _not_square(piece)
    for name, least, most in _LISTS.get(piece.type or "", ()):
        found = piece.value.get(name)
        if not is_list(found):
            continue
        at = (*piece.path, name)
        if not least <= len(found) <= most:
            yield Fault(at, f"{least} to {most} indices", found)
        for place, index in enumerate(found):
            if isinstance(index, int) and not 0 <= index <= 4:
                yield Fault((*at, place), "an index from 0 to 4", index)
            elif index in found[:place]:
                yield Fault((*at, place), "an index that appears once", f"{index} again")
    if piece.type == "projectAxis" and not {"droppedInputs", "createdOutputs"} & piece.value.keys():
        yield Fault((*piece.path, "type"), "droppedInputs or createdOutputs beside it", "neither")


def _not_square(piece: Piece) -> Iterator[Fault]:
    rows = piece.value.get("rotation")
    if not is_list(rows) or not rows:
        return
    if not 2 <= len(rows) <= 5:
        yield Fault((*piece.path, "rotation"), "2 to 5 rows", rows)
    elif any(is_list(row) and len(row) != len(rows) for row in rows):
        yield Fault((*piece.path, "rotation"), "as many numbers in each row as there are rows", rows)


PARAMETER_FUNCTIONS: Final[Functions] = {
    "fit_faults": _of_pieces(fit_faults),
    "axes_faults": _of_pieces(axes_faults, "mapAxis", "projectAxis", "byDimension"),
    "one_matrix": _of_pieces(_one_matrix, "affine", "rotation"),
    "rotation_faults": _of_pieces(rotation_faults, "rotation"),
    "zeros": _of_pieces(_zeros, "scale"),
    "not_positive": _of_pieces(_not_positive, "scale"),
    "interpolation": _of_pieces(_interpolation, "displacements", "coordinates"),
    "out_of_bounds": _of_pieces(_out_of_bounds, "mapAxis", "projectAxis", "rotation"),
}
"""The functions of the 0.6 rules for parameters of transformations."""
