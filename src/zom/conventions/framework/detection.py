"""Detection: which conventions and versions each node of a hierarchy has, and the findings about that.

A node with an unknown version is never guessed at: it gets one loud finding. Detection is always offline, and
looks for registered conventions only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from zom.checks.selector import parse_selector, select
from zom.conventions.framework.candidates import candidates
from zom.conventions.framework.convention import declaration_of
from zom.conventions.framework.judgement import Judgement
from zom.conventions.framework.misspelt_keys import (
    MisspeltKey,
    misspelt_in,
    misspelt_sign,
    with_hints,
)
from zom.conventions.framework.registered import clash_of, conventions
from zom.misspelling import misspelt
from zom.model.assembly import Uncollected
from zom.problems import Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zom.checks.checked_rule import Profile
    from zom.conventions.framework.convention import Convention
    from zom.formats.node_view import Node
    from zom.problems import Problem

__all__ = ["judge"]

_FRAMEWORK = "https://github.com/zarr-conventions/zarr-conventions-spec"

ABSENT = rule(
    "convention/absent",
    "a requested convention is present",
    source="the request",
)
UNCHECKED = rule(
    "convention/nothing-checked",
    "at least one rule of a requested convention that is found is checked",
    source="the request",
)
UNKNOWN_VERSION = rule(
    "convention/unknown-version",
    "a node follows a known version of a convention",
    source="the convention; zom does not guess what other versions mean",
)
MISSPELT = rule(
    "convention/misspelt-key",
    "no key is a near miss of one that a convention knows",
    source="the convention; readers ignore keys that they don't know",
    lenient="warning",
    strict="warning",
    closed="warning",
)
OTHER_VERSION = rule(
    "convention/other-version",
    "a node follows the requested version of a convention",
    source="the request",
)
UNDECLARED = rule(
    "convention/undeclared",
    "a convention whose keys are used is declared in zarr_conventions if it requires that",
    source=_FRAMEWORK,
)
UNUSED = rule(
    "convention/unused",
    "at least one key of a convention that is declared in zarr_conventions is used",
    source=_FRAMEWORK,
    lenient="warning",
    strict="warning",
    closed="warning",
)
OWNED_TWICE = rule(
    "convention/owned-twice",
    "only one convention gives an attribute key its meaning",
    source=_FRAMEWORK,
)


_NEARBY: Final = 8
"""The number of groups above, and of members, that are asked for their version."""


def judge(  # noqa: PLR0913 - each is a choice of the caller's
    root: Node,
    asked: Iterable[Convention] | None = None,
    *,
    profile: Profile = "text",
    judgement: Judgement | None = None,
    beside: Iterable[Problem] = (),
    is_hidden: Callable[[Problem], bool] = lambda _: False,
) -> Judgement:
    """Check every rule at every node: of all detected conventions, or of those in `asked`.

    The results are added to `judgement` if given, with its own profile. One fault gives one finding:
    `Judgement.settle` also considers the problems in `beside`, and ignores hidden ones.

    >>> from zom.formats.node_view import document_tree
    >>> judge(document_tree({"zarr_format": 3, "node_type": "group"})).problems
    []
    """
    demanded = None if asked is None else tuple(dict.fromkeys(asked))
    if demanded is None:
        wanted = known = candidates(root)
    else:
        wanted = _with_parts(demanded)
        known = conventions.versions_of({each.id for each in wanted})
    judging = Judgement(profile) if judgement is None else judgement
    detection = _Detection(wanted, known, judging, is_asked=demanded is not None)
    with Uncollected():
        for node in root.walk():
            detection.take(node)
    if demanded is not None:
        detection.note_absent(root, demanded)
        detection.note_unchecked(root, demanded)
    judging.settle(beside, is_hidden)
    return detection.judgement


def _with_parts(asked: Iterable[Convention]) -> tuple[Convention, ...]:
    """The conventions in `asked` and their components."""
    found: dict[Convention, None] = {}
    for convention in asked:
        parts = (each for part in convention.parts for each in conventions.of_id(part))
        found.update(dict.fromkeys((convention, *parts)))
    return tuple(found)


class _Detection:
    """The detection in one hierarchy."""

    def __init__(
        self,
        wanted: Sequence[Convention],
        known: Sequence[Convention],
        judgement: Judgement,
        *,
        is_asked: bool,
    ) -> None:
        self.judgement = judgement
        self._is_asked = is_asked
        self._wanted = tuple(wanted)
        self._is_wanted = frozenset(wanted)
        ids = {each.id for each in wanted}
        # Versions that were not asked for are known as well, to distinguish them from future ones.
        candidates = [
            *(each for each in known if each.id in ids),
            *(each for each in wanted if each not in known),
        ]
        self._families: dict[str, list[Convention]] = {}
        for each in candidates:
            self._families.setdefault(each.id, []).append(each)
        self._sought = tuple((name, each, self._needed(each)) for name, each in self._families.items())
        self._strangers: set[tuple[str, str, str]] = set()
        self._meant: dict[str, tuple[Node, MisspeltKey]] = {}
        self._inherited: dict[int, list[tuple[Convention, Node]]] = {}

    def _needed(self, family: Sequence[Convention]) -> frozenset[str] | None:
        """Attributes of which a node has at least one if the family is found there, or None if unknown."""
        needed = [each.needed for each in family]
        if self._is_asked and any(each.everywhere and each in self._wanted for each in family):
            return None
        known = [each for each in needed if each is not None]
        return frozenset[str]().union(*known) if len(known) == len(needed) else None

    def take(self, node: Node) -> None:
        """Check the node by every convention that it has or inherits."""
        judgement = self.judgement
        text = judgement.take(node)
        found: dict[str, Convention] = {}
        attributes = node.attributes
        for name, family, needed in self._sought:
            if needed is None or not needed.isdisjoint(attributes):
                self._find(node, name, family, found)
        self._note_declarations(node, [each for each in found.values() if each in self._is_wanted])
        before = len(judgement.problems)
        for convention in found.values():
            if convention in self._is_wanted:
                judgement.judge(convention, node, node, text)
                self._bequeath(convention, node)
        for convention, holder in self._inherited.pop(id(node), ()):
            if convention.id not in found and convention in self._is_wanted:
                judgement.judge(convention, node, holder, text)
        if len(found) > 1:
            self._note_owned_twice(node, list(found.values()))
        if node.attributes:
            self._note_misspelt(node, found, before)

    def _find(
        self, node: Node, name: str, family: Sequence[Convention], found: dict[str, Convention]
    ) -> None:
        here = [(each, how) for each in family if (how := self._how(each, node)) is not None]
        if not here:
            return
        if len(family) == 1 and not family[0].version_at:
            convention, how = here[0]
        else:
            picked = self._pick(node, name, here)
            if picked is None:
                return
            convention, how = picked
        found[name] = convention
        if convention in self._is_wanted:
            self.judgement.found(convention, node, how)
        else:
            asked = [each.name for each in family if each in self._is_wanted]
            if not self._above(node, name, convention.name):
                self.judgement.say(OTHER_VERSION, node, (), " or ".join(asked), convention.name)

    def _how(self, convention: Convention, node: Node) -> str | None:
        how = convention.found_at(node)
        if how is None and self._is_asked and convention.everywhere and convention in self._is_wanted:
            can_be = node.kind is None or node.kind in convention.on
            return "asked for" if can_be and node.form in convention.formats else None
        return how

    def _pick(
        self, node: Node, name: str, here: Sequence[tuple[Convention, str]]
    ) -> tuple[Convention, str] | None:
        """The version that the node names, or the version meant if it names none."""
        said: tuple[Path, Any] | None = None
        named: tuple[Convention, str] | None = None
        for each, how in here:
            version = _version(each, node)
            if version is None:
                if named is None and (each.assumed or not each.version_at):
                    adopted = next((pair for pair in here if pair[0].adopts_version(node, None)), None)
                    return adopted or self._pick_as_nearby(node, here) or (each, how)
                continue
            if each.adopts_version(node, version[1]) or (named is None and version[1] == each.version):
                named = each, f"{how}, version {show(version[1])}"
            said = version
        if named is not None:
            return named
        if said is None:
            # Found by its keys, without a version: the newest one reports what is missing.
            return here[-1]
        if not self._above(node, name, show(said[1])):
            self._note_unknown_version(node, name, said, [each for each, _ in here])
        return None

    @staticmethod
    def _pick_as_nearby(node: Node, here: Sequence[tuple[Convention, str]]) -> tuple[Convention, str] | None:
        """The version that a group above or a member names for a node without one, or None."""
        above = islice(node.ancestors(), _NEARBY)
        below = islice((node.members or {}).values(), _NEARBY)
        for other in chain(above, below):
            for each, how in here:
                version = _version(each, other)
                if version is not None and version[1] == each.version:
                    return each, f"{how}, version {show(version[1])} as in {other.path}"
        return None

    def _note_unknown_version(
        self, node: Node, name: str, said: tuple[Path, Any], here: Sequence[Convention]
    ) -> None:
        """Report that the version in `said` is unknown, or is not one with its metadata `here`."""
        path, version = said
        known = [each.version for each in self._families[name] if each.version is not None]
        expected = f"a known version of {name}: {', '.join(_released(known))}"
        fix = "write the version that the metadata follows, or update zom"
        if version in known:
            possible = [each.version for each in here if each.version is not None]
            expected = (
                f"a version of {name} with its metadata in this place: {', '.join(_released(possible))}"
            )
            fix = f"write the version that the metadata follows, or store it as {name} {version} does"
        elif not isinstance(version, str) and show(version) in known:
            expected = f"a version of {name}, a string"
            fix = f'write it in quotes: "{version}"'
        self.judgement.say(UNKNOWN_VERSION, node, ("attributes", *path), expected, show(version), fix)

    def _above(self, node: Node, name: str, version: str) -> bool:
        """Whether the same was reported for a node above; also records it for this node."""
        told = any((each.path, name, version) in self._strangers for each in node.ancestors())
        self._strangers.add((node.path, name, version))
        return told

    def _bequeath(self, convention: Convention, node: Node) -> None:
        if convention.inherit == "none" or not node.is_group:
            return
        if convention.inherit == "children":
            heirs: Iterator[Node] | Iterable[Node] = (node.members or {}).values()
        else:
            heirs = (each for each in node.walk() if each is not node)
        for heir in heirs:
            if heir.is_array:
                inherited = self._inherited.setdefault(id(heir), [])
                # The nearest declaration wins.
                inherited[:] = [(each, holder) for each, holder in inherited if each.id != convention.id]
                inherited.append((convention, node))

    def _note_declarations(self, node: Node, found: Sequence[Convention]) -> None:
        """Report missing declarations in `zarr_conventions`, all in one finding, and unused ones."""
        undeclared: dict[Convention, str] = {}
        for convention in found:
            if convention.uuid is None:
                continue
            place, used = declaration_of(convention, node), convention.key_in(node)
            if place is None and used is not None and convention.declared:
                undeclared[convention] = used
            elif place is not None and used is None and convention.owns:
                self._note_unused(convention, node, place)
        if undeclared and not any(misspelt(key, "zarr_conventions") for key in node.attributes):
            names, keys = (
                ", ".join(each) for each in ((c.id for c in undeclared), map(show, undeclared.values()))
            )
            verb, what = ("is", "it") if len(undeclared) == 1 else ("are", "them")
            entries = ", ".join(f'{{"uuid": "{each.uuid}", "name": "{each.id}"}}' for each in undeclared)
            self.judgement.say(
                UNDECLARED,
                node,
                ("attributes", "zarr_conventions"),
                f"{names} declared in zarr_conventions, because {keys} {verb} used",
                f"no declaration of {what}" if "zarr_conventions" in node.attributes else "nothing",
                f"add {entries} to zarr_conventions",
            )

    def _note_unused(self, convention: Convention, node: Node, place: int) -> None:
        expected = (
            f"one of {', '.join(convention.owns)} among the attributes, because {convention.id} is declared"
        )
        entry = ("attributes", "zarr_conventions", place)
        fix = "add them, or remove the declaration"
        self.judgement.say(UNUSED, node, entry, expected, "none", fix, convention=convention)

    def _note_owned_twice(self, node: Node, found: Sequence[Convention]) -> None:
        for place, left in enumerate(found):
            for right in found[place + 1 :]:
                key = _clash_of(left, right)
                if key is not None:
                    expected = f"one convention that owns {show(key)}"
                    self.judgement.say(
                        OWNED_TWICE, node, ("attributes", key), expected, f"{left.name} and {right.name}"
                    )

    def _note_misspelt(self, node: Node, found: Mapping[str, Convention], before: int) -> None:
        """Report misspelt keys; findings since `before` that miss such a key mention it instead."""
        within = [
            slip for each in found.values() if each in self._is_wanted for slip in misspelt_in(each, node)
        ]
        signs: list[MisspeltKey] = []
        for convention, slip in misspelt_sign(node, found, self._wanted):
            if self._is_asked and convention.id not in self._meant:
                self._meant[convention.id] = (node, slip)
            signs.append(slip)
        slips = dict.fromkeys((*within, *signs))
        if not slips:
            return
        left, revised = with_hints(self.judgement.told_since(before), node, slips)
        self.judgement.revise(before, revised)
        # Each key once, whatever else it may mean, unless the finding of a missing key mentions it.
        told = {(slip.holder, slip.key) for slip in slips if slip not in left}
        for slip in left:
            if (slip.holder, slip.key) in told:
                continue
            told.add((slip.holder, slip.key))
            path = ("attributes", *slip.holder, slip.key)
            expected = f"{show(slip.meant)}, or a clearly different name"
            fix = f"did you mean {slip.meant!r}?"
            self.judgement.say(MISSPELT, node, path, expected, show(slip.key), fix)

    def note_unchecked(self, root: Node, demanded: Sequence[Convention]) -> None:
        """Report conventions that were asked for and found, but of which no rule applied."""
        if any(each.severity == "error" for each in self.judgement.problems):
            return  # the report has errors already
        checked = {
            each.convention.partition("/")[0]
            for each in self.judgement.tallies()
            if each.passed or each.failed
        }
        present = {name.partition("/")[0]: each for name, each in self.judgement.presences.items()}
        for name in dict.fromkeys(each.id for each in demanded):
            parts = {part for each in demanded if each.id == name for part in each.parts}
            found = present.get(name)
            if found is None or checked & {name, *parts} or any(told[1] == name for told in self._strangers):
                continue
            profile = self.judgement.profile
            expected = f"a rule of {found.convention} that applies, in the profile {profile}"
            shown = f"none, though the convention is found at {found.first}: {found.how}"
            fix = "check that the metadata is complete and in the right place"
            fix += "" if profile == "full" else '; the profile "full" has more rules'
            self.judgement.say(UNCHECKED, root, (), expected, shown, fix)

    def note_absent(self, root: Node, demanded: Sequence[Convention]) -> None:
        """Report conventions that were asked for and not found."""
        present = self.judgement.presences
        ids = {name.partition("/")[0] for name in present}
        for name, family in self._families.items():
            wanted = [each for each in family if each in self._is_wanted]
            # If one version is present, the rules of the others don't matter.
            if not any(each.name in present for each in wanted):
                for each in wanted:
                    self.judgement.expect(each)
            asked = [each for each in family if each in demanded]
            is_there = any(each.name in present or ids & set(each.parts) for each in asked)
            is_stranger = any(stranger[1] == name for stranger in self._strangers)
            if asked and not is_there and not is_stranger:
                keys = sorted({key for each in asked for key in _shown(each)})
                expected = f"metadata of {' or '.join(each.name for each in asked)}"
                expected += f", such as {', '.join(keys[:6])}" if keys else ""
                self._note_one_absent(root, name, expected)

    def _note_one_absent(self, root: Node, name: str, expected: str) -> None:
        if name not in self._meant:
            self.judgement.say(ABSENT, root, (), expected, "none at any node")
            return
        node, slip = self._meant[name]
        path = ("attributes", *slip.holder, slip.key)
        # One fault: nothing was found because the key is misspelt.
        kept = (
            each
            for each in self.judgement.problems
            if each.code != MISSPELT.code or each.inside != path or each.node != node.path
        )
        self.judgement.problems[:] = list(kept)
        self.judgement.say(
            ABSENT, node, path, expected, show(slip.key), f"rename {slip.key!r} to {slip.meant!r}"
        )


_clash_of = lru_cache(maxsize=1024)(clash_of)  # every node with both asks


def _shown(convention: Convention) -> Iterable[str]:
    """The attributes of the convention to list: those it owns, or others that identify it."""
    keys = convention.telling if convention.signs else ()
    return keys if keys and not set(keys) & set(convention.owns) else convention.owns


def _released(versions: Sequence[str]) -> Sequence[str]:
    """The final versions, which users should write, or all if there are only drafts."""
    return [each for each in versions if re.fullmatch(r"v?[0-9.]+", each, re.ASCII)] or versions


def _version(convention: Convention, node: Node) -> tuple[Path, Any] | None:
    for selector in convention.version_at:
        found = select(node.attributes, parse_selector(selector).steps)
        if found:
            return found[0]
    return None
