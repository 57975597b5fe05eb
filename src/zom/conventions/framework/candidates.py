"""Candidates: the conventions that a hierarchy may have, from the keys of its attributes and its node names.

Other conventions that come with zom are not imported or asked: most hierarchies have one or two.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zom.conventions.framework.registered import conventions
from zom.conventions.shipped import FILES
from zom.misspelling import is_short_slip, misspelt

if TYPE_CHECKING:
    from collections.abc import Collection

    from zom.conventions.framework.convention import Convention
    from zom.formats.node_view import Node

__all__ = ["candidates", "tell_of"]

_DECLARATIONS: Final = "zarr_conventions"
"""The attribute that may declare any convention."""


def candidates(root: Node) -> tuple[Convention, ...]:
    """The conventions that may be at a node of the hierarchy, by name, including those of plugins.

    >>> from zom.formats.node_view import attributes_node
    >>> names = {each.id for each in candidates(attributes_node({"ome": {}}))}
    >>> "ome" in names, "vcf-zarr" in names
    (True, False)
    """
    keys: set[str] = set()
    names: set[str] = set()
    for node in root.walk():
        keys.update(node.attributes)
        names.add(node.name)
    if _DECLARATIONS in keys:
        return tuple(conventions)
    files = {file for file, (_, around) in FILES.items() if not names.isdisjoint(around)}
    files.update(file for file, (told, _) in FILES.items() if not told)
    for key in keys:
        files |= _told_by(key)
    return conventions.of_files(files)


@lru_cache(maxsize=4096)
def _told_by(key: str) -> frozenset[str]:
    """The files of the conventions that an attribute indicates, as written or as probably meant."""
    return frozenset(file for file, (told, _) in FILES.items() if any(_tells(key, each) for each in told))


def _tells(key: str, known: str) -> bool:
    # A document given as a Python dict may have keys that are not strings.
    is_text = isinstance(key, str)  # pyright: ignore[reportUnnecessaryIsInstance] - see above
    if known.endswith("*"):
        return is_text and key.startswith(known[:-1])
    return key == known or misspelt(key, known) or is_short_slip(key, known)


def tell_of(made: Collection[Convention]) -> tuple[set[str], set[str]]:
    """The attributes and member names by which these conventions are found; empty if one needs a function.

    >>> tell_of(conventions.of_id("uom"))
    ({'uom'}, set())
    """
    keys: set[str] = set()
    names: set[str] = set()
    for each in made:
        if each.detect is not None:
            return set(), set()
        keys.update(each.telling if each.signs else (*each.telling, *each.owns))
        for condition in (condition for sign in each.signs for condition in sign):
            if condition.get("at", "").startswith(("@arrays", "@groups", "@members")):
                names.update(condition["values"])
    return keys, names
