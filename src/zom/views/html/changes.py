"""The difference between two hierarchies: the changes of each node, old next to new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.problems import dotted, show
from zom.views.html.markup import count, cut, details, name, table, text

if TYPE_CHECKING:
    from zom.model.difference import Change, Difference

__all__ = ["changes_html", "difference_words"]

_NODES = 200
_EACH = 50
"""The most changes to list for one node."""
_OPEN = 10
_ROOM = 200

_SIGNS = {
    "added": ("+", "note"),
    "removed": ("-", "error"),
    "changed": ("~", "warning"),
    "unreadable": ("!", "error"),
}


def difference_words(difference: Difference) -> str:
    """Summarize a difference in words.

    >>> from zom import v3
    >>> difference_words(v3.GroupSpec().diff(v3.GroupSpec(attributes={"a": 1})))
    '1 change at 1 node'
    """
    unread = "; values were not compared" if difference.values_compared is False else ""
    if not difference:
        return f"no difference{unread}"
    nodes = len({change.node for change in difference})
    return f"{count(len(difference), 'change')} at {count(nodes, 'node')}{unread}"


def changes_html(difference: Difference, *, nodes: int = _NODES) -> str:
    """Return the changes by node, for at most `nodes` nodes, as HTML.

    >>> from zom import v3
    >>> print(changes_html(v3.GroupSpec().diff(v3.GroupSpec())))
    <div class=box><p class=good>Both mean the same.</p></div>
    """
    notes = "".join(f"<p>{text(cut(note, 400))}</p>" for note in difference.notes[:20])
    if not difference:
        return f"<div class=box><p class=good>Both mean the same.</p>{notes}</div>"
    by_node: dict[str, list[Change]] = {}
    for change in difference:
        by_node.setdefault(change.node, []).append(change)
    parts = [
        _node(path, found, is_open=index < _OPEN)
        for index, (path, found) in enumerate(list(by_node.items())[:nodes])
    ]
    if len(by_node) > nodes:
        parts.append(f"<p class=soft>… and {count(len(by_node) - nodes, 'more node')}</p>")
    return f"<div class=box>{notes}{''.join(parts)}</div>"


def _node(path: str, found: list[Change], *, is_open: bool) -> str:
    rows = [_row(change) for change in found[:_EACH]]
    if len(found) > _EACH:
        rows.append(f"<tr><td class=soft colspan=4>… and {count(len(found) - _EACH, 'more change')}")
    summary = f"{name(path, 200)} <span class=soft>{count(len(found), 'change')}</span>"
    changed = table(["", "Member", "Old", "New"], rows, f"Changes at {path[:100]}")
    return details(summary, changed, is_open=is_open)


def _row(change: Change) -> str:
    sign, style = _SIGNS[change.kind]
    where = text(dotted(change.inside)[:_ROOM]) if change.inside else "the node"
    old = "" if change.kind == "added" else text(show(change.old, _ROOM))
    new = "" if change.kind == "removed" else text(show(change.new, _ROOM))
    if change.kind == "unreadable":
        lost = text(f"can't be read{f': chunk {change.key}' if change.key else ''}: {change.reason}"[:_ROOM])
        old, new = (lost, "not compared") if change.side == "old" else ("not compared", lost)
    if change.elements > 1:
        also = f"; also at {', '.join(map(str, map(list, change.places)))}" if change.places else ""
        where += f"<br><span class=soft>the first of {change.elements:,} elements{text(also)}</span>"
    shown = f'<td class={style}><span aria-label="{change.kind}">{sign}</span>'
    return f"<tr>{shown}<td class=fact>{where}<td class=fact>{old}<td class=fact>{new}"
