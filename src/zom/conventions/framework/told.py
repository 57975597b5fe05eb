"""Findings with their origin: the rule and node behind each, and what several of them have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.checks.checked_rule import CheckedRule
    from zom.conventions.framework.convention import Convention
    from zom.conventions.framework.rule_plan import Tally
    from zom.formats.node_view import Node
    from zom.problems import Path, Problem

__all__ = ["Told", "same_cause"]


class Told(NamedTuple):
    """A finding and its origin: a rule of a convention at a node, the framework, or Zarr's own rules."""

    problem: Problem
    convention: Convention | None = None
    rule: CheckedRule | None = None
    """The broken rule; of several that share an id, the one that is broken."""
    tally: Tally | None = None
    """The tally that counts it."""
    breach: Breach | None = None
    """The breach behind it."""
    node: Node | None = None
    """The node where the rule was checked."""
    holder: Node | None = None
    """The node whose attributes the rule reads."""
    slip: tuple[str, Path] | None = None
    """The node and path of a misspelt key in place of something missing."""
    also: tuple[Path, ...] = ()
    """Places that differ from its own; either may be the wrong one."""

    @property
    def cause(self) -> tuple[str, str] | None:
        """The cause of this and other findings: mostly a missing node, by name and the group searched."""
        return None if self.breach is None else self.breach.cause

    @property
    def path(self) -> Path:
        """Its path in the document of its node."""
        return self.problem.inside

    @property
    def is_placed(self) -> bool:
        """Whether its place is a value rather than a whole node."""
        return self.path not in {(), ("attributes",)}

    @property
    def is_form(self) -> bool:
        """Whether it reports a value of the wrong type."""
        if self.rule is None:
            return not self.problem.code.startswith("convention/")  # one of Zarr's own rules
        return self.rule.is_schema or self.rule.check.name == "json_type"

    @property
    def is_in_empty(self) -> bool:
        """Whether it misses something in an empty object: in all of the attributes, or within them."""
        if self.problem.severity == "note" or self.breach is None or self.path[:1] != ("attributes",):
            return False
        value: Any = self.breach.node.attributes
        for step in self.path[1:-1]:
            try:
                value = value[step]
            except (LookupError, TypeError):
                return False
        return isinstance(value, Mapping) and not value

    @property
    def twice_in(self) -> Path | None:
        """The list with a repeated item if it reports one."""
        if self.rule is None or self.rule.check.name != "unique":
            return None
        places = [at for at, step in enumerate(self.path) if isinstance(step, int)]
        return self.path[: places[-1]] if places else None

    @property
    def is_of_unknown(self) -> bool:
        """Whether it reports that a node's document or attributes can't be read, or as an unknown type."""
        if self.rule is not None or not self.is_form:
            return False
        return not self.is_placed or self.path in {("node_type",), ("zarr_format",)}

    @property
    def sought(self) -> str | None:
        """The path of the missing node."""
        return None if self.cause is None else f"{self.cause[1].rstrip('/')}/{self.cause[0]}"

    @property
    def nodes(self) -> frozenset[str]:
        """The paths of the nodes that it refers to."""
        around = () if self.holder is None else (self.holder.path,)
        return frozenset((self.problem.node, *self.problem.related, *around))


def same_cause(told: Told) -> Iterator[tuple[Any, ...]]:
    """The keys that findings of one rule share if one value causes all of them."""
    problem, rule, path = told.problem, told.rule, told.path
    if rule is None:
        return
    if problem.related:
        yield ("related", problem.code, problem.expected, problem.related)
    if told.is_in_empty:
        yield ("empty", problem.node, path[:-1])
    if told.cause is not None:
        yield ("cause", *told.cause)
    if "like" in rule.check.params and told.holder is not None:
        yield ("like", problem.code, problem.expected, told.holder.path)
    if path and isinstance(path[-1], int):
        if told.is_form:
            yield ("form", problem.code, problem.expected, problem.node, path[:-1])
        elif _is_number(problem.found) or (told.node is not None and path[:-1] == told.node.dims_path):
            yield ("list", problem.code, problem.node, path[:-1])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
