"""The checks of members: which a group must or may have, and how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from zom.checks.check import NOT_READ, Breach, Outcome, Site, unpublished
from zom.count import count_of
from zom.dataclass import dataclass
from zom.extension.registry import did_you_mean, near
from zom.problems import Path, show

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Iterable, Iterator

    from zom.formats.node_view import Node

__all__ = [
    "MEMBERS",
    "Fact",
    "Membership",
    "NamePattern",
    "Sorted",
    "absent_members",
    "alike_members",
    "claimed_members",
    "known_members",
    "no_other_members",
    "required_members",
    "strange_members",
]

Fact = Literal["dtype", "rank", "dimension_names"]
"""Facts that the arrays matching one pattern can be required to share."""


MEMBERS: Final = ("members",)
"""Path from the document of a group to its members."""


class NamePattern(NamedTuple):
    """A regular expression for whole names, and how many members may match; no limit if `most` is None."""

    regex: re.Pattern[str]
    least: int = 0
    most: int | None = None


class Sorted(NamedTuple):
    """The members not claimed by name: those that each pattern claims, and the names that none does."""

    claimed: tuple[dict[str, Node], ...]
    strangers: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Membership:
    """Which members a group may have: `required` and other `names`, `patterns`, and any if it `is_open`.

    A member is claimed by its name first, and then by the first pattern that matches.

    >>> import re
    >>> from zom.formats.node_view import document_tree
    >>> group = {"zarr_format": 3, "node_type": "group"}
    >>> levels = Membership(("labels",), patterns=(NamePattern(re.compile("[0-9]+")),))
    >>> found = levels.sorted(document_tree({**group, "members": {"0": group, "labels": group, "x": group}}))
    >>> [list(each) for each in found.claimed], found.strangers
    ([['0']], ('x',))
    """

    names: Collection[str] = ()
    required: tuple[str, ...] = ()
    patterns: tuple[NamePattern, ...] = ()
    is_open: bool = True

    def sorted(self, group: Node) -> Sorted:
        """The members not claimed by name, sorted once per group."""
        found: Sorted | None = group.memory.get(self)
        if found is None:
            found = group.memory[self] = self._sorted(group.members or {})
        return found

    def _sorted(self, members: dict[str, Node]) -> Sorted:
        claimed: tuple[dict[str, Node], ...] = tuple({} for _ in self.patterns)
        strangers: list[str] = []
        for name, node in members.items():
            if name in self.names:
                continue
            for pattern, alike in zip(self.patterns, claimed, strict=True):
                if pattern.regex.fullmatch(name):
                    alike[name] = node
                    break
            else:
                strangers.append(name)
        return Sorted(claimed, tuple(strangers))


def absent_members(
    group: Node, names: Iterable[str], known: Collection[str], *, what: str = "a member", path: Path = ()
) -> Iterator[Breach]:
    """A breach for each of the `names` that no member of the group has; fixes suggest `known` names.

    `path` leads from the group's document to its members, if the document has them.
    """
    members = group.members or {}
    for name in names:
        if name not in members:
            fix = did_you_mean(near(name, known))
            place = (*path, name) if path else ()
            yield Breach(group, place, f"{what} {show(name)}", "nothing of that name", fix)


@unpublished
def known_members(site: Site) -> Outcome:
    """Check that the members of the group are known."""
    if site.node.members is not None:
        return ()
    return (site.breach((), "known members", "a group whose members are unknown"),)


@unpublished
def required_members(site: Site, membership: Membership) -> Outcome:
    """Check that the group has every required member."""
    if site.node.members is None:
        return NOT_READ
    strangers = membership.sorted(site.node).strangers
    return tuple(absent_members(site.node, membership.required, strangers, path=MEMBERS))


@unpublished
def no_other_members(site: Site, membership: Membership) -> Outcome:
    """Check that a group that isn't open has only members that the names and patterns claim."""
    if site.node.members is None:
        return NOT_READ
    if membership.is_open:
        return ()
    allowed = [*membership.names, *(f"any like {each.regex.pattern}" for each in membership.patterns)]
    words = f"only {', '.join(allowed)}" if allowed else "no members"
    strangers = membership.sorted(site.node).strangers
    return tuple(strange_members(site.node, strangers, membership.names, words))


def strange_members(
    group: Node, strangers: Iterable[str], names: Iterable[str], words: str
) -> Iterator[Breach]:
    """A breach for each of the `strangers`; fixes suggest those of the `names` that no member has."""
    absent = [name for name in names if name not in (group.members or {})]
    for name in strangers:
        fix = did_you_mean(near(name, absent))
        yield Breach(group, (*MEMBERS, name), words, show(name), fix)


@unpublished
def claimed_members(site: Site, membership: Membership) -> Outcome:
    """Check that as many members match each pattern as it allows."""
    if site.node.members is None:
        return NOT_READ
    breaches: list[Breach] = []
    for (regex, least, most), claimed in zip(
        membership.patterns, membership.sorted(site.node).claimed, strict=True
    ):
        count = len(claimed)
        few = count < least
        if few or (most is not None and count > most):
            bound = f"at least {least}" if few else f"at most {most}"
            plural = "" if bound.endswith(" 1") else "s"
            words = f"{bound} member{plural} like {regex.pattern}"
            breaches.append(site.breach(MEMBERS, words, str(count or "none")))
    return breaches


@unpublished
def alike_members(site: Site, membership: Membership, place: int, fact: Fact) -> Outcome:
    """Check that the arrays that match the pattern at index `place` share a fact."""
    if site.node.members is None:
        return NOT_READ
    arrays = [node for node in membership.sorted(site.node).claimed[place].values() if node.is_array]
    breaches: list[Breach] = []
    for node in arrays[1:]:
        first = arrays[0]
        if _fact(node, fact) != _fact(first, fact):
            path = {"dtype": node.dtype_path, "rank": ("shape",)}.get(fact, node.dims_path)
            expected = f"{_fact_words(first, fact)}, as in {first.path}"
            breaches.append(site.breach(path, expected, _fact_words(node, fact), node=node, related=(first,)))
    return breaches


def _fact(node: Node, fact: Fact) -> Any:
    found = node.resolved
    if fact == "dtype":
        return found.type_name
    return found.rank if fact == "rank" else found.names


def _fact_words(node: Node, fact: Fact) -> str:
    value = _fact(node, fact)
    if fact == "rank":
        return count_of(value, "dimension")
    return "nothing" if value is None else show(value)
