"""The numbers of axes in the input and output of transformations, and whether parameters fit them.

Numbers of axes are known if coordinate systems are, else None: unknown ones are not checked.
https://ngff.openmicroscopy.org/0.6/#trafo-types-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from zom.count import count_of
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.problems import Path


__all__ = [
    "Fault",
    "Piece",
    "axes_faults",
    "fit_faults",
    "given_axes",
    "pieces",
    "rotation_faults",
    "type_of",
]

_TOLERANCE = 1e-3
"""The tolerance for matrices, which are often written with a few digits only."""


def type_of(value: object) -> str | None:
    """The type of a transformation, or None if missing or not a string.

    >>> type_of({"type": "scale"}), type_of({"type": ["scale"]}), type_of(7)
    ('scale', None, None)
    """
    found = value.get("type") if is_dict(value) else None
    return found if isinstance(found, str) else None


class Piece(NamedTuple):
    """A transformation, possibly nested, with the numbers of axes in its input and output."""

    path: Path
    value: Mapping[str, Any]
    inputs: int | None
    outputs: int | None

    @property
    def type(self) -> str | None:
        """Its type, or None."""
        return type_of(self.value)


class Fault(NamedTuple):
    """A fault of a piece."""

    path: Path
    expected: str
    found: object


def given_axes(value: Any, inputs: int | None) -> int | None:
    """The number of axes in the output of a transformation with `inputs` axes in its input.

    >>> given_axes({"type": "sequence", "transformations": [{"type": "affine", "affine": [[1, 0, 0]]}]}, 2)
    1
    """
    axes = inputs
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if not is_dict(each):
            return None
        inner = each.get("transformations")
        if type_of(each) == "sequence" and is_list(inner):
            waiting.extend(reversed(inner))
        else:
            axes = _given_by_one(each, axes)
    return axes


def _given_by_one(value: Mapping[str, Any], inputs: int | None) -> int | None:
    kind = type_of(value)
    if kind in {"scale", "translation", "mapAxis", "rotation", "affine"}:
        found = value.get(str(kind))
        return len(found) if is_list(found) else (None if kind == "affine" else inputs)
    if kind == "projectAxis":
        dropped, created = _length(value.get("droppedInputs")), _length(value.get("createdOutputs"))
        return None if inputs is None else inputs - dropped + created
    if kind == "byDimension":
        inner = value.get("transformations")
        return (
            sum(_length(each.get("outputAxes")) for each in inner if is_dict(each))
            if is_list(inner)
            else None
        )
    return inputs if kind in {"identity", "displacements", "bijection"} else None


def _length(value: object) -> int:
    return len(value) if is_list(value) else 0


def pieces(value: Any, path: Path, inputs: int | None, outputs: int | None) -> Iterator[Piece]:
    """The transformation and all nested ones, in the order in which they apply.

    >>> two = {"type": "sequence", "transformations": [{"type": "identity"}, {"type": "scale", "scale": [1]}]}
    >>> [(piece.path, piece.inputs) for piece in pieces(two, (), 1, 1)]
    [((), 1), (('transformations', 0), 1), (('transformations', 1), 1)]
    """
    waiting: list[tuple[Any, Path, int | None, int | None]] = [(value, path, inputs, outputs)]
    while waiting:
        here, at, taken, given = waiting.pop()
        if is_dict(here):
            yield Piece(at, here, taken, given)
            waiting.extend(reversed(_within(here, at, taken, given)))


def _within(
    value: Mapping[str, Any], path: Path, inputs: int | None, outputs: int | None
) -> list[tuple[Any, Path, int | None, int | None]]:
    kind, inner = type_of(value), value.get("transformations")
    found: list[tuple[Any, Path, int | None, int | None]] = []
    if kind == "sequence" and is_list(inner):
        axes = inputs
        for place, each in enumerate(inner):
            last = place == len(inner) - 1
            found.append((each, (*path, "transformations", place), axes, outputs if last else None))
            axes = given_axes(each, axes)
    elif kind == "byDimension" and is_list(inner):
        for place, each in enumerate(inner):
            if is_dict(each):
                (_, taken), (_, given) = _axes_at(each, "input"), _axes_at(each, "output")
                at = (*path, "transformations", place, "transformation")
                sides = (len(taken) if is_list(taken) else None, len(given) if is_list(given) else None)
                found.append((each.get("transformation"), at, sides[0], sides[1]))
    elif kind == "bijection":
        found.append((value.get("forward"), (*path, "forward"), inputs, outputs))
        found.append((value.get("inverse"), (*path, "inverse"), outputs, inputs))
    return found


def _axes_at(value: Mapping[str, Any], side: str) -> tuple[str, Any]:
    """The key and the axes of a byDimension part's input or output: 0.6.dev4 wrote `input_axes`."""
    old, new = f"{side}_axes", f"{side}Axes"
    key = old if old in value and new not in value else new
    return key, value.get(key)


# --- parameters and numbers of axes -----------------------------------------------------------------------


def fit_faults(piece: Piece) -> Iterator[Fault]:
    """Parameters of a piece that don't fit its numbers of axes.

    >>> scale = Piece((), {"type": "scale", "scale": [1, 2]}, 3, 3)
    >>> [fault.expected for fault in fit_faults(scale)]
    ['3 numbers, one for each axis']
    """
    kind = piece.type
    if kind in {"scale", "translation", "mapAxis"}:
        found = piece.value.get(str(kind))
        for wanted in dict.fromkeys((piece.inputs, piece.outputs)):
            if is_list(found) and wanted is not None and len(found) != wanted:
                yield Fault(
                    (*piece.path, str(kind)), f"{count_of(wanted, 'number')}, one for each axis", found
                )
                return
    elif kind in {"affine", "rotation"}:
        yield from _matrix_faults(piece, str(kind))
    elif kind in {"identity", "displacements", "bijection"}:
        if None not in {piece.inputs, piece.outputs} and piece.inputs != piece.outputs:
            expected = f"as many axes in the output as in the input, {piece.inputs}"
            yield Fault((*piece.path, "type"), expected, f"{kind} into {piece.outputs} axes")
    elif kind == "projectAxis":
        given = given_axes(piece.value, piece.inputs)
        if given is not None and piece.outputs is not None and given != piece.outputs:
            yield Fault(
                (*piece.path, "type"),
                f"{piece.outputs} axes after dropping and creating axes",
                f"{given} axes",
            )


def _matrix_faults(piece: Piece, kind: str) -> Iterator[Fault]:
    found = piece.value.get(kind)
    if not is_list(found) or not found or not all(is_list(row) for row in found):
        return
    if kind == "affine":
        rows, columns = piece.outputs, None if piece.inputs is None else piece.inputs + 1
    else:
        rows = piece.outputs if piece.inputs is None else piece.inputs
        rows = columns = len(found) if rows is None else rows
    if rows is not None and len(found) != rows:
        yield Fault((*piece.path, kind), f"{count_of(rows, 'row')}, one for each axis of the output", found)
        return
    wanted = len(found[0]) if columns is None else columns
    for place, row in enumerate(found):
        if len(row) != wanted:
            yield Fault((*piece.path, kind, place), f"{count_of(wanted, 'number')} in each row", row)


# --- indices of axes, and angles --------------------------------------------------------------------------


def axes_faults(piece: Piece) -> Iterator[Fault]:
    """Axis indices that are out of range, repeated, or missing.

    >>> [fault.path for fault in axes_faults(Piece((), {"type": "mapAxis", "mapAxis": [0, 0]}, 2, 2))]
    [('mapAxis', 1)]
    """
    if piece.type == "mapAxis":
        found = piece.value.get("mapAxis")
        if is_list(found):
            yield from _index_faults(found, (*piece.path, "mapAxis"), len(found))
    elif piece.type == "projectAxis":
        given = piece.outputs if piece.outputs is not None else given_axes(piece.value, piece.inputs)
        sides = {"droppedInputs": piece.inputs, "createdOutputs": given}
        if not any(piece.value.get(name) for name in sides):
            yield Fault(piece.path, "droppedInputs or createdOutputs, with at least one index", "neither")
        for name, axes in sides.items():
            found = piece.value.get(name)
            if is_list(found):
                yield from _index_faults(found, (*piece.path, name), axes)
    elif piece.type == "byDimension":
        yield from _by_dimension_faults(piece)


def _index_faults(
    found: list[Any], path: Path, axes: int | None, seen: set[int] | None = None
) -> Iterator[Fault]:
    seen = set() if seen is None else seen
    for place, index in enumerate(found):
        if not isinstance(index, int) or isinstance(index, bool):
            continue
        if index < 0 or (axes is not None and index >= axes):
            expected = "an axis index" if axes is None else f"an axis index from 0 to {axes - 1}"
            yield Fault((*path, place), expected, index)
        elif index in seen:
            yield Fault((*path, place), "an index that appears once", f"{index} again")
        seen.add(index)


def _by_dimension_faults(piece: Piece) -> Iterator[Fault]:
    inner = piece.value.get("transformations")
    if not is_list(inner):
        return
    outputs: set[int] = set()
    output = "outputAxes"
    for place, each in enumerate(inner):
        if not is_dict(each):
            continue
        path = (*piece.path, "transformations", place)
        (key, taken), (output, given) = _axes_at(each, "input"), _axes_at(each, "output")
        if is_list(taken):
            yield from _index_faults(taken, (*path, key), piece.inputs)
        if is_list(given):
            yield from _index_faults(given, (*path, output), piece.outputs, outputs)
    left = [axis for axis in range(piece.outputs or 0) if axis not in outputs]
    if left:
        yield Fault(
            (*piece.path, "transformations"), f"{output} that contain {', '.join(map(str, left))}", "none"
        )


def rotation_faults(piece: Piece) -> Iterator[Fault]:
    """Faults of a rotation matrix: rows that are not orthonormal, or a determinant other than 1.

    >>> turn = Piece((), {"type": "rotation", "rotation": [[0, 1], [1, 0]]}, 2, 2)
    >>> [fault.found for fault in rotation_faults(turn)]
    ['determinant -1']
    """
    found = piece.value.get("rotation")
    if piece.type != "rotation" or not is_list(found) or not found:
        return
    if not all(is_list(row) and len(row) == len(found) and all(map(_is_number, row)) for row in found):
        return
    path = (*piece.path, "rotation")
    for place, row in enumerate(found):
        for other in range(place + 1):
            product = sum(a * b for a, b in zip(row, found[other], strict=True))
            if abs(product - (place == other)) > _TOLERANCE:
                what = "of length 1" if place == other else f"at right angles to row {other}"
                yield Fault((*path, place), f"a row {what}", row)
                return
    determinant = _determinant([[float(number) for number in row] for row in found])
    if abs(determinant - 1) > _TOLERANCE * len(found):
        yield Fault(path, "a matrix with determinant 1", f"determinant {determinant:.6g}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e30


def _determinant(rows: list[list[float]]) -> float:
    result = 1.0
    for column in range(len(rows)):
        best = max(range(column, len(rows)), key=lambda row: abs(rows[row][column]))
        if rows[best][column] == 0:
            return 0.0
        if best != column:
            rows[column], rows[best] = rows[best], rows[column]
            result = -result
        result *= rows[column][column]
        for row in range(column + 1, len(rows)):
            factor = rows[row][column] / rows[column][column]
            for place in range(column, len(rows)):
                rows[row][place] -= factor * rows[column][place]
    return result
