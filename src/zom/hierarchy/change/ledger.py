"""Ledgers: the record of a plan, node by node: documents, chunks, conflicts, files that stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.hierarchy.change import blocks
from zom.hierarchy.change.conflicts import (
    BUSY,
    FILES,
    NAME,
    OBSTACLE,
    UNKNOWN_CHUNKS,
    UNLISTED,
    conflict,
    few,
)
from zom.hierarchy.change.new_names import forbidden_name, names_in_store, new_name_faults
from zom.hierarchy.change.plan import Action, ChangePlan
from zom.hierarchy.change.steps import rank_of
from zom.hierarchy.copy.mark import COPY_MARK
from zom.hierarchy.journal.journal import JOURNAL, Clearing, Journal, journal_key
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.inventory import Inventory, chunk_keys, first_chunk, take_inventory
from zom.hierarchy.stored.layout import ENTRY_KEY
from zom.hierarchy.stored.lookup import find
from zom.hierarchy.stored.missing import not_found
from zom.hierarchy.stored.node import StoredNode
from zom.hierarchy.stored.source import Source
from zom.model.location import placed
from zom.paths import parse_path
from zom.portable import TWINS
from zom.stores.interface import Wanted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.hierarchy.change.plan import OnConflict, Verb
    from zom.hierarchy.stored.layout import Layout
    from zom.model.difference import Change
    from zom.model.family import NodeKind
    from zom.model.spec import Spec
    from zom.problems import Fault, Problem, Rule
    from zom.stores.interface import Store

__all__ = ["FEW", "Ledger", "clearing_of", "found_at", "is_within"]

FEW = 16
"""The maximum number of new nodes looked up one by one before their creation; more are found by listing."""


class Ledger:
    """A plan in progress; its users decide what happens to each node."""

    def __init__(
        self,
        store: Store,
        found: Inventory,
        on_conflict: OnConflict,
        *,
        prune: bool,
        keeps_names: bool = False,
    ) -> None:
        self.store = store
        self.found = found
        self.layout = found.layout
        self.on_conflict: OnConflict = on_conflict
        self.prune = prune
        self.keeps_names = keeps_names
        """Whether new nodes may keep names that others gave them, and that zom gives to no new node."""
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        """Problems that occur on other systems only."""
        self.actions: dict[str, Action] = {}
        self.writes: dict[str, bytes] = {}
        self.removes: dict[str, None] = {}
        self.clears: list[Clearing] = []
        self.old: dict[str, bytes | None] = {}
        self.documents: dict[str, dict[str, bytes]] = {}
        """The new documents of each node, by the ends of their keys."""
        self.gone: list[str] = []
        """The chunks to delete."""
        self.cut: list[str] = []
        """The chunks at a new edge, which are written again."""
        self.foreign: list[str] = []
        self.touched: set[str] = set()
        """Paths of nodes that change without an action."""
        self._texts: dict[int, tuple[Any, dict[str, bytes]]] = {}

    @property
    def listed(self) -> bool:
        """Whether all keys of the store are known, not only the documents that were looked up."""
        return self.store.capabilities.listable

    @property
    def base(self) -> str:
        """The root path of the draft hierarchy."""
        return f"/{self.layout.base}".rstrip("/") or "/"

    def finished(self, wanted: frozenset[str] = frozenset()) -> ChangePlan:
        """The finished plan, with updated consolidated metadata."""
        renewed = blocks.renewed(self, wanted)
        changed = bool(self.writes or self.removes or self.clears)
        first = {key: text for key, text in renewed.first.items() if changed}
        for key, text in renewed.writes.items():
            self.old.setdefault(key, renewed.old[key])
            self.writes[key] = text
        self._check_names()
        self._check_obstacles(self._top(renewed.paths))
        order = sorted(self.writes, key=lambda key: rank_of(key, self.layout))
        creating = all(text is None for text in self.old.values()) and not self.removes and not self.clears
        journal = Journal(
            self._top(renewed.paths),
            "undo" if creating else "finish",
            first={key: text for key, text in first.items() if key not in self.removes},
            removes=tuple(sorted(self.removes, key=lambda key: rank_of(key, self.layout), reverse=True)),
            clears=tuple(self.clears),
            writes={key: self.writes[key] for key in order},
            old=self.old,
        )
        return ChangePlan(
            self.store,
            self.store.url,
            self.found.path,
            self.layout.family.form,
            self.on_conflict,
            self.prune,
            tuple(self.actions[path] for path in sorted(self.actions, key=_natural)),
            tuple(self.problems),
            tuple(sorted(renewed.paths)),
            tuple(sorted(self.foreign)),
            tuple(self.warnings),
            self._dropped(),
            layout=self.layout,
            journal=journal,
            seen=self._seen(),
            root=self.documents.get(self.found.path, {}),
            made=frozenset(path for path, action in self.actions.items() if action.verb == "create"),
        )

    def _dropped(self) -> tuple[str, ...]:
        """The groups that stay or are replaced, and lose their consolidated metadata."""
        dropped: set[str] = set()
        nodes = [*self.found.nodes.values(), *(each for all_ in self.found.others.values() for each in all_)]
        for node in nodes:
            action = self.actions.get(node.path)
            if (action is not None and action.verb == "delete") or blocks.block_of(node) is None:
                continue
            key = node.layout.key(node.path, node.layout.consolidated or ENTRY_KEY)
            text = self.writes.get(key)
            plain = text is not None and blocks.block_in(node.layout, text) is None
            if (text is None and key in self.removes) or (plain and node.layout.inline is not None):
                dropped.add(node.path)
        return tuple(sorted(dropped))

    def _seen(self) -> dict[str, frozenset[str]]:
        """The keys found in places of many new nodes, to check later that they are unchanged."""
        made = {path for path, action in self.actions.items() if action.verb == "create"}
        if len(made) <= FEW or not self.listed:
            return {}
        inside = [path for path in made if is_within(path, self.found.path)]
        tops = [path for path in inside if path == "/" or (path.rpartition("/")[0] or "/") not in made]
        if len(tops) > FEW or self.layout.implicit_groups:
            tops = [self.found.path]
        prefixes = {prefix for path in tops for prefix in self.layout.node_prefixes(path)}
        return {
            prefix: frozenset(key for key in self.found.listed if key.startswith(prefix))
            for prefix in prefixes
        }

    def _top(self, paths: list[str]) -> str:
        """The path of the topmost node that changes: all others are below it, or below the plan's path."""
        if self.layout.implicit_groups:
            return self.base  # documents and chunks are apart: only the base is above both
        changed = [path for path, action in self.actions.items() if action.verb != "keep"]
        above = [path for path in (*changed, *paths) if is_within(self.found.path, path)]
        return min((*above, self.found.path), key=len)

    def _check_names(self) -> None:
        """Check the names of new nodes: names that this store can't hold are conflicts, others warnings."""
        new = [path for path, action in self.actions.items() if action.verb == "create" and path != "/"]
        self.judge_names(new)

    def judge_names(self, new: list[str], *, without: str | None = None) -> None:
        """Check the names of new nodes at these paths; the node at `without` is going to be deleted."""
        form, store = self.layout.family.form, self.store
        groups = {path.rpartition("/")[0] or "/" for path in new}
        beside = names_in_store(store, self.found, groups)
        if without is not None:
            above, _, name = without.rpartition("/")
            beside.get(above or "/", set()).discard(name)
        judged: dict[str, Fault | None] = {}
        for path in () if self.keeps_names else new:
            name = path.rpartition("/")[2]
            if name not in judged:
                judged[name] = forbidden_name(name, form)
            refused = judged[name]
            if refused is not None:
                self.conflict(NAME, path, refused.expected, refused.found, "choose another name")
        for path, fault in new_name_faults(new, beside, form):
            if fault.rule is TWINS and store.folds_names:
                self.conflict(NAME, path, fault.expected, fault.found, fault.fix)
            else:
                self.warnings.extend(placed([fault], list(parse_path(path)), "strict"))

    def _check_obstacles(self, top: str) -> None:
        """Find obstacles that would stop the change halfway, as far as they are visible now."""
        if not (self.writes or self.removes or self.clears):
            return
        new = {key for key in self.writes if self.old.get(key) is None and key not in self.found.listed}
        journals = [] if self.store.capabilities.transactional else [journal_key(top)]
        probes = self._first_chunks() if self.store.capabilities.zarr_keys else []
        wanted = Wanted(
            [*self.writes, *self.cut, *probes, *journals], frozenset(new), [*self.removes, *self.gone]
        )
        self.note_obstacles(wanted)
        if not self.store.capabilities.nested_keys:
            self._check_directories(new)

    def _first_chunks(self) -> list[str]:
        """The key of one chunk of each new array, to check that the store accepts chunks."""
        specs = {
            path: StoredNode.of(path, self.layout, texts).spec()
            for path, texts in self.documents.items()
            if (action := self.actions.get(path)) and action.kind == "array" and action.verb != "keep"
        }
        found = [first_chunk(self.layout, path, spec) for path, spec in specs.items() if spec is not None]
        return [key for key in found if key is not None]

    def note_obstacles(self, wanted: Wanted) -> None:
        """Record the obstacles to the wanted operations."""
        for key, expected, found, fix in self.store.obstacles(wanted):
            node = self.found.path if self.layout.implicit_groups else f"/{key.rpartition('/')[0]}"
            self.problems.append(conflict(OBSTACLE, node, expected, f"{found} at {key!r}", fix, key=key))

    def _check_directories(self, new: set[str]) -> None:
        """If keys are files, reject new documents below another value, or above one."""
        if not new:
            return
        there = (self.found.listed | self.writes.keys()) - self.removes.keys() - set(self.gone)
        if there.isdisjoint(_directories(there)):
            return
        above = {key[:end]: key for key in there for end in _slashes(key) if key[:end] in new}
        for key in sorted(new):
            held = next((key[:end] for end in _slashes(key) if key[:end] in there), above.get(key))
            if held is not None:
                node, fix = f"/{key.rpartition('/')[0]}", "choose another name, or move it away"
                wanted = f"nothing at {key!r} or above it"
                self.problems.append(conflict(OBSTACLE, node, wanted, repr(held), fix, key=key))

    def conflict(self, broken: Rule, path: str, expected: str, found: object, fix: str | None = None) -> None:
        """Record a conflict."""
        self.problems.append(conflict(broken, path, expected, str(found), fix))

    def check_journals(self) -> None:
        """Record running changes as conflicts."""
        for key in self.found.journals:
            where = "/" + key.removesuffix(JOURNAL).strip("/")
            fix = "wait until it ends, or finish or undo it with zom.repair"
            self.conflict(BUSY, where, "no change under way", "one that is running or was interrupted", fix)

    def check_copies(self) -> None:
        """Record unfinished copies as conflicts: their leftovers would become part of the new hierarchy."""
        for key in self.found.copies:
            fix = "repeat the same copy to finish it, or remove its remains with zom.repair"
            where = "/" + key.removesuffix(COPY_MARK).strip("/")
            self.conflict(BUSY, where, "no copy under way", "one that is running or was interrupted", fix)

    def delete(self, path: str, node: StoredNode, why: str = "") -> None:
        """Plan to delete a node; nodes below it are planned on their own."""
        old = node.spec()
        chunks = 0 if old is None else self.clear(path, node, old, None)
        if old is None:
            self.foreign.extend(self.found.strays.get(path, ()))
        self.remove(node)
        self.documents.pop(path, None)
        kind: Any = "entry point" if node.is_entry else node.kind or "group"
        self.act(path, kind, "delete", chunks=chunks, why=why)

    def act(  # noqa: PLR0913 - everything reported about it
        self,
        path: str,
        kind: NodeKind,
        verb: Verb,
        *,
        changes: tuple[Change, ...] = (),
        chunks: int = 0,
        why: str = "",
    ) -> None:
        """Record what happens to a node."""
        self.actions[path] = Action(path, kind, verb, changes, chunks, why)

    def put(self, key: str, text: bytes, old: bytes | None) -> None:
        """Record that a document is written, and what it replaces."""
        self.writes[key] = text
        self.old.setdefault(key, old)

    def write_node(self, path: str, texts: dict[str, bytes], stored: Mapping[str, bytes]) -> None:
        """Plan the documents of a node that differ from those that are `stored`."""
        self.documents[path] = texts
        for end, text in texts.items():
            key = self.layout.key(path, end)
            if key in self.removes or not blocks.says_the_same(text, stored.get(end), self.layout.inline):
                self.put(key, text, stored.get(end))
        for end, text in stored.items():
            key = self.layout.key(path, end)
            if end not in texts and end != self.layout.consolidated and key not in self.removes:
                self.removes[key] = None
                self.old.setdefault(key, text)

    def remove(self, node: StoredNode) -> None:
        """Record that a node's documents are deleted."""
        for end, text in node.texts.items():
            key = node.layout.key(node.path, end)
            self.removes[key] = None
            self.old.setdefault(key, text)

    def clear(
        self, path: str, node: StoredNode, old: Spec, new: Spec | None, *, kept: StoredNode | None = None
    ) -> int:
        """Plan to delete the chunks of an array, and return their number."""
        strays = self.found.strays.get(path, [])
        if old.kind != "array":
            self._check_foreign(path, strays, new)
            return 0
        if not self.listed:
            self.conflict(UNLISTED, path, "a store that lists its keys, to remove chunks", self.store.url)
            return 0
        chunks = self._chunks(path, node.layout, old, strays)
        if chunks is None:
            if strays:
                self.conflict(UNKNOWN_CHUNKS, path, "known chunk keys", few(strays), "delete them")
            return 0
        staying = kept.spec() if kept is not None else None
        if staying is not None and staying.kind == "array":
            chunks = sorted(set(chunks) - set(self._chunks(path, self.layout, staying, chunks) or ()))
        else:
            staying = None
        others = sorted(set(strays) - set(chunks))
        if kept is None:
            self._check_foreign(path, others, new)
        if chunks:
            self.gone.extend(chunks)
            json = None if staying is None else staying.to_json()
            self.clears.append(clearing_of(path, node, old, kept=json))
        return len(chunks)

    def _chunks(self, path: str, layout: Layout, array: Spec, keys: list[str]) -> list[str] | None:
        return chunk_keys(array, layout.chunk_prefix(path), keys, scalar=layout.scalar_chunk)

    def _check_foreign(self, path: str, keys: list[str], new: Spec | None) -> None:
        """Files stay; a conflict is recorded if the new array would read one as a chunk."""
        self.foreign.extend(keys)
        if new is None or new.kind != "array" or not keys:
            return
        taken = self._chunks(path, self.layout, new, keys)
        if taken is None or taken:
            found = f"{few(taken or keys)}, which {'would' if taken else 'might'} be read as chunks"
            self.conflict(FILES, path, "no files at the keys of chunks", found, "move them away")


def found_at(store: Store, path: str, *, below: str | None = None) -> Inventory:
    """The inventory of `path`, which has a node, or of `below`, above it; NotFound if there is no node."""
    inner = "/".join(parse_path(path))
    findings = Findings(store.url, "lenient")
    with Source(store) as source:
        there = find(source, inner, None, findings)
        if there is None:
            raise not_found(source, inner, None)
    return take_inventory(store, path if below is None else below, there.layout.family.form)


def clearing_of(
    path: str, node: StoredNode, old: Spec, *, new: str | None = None, kept: str | None = None
) -> Clearing:
    """The record of the chunks of an array to clear, at once or by a repair."""
    layout = node.layout
    return Clearing(
        path, layout.chunk_prefix(path), layout.family.form, old.to_json(), new, kept, layout.scalar_chunk
    )


def _slashes(key: str) -> Iterator[int]:
    """The positions of the slashes in a key."""
    at = key.find("/")
    while at >= 0:
        yield at
        at = key.find("/", at + 1)


def _directories(keys: Iterable[str]) -> set[str]:
    """All directories of the keys, including those above; each is visited once.

    >>> sorted(_directories(["a/b/c", "a/d", "e"]))
    ['a', 'a/b']
    """
    found: set[str] = set()
    for key in keys:
        at = key.rpartition("/")[0]
        while at and at not in found:
            found.add(at)
            at = at.rpartition("/")[0]
    return found


def _natural(path: str) -> tuple[str, ...]:
    return tuple(path.split("/")) if path != "/" else ("",)


def is_within(path: str, root: str) -> bool:
    """Whether `path` is `root` or below it.

    >>> is_within("/a/b", "/a"), is_within("/ab", "/a")
    (True, False)
    """
    return root in {"/", path} or path.startswith(f"{root}/")
