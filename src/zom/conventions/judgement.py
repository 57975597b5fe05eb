"""Judging: every rule of every convention that is found, at every node of a hierarchy, each once.

A rule passes at a node, fails there, or doesn't apply, and that is counted: a report that checked
nothing says so. What the model of attributes says hides no rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from zom.conventions.attributes import faults_in
from zom.conventions.check import Breach, Site, Skip
from zom.conventions.convention import clash_of, conventions, declaration_of
from zom.conventions.rule import holds, scopes_of
from zom.conventions.selector import EVERY, parse_selector, select
from zom.problems import Problem, pointer_of, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zom.conventions.attributes import Steps
    from zom.conventions.convention import Convention
    from zom.conventions.rule import Profile, Rule
    from zom.conventions.view import Node, Path
    from zom.problems import Fault
    from zom.problems import Rule as Sentence

__all__ = ["Judgement", "Presence", "Tally", "judge"]

_FRAMEWORK = "https://github.com/zarr-conventions/zarr-conventions-spec"

ABSENT = rule(
    "convention/absent",
    "a convention that is asked for is there",
    source="what was asked for",
)
UNKNOWN_VERSION = rule(
    "convention/unknown-version",
    "a node follows a version of a convention that is known",
    source="the convention; what another version means is not guessed",
)
OTHER_VERSION = rule(
    "convention/other-version",
    "a node follows the version of a convention that is asked for",
    source="what was asked for",
)
UNDECLARED = rule(
    "convention/undeclared",
    "a convention whose keys are used is declared in zarr_conventions, where it asks for that",
    source=_FRAMEWORK,
)
UNUSED = rule(
    "convention/unused",
    "of a convention that is declared in zarr_conventions, at least one key is used",
    source=_FRAMEWORK,
    lenient="warning",
    strict="warning",
    closed="warning",
)
OWNED_TWICE = rule(
    "convention/owned-twice",
    "a key of attributes has one convention that gives it a meaning",
    source=_FRAMEWORK,
)


@dataclass(slots=True)
class Tally:
    """How a rule fared: at how many nodes it passed, failed, and did not apply, and why."""

    convention: str
    code: str
    rule: Rule
    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])


@dataclass(slots=True)
class Presence:
    """Where a convention was found."""

    convention: str
    first: str
    """The first node that has it."""
    how: str
    nodes: int = 0


class Judgement:
    """What became of the rules, while nodes are judged."""

    def __init__(self, profile: Profile) -> None:
        self.profile: Profile = profile
        self.problems: list[Problem] = []
        self.tallies: dict[tuple[str, str], Tally] = {}
        self.presences: dict[str, Presence] = {}
        self.nodes = 0

    def tally(self, convention: Convention, each: Rule) -> Tally:
        """What is counted of a rule."""
        key = (convention.name, each.id)
        found = self.tallies.get(key)
        if found is None:
            found = self.tallies[key] = Tally(convention.name, convention.code(each), each)
        return found

    def expect(self, convention: Convention) -> None:
        """Count all rules of the convention, those that never get to run as well."""
        for each in convention.all_rules:
            if each.is_in(self.profile):
                self.tally(convention, each)

    def found(self, convention: Convention, node: Node, how: str) -> None:
        """Note that the convention is at the node."""
        presence = self.presences.get(convention.name)
        if presence is None:
            presence = self.presences[convention.name] = Presence(convention.name, node.path, how)
            self.expect(convention)
        presence.nodes += 1

    # --- one convention at one node --------------------------------------------------------------------

    def judge(self, convention: Convention, node: Node, holder: Node) -> None:
        """Every rule of the convention at the node."""
        site = Site(node, holder)
        for each in convention.checked_rules(node.kind, self.profile):
            self._judge_rule(convention, each, site)
        if node is holder:
            self._judge_form(convention, node)

    def _judge_rule(self, convention: Convention, each: Rule, site: Site) -> None:
        tally = self.tally(convention, each)
        scopes = scopes_of(each, site)
        if not scopes:
            tally.skipped[f"nothing at {each.each}"] += 1
            return
        ran, why = False, ""
        breaches: list[Breach] = []
        for scope in scopes:
            if each.when and not all(holds(condition, scope) for condition in each.when):
                continue
            outcome = each.check.run(scope)
            if isinstance(outcome, Skip):
                why = why or outcome.why
            else:
                ran = True
                breaches.extend(outcome)
        if breaches:
            tally.failed += 1
            self.problems.extend(self._problem(convention, each, breach) for breach in breaches)
        elif ran:
            tally.passed += 1
        else:
            tally.skipped[why or "its condition is not met"] += 1

    def _problem(self, convention: Convention, each: Rule, breach: Breach) -> Problem:
        node, fix = breach.node, breach.fix or each.fix
        code, severity = convention.code(each), each.severity(self.profile)
        pointer = _pointer(node, breach.path)
        return Problem(
            code,
            severity,
            node.path,
            pointer,
            breach.path,
            breach.expected,
            breach.found,
            fix,
            related=breach.related,
        )

    def _judge_form(self, convention: Convention, node: Node) -> None:
        """What the model of the attributes says, each fault under the rule that stands beside its field."""
        model = convention.models.get(node.kind or "group")
        if model is None:
            return
        faults = faults_in(model, node.attributes)
        if faults is None:
            return
        judged = convention.form_rules(node.kind or "group")
        by_rule: dict[str, list[Fault]] = {}
        for fault in faults:
            each = _owner(judged, fault.path)
            by_rule.setdefault(each.id, []).append(fault)
        for steps, each in judged:
            if not each.is_in(self.profile):
                continue
            found = by_rule.pop(each.id, ())
            tally = self.tally(convention, each)
            for fault in found:
                path = ("attributes", *fault.path)
                breach = Breach(node, path, fault.expected, fault.found, fault.fix)
                self.problems.append(self._problem(convention, each, breach))
            if found:
                tally.failed += 1
            elif select(node.attributes, steps):
                tally.passed += 1
            else:
                tally.skipped[f"nothing at {each.each}"] += 1

    # --- what the framework itself says ------------------------------------------------------------------

    def say(  # noqa: PLR0913, PLR0917 - a problem has that many facts
        self,
        sentence: Sentence,
        node: Node,
        path: Path,
        expected: str,
        found: str,
        fix: str | None = None,
    ) -> None:
        """A finding of the framework."""
        severity = sentence.severity("strict")
        if severity is not None:
            pointer = _pointer(node, path)
            self.problems.append(
                Problem(sentence.code, severity, node.path, pointer, path, expected, found, fix)
            )


def _owner(judged: Sequence[tuple[Steps, Rule]], path: Path) -> Rule:
    """The rule that stands nearest above `path`; the last one stands above all."""
    best, length = judged[-1][1], -1
    for steps, each in judged:
        if length < len(steps) <= len(path) and all(
            step == at or (step == EVERY and isinstance(at, int))
            for step, at in zip(steps, path, strict=False)
        ):
            best, length = each, len(steps)
    return best


def _pointer(node: Node, path: Path) -> str:
    names = node.path.strip("/").split("/") if node.parent is not None else []
    return pointer_of([*(step for name in names for step in ("members", name)), *path])


# --- a whole hierarchy -------------------------------------------------------------------------------------


def judge(
    root: Node,
    asked: Iterable[Convention] | None = None,
    *,
    profile: Profile = "text",
) -> Judgement:
    """Every rule at every node: of all conventions that are found, or of those `asked` for.

    >>> from zom.conventions.view import document_tree
    >>> judge(document_tree({"zarr_format": 3, "node_type": "group"})).problems
    []
    """
    known = tuple(conventions)
    wanted = tuple(dict.fromkeys(asked)) if asked is not None else known
    judging = _Judging(wanted, known, Judgement(profile), is_asked=asked is not None)
    for node in root.walk():
        judging.take(node)
    if asked is not None:
        judging.note_absent(root)
    return judging.judgement


class _Judging:
    """One hierarchy that is judged."""

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
        self._wanted = frozenset(wanted)
        ids = {each.id for each in wanted}
        # The versions that were not asked for are known all the same: that tells them from future ones.
        candidates = [
            *(each for each in known if each.id in ids),
            *(each for each in wanted if each not in known),
        ]
        self._families: dict[str, list[Convention]] = {}
        for each in candidates:
            self._families.setdefault(each.id, []).append(each)
        self._strangers: set[tuple[str, str, str]] = set()
        self._inherited: dict[int, list[tuple[Convention, Node]]] = {}

    def take(self, node: Node) -> None:
        """Judge the node by every convention that it has or inherits."""
        judgement = self.judgement
        judgement.nodes += 1
        found: dict[str, Convention] = {}
        for name, family in self._families.items():
            if not family[0].requires:
                self._find(node, name, family, found)
        for name, family in self._families.items():
            if family[0].requires and all(each in found for each in family[0].requires):
                self._find(node, name, family, found)
        for convention in found.values():
            if convention in self._wanted:
                judgement.judge(convention, node, node)
                self._bequeath(convention, node)
        for convention, holder in self._inherited.pop(id(node), ()):
            if convention.id not in found and convention in self._wanted:
                judgement.judge(convention, node, holder)
        if len(found) > 1:
            self._note_owned_twice(node, list(found.values()))

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
        if convention in self._wanted:
            self.judgement.found(convention, node, how)
            self._note_declaration(convention, node)
        else:
            asked = [each.name for each in family if each in self._wanted]
            if not self._above(node, name, convention.name):
                self.judgement.say(OTHER_VERSION, node, (), " or ".join(asked), convention.name)

    def _how(self, convention: Convention, node: Node) -> str | None:
        how = convention.found_at(node)
        if how is None and self._is_asked and convention.everywhere and convention in self._wanted:
            can_be = node.kind is None or node.kind in convention.on
            return "asked for" if can_be and node.form in convention.formats else None
        return how

    def _pick(
        self, node: Node, name: str, here: Sequence[tuple[Convention, str]]
    ) -> tuple[Convention, str] | None:
        """The version that the node says it follows, or that is meant where it says none."""
        said: tuple[Path, Any] | None = None
        for each, how in here:
            version = _version(each, node)
            if version is None:
                if each.assumed or not each.version_at:
                    return each, how
                continue
            if version[1] == each.version:
                return each, f"{how}, version {show(version[1])}"
            said = version
        if said is None:
            # Found by its keys, and no version: the newest one tells what is missing.
            return here[-1]
        known = [each.version for each in self._families[name] if each.version is not None]
        if not self._above(node, name, show(said[1])):
            expected = f"a version of {name} that is known: {', '.join(known)}"
            fix = "write the version that the metadata follows, or update zom"
            self.judgement.say(UNKNOWN_VERSION, node, ("attributes", *said[0]), expected, show(said[1]), fix)
        return None

    def _above(self, node: Node, name: str, version: str) -> bool:
        """Whether the same was said of a node above; noted, that it is said of this one now."""
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
                # What is declared nearer counts.
                inherited[:] = [(each, holder) for each, holder in inherited if each.id != convention.id]
                inherited.append((convention, node))

    def _note_declaration(self, convention: Convention, node: Node) -> None:
        if convention.uuid is None:
            return
        place = declaration_of(convention, node)
        used = next((key for key in node.attributes if convention.owns_key(key)), None)
        if place is None and used is not None and convention.declared:
            expected = f"{convention.id} declared in zarr_conventions, for {show(used)} is used"
            fix = f'add {{"uuid": "{convention.uuid}", "name": "{convention.id}"}} to zarr_conventions'
            path = ("attributes", "zarr_conventions")
            found = "no declaration of it" if "zarr_conventions" in node.attributes else "nothing"
            self.judgement.say(UNDECLARED, node, path, expected, found, fix)
        elif place is not None and used is None and convention.owns:
            expected = (
                f"one of {', '.join(convention.owns)} among the attributes, for {convention.id} is declared"
            )
            entry = ("attributes", "zarr_conventions", place)
            self.judgement.say(
                UNUSED, node, entry, expected, "none", "add them, or take the declaration away"
            )

    def _note_owned_twice(self, node: Node, found: Sequence[Convention]) -> None:
        for place, left in enumerate(found):
            for right in found[place + 1 :]:
                key = clash_of(left, right)
                if key is not None:
                    expected = f"one convention that owns {show(key)}"
                    self.judgement.say(
                        OWNED_TWICE, node, ("attributes", key), expected, f"{left.name} and {right.name}"
                    )

    def note_absent(self, root: Node) -> None:
        """Say what was asked for and is nowhere."""
        presences = self.judgement.presences
        for name, family in self._families.items():
            wanted = [each for each in family if each in self._wanted]
            for each in wanted:
                self.judgement.expect(each)
            if not any(each.name in presences for each in wanted):
                names = " or ".join(each.name for each in wanted)
                if any(problem.code == OTHER_VERSION.code for problem in self.judgement.problems):
                    continue
                if any(stranger[1] == name for stranger in self._strangers):
                    continue
                keys = sorted({key for each in wanted for key in each.owns})
                expected = f"metadata of {names}" + (f", such as {', '.join(keys[:6])}" if keys else "")
                self.judgement.say(ABSENT, root, (), expected, "none at any node")


def _version(convention: Convention, node: Node) -> tuple[Path, Any] | None:
    for selector in convention.version_at:
        found = select(node.attributes, parse_selector(selector).steps)
        if found:
            return found[0]
    return None
