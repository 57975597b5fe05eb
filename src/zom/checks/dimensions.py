"""The checks of dimensions: their names, and equal lengths for equal names in all arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from zom.checks.check import NOT_READ, Breach, Outcome, Site, Skip, named, unpublished
from zom.formats.node_view import remembered
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from zom.formats.node_view import Node

__all__ = [
    "Lengths",
    "length_breaches",
    "lengths_of",
    "named_arrays",
    "names_breach",
    "one_length",
    "shared_dims",
]

Lengths: TypeAlias = "Mapping[str, tuple[int, Node]]"
"""The length of each dimension, and an array that has this length."""

Names: TypeAlias = "Sequence[str | None]"


def names_breach(node: Node, wanted: Names, *, related: tuple[str, ...] = ()) -> Breach:
    """A breach: the array's dimensions don't have the names `wanted`."""
    found = "none" if node.raw_dims is None else show(node.raw_dims)
    return Breach(node, node.dims_path, f"the dimension names {show(list(wanted))}", found, None, related)


def length_breaches(
    arrays: Iterable[tuple[Node, Names, Sequence[int]]],
    lengths: Lengths,
    *,
    only: Collection[str] | None = None,
    but: Collection[str] = (),
    where: str = "",
) -> Iterator[Breach]:
    """A breach for each dimension of `arrays` whose length differs from `lengths`.

    `arrays` have names and shapes. The first array sets the length of a dimension that is not in `lengths`.
    With `only`, just these dimensions count, and those in `but` never do.
    """
    first_lengths: dict[str, tuple[int, Node]] = {}
    for node, names, shape in arrays:
        for place, (name, size) in enumerate(zip(names, shape, strict=False)):
            if name is None or name in but or (only is not None and name not in only):
                continue
            wanted, first = lengths.get(name) or first_lengths.setdefault(name, (size, node))
            if size != wanted:
                expected = f"{wanted} for the dimension {show(name)}, as in {first.path}{where}"
                yield Breach(node, ("shape", place), expected, str(size), None, (first.path,))


def lengths_of(group: Node) -> Lengths:
    """The length of each dimension of a group's arrays, and the array that sets it.

    >>> from zom import v3
    >>> from zom.formats.node_view import spec_tree
    >>> x = v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=("x",))
    >>> lengths_of(spec_tree(v3.GroupSpec(members={"x": x})))
    {'x': (4, <array /x>)}
    """
    return remembered(group, _lengths_of)


def _lengths_of(group: Node) -> Lengths:
    lengths: dict[str, tuple[int, Node]] = {}
    for node in sorted(group.arrays.values(), key=lambda each: (each.dims != (each.name,), each.name)):
        for dim, size in zip(node.dims or (), node.shape or (), strict=False):
            if dim is not None:
                lengths.setdefault(dim, (size, node))
    return lengths


@named
def shared_dims(site: Site) -> Outcome:
    """Check that dimensions of the same name have the same length in all arrays of the group.

    The array named like the dimension sets its length, if there is one; otherwise the array whose name comes
    first in code point order, since members of JSON objects are unordered.

    >>> shared_dims().name
    'shared_dims'
    """
    group = site.node
    if group.members is None:
        return NOT_READ
    lengths = lengths_of(group)
    if not lengths:
        return Skip("no array of the group has named dimensions")
    return tuple(length_breaches(named_arrays(group), lengths))


def named_arrays(group: Node) -> Iterator[tuple[Node, Names, Sequence[int]]]:
    """The arrays of a group whose dimensions have names, with these names and their lengths."""
    for node in group.arrays.values():
        if node.dims:
            yield node, node.dims, node.shape or ()


@unpublished
def one_length(site: Site, names: Collection[str] | None, but: Collection[str]) -> Outcome:
    """Check that dimensions have the length of the first such array, in all arrays below the group.

    Dimensions in `but` are skipped; if `names` is not None, only these are checked.
    """
    arrays = (
        (node, view.names, view.shape)
        for node in site.node.walk()
        if node.is_array and (view := node.resolved).names is not None
    )
    return tuple(length_breaches(arrays, {}, only=names, but=but))
