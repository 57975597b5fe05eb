"""The plan of a convention's rules for one kind of node: which of them apply, and their counts.

Most rules need some key, and most nodes don't have it: rules are grouped in blocks by that key. Nodes with
the same documents, or the same keys, are judged once and counted as often as they occur.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Skip
from zom.checks.selector import EVERY, leads, leads_along, parse_selector
from zom.checks.verdict import asking, why_absent
from zom.conventions.framework.attributes import faults_in
from zom.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zom.checks.check import Outcome, Site
    from zom.checks.checked_rule import CheckedRule, Profile
    from zom.conventions.framework.attributes import Attributes, Steps
    from zom.conventions.framework.convention import Convention
    from zom.problems import Path

__all__ = ["Plan", "Tally", "plan_of"]


@dataclass(slots=True)
class Tally:
    """The counts of a rule: at how many nodes it passed, failed, and did not apply, and why."""

    convention: str
    code: str
    rule: CheckedRule
    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])


@dataclass(slots=True)
class Block:
    """Rules that need a value at `root`: without one, all are skipped at once."""

    root: Steps
    rules: list[tuple[CheckedRule, Tally, Callable[[Site], Outcome]]]
    absent: int = 0

    def stands_in(self, attributes: Mapping[str, Any]) -> bool:
        """Whether there is a value at `root`."""
        root = self.root
        # Most blocks have one step, or none.
        return not root or (root[0] in attributes and leads_along(attributes, root))


@dataclass(slots=True)
class LocalOutcome:
    """The outcome of the rules that read one document only, and the number of nodes with that document."""

    passed: list[Tally] = field(default_factory=list["Tally"])
    failed: list[Tally] = field(default_factory=list["Tally"])
    skipped: list[tuple[Tally, str]] = field(default_factory=list["tuple[Tally, str]"])
    absent: list[Block] = field(default_factory=list["Block"])
    breaches: list[tuple[CheckedRule, Breach]] = field(default_factory=list["tuple[CheckedRule, Breach]"])
    times: int = 0

    def note(self, each: CheckedRule, tally: Tally, verdict: Outcome) -> None:
        """Add the verdict of one rule."""
        if isinstance(verdict, Skip):
            self.skipped.append((tally, verdict.why))
        elif verdict:
            self.failed.append(tally)
            self.breaches.extend((each, breach) for breach in verdict)
        else:
            self.passed.append(tally)

    def count(self) -> None:
        """Add the outcome to the tallies, as often as it has occurred since."""
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
"""The number of a convention's documents whose outcomes are remembered."""


@dataclass(slots=True)
class KeySet:
    """The blocks of rules that read further than one document, for attributes with the same keys."""

    present: list[Block]
    """The blocks whose root may exist: its first step does."""
    absent: list[Block]
    times: int = 0

    def count(self) -> None:
        """Add the number of occurrences to the absent blocks."""
        times, self.times = self.times, 0
        for block in self.absent:
            block.absent += times


@dataclass(slots=True)
class Later:
    """The rules that don't apply to the version that nodes follow, with the reasons."""

    rules: list[tuple[Tally, str]]
    times: int = 0

    def count(self) -> None:
        """Add the number of nodes to the tallies."""
        times, self.times = self.times, 0
        for tally, why in self.rules:
            tally.skipped[why] += times


@dataclass(slots=True)
class Plan:
    """The rules of a convention for one kind of node in one version, bound to their tallies."""

    later: Later
    local: list[Block]
    wide: list[Block]
    model: type[Attributes] | None
    form: list[Block]
    owners: tuple[tuple[Steps, CheckedRule], ...]
    outcomes: dict[str | bytes, LocalOutcome] = field(default_factory=dict["str | bytes", LocalOutcome])
    key_sets: dict[tuple[str, ...], KeySet] = field(default_factory=dict["tuple[str, ...]", KeySet])

    def local_outcome(self, site: Site) -> LocalOutcome:
        """The outcome of the rules that read one document only, and of the model of the attributes."""
        outcome = LocalOutcome()
        for block in self.local:
            if not block.stands_in(site.holder.attributes):
                outcome.absent.append(block)
                continue
            for each, tally, ask in block.rules:
                outcome.note(each, tally, ask(site))
        if site.node is site.holder and self.model is not None:
            self._note_form(outcome, self.model, site)
        return outcome

    def _note_form(self, outcome: LocalOutcome, model: type[Attributes], site: Site) -> None:
        """Add the faults of the attribute model, each under the rule nearest to its field."""
        node = site.node
        faults = faults_in(model, node.attributes)
        if faults is None:
            return
        by_rule: dict[str, list[Breach]] = {}
        for fault in faults:
            path = ("attributes", *fault.path)
            breach = Breach(node, path, fault.expected, fault.found, fault.fix)
            by_rule.setdefault(_owner(self.owners, fault.path).id, []).append(breach)
        for block in self.form:
            if not by_rule and not block.stands_in(node.attributes):
                outcome.absent.append(block)
                continue
            for each, tally, _ in block.rules:
                # Of rules with the same id, the first reports each fault once.
                verdict: Outcome = by_rule.pop(each.id, ())
                if not verdict and each.each is not None and not leads(node.attributes, each.each):
                    verdict = Skip(why_absent(each))
                outcome.note(each, tally, verdict)

    @property
    def has_room(self) -> bool:
        """Whether another document can be remembered."""
        return len(self.outcomes) < _REMEMBERED

    def key_set(self, attributes: Mapping[str, Any]) -> KeySet:
        """The blocks of `wide` for attributes with these keys, cached because many nodes share them."""
        keys = tuple(attributes)
        found = self.key_sets.get(keys)
        if found is None:
            if len(self.key_sets) >= _REMEMBERED:
                self.forget_key_sets()
            found = self.key_sets[keys] = KeySet([], [])
            for block in self.wide:
                is_present = not block.root or block.root[0] in attributes
                (found.present if is_present else found.absent).append(block)
        found.times += 1
        return found

    def count(self) -> None:
        """Add new occurrences to the tallies."""
        self.later.count()
        for outcome in self.outcomes.values():
            outcome.count()
        self.forget_key_sets()
        for block in (*self.local, *self.wide, *self.form):
            for each, tally, _ in block.rules if block.absent else ():
                tally.skipped[why_absent(each)] += block.absent
            block.absent = 0

    def forget_key_sets(self) -> None:
        """Count the key sets, and start afresh."""
        for each in self.key_sets.values():
            each.count()
        self.key_sets.clear()


def plan_of(  # noqa: PLR0913 - what rules depend on
    convention: Convention,
    kind: str | None,
    followed: tuple[int, ...] | None,
    profile: Profile,
    tally_of: Callable[[CheckedRule], Tally],
    *,
    is_heir: bool,
) -> Plan:
    """Plan the rules for nodes of that kind that follow that version of the convention, or inherit it."""

    def blocks(chosen: Iterable[CheckedRule]) -> list[Block]:
        found: dict[Steps, Block] = {}
        for each in chosen:
            root = _root_of(each)
            found.setdefault(root, Block(root, [])).rules.append((each, tally_of(each), asking(each)))
        return list(found.values())

    rules = convention.checked_rules(kind, profile)
    # An heir has its own attributes: only rules for its kind apply to what it inherits.
    rules = tuple(each for each in rules if each.on == kind) if is_heir else rules
    held = [each for each in rules if _holds(each, followed)]
    owners = convention.form_rules(kind or "group")
    return Plan(
        Later([(tally_of(each), _dates_of(each)) for each in rules if not _holds(each, followed)]),
        blocks(each for each in held if each.is_local),
        blocks(each for each in held if not each.is_local),
        convention.models.get(kind or "group"),
        blocks(each for _, each in owners if each.is_in(profile)),
        owners,
    )


def _holds(each: CheckedRule, followed: tuple[int, ...] | None) -> bool:
    """Whether the rule applies to the version that a node follows; None follows all versions."""
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
    """The steps from the attributes to the place where the rule needs a value."""
    conditions = (condition.get("has") or condition.get("at") for condition in each.when)
    for selector in (each.each, each.check.needs, *conditions):
        parsed = None if selector is None else parse_selector(selector)
        if parsed is not None and parsed.start == "attributes":
            end = parsed.steps.index(EVERY) if EVERY in parsed.steps else len(parsed.steps)
            return parsed.steps[:end]
    return ()


def _owner(judged: Sequence[tuple[Steps, CheckedRule]], path: Path) -> CheckedRule:
    """The rule nearest above `path`; the last one is above all."""
    best, length = judged[-1][1], -1
    for steps, each in judged:
        if length < len(steps) <= len(path) and all(
            step == at or (step == EVERY and isinstance(at, int))
            for step, at in zip(steps, path, strict=False)
        ):
            best, length = each, len(steps)
    return best
