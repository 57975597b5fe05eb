"""Rules for the arrays of AnnData's sparse matrices and nullable arrays: they have to fit each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip
from zom.conventions.anndata.elements import encoding_of
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.formats.node_view import Node

__all__ = ["VALUE_FUNCTIONS"]


def _arrays(node: Node, *names: str) -> list[Node] | None:
    """The arrays with these names, or None if one is missing."""
    found = [node.arrays[name] for name in names if name in node.arrays]
    return found if len(found) == len(names) else None


def _are_one_dimensional(site: Site) -> Iterator[Breach] | Skip:
    found = [
        node for name in ("data", "indices", "indptr") if (node := site.node.arrays.get(name)) is not None
    ]
    if not found:
        return Skip("none of them exists")
    return (
        Breach(node, ("shape",), "one dimension", f"{node.ndim}: {show(list(node.shape or ()))}")
        for node in found
        if node.shape is not None and node.ndim != 1
    )


def _indptr_fits(site: Site) -> Iterator[Breach] | Skip:
    found, shape = site.node.arrays.get("indptr"), site.node.attributes.get("shape")
    if found is None or found.ndim != 1 or not is_list(shape) or len(shape) != 2:
        return Skip("no one-dimensional indptr, or no shape")
    is_csr = encoding_of(site.node) == "csr_matrix"
    size = shape[0 if is_csr else 1]
    return _one_more(found, size, "rows" if is_csr else "columns") if type(size) is int else Skip("no shape")


def _one_more(indptr: Node, size: int, what: str) -> Iterator[Breach]:
    (length,) = indptr.shape or (0,)
    if length != size + 1:
        yield Breach(indptr, ("shape", 0), f"{size + 1}, one more than the number of {what}", str(length))


def _are_equally_long(site: Site) -> Iterator[Breach] | Skip:
    found = _arrays(site.node, "data", "indices")
    if found is None or any(node.ndim != 1 for node in found):
        return Skip("no one-dimensional data and indices")
    return _same_shape(found[1], found[0], ("shape", 0))


def _masks_fit(site: Site) -> Iterator[Breach] | Skip:
    found = _arrays(site.node, "values", "mask")
    if found is None or any(node.shape is None for node in found):
        return Skip("no values and mask")
    return _same_shape(found[1], found[0], ("shape",))


def _same_shape(node: Node, like: Node, path: tuple[str | int, ...]) -> Iterator[Breach]:
    mine, wanted = list(node.shape or ()), list(like.shape or ())
    if mine != wanted:
        shown = (wanted, mine) if path == ("shape",) else (wanted[0], mine[0])
        yield Breach(node, path, f"{show(shown[0])}, as {like.path}", show(shown[1]), None, (like.path,))


VALUE_FUNCTIONS: Final = (_are_one_dimensional, _indptr_fits, _are_equally_long, _masks_fit)
