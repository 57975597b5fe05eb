"""Datasets: which variables of a hierarchy the attributes of CF name, from where, and in which role.

A dataset begins at the topmost group whose `Conventions` names CF. Names are resolved as in CF 2.7: by path,
or in the group and then its ancestors; coordinate variables in the groups below as well:
https://cfconventions.org/cf-conventions/cf-conventions.html#groups
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zom.conventions.cf.words import entries
from zom.formats.node_view import UNKNOWN, Node, Unknown, remembered
from zom.json.python_value import is_list
from zom.misspelling import meant
from zom.patterns import compiled_later

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "BARE",
    "LISTS",
    "NAMED",
    "Dataset",
    "Reference",
    "cf_version",
    "dataset_of",
    "meant_version",
    "naming",
    "resolve",
    "root_of",
    "version_of",
]

LISTS: Final = (
    "coordinates", "ancillary_variables", "bounds", "climatology", "geometry", "node_coordinates", "edge_coordinates",
    "face_coordinates", "volume_coordinates", "node_count", "part_node_count", "interior_ring", "nodes", "quantization",
    "bounds_tie_points",
)  # fmt: skip
"""The attributes whose words name variables."""
_LISTS: Final = frozenset(LISTS)
_ONE: Final = frozenset({"bounds", "climatology", "geometry", "quantization", "bounds_tie_points"})
"""The attributes that name one variable."""
_KEYED: Final = ("aggregated_data", "cell_measures", "formula_terms", "interpolation_parameters")
"""The attributes with a key before each name."""

_NAMING: Final = frozenset((*LISTS, *_KEYED, "coordinate_interpolation", "tie_point_mapping", "grid_mapping"))
"""All attributes that name variables."""

_CF = re.compile(r"(?:^|[\s,])CF-(\d{1,9})\.(\d{1,9})(?=$|[\s,-])", re.ASCII)


NAMED: Final = (
    r"[\s\S]*CF-[\s\S]*"
    r"|(?:[\s\S]*[^A-Za-z0-9])?[Cc][Ff](?:[ _.-]?[Vv]?[0-9][\s\S]*|[^A-Za-z0-9.][\s\S]*)?"
    r"|[\s\S]*[Cc]limate(?: | and | & |-)[Ff]orecast[\s\S]*"
)
"""A string that names CF, even in a spelling that CF doesn't have; "cf." is another word."""
_IS_NAMED: Final = re.compile(NAMED)
BARE: Final = (1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 1.11, 1.12, 1.13)
"""The versions of CF as numbers, which some write instead of such a string, or as all of it."""
_BARE_TEXTS: Final = frozenset(map(str, BARE))
_MEANT: Final = compiled_later(
    r"(?:(?<![a-z0-9])cf|forecast)(?:[\s().,:_-]|cf|metadata|conventions?|standards?|version|v){0,12}(\d{1,9})[._-](\d{1,9})",
    re.ASCII | re.IGNORECASE,
)


def cf_version(conventions: object) -> tuple[int, int] | None:
    """The version of CF that an attribute `Conventions` names.

    >>> cf_version("CF-1.8 ACDD-1.3"), cf_version("ACDD-1.3"), cf_version(7)
    ((1, 8), None, None)
    """
    found = _CF.search(conventions) if isinstance(conventions, str) else None
    return None if found is None else (int(found[1]), int(found[2]))


def meant_version(conventions: object) -> tuple[int, int] | None:
    """The version that is named, in CF's spelling or another one.

    >>> meant_version("CF 1.8"), meant_version("cf1_6"), meant_version("1.8"), meant_version("CF")
    ((1, 8), (1, 6), (1, 8), None)
    >>> meant_version("Climate and Forecast (CF) Conventions, version 1.7"), meant_version("CF, ACDD-1.3")
    ((1, 7), None)
    """
    known = cf_version(conventions)
    text = f"CF-{conventions}" if isinstance(conventions, str) and conventions in _BARE_TEXTS else conventions
    found = _MEANT.search(text) if known is None and isinstance(text, str) else None
    return known if found is None else (int(found[1]), int(found[2]))


def version_of(root: Node) -> tuple[int, int]:
    """The version that the root of a dataset names, or the newest if it names none."""
    return meant_version(root.attributes.get("Conventions")) or (1, 999)


def root_of(node: Node) -> Node:
    """The root group of the node's dataset: the topmost group that names CF, or the top."""
    return remembered(node, _root)


def _root(node: Node) -> Node:
    way = [node]
    for each in node.ancestors():
        known: Node | None = each.memory.get(_root)
        way.append(each if known is None else known)
        if known is not None:
            break
    return next((each for each in reversed(way) if _names_cf(each)), way[-1])


def _names_cf(node: Node) -> bool:
    said = node.attributes.get("Conventions")
    names = said if is_list(said) else [said]
    return node.is_group and any(
        name in BARE
        if type(name) in {int, float}
        else isinstance(name, str) and (name in _BARE_TEXTS or _IS_NAMED.fullmatch(name))
        for name in names
    )


class Reference(NamedTuple):
    """A reference from an attribute of one variable to another variable."""

    source: Node
    attribute: str
    word: str
    target: Node | Unknown | None


class Dataset:
    """The variables below a group, and the variables that they name."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.variables = [node for node in root.walk() if node.is_array]
        self.names = [node for node in self.variables if node.attributes]
        self._named: dict[Node, list[Reference]] = {}
        for source in self.names:
            for reference in _references(source):
                if isinstance(reference.target, Node):
                    self._named.setdefault(reference.target, []).append(reference)
        self.version = version_of(root)
        words = (node.attributes.get("coordinates") for node in root.walk() if node.is_group)
        # xarray lists the coordinates that belong to no data variable in an attribute of the group.
        self.group_coordinates = {word for each in words if isinstance(each, str) for word in each.split()}

    def named(self, node: Node, *attributes: str) -> list[Node]:
        """The variables that name `node` in one of these attributes."""
        return [each.source for each in self._named.get(node, ()) if each.attribute in attributes]

    def roles(self, node: Node) -> frozenset[str]:
        """The attributes of other variables that name `node`."""
        return frozenset(each.attribute for each in self._named.get(node, ()))

    @property
    def external(self) -> set[str]:
        """The names of variables in other files, as `external_variables` lists them."""
        found = self.root.attributes.get("external_variables")
        return set(found.split()) if isinstance(found, str) else set()

    @property
    def is_ragged(self) -> bool:
        """Whether it has ragged arrays, whose coordinates are found through counts or indices."""
        return bool(self.ragged)

    @cached_property
    def ragged(self) -> list[Node]:
        """The variables that count or index the elements of ragged arrays."""
        keys = {"sample_dimension", "instance_dimension"}
        return [node for node in self.names if not keys.isdisjoint(node.attributes)]

    @property
    def has_features(self) -> bool:
        """Whether it has discrete sampling geometries."""
        return self.is_ragged or "featureType" in self.root.attributes


def dataset_of(node: Node) -> Dataset | None:
    """The dataset of a variable or group, or None if the members around it were not read."""
    root = root_of(node)
    if not root.is_group or root.members is None:
        return None
    return remembered(root, Dataset)


def resolve(node: Node, word: str) -> tuple[Node | Unknown | None, str]:
    """The variable that `word` names for a variable, and how it was found.

    >>> from zom.formats.node_view import document_tree
    >>> array = {"zarr_format": 3, "node_type": "array"}
    >>> group = {"zarr_format": 3, "node_type": "group"}
    >>> root = document_tree({**group, "members": {"lat": array, "g": {**group, "members": {"t": array}}}})
    >>> resolve(root.at("g/t"), "lat")
    (<array /lat>, 'above')
    """
    group = node.parent
    if group is None:
        return UNKNOWN, "unread"
    root = root_of(node)
    if "/" in word:
        found = root.at(word.lstrip("/")) if word.startswith("/") else group.at(word)
        return (found if isinstance(found, Unknown) else _array(found)), "path"
    here: Node | None = group
    while here is not None:
        found = _array((here.members or {}).get(word))
        if found is not None:
            return found, "here" if here is group else "above"
        if here is root:
            break
        here = here.parent
    return (None if group.members is None else remembered(root, _coordinates_below).get(word)), "aside"


def _array(node: Node | None) -> Node | None:
    return node if node is not None and node.is_array else None


def _coordinates_below(root: Node) -> dict[str, Node]:
    """The coordinate variables in the groups below the root; for each name, the one at the highest level."""
    found: dict[str, Node] = {}
    waiting = list(root.groups.values())
    while waiting:
        for group in waiting:
            for name, node in group.arrays.items():
                if node.dims == (name,):
                    found.setdefault(name, node)
        waiting = [inner for group in waiting for inner in group.groups.values()]
    return found


def naming(node: Node) -> Mapping[str, object]:
    """The attributes of a variable that name others, by their correct spelling.

    A misspelt name is reported separately; checks of the variables that it names use its meaning.

    >>> from zom.formats.node_view import attributes_node
    >>> naming(attributes_node({"bound": "time_bnds", "units": "K"}))
    {'bounds': 'time_bnds'}
    """
    found: dict[str, object] = {}
    for key, value in node.attributes.items():
        known = key if key in _NAMING else _meant(key)
        if known is not None and (known == key or known not in node.attributes):
            found[known] = value
    return found


@lru_cache(maxsize=4096)
def _meant(key: str) -> str | None:
    return meant(key, _NAMING)


def _references(source: Node) -> Iterator[Reference]:
    found = naming(source)
    for attribute, word in _words(found) if found else ():
        yield Reference(source, attribute, word, resolve(source, word)[0])


def _words(found: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The names in the attributes of a variable, each with its attribute or its role there."""

    def text(attribute: str) -> str:
        value = found.get(attribute)
        return value if isinstance(value, str) else ""

    for attribute in LISTS if not _LISTS.isdisjoint(found) else ():
        # If several are given instead of one, that doesn't make the others boundaries.
        words = text(attribute).split()
        yield from ((attribute, word) for word in (words[:1] if attribute in _ONE else words))
    for attribute in _KEYED:
        yield from ((attribute, word) for each in entries(text(attribute)) or () for word in each.words)
    for each in entries(text("coordinate_interpolation")) or ():
        yield from (("tie_points", word) for word in each.keys)
        yield from (("interpolation", word) for word in each.words)
    yield from (("tie_point_mapping", each.words[0]) for each in entries(text("tie_point_mapping")) or ())
    mappings = entries(text("grid_mapping")) or ()
    names = [key for each in mappings for key in each.keys] or text("grid_mapping").split()[:1]
    yield from (("grid_mapping", word) for word in names)
