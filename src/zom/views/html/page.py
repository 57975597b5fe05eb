"""Complete pages for a hierarchy, a node, a validation or a difference.

A page has no scripts and loads no external resources: it can be mailed, and opened offline. It is always
smaller than 500 kB.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from zom.dataclass import dataclass
from zom.formats.resolve import resolve
from zom.json.python_value import is_dict
from zom.model.tree import at, walk
from zom.views.html.array import array_panel, fact_table
from zom.views.html.changes import changes_html, difference_words
from zom.views.html.findings import counts_html, findings_html
from zom.views.html.markup import attributes_html, count, cut, table, text
from zom.views.html.style import page
from zom.views.html.tree import Budget, Marks, hierarchy_words, tree_html
from zom.views.svg.grid import coverage
from zom.views.svg.sizes import measured, size_plot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zom.conventions.report import Report
    from zom.hierarchy.stored.chunks import StoredChunks
    from zom.model.difference import Difference
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["Seen", "difference_page", "hierarchy_page", "node_page", "report_page"]

_MOST = 470_000
"""The most bytes of a hierarchy page, without the small frame around it."""
_TITLE = 200
_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True)
class Seen:
    """Information on a hierarchy besides its documents."""

    stored: Mapping[str, StoredChunks] = field(default_factory=dict[str, Any])
    """The stored chunks of arrays, by path."""
    broken: Mapping[str, str] = field(default_factory=dict[str, str])
    """The reasons why nodes are unreadable, by path."""
    pictures: Mapping[str, str] = field(default_factory=dict[str, str])
    """Pictures of array values as HTML, by path."""


def hierarchy_page(
    spec: Spec, problems: Sequence[Problem] | None = None, *, title: str = "", seen: Seen | None = None
) -> str:
    """Return the page of a hierarchy: findings of a check, sizes, nodes, and known chunks.

    Without `problems`, nothing was checked, and the page has no findings.

    >>> from zom import v3
    >>> page = hierarchy_page(v3.GroupSpec(attributes={"title": "<b>"}, members={}))
    >>> "<h1>&lt;b&gt;</h1>" in page, "<script" in page
    (True, False)
    """
    heading = cut(title or _title_of(spec), _TITLE)
    known = seen or Seen()
    marks = Marks.of(problems or (), "n")
    head = f"<h1>{text(heading)}</h1>\n<p class=soft>{text(hierarchy_words(spec))}</p>\n"
    parts = [head]
    found = "" if problems is None else findings_html(problems, marks.anchors)
    if problems is not None:
        counts = f"<p>{counts_html(problems)}</p>\n" if problems else ""
        parts.append(f"<h2>Findings</h2>\n{counts}")
        parts.append(found)
    parts += _sizes(spec, known)
    parts += _maps(spec, known)
    parts.append("<h2>Nodes</h2>\n")
    tree = _tree(spec, marks, known, sum(len(part.encode()) for part in parts))
    if problems is not None:
        parts[parts.index(found)] = findings_html(problems, marks.placed_in(tree))
    return page("".join([*parts, tree]), title=heading)


def node_page(
    facts: Iterable[tuple[str, str]],
    spec: Spec,
    *,
    title: str,
    stored: StoredChunks | None = None,
    picture: str = "",
) -> str:
    """Return the page of one node: its facts, and for an array its grid, stored chunks and a picture.

    >>> from zom import v3
    >>> "2 chunks" in node_page([], v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=2), title="t")
    True
    """
    parts = [f"<h1>{text(cut(title, _TITLE))}</h1>\n"]
    if spec.kind == "array":
        parts.append(array_panel(spec, stored, with_attributes=False))
        if stored is not None:
            parts += ["<h2>Stored chunks</h2>\n", _map(stored, resolve(spec).names)]
        if picture:
            parts += ["<h2>Values</h2>\n", picture]
    else:
        parts.append(fact_table(facts, "The node"))
    attributes = spec.document.get("attributes")
    if is_dict(attributes) and attributes:
        said = attributes_html(attributes, most=200_000).replace("<details>", "<details open>", 1)
        parts += ["<h2>Attributes</h2>\n", said]
    return page("".join(parts), title=cut(title, _TITLE))


def report_page(
    reports: Sequence[Report], specs: Sequence[Spec | None], broken: Sequence[Mapping[str, str]] = ()
) -> str:
    """Return the page of validations: for each place the findings, the checks, and the nodes if known.

    >>> import zom
    >>> spec = zom.v3.GroupSpec(members={})
    >>> "no problems" in report_page([zom.validate(spec)], [spec])
    True
    """
    heading = "Validation" if len(reports) != 1 else f"Validation of {reports[0].subject}"
    parts = [f"<h1>{text(cut(heading, _TITLE))}</h1>\n"]
    if len(reports) > 1:
        parts.append(_overview(reports))
    most = _MOST // max(1, len(reports))
    for number, (report, spec) in enumerate(zip(reports, specs, strict=True)):
        lost = broken[number] if number < len(broken) else _NOTHING
        parts.append(_report(report, spec, lost, number, most, is_alone=len(reports) == 1))
    return page("".join(parts), title=cut(heading, _TITLE))


def difference_page(difference: Difference, old: str, new: str) -> str:
    """Return the page of a difference between two hierarchies named `old` and `new`.

    >>> from zom import v3
    >>> "no difference" in difference_page(v3.GroupSpec().diff(v3.GroupSpec()), "a", "b")
    True
    """
    heading = f"From {cut(old, 90)} to {cut(new, 90)}"
    head = f"<h1>{text(heading)}</h1>\n<p class=soft>{text(difference_words(difference))}</p>\n"
    return page(head + "<h2>Changes</h2>\n" + changes_html(difference), title=heading)


# --- parts -----------------------------------------------------------------------------------------------


def _title_of(spec: Spec) -> str:
    attributes = spec.document.get("attributes")
    title = attributes.get("title") if is_dict(attributes) else None
    return title if isinstance(title, str) and title else "A Zarr hierarchy"


def _tree(spec: Spec, marks: Marks, seen: Seen, taken: int) -> str:
    room = max(_MOST - taken, 40_000)
    # Reserve a line for each node before any node gets more.
    lines = min(110 * sum(1 for _ in walk(spec)), room - 20_000)
    budget = Budget(lines, min(room - lines, 150_000), 10_000)
    return tree_html(spec, budget=budget, marks=marks, broken=seen.broken, stored=seen.stored)


def _sizes(spec: Spec, seen: Seen) -> list[str]:
    arrays = measured(spec, {path: each.nbytes for path, each in seen.stored.items()})
    if len(arrays) < 2:
        return []
    legend = "Dashed: in memory. Solid: stored." if seen.stored else "In memory, before compression."
    plot = size_plot(arrays)
    return [f"<h2>Sizes</h2>\n<figure>{plot}<figcaption>{legend}</figcaption></figure>\n"]


def _maps(spec: Spec, seen: Seen) -> list[str]:
    """Return maps of the stored chunks of arrays, and pictures of values."""
    # A map of a single chunk shows no more than its numbers.
    several = [path for path, stored in seen.stored.items() if stored.total > 1]
    paths = list(dict.fromkeys([*several, *seen.pictures]))
    if not paths:
        return []
    figures = [
        f"<div><h3>{text(cut(path, 120))}</h3>"
        f"{_map(seen.stored[path], resolve(at(spec, path)).names) if path in seen.stored else ''}{seen.pictures.get(path, '')}</div>"
        for path in paths[:20]
    ]
    more = f"<p class=soft>… and {count(len(paths) - 20, 'more array')}</p>" if len(paths) > 20 else ""
    body = "".join(figures)
    return [f'<h2>Chunks and values</h2>\n<div class="panel flush">{body}</div>{more}\n']


def _map(stored: StoredChunks, names: Sequence[str | None] | None) -> str:
    return f"<figure>{coverage(stored, names=names)}<figcaption>{text(str(stored))}</figcaption></figure>"


def _overview(reports: Sequence[Report]) -> str:
    rows = [
        f"<tr><td><a href=#r{number}>{text(cut(report.subject, _TITLE))}</a><td>{counts_html(report.problems)}"
        f"<td class=right>{report.nodes:,}"
        for number, report in enumerate(reports)
    ]
    return table(["Place", "Findings", "Nodes"], rows, "The places")


def _report(  # noqa: PLR0913 - a report and its place on the page
    report: Report, spec: Spec | None, broken: Mapping[str, str], number: int, most: int, *, is_alone: bool
) -> str:
    marks = Marks.of(report.problems, f"n{number}-")
    level = "h2" if is_alone else "h3"
    parts = [] if is_alone else [f"<h2 id=r{number}>{text(cut(report.subject, _TITLE))}</h2>\n"]
    hidden = f", {count(len(report.suppressed), 'finding')} suppressed" if report.suppressed else ""
    parts.append(f"<p>{counts_html(report.problems)} in {count(report.nodes, 'node')}{hidden}</p>\n")
    words = {rule.code: rule.text for rule in report.rules}
    at = len(parts)
    parts.append(findings_html(report.problems, _NOTHING if spec is None else marks.anchors, words))
    parts.append(f"<{level}>What was checked</{level}>\n{_checked(report)}")
    if spec is not None:
        parts.append(f"<{level}>Nodes</{level}>\n<p class=soft>{text(hierarchy_words(spec))}</p>\n")
        taken = _MOST - most + sum(len(part.encode()) for part in parts)
        tree = _tree(spec, marks, Seen(broken=broken), taken)
        parts[at] = findings_html(report.problems, marks.placed_in(tree), words)
        parts.append(tree)
    return "".join(parts)


def _checked(report: Report) -> str:
    """Return the conventions with the outcomes of their rules."""
    if not report.rules:
        return "<p>The rules of Zarr; no convention was found.</p>\n"
    rows: list[str] = []
    found = {each.convention: each for each in report.conventions}
    for convention in dict.fromkeys(rule.convention for rule in report.rules):
        rules = [rule for rule in report.rules if rule.convention == convention]
        numbers = [
            sum(rule.outcome == each for rule in rules) for each in ("passed", "failed", "not applicable")
        ]
        where = found.get(convention)
        place = f"{count(where.nodes, 'node')}, first at {cut(where.first, 100)}" if where else "asked for"
        cells = "".join(f"<td class=right>{number:,}" for number in numbers)
        rows.append(f"<tr><th scope=row>{text(convention)}<td>{text(place)}{cells}")
    return table(["Convention", "Found at", "Passed", "Failed", "Not applicable"], rows, "What was checked")
