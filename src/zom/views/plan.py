"""A plan as one page: what is done to each node, what is lost, what is in the way.

The page holds no script and asks for nothing from anywhere, as that of a hierarchy.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from zom.formats.facts import printable
from zom.hierarchy.change.plan_text import MARKS, action_words, summary
from zom.views.html import page_around

if TYPE_CHECKING:
    from zom.hierarchy.change.plan import Action, ChangePlan
    from zom.problems import Problem

__all__ = ["plan_page"]

_LOST = {"replace", "delete"}


def plan_page(plan: ChangePlan, *, title: str = "") -> str:
    """The page for `plan`.

    >>> import zom
    >>> page = plan_page(zom.plan(zom.v3.GroupSpec(), "memory:"))
    >>> "1 to create" in page, "<script" in page
    (True, False)
    """
    where = plan.url if plan.path == "/" else f"{plan.url} {plan.path}"
    heading = title or f"Plan for {where}"
    parts = [f"<h1>{_text(heading)}</h1>\n<p class=lead>{_text(summary(plan))}</p>\n"]
    if plan.problems:
        parts += ["<h2>In the way</h2>\n", _problems(plan.problems)]
    parts += ["<h2>Nodes</h2>\n", _nodes([each for each in plan.actions if each.verb != "keep"])]
    if plan.consolidated:
        parts += ["<h2>Consolidated metadata, written again</h2>\n", _names(plan.consolidated)]
    if plan.foreign:
        parts += ["<h2>Not Zarr's, and left alone</h2>\n", _names(plan.foreign)]
    return page_around("".join(parts), title=heading)


def _text(text: str) -> str:
    return escape(printable(text))


def _problems(problems: tuple[Problem, ...]) -> str:
    rows = "".join(
        f"<tr><td class=name>{_text(each.node)}</td><td>{_text(each.expected)}</td>"
        f"<td class=error>{_text(each.found)}</td><td>{_text(each.fix or '')}</td></tr>\n"
        for each in problems
    )
    head = "<tr><th>Node</th><th>Expected</th><th>Found</th><th>What to do</th></tr>"
    return f"<div class=card><table><thead>{head}</thead>\n<tbody>{rows}</tbody></table></div>\n"


def _nodes(actions: list[Action]) -> str:
    if not actions:
        return "<div class=card><p class=good>Everything is there already.</p></div>\n"
    rows = "".join(
        f"<tr class={each.kind.partition(' ')[0]}><td>{MARKS[each.verb]}</td><td class=name>{_text(each.path)}</td>"
        f"<td>{each.kind}</td><td{_mark(each)}>{_text(action_words(each))}</td></tr>\n"
        for each in actions
    )
    head = "<tr><th></th><th>Node</th><th>Kind</th><th>What is done</th></tr>"
    return f"<div class=card><table><thead>{head}</thead>\n<tbody>{rows}</tbody></table></div>\n"


def _mark(action: Action) -> str:
    return " class=warning" if action.chunks or action.verb in _LOST else ""


def _names(names: tuple[str, ...]) -> str:
    rows = "".join(f"<tr><td class=name>{_text(name)}</td></tr>\n" for name in names)
    return f"<div class=card><table><tbody>{rows}</tbody></table></div>\n"
