"""Where rules are expressed: in JSON Schema, as a named check with parameters, or only in words.

A program in another language runs the first two; it can only show the third to its users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.checks.checked_rule import CheckedRule
    from zom.conventions.framework.convention import Convention

__all__ = ["PLACES", "ExpressionPlace", "Share", "expressed_in", "listed", "share_of"]

ExpressionPlace = Literal["schema", "x-zom-rules", "documentation"]
"""The places where a rule can be expressed."""

PLACES: Final[tuple[ExpressionPlace, ...]] = ("schema", "x-zom-rules", "documentation")


def expressed_in(rule: CheckedRule) -> ExpressionPlace:
    """The place where the rule is expressed so that a program can check it, or "documentation".

    >>> from zom.conventions import CheckedRule, required
    >>> expressed_in(CheckedRule("title", required("title"), must="there is a title"))
    'x-zom-rules'
    """
    if rule.is_schema:
        return "schema"
    return "x-zom-rules" if rule.is_portable else "documentation"


def listed(convention: Convention) -> list[dict[str, Any]]:
    """Every rule as plain JSON; a rule with several checks is listed once for each.

    >>> from zom.conventions import conventions
    >>> listed(conventions["xarray"])[0]["expressed_in"] in PLACES
    True
    """
    return [
        {**each.to_dict(convention.code(each)), "expressed_in": expressed_in(each)}
        for each in convention.all_rules
    ]


class Share(NamedTuple):
    """The numbers of a convention's rules in each place; a rule's least portable check counts.

    >>> Share("ome/0.5", 10, 20, 10).portable
    0.75
    """

    convention: str
    schema: int
    checks: int
    documentation: int

    @property
    def rules(self) -> int:
        """The number of rules."""
        return self.schema + self.checks + self.documentation

    @property
    def portable(self) -> float:
        """The share of rules that a program in another language can check."""
        return (self.schema + self.checks) / self.rules if self.rules else 1.0


def share_of(convention: Convention) -> Share:
    """Count where the rules of the convention are expressed.

    >>> from zom.conventions import conventions
    >>> share_of(conventions["xarray"]).rules > 20
    True
    """
    least: dict[str, int] = {}
    for each in convention.all_rules:
        code = convention.code(each)
        least[code] = max(least.get(code, 0), PLACES.index(expressed_in(each)))
    return Share(convention.name, *(_count(least.values(), place) for place in range(len(PLACES))))


def _count(places: Iterable[int], wanted: int) -> int:
    return sum(place == wanted for place in places)
