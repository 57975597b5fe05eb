"""Notebook views of zom's objects, by noun.

Views are cheap: only a group reads from the store; it lists its members and reads the documents of the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.errors import ZomError
from zom.hierarchy.stored.open import read_node
from zom.json.python_value import is_dict
from zom.views.html.array import array_panel, array_summary, fact_table
from zom.views.html.changes import changes_html, difference_words
from zom.views.html.findings import counts_html, findings_html
from zom.views.html.markup import attributes_html, block, count, cut, details, name, text
from zom.views.html.plan import plan_html
from zom.views.html.style import fragment
from zom.views.html.tree import hierarchy_words, tree_html
from zom.views.svg.grid import coverage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.conventions.report import Report
    from zom.conversion.losses import Conversion
    from zom.declaration.declaration import Declaration
    from zom.handles.array import Array
    from zom.handles.group import Group
    from zom.handles.info import ArrayInfo, GroupInfo
    from zom.hierarchy.change.plan import ChangePlan
    from zom.hierarchy.stored.chunks import StoredChunks
    from zom.model.difference import Difference
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["VIEWS"]

_MEMBERS = 20
"""The most members of a group whose documents are read."""
_NODES = 50
"""The most nodes of a plan or a difference to show."""
_TEXT = 20_000
"""The most characters of a text report to show."""


def _lead(words: str, more: str = "") -> str:
    soft = f" <span class=soft>{text(cut(more, 300))}</span>" if more else ""
    return f"<p><b>{text(cut(words, 300))}</b>{soft}</p>"


def _spec(spec: Spec) -> str:
    if spec.kind == "array":
        kind = f"zom.{spec.family.form}.{type(spec).__name__}"
        return fragment(_lead(kind, "a document") + array_panel(spec))
    return fragment(_lead(hierarchy_words(spec), "a document") + tree_html(spec))


def _array(array: Array) -> str:
    """Nothing is read."""
    lead = _lead("zom.Array", f"{array.path} in {array.store.url}, mode {array.mode}")
    return fragment(lead + array_panel(array.spec))


def _group(group: Group) -> str:
    """Show a group; read one listing, unless that would scan all keys, and the first members' documents."""
    lead = _lead("zom.Group", f"{group.path} in {group.store.url}, mode {group.mode}")
    attributes = group.spec.document.get("attributes")
    said = attributes_html(attributes) if is_dict(attributes) else ""
    return fragment(f"{lead}<div class=panel>{said}</div>{_members(group)}")


def _members(group: Group) -> str:
    store, base = group.store, group.path.strip("/")
    if not store.capabilities.listable or store.lists_by_scan or group.layout.implicit_groups:
        return "<p class=soft>Members are not listed here: listing reads all keys. See <code>group.tree()</code>.</p>"
    try:
        prefixes = store.list_dir(group.layout.directory(group.path)).prefixes
    except ZomError as error:
        return f"<p class=error>{text(cut(str(error), 400))}</p>"
    items = [_member(group, prefix.rstrip("/").rpartition("/")[2], base) for prefix in prefixes[:_MEMBERS]]
    shown = [item for item in items if item]
    if len(prefixes) > _MEMBERS:
        shown.append(f"<li class=soft>… and up to {count(len(prefixes) - _MEMBERS, 'more member')}")
    hint = "<p class=soft><code>group.tree()</code> reads and shows all nodes below.</p>"
    return (
        f"<div class=tree><ul>{''.join(shown)}</ul></div>{hint}" if shown else "<p class=soft>no members</p>"
    )


def _member(group: Group, last: str, base: str) -> str:
    path = f"{base}/{last}" if base else last
    try:
        spec: Spec = read_node(group.store, path, form=group.layout.family.form, level="lenient").spec
    except KeyError:
        return ""  # a directory without documents is not a node
    except ZomError as error:
        return (
            f"<li class=g>{name(last)} <span class=error>cannot be read: {text(cut(str(error), 300))}</span>"
        )
    if spec.kind == "array":
        return f"<li>{details(f'{name(last)} {array_summary(spec)}', array_panel(spec))}"
    return f"<li class=g>{name(last)} <small>group</small>"


def _tree(tree: Any) -> str:
    return fragment(_lead(hierarchy_words(tree.spec)) + tree_html(tree.spec, broken=tree.broken))


def _info(info: ArrayInfo | GroupInfo) -> str:
    return fragment(fact_table(info.lines(), "The node"))


def _report(report: Report) -> str:
    head = f"<p><b>{text(cut(report.subject, 300))}</b>: {counts_html(report.problems)} in {count(report.nodes, 'node')}</p>"
    words = {rule.code: rule.text for rule in report.rules}
    return fragment(head + (findings_html(report.problems, {}, words, each=8) if report.problems else ""))


def _difference(difference: Difference) -> str:
    return fragment(_lead(difference_words(difference)) + changes_html(difference, nodes=_NODES))


def _plan(plan: ChangePlan) -> str:
    from zom.hierarchy.change.plan_text import heading  # noqa: PLC0415 - only plans need it

    return fragment(_lead(heading(plan)) + plan_html(plan, nodes=_NODES))


def _conversion(made: Conversion) -> str:
    moved = [path for path, same in made.same_chunks.items() if not same]
    chunks = f"chunks of {len(moved):,} of {count(len(made.same_chunks), 'array')} must be moved or rewritten"
    lead = _lead(hierarchy_words(made.spec), chunks)
    losses = (
        f"<p>{count(len(made.losses), 'loss', 'losses')}</p>{findings_html(made.losses, {})}"
        if made.losses
        else ""
    )
    body = array_panel(made.spec) if made.spec.kind == "array" else tree_html(made.spec)
    return fragment(lead + losses + body)


def _in_text(thing: object) -> str:
    """Show a report as its printed text."""
    first, _, rest = str(thing).partition("\n")
    body = f"<pre>{block(rest[:_TEXT])}{'…' if len(rest) > _TEXT else ''}</pre>" if rest else ""
    problems = getattr(thing, "problems", ())
    said = findings_html(problems, {}) if problems else ""
    return fragment(_lead(first) + said + (details("full text", body) if body else ""))


def _declaration(made: Declaration) -> str:
    values = f"with values of {count(len(made.values), 'array')}" if made.values else ""
    spec: Spec = made.spec
    body = array_panel(spec) if spec.kind == "array" else tree_html(spec)
    found = findings_html(made.warnings, {}) if made.warnings else ""
    return fragment(_lead(f"A declaration of {hierarchy_words(spec)}", values) + found + body)


def _store(store: Store) -> str:
    """Nothing is read."""
    able = store.capabilities
    facts = [
        ("place", store.url),
        ("kind", type(store).__name__),
        ("writable", _yes(able.writable)),
        ("listable", _yes(able.listable)),
        ("parallel requests", f"{able.parallel:,}"),
    ]
    return fragment(fact_table(facts, "The store"))


def _yes(value: bool) -> str:  # noqa: FBT001 - the value to show
    return "yes" if value else "no"


def _stored(stored: StoredChunks) -> str:
    return fragment(f"<figure>{coverage(stored)}<figcaption>{text(str(stored))}</figcaption></figure>")


VIEWS: Mapping[str, Callable[[Any], str]] = {
    "array": _array,
    "conversion": _conversion,
    "copy": _in_text,
    "declaration": _declaration,
    "difference": _difference,
    "group": _group,
    "info": _info,
    "migration": _in_text,
    "plan": _plan,
    "repair": _in_text,
    "report": _report,
    "spec": _spec,
    "store": _store,
    "stored": _stored,
    "tree": _tree,
}
"""The function for each noun."""
