"""A plan as text: a summary, one line per node that changes, then the conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.columns import column_width, padded
from zom.count import count_of
from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.hierarchy.change.plan import Action, ChangePlan
    from zom.model.difference import Change

__all__ = ["MARKS", "action_words", "changes_words", "heading", "plan_text", "summary"]

MARKS = {
    "create": "+",
    "keep": "=",
    "update attributes": "~",
    "rewrite document": "~",
    "write values": "~",
    "resize": "~",
    "replace": "!",
    "delete": "-",
    "move": ">",
}
"""The sign at the start of a line, by action."""

_WORDS = {
    "create": "to create",
    "update attributes": "to update",
    "rewrite document": "to rewrite",
    "write values": "to write values of",
    "resize": "to resize",
    "replace": "to replace",
    "delete": "to delete",
    "move": "to move",
    "keep": "to keep",
}

_LINES = 200
"""The maximum number of nodes shown."""


def heading(plan: ChangePlan) -> str:
    """The place of the plan, and its summary."""
    where = plan.url if plan.path == "/" else f"{plan.url} {plan.path}"
    return f"{where}: {summary(plan)}"


def summary(plan: ChangePlan) -> str:
    """The summary of the plan in one line."""
    counts = plan.counts
    parts = [f"{counts[verb]} {words}" for verb, words in _WORDS.items() if verb in counts]
    chunks = sum(action.chunks for action in plan.actions)
    if chunks:
        parts.append(f"{count_of(chunks, 'chunk')} to remove")
    if plan.problems:
        parts.append(count_of(len(plan.problems), "conflict"))
    return ", ".join(parts) or "nothing to do"


def changes_words(changes: Sequence[Change]) -> str:
    """The first few changes of a document, in words."""
    shown = [_change_words(change) for change in changes[:3]]
    more = [f"and {len(changes) - 3} more"] if len(changes) > 3 else []
    return "; ".join(shown + more)


def _change_words(change: Change) -> str:
    sign, _, rest = str(change).partition(" ")
    told = rest.removeprefix(f"{change.node}: ")
    return told if change.kind == "changed" else f"{sign} {told}"


def action_words(action: Action) -> str:
    """The action on a node, in words."""
    parts: list[str] = [action.verb]
    if action.why:
        parts[0] += f" ({action.why})"
    if action.changes:
        parts.append(changes_words(action.changes))
    text = ": ".join(parts)
    if action.chunks:
        text += f"; {count_of(action.chunks, 'chunk')} removed"
    if action.in_full:
        text += f"; names written in full: {', '.join(action.in_full[:3])}"
        text += f" and {len(action.in_full) - 3} more" if len(action.in_full) > 3 else ""
    return text


def plan_text(plan: ChangePlan) -> str:
    """The plan as text."""
    lines = [heading(plan)]
    shown = [action for action in plan.actions if action.verb != "keep"]
    width = column_width(one_line(action.path) for action in shown[:_LINES])
    lines.extend(
        f"  {MARKS[action.verb]} {padded(one_line(action.path), width)}  {action.kind:5}  {action_words(action)}"
        for action in shown[:_LINES]
    )
    if len(shown) > _LINES:
        lines.append(f"  ... and {len(shown) - _LINES} more")
    lines.extend(f"  ~ {path}: consolidated metadata is written again" for path in plan.consolidated)
    lines.extend(f"  - {path}: consolidated metadata is deleted" for path in plan.dropped)
    if plan.foreign:
        few = ", ".join(map(repr, plan.foreign[:3]))
        more = f" and {len(plan.foreign) - 3} more" if len(plan.foreign) > 3 else ""
        lines.append(f"  not Zarr's, and left alone: {few}{more}")
    if plan.warnings:
        lines.append("warnings:")
        lines.extend(
            f"  {problem.node}: {_without_node(str(problem), problem.node)}" for problem in plan.warnings
        )
    if plan.problems:
        lines.append("conflicts:")
        lines.extend(
            f"  {problem.node}: {_without_node(str(problem), problem.node)}" for problem in plan.problems
        )
    return "\n".join(map(one_line, lines))


def _without_node(text: str, node: str) -> str:
    return text.removeprefix(one_line(f"{node}: "))
