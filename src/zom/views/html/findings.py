"""The findings of a validation: the worst first, grouped by rule, each linked to its node in the tree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from zom.problems import dotted, rules
from zom.views.html.markup import count, cut, details, name, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.problems import Problem

__all__ = ["counts_html", "findings_html"]

_SEVERITIES = ("error", "warning", "note")
_GROUPS = 100
_OPEN = 8
"""The number of rules whose findings are unfolded."""
_AT_ONCE = 6
_EACH = 30
"""The most findings to list for one rule."""
_ALL = 300
"""The most findings to list in total."""
_ROOM = 400


def counts_html(problems: Sequence[Problem]) -> str:
    """Return the number of findings of each severity, as HTML.

    >>> counts_html([])
    '<span class=good>no problems</span>'
    """
    counts = Counter[str](problem.severity for problem in problems)
    said = [f"<span class={each}>{count(counts[each], each)}</span>" for each in _SEVERITIES if counts[each]]
    return ", ".join(said) or "<span class=good>no problems</span>"


def findings_html(
    problems: Sequence[Problem],
    anchors: Mapping[str, str],
    words: Mapping[str, str] | None = None,
    *,
    each: int = _EACH,
) -> str:
    """Return the findings as HTML; `anchors` maps nodes to link targets, `words` maps rule codes to texts.

    At most `each` findings of a rule are listed.

    >>> from zom.problems import Problem
    >>> found = findings_html([Problem("x/y", "error", "/t", "/t", (), "1", "<2>")], {"/t": "n1"})
    >>> "<a href=#n1>" in found, "&lt;2&gt;" in found
    (True, True)
    """
    if not problems:
        return "<div class=box><p class=good>Every rule that was checked holds.</p></div>"
    known = {code: rule.text for code, rule in rules().items()} | dict(words or {})
    groups: dict[tuple[str, str], list[Problem]] = {}
    for severity in _SEVERITIES:
        for problem in problems:
            if problem.severity == severity:
                groups.setdefault((severity, problem.code), []).append(problem)
    left = _ALL
    parts: list[str] = []
    for index, ((severity, code), found) in enumerate(groups.items()):
        if index == _GROUPS:
            parts.append(f"<p class=soft>… and {count(len(groups) - _GROUPS, 'more rule')}</p>")
            break
        shown = found[: max(0, min(each, left))]
        left -= len(shown)
        rule = f" <span class=soft>{text(cut(known[code], _ROOM))}</span>" if known.get(code) else ""
        times = f" <b>×{len(found):,}</b>" if len(found) > 1 else ""
        summary = f"<span class={severity}>{severity}</span> <code>{text(code)}</code>{times}{rule}"
        hidden = len(found) - len(shown)
        more = f"<li class=soft>… and {hidden:,} more" if hidden else ""
        items = [_item(problem, anchors) for problem in shown]
        parts.append(details(summary, f"<ul class=found>{_folded(items, more)}</ul>", is_open=index < _OPEN))
    return f"<div class=box>{''.join(parts)}</div>"


def _folded(items: Sequence[str], more: str) -> str:
    """Return the first items and fold the rest, so that a rule with many findings doesn't hide others."""
    if len(items) <= _AT_ONCE + 2:
        return "".join(items) + more
    rest = f"<ul>{''.join(items[_AT_ONCE:])}{more}</ul>"
    summary = f"{len(items) - _AT_ONCE:,} more{' here' if more else ''}"
    return f"{''.join(items[:_AT_ONCE])}<li>{details(summary, rest)}"


def _item(problem: Problem, anchors: Mapping[str, str]) -> str:
    anchor = anchors.get(problem.node or "/")
    node = name(problem.node or "/", 200)
    where = f"<a href=#{anchor}>{node}</a>" if anchor is not None else node
    inside = f" <code>{text(cut(dotted(problem.inside), 200))}</code>" if problem.inside else ""
    line = f" <span class=soft>line {problem.line}</span>" if problem.line is not None else ""
    fix = f"; <span class=soft>{text(cut(problem.fix, _ROOM))}</span>" if problem.fix else ""
    said = f"expected {text(cut(problem.expected, _ROOM))}, found {text(cut(problem.found, _ROOM))}"
    return f"<li>{where}{inside}{line}: {said}{fix}"
