"""Judgement: what became of every rule of the conventions that are found, node by node.

A rule passes at a node, fails there, or doesn't apply, and that is counted: a report that checked
nothing says so. What the model of attributes says hides no rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from zom.conventions.attributes import faults_in
from zom.conventions.check import Breach, Site, Skip
from zom.conventions.rule import holds, scopes_of
from zom.conventions.selector import EVERY, select
from zom.problems import Problem, pointer_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.conventions.attributes import Steps
    from zom.conventions.convention import Convention
    from zom.conventions.rule import Profile, Rule
    from zom.conventions.view import Node, Path
    from zom.problems import Fault
    from zom.problems import Rule as Sentence

__all__ = ["Judgement", "Presence", "Tally"]


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
