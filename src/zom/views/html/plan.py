"""The view of a plan: conflicts, losses, and the action on each node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.hierarchy.change.plan_text import MARKS, action_words, summary
from zom.views.html.findings import findings_html
from zom.views.html.markup import count, cut, name, table, text
from zom.views.html.style import page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.hierarchy.change.plan import Action, ChangePlan

__all__ = ["plan_html", "plan_page"]

_LOST = {"replace", "delete"}
_NODES = 1_000
_NAMES = 100


def plan_page(plan: ChangePlan, *, title: str = "") -> str:
    """Return the page for `plan`.

    >>> import zom
    >>> page = plan_page(zom.plan(zom.v3.GroupSpec(), "memory:"))
    >>> "1 to create" in page, "<script" in page
    (True, False)
    """
    where = plan.url if plan.path == "/" else f"{plan.url} {plan.path}"
    heading = title or f"Plan for {where}"
    lead = f"<h1>{text(cut(heading, 300))}</h1>\n<p class=soft>{text(summary(plan))}</p>\n"
    return page(lead + plan_html(plan), title=cut(heading, 300))


def plan_html(plan: ChangePlan, *, nodes: int = _NODES) -> str:
    """Return a plan as HTML, with at most `nodes` nodes.

    >>> import zom
    >>> "create" in plan_html(zom.plan(zom.v3.GroupSpec(), "memory:"))
    True
    """
    parts: list[str] = []
    if plan.problems:
        parts += ["<h2>Conflicts</h2>\n", findings_html(plan.problems, {})]
    if plan.warnings:
        parts += ["<h2>Warnings</h2>\n", findings_html(plan.warnings, {})]
    changed = [each for each in plan.actions if each.verb != "keep"]
    # Losses come first.
    lost = [each for each in changed if _loses(each)]
    if lost and len(lost) < len(changed):
        parts += ["<h2>Losses</h2>\n", _nodes(lost, nodes, "Lost nodes and chunks")]
        changed = [each for each in changed if not _loses(each)]
    parts += ["<h2>Nodes</h2>\n", _nodes(changed, nodes, "The change of each node")]
    for heading, names in (
        ("Consolidated metadata, written again", plan.consolidated),
        ("Consolidated metadata, deleted", plan.dropped),
        ("Not Zarr's, and left alone", plan.foreign),
    ):
        if names:
            parts += [f"<h2>{text(heading)}</h2>\n", _names(names, heading)]
    return "".join(parts)


def _loses(action: Action) -> bool:
    return bool(action.chunks) or action.verb in _LOST


def _nodes(actions: Sequence[Action], most: int, caption: str) -> str:
    if not actions:
        return "<div class=box><p class=good>Everything exists already.</p></div>\n"
    rows = [
        f"<tr><td><span aria-hidden=true>{MARKS[each.verb]}</span><td>{name(each.path, 200)}<td>{text(each.kind)}"
        f"<td{' class=warning' if _loses(each) else ''}>{text(cut(action_words(each), 400))}"
        for each in actions[:most]
    ]
    if len(actions) > most:
        rows.append(f"<tr><td><td class=soft colspan=3>… and {count(len(actions) - most, 'more node')}")
    return table(["", "Node", "Kind", "The changes"], rows, caption)


def _names(names: Sequence[str], caption: str) -> str:
    rows = [f"<tr><td>{name(each, 200)}" for each in names[:_NAMES]]
    if len(names) > _NAMES:
        rows.append(f"<tr><td class=soft>… and {len(names) - _NAMES:,} more")
    return table([], rows, caption)
