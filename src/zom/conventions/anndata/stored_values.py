"""AnnData rules for stored values: category codes, sparse matrix indexes, and names.

https://anndata.readthedocs.io/en/stable/fileformat-prose.html. Codes and indexes have to refer to existing
entries: readers take a wrong one for data, or fail with an error of an underlying library.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from zom.checks.blocks import repeated
from zom.checks.check import VALUES_UNREAD, Breach, Site, Skip, of_values
from zom.conventions.anndata.elements import encoding_of
from zom.json.python_value import is_list
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.formats.node_view import Node

__all__ = ["STORED_FUNCTIONS"]


def _integers(group: Node, name: str) -> Iterator[tuple[int, Any]] | Skip:
    """The start and values of each block of a one-dimensional integer member."""
    array = group.arrays.get(name)
    if array is None or array.ndim != 1:
        return Skip(f"no one-dimensional array {name}")
    blocks = array.blocks()
    if blocks is None:
        return VALUES_UNREAD
    first = next(blocks, None)
    if first is None:
        return Skip(f"{name} is empty")
    if first[1].dtype.kind not in "iu":
        return Skip(f"{name} are not integers")
    return ((start[0], values) for start, values in chain((first,), blocks))


def _codes_have_categories(site: Site) -> Iterator[Breach] | Skip:
    categories = site.node.arrays.get("categories")
    codes = _integers(site.node, "codes")
    if isinstance(codes, Skip):
        return codes
    if categories is None or categories.ndim != 1:
        return Skip("no one-dimensional array categories")
    return _beyond(site, "codes", codes, -1, (categories.shape or (0,))[0])


def _beyond(
    site: Site, name: str, blocks: Iterator[tuple[int, Any]], least: int, end: int
) -> Iterator[Breach]:
    """Report the first value outside `least` to `end - 1`."""
    for start, values in blocks:
        places = np.flatnonzero((values < least) | (values >= end))
        if places.size:
            expected = f"values from {least} to {end - 1}" if end > least else "no values"
            found = f"{values[places[0]]!s} at index {start + int(places[0])}"
            yield site.breach((), expected, found, node=site.node.arrays[name])
            return


def _indptr_leads_through_data(site: Site) -> Iterator[Breach] | Skip:
    data = site.node.arrays.get("data")
    indptr = _integers(site.node, "indptr")
    if isinstance(indptr, Skip):
        return indptr
    if data is None or data.ndim != 1:
        return Skip("no one-dimensional data")
    return _off_the_way(site, indptr, (data.shape or (0,))[0])


def _off_the_way(site: Site, blocks: Iterator[tuple[int, Any]], size: int) -> Iterator[Breach]:
    node = site.node.arrays["indptr"]
    last: Any = None
    fell = False
    for start, block in blocks:
        if last is None and block[0] != 0:
            yield site.breach((), "0 as the first value", str(block[0]), node=node)
        values = block if last is None else np.concatenate((last, block))
        falls = np.flatnonzero(values[1:] < values[:-1])
        if falls.size and not fell:
            fell, place = True, int(falls[0]) + 1
            index = start + place - (last is not None)
            found = f"{values[place - 1]!s} and then {values[place]!s} at index {index}"
            yield site.breach((), "values that never decrease", found, node=node)
        last = values[-1:]
    if last is not None and last[0] != size:
        expected = f"{size} as the last value, the length of data"
        yield site.breach((), expected, str(last[0]), node=node, related=(site.node.arrays["data"],))


def _indices_are_within(site: Site) -> Iterator[Breach] | Skip:
    shape = site.node.attributes.get("shape")
    if not is_list(shape) or len(shape) != 2:
        return Skip("no shape of two lengths")
    size = shape[1 if encoding_of(site.node) == "csr_matrix" else 0]
    indices = _integers(site.node, "indices")
    if isinstance(indices, Skip) or type(size) is not int:
        return indices if isinstance(indices, Skip) else Skip("no shape of two lengths")
    return _beyond(site, "indices", indices, 0, size)


def _names_differ(site: Site) -> Iterator[Breach] | Skip:
    frames = [site.node.groups.get(name) for name in ("obs", "var")]
    labels = [array for frame in frames if frame is not None and (array := _labels(frame)) is not None]
    if not labels:
        return Skip("no one-dimensional names")
    if any(array.reader is None for array in labels):
        return VALUES_UNREAD
    return _same_names(site, labels)


def _labels(frame: Node) -> Node | None:
    """The array with the row labels of a dataframe: its index, or the `values` of a nullable index."""
    name = frame.attributes.get("_index")
    index = (frame.members or {}).get(name) if isinstance(name, str) else None
    array = index if index is None or index.is_array else index.arrays.get("values")
    return array if array is not None and array.ndim == 1 else None


def _same_names(site: Site, labels: list[Node]) -> Iterator[Breach]:
    for array in labels:
        found = repeated(lambda: array.blocks() or iter(()), (array.shape or (0,))[0])  # noqa: B023 - called at once
        if found is not None:
            name, first, second = found
            shown = f"{name!r} at index {first} and again at {second}"
            yield site.breach((), "unique names", shown, node=array)


STORED_FUNCTIONS: Final = tuple(
    of_values(each)
    for each in (_codes_have_categories, _indptr_leads_through_data, _indices_are_within, _names_differ)
)
