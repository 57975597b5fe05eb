"""Judgement: what became of every rule of the conventions that are found, node by node.

A rule passes at a node, fails there, or doesn't apply, and that is counted: a report that checked
nothing says so. What the model of attributes says hides no rule.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Site, Skip
from zom.checks.selector import EVERY, leads, leads_along, parse_selector
from zom.checks.verdict import asking, pointer_to, problem_of, why_absent
from zom.conventions.framework.attributes import faults_in
from zom.conventions.framework.likeness import Likeness
from zom.conventions.framework.precedence import settled
from zom.conventions.framework.told import Told
from zom.dataclass import dataclass
from zom.extension.registry import near
from zom.formats.v3_rules import MEMBER_NAMES, UNKNOWN_MEMBER
from zom.json.exact import exact_text
from zom.problems import Path, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zom.checks.check import Outcome
    from zom.checks.checked_rule import CheckedRule, Profile
    from zom.conventions.framework.attributes import Attributes, Steps
    from zom.conventions.framework.convention import Convention
    from zom.formats.node_view import Node
    from zom.problems import Rule

__all__ = ["Judgement", "Presence", "Tally"]


@dataclass(slots=True)
class Tally:
    """How a rule fared: at how many nodes it passed, failed, and did not apply, and why."""

    convention: str
    code: str
    rule: CheckedRule
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
    further: Mapping[str, str]
    nodes: int = 0


@dataclass(slots=True)
class _Block:
    """Rules that apply only where something stands at `root`: where nothing does, all are passed over at once."""

    root: Steps
    rules: list[tuple[CheckedRule, Tally, Callable[[Site], Outcome]]]
    absent: int = 0

    def stands_in(self, attributes: Mapping[str, Any]) -> bool:
        """Whether anything stands there."""
        root = self.root
        # Most blocks have one step, or none.
        return not root or (root[0] in attributes and leads_along(attributes, root))


@dataclass(slots=True)
class _Outcome:
    """What the rules that look at one document only said of it, and of how many nodes with such a document."""

    passed: list[Tally] = field(default_factory=list["Tally"])
    failed: list[Tally] = field(default_factory=list["Tally"])
    skipped: list[tuple[Tally, str]] = field(default_factory=list["tuple[Tally, str]"])
    absent: list[_Block] = field(default_factory=list["_Block"])
    breaches: list[tuple[CheckedRule, Breach]] = field(default_factory=list["tuple[CheckedRule, Breach]"])
    times: int = 0

    def count(self) -> None:
        """Add it to the tallies, as often as it came up since."""
        times, self.times = self.times, 0
        for tally in self.passed:
            tally.passed += times
        for tally in self.failed:
            tally.failed += times
        for tally, why in self.skipped:
            tally.skipped[why] += times
        for block in self.absent:
            block.absent += times


_REMEMBERED: Final = 4096
"""How many documents of a convention are remembered with what was said of them."""


@dataclass(slots=True)
class _KeySet:
    """Attributes with the same keys, and the rules that look further than one document which these let apply."""

    present: list[_Block]
    """Those whose root may be there: its first step is."""
    absent: list[_Block]
    times: int = 0

    def count(self) -> None:
        """Add to the blocks that are absent how often they were."""
        times, self.times = self.times, 0
        for block in self.absent:
            block.absent += times


@dataclass(slots=True)
class _Later:
    """The rules that a newer version of the convention made than nodes follow, with why they don't apply."""

    rules: list[tuple[Tally, str]]
    times: int = 0

    def count(self) -> None:
        """Add to the tallies how many nodes there were."""
        times, self.times = self.times, 0
        for tally, why in self.rules:
            tally.skipped[why] += times


@dataclass(slots=True)
class _Plan:
    """The rules of a convention for one kind of node, in one version, bound to what is counted of them."""

    later: _Later
    local: list[_Block]
    wide: list[_Block]
    model: type[Attributes] | None
    form: list[_Block]
    owners: tuple[tuple[Steps, CheckedRule], ...]
    outcomes: dict[str | bytes, _Outcome] = field(default_factory=dict["str | bytes", _Outcome])
    key_sets: dict[tuple[str, ...], _KeySet] = field(default_factory=dict["tuple[str, ...]", _KeySet])

    def key_set(self, attributes: Mapping[str, Any]) -> _KeySet:
        """The blocks of `wide` for attributes with these keys: nodes with the same ones are many."""
        keys = tuple(attributes)
        found = self.key_sets.get(keys)
        if found is None:
            if len(self.key_sets) >= _REMEMBERED:
                self.forget_key_sets()
            found = self.key_sets[keys] = _KeySet([], [])
            for block in self.wide:
                is_present = not block.root or block.root[0] in attributes
                (found.present if is_present else found.absent).append(block)
        found.times += 1
        return found

    def forget_key_sets(self) -> None:
        """Count what they tell, and start anew."""
        for each in self.key_sets.values():
            each.count()
        self.key_sets.clear()


class Judgement:
    """What became of the rules, while nodes are judged."""

    def __init__(self, profile: Profile) -> None:
        self.profile: Profile = profile
        self.problems: list[Problem] = []
        self.resting: list[Problem] = []
        """What is found as well, and rests on one of the problems: set by `settle`."""
        self._told: list[tuple[Told, Tally | None]] = []
        self.presences: dict[str, Presence] = {}
        self.nodes = 0
        self._tallies: dict[tuple[str, str], Tally] = {}
        self._plans: dict[tuple[object, ...], _Plan] = {}
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """What identifies the documents that were judged: a SHA-256 over paths and documents."""
        return self._digest.hexdigest()

    def take(self, node: Node) -> str | bytes:
        """Count the node, and give the text of its document."""
        self.nodes += 1
        text = exact_text(node.document)
        self._digest.update(f"{node.path}\n".encode("utf-8", "surrogatepass"))
        self._digest.update(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return text

    def tallies(self) -> list[Tally]:
        """What was counted of each rule."""
        for plan in self._plans.values():
            plan.later.count()
            for outcome in plan.outcomes.values():
                outcome.count()
            plan.forget_key_sets()
            for block in (*plan.local, *plan.wide, *plan.form):
                for each, tally, _ in block.rules if block.absent else ():
                    tally.skipped[why_absent(each)] += block.absent
                block.absent = 0
        return list(self._tallies.values())

    def _tally(self, convention: Convention, each: CheckedRule) -> Tally:
        key = (convention.name, each.id)
        found = self._tallies.get(key)
        if found is None:
            found = self._tallies[key] = Tally(convention.name, convention.code(each), each)
        return found

    def expect(self, convention: Convention) -> None:
        """Count all rules of the convention, those that never get to run as well."""
        for each in convention.all_rules:
            if each.is_in(self.profile):
                self._tally(convention, each)

    def found(self, convention: Convention, node: Node, how: str) -> None:
        """Note that the convention is at the node."""
        presence = self.presences.get(convention.name)
        if presence is None:
            presence = self.presences[convention.name] = Presence(
                convention.name, node.path, how, convention.further
            )
            self.expect(convention)
        presence.nodes += 1

    # --- one convention at one node --------------------------------------------------------------------

    def judge(self, convention: Convention, node: Node, holder: Node, text: str | bytes) -> None:
        """Every rule of the convention at the node, whose document is `text`."""
        plan = self._plan(convention, node, is_heir=node is not holder)
        site = Site(node, holder)
        alike = Likeness(convention.free, node, text)
        outcome = plan.outcomes.get(alike.text) if node is holder else None
        if outcome is None:
            outcome = self._local_outcome(plan, site)
            told = (breach for _, breach in outcome.breaches)
            if node is holder and len(plan.outcomes) < _REMEMBERED and not alike.is_told_in(told):
                plan.outcomes[alike.text] = outcome
        outcome.times += 1
        if plan.outcomes.get(alike.text) is not outcome:
            outcome.count()  # it is not remembered
        for each, breach in outcome.breaches:
            here = breach._replace(node=node) if node is holder else breach
            self._tell(convention, each, here, site)
        for each, breach in self._wide_breaches(plan, site):
            self._tell(convention, each, breach, site)

    def _plan(self, convention: Convention, node: Node, *, is_heir: bool) -> _Plan:
        # An heir has attributes of its own: of what it inherits, only the rules on its kind are about it.
        followed = convention.version_followed(node)
        key = (convention, node.kind, node.form, is_heir, followed)
        plan = self._plans.get(key)
        if plan is None:
            kind = node.kind
            rules = convention.checked_rules(kind, self.profile)
            rules = tuple(each for each in rules if each.on == kind) if is_heir else rules
            others = tuple(each for each in rules if not _holds(each, followed))
            rules = tuple(each for each in rules if _holds(each, followed))
            owners = convention.form_rules(kind or "group")
            plan = self._plans[key] = _Plan(
                _Later([(self._tally(convention, each), _dates_of(each)) for each in others]),
                self._blocks(convention, [each for each in rules if each.is_local]),
                self._blocks(convention, [each for each in rules if not each.is_local]),
                convention.models.get(kind or "group"),
                self._blocks(convention, [each for _, each in owners if each.is_in(self.profile)]),
                owners,
            )
        plan.later.times += 1
        return plan

    def _blocks(self, convention: Convention, rules: Sequence[CheckedRule]) -> list[_Block]:
        blocks: dict[Steps, _Block] = {}
        for each in rules:
            root = _root_of(each)
            block = blocks.setdefault(root, _Block(root, []))
            block.rules.append((each, self._tally(convention, each), asking(each)))
        return list(blocks.values())

    def _local_outcome(self, plan: _Plan, site: Site) -> _Outcome:
        outcome = _Outcome()
        for block in plan.local:
            if not block.stands_in(site.holder.attributes):
                outcome.absent.append(block)
                continue
            for each, tally, ask in block.rules:
                _note(outcome, each, tally, ask(site))
        if site.node is site.holder and plan.model is not None:
            _note_form(outcome, plan, plan.model, site)
        return outcome

    def _wide_breaches(self, plan: _Plan, site: Site) -> Iterator[tuple[CheckedRule, Breach]]:
        attributes = site.holder.attributes
        for block in plan.key_set(attributes).present:
            if len(block.root) > 1 and not leads_along(attributes, block.root):
                block.absent += 1
                continue
            for each, tally, ask in block.rules:
                outcome = ask(site)
                if isinstance(outcome, Skip):
                    tally.skipped[outcome.why] += 1
                elif outcome:
                    tally.failed += 1
                    yield from ((each, breach) for breach in outcome)
                else:
                    tally.passed += 1

    def _tell(self, convention: Convention, each: CheckedRule, breach: Breach, site: Site) -> None:
        problem = problem_of(each, breach, convention.code(each), each.severity(self.profile))
        self.problems.append(problem)
        self._told.append(
            (
                Told(
                    problem,
                    convention,
                    each,
                    site.node,
                    site.holder,
                    breach.cause,
                    breach.slip,
                    breach.node,
                ),
                self._tally(convention, each),
            )
        )

    # --- what the framework itself says ------------------------------------------------------------------

    def say(  # noqa: PLR0913, PLR0917 - a problem has that many facts
        self,
        rule: Rule,
        node: Node,
        path: Path,
        expected: str,
        found: str,
        fix: str | None = None,
        *,
        convention: Convention | None = None,
    ) -> None:
        """A finding of the framework, of a convention where one is given."""
        severity = rule.severity("strict")
        if severity is not None:
            pointer = pointer_to(node, path)
            problem = Problem(rule.code, severity, node.path, pointer, path, expected, found, fix)
            self.problems.append(problem)
            self._told.append((Told(problem, convention), None))

    def told_since(self, place: int) -> list[Told]:
        """What was told after the first `place` findings."""
        return [each for each, _ in self._told[place:]]

    def revise(self, place: int, revised: Mapping[int, Told | None]) -> None:
        """Say instead what `revised` has, by the place after the first `place` findings; nothing for None."""
        later = [
            (new, tally)
            for at, (each, tally) in enumerate(self._told[place:])
            if (new := revised.get(at, each)) is not None
        ]
        self._told[place:] = later
        self.problems[place:] = [each.problem for each, _ in later]

    # --- which of them speak -------------------------------------------------------------------------------

    def settle(
        self, beside: Iterable[Problem] = (), is_hidden: Callable[[Problem], bool] = lambda _: False
    ) -> None:
        """Leave one finding for one fault among the problems, and the others among those that rest on it.

        What Zarr's own rules say `beside` counts as well, and what the user hides doesn't.
        """
        own = [_of_zarr(each) for each in beside if each.severity == "error"]
        told = [(each, tally) for each, tally in self._told if not is_hidden(each.problem)]
        silent = settled([*own, *(each for each, _ in told)])
        if not silent:
            return
        every = [each.problem for each in (*own, *(each for each, _ in told))]
        speakers = {id(every[place]): every[speaker] for place, speaker in silent.items()}
        self._recount(told, speakers)
        self.resting += [each for each in self.problems if id(each) in speakers]
        spoken = _with_repeats(speakers, self.resting)
        self.problems = [spoken.get(id(each), each) for each in self.problems if id(each) not in speakers]

    def _recount(self, told: Sequence[tuple[Told, Tally | None]], speakers: Mapping[int, Problem]) -> None:
        """Count rules whose findings at a node are all silent as not applicable there."""
        nodes: dict[tuple[int, int], tuple[Tally, set[str]]] = {}
        for each, tally in told:
            if tally is not None and each.node is not None:
                found = nodes.setdefault((id(tally), id(each.node)), (tally, set()))[1]
                speaker = speakers.get(id(each.problem))
                found.add("" if speaker is None or speaker.code == each.problem.code else speaker.code)
        for tally, codes in nodes.values():
            if "" not in codes:
                tally.failed -= 1
                tally.skipped[f"it rests on {min(codes)}, which fails"] += 1


def _of_zarr(problem: Problem) -> Told:
    """What Zarr's own rules say: a member that they don't know stands for the one that it is misspelt as."""
    if problem.code != UNKNOWN_MEMBER.code:
        return Told(problem)
    meant = near(problem.inside[0], MEMBER_NAMES["array"] | MEMBER_NAMES["group"])
    return Told(problem, slip=(problem.node, (meant[0],)) if meant else None)


def _with_repeats(speakers: Mapping[int, Problem], resting: Sequence[Problem]) -> dict[int, Problem]:
    """The findings that speak for others of the same rule, with the nodes of those, by the id of each."""
    nodes: dict[int, tuple[Problem, dict[str, None]]] = {}
    for each in resting:
        speaker = speakers[id(each)]
        if each.code == speaker.code and each.node != speaker.node:
            nodes.setdefault(id(speaker), (speaker, dict.fromkeys(speaker.related)))[1][each.node] = None
    return {place: replace(speaker, related=tuple(found)) for place, (speaker, found) in nodes.items()}


def _note(outcome: _Outcome, each: CheckedRule, tally: Tally, verdict: Outcome) -> None:
    if isinstance(verdict, Skip):
        outcome.skipped.append((tally, verdict.why))
    elif verdict:
        outcome.failed.append(tally)
        outcome.breaches.extend((each, breach) for breach in verdict)
    else:
        outcome.passed.append(tally)


def _note_form(outcome: _Outcome, plan: _Plan, model: type[Attributes], site: Site) -> None:
    """What the model of the attributes says, each fault under the rule that stands nearest to its field."""
    node = site.node
    faults = faults_in(model, node.attributes)
    if faults is None:
        return
    by_rule: dict[str, list[Breach]] = {}
    for fault in faults:
        path = ("attributes", *fault.path)
        breach = Breach(node, path, fault.expected, fault.found, fault.fix)
        by_rule.setdefault(_owner(plan.owners, fault.path).id, []).append(breach)
    for block in plan.form:
        if not by_rule and not block.stands_in(node.attributes):
            outcome.absent.append(block)
            continue
        for each, tally, _ in block.rules:
            # Of rules with one id, the first tells: each fault is told once.
            verdict: Outcome = by_rule.pop(each.id, ())
            if not verdict and each.each is not None and not leads(node.attributes, each.each):
                verdict = Skip(why_absent(each))
            _note(outcome, each, tally, verdict)


def _holds(each: CheckedRule, followed: tuple[int, ...] | None) -> bool:
    """Whether the rule holds in the version that a node follows, or in all of them, where that is None."""
    if followed is None:
        return True
    is_made = each.since is None or _numbers(each.since) <= followed
    return is_made and (each.until is None or followed < _numbers(each.until))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _dates_of(each: CheckedRule) -> str:
    since = "" if each.since is None else f" since version {each.since}"
    until = "" if each.until is None else f" until version {each.until}"
    return f"a rule{since}{until}; the node follows {'an older' if until == '' else 'another'} one"


def _root_of(each: CheckedRule) -> Steps:
    """What leads from the attributes to where something has to stand for the rule to apply."""
    conditions = (condition.get("has") or condition.get("at") for condition in each.when)
    for selector in (each.each, each.check.needs, *conditions):
        parsed = None if selector is None else parse_selector(selector)
        if parsed is not None and parsed.start == "attributes":
            end = parsed.steps.index(EVERY) if EVERY in parsed.steps else len(parsed.steps)
            return parsed.steps[:end]
    return ()


def _owner(judged: Sequence[tuple[Steps, CheckedRule]], path: Path) -> CheckedRule:
    """The rule that stands nearest above `path`; the last one stands above all."""
    best, length = judged[-1][1], -1
    for steps, each in judged:
        if length < len(steps) <= len(path) and all(
            step == at or (step == EVERY and isinstance(at, int))
            for step, at in zip(steps, path, strict=False)
        ):
            best, length = each, len(steps)
    return best
