"""The checks that look at a node and those around it: what members a group has, and what they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from zom.checks.check import Breach, Outcome, Site, Skip, named
from zom.checks.references import NOT_READ, is_of_kind
from zom.checks.selector import parse_selector, select
from zom.checks.values import equal
from zom.extension.registry import did_you_mean, near
from zom.problems import show

if TYPE_CHECKING:
    from zom.formats.node_view import Node

_WORDS = {"array": "an array", "group": "a group"}

__all__ = ["lengths_of", "member", "node_kind", "same_everywhere", "shared_dims", "zarr_format"]


@named
def zarr_format(site: Site, form: Literal["v2", "v3"]) -> Outcome:
    """The node is of that Zarr format.

    >>> zarr_format("v3").params
    {'form': 'v3'}
    """
    node = site.node
    if node.form == form:
        return ()
    return (Breach(node, ("zarr_format",), f"Zarr {form}", f"Zarr {node.form}"),)


@named
def node_kind(site: Site, kind: Literal["array", "group"]) -> Outcome:
    """The node is a group, or an array.

    >>> node_kind("group").params
    {'kind': 'group'}
    """
    node = site.node
    if node.kind == kind:
        return ()
    if node.kind is None:
        return Skip("the kind of the node is not known")
    return (Breach(node, node.family.kind_path, _WORDS[kind], _WORDS.get(node.kind, node.kind)),)


@named
def member(  # noqa: PLR0913 - what a member may be asked
    site: Site,
    name: str,
    *,
    kind: Literal["array", "group"] | None = None,
    dtypes: list[str] | None = None,
    dims: list[str | None] | None = None,
    optional: bool = False,
) -> Outcome:
    """The group has a member of that name, of the kind, data type and dimension names that are given.

    `dtypes` are data types, or what their names begin with; null in `dims` stands for any name.

    >>> member("time", kind="array", dtypes=["int", "float"], dims=["time"]).params["name"]
    'time'
    """
    group = site.node
    if group.members is None:
        return NOT_READ
    node = group.members.get(name)
    what = {"array": "an array", "group": "a group", None: "a node"}[kind]
    if node is None:
        if optional:
            return Skip(f"no member {name}")
        fix = did_you_mean(near(name, group.members))
        return (Breach(group, (), f"{what} {show(name)}", "nothing of that name", fix),)
    if kind is not None and node.kind != kind:
        return (Breach(node, (), what, f"a {node.kind or 'node of no kind'}"),)
    breaches: list[Breach] = []
    if dtypes is not None and node.dtype is not None and not is_of_kind(node.dtype, dtypes):
        breaches.append(Breach(node, node.dtype_path, f"a data type {' or '.join(dtypes)}", node.dtype))
    if dims is not None and not _fits(node, dims):
        wanted = show(["any" if each is None else each for each in dims])
        found = "none" if node.raw_dims is None else show(node.raw_dims)
        breaches.append(Breach(node, node.dims_path, f"the dimension names {wanted}", found))
    return breaches


def _fits(node: Node, dims: list[str | None]) -> bool:
    found = node.dims
    if found is None or len(found) != len(dims):
        return False
    return all(want is None or want == have for want, have in zip(dims, found, strict=True))


def lengths_of(group: Node) -> dict[str, tuple[int, Node]]:
    """The length of each dimension of a group's arrays, and the array in which it is so long.

    >>> from zom import v3
    >>> from zom.formats.node_view import spec_tree
    >>> x = v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=("x",))
    >>> lengths_of(spec_tree(v3.GroupSpec(members={"x": x})))
    {'x': (4, <array /x>)}
    """
    lengths: dict[str, tuple[int, Node]] = {}
    for node in sorted(group.arrays.values(), key=lambda each: (each.dims != (each.name,), each.name)):
        for dim, size in zip(node.dims or (), node.shape or (), strict=False):
            if dim is not None:
                lengths.setdefault(dim, (size, node))
    return lengths


@named
def shared_dims(site: Site) -> Outcome:
    """In all arrays of the group, dimensions of the same name have the same length.

    A dimension is as long as in the array of its own name, if there is one, and else as in the array whose
    name comes first in the order of code points: members of JSON objects have no order.

    >>> shared_dims().name
    'shared_dims'
    """
    group = site.node
    if group.members is None:
        return NOT_READ
    lengths = lengths_of(group)
    if not lengths:
        return Skip("no array of the group has named dimensions")
    breaches: list[Breach] = []
    for node in group.arrays.values():
        for place, (dim, size) in enumerate(zip(node.dims or (), node.shape or (), strict=False)):
            wanted, other = lengths[dim] if dim is not None else (size, node)
            if size != wanted:
                expected = f"{wanted} for the dimension {show(dim)}, as in {other.path}"
                breaches.append(Breach(node, ("shape", place), expected, str(size), None, (other.path,)))
    return breaches


@named
def same_everywhere(site: Site, at: str) -> Outcome:
    """What stands at `at` is the same in all nodes below that have it.

    >>> same_everywhere("ome.version").params
    {'at': 'ome.version'}
    """
    steps = parse_selector(at).steps
    own = site.values(at)
    if not own:
        return Skip(f"nothing at {at}")
    if site.node.members is None:
        return NOT_READ
    wanted = own[0].value
    breaches: list[Breach] = []
    for node in site.node.walk():
        for path, value in select(node.attributes, steps):
            if not equal(value, wanted):
                expected = f"{show(wanted)}, as in {site.node.path}"
                breaches.append(
                    Breach(node, ("attributes", *path), expected, show(value), None, (site.node.path,))
                )
    return breaches
