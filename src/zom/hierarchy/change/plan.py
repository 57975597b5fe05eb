"""Plans: what it takes to make a store hold what a spec says, all of it known before anything is written.

create               nothing is there
keep                 what is there means the same
update attributes    nothing else differs
rewrite document     what differs says nothing about chunks
write values         the values that a declaration states are others than those that are stored
resize               the shape differs; chunks beyond it go
replace              the chunks that are there can't be read by the new document, and go
delete               it is in the way, or the spec doesn't know it and it was asked to go
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from zom.brief import notebook_html, short
from zom.dataclass import dataclass
from zom.hierarchy.change.conflicts import refused
from zom.hierarchy.change.plan_text import heading, plan_text
from zom.json.write import facts_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.hierarchy.journal.journal import Journal
    from zom.hierarchy.stored.layout import Layout
    from zom.model.difference import Change
    from zom.model.family import NodeKind
    from zom.problems import Problem
    from zom.stores.interface import Store

__all__ = ["Action", "ChangePlan", "OnConflict", "Verb"]

OnConflict = Literal["refuse", "update", "replace"]
"""What becomes of a node that is there and differs: it is a conflict; it is changed where no chunk loses
its meaning, and a conflict else; it is replaced, and what can't be read any more goes."""

Verb = Literal[
    "create",
    "keep",
    "update attributes",
    "rewrite document",
    "write values",
    "resize",
    "replace",
    "delete",
    "move",
]


@dataclass(frozen=True, slots=True)
class Action:
    """What becomes of one node."""

    path: str
    kind: NodeKind
    verb: Verb
    changes: tuple[Change, ...] = ()
    """What differs between its document and the new one."""
    chunks: int = 0
    """How many chunks are removed."""
    why: str = ""
    """Why it goes, where that doesn't follow from the spec alone."""
    in_full: tuple[str, ...] = ()
    """The places in its new document where a name is written in full that the spec gives in short."""

    def to_dict(self) -> dict[str, Any]:
        """The action as plain JSON.

        >>> Action("/a", "group", "create").to_dict()
        {'path': '/a', 'kind': 'group', 'action': 'create'}
        """
        facts: dict[str, Any] = {"path": self.path, "kind": self.kind, "action": self.verb}
        if self.changes:
            facts["changes"] = [change.to_dict() for change in self.changes]
        if self.chunks:
            facts["chunks_removed"] = self.chunks
        if self.why:
            facts["why"] = self.why
        if self.in_full:
            facts["in_full"] = list(self.in_full)
        return facts


@dataclass(frozen=True)
class ChangePlan:
    """What would be done to a store, and what is in the way of it."""

    store: Store = field(repr=False, compare=False)
    url: str
    path: str
    form: str
    on_conflict: OnConflict
    prune: bool
    actions: tuple[Action, ...]
    """One for each node, groups before their members."""
    problems: tuple[Problem, ...] = ()
    """What is in the way; nothing is written while there is any."""
    consolidated: tuple[str, ...] = ()
    """The groups whose consolidated metadata is written again."""
    foreign: tuple[str, ...] = ()
    """Keys at the nodes that change which are not Zarr's; they stay."""
    warnings: tuple[Problem, ...] = ()
    """What works in this store, and not on every system: such names of new nodes."""
    dropped: tuple[str, ...] = ()
    """The groups that are kept or replaced, and lose their consolidated metadata."""
    layout: Layout = field(repr=False, compare=False, kw_only=True)
    journal: Journal = field(repr=False, compare=False, kw_only=True)
    """The documents and chunks that change."""
    seen: Mapping[str, frozenset[str]] = field(repr=False, compare=False, kw_only=True)
    """The keys that were found below each prefix at which new nodes are made."""
    root: Mapping[str, bytes] = field(repr=False, compare=False, kw_only=True)
    """The documents of the node at `path` as they will be, by the ends of their keys."""
    made: frozenset[str] = field(repr=False, compare=False, kw_only=True)
    """The paths at which nothing was."""
    moved: tuple[str, str] | None = field(default=None, repr=False, compare=False, kw_only=True)
    """From which path to which a node moves."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be written and nothing removed."""
        work = self.journal
        return not (work.writes or work.removes or work.clears or work.moves)

    @property
    def counts(self) -> dict[Verb, int]:
        """How many nodes each action happens to."""
        return dict(Counter(action.verb for action in self.actions))

    @property
    def losses(self) -> tuple[Action, ...]:
        """The actions by which nodes or chunks are lost."""
        return tuple(each for each in self.actions if each.chunks or each.verb == "delete")

    def check(self) -> None:
        """ConflictError where anything is in the way.

        >>> import zom
        >>> zom.plan(zom.v3.GroupSpec(), "memory:").check()
        """
        if self.problems:
            raise refused(self.problems, self.url)

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain JSON."""
        return {
            "store": self.url,
            "path": self.path,
            "zarr_format": self.form,
            "on_conflict": self.on_conflict,
            "prune": self.prune,
            "actions": [action.to_dict() for action in self.actions],
            "problems": [problem.to_dict() for problem in self.problems],
            "warnings": [problem.to_dict() for problem in self.warnings],
            "consolidated_metadata": list(self.consolidated),
            "consolidated_metadata_dropped": list(self.dropped),
            "foreign": list(self.foreign),
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """The plan as JSON text.

        >>> import zom
        >>> zom.plan(zom.v3.GroupSpec(), "memory:").to_json()[:46]
        '{"store":"memory://","path":"/","zarr_format":'
        """
        return facts_json(self.to_dict(), indent=indent)

    def __repr__(self) -> str:
        return short(type(self).__name__, heading(self))

    def __str__(self) -> str:
        return plan_text(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return notebook_html("plan", self)
