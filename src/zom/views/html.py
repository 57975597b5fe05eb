"""A hierarchy as one page: its tree, the facts of every array, and its problems.

The page holds no script and asks for nothing from anywhere: it can be mailed, and opened offline.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, cast

from zom.formats.facts import array_facts, byte_text, printable
from zom.json.write import write_json
from zom.model.output import member_specs
from zom.model.tree import walk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["html_page", "page_around"]

_STYLE = """
:root { color-scheme: light dark;
  --ink: light-dark(#1c2430, #e4e8ee); --soft: light-dark(#5b6675, #98a3b3);
  --page: light-dark(#f6f7f9, #12161c); --card: light-dark(#ffffff, #1a2029);
  --line: light-dark(#e2e6ec, #2c3542); --mark: light-dark(#0b6b62, #5fd0c3);
  --error: light-dark(#b3261e, #ff8a80); --warning: light-dark(#8a5a00, #f2bd5b);
  --note: light-dark(#2f5fae, #8fb6f5) }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.5;
  font-family: system-ui, -apple-system, "Segoe UI", sans-serif }
main { max-width: 76rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.05rem }
.lead { margin: .35rem 0 0; color: var(--soft) }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th { text-align: left; font-weight: 600; font-size: .75rem; color: var(--soft); white-space: nowrap }
th, td { padding: .5rem .9rem; vertical-align: baseline; border-top: 1px solid var(--line) }
thead th { border-top: 0; background: var(--page) }
code, .name, .fact { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .85em }
.name { padding-left: calc(.9rem + var(--depth, 0) * 1.25rem); white-space: nowrap }
.group .name { font-weight: 700 }
.array .name { color: var(--mark) }
.fact { white-space: nowrap }
.soft { color: var(--soft) }
.right { text-align: right }
.words { min-width: 13rem }
summary { cursor: pointer; white-space: nowrap; color: var(--soft) }
pre { margin: .4rem 0 0; font-size: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; min-width: 14rem }
.error, .warning, .note { font-weight: 600 }
.error { color: var(--error) } .warning { color: var(--warning) } .note { color: var(--note) }
.good { padding: .75rem .9rem; margin: 0 }
.good::before { content: "\\2713"; color: var(--mark); font-weight: 700; margin-right: .6rem }
a { color: inherit }
tr:target { background: color-mix(in srgb, var(--mark) 14%, transparent) }
"""

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
"""


def html_page(spec: Spec, problems: Sequence[Problem] = (), *, title: str = "") -> str:
    """The page for `spec`, with what a check found.

    >>> from zom import v3
    >>> page = html_page(v3.GroupSpec(attributes={"title": "<b>"}, members={}))
    >>> "<h1>&lt;b&gt;</h1>" in page, "<script" in page
    (True, False)
    """
    heading = title or _title_of(spec)
    places = {path: index for index, (path, _) in enumerate(walk(spec))}
    body = [
        f"<h1>{_text(heading)}</h1>\n<p class=lead>{_lead(spec)}</p>\n",
        "<h2>Nodes</h2>\n",
        _node_table(spec),
        f"<h2>{_problem_heading(problems)}</h2>\n",
        _problem_table(problems, places) if problems else _NO_PROBLEMS,
    ]
    return page_around("".join(body), title=heading)


def page_around(body: str, *, title: str) -> str:
    """The page with that body, which is HTML, and that title, which is not.

    >>> page_around("<p>text</p>", title="a < b").count("a &lt; b")
    1
    """
    return f"{_HEAD.format(title=_text(title), style=_STYLE)}{body}</main>\n</body>\n</html>\n"


_NO_PROBLEMS = "<div class=card><p class=good>Every rule that was checked holds.</p></div>\n"


def _text(text: str) -> str:
    return escape(printable(text))


def _title_of(spec: Spec) -> str:
    attributes = spec.document.get("attributes")
    title = cast("dict[str, Any]", attributes).get("title") if isinstance(attributes, dict) else None
    return title if isinstance(title, str) and title else "A Zarr hierarchy"


def _lead(spec: Spec) -> str:
    """What the hierarchy is, in numbers."""
    nodes = [node for _, node in walk(spec)]
    sizes = [array_facts(node).size for node in nodes if node.kind == "array"]
    arrays = len(sizes)
    counts = f"{_count(len(nodes) - arrays, 'group')}, {_count(arrays, 'array')}"
    known = [size for size in sizes if size is not None]
    volume = f", {byte_text(sum(known))} of elements before compression" if known else ""
    return f"Zarr {spec.family.form}: {counts}{volume}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


_NODE_COLUMNS = ("Name", "Type", "Shape", "Chunks", "Codecs", "Fill value", "Size", "Attributes")


def _node_table(spec: Spec) -> str:
    head = "".join(
        f"<th scope=col{' class=right' if name == 'Size' else ''}>{name}" for name in _NODE_COLUMNS
    )
    rows = [_row(index, path, node) for index, (path, node) in enumerate(walk(spec))]
    return f"<div class=card><table>\n<thead><tr>{head}</thead>\n<tbody>\n{''.join(rows)}</tbody>\n</table></div>\n"


def _row(index: int, path: str, node: Spec) -> str:
    depth = 0 if path == "/" else path.count("/")
    name = f'<td class=name style="--depth:{depth}">{_text(path.rpartition("/")[2] or "/")}'
    attributes = f"<td>{_attributes(node.document.get('attributes'))}"
    if node.kind != "array":
        cells = f"<td class=soft colspan=6>{_group_state(node)}"
    else:
        facts = array_facts(node)
        size = "?" if facts.size is None else byte_text(facts.size)
        fill = write_json(node.document.get("fill_value"))
        fill = fill if len(fill) <= 24 else f"{fill[:21]}..."
        texts = (facts.type, facts.shape, facts.chunks, facts.codecs, fill)
        cells = "".join(f"<td class=fact>{_text(text)}" for text in texts)
        cells += f'<td class="fact right">{size}'
    kind = "array" if node.kind == "array" else "group"
    return f"<tr class={kind} id=n{index}>{name}{cells}{attributes}\n"


def _group_state(node: Spec) -> str:
    if node.kind != "group":
        return _text(node.kind)
    members = member_specs(node)
    if members is None:
        return "group, members not read"
    return f"group, {_count(len(members), 'member')}" if members else "group, no members"


def _attributes(attributes: Mapping[str, Any] | None) -> str:
    if not attributes:
        return ""
    body = escape(write_json(attributes, indent=2))
    return f"<details><summary>{_count(len(attributes), 'attribute')}</summary><pre>{body}</pre></details>"


def _problem_heading(problems: Sequence[Problem]) -> str:
    return f"Problems ({len(problems)})" if problems else "Problems: none"


def _problem_table(problems: Sequence[Problem], places: Mapping[str, int]) -> str:
    head = "".join(f"<th scope=col>{name}" for name in ("Severity", "Where", "Expected", "Found", "Rule"))
    rows = "".join(_problem_row(problem, places) for problem in problems)
    return f"<div class=card><table>\n<thead><tr>{head}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"


def _problem_row(problem: Problem, places: Mapping[str, int]) -> str:
    where = _text(problem.pointer or problem.node)
    if problem.node in places:
        where = f"<a href=#n{places[problem.node]}>{where}</a>"
    found = _text(problem.found) + (
        f"<br><span class=soft>{_text(problem.fix)}</span>" if problem.fix else ""
    )
    return (
        f"<tr><td class={problem.severity}>{problem.severity}<td class=fact>{where}"
        f"<td class=words>{_text(problem.expected)}<td class=words>{found}<td class=fact>{_text(problem.code)}\n"
    )
