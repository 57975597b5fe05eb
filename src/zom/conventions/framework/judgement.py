"""Judgement: the outcome of every rule of the detected conventions, node by node.

A rule passes at a node, fails there, or doesn't apply. This is counted, so that a report which checked
nothing says so. Faults that the model of attributes finds don't skip any rule.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from zom.checks.check import Breach, Site, Skip
from zom.checks.selector import leads_along
from zom.checks.verdict import pointer_to, problem_of
from zom.conventions.framework.likeness import Likeness
from zom.conventions.framework.precedence import settled
from zom.conventions.framework.rule_plan import Plan, Tally, plan_of
from zom.conventions.framework.told import Told
from zom.dataclass import dataclass
from zom.digests import blake2b
from zom.extension.registry import near
from zom.formats.v3_rules import MEMBER_NAMES, UNKNOWN_MEMBER
from zom.json.exact import exact_text
from zom.problems import Path, Problem, rule_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zom.checks.checked_rule import CheckedRule, Profile
    from zom.conventions.framework.convention import Convention
    from zom.formats.node_view import Node
    from zom.problems import Rule

__all__ = ["Judgement", "Presence"]


@dataclass(slots=True)
class Presence:
    """Where a convention was found."""

    convention: str
    first: str
    """The path of the first node that has it."""
    how: str
    further: Mapping[str, str]
    nodes: int = 0


class Judgement:
    """The outcomes of the rules so far."""

    def __init__(self, profile: Profile) -> None:
        self.profile: Profile = profile
        self.problems: list[Problem] = []
        self.resting: list[Problem] = []
        """Further findings that rest on one of the problems; set by `settle`."""
        self._told: list[Told] = []
        self.presences: dict[str, Presence] = {}
        self.nodes = 0
        self._tallies: dict[tuple[str, str], Tally] = {}
        self._plans: dict[tuple[object, ...], Plan] = {}
        self._digest = blake2b(digest_size=32)

    @property
    def digest(self) -> str:
        """A BLAKE2b hash over paths and documents that identifies the judged documents."""
        return self._digest.hexdigest()

    def take(self, node: Node) -> str | bytes:
        """Count the node, and return the text of its document."""
        self.nodes += 1
        text = exact_text(node.document)
        self._digest.update(f"{node.path}\n".encode("utf-8", "surrogatepass"))
        self._digest.update(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return text

    def tallies(self) -> list[Tally]:
        """The tallies of all rules."""
        for plan in self._plans.values():
            plan.count()
        return list(self._tallies.values())

    def _tally(self, convention: Convention, each: CheckedRule) -> Tally:
        key = (convention.name, each.id)
        found = self._tallies.get(key)
        if found is None:
            found = self._tallies[key] = Tally(convention.name, convention.code(each), each)
        return found

    def expect(self, convention: Convention) -> None:
        """Create tallies for all rules of the convention, even if they never run."""
        for each in convention.all_rules:
            if each.is_in(self.profile):
                self._tally(convention, each)

    def found(self, convention: Convention, node: Node, how: str) -> None:
        """Record that the convention is at the node."""
        presence = self.presences.get(convention.name)
        if presence is None:
            presence = self.presences[convention.name] = Presence(
                convention.name, node.path, how, convention.further
            )
            self.expect(convention)
        presence.nodes += 1

    # --- one convention at one node --------------------------------------------------------------------

    def judge(self, convention: Convention, node: Node, holder: Node, text: str | bytes) -> None:
        """Check every rule of the convention at the node, whose document is `text`."""
        plan = self._plan(convention, node, is_heir=node is not holder)
        plan.later.times += 1
        site = Site(node, holder)
        alike = Likeness(convention.free, node, text)
        outcome = plan.outcomes.get(alike.text) if node is holder else None
        if outcome is None:
            outcome = plan.local_outcome(site)
            told = (breach for _, breach in outcome.breaches)
            if node is holder and plan.has_room and not alike.is_told_in(told):
                plan.outcomes[alike.text] = outcome
        outcome.times += 1
        if plan.outcomes.get(alike.text) is not outcome:
            outcome.count()  # it is not remembered
        for each, breach in outcome.breaches:
            here = breach._replace(node=node) if node is holder else breach
            self._tell(convention, each, here, site)
        for each, breach in self._wide_breaches(plan, site):
            self._tell(convention, each, breach, site)

    def _plan(self, convention: Convention, node: Node, *, is_heir: bool) -> Plan:
        followed = convention.version_followed(node)
        key = (convention, node.kind, node.form, is_heir, followed)
        plan = self._plans.get(key)
        if plan is None:
            tally_of = partial(self._tally, convention)
            plan = plan_of(convention, node.kind, followed, self.profile, tally_of, is_heir=is_heir)
            self._plans[key] = plan
        return plan

    def _wide_breaches(self, plan: Plan, site: Site) -> Iterator[tuple[CheckedRule, Breach]]:
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
        tally = self._tally(convention, each)
        self._told.append(Told(problem, convention, each, tally, breach, site.node, site.holder, breach.slip))

    # --- findings of the framework itself ----------------------------------------------------------------

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
        """Add a finding of the framework, about a convention if given."""
        severity = rule.severity("strict")
        if severity is not None:
            pointer = pointer_to(node, path)
            problem = Problem(rule.code, severity, node.path, pointer, path, expected, found, fix)
            self.problems.append(problem)
            self._told.append(Told(problem, convention))

    def told_since(self, place: int) -> list[Told]:
        """The findings after the first `place` ones."""
        return self._told[place:]

    def revise(self, place: int, revised: Mapping[int, Told | None]) -> None:
        """Replace findings after the first `place` ones by those in `revised`, by index; None removes one."""
        later = [revised.get(at, each) for at, each in enumerate(self._told[place:])]
        self._told[place:] = [each for each in later if each is not None]
        self.problems[place:] = [each.problem for each in self._told[place:]]

    # --- which findings are reported ---------------------------------------------------------------------

    def settle(
        self, beside: Iterable[Problem] = (), is_hidden: Callable[[Problem], bool] = lambda _: False
    ) -> None:
        """Keep one finding per fault among the problems, and move the others to `resting`.

        Problems of Zarr's own rules in `beside` count as well; findings that the user hides don't.
        """
        own = [_of_zarr(each) for each in beside if each.severity == "error"]
        told = [each for each in self._told if not is_hidden(each.problem)]
        silent = settled([*own, *told])
        if not silent:
            return
        every = [each.problem for each in (*own, *told)]
        speakers = {id(every[place]): every[speaker] for place, speaker in silent.items()}
        self._recount(told, speakers)
        self.resting += [each for each in self.problems if id(each) in speakers]
        spoken = _with_repeats(speakers, self.resting)
        self.problems = [spoken.get(id(each), each) for each in self.problems if id(each) not in speakers]

    @staticmethod
    def _recount(told: Sequence[Told], speakers: Mapping[int, Problem]) -> None:
        """Count rules as not applicable at nodes where all their findings are silent."""
        nodes: dict[tuple[int, int], tuple[Tally, set[str]]] = {}
        for each in told:
            if each.tally is not None and each.node is not None:
                found = nodes.setdefault((id(each.tally), id(each.node)), (each.tally, set()))[1]
                speaker = speakers.get(id(each.problem))
                found.add("" if speaker is None or speaker.code == each.problem.code else speaker.code)
        for tally, codes in nodes.values():
            if "" not in codes:
                tally.failed -= 1
                tally.skipped[f"it rests on {min(codes)}, which fails"] += 1


def _of_zarr(problem: Problem) -> Told:
    """Wrap a problem of Zarr's own rules; an unknown member counts as the one that it misspells."""
    if problem.code != UNKNOWN_MEMBER.code:
        broken = rule_of(problem)
        return Told(problem, also=() if broken is None else tuple((name,) for name in broken.compares))
    meant = near(problem.inside[0], MEMBER_NAMES["array"] | MEMBER_NAMES["group"])
    return Told(problem, slip=(problem.node, (meant[0],)) if meant else None)


def _with_repeats(speakers: Mapping[int, Problem], resting: Sequence[Problem]) -> dict[int, Problem]:
    """The speakers for silent findings of the same rule, with those findings' nodes as related, by id."""
    nodes: dict[int, tuple[Problem, dict[str, None]]] = {}
    for each in resting:
        speaker = speakers[id(each)]
        if each.code == speaker.code and each.node != speaker.node:
            nodes.setdefault(id(speaker), (speaker, dict.fromkeys(speaker.related)))[1][each.node] = None
    return {place: replace(speaker, related=tuple(found)) for place, (speaker, found) in nodes.items()}
