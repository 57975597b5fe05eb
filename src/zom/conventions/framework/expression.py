"""Where rules can be expressed: in JSON Schema, as a named check with parameters, or in words alone.

A program in another language runs the first two kinds; the third it can only show to its users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.checks.checked_rule import CheckedRule
    from zom.conventions.framework.convention import Convention

__all__ = ["PLACES", "ExpressionPlace", "Share", "expressed_in", "listed", "share_of"]

ExpressionPlace = Literal["schema", "x-zom-rules", "documentation"]
"""Where a rule is expressed."""

PLACES: Final[tuple[ExpressionPlace, ...]] = ("schema", "x-zom-rules", "documentation")


def expressed_in(rule: CheckedRule) -> ExpressionPlace:
    """Where the rule is expressed so that a program can check it, if anywhere.

    >>> from zom.conventions import CheckedRule, required
    >>> expressed_in(CheckedRule("title", required("title"), must="there is a title"))
    'x-zom-rules'
    """
    if rule.is_schema:
        return "schema"
    return "x-zom-rules" if rule.is_portable else "documentation"


def listed(convention: Convention) -> list[dict[str, Any]]:
    """Every rule as plain JSON; a rule of several checks comes once for each of them.

    >>> from zom.conventions import conventions
    >>> listed(conventions["xarray"])[0]["expressed_in"] in PLACES
    True
    """
    return [
        {**each.to_dict(convention.code(each)), "expressed_in": expressed_in(each)}
        for each in convention.all_rules
    ]


class Share(NamedTuple):
    """How many rules of a convention are expressed where; one of several checks counts by the least of them.

    >>> Share("ome/0.5", 10, 20, 10).portable
    0.75
    """

    convention: str
    schema: int
    checks: int
    documentation: int

    @property
    def rules(self) -> int:
        """How many rules there are."""
        return self.schema + self.checks + self.documentation

    @property
    def portable(self) -> float:
        """The part of them that a program in another language can check."""
        return (self.schema + self.checks) / self.rules if self.rules else 1.0


def share_of(convention: Convention) -> Share:
    """How the rules of the convention are expressed.

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
