"""A hierarchy as a text tree: one line per node, members in the order of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.brief import notebook_html
from zom.columns import column_width, padded
from zom.count import count_of
from zom.formats.facts import array_facts, attribute_texts
from zom.model.output import member_specs
from zom.model.tree import check_depth
from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from zom.model.spec import Spec

__all__ = ["Tree", "tree_lines", "tree_text"]

_ROOM = 60
"""Characters available for attributes in a line."""

_LINE = 240
"""Maximum characters of a line in an interactive session."""


class _Waiting(NamedTuple):
    """A node whose line is not written yet."""

    node: Spec | None
    """None for a node that can't be read."""
    name: str
    before: str
    """The prefix of the lines of the node's members."""
    branch: str
    widths: tuple[int, ...]
    """The column widths of the node's siblings."""
    depth: int
    path: str
    reason: str | None
    """The reason why the node can't be read."""


_NOTHING_BROKEN: Mapping[str, str] = {}
_LINES = 200
"""Maximum lines in an interactive session."""


class Tree(str):
    """A self-displaying hierarchy: lines of text in a terminal, an expandable tree in a notebook.

    >>> from zom import v3
    >>> Tree(v3.GroupSpec(members={}))
    /  v3 group  no members
    """

    __slots__ = ("broken", "spec")

    spec: Spec
    """The hierarchy."""
    broken: Mapping[str, str]
    """The reasons why nodes can't be read, by path."""

    def __new__(
        cls, spec: Spec, *, depth: int | None = None, broken: Mapping[str, str] = _NOTHING_BROKEN
    ) -> Self:
        """Make the text of `tree_text`, with its source."""
        made = super().__new__(cls, tree_text(spec, depth=depth, broken=broken))
        made.spec, made.broken = spec, broken
        return made

    def __repr__(self) -> str:
        lines = self.splitlines()
        more = len(lines) - _LINES
        shown = [line if len(line) <= _LINE else f"{line[: _LINE - 3]}..." for line in lines[:_LINES]]
        return "\n".join([*shown, *([f"... and {more:,} more lines"] if more > 0 else [])])

    def __reduce__(self) -> tuple[Any, ...]:
        return (str, (str(self),))

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""
        return notebook_html("tree", self)


def tree_text(spec: Spec, *, depth: int | None = None, broken: Mapping[str, str] = _NOTHING_BROKEN) -> str:
    """Return the tree of `spec` as text; groups deeper than `depth` are counted instead of shown.

    `broken` maps paths of unreadable nodes to reasons; these nodes may be missing in the spec.

    >>> from zom import v3
    >>> time = v3.ArraySpec.build(shape=(48,), dtype="int64", dimension_names=["time"])
    >>> print(tree_text(v3.GroupSpec(members={"time": time, "old": v3.GroupSpec()})))
    /  v3 group
    ├── time  int64  (time=48)  chunks 48  zstd
    └── old   group  members not read
    """
    return "\n".join(tree_lines(spec, depth=depth, broken=broken))


def tree_lines(
    spec: Spec, *, depth: int | None = None, broken: Mapping[str, str] = _NOTHING_BROKEN
) -> Iterator[str]:
    """Yield the lines of `tree_text`: a large tree is shown while it is walked.

    >>> from zom import v2
    >>> list(tree_lines(v2.GroupSpec(members={})))
    ['/  v2 group  no members']
    """
    check_depth(depth)
    lost: dict[str, dict[str, None]] = {}
    for path in broken:
        above, _, name = path.rpartition("/")
        lost.setdefault(above, {})[name] = None
    waiting = [_Waiting(spec, "/", "", "", (1,), 0, "", broken.get("/"))]
    while waiting:
        item = waiting.pop()
        members = {} if item.node is None else member_specs(item.node) or {}
        gone = dict.fromkeys(name for name in lost.get(item.path, ()) if name and name not in members)
        hidden = depth is not None and item.depth >= depth and bool(members)
        cells = _marked_cells(item)
        if hidden:
            cells = (*cells, _count(members))
        columns = [one_line(item.name), *cells]
        widths = (*item.widths, *(0,) * len(columns))
        aligned = [padded(text, width) for text, width in zip(columns, widths, strict=False)]
        yield (item.branch + "  ".join(aligned)).rstrip()
        if not hidden:
            waiting.extend(reversed(_children(item, {**members, **gone}, broken)))


def _marked_cells(item: _Waiting) -> tuple[str, ...]:
    """Return the cells of a node's line after its name, and the reason if it can't be read."""
    cells = () if item.node is None else _cells(item.node, root=item.depth == 0)
    if item.reason is None:
        return cells
    return (*cells[:1], f"cannot be read: {item.reason}")


def _children(
    item: _Waiting, members: Mapping[str, Spec | None], broken: Mapping[str, str]
) -> list[_Waiting]:
    widths = (
        column_width(map(one_line, members)),
        column_width(_cells(node)[0] for node in members.values() if node is not None),
    )
    last = len(members) - 1
    children: list[_Waiting] = []
    for index, (name, node) in enumerate(members.items()):
        branch = item.before + ("└── " if index == last else "├── ")
        before = item.before + ("    " if index == last else "│   ")
        path = f"{item.path}/{name}"
        own = widths if node is not None else widths[:1]
        children.append(_Waiting(node, name, before, branch, own, item.depth + 1, path, broken.get(path)))
    return children


def _cells(node: Spec, *, root: bool = False) -> tuple[str, ...]:
    """Return the cells of a node's line after its name; siblings are aligned by the first cell."""
    if node.kind == "array":
        facts = array_facts(node)
        kind = f"{node.family.form} array  {facts.type}" if root else facts.type
        return (kind, facts.shape, f"chunks {facts.chunks}", facts.codecs)
    kind = f"{node.family.form} {node.kind}" if root else node.kind
    if node.kind != "group":
        return (kind,)
    attributes = node.document.get("attributes")
    shown = (
        attribute_texts(cast("Mapping[str, Any]", attributes), _ROOM) if isinstance(attributes, dict) else ""
    )
    members = member_specs(node)
    state = "members not read" if members is None else "" if members else "no members"
    return tuple(text for text in (kind, shown, state) if text)


def _count(members: Mapping[str, Spec]) -> str:
    """Return the number of nodes below a group."""
    total, waiting = 0, list(members.values())
    while waiting:
        node = waiting.pop()
        total += 1
        waiting.extend((member_specs(node) or {}).values())
    return f"({count_of(total, 'node')} below)"
