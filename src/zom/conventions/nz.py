"""NZ: the structure of netCDF on Zarr v3, for conventions such as CF to be written against.

https://github.com/zarr-conventions/nz, NZ-1.0; its drafts called it NZUG-1.0. The schema that is published
with it is of such a draft: it asks for `_nczarr_attr` in the form that the text has dropped, for a
declaration on every node, and for `conventions` on every group. These rules are the schema's alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import NOT_READ, Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, alike, at_root, is_like, is_value
from zom.checks.dimensions import shared_dims
from zom.checks.references import is_of_kind
from zom.checks.tree import zarr_format
from zom.checks.values import json_type, pattern, required
from zom.conventions.framework.convention import Convention, declaration_of, register
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.formats.node_view import Node

__all__ = ["NZ"]

_LINK: Final = "https://github.com/zarr-conventions/nz/blob/main/README.md"

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
    """The identifiers that the node gives, each with the attribute that has it."""
    said = ((key, node.attributes.get(key)) for key in _KEYS)
    return [(key, word) for key, text in said if isinstance(text, str) for word in text.split()]


_UUID: Final = "d0a980b5-c644-4dcc-85a1-283799a58f40"
_FAMILY: Final = "[Nn][Zz](?:[Uu][Gg])?-[0-9]"
_SIGNS: Final = (
    *((at_root(is_like(key, rf"(?:[\s\S]*\s)?{_FAMILY}[\s\S]*")),) for key in _KEYS),
    *((at_root(is_like(f"{key}[*]", rf"{_FAMILY}[\s\S]*")),) for key in _KEYS),
    (at_root(is_value("zarr_conventions[*].uuid", _UUID)),),
)
"""A hierarchy is NZ's as a whole, where its root says so."""


def root_declares(site: Site) -> Iterator[Breach] | Skip:
    """The root names NZ-1.0 in `conventions`."""
    node = site.node
    if node.parent is not None:
        return _NOT_ROOT
    if any(word.lower() in _NAMES for _, word in _words(node)):
        return iter(())
    key = next((key for key in _KEYS if key in node.attributes), _KEYS[0])
    found = show(node.attributes[key]) if key in node.attributes else "nothing"
    return iter((site.breach(("attributes", key), "a text with the word NZ-1.0", found),))


def name_is_new(site: Site) -> Iterator[Breach] | Skip:
    """The name is not that of a draft."""
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
    """The mask is a value of the array's data type."""
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
        (str, "a text"),
        (bool, "true or false"),
        (dict, "an object"),
        (list, "a list"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def lists_of_one_type(site: Site) -> Iterator[Breach] | Skip:
    """Lists among the attributes have one type of values."""
    lists = {key: value for key, value in site.node.attributes.items() if is_list(value)}
    return _mixed(site, lists) if lists else Skip("no lists among the attributes")


def _mixed(site: Site, lists: dict[str, list[Any]]) -> Iterator[Breach]:
    for key, values in lists.items():
        for place, value in enumerate(values):
            if _type(value) != _type(values[0]):
                yield site.breach(
                    ("attributes", key, place), f"{_type(values[0])}, as the first is", show(value)
                )


def names_differ(site: Site) -> Iterator[Breach] | Skip:
    """Names of members differ by more than case."""
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
    """The node declares NZ, as the published schema asks."""
    if declaration_of(NZ, site.node) is not None:
        return iter(())
    found = "other conventions" if "zarr_conventions" in site.node.attributes else "nothing"
    return iter((site.breach(("attributes", "zarr_conventions"), "a declaration of NZ-1.0", found),))


def types_named(site: Site) -> Iterator[Breach] | Skip:
    """Types of attributes are named as those of Zarr v3."""
    types = site.values("_nczarr_attr.types")
    if not types or not is_dict(types[0].value):
        return Skip("no types of attributes")
    return (
        site.breach((*types[0].path, name), "the Zarr v3 name of a data type of numbers", show(value))
        for name, value in types[0].value.items()
        if value not in _TYPES
    )


_RULES: Final[tuple[CheckedRule, ...]] = (
    CheckedRule(
        "declared",
        python(root_declares),
        must=(
            "the attribute conventions of the root, or Conventions, is a text that has NZ-1.0 "
            "among its words, in upper or lower case"
        ),
        fix='write "NZ-1.0" into conventions of the root group',
        link=f"{_LINK}#convention-declaration",
        on="group",
    ),
    CheckedRule(
        "old-name",
        python(name_is_new),
        should="the identifier is NZ-1.0; NZUG-1.0 was its name in drafts",
        fix='write "NZ-1.0"',
        link=f"{_LINK}#convention-declaration",
        on="group",
    ),
    CheckedRule(
        "zarr-format",
        zarr_format("v3"),
        must="every node is Zarr v3",
        fix="convert the hierarchy to Zarr v3",
        link=f"{_LINK}#relationship-to-the-zarr-v3-specification",
        source="both",
    ),
    CheckedRule(
        "dims-present",
        required("@dims"),
        must="every array has dimension_names, a scalar an empty list",
        fix="name each dimension of the array",
        link=f"{_LINK}#array-structural-requirements",
        source="both",
        on="array",
    ),
    *alike(
        CheckedRule(
            "dims-strings",
            json_type(["string"], at="@dims[*]"),
            must="no dimension name is null or empty",
            fix="name the dimension",
            link=f"{_LINK}#array-structural-requirements",
            source="both",
            on="array",
        ),
        pattern(r"[\s\S]+", at="@dims[*]"),
    ),
    CheckedRule(
        "dim-sizes",
        shared_dims(),
        must="all arrays of one group that share a dimension label have the same length along it",
        fix="make the lengths equal, or rename the dimension in one of the arrays",
        link=f"{_LINK}#dimension",
        on="group",
    ),
    CheckedRule(
        "fill-value",
        python(fill_value_fits),
        must=(
            "_FillValue of an array of numbers is a number, or, as xarray writes floats in Zarr "
            "v3, base64 text of a float64"
        ),
        fix="write a value of the array's data type",
        link=f"{_LINK}#the-_fillvalue-attribute",
        on="array",
    ),
    CheckedRule(
        "lists",
        python(lists_of_one_type),
        must="a list among the attributes holds values of one type: no texts among numbers",
        fix="write values of one type",
        link=f"{_LINK}#attribute-value-types",
    ),
    CheckedRule(
        "names",
        pattern("|[A-Za-z][A-Za-z0-9_.-]*", at="@name"),
        should=(
            "names of arrays and groups begin with a letter, and consist of letters, digits and "
            "underscores; dots and hyphens may be"
        ),
        fix="rename it",
        link=f"{_LINK}#naming-rules",
    ),
    CheckedRule(
        "names-case",
        python(names_differ),
        should="no two names of one group differ by case only",
        fix="rename one of them",
        link=f"{_LINK}#naming-rules",
        on="group",
    ),
    CheckedRule(
        "registered",
        python(registered),
        must="zarr_conventions is there, and declares the convention",
        fix=('add {"uuid": "d0a980b5-c644-4dcc-85a1-283799a58f40", "name": "NZ-1.0"} to zarr_conventions'),
        link=f"{_LINK}#convention-registration",
        source="schema",
    ),
    *alike(
        CheckedRule(
            "group-declared",
            required("conventions"),
            must="every group has the attribute conventions, a text",
            fix='write "NZ-1.0" into conventions of the group',
            link=f"{_LINK}#convention-declaration",
            source="schema",
            on="group",
        ),
        json_type(["string"], at="conventions"),
    ),
    *alike(
        CheckedRule(
            "attribute-types",
            json_type(["object"], at="_nczarr_attr"),
            must=(
                "_nczarr_attr is an object with types only, the names of Zarr v3 data types of "
                "numbers by attribute"
            ),
            fix=(
                'write types such as {"scale_factor": "float32"}, or take _nczarr_attr out, for the '
                "text has dropped it"
            ),
            link=f"{_LINK}#type-system",
            source="schema",
        ),
        required("_nczarr_attr.types"),
        json_type(["object"], at="_nczarr_attr.types"),
        python(types_named),
    ),
)

NZ: Final = register(
    Convention(
        id="nz",
        refines=("xarray",),
        version="1.0",
        title="NZ, netCDF on Zarr",
        link=_LINK,
        uuid=_UUID,
        aliases=(
            "https://github.com/zarr-conventions/nz/blob/v1-proposed/schema.json",
            "https://github.com/zarr-conventions/nz/blob/v1-proposed/README.md",
            "https://raw.githubusercontent.com/zarr-conventions/nz/refs/tags/v1/schema.json",
            "https://github.com/zarr-conventions/nz/blob/v1/README.md",
        ),
        dead_aliases=(
            "https://raw.githubusercontent.com/zarr-conventions/nzug/refs/tags/v1/schema.json",
            "https://github.com/zarr-conventions/nzug/blob/v1/README.md",
        ),
        signs=_SIGNS,
        rules=_RULES,
    )
)
