"""The outcome of a rule at a node, and a breach of it as a problem."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Outcome, Site, Skip
from zom.checks.checked_rule import holds
from zom.problems import Path, Problem, pointer_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.checks.checked_rule import CheckedRule
    from zom.formats.node_view import Node
    from zom.problems import Severity

__all__ = ["asking", "pointer_to", "problem_of", "verdict", "why_absent"]

_UNMET: Final = "its condition is not met"
_NOT_MET: Final = Skip(_UNMET)


def verdict(rule: CheckedRule, site: Site) -> Outcome:
    """The outcome of a rule at a site, for all places that its `each` selects.

    >>> from zom.checks.checked_rule import CheckedRule
    >>> from zom.checks.values import required
    >>> from zom.formats.node_view import attributes_node
    >>> node = attributes_node({"a": 1})
    >>> verdict(CheckedRule("b", required("b"), must="there is b"), Site(node, node))[0].expected
    'a value at "b"'
    """
    if rule.each is None and not rule.when:
        return rule.check.run(site)
    scopes = (site,) if rule.each is None else site.scopes(rule.each)
    if not scopes:
        return Skip(why_absent(rule))
    ran, why = False, ""
    breaches: list[Breach] = []
    for scope in scopes:
        if rule.when and not all(holds(condition, scope) for condition in rule.when):
            continue
        outcome = rule.check.run(scope)
        if isinstance(outcome, Skip):
            why = why or outcome.why
        else:
            ran = True
            breaches.extend(outcome)
    return breaches if ran else Skip(why or _UNMET)


def asking(rule: CheckedRule) -> Callable[[Site], Outcome]:
    """A function that gives the same outcomes as `verdict` for the rule, with as few calls as possible.

    >>> from zom.checks.check import python
    >>> from zom.checks.checked_rule import CheckedRule
    >>> from zom.formats.node_view import attributes_node
    >>> node = attributes_node({"a": 1})
    >>> asking(CheckedRule("b", python(lambda site: ()), must="all is well"))(Site(node, node))
    ()
    """
    if rule.each is not None:
        return partial(verdict, rule)
    check, conditions = rule.check, rule.when
    run = partial(check.function, **check.params) if check.params else check.function
    if not conditions:
        return run

    def ask(site: Site) -> Outcome:
        for condition in conditions:
            if not holds(condition, site):
                return _NOT_MET
        return run(site)

    return ask


def why_absent(rule: CheckedRule) -> str:
    """Why a rule doesn't apply if nothing that it is about exists."""
    needed = rule.each or rule.check.needs
    return _UNMET if needed is None else f"nothing at {needed}"


def problem_of(rule: CheckedRule, breach: Breach, code: str, severity: Severity) -> Problem:
    """A breach of a rule as a problem in the whole document.

    >>> from zom.checks.checked_rule import CheckedRule
    >>> from zom.checks.values import required
    >>> from zom.formats.node_view import attributes_node
    >>> rule, node = CheckedRule("b", required("b"), must="there is b"), attributes_node({})
    >>> (breach,) = verdict(rule, Site(node, node))
    >>> print(problem_of(rule, breach, "example/b", "error"))
    attributes.b: expected a value at "b", found nothing
    """
    node, path, expected, found, fix, related, *_ = breach
    return Problem(
        code,
        severity,
        node.path,
        pointer_to(node, path),
        path,
        expected or f"that {rule.text[:1].lower()}{rule.text[1:]}",
        found,
        fix or rule.fix,
        related=related,
    )


def pointer_to(node: Node, path: Path) -> str:
    """The pointer from the document of the whole hierarchy to `path` in the node's document."""
    return f"{node.pointer}{pointer_of(path)}"
