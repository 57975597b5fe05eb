"""Compare NCZarr's metadata on dimensions, arrays and attributes with the hierarchy.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zom.checks.check import NOT_READ, Breach, Site, Skip
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.misspelling import slip
from zom.patterns import compiled_later
from zom.problems import Path, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.formats.node_view import Node

__all__ = [
    "GROUP",
    "OLD",
    "array_described",
    "arrays_listed",
    "dimensions_sized",
    "group_described",
    "groups_listed",
    "members_not_metadata",
    "named_as_xarray",
    "references_lead",
    "references_sized",
    "root_has_superblock",
    "types_known",
    "types_there",
]

SUPERBLOCK: Final = "_nczarr_superblock"
GROUP: Final = "_nczarr_group"
ARRAY: Final = "_nczarr_array"
ATTR: Final = "_nczarr_attr"
OLD: Final = compiled_later("_nczarr_(?:superblock|group|array|attr)", re.IGNORECASE)

_NOT_HERE: Final = Skip("not in the form that NCZarr defines")


def root_has_superblock(site: Site) -> Iterator[Breach] | Skip:
    """Check that the root has an NCZarr superblock, an object."""
    return Skip("not the root") if site.node.parent is not None else _object(site, SUPERBLOCK)


def group_described(site: Site) -> Iterator[Breach] | Skip:
    """Check that a group has its metadata, an object."""
    return _object(site, GROUP)


def array_described(site: Site) -> Iterator[Breach] | Skip:
    """Check that an array has its metadata, an object."""
    return _object(site, ARRAY)


def _object(site: Site, key: str) -> Iterator[Breach] | Skip:
    attributes = site.node.attributes
    if key not in attributes and any(OLD.fullmatch(name) for name in site.node.document):
        return Skip("the metadata are members of the document")
    found = attributes.get(key)
    if is_dict(found):
        return iter(())
    text = show(found) if key in attributes else "nothing"
    return iter((site.breach(("attributes", key), "an object", text),))


# --- groups ------------------------------------------------------------------------------------------------


def _said(node: Node, name: str) -> Any:
    said = node.attributes.get(GROUP)
    return said.get(name) if is_dict(said) else None


def _is_length(value: object) -> bool:
    return type(value) is int and value >= 0


def dimensions_sized(site: Site) -> Iterator[Breach] | Skip:
    """Check that dimensions are declared by their lengths."""
    said = _said(site.node, "dimensions")
    return _unsized(site, said) if is_dict(said) else _NOT_HERE


def _unsized(site: Site, said: dict[str, Any]) -> Iterator[Breach]:
    for name, value in said.items():
        place = ("attributes", GROUP, "dimensions", name)
        if not is_dict(value):
            if not _is_length(value):
                expected = "an integer of at least 0, or an object with size and unlimited"
                yield site.breach(place, expected, show(value))
            continue
        if not _is_length(value.get("size")):
            found = show(value["size"]) if "size" in value else "nothing"
            yield site.breach((*place, "size"), "an integer of at least 0", found)
        unlimited = value.get("unlimited", 0)
        if type(unlimited) is not int or unlimited not in {0, 1}:
            yield site.breach((*place, "unlimited"), "0 or 1", show(unlimited))


def _listed(site: Site, name: str, known: dict[str, Node]) -> Iterator[Breach] | Skip:
    said = _said(site.node, name)
    if not is_list(said):
        return _NOT_HERE
    if site.node.members is None:
        return NOT_READ
    left = [each for each in known if each not in said]
    if not left:
        return iter(())
    nodes = [known[each] for each in left]
    expected = f"a list that also has {', '.join(map(show, left[:6]))}"
    return iter((site.breach(("attributes", GROUP, name), expected, show(said), related=nodes),))


def arrays_listed(site: Site) -> Iterator[Breach] | Skip:
    """Check that every array is listed."""
    return _listed(site, "arrays", site.node.arrays)


def groups_listed(site: Site) -> Iterator[Breach] | Skip:
    """Check that every group is listed."""
    return _listed(site, "groups", site.node.groups)


# --- arrays ------------------------------------------------------------------------------------------------


class _References(NamedTuple):
    """The dimension references of an array, and their path."""

    place: Path
    names: list[Any]


def _references(node: Node) -> _References | None:
    said = node.attributes.get(ARRAY)
    if not is_dict(said):
        return None
    # netCDF-C 4.9.2 and older wrote dimrefs.
    key = "dimrefs" if "dimrefs" in said and "dimension_references" not in said else "dimension_references"
    names = said.get(key)
    return _References(("attributes", ARRAY, key), names) if is_list(names) else None


def _is_scalar(node: Node) -> bool:
    said = node.attributes.get(ARRAY)
    return is_dict(said) and said.get("scalar") == 1 and node.shape == (1,)


def _declared(node: Node, name: str) -> tuple[Node, Any] | None:
    """The group that declares the dimension `name`, and the declaration, if `node` may refer to it."""
    above, _, last = name.rpartition("/")
    for group in node.ancestors():
        if group.path == (above or "/"):
            said = _said(group, "dimensions")
            return (group, said[last]) if is_dict(said) and last in said else None
    return None


def _known(node: Node) -> list[str]:
    names: list[str] = []
    for group in node.ancestors():
        said = _said(group, "dimensions")
        names.extend(f"{group.path.rstrip('/')}/{name}" for name in (said if is_dict(said) else ()))
    return names


def references_lead(site: Site) -> Iterator[Breach] | Skip:
    """Check that references lead to dimensions of the group or of an ancestor."""
    found = _references(site.node)
    if found is None:
        return _NOT_HERE
    return (
        _undeclared(site, (*found.place, place), name)
        for place, name in enumerate(found.names)
        if isinstance(name, str) and name.startswith("/") and _declared(site.node, name) is None
    )


def _undeclared(site: Site, place: Path, name: str) -> Breach:
    known, above = _known(site.node), site.node.parent
    return site.breach(
        place,
        "the full name of a dimension that this group or an ancestor declares",
        show(name),
        fix=did_you_mean(near(name, known)),
        # If no dimensions are declared, only the first array is reported.
        related=() if known or above is None else (above,),
        cause=(name, name.rpartition("/")[0]),
    )


def references_sized(site: Site) -> Iterator[Breach] | Skip:
    """Check that dimensions are as long as the array along them."""
    found, shape = _references(site.node), site.node.shape
    if found is None or shape is None:
        return _NOT_HERE
    return _missized(site, found.names, shape)


def _missized(site: Site, names: list[Any], shape: tuple[int, ...]) -> Iterator[Breach]:
    for place, (name, size) in enumerate(zip(names, shape, strict=False)):
        declared = _declared(site.node, name) if isinstance(name, str) else None
        if declared is None:
            continue
        group, value = declared
        length = value.get("size") if is_dict(value) else value
        if _is_length(length) and length != size:
            expected = f"{show(length)} for the dimension {show(name)}, as declared by {group.path}"
            yield site.breach(("shape", place), expected, str(size), related=(group,))


def named_as_xarray(site: Site) -> Iterator[Breach] | Skip:
    """Check that xarray's names are the last parts of the references."""
    found, dims = _references(site.node), site.node.raw_dims
    if found is None or dims is None or not all(isinstance(name, str) for name in found.names):
        return _NOT_HERE
    wanted = ["_scalar_"] if _is_scalar(site.node) else [name.rpartition("/")[2] for name in found.names]
    if dims == wanted:
        return iter(())
    return iter((site.breach(site.node.dims_path, show(wanted), show(dims)),))


# --- attributes --------------------------------------------------------------------------------------------

_TYPE = compiled_later(r"[<>|=]?(?:[iu][1248]|f[248]|[SUb]\d*)|\|J0|>?S\d+|char|string", re.ASCII)


def types_known(site: Site) -> Iterator[Breach] | Skip:
    """Check that types are strings in NumPy's notation."""
    attributes = site.node.attributes
    if ATTR not in attributes:
        return Skip(f"nothing at {ATTR}")
    return _untyped(site, attributes[ATTR])


def _untyped(site: Site, said: Any) -> Iterator[Breach]:
    if not is_dict(said):
        yield site.breach(("attributes", ATTR), "an object", show(said))
        return
    types = said.get("types", {})
    if not is_dict(types):
        yield site.breach(("attributes", ATTR, "types"), "an object", show(types))
        return
    for name, value in types.items():
        if not isinstance(value, str) or _TYPE.fullmatch(value) is None:
            expected = "a type such as <i4, >S1 or |J0"
            yield site.breach(("attributes", ATTR, "types", name), expected, show(value))


def types_there(site: Site) -> Iterator[Breach] | Skip:
    """Check that types are given for existing attributes only."""
    attributes = site.node.attributes
    said = attributes.get(ATTR)
    types = said.get("types") if is_dict(said) else None
    if not is_dict(types):
        return _NOT_HERE
    return (_untold(site, name, slip(name, attributes)) for name in types if name not in attributes)


def _untold(site: Site, name: str, written: str | None) -> Breach:
    """The breach for a type whose attribute is missing, or exists under a misspelt name."""
    path, expected = ("attributes", ATTR, "types", name), "the name of an attribute"
    if written is None:
        return site.breach(path, expected, show(name), fix=did_you_mean(near(name, site.node.attributes)))
    fix = f"rename {written!r} to {name!r}, or the other way round"
    place = (site.node.path, ("attributes", written))
    return site.breach(path, expected, f"{show(name)}, but {written!r} exists", fix=fix, slip=place)


def members_not_metadata(site: Site) -> Iterator[Breach] | Skip:
    """Check that no member of .zgroup or .zarray is NCZarr metadata."""
    return (
        site.breach((name,), f"an attribute {show(name.lower())}", "a member of the document")
        for name in site.node.document
        if OLD.fullmatch(name)
    )
