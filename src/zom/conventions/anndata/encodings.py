"""The rules on every element of AnnData: that it says what it is, is known, and is stored as that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, above, has, is_like, is_value, lacks
from zom.checks.tree import node_kind
from zom.checks.values import json_type, pattern, required
from zom.conventions.anndata.elements import (
    CONTAINERS,
    DATAFRAME,
    ENCODINGS,
    TYPE,
    VERSION,
    encoding_of,
    kinds_of,
)
from zom.extension.registry import did_you_mean, near
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ELEMENT_RULES", "LINK", "SIGNS"]

LINK: Final = "https://anndata.readthedocs.io/en/stable/fileformat-prose.html"

_VERSION_FORM: Final = r"[0-9]+([.+a-z-][0-9a-z.+-]*)?"
_OLD_MEMBERS: Final = ("raw.X", "raw.var", "raw.varm")
_OLD_MATRIX: Final = "h5sparse_format"
_OLD_CATEGORIES: Final = "__categories"
_OLD_DATAFRAME: Final = "0.1.0"

_SAYS_TYPE: Final[dict[str, Any]] = {
    "must": "every element has a string 'encoding-type'",
    "fix": "add the attribute, e.g. 'array', 'dataframe' or 'dict'",
    "link": f"{LINK}#element",
}
_SAYS_VERSION: Final[dict[str, Any]] = {
    "must": "every element has an 'encoding-version', a string that is a version",
    "fix": "add the attribute, e.g. '0.2.0' for an array",
    "link": f"{LINK}#element",
}


def _loosely(name: str) -> str:
    """The regular expression of a name in any case, its parts joined by any sign."""
    return "".join("[-_ .]?" if each in "-_" else f"[{each.upper()}{each}]" for each in name)


SIGNS: Final = (
    (is_value(TYPE, *ENCODINGS),),
    (has(VERSION), is_like(TYPE, "|".join(map(_loosely, ENCODINGS)))),
    (has(VERSION), lacks(TYPE)),
    # Within, any type is meant as one of AnnData's.
    *((has(key), above(is_value(TYPE, *sorted(CONTAINERS)))) for key in (TYPE, VERSION)),
    tuple(is_value("@groups[*]", name) for name in ("obs", "var", "obsm", "varm", "uns")),
)
"""By what an element is found, by a type that is AnnData's own, and an AnnData group that says nothing, as those of anndata 0.7: by its members.

Of others that say nothing, what holds them tells.
"""


def _members_say_what_they_are(site: Site) -> Iterator[Breach] | Skip:
    """Those that say nothing at all are not found by themselves."""
    node = site.node
    encoding = encoding_of(node)
    if encoding not in CONTAINERS or (
        encoding == DATAFRAME and node.attributes.get(VERSION) == _OLD_DATAFRAME
    ):
        return Skip("its members are no elements")
    if node.members is None:
        return Skip("the members of the group are not known")
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
    known = ENCODINGS.get(said)
    if known is None:
        fix = did_you_mean(near(said, ENCODINGS))
        yield site.breach(("attributes", TYPE), "an encoding type that anndata defines", show(said), fix=fix)
    elif isinstance(version, str) and version[:1].isdigit() and version != known.version:
        if said == DATAFRAME and version == _OLD_DATAFRAME:
            return  # the rule on what is old tells of it
        expected = f"{show(known.version)}, the version of {said} that is known"
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
            yield site.breach(("members", name), "a group 'raw'", "what anndata 0.6 wrote in its place")
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


_KIND: Final[dict[str, Any]] = {
    "must": "an element is an array or a group, as its encoding type says",
    "fix": "store it as the kind of node that the type asks for",
    "link": f"{LINK}#elements",
}

ELEMENT_RULES: Final = (
    CheckedRule("encoding-type", required(TYPE), **_SAYS_TYPE),
    CheckedRule("encoding-type", json_type(["string"], at=TYPE), **_SAYS_TYPE),
    CheckedRule("encoding-type", python(_members_say_what_they_are), **_SAYS_TYPE),
    CheckedRule("encoding-version", required(VERSION), **_SAYS_VERSION),
    CheckedRule("encoding-version", json_type(["string"], at=VERSION), **_SAYS_VERSION),
    CheckedRule("encoding-version", pattern(_VERSION_FORM, at=VERSION), **_SAYS_VERSION),
    CheckedRule(
        "encoding-known",
        python(_is_known),
        must="encoding type and version are ones that anndata defines",
        fix="write a type and version of the specification; newer ones need a newer anndata",
        after=("obs-var",),
        link=f"{LINK}#elements",
    ),
    CheckedRule(
        "legacy",
        python(_is_not_old),
        must="nothing is stored as anndata 0.7 and older did",
        fix="read it with anndata and write it again",
        link=LINK,
    ),
    CheckedRule("kind", node_kind("array"), when=(is_value(TYPE, *kinds_of("array")),), **_KIND),
    CheckedRule("kind", node_kind("group"), when=(is_value(TYPE, *kinds_of("group")),), **_KIND),
)
