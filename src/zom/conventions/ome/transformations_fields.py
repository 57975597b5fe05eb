"""The rules of OME-Zarr 0.6 for parameters in arrays: matrices, and fields of vectors.

https://ngff.openmicroscopy.org/0.6/#coordinates-displacements-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip
from zom.conventions.ome.edition import arrays_of
from zom.conventions.ome.paths import no_such_group
from zom.conventions.ome.transformations_place import images, pieces_of
from zom.conventions.ome.v06_systems import EDITION
from zom.count import count_of
from zom.formats.node_view import Node
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.framework.rulebook import Functions
    from zom.conventions.ome.transformations_shape import Piece
    from zom.formats.node_view import Unknown

__all__ = ["STORED_FUNCTIONS"]

_MATRICES: Final = ("affine", "rotation")
_FIELDS: Final = {"displacements": "displacement", "coordinates": "coordinate"}
_NOT_READ: Final = Skip("no parameters in nodes that were read")


def _stored(site: Site, types: object) -> Iterator[tuple[Piece, str, Node | None]]:
    """The transformations with parameters in another node, with the path and the node if it is known."""
    for _, piece in pieces_of(site.node):
        path = piece.value.get("path")
        if isinstance(types, (tuple, dict)) and piece.type in types and isinstance(path, str):
            target: Node | Unknown | None = site.node.at(path)
            if target is None or isinstance(target, Node):
                yield piece, path, target


def _matrix_path(site: Site) -> list[Breach] | Skip:
    found = list(_stored(site, _MATRICES))
    breaches = [
        site.breach(
            (*piece.path, "path"), "the path of an array", show(path), related=() if node is None else (node,)
        )
        for piece, path, node in found
        if node is None or not node.is_array
    ]
    return breaches if found else _NOT_READ


def _matrix_shape(site: Site) -> list[Breach] | Skip:
    breaches: list[Breach] = []
    seen = False
    for piece, path, node in _stored(site, _MATRICES):
        if node is None or node.shape is None:
            continue
        seen = True
        rows, columns = (
            piece.outputs,
            None if piece.inputs is None else piece.inputs + (piece.type == "affine"),
        )
        fits = len(node.shape) == 2 and all(
            wanted is None or wanted == length
            for wanted, length in zip((rows, columns), node.shape, strict=True)
        )
        if not fits:
            wanted = f"[{'M' if rows is None else rows}, {'N' if columns is None else columns}]"
            found = f"{show(path)} of shape {show(list(node.shape))}"
            breaches.append(
                site.breach(
                    (*piece.path, "path"),
                    f"an array of shape {wanted}",
                    found,
                    related=(node,),
                    copied=(node.path, ("shape",)),
                )
            )
    return breaches if seen else _NOT_READ


def _field_path(site: Site) -> list[Breach] | Skip:
    found = list(_stored(site, _FIELDS))
    breaches = [
        no_such_group(EDITION, site, (*piece.path, "path"), path, node, "multiscales")
        for piece, path, node in found
        if node is None or not images(node)
    ]
    return breaches if found else _NOT_READ


def _field(site: Site) -> list[Breach] | Skip:
    breaches: list[Breach] = []
    seen = False
    for piece, path, node in _stored(site, _FIELDS):
        if node is None or not images(node):
            continue
        seen = True
        breaches.extend(_field_breaches(site, piece, path, node))
    return breaches if seen else _NOT_READ


def _field_breaches(site: Site, piece: Piece, path: str, node: Node) -> Iterator[Breach]:
    at = (*piece.path, "path")
    kind = _FIELDS[str(piece.type)]
    axes = next((image.axes for image in images(node) if image.axes is not None), None)
    if axes is None:
        return
    if piece.inputs is not None and len(axes) != piece.inputs + 1:
        expected = f"a field of {piece.inputs + 1} axes, one more than the input has"
        yield site.breach(at, expected, f"{show(path)} with {len(axes)} axes", related=(node,))
        return
    vectors = [place for place, axis in enumerate(axes) if is_dict(axis) and axis.get("type") == kind]
    if len(vectors) != 1:
        yield site.breach(
            at,
            f"a field with one axis of type {kind}",
            f"{show(path)} with {len(vectors)} such axes",
            related=(node,),
        )
        return
    if axes[vectors[0]].get("discrete") is not True:
        yield site.breach(
            at, f'"discrete": true on the axis of type {kind}', f"{show(path)} without it", related=(node,)
        )
    array = next((found for _, found in arrays_of(node, images(node)[0].value)), None)
    if array is None or array.shape is None or piece.outputs is None or vectors[0] >= len(array.shape):
        return
    if array.shape[vectors[0]] != piece.outputs:
        expected = f"vectors of {count_of(piece.outputs, 'number')}, one for each axis of the output"
        yield site.breach(
            at, expected, f"{show(path)} with vectors of {array.shape[vectors[0]]} numbers", related=(array,)
        )


STORED_FUNCTIONS: Final[Functions] = {
    "matrix_path": _matrix_path,
    "matrix_shape": _matrix_shape,
    "field_path": _field_path,
    "field": _field,
}
"""The functions of the 0.6 rules for parameters in arrays."""
