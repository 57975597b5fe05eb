"""Plans: everything needed to make a store match a spec, known before anything is written.

create               there is no node
keep                 the existing node means the same
update attributes    only attributes differ
rewrite document     the difference doesn't affect chunks
write values         the values in a declaration differ from the stored ones
resize               the shape differs; chunks outside it are deleted
replace              the new document can't read the existing chunks, which are deleted
delete               the node blocks another, or is not in the spec and is to be pruned
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
"""How to treat an existing node that differs: refuse, update or replace it.
"update" is a conflict if chunks would lose their meaning; "replace" deletes what can't be read any more."""

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
    """The action for one node."""

    path: str
    kind: NodeKind
    verb: Verb
    changes: tuple[Change, ...] = ()
    """The differences between its document and the new one."""
    chunks: int = 0
    """The number of chunks to delete."""
    why: str = ""
    """The reason for the action, if the spec alone doesn't show it."""
    in_full: tuple[str, ...] = ()
    """Places in its new document where a name is written in full that the spec gives in short."""

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
    """The planned actions on a store, and their conflicts."""

    store: Store = field(repr=False, compare=False)
    url: str
    path: str
    form: str
    on_conflict: OnConflict
    prune: bool
    actions: tuple[Action, ...]
    """One per node, groups before their members."""
    problems: tuple[Problem, ...] = ()
    """The conflicts; nothing is written if there are any."""
    consolidated: tuple[str, ...] = ()
    """The groups whose consolidated metadata is written again."""
    foreign: tuple[str, ...] = ()
    """Foreign keys at nodes that change; they stay."""
    warnings: tuple[Problem, ...] = ()
    """Problems of new names on other systems, but not in this store."""
    dropped: tuple[str, ...] = ()
    """The groups that are kept or replaced, and lose their consolidated metadata."""
    layout: Layout = field(repr=False, compare=False, kw_only=True)
    journal: Journal = field(repr=False, compare=False, kw_only=True)
    """The documents and chunks that change."""
    seen: Mapping[str, frozenset[str]] = field(repr=False, compare=False, kw_only=True)
    """The keys found below each prefix where new nodes are created."""
    root: Mapping[str, bytes] = field(repr=False, compare=False, kw_only=True)
    """The new documents of the node at `path`, by the ends of their keys."""
    made: frozenset[str] = field(repr=False, compare=False, kw_only=True)
    """The paths where no node was before."""
    moved: tuple[str, str] | None = field(default=None, repr=False, compare=False, kw_only=True)
    """The old and the new path of a moved node."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be written or deleted."""
        work = self.journal
        return not (work.writes or work.removes or work.clears or work.moves)

    @property
    def counts(self) -> dict[Verb, int]:
        """The number of nodes per action."""
        return dict(Counter(action.verb for action in self.actions))

    @property
    def losses(self) -> tuple[Action, ...]:
        """The actions that delete nodes or chunks."""
        return tuple(each for each in self.actions if each.chunks or each.verb == "delete")

    def check(self) -> None:
        """Raise ConflictError if there are conflicts.

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
        """The HTML for a notebook."""
        return notebook_html("plan", self)
