"""The depth of rules in the chain of rules that they rest on, and of conventions in the chain they refine."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from zom.errors import ExtensionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.checks.checked_rule import CheckedRule
    from zom.conventions.framework.convention import Convention

__all__ = ["RulePlace", "depth", "depths_of", "matched", "refinement"]

_T = TypeVar("_T")

_GLOB: Final = frozenset("*?[")
"""The characters that make a code a pattern of codes."""

RulePlace: TypeAlias = "tuple[Convention, str]"
"""A convention and the id of one of its rules."""


def depth(convention: Convention, rule: CheckedRule) -> int:
    """The length of the longest chain of rules that a rule rests on; ExtensionError for a cycle.

    >>> from zom.conventions import CheckedRule, Convention, required
    >>> first = CheckedRule("first", required("a"))
    >>> convention = Convention("example", rules=[first, CheckedRule("next", required("b"), after=("first",))])
    >>> [depth(convention, rule) for rule in convention.rules]
    [0, 1]
    """
    return depths_of((convention,))[convention, rule.id] if rule.after or rule.after_any else 0


@lru_cache(maxsize=256)
def depths_of(conventions: tuple[Convention, ...]) -> dict[RulePlace, int]:
    """The depth of each rule of conventions found together, whose rules may rest on rules of others."""
    codes: defaultdict[str, list[RulePlace]] = defaultdict(list)
    for each in conventions:
        for rule_id in dict.fromkeys(rule.id for rule in each.all_rules):
            codes[f"{each.id}/{rule_id}"].append((each, rule_id))
    before: dict[RulePlace, set[RulePlace]] = {}
    for each in conventions:
        for rule in each.all_rules:
            wanted = map(each.full, (*rule.after, *rule.after_any))
            causes = chain.from_iterable(chain.from_iterable(matched(codes, pattern) for pattern in wanted))
            # Each version of a convention has its own rules.
            own = {place for place in causes if place[0] is each or place[0].id != each.id}
            before.setdefault((each, rule.id), set()).update(own)
    found: dict[RulePlace, int] = {}
    while len(found) < len(before):
        ready = {place for place, causes in before.items() if place not in found and causes <= found.keys()}
        found.update({place: max((0, *(found[cause] + 1 for cause in before[place]))) for place in ready})
        if not ready:
            _without_others(before, found)
    return found


def _without_others(before: dict[RulePlace, set[RulePlace]], found: Mapping[RulePlace, int]) -> None:
    """Break cycles of rules by removing dependencies on other conventions, else raise ExtensionError."""
    left = [place for place in before if place not in found]
    across = {place: {cause for cause in before[place] if cause[0] is not place[0]} for place in left}
    if not any(across.values()):
        convention = left[0][0]
        names = ", ".join(sorted(rule_id for each, rule_id in left if each is convention))
        raise ExtensionError(f"convention {convention.name!r}: rules rest on each other: {names}")
    for place, causes in across.items():
        before[place] -= causes


def matched(codes: Mapping[str, _T], pattern: str) -> Iterator[_T]:
    """The values of the codes that match a pattern; most patterns are one code and need no expression."""
    if _GLOB.isdisjoint(pattern):
        if pattern in codes:
            yield codes[pattern]
    else:
        yield from (found for code, found in codes.items() if fnmatchcase(code, pattern))


def refinement(convention: Convention, present: Mapping[str, Convention]) -> int:
    """How many of the `present` conventions it refines in a chain.

    >>> from zom.conventions import Convention
    >>> xarray, cf = Convention("xarray"), Convention("cf", refines=("xarray",))
    >>> refinement(xarray, {"xarray": xarray, "cf": cf}), refinement(cf, {"xarray": xarray, "cf": cf})
    (0, 1)
    """
    below = [present[name] for name in convention.refines if name in present and name != convention.id]
    return max((refinement(each, present) + 1 for each in below), default=0)
