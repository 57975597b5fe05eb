"""Rules for every AnnData element: it declares a known type. Also the signs by which AnnData is detected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip
from zom.checks.checked_rule import above, has, is_like, is_value, lacks
from zom.conventions.anndata.elements import (
    CONTAINERS,
    DATAFRAME,
    TYPE,
    VERSION,
    VERSIONS,
    encoding_of,
)
from zom.extension.registry import did_you_mean, near
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ELEMENT_FUNCTIONS", "SIGNS"]

_OLD_MEMBERS: Final = ("raw.X", "raw.var", "raw.varm")
_OLD_MATRIX: Final = "h5sparse_format"
_OLD_CATEGORIES: Final = "__categories"
_OLD_DATAFRAME: Final = "0.1.0"


def _loosely(name: str) -> str:
    """A regular expression that matches a name in any case, with its parts joined by any sign."""
    return "".join("[-_ .]?" if each in "-_" else f"[{each.upper()}{each}]" for each in name)


SIGNS: Final = (
    (is_value(TYPE, *VERSIONS),),
    (has(VERSION), is_like(TYPE, "|".join(map(_loosely, VERSIONS)))),
    (has(VERSION), lacks(TYPE)),
    # Within an AnnData element, any type is meant as one of AnnData's.
    *((has(key), above(is_value(TYPE, *sorted(CONTAINERS)))) for key in (TYPE, VERSION)),
    tuple(is_value("@groups[*]", name) for name in ("obs", "var", "obsm", "varm", "uns")),
)
"""Signs of an element: an encoding type of AnnData's, or the members of an untyped group of anndata 0.7.

The container's rule reports other elements without a type.
"""


def _members_say_what_they_are(site: Site) -> Iterator[Breach] | Skip:
    """Check members from their container: elements that declare nothing are not detected on their own."""
    node = site.node
    encoding = encoding_of(node)
    if encoding not in CONTAINERS or (
        encoding == DATAFRAME and node.attributes.get(VERSION) == _OLD_DATAFRAME
    ):
        return Skip("its members are not elements")
    if node.members is None:
        return Skip("the members of the group are unknown")
    return (
        Breach(each, ("attributes", TYPE), "a string", "nothing")
        for each in node.members.values()
        if not {TYPE, VERSION, _OLD_MATRIX} & each.attributes.keys() and each.name not in _OLD_MEMBERS
    )


def _is_known(site: Site) -> Iterator[Breach]:
    node = site.node
    said, version = encoding_of(node), node.attributes.get(VERSION)
    if said is None:
        return
    known = VERSIONS.get(said)
    if known is None:
        fix = did_you_mean(near(said, VERSIONS))
        yield site.breach(("attributes", TYPE), "an encoding type that anndata defines", show(said), fix=fix)
    elif isinstance(version, str) and version[:1].isdigit() and version != known:
        if said == DATAFRAME and version == _OLD_DATAFRAME:
            return  # the rule on old encodings reports it
        expected = f"{show(known)}, the known version of {said}"
        yield site.breach(("attributes", VERSION), expected, show(version))


def _is_not_old(site: Site) -> Iterator[Breach]:
    node = site.node
    members = node.members or {}
    for each in members.values():
        if _OLD_MATRIX in each.attributes:
            wanted = "encoding-type csr_matrix or csc_matrix"
            yield Breach(each, ("attributes", _OLD_MATRIX), wanted, "a matrix of anndata 0.6")
    for name in _OLD_MEMBERS:
        if name in members:
            yield site.breach(("members", name), "a group 'raw'", "the form of anndata 0.6")
    if encoding_of(node) != DATAFRAME:
        return
    if node.attributes.get(VERSION) == _OLD_DATAFRAME:
        yield site.breach(("attributes", VERSION), "0.2.0", f"{_OLD_DATAFRAME}, of anndata 0.7")
    if _OLD_CATEGORIES in members:
        yield site.breach(
            ("members", _OLD_CATEGORIES), "categoricals as groups", "the categories of anndata 0.7"
        )
    for each in members.values():
        if each.is_array and "categories" in each.attributes:
            found = show(each.attributes["categories"])
            yield Breach(each, ("attributes", "categories"), "a group of encoding type categorical", found)


ELEMENT_FUNCTIONS: Final = (_members_say_what_they_are, _is_known, _is_not_old)
