"""The checks of a node and its surroundings: which members a group has, and what they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from zom.checks.check import NOT_READ, Breach, Outcome, Site, Skip, named
from zom.checks.dimensions import names_breach
from zom.checks.members import absent_members
from zom.checks.references import is_of_kind
from zom.checks.selector import parse_selector, select
from zom.checks.values import equal
from zom.problems import show

if TYPE_CHECKING:
    from zom.formats.node_view import Node

_WORDS = {"array": "an array", "group": "a group", "entry point": "an entry point"}

__all__ = ["member", "node_kind", "same_everywhere", "zarr_format"]


@named
def zarr_format(site: Site, form: Literal["v2", "v3"]) -> Outcome:
    """Check that the node has that Zarr format.

    >>> zarr_format("v3").params
    {'form': 'v3'}
    """
    node = site.node
    if node.form == form:
        return ()
    return (Breach(node, ("zarr_format",), f"Zarr {form}", f"Zarr {node.form}"),)


@named
def node_kind(site: Site, kind: Literal["array", "group"]) -> Outcome:
    """Check that the node is a group, or an array.

    >>> node_kind("group").params
    {'kind': 'group'}
    """
    node = site.node
    if node.kind == kind:
        return ()
    if node.kind is None:
        return Skip("the kind of the node is unknown")
    return (Breach(node, node.family.kind_path, _WORDS[kind], _WORDS.get(node.kind, node.kind)),)


@named
def member(  # noqa: PLR0913 - the facts of a member that can be checked
    site: Site,
    name: str,
    *,
    kind: Literal["array", "group"] | None = None,
    dtypes: list[str] | None = None,
    dims: list[str | None] | None = None,
    optional: bool = False,
) -> Outcome:
    """Check that the group has a member of that name, with the given kind, data type and dimension names.

    `dtypes` are data types, or their names without bits; null in `dims` matches any name.

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
        return tuple(absent_members(group, (name,), group.members, what=what))
    if kind is not None and node.kind != kind:
        return (Breach(node, (), what, f"a {node.kind or 'node of unknown kind'}"),)
    breaches: list[Breach] = []
    if dtypes is not None and node.dtype is not None and not is_of_kind(node.dtype, dtypes):
        breaches.append(Breach(node, node.dtype_path, f"a data type {' or '.join(dtypes)}", node.dtype))
    if dims is not None and not _fits(node, dims):
        breaches.append(names_breach(node, ["any" if each is None else each for each in dims]))
    return breaches


def _fits(node: Node, dims: list[str | None]) -> bool:
    found = node.dims
    if found is None or len(found) != len(dims):
        return False
    return all(want is None or want == have for want, have in zip(dims, found, strict=True))


@named
def same_everywhere(site: Site, at: str) -> Outcome:
    """Check that the value at `at` is the same in all nodes below that have it.

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
