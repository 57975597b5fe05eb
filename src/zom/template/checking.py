"""Checking a hierarchy against a template: one walk, by iteration, every fault once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from zom.errors import SpecError
from zom.extension.registry import did_you_mean, near
from zom.formats import detection as hierarchy
from zom.formats.node_view import Node, spec_tree
from zom.formats.resolve import resolve
from zom.model.output import member_specs
from zom.model.spec import Spec
from zom.problems import Fault, Problem, pointer_of, rule, show
from zom.template.array import ArrayCheck, array_checks
from zom.template.attributes import AttributeCheck, attribute_check
from zom.template.document import members_of, patterns_of, template_of
from zom.template.models import ArrayTemplate, GroupTemplate, NodeTemplate, Template
from zom.template.reference import ReferenceCheck

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.formats.resolved import ResolvedArray
    from zom.problems import Level
    from zom.template.models import Pattern, Reference

__all__ = ["check"]

_SOURCE = "the template"

NODE_TYPE = rule(
    "template/node-type", "a node is an array or a group, as its template says", source=_SOURCE, schema=True
)
MISSING = rule(
    "template/missing-member",
    "a group has the members that its template requires",
    source=_SOURCE,
    schema=True,
)
UNEXPECTED = rule(
    "template/unexpected-member",
    "a closed group has no members but those that its template names",
    source=_SOURCE,
    schema=True,
)
COUNT = rule(
    "template/member-count",
    "a group has as many members that match a pattern as its template asks for",
    source=_SOURCE,
)
UNKNOWN = rule(
    "template/unknown-members",
    "the members of a group are known, so that they can be checked",
    source=_SOURCE,
    lenient="warning",
    strict="warning",
    closed="warning",
)
SAME_LENGTH = rule(
    "template/same-length",
    "dimensions of one name have one length in all arrays below a group",
    source=_SOURCE,
)
SAME = rule(
    "template/same", "members that match one pattern share the facts that the template names", source=_SOURCE
)


def check(
    template: Template, subject: Spec | str | bytes | Mapping[str, Any], level: Level
) -> tuple[Problem, ...]:
    """Every way in which `subject` does not fit `template`, in the order of the tree."""
    problems: list[Problem] = []
    if not isinstance(subject, Spec):
        try:
            subject = cast("Spec", hierarchy.parse(subject, level, on_warning=problems.append))
        except SpecError as error:
            return error.problems
    run = _Run(problems)
    waiting = [_Visit(spec_tree(subject), subject, template)]
    while waiting:
        waiting.extend(reversed(run.visit(waiting.pop())))
    return tuple(problems)


class _Scope:
    """The arrays among which dimensions of one name have one length."""

    __slots__ = ("names", "seen")

    def __init__(self, names: frozenset[str] | None) -> None:
        self.names = names
        """The dimensions meant; None for all."""
        self.seen: dict[str, tuple[int, _Visit]] = {}


@dataclass(slots=True)
class _Visit:
    """A node, and what is said of it."""

    node: Node
    spec: Spec
    template: Template | None
    scopes: tuple[_Scope, ...] = ()


class _NodeChecks:
    """What a template says of every node, compiled: attributes and references."""

    def __init__(self, template: Template) -> None:
        given = None if isinstance(template, ArrayTemplate) else template.attributes
        self.attributes: AttributeCheck | None = None if given is None else attribute_check(given)
        references = cast("tuple[Reference, ...]", template.references)
        self.references = [ReferenceCheck(reference) for reference in references]
        self.array: list[ArrayCheck] = []
        if isinstance(template, ArrayTemplate):
            self.array = array_checks(template)


class _GroupChecks:
    """What a template says of the members of a group, compiled."""

    def __init__(self, template: GroupTemplate) -> None:
        self.members = members_of(template)
        self.required = [name for name in self.members if name not in template.optional]
        self.patterns = [(re.compile(p.pattern, re.ASCII), p) for p in patterns_of(template)]
        self.open = template.open
        self.scope: frozenset[str] | bool
        same = template.same_length
        self.scope = same if isinstance(same, bool) else frozenset(same)
        self.asks = bool(self.members or self.patterns or not self.open or self.scope)


class _Run:
    """One walk: the problems so far, and each template compiled once."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.nodes: dict[int, _NodeChecks] = {}
        self.groups: dict[int, _GroupChecks] = {}

    def add(self, place: _Visit, fault: Fault, related: Sequence[_Visit] = ()) -> None:
        """The fault as a problem of the node at `place`."""
        broken, inside, expected, found, fix, _ = fault
        pointer = place.node.pointer + pointer_of(inside)
        others = tuple(other.node.path for other in related)
        severity = broken.strict or "error"
        path = place.node.path
        self.problems.append(
            Problem(broken.code, severity, path, pointer, inside, expected, found, fix, related=others)
        )

    def visit(self, place: _Visit) -> list[_Visit]:
        """The places below that are to be visited, once the faults of this one are told."""
        template = place.template
        if isinstance(template, NodeTemplate):
            self._check_node(place, template, None)
            either = template.array if place.spec.kind == "array" else template.group
            template = cast("Template | None", either)
        if template is not None and template.node_type not in {place.spec.kind, "any"}:
            kinds = {"array": "an array", "group": "a group", "entry point": "an entry point"}
            fault = Fault(NODE_TYPE, (), kinds[template.node_type], kinds[place.spec.kind])
            self.add(place, fault)
            template = None
        if place.spec.kind == "array":
            if template is not None or place.scopes:
                self._check_array(place, template)
            return []
        if template is not None:
            self._check_node(place, template, None)
        if isinstance(template, GroupTemplate):
            return self._check_members(place, template)
        return self._unclaimed(place) if place.scopes else []

    def _check_node(self, place: _Visit, template: Template, view: ResolvedArray | None) -> None:
        checks = self.nodes.get(id(template))
        if checks is None:
            checks = self.nodes[id(template)] = _NodeChecks(template)
        faults: list[Fault] = []
        for array_check in checks.array if view is not None else ():
            array_check(cast("ResolvedArray", view), faults)
        if checks.attributes is not None:
            before: list[Fault] = []
            checks.attributes(place.node.attributes, before)
            faults.extend(fault._replace(path=("attributes", *fault.path)) for fault in before)
        for reference in checks.references:
            reference.check(place.node, faults)
        for fault in faults:
            self.add(place, fault)

    def _check_array(self, place: _Visit, template: Template | None) -> None:
        view = resolve(place.spec)
        if template is not None:
            self._check_node(place, template, view)
        if not place.scopes or view.names is None:
            return
        for index, name in enumerate(view.names):
            scope = None if name is None else _scope_of(place.scopes, name)
            if scope is None or name is None:
                continue
            length, first = scope.seen.setdefault(name, (view.shape[index], place))
            if length != view.shape[index]:
                words = f"{length}, the length of {show(name)} in {first.node.path}"
                fault = Fault(SAME_LENGTH, ("shape", index), words, str(view.shape[index]))
                self.add(place, fault, (first,))

    # --- members -------------------------------------------------------------------------------

    def _check_members(self, place: _Visit, template: GroupTemplate) -> list[_Visit]:
        checks = self.groups.get(id(template))
        if checks is None:
            checks = self.groups[id(template)] = _GroupChecks(template)
        members = member_specs(place.spec)
        if members is None:
            if checks.asks:
                words, found = "members that are known", "a group whose members are not known"
                self.add(place, Fault(UNKNOWN, (), words, found))
            return []
        scopes = _scopes_below(place.scopes, checks.scope)
        claims: list[list[_Visit]] = [[] for _ in checks.patterns]
        strangers: list[str] = []
        below: list[_Visit] = []
        for name, spec in members.items():
            node = cast("dict[str, Node]", place.node.members)[name]
            inner = _Visit(node, spec, checks.members.get(name), scopes)
            if inner.template is None:
                self._claim(inner, checks, claims, strangers)
            if inner.template is not None or scopes:
                below.append(inner)
        self._check_required(place, checks, members, strangers)
        self._check_patterns(place, checks, claims)
        return below

    def _claim(
        self, inner: _Visit, checks: _GroupChecks, claims: list[list[_Visit]], strangers: list[str]
    ) -> None:
        """The template of the first pattern that matches the name; a stranger where none does."""
        for index, (expression, pattern) in enumerate(checks.patterns):
            if expression.fullmatch(inner.node.name):
                claims[index].append(inner)
                inner.template = template_of(pattern)
                return
        strangers.append(inner.node.name)

    def _check_required(
        self, place: _Visit, checks: _GroupChecks, members: Mapping[str, Spec], strangers: list[str]
    ) -> None:
        for name in checks.required:
            if name not in members:
                fault = Fault(MISSING, ("members", name), f"a member {show(name)}", "nothing")
                self.add(place, fault._replace(fix=did_you_mean(near(name, strangers))))
        if checks.open:
            return
        absent = [name for name in checks.members if name not in members]
        allowed = [*checks.members, *(f"any like {p.pattern}" for _, p in checks.patterns)]
        words = f"only {', '.join(allowed)}" if allowed else "no members"
        for name in strangers:
            fix = did_you_mean(near(name, absent))
            self.add(place, Fault(UNEXPECTED, ("members", name), words, show(name), fix))

    def _check_patterns(self, place: _Visit, checks: _GroupChecks, claims: list[list[_Visit]]) -> None:
        for (_, pattern), claimed in zip(checks.patterns, claims, strict=True):
            count = len(claimed)
            few = count < pattern.min_count
            if few or (pattern.max_count is not None and count > pattern.max_count):
                bound = f"at least {pattern.min_count}" if few else f"at most {pattern.max_count}"
                one = bound.endswith(" 1")
                words = f"{bound} member{'s' * (not one)} like {pattern.pattern}"
                self.add(place, Fault(COUNT, ("members",), words, str(count or "none")))
            if pattern.same:
                self._check_same(pattern, claimed)

    def _check_same(self, pattern: Pattern, claimed: list[_Visit]) -> None:
        arrays = [(place, resolve(place.spec)) for place in claimed if place.spec.kind == "array"]
        for fact in pattern.same:
            for place, view in arrays[1:]:
                first, other = arrays[0]
                if _fact(view, fact) != _fact(other, fact):
                    words = f"{_fact_words(other, fact)}, as in {first.node.path}"
                    path = {"dtype": view.type_path, "rank": ("shape",)}.get(fact, view.names_path)
                    self.add(place, Fault(SAME, path, words, _fact_words(view, fact)), (first,))

    def _unclaimed(self, place: _Visit) -> list[_Visit]:
        specs, nodes = member_specs(place.spec) or {}, place.node.members or {}
        return [_Visit(nodes[name], spec, None, place.scopes) for name, spec in specs.items()]


def _scope_of(scopes: tuple[_Scope, ...], name: str) -> _Scope | None:
    """The outermost scope that a dimension is in: what it asks for implies what inner ones ask for."""
    for scope in scopes:
        if scope.names is None or name in scope.names:
            return scope
    return None


def _scopes_below(scopes: tuple[_Scope, ...], same: frozenset[str] | bool) -> tuple[_Scope, ...]:  # noqa: FBT001 - the field's own type
    if not same or any(scope.names is None for scope in scopes):
        return scopes
    if same is True:
        return (*scopes, _Scope(None))
    covered = frozenset[str]().union(*(scope.names or () for scope in scopes))
    return scopes if same <= covered else (*scopes, _Scope(same - covered))


def _fact(view: ResolvedArray, fact: str) -> Any:
    if fact == "dtype":
        return view.type_name if view.data_type is None else view.data_type.name
    return view.rank if fact == "rank" else view.names


def _fact_words(view: ResolvedArray, fact: str) -> str:
    if fact == "rank":
        return f"{view.rank} dimension{'s' * (view.rank != 1)}"
    value = _fact(view, fact)
    return "nothing" if value is None else show(value)
