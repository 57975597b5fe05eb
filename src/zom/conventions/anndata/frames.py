"""Rules for AnnData dataframes: all columns are listed, have the same length and the same chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip
from zom.conventions.anndata.elements import extent_of
from zom.count import count_of
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.anndata.elements import Extent
    from zom.formats.node_view import Node

__all__ = ["FRAME_FUNCTIONS"]

_OLD: Final = "__categories"


def _members(node: Node) -> dict[str, Node]:
    """The columns and the index, without the `__categories` that anndata 0.7 put beside them."""
    return {name: each for name, each in (node.members or {}).items() if name != _OLD}


def _index(node: Node) -> Node | None:
    name = node.attributes.get("_index")
    return _members(node).get(name) if isinstance(name, str) else None


def _are_listed(site: Site) -> Iterator[Breach] | Skip:
    node = site.node
    order, index = node.attributes.get("column-order"), node.attributes.get("_index")
    if not is_list(order) or _index(node) is None:
        return Skip("the members, the index or the order of columns are not known")
    listed = {name for name in order if isinstance(name, str)}
    return (
        site.breach(
            ("members", name),
            "a column in 'column-order', or the index",
            f"{show(name)}, which is neither",
            related=[member],
            # Report only the first of several: a writer that forgets the list forgets all columns.
            cause=("column-order", node.path),
        )
        for name, member in _members(node).items()
        if name != index and name not in listed
    )


def _extents(node: Node) -> tuple[Extent, list[Extent]] | None:
    """The extent of the index and of every other entry."""
    index = _index(node)
    first = extent_of(index) if index is not None else None
    if first is None or not first.lengths:
        return None
    others = [extent_of(each) for each in _members(node).values() if each is not index]
    return first, [each for each in others if each is not None]


def _are_as_long(site: Site) -> Iterator[Breach] | Skip:
    found = _extents(site.node)
    if found is None:
        return Skip("the length of the index is not known")
    first, others = found
    rows = first.lengths[0]
    return (_no_column(each, first) for each in others if each.lengths != (rows,))


def _no_column(extent: Extent, index: Extent) -> Breach:
    """The breach for a member of a dataframe that is not a column as long as the index."""
    rows = index.lengths[0]
    expected = f"{count_of(rows, 'row')}, as in the index {index.node.path}"
    if extent.lengths and extent.lengths[0] != rows:
        return Breach(
            extent.node, extent.place(0), expected, str(extent.lengths[0]), related=(index.node.path,)
        )
    found = f"an array of {len(extent.lengths) or 'no'} dimensions"
    return Breach(extent.node, extent.path, f"one dimension of {expected}", found, related=(index.node.path,))


def _rows_in_a_chunk(extent: Extent) -> int | None:
    """The rows in a chunk; an array shorter than its chunk has one chunk."""
    chunks = extent.node.chunks
    return min(chunks[0], extent.lengths[0]) if chunks and extent.lengths and extent.node.is_array else None


def _share_chunks(site: Site) -> Iterator[Breach] | Skip:
    found = _extents(site.node)
    wanted = None if found is None else _rows_in_a_chunk(found[0])
    if found is None or wanted is None:
        return Skip("the chunks of the index are not known")
    expected = f"{count_of(wanted, 'row')} per chunk, as in {found[0].node.path}"
    sizes = ((each, _rows_in_a_chunk(each)) for each in found[1] if each.lengths[:1] == found[0].lengths[:1])
    return (
        Breach(
            each.node, (*each.node.family.chunks_path, 0), expected, str(size), None, (found[0].node.path,)
        )
        for each, size in sizes
        if size is not None and size != wanted
    )


FRAME_FUNCTIONS: Final = (_are_listed, _are_as_long, _share_chunks)
