"""A hierarchy as a foldable tree: a line for each node with its size, and details if there is room.

The tree has a budget of bytes. Nodes are in document order; once the budget is used up, the remaining nodes
are only counted. Marked nodes and their ancestors are kept before others, and the ancestors are unfolded.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING

from zom.dataclass import dataclass
from zom.formats.facts import array_facts
from zom.json.python_value import is_dict
from zom.model.output import member_specs
from zom.model.tree import walk
from zom.views.html.array import array_panel, array_summary
from zom.views.html.markup import attributes_html, count, cut, name, size, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.hierarchy.stored.chunks import StoredChunks
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["Budget", "Marks", "hierarchy_words", "tree_html"]

_DEEPEST = 60
"""The maximum depth of nested lists: browsers give up at 512 elements."""
_LINE = 100
"""The bytes to reserve for the line of a pending node."""
_ID = re.compile(r" id=([a-z0-9-]+)>")
_OPEN = 25
"""The most marked nodes whose ancestors are unfolded."""


@dataclass(slots=True)
class Budget:
    """The size limits of a tree: bytes for lines, and bytes for details of nodes."""

    nbytes: int = 60_000
    panels: int = 40_000
    members: int = 100
    """The most members to show for one group."""


@dataclass(frozen=True)
class Marks:
    """The nodes with findings.

    >>> Marks.of([], "f").anchors
    {}
    """

    anchors: Mapping[str, str] = field(default_factory=dict[str, str])
    """The link targets of nodes, by path."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """The numbers of findings in words, by path."""
    above: frozenset[str] = frozenset()
    """The paths of all ancestors of marked nodes."""
    opened: frozenset[str] = frozenset()
    """The paths to unfold."""

    @classmethod
    def of(cls, problems: Sequence[Problem], prefix: str) -> Marks:
        """Return the marks for these findings; anchors begin with `prefix`."""
        counts: dict[str, Counter[str]] = {}
        for each in problems:
            counts.setdefault(each.node or "/", Counter())[each.severity] += 1
        words = {
            path: ", ".join(count(found[each], each) for each in ("error", "warning", "note") if found[each])
            for path, found in counts.items()
        }
        anchors = {path: f"{prefix}{index}" for index, path in enumerate(counts)}
        few = list(counts)[:_OPEN]
        return cls(anchors, words, _above(counts), _above(few))

    def placed_in(self, tree: str) -> dict[str, str]:
        """Return the anchors that a tree contains; nodes without room in the tree have none.

        >>> Marks({"/a": "n0", "/b": "n1"}).placed_in("<li class=marked id=n1>")
        {'/b': 'n1'}
        """
        placed = frozenset(_ID.findall(tree))
        return {path: anchor for path, anchor in self.anchors.items() if anchor in placed}


def _above(paths: Sequence[str] | Mapping[str, object]) -> frozenset[str]:
    found: set[str] = set()
    for path in paths:
        while path not in found and path != "/":
            path = path.rpartition("/")[0] or "/"  # noqa: PLW2901 - from the node up
            found.add(path)
    return frozenset(found)


def hierarchy_words(spec: Spec) -> str:
    """Summarize a hierarchy in numbers.

    >>> from zom import v3
    >>> hierarchy_words(v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int8")}))
    'Zarr v3: 1 group, 1 array, 4 B of elements before compression'
    """
    nodes = [node for _, node in walk(spec)]
    sizes = [array_facts(node).size for node in nodes if node.kind == "array"]
    known = [each for each in sizes if each is not None]
    volume = f", {size(sum(known))} of elements before compression" if known else ""
    counts = f"{count(len(nodes) - len(sizes), 'group')}, {count(len(sizes), 'array')}"
    return f"Zarr {spec.family.form}: {counts}{volume}"


class _Sums:
    """The number and total size of the nodes below each group."""

    def __init__(self, spec: Spec) -> None:
        self.nodes: Counter[str] = Counter()
        self.nbytes: Counter[str] = Counter()
        paths = list(walk(spec))
        for path, node in reversed(paths):
            if node.kind == "array":
                self.nbytes[path] += array_facts(node).size or 0
            if path != "/":
                above = path.rpartition("/")[0] or "/"
                self.nodes[above] += self.nodes[path] + 1
                self.nbytes[above] += self.nbytes[path]


def tree_html(
    spec: Spec,
    *,
    budget: Budget | None = None,
    marks: Marks | None = None,
    broken: Mapping[str, str] | None = None,
    stored: Mapping[str, StoredChunks] | None = None,
) -> str:
    """Return the tree of `spec` as HTML.

    `broken` has the reasons why nodes are unreadable, by path; `stored` has the stored chunks, by path.

    >>> from zom import v3
    >>> tree = tree_html(v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int8")}))
    >>> "<bdi>t</bdi>" in tree
    True
    """
    return _Tree(spec, budget or Budget(), marks or Marks(), broken or {}, stored or {}).text()


class _Tree:
    """A tree that is being written."""

    def __init__(
        self,
        spec: Spec,
        budget: Budget,
        marks: Marks,
        broken: Mapping[str, str],
        stored: Mapping[str, StoredChunks],
    ) -> None:
        self._spec, self._marks, self._stored = spec, marks, stored
        self._broken = broken
        self._lost: dict[str, dict[str, None]] = {}
        for path in broken:
            above, _, last = path.rpartition("/")
            if last:
                self._lost.setdefault(above or "/", {})[last] = None
        self._members, self._left, self._panels = budget.members, budget.nbytes, budget.panels
        self._kept = budget.panels // 3 if marks.anchors else 0
        """The part of the panel budget that is reserved for marked nodes."""
        self._sums = _Sums(spec)
        self._parts: list[str] = []

    def text(self) -> str:
        """Return the tree as HTML."""
        waiting: list[str | tuple[str, str, Spec | None, int]] = [("/", "/", self._spec, 0)]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                self._parts.append(item)
                continue
            waiting.extend(reversed(self._node(*item)))
        return f"<div class=tree><ul>{''.join(self._parts)}</ul></div>"

    def _add(self, line: str, more: str = "", instead: str = "") -> None:
        """Write a line and release its reservation; `more` and `instead`, with details, count elsewhere."""
        self._parts.append((instead or line) + more)
        self._left += _LINE - len(line.encode())

    def _node(
        self, path: str, last: str, node: Spec | None, depth: int
    ) -> list[str | tuple[str, str, Spec | None, int]]:
        """Write a node, and return the items that follow it."""
        start = self._start(path, node)
        said = f"{name(last)} {self._said(path, node)}"
        members = {} if node is None else member_specs(node) or {}
        if node is not None and node.kind == "array":
            panel = self._panel(path, node)
            body = f"{start}<details><summary>{said}</summary>{panel}</details>\n" if panel else ""
            self._add(f"{start}{said}\n", "", body)
            return []
        lost = [each for each in self._lost.get(path, ()) if each not in members]
        attributes = self._attributes(node)
        if not members and not lost:
            self._add(f"{start}{said}\n", attributes)
            return []
        is_open = path == "/" or path in self._marks.opened
        self._add(f"{start}<details{' open' if is_open else ''}><summary>{said}</summary>", attributes)
        if depth >= _DEEPEST:
            return [f"<p class=soft>{count(self._sums.nodes[path], 'node')} below</p></details>\n"]
        return ["<ul>", *self._inner(path, members, lost, depth), "</ul></details>\n"]

    def _inner(
        self, path: str, members: Mapping[str, Spec], lost: Sequence[str], depth: int
    ) -> list[str | tuple[str, str, Spec | None, int]]:
        """Return the members that fit, marked ones preferred, and the number of the others."""
        base = "" if path == "/" else path
        names = [*members, *lost]
        room = max(0, min(self._members, self._left // _LINE))
        if len(names) > room:
            marked = [each for each in names if self._is_marked(f"{base}/{each}")]
            kept = {*marked[:room], *names[: max(0, room - len(marked))]}
            shown = [each for each in names if each in kept]
        else:
            shown = names
        self._left -= _LINE * len(shown)
        found: list[str | tuple[str, str, Spec | None, int]] = [
            (f"{base}/{each}", each, members.get(each), depth + 1) for each in shown
        ]
        if len(shown) < len(names):
            found.append(f"<li class=soft>… and {count(len(names) - len(shown), 'more member')}\n")
        return found

    def _is_marked(self, path: str) -> bool:
        return path in self._marks.anchors or path in self._marks.above or path in self._broken

    def _start(self, path: str, node: Spec | None) -> str:
        kind = "" if node is not None and node.kind == "array" else "g"
        anchor = self._marks.anchors.get(path)
        if anchor is None:
            return f"<li{f' class={kind}' if kind else ''}>"
        return f'<li class="{kind} marked" id={anchor}>'

    def _said(self, path: str, node: Spec | None) -> str:
        """Return the text of a node's line after its name."""
        words = self._marks.words.get(path)
        mark = f" <span class={_worst(words)}>{text(words)}</span>" if words else ""
        reason = self._broken.get(path)
        if reason is not None:
            mark = f" <span class=error>cannot be read: {text(cut(reason, 300))}</span>"
        if node is None:
            return mark.strip()
        if node.kind == "array":
            return array_summary(node) + mark
        if node.kind != "group":
            return text(node.kind) + mark
        members = member_specs(node)
        if members is None:
            return f"<small>group, members not read</small>{mark}"
        if not members:
            return f"<small>group, no members</small>{mark}"
        nbytes = f", {size(self._sums.nbytes[path])}" if self._sums.nbytes[path] else ""
        return f"<small>group of {count(self._sums.nodes[path], 'node')}{nbytes}</small>{mark}"

    def _panel(self, path: str, node: Spec) -> str:
        """Return an array's details, or "" if the budget is used up; marked arrays have a reserve."""
        if self._panels <= (0 if path in self._marks.anchors else self._kept):
            return ""
        panel = array_panel(node, self._stored.get(path))
        self._panels -= len(panel.encode())
        return panel

    def _attributes(self, node: Spec | None) -> str:
        found = None if node is None else node.document.get("attributes")
        if not is_dict(found) or not found or self._panels <= self._kept:
            return ""
        said = attributes_html(found)
        self._panels -= len(said.encode())
        return f"<div class=panel>{said}</div>"


def _worst(words: str) -> str:
    return next((each for each in ("error", "warning", "note") if each in words), "note")
