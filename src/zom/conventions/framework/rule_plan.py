"""The plan of a convention's rules for one kind of node: which of them apply, and what is counted of them.

Most rules apply only where some key stands, and most nodes have none of those: rules are kept in blocks by that key.
Nodes whose documents, or whose keys, are alike are judged once and counted as often as they come up.
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
    """How a rule fared: at how many nodes it passed, failed, and did not apply, and why."""

    convention: str
    code: str
    rule: CheckedRule
    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])


@dataclass(slots=True)
class Block:
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
class LocalOutcome:
    """What the rules that look at one document only said of it, and of how many nodes with such a document."""

    passed: list[Tally] = field(default_factory=list["Tally"])
    failed: list[Tally] = field(default_factory=list["Tally"])
    skipped: list[tuple[Tally, str]] = field(default_factory=list["tuple[Tally, str]"])
    absent: list[Block] = field(default_factory=list["Block"])
    breaches: list[tuple[CheckedRule, Breach]] = field(default_factory=list["tuple[CheckedRule, Breach]"])
    times: int = 0

    def note(self, each: CheckedRule, tally: Tally, verdict: Outcome) -> None:
        """Add what one rule said."""
        if isinstance(verdict, Skip):
            self.skipped.append((tally, verdict.why))
        elif verdict:
            self.failed.append(tally)
            self.breaches.extend((each, breach) for breach in verdict)
        else:
            self.passed.append(tally)

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
class KeySet:
    """Attributes with the same keys, and the rules that look further than one document which these let apply."""

    present: list[Block]
    """Those whose root may be there: its first step is."""
    absent: list[Block]
    times: int = 0

    def count(self) -> None:
        """Add to the blocks that are absent how often they were."""
        times, self.times = self.times, 0
        for block in self.absent:
            block.absent += times


@dataclass(slots=True)
class Later:
    """The rules that a newer version of the convention made than nodes follow, with why they don't apply."""

    rules: list[tuple[Tally, str]]
    times: int = 0

    def count(self) -> None:
        """Add to the tallies how many nodes there were."""
        times, self.times = self.times, 0
        for tally, why in self.rules:
            tally.skipped[why] += times


@dataclass(slots=True)
class Plan:
    """The rules of a convention for one kind of node, in one version, bound to what is counted of them."""

    later: Later
    local: list[Block]
    wide: list[Block]
    model: type[Attributes] | None
    form: list[Block]
    owners: tuple[tuple[Steps, CheckedRule], ...]
    outcomes: dict[str | bytes, LocalOutcome] = field(default_factory=dict["str | bytes", LocalOutcome])
    key_sets: dict[tuple[str, ...], KeySet] = field(default_factory=dict["tuple[str, ...]", KeySet])

    def local_outcome(self, site: Site) -> LocalOutcome:
        """What the rules that look at one document only, and the model of the attributes, say of the node."""
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
        """What the model of the attributes says, each fault under the rule that stands nearest to its field."""
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
                # Of rules with one id, the first tells: each fault is told once.
                verdict: Outcome = by_rule.pop(each.id, ())
                if not verdict and each.each is not None and not leads(node.attributes, each.each):
                    verdict = Skip(why_absent(each))
                outcome.note(each, tally, verdict)

    @property
    def has_room(self) -> bool:
        """Whether one more document is remembered."""
        return len(self.outcomes) < _REMEMBERED

    def key_set(self, attributes: Mapping[str, Any]) -> KeySet:
        """The blocks of `wide` for attributes with these keys: nodes with the same ones are many."""
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
        """Add to the tallies what came up since."""
        self.later.count()
        for outcome in self.outcomes.values():
            outcome.count()
        self.forget_key_sets()
        for block in (*self.local, *self.wide, *self.form):
            for each, tally, _ in block.rules if block.absent else ():
                tally.skipped[why_absent(each)] += block.absent
            block.absent = 0

    def forget_key_sets(self) -> None:
        """Count what they tell, and start anew."""
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
    """The rules for nodes of that kind which follow that version of the convention, or inherit it."""

    def blocks(chosen: Iterable[CheckedRule]) -> list[Block]:
        found: dict[Steps, Block] = {}
        for each in chosen:
            root = _root_of(each)
            found.setdefault(root, Block(root, [])).rules.append((each, tally_of(each), asking(each)))
        return list(found.values())

    rules = convention.checked_rules(kind, profile)
    # An heir has attributes of its own: of what it inherits, only the rules on its kind are about it.
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
