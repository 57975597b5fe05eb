"""Check a hierarchy against a template: the rules of each template, at every node that it covers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, cast

from zom.checks.check import Site, Skip
from zom.checks.verdict import problem_of, verdict
from zom.errors import SpecError
from zom.formats import detection
from zom.formats.node_view import spec_tree
from zom.model.assembly import Uncollected
from zom.model.spec import Spec
from zom.template.compile import compile_template, one_length_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.checks.checked_rule import CheckedRule
    from zom.formats.node_view import Node
    from zom.problems import Level, Problem
    from zom.template.compile import CompiledTemplate
    from zom.template.models import Template

__all__ = ["check"]

_REMEMBERED: Final = 4096
"""The most kinds of matching arrays that a template remembers."""


def check(
    template: Template, subject: Spec | str | bytes | Mapping[str, Any], level: Level
) -> tuple[Problem, ...]:
    """Return every way in which `subject` does not match `template`, in the order of the tree."""
    warnings: list[Problem] = []
    if not isinstance(subject, Spec):
        try:
            subject = cast("Spec", detection.parse(subject, level, on_warning=warnings.append))
        except SpecError as error:
            return error.problems
    walk = _Walk()
    with Uncollected():
        root = spec_tree(subject)
        root.kind = subject.kind  # an entry point of the draft is neither an array nor a group
        waiting: list[_Visit] = [(root, compile_template(template), frozenset())]
        while waiting:
            waiting.extend(walk.visit(*waiting.pop()))
    return (*warnings, *walk.problems_in_order(root))


_Covered = frozenset[str] | None
"""The dimensions that an ancestor requires to have one length; None if it requires that of all."""
_Visit = tuple["Node", "CompiledTemplate", _Covered]
"""A node, its compiled template, and the dimensions covered by ancestors."""


class _Walk:
    """One walk, with the problems so far and their nodes."""

    def __init__(self) -> None:
        self.problems: list[tuple[Node, Problem]] = []

    def problems_in_order(self, root: Node) -> Iterator[Problem]:
        """Return the problems in tree order, since rules on groups also report descendants."""
        if self.problems:
            places = {id(node): place for place, node in enumerate(root.walk())}
            self.problems.sort(key=lambda found: places[id(found[0])])
        return (problem for _, problem in self.problems)

    def visit(self, node: Node, compiled: CompiledTemplate, covered: _Covered) -> Iterable[_Visit]:
        """Check one node, and return the nodes to visit next."""
        if node.kind not in compiled.fitting:
            if self._breaks(compiled.kind, node):
                return ()
            compiled.fitting.add(node.kind)
        if compiled.array_rules:
            self._check_array(compiled, node)
        if compiled.rules:
            self._breaks(compiled.rules, node)
        if compiled.one_length:
            covered = self._check_lengths(compiled.one_length, node, covered)
        either = compiled.either.get(node.kind or "")
        if either is not None:
            return ((node, compile_template(either), covered),)
        return () if compiled.membership is None or not node.members else _below(node, compiled, covered)

    def _breaks(self, rules: Iterable[CheckedRule], node: Node) -> bool:
        """Whether the node breaks any of the rules; each breach is recorded."""
        site = Site(node, node)
        is_broken = False
        for rule in rules:
            outcome = verdict(rule, site)
            if outcome and not isinstance(outcome, Skip):
                is_broken = True
                severity = rule.severity()
                self.problems.extend(
                    (each.node, problem_of(rule, each, rule.id, severity)) for each in outcome
                )
        return is_broken

    def _check_array(self, compiled: CompiledTemplate, node: Node) -> None:
        """Check an array by its encoding, shape and names, which most arrays of a hierarchy share."""
        view = node.resolved
        key = (view.encoding, view.shape, view.names)
        if key in compiled.fitting or self._breaks(compiled.array_rules, node):
            return
        if len(compiled.fitting) >= _REMEMBERED:
            compiled.fitting.clear()
        compiled.fitting.add(key)

    def _check_lengths(
        self, wanted: Literal[True] | frozenset[str], node: Node, covered: _Covered
    ) -> _Covered:
        """Check the lengths that no ancestor covers; return all dimensions covered now."""
        if covered is None:
            return None
        if wanted is True:
            self._breaks((one_length_rule(None, covered),), node)
            return None
        if wanted - covered:
            self._breaks((one_length_rule(wanted - covered, frozenset[str]()),), node)
        return covered | wanted


def _below(node: Node, compiled: CompiledTemplate, covered: _Covered) -> Iterator[_Visit]:
    """Yield the members that a group's template covers."""
    members = node.members or {}
    for name, named in compiled.named.items():
        if name in members:
            yield members[name], compile_template(named), covered
    if not compiled.claimed or compiled.membership is None:
        return
    for template, alike in zip(compiled.claimed, compiled.membership.sorted(node).claimed, strict=True):
        if template is not None and alike:
            inner = compile_template(template)
            yield from ((member, inner, covered) for member in alike.values())
