"""Count nodes that occur in several places of a tree, without visiting each place.

A Python object may be a member of many groups, which are members of more groups: ten levels of ten
members are ten billion nodes in a few lines of code. As text, each is written once per place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from zom.json.value import CONTAINS_ITSELF
from zom.json.value import REPEATS as VALUE_REPEATS
from zom.model.bare_spec import is_spec
from zom.model.output import member_specs
from zom.problems import Fault, dotted, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.limits import Limits
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["is_endless", "node_count", "repeated"]

REPEATS = rule(
    "tree/repeats",
    "a tree made in Python has no more repeated nodes than the limit, each counted "
    "in every place, as text repeats it",
    source="RFC 8259, section 9: an implementation may set limits",
)
CYCLE = rule(
    "tree/cycle",
    "no group contains itself",
    source="RFC 8259, section 3: a value that contains itself has no text",
)


def is_endless(problems: Iterable[Problem]) -> bool:
    """Whether a document has problems that forbid visiting its nodes and values one by one."""
    return any(problem.code in _ENDLESS or problem.found == CONTAINS_ITSELF for problem in problems)


_ENDLESS = frozenset({REPEATS.code, CYCLE.code, VALUE_REPEATS.code, "json/depth", "tree/depth"})


def node_count(spec: Spec) -> int:
    """Return the number of nodes in the tree of `spec`; a node in several places counts once per place.

    >>> from zom import v3
    >>> twice = v3.GroupSpec(members={})
    >>> node_count(v3.GroupSpec(members={"a": twice, "b": twice}))
    3
    """
    private = spec.__pydantic_private__
    return 1 if private is None else cast("int", private.get("nodes", 1))


def repeated(document: object, nodes: int, depth: int, limits: Limits) -> Fault | None:
    """Return the fault of a tree made in Python whose `nodes` repeat too often, or that contains itself.

    Only a tree whose `depth` reaches the limit can be infinite.
    """
    most = limits.repeated_nodes
    cycle = _cycle(document) if depth >= limits.tree_depth else None
    if cycle is not None:
        steps = tuple(step for name in cycle for step in ("members", name))
        fix = "replace it with a copy without the members"
        return Fault(CYCLE, steps, "a node", f"a group that contains itself, at {dotted(steps)}", fix)
    if nodes <= most or nodes - _distinct(document) <= most:
        return None
    found = f"{nodes} nodes in total" if nodes.bit_length() <= 256 else "more than can be counted"
    fix = "make a tree of fewer nodes"
    return Fault(REPEATS, ("members",), f"at most {most} repeated nodes", found, fix)


def _below(node: object) -> Mapping[Any, Any]:
    if is_spec(node):
        return member_specs(node) or {}
    found = cast("Mapping[str, object]", node).get("members") if isinstance(node, Mapping) else None
    return cast("Mapping[Any, Any]", found) if isinstance(found, Mapping) else {}


def _distinct(document: object) -> int:
    """Return the number of distinct nodes."""
    seen = {id(document)}
    waiting = [document]
    while waiting:
        for member in _below(waiting.pop()).values():
            if id(member) not in seen:
                seen.add(id(member))
                waiting.append(member)
    return len(seen)


def _cycle(document: object) -> list[Any] | None:
    """Return the names that lead to a group that contains itself, or None."""
    if is_spec(document):
        return None  # a spec is made after its members, so it has no cycle
    done: set[int] = set()
    path: list[Any] = []
    above = {id(document)}
    stack: list[tuple[object, Iterator[tuple[Any, Any]]]] = [(document, iter(_below(document).items()))]
    while stack:
        node, members = stack[-1]
        for name, member in members:
            if id(member) in above:
                return [*path, name]
            if id(member) not in done and not is_spec(member):
                above.add(id(member))
                path.append(name)
                stack.append((member, iter(_below(member).items())))
                break
        else:
            stack.pop()
            above.discard(id(node))
            done.add(id(node))
            if path:
                path.pop()
    return None
