"""The checks that follow a name in the attributes to another node, and check that node.

Names are relative to the group that holds the attributes, or to the parent of the array that does. If
members were not read, such a check doesn't apply.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from zom.checks.check import NOT_READ, Breach, Outcome, Site, Skip, named
from zom.checks.dimensions import names_breach
from zom.checks.near_names import near_member
from zom.checks.selector import parse_selector, select
from zom.checks.values import nothing_at
from zom.count import count_of
from zom.formats.node_view import UNKNOWN, Node, Unknown
from zom.problems import one_of_words, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zom.checks.check import Value

__all__ = [
    "dead_end",
    "path_words",
    "ref",
    "ref_dims",
    "ref_dtype",
    "ref_has",
    "ref_ndim",
    "ref_order",
    "words",
]

Base = Literal["group", "root", "parent"]
Kind = Literal["array", "group"]


class Reference(NamedTuple):
    """A name in the attributes, and the node it leads to."""

    value: Value
    target: Node | Unknown | None


def references(site: Site, at: str, base: Base = "group") -> list[Reference]:
    """Every text that `at` selects, with the node it leads to.

    >>> from zom.formats.node_view import document_tree
    >>> group = {"zarr_format": 3, "node_type": "group"}
    >>> root = document_tree({**group, "attributes": {"see": "a"}, "members": {"a": group}})
    >>> [found.target for found in references(Site(root, root), "see")]
    [<group /a>]
    """
    start = _base(site, base)
    texts = [value for value in site.values(at) if isinstance(value.value, str)]
    if start is None:
        return [Reference(value, UNKNOWN) for value in texts]
    return [Reference(value, start.at(value.value)) for value in texts]


def _base(site: Site, base: Base) -> Node | None:
    if base == "parent":
        return None if site.group is None else site.group.parent
    return site.node.root if base == "root" and site.group is not None else site.group


def targets(site: Site, at: str, base: Base = "group") -> list[tuple[Value, Node]]:
    """Like `references`, without missing and unknown nodes."""
    return [(each.value, each.target) for each in references(site, at, base) if isinstance(each.target, Node)]


@named
def ref(
    site: Site,
    at: str,
    *,
    kind: Kind | None = None,
    base: Base = "group",
) -> Outcome:
    """Check that each text at `at` is the path of a node of `kind`, from the group, its parent, or the root.

    >>> ref("ome.multiscales[*].datasets[*].path", kind="array").params
    {'at': 'ome.multiscales[*].datasets[*].path', 'kind': 'array', 'base': 'group'}
    """
    values = [value for value in site.values(at) if isinstance(value.value, str)]
    if not values:
        return nothing_at(at)
    start = _base(site, base)
    place = {"group": "of this group", "parent": "beside this group", "root": "of the hierarchy"}[base]
    expected = f"{path_words(kind)} {place}"
    ends = [
        UNKNOWN if start is None else dead_end(value, value.value, start, kind, expected) for value in values
    ]
    if all(end is UNKNOWN for end in ends):
        return NOT_READ
    return tuple(end for end in ends if isinstance(end, Breach))


_PATH_WORDS: Final[dict[Kind | None, str]] = {
    "array": "the path of an array",
    "group": "the path of a group",
    None: "the path of a node",
}


def path_words(kind: Kind | None) -> str:
    """What a message expects of a path to a node of that kind.

    >>> path_words("array")
    'the path of an array'
    """
    return _PATH_WORDS[kind]


def dead_end(
    value: Value, text: str, start: Node, kind: Kind | None, expected: str
) -> Breach | Unknown | None:
    """A breach if the path `text`, found at `value`, leads to no node of that kind from `start`.

    None if it does; UNKNOWN if members on the way were not read.
    """
    last, step = start.follow(text)
    if step is None:
        if kind is None or last.kind == kind:
            return None
        what = {"array": "which is an array", "group": "which is a group"}.get(
            str(last.kind), "which is not a node"
        )
        return Breach(value.node, value.path, expected, f"{show(text)}, {what}", None, (last.path,))
    if step != ".." and last.members is None and not last.is_array:
        return UNKNOWN
    found = f"{show(text)}, which leaves the hierarchy" if step == ".." else show(text)
    hint = near_name(start, text, kind)
    return Breach(value.node, value.path, expected, found, hint, cause=(text, start.path))


def near_name(start: Node, path: str, kind: str | None = None) -> str | None:
    """A hint with the names near to the first step of `path` that fails, or None."""
    last, step = start.follow(path)
    group, name = (last.parent, last.name) if step is None else (last, step)
    if group is None or not group.members:
        return None
    is_end = path.rstrip("/").rpartition("/")[2] == name
    return near_member(group, name, kind if is_end else "group")


@named
def words(  # noqa: PLR0913 - rules name the parameters of their checks
    site: Site,
    at: str,
    *,
    kind: Kind = "array",
    keys: bool = False,
    upwards: bool = False,
    elsewhere: str | None = None,
) -> Outcome:
    """Check that each word of the texts at `at`, separated by blanks, names a node of that kind in the group.

    With `keys`, a word that ends in a colon is the key of what follows it, as in "area: cell_area", and
    names nothing. With `upwards`, the groups above are searched, too. `elsewhere` is the attribute of the
    group, or of one above, that lists the words for things in other files.

    >>> words("coordinates").params["kind"]
    'array'
    """
    values = [v for v in site.values(at) if isinstance(v.value, str)]
    if not values:
        return nothing_at(at)
    group = site.group
    if group is None or group.members is None:
        return NOT_READ
    above = [group, *group.ancestors()] if upwards or elsewhere is not None else [group]
    others = () if elsewhere is None else _listed(above, elsewhere)
    breaches: list[Breach] = []
    for value in values:
        for word in value.value.split():
            if (keys and word.endswith(":")) or word in others:
                continue
            places = above if upwards and "/" not in word else [group]
            found = [node.at(word) for node in places]
            if not any(isinstance(node, Node) and node.kind == kind for node in found):
                expected = f"words that name {'arrays' if kind == 'array' else 'groups'} of this group"
                fix = near_name(group, word, kind)
                sought = (word, group.path)
                breaches.append(Breach(value.node, value.path, expected, show(word), fix, cause=sought))
    return breaches


def _listed(groups: Iterable[Node], name: str) -> set[str]:
    """The words in the attribute `name` of the groups."""
    texts = (group.attributes.get(name) for group in groups)
    return {word for text in texts if isinstance(text, str) for word in text.split()}


@named
def ref_has(site: Site, at: str, has: str, *, base: Base = "group") -> Outcome:
    """Check that each node at a path in `at` has an attribute at `has`.

    >>> ref_has("labels[*]", "ome.multiscales").params["has"]
    'ome.multiscales'
    """
    found = targets(site, at, base)
    if not found:
        return nothing_at(at)
    steps = parse_selector(has).steps
    return tuple(
        Breach(value.node, value.path, f"the path of a node with the attribute {has}", f"{show(value.value)}, without it",
               None, (target.path,))
        for value, target in found
        if not select(target.attributes, steps)
    )  # fmt: skip


def _arrays(site: Site, at: str, base: Base) -> list[tuple[Value, Node]]:
    return [(value, target) for value, target in targets(site, at, base) if target.is_array]


@named
def ref_ndim(site: Site, at: str, like: str, *, base: Base = "group") -> Outcome:
    """Check that each array at a path in `at` has as many dimensions as `like` selects values.

    >>> ref_ndim(".datasets[*].path", like=".axes[*]").name
    'ref_ndim'
    """
    wanted = len(site.values(like))
    found = [(v, node) for v, node in _arrays(site, at, base) if node.shape is not None]
    if not found:
        return nothing_at(at)
    if not wanted:
        return nothing_at(like)
    what = like.removesuffix("[*]").lstrip(".@")
    return tuple(
        Breach(v.node, v.path, f"an array of {count_of(wanted, 'dimension')}, as many as {what}",
               f"{show(v.value)} of {node.ndim}: shape {show(list(node.shape or ()))}", None, (node.path,),
               copied=(node.path, ("shape",)))
        for v, node in found
        if node.ndim != wanted
    )  # fmt: skip


@named
def ref_dims(site: Site, at: str, like: str, *, base: Base = "group") -> Outcome:
    """Check that each array at a path in `at` has the dimension names that `like` selects, in order.

    >>> ref_dims(".datasets[*].path", like=".axes[*].name").name
    'ref_dims'
    """
    found = _arrays(site, at, base)
    if not found:
        return nothing_at(at)
    wanted = [v.value for v in site.values(like)]
    if not wanted:
        return nothing_at(like)
    wrong = [(v, node) for v, node in found if node.raw_dims != wanted]
    return tuple(names_breach(node, wanted, related=(v.node.path,)) for v, node in wrong)


@named
def ref_dtype(
    site: Site, at: str, *, like: str | None = None, kinds: list[str] | None = None, base: Base = "group"
) -> Outcome:
    """Check that the arrays at the paths in `at` have one data type, or with `kinds`, each one of these.

    `kinds` are names of data types without bits: "int", "uint", "float", "bool", "string". With `like`, the
    data type is that of the first array at a path in `like`.

    >>> ref_dtype("datasets[*].path", kinds=["int", "uint"]).params["kinds"]
    ['int', 'uint']
    """
    found = [(v, node) for v, node in _arrays(site, at, base) if node.dtype is not None]
    if not found:
        return nothing_at(at)
    if kinds is not None:
        expected = f"an array of the data type {one_of_words(kinds)}"
        wrong = [(v, node) for v, node in found if not is_of_kind(node.dtype, kinds)]
        return tuple(
            Breach(v.node, v.path, expected, f"{show(v.value)} of {node.dtype}", None, (node.path,),
                   copied=(node.path, node.dtype_path))
            for v, node in wrong
        )  # fmt: skip
    first = found[0][1] if like is None else next((node for _, node in _arrays(site, like, base)), None)
    if first is None:
        return nothing_at(like or at)
    return tuple(
        Breach(v.node, v.path, f"an array of {first.dtype}, as {first.path} is", f"{show(v.value)} of {node.dtype}",
               None, (node.path, first.path), copied=(node.path, node.dtype_path))
        for v, node in found
        if node.dtype != first.dtype
    )  # fmt: skip


_BITS = re.compile(r"[0-9].*")


def is_of_kind(dtype: str | None, kinds: Sequence[str]) -> bool:
    """Whether the data type, with or without its number of bits, is one of the kinds.

    >>> is_of_kind("uint8", ["int", "uint"]), is_of_kind("float64", ["int"])
    (True, False)
    """
    return dtype is not None and (dtype in kinds or _BITS.sub("", dtype) in kinds)


@named
def ref_order(site: Site, at: str, *, base: Base = "group") -> Outcome:
    """Check that the arrays at the paths in `at` go from the largest to the smallest: no length grows.

    >>> ref_order("datasets[*].path").params
    {'at': 'datasets[*].path', 'base': 'group'}
    """
    found = _arrays(site, at, base)
    if len(found) < 2:
        return Skip(f"fewer than two arrays at {at}")
    for (_, before), (value, node) in pairwise(found):
        left, right = before.shape, node.shape
        if left is None or right is None or len(left) != len(right):
            continue
        if any(b > a for a, b in zip(left, right, strict=True)):
            expected = f"an array no larger than {before.path} of shape {show(list(left))}"
            found_text = f"{show(value.value)} of shape {show(list(right))}"
            # After one misplaced array, the following ones would look misplaced, too.
            return [Breach(value.node, value.path, expected, found_text, None, (before.path, node.path))]
    return []
