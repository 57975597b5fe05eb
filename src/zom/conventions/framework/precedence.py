"""Precedence: which one of the findings that one fault causes is reported.

A finding rests on another one, and is silent, if
- its rule says so: `after` names rules that fail at its node or one that it refers to; `after_any`, anywhere;
- it refers to a node whose document or attributes can't be read, or to a name that leads to one;
- it is about the same place as the other, under its name or its misspelling: errors count first, then types
  of values, then the convention that refines others, then the order of rules;
- it reads a place with a value of the wrong type, or compares with a place at fault, of its node or another;
- it is about a list, or about an item that is repeated in it, and the other about the other of the two;
- it is advice about a part, or about the whole, of what is in error, or advice on a node with other findings;
- it repeats the other: the same rule reports that another value differs from the same one, or reports the
  next item in a list of numbers or lengths; or both name the same missing node, or miss something in one
  object that is empty.

No finding is silent because of a less severe one, and another one speaks for each silent finding.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from zom.checks.selector import EVERY, parse_selector
from zom.conventions.framework.rule_depth import depths_of, matched, refinement
from zom.conventions.framework.told import same_cause
from zom.formats.node_view import Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zom.checks.checked_rule import CheckedRule
    from zom.checks.selector import Selector
    from zom.conventions.framework.attributes import Steps
    from zom.conventions.framework.convention import Convention
    from zom.conventions.framework.rule_depth import RulePlace
    from zom.conventions.framework.told import Told
    from zom.problems import Path

__all__ = ["settled"]

_SEVERITIES: Final = {"error": 0, "warning": 1, "note": 2}

_LAST: Final = 1_000_000
"""Deeper than any rule can be."""

_Rank = tuple[int, ...]


def settled(told: Sequence[Told]) -> dict[int, int]:
    """The silent findings by index, each with the index of the one that speaks for it.

    >>> from zom.conventions.framework.told import Told
    >>> from zom.problems import Problem
    >>> at = ("attributes", "a")
    >>> one, other = (Told(Problem(f"x/{name}", name, "/", "/attributes/a", at, "1", "2"))
    ...               for name in ("warning", "error"))
    >>> settled([one, other])
    {0: 1}
    """
    if len(told) < 2:
        return {}
    present = {each.convention.id: each.convention for each in told if each.convention is not None}
    refined = {each.convention: refinement(each.convention, present) for each in told if each.convention}
    depths = depths_of(tuple(sorted(refined, key=lambda each: each.name)))
    ranks = [_rank(each, place, refined, depths) for place, each in enumerate(told)]
    index = _Index(told, ranks)
    silent: dict[int, int] = {}
    for place, each in enumerate(told):
        # Only higher ranks count, so that no two are silent because of each other.
        causes = [cause for cause in (*index.causes(each), *index.repeated(each)) if cause < ranks[place]]
        if causes:
            silent[place] = min(causes)[-1]
    spoken = {place: _root(place, silent) for place in silent}
    return _specific(told, spoken)


def _root(place: int, silent: Mapping[int, int]) -> int:
    while place in silent:
        place = silent[place]
    return place


def _specific(told: Sequence[Told], silent: dict[int, int]) -> dict[int, int]:
    """Replace speakers for the form of all attributes by a rule for the same place."""
    instead: dict[int, int] = {}
    for place, speaker in silent.items():
        one, other = told[place], told[speaker]
        is_general = other.rule is not None and other.rule.id == "attributes"
        if (
            is_general
            and one.problem.severity == other.problem.severity
            and (one.problem.node, one.path) == (other.problem.node, other.path)
        ):
            instead.setdefault(speaker, place)
    for speaker, place in instead.items():
        del silent[place]
        silent[speaker] = place
    return {place: instead.get(speaker, speaker) for place, speaker in silent.items()}


def _rank(
    told: Told, place: int, refined: Mapping[Convention, int], depths: Mapping[RulePlace, int]
) -> _Rank:
    severity = _SEVERITIES[told.problem.severity]
    if told.rule is None or told.convention is None:
        # Zarr's own rules rank before all conventions; the framework's findings on conventions rank after.
        return (severity, 0, -1, 0, place) if told.is_form else (severity, 1, _LAST, 0, place)
    order = depths.get((told.convention, told.rule.id), 0)
    return (severity, int(not told.is_form), order, -refined.get(told.convention, 0), place)


# --- faults by place -------------------------------------------------------------------------------------


class _Index:
    """All findings by node and place."""

    def __init__(self, told: Sequence[Told], ranks: Sequence[_Rank]) -> None:
        self._nodes: defaultdict[str, _Faults] = defaultdict(_Faults)
        self._codes: dict[str, _Rank] = {}
        self._at: defaultdict[str, dict[str, _Rank]] = defaultdict(dict)
        self._first: dict[tuple[Any, ...], _Rank] = {}
        self._conventions: dict[tuple[str, str], _Rank] = {}
        self._worst: dict[str, _Rank] = {}
        self._unknown: dict[str, _Rank] = {}
        for each, rank in sorted(zip(told, ranks, strict=True), key=lambda pair: pair[1]):
            code = each.problem.code
            self._codes.setdefault(code, rank)
            if each.problem.severity != "note":
                self._worst.setdefault(each.problem.node, rank)
            if each.is_of_unknown:
                self._unknown.setdefault(each.problem.node, rank)
            for key in same_cause(each):
                self._first.setdefault(key, rank)
            if each.rule is not None and each.convention is not None:
                self._conventions.setdefault((each.problem.node, each.convention.id), rank)
            for node in each.nodes:
                self._at[node].setdefault(code, rank)
            if each.is_placed:
                self._nodes[each.problem.node].add(each, rank)
            if each.slip is not None:
                node, path = each.slip
                self._nodes[node].add_slip(path, each.problem.code, rank)

    def causes(self, told: Told) -> Iterator[_Rank]:
        """The ranks of the findings on which one may rest, including its own."""
        if told.is_placed:
            yield from self._nodes[told.problem.node].around(told)
        if told.slip is not None:
            node, path = told.slip
            yield from self._nodes[node].at(path, told.problem.code)
        if told.is_placed:
            # The places in other nodes that it compares its own place with.
            others = (self._nodes.get(each) for each in told.problem.related if each != told.problem.node)
            yield from (
                rank for each in others if each is not None for rank in each.at(told.path, told.problem.code)
            )
        is_note = told.problem.severity == "note" and told.rule is not None and told.rule.advice
        if is_note and told.problem.node in self._worst:
            yield self._worst[told.problem.node]
        if told.rule is None or told.convention is None:
            # The framework's finding on a convention at a node comes after the convention's own findings.
            known = None if told.convention is None else (told.problem.node, told.convention.id)
            yield from (self._conventions[known],) if known in self._conventions else ()
            return
        if self._unknown:
            spoken_of = (*told.nodes, told.sought)
            yield from (self._unknown[node] for node in spoken_of if node in self._unknown)
        if told.breach is not None and told.breach.copied is not None:
            node, path = told.breach.copied
            found = self._nodes[node].read(path, is_compared=True)
            yield from () if found is None else (found,)
        yield from self._rules_before(told, told.rule, told.convention)
        yield from self._places_read(told, told.rule)

    def repeated(self, told: Told) -> Iterator[_Rank]:
        """The ranks of the first findings with the same cause."""
        return (self._first[key] for key in same_cause(told))

    def _rules_before(self, told: Told, rule: CheckedRule, convention: Convention) -> Iterator[_Rank]:
        for pattern in map(convention.full, rule.after):
            for node in told.nodes:
                yield from matched(self._at[node], pattern)
        for pattern in map(convention.full, rule.after_any):
            yield from matched(self._codes, pattern)

    def _places_read(self, told: Told, rule: CheckedRule) -> Iterator[_Rank]:
        for selector, is_compared in _read_by(rule):
            parsed = parse_selector(selector)
            for node in _nodes_read(parsed, told):
                faults = self._nodes.get(node.path)
                if faults is None:
                    continue
                found = faults.read(_steps(parsed, told, rule, node), is_compared=is_compared)
                if found is not None:
                    yield found


def _nodes_read(selector: Selector, told: Told) -> Iterator[Node]:
    """The nodes that a rule's selector reads: its own, and those that it names for facts."""
    node = told.node if selector.start == "fact" else told.holder
    if node is None:
        return
    yield node
    if selector.start == "fact":
        found = (node.root.at(path) for path in told.problem.related if path != node.path)
        yield from (each for each in found if isinstance(each, Node))


def _read_by(rule: CheckedRule) -> Iterator[tuple[str, bool]]:
    """The selectors of what a rule reads, and whether it only compares with it."""
    if rule.is_schema:
        return  # the form of one field is independent of others
    params = rule.check.params
    subjects = [params.get(name) for name in ("at", "has", "values_of")]
    subjects += [condition.get("has") for condition in rule.when]
    yield from ((each, False) for each in (*subjects, *params.get("selectors", ())) if isinstance(each, str))
    compared: list[Any] = [params.get("like"), *rule.reads]
    compared += [condition.get("at") for condition in rule.when]
    yield from ((each, True) for each in compared if isinstance(each, str))


def _steps(selector: Selector, told: Told, rule: CheckedRule, node: Node) -> Steps:
    """The path from the node's document to what the selector finds for this finding."""
    if selector.start == "fact":
        name, *rest = selector.steps
        places: dict[Any, Path] = {"dims": node.dims_path, "dtype": node.dtype_path}
        steps = (*places.get(name, (name,)), *rest)
    elif selector.start == "attributes":
        steps = ("attributes", *selector.steps)
    else:
        scope = parse_selector(rule.each).steps if rule.each is not None else ()
        steps = ("attributes", *scope, *selector.steps)
    if told.problem.node != node.path:
        return steps
    # Of list items, only those that the finding is about.
    own = told.path
    end = next((at for at, pair in enumerate(zip(steps, own, strict=False)) if not _matches(*pair)), len(own))
    return (*own[:end], *steps[end:]) if end <= len(steps) else own[: len(steps)]


def _matches(step: str | int, found: str | int) -> bool:
    return step == found or (step == EVERY and isinstance(found, int))


class _Places:
    """The places of a node's findings as a tree, with the first rank at each place and below it."""

    __slots__ = ("below", "first", "inner", "reads")

    def __init__(self) -> None:
        self.inner: dict[str | int, _Places] = {}
        self.first: _Rank | None = None
        self.below: _Rank | None = None
        """The first rank of all places below this one."""
        self.reads: dict[Steps, _Rank | None] = {}

    def add(self, path: Path, rank: _Rank) -> None:
        """Add the place of a finding; findings with a higher rank were added before."""
        here = self
        for step in path:
            here.below = here.below or rank
            here = here.inner.setdefault(step, _Places())
        here.first = here.first or rank

    def around(self, path: Path) -> Iterator[_Rank]:
        """The ranks of findings at places that contain this one or are within it, but not at this place."""
        here = self
        for step in path:
            if here.first is not None:
                yield here.first
            if step not in here.inner:
                return
            here = here.inner[step]
        if here.below is not None:
            yield here.below

    def read(self, steps: Steps) -> _Rank | None:
        """The first rank at the end of `steps`, around it, or within it."""
        if steps not in self.reads:
            self.reads[steps] = min(self._found(steps), default=None)
        return self.reads[steps]

    def _found(self, steps: Steps) -> Iterator[_Rank]:
        level: list[_Places] = [self]
        for step in steps:
            yield from (here.first for here in level if here.first is not None)
            level = [inner for here in level for name, inner in here.inner.items() if _matches(step, name)]
        for here in level:
            yield from (rank for rank in (here.first, here.below) if rank is not None)


class _Faults:
    """The findings at the places of one node."""

    def __init__(self) -> None:
        self._exact: dict[Path, list[tuple[str, _Rank]]] = {}
        self._twice: dict[Path, _Rank] = {}
        """The lists with repeated items."""
        self._all = _Places()
        self._forms = _Places()
        self._errors = _Places()

    def add(self, told: Told, rank: _Rank) -> None:
        """Add a finding; findings with a higher rank were added before."""
        if told.twice_in is not None:
            self._twice.setdefault(told.twice_in, rank)
        for path in (told.path, *told.also):
            self.add_at(path, told.problem.code, rank)
            self._all.add(path, rank)
            if told.is_form:
                self._forms.add(path, rank)
            if told.problem.severity == "error":
                self._errors.add(path, rank)

    def add_at(self, path: Path, code: str, rank: _Rank) -> None:
        """Add a finding at exactly that place."""
        self._exact.setdefault(path, []).append((code, rank))

    def add_slip(self, path: Path, code: str, rank: _Rank) -> None:
        """Add a misspelling at that place."""
        self.add_at(path, code, rank)
        self._all.add(path, rank)

    def at(self, path: Path, code: str) -> Iterator[_Rank]:
        """The ranks of rules with another code at exactly that place."""
        return (rank for other, rank in self._exact.get(path, ()) if other != code)

    def around(self, told: Told) -> Iterator[_Rank]:
        """The ranks of other rules at that place, of types around it, and of errors around advice."""
        yield from self.at(told.path, told.problem.code)
        yield from self._forms.around(told.path)
        if told.path in self._twice:
            yield self._twice[told.path]
        if told.twice_in is not None:
            yield from (rank for _, rank in self._exact.get(told.twice_in, ()))
        # Advice rests on errors, and so do findings of the framework.
        if told.problem.severity != "error" or told.rule is None:
            yield from self._errors.around(told.path)

    def read(self, steps: Steps, *, is_compared: bool) -> _Rank | None:
        """The first rank of type faults along `steps`, or of any fault if a rule compares with it."""
        return (self._all if is_compared else self._forms).read(steps)
