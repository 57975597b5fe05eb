"""NZ: the structure of netCDF on Zarr v3, as a base for conventions such as CF.

https://github.com/zarr-conventions/nz, NZ-1.0; its drafts called it NZUG-1.0. The schema published with it
describes such a draft: it requires `_nczarr_attr` in the form that the text has dropped, a declaration on
every node, and `conventions` on every group. Only the schema's rules require these.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import NOT_READ, Breach, Site, Skip
from zom.checks.references import is_of_kind
from zom.conventions.framework.convention import declaration_of
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.formats.node_view import Node

__all__ = ["NZ"]

_KEYS: Final = ("conventions", "Conventions")
_NAMES: Final = ("nz-1.0", "nzug-1.0")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{11}=", re.ASCII)
_NOT_FINITE: Final = ("NaN", "Infinity", "-Infinity")
_TYPES: Final = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip
_NOT_ROOT: Final = Skip("not the root")


def _words(node: Node) -> list[tuple[str, str]]:
    """The identifiers that the node gives, each with its attribute."""
    said = ((key, node.attributes.get(key)) for key in _KEYS)
    return [(key, word) for key, text in said if isinstance(text, str) for word in text.split()]


def root_declares(site: Site) -> Iterator[Breach] | Skip:
    """Check that the root names NZ-1.0 in `conventions`."""
    node = site.node
    if node.parent is not None:
        return _NOT_ROOT
    if any(word.lower() in _NAMES for _, word in _words(node)):
        return iter(())
    key = next((key for key in _KEYS if key in node.attributes), _KEYS[0])
    found = show(node.attributes[key]) if key in node.attributes else "nothing"
    return iter((site.breach(("attributes", key), "a string with the word NZ-1.0", found),))


def name_is_new(site: Site) -> Iterator[Breach] | Skip:
    """Check that the name is not that of a draft."""
    if site.node.parent is not None:
        return _NOT_ROOT
    return (
        site.breach(("attributes", key), "NZ-1.0", show(word))
        for key, word in _words(site.node)
        if word.lower() == _NAMES[1]
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def fill_value_fits(site: Site) -> Iterator[Breach] | Skip:
    """Check that `_FillValue` is a value of the array's data type."""
    node = site.node
    if "_FillValue" not in node.attributes or not is_of_kind(node.dtype, ["int", "uint", "float"]):
        return Skip("no _FillValue of an array of numbers")
    value = node.attributes["_FillValue"]
    fits = _is_number(value)
    if isinstance(value, str) and is_of_kind(node.dtype, ["float"]):
        fits = value in _NOT_FINITE or _BASE64.fullmatch(value) is not None
    return iter(
        () if fits else (site.breach(("attributes", "_FillValue"), f"a value of {node.dtype}", show(value)),)
    )


def _type(value: Any) -> str:
    if _is_number(value):
        return "a number"
    kinds: tuple[tuple[type, str], ...] = (
        (str, "a string"),
        (bool, "true or false"),
        (dict, "an object"),
        (list, "a list"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def lists_of_one_type(site: Site) -> Iterator[Breach] | Skip:
    """Check that each list among the attributes has values of one type."""
    lists = {key: value for key, value in site.node.attributes.items() if is_list(value)}
    return _mixed(site, lists) if lists else Skip("no lists among the attributes")


def _mixed(site: Site, lists: dict[str, list[Any]]) -> Iterator[Breach]:
    for key, values in lists.items():
        for place, value in enumerate(values):
            if _type(value) != _type(values[0]):
                yield site.breach(
                    ("attributes", key, place), f"{_type(values[0])}, like the first", show(value)
                )


def names_differ(site: Site) -> Iterator[Breach] | Skip:
    """Check that names of members differ by more than case."""
    if site.node.members is None:
        return NOT_READ
    return _alike(site, site.node.members)


def _alike(site: Site, members: dict[str, Node]) -> Iterator[Breach]:
    seen: dict[str, Node] = {}
    for name, node in members.items():
        first = seen.setdefault(name.casefold(), node)
        if first is not node:
            expected = f"a name that differs from {show(first.name)} by more than case"
            yield site.breach((), expected, show(name), node=node, related=(first,))


def registered(site: Site) -> Iterator[Breach] | Skip:
    """Check that the node declares NZ, as the published schema requires."""
    if declaration_of(NZ, site.node) is not None:
        return iter(())
    found = "other conventions" if "zarr_conventions" in site.node.attributes else "nothing"
    return iter((site.breach(("attributes", "zarr_conventions"), "a declaration of NZ-1.0", found),))


def types_named(site: Site) -> Iterator[Breach] | Skip:
    """Check that types of attributes are Zarr v3 names."""
    types = site.values("_nczarr_attr.types")
    if not types or not is_dict(types[0].value):
        return Skip("no types of attributes")
    return (
        site.breach((*types[0].path, name), "the Zarr v3 name of a numeric data type", show(value))
        for name, value in types[0].value.items()
        if value not in _TYPES
    )


NZ: Final = register(
    read_rulebook(
        Path(__file__).with_name("nz.toml"),
        functions=(
            root_declares,
            name_is_new,
            fill_value_fits,
            lists_of_one_type,
            names_differ,
            registered,
            types_named,
        ),
    )
)
