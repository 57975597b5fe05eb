"""Planning: compare a spec with the contents of a store, node by node, without writing."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from zom.count import count_of
from zom.engine.compile import compile_plan
from zom.errors import SpecError
from zom.formats.full_spelling import check_spelling, spelled_in_full
from zom.formats.resolve import resolve
from zom.hierarchy.change import blocks
from zom.hierarchy.change.chunk_effects import changes_between
from zom.hierarchy.change.conflicts import (
    ARRAY_ABOVE,
    BROKEN,
    EXISTS,
    FILES,
    IN_THE_WAY,
    KIND,
    LAYOUT,
    NAME,
    OTHER_FORMAT,
    UNKNOWN_CHUNKS,
    few,
)
from zom.hierarchy.change.create import check_path, entry_text
from zom.hierarchy.change.ledger import Ledger, clearing_of, is_within
from zom.hierarchy.change.new_names import taken_names
from zom.hierarchy.change.plan_text import changes_words
from zom.hierarchy.stored.chunks import in_grid
from zom.hierarchy.stored.inventory import Inventory, above_all, key_form, take_inventory
from zom.hierarchy.stored.layout import ENTRY_KEY, V3_LAYOUT
from zom.hierarchy.stored.text import document_text, node_text
from zom.model.assembly import Uncollected, assemble
from zom.model.output import member_specs
from zom.model.tree import walk
from zom.paths import join

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.formats.full_spelling import Spelling
    from zom.hierarchy.change.plan import ChangePlan, OnConflict, Verb
    from zom.hierarchy.stored.node import StoredNode
    from zom.model.difference import Change
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["Planner", "plan_for"]


_CONFLICTS = ("refuse", "update", "replace")
_REFILL = "pass on_conflict='replace', and missing chunks will read as the new fill value"


def plan_for(  # noqa: PLR0913 - each is a choice of the caller
    spec: Spec,
    store: Store,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    spelling: Spelling = "full",
    keeps_names: bool = False,
    look: Callable[[], Inventory] | None = None,
) -> ChangePlan:
    """The plan of `zom.plan`; with `keeps_names`, as for a copy, names are allowed that no new node gets.

    `look` returns the result of `take_inventory`, if the caller has already started it.
    """
    if on_conflict not in _CONFLICTS:
        message = f"on_conflict: expected one of {', '.join(map(repr, _CONFLICTS))}, got {on_conflict!r}"
        raise ValueError(message)
    if spec.kind == "entry point":
        message = "expected an array or a group, found the entry point of a draft hierarchy, which zom creates with the hierarchy"
        raise TypeError(message)
    check_spelling(spelling)
    names = check_path(spec, path)
    base = join(names)
    above = base if names else ""
    nodes = {above + inner if inner != "/" else base: node for inner, node in walk(spec)}
    taken = taken_names(store, nodes, spec.family.form)
    if taken:
        taken = {at: wanted for at, wanted in taken.items() if taken.keys().isdisjoint(above_all(at))}
        nodes = {at: node for at, node in nodes.items() if taken.keys().isdisjoint((at, *above_all(at)))}
    nodes, in_full = _in_full(nodes) if spelling == "full" else (nodes, {})
    with Uncollected():
        expected = nodes if not store.capabilities.listable else ()
        found = take_inventory(store, path, spec.family.form, expected=expected) if look is None else look()
        planner = Planner(store, found, on_conflict, prune=prune, keeps_names=keeps_names)
        for at in sorted(taken):
            planner.conflict(NAME, at, taken[at], repr(at.rpartition("/")[2]), "choose another name")
        return _telling(planner.plan(nodes), in_full)


def _in_full(nodes: Mapping[str, Spec]) -> tuple[dict[str, Spec], dict[str, tuple[str, ...]]]:
    """The nodes in full spelling, and for those that changed, the places that differ."""
    made: dict[str, Spec] = {}
    places: dict[str, tuple[str, ...]] = {}
    for path, spec in nodes.items():
        made[path], found = spelled_in_full(spec)
        if found:
            places[path] = found
    return made, places


def _telling(plan: ChangePlan, in_full: Mapping[str, tuple[str, ...]]) -> ChangePlan:
    """The plan, with the places written in full added to its actions."""
    if not in_full:
        return plan
    silent = {"keep", "delete"}
    actions = tuple(
        replace(each, in_full=in_full.get(each.path, ())) if each.verb not in silent else each
        for each in plan.actions
    )
    return replace(plan, actions=actions)


class Planner(Ledger):
    """The comparison of a spec with a store."""

    def plan(self, nodes: Mapping[str, Spec]) -> ChangePlan:
        """The plan for these nodes."""
        self.check_journals()
        self.check_copies()
        self._look_above()
        for path, spec in nodes.items():
            self._node(path, spec, nodes)
        self._others(nodes)
        return self.finished(blocks.wanted_by(nodes))

    def _look_above(self) -> None:
        """Check that nodes above are groups of the format; create missing ones."""
        path, layout = self.found.path, self.layout
        if layout.implicit_groups:
            self._entry()
        for at in above_all(path):
            if layout.implicit_groups and not f"{at.rstrip('/')}/".startswith(f"/{layout.base}"):
                break
            node = self.found.nodes.get(at)
            others = [
                each
                for each in self.found.others.get(at, ())
                if not (layout.implicit_groups and each.is_entry)
            ]
            wanted = f"a {layout.name} group, to contain {path}"
            if others and node is None:
                self.conflict(
                    OTHER_FORMAT, at, wanted, others[0], "choose another place, or convert the hierarchy"
                )
            elif node is not None and node.kind != "group":
                broken = ARRAY_ABOVE if node.kind == "array" else BROKEN
                self.conflict(broken, at, wanted, node, "choose another path")
            elif node is None and not layout.implicit_groups:
                group = cast("Any", layout.family.classes["group"])()
                self._create(at, group, self._texts_of(at, group))

    def _entry(self) -> None:
        """Create the entry point of a draft hierarchy, if missing."""
        base = self.base
        key = V3_LAYOUT.key(base, ENTRY_KEY)
        there = [each for each in self.found.others.get(base, ()) if ENTRY_KEY in each.documents]
        if not there:
            self._check_loose(base)
            self.put(key, entry_text(), None)
        elif not there[0].is_entry:
            self.conflict(
                OTHER_FORMAT, base, "a draft hierarchy, or nothing", there[0], "choose another place"
            )

    def _node(self, path: str, spec: Spec, nodes: Mapping[str, Spec]) -> None:
        node = self.found.nodes.get(path)
        chunks = self._other_formats(path, spec, node)
        texts = self._texts_of(path, spec) or self._explicit(path, nodes)
        if node is not None:
            self._there(path, spec, node, texts)
        elif texts:
            self._new(path, spec, texts)
        others = [each for each in self.found.others.get(path, ()) if not each.is_entry]
        if others and path in self.actions:
            done = self.actions[path]
            verb: Verb = "rewrite document" if done.verb == "keep" else done.verb
            why = f"{others[0]} is deleted"
            self.actions[path] = replace(done, verb=verb, chunks=done.chunks + chunks, why=done.why or why)

    def _there(self, path: str, spec: Spec, node: StoredNode, texts: dict[str, bytes]) -> None:
        stored = {end: text for end, text in node.texts.items() if end != self.layout.consolidated}
        if stored == texts:
            self._keep(path, spec, stored)
            return
        old = node.spec()
        if old is None:
            self._broken(path, spec, node, texts)
        elif old.kind != spec.kind:
            self._other_kind(path, spec, node, old, texts)
        else:
            self._same_kind(path, spec, node, old)

    def _keep(self, path: str, spec: Spec, stored: dict[str, bytes]) -> None:
        self.documents[path] = stored
        self.act(path, spec.kind, "keep")

    def _explicit(self, path: str, nodes: Mapping[str, Spec]) -> dict[str, bytes]:
        """The documents of an empty draft group: none if it exists without one.

        That is so at the root of the hierarchy, and if something is below it.
        """
        below = f"{path.rstrip('/')}/"
        inside = {at: each for at, each in nodes.items() if at == path or at.startswith(below)}
        known = all(each.kind == "array" or member_specs(each) is not None for each in inside.values())
        stays = path in self._holders and not (self.prune and known)
        if path == self.base or stays or any(self._texts_of(at, each) for at, each in inside.items()):
            return {}
        return {".group.json": document_text({"attributes": {}})}

    def _new(self, path: str, spec: Spec, texts: dict[str, bytes]) -> None:
        self._check_loose(path)
        for end in (*self.layout.extra, self.layout.consolidated or ""):
            key = self.layout.key(path, end) if end else ""
            if key in self.found.loose:
                self._loose_document(path, key, end in texts)
        if self.found.others.get(path) and not self.layout.implicit_groups:
            self.write_node(path, texts, {})
            self.act(path, spec.kind, "replace")
            return
        self._create(path, spec, texts)

    def _create(self, path: str, spec: Spec, texts: dict[str, bytes]) -> None:
        self.write_node(path, texts, {})
        self.act(path, spec.kind, "create")

    def _loose_document(self, path: str, key: str, written: bool) -> None:  # noqa: FBT001 - a fact
        """Handle a document without a node, which would become one of the new node."""
        if self.on_conflict != "replace":
            fix = "delete it, or pass on_conflict='replace'"
            self.conflict(
                FILES, path, "nothing, to make it a node", f"{key!r}, a document without a node", fix
            )
        self.old[key] = self.found.loose[key]
        if not written:
            self.removes[key] = None

    def _broken(self, path: str, spec: Spec, node: StoredNode, texts: dict[str, bytes]) -> None:
        strays = self.found.strays.get(path, [])
        if self.on_conflict != "replace":
            fix = "correct it, or pass on_conflict='replace'"
            self.conflict(BROKEN, path, "a document that can be read", node, fix)
        elif strays:
            found = f"{few(strays)}, and a document that can't be read"
            self.conflict(UNKNOWN_CHUNKS, path, "known chunk keys", found, "delete them")
        self.remove(node)
        self.write_node(path, texts, {})
        self.act(path, spec.kind, "replace", why="its document can't be read")

    def _other_kind(
        self, path: str, spec: Spec, node: StoredNode, old: Spec, texts: dict[str, bytes]
    ) -> None:
        if self.on_conflict != "replace":
            fix = "pass on_conflict='replace' to delete it"
            self.conflict(KIND, path, f"{_a(spec.kind)}, or nothing", node, fix)
        chunks = self.clear(path, node, old, spec)
        self.remove(node)
        self.write_node(path, texts, {})
        self.act(path, spec.kind, "replace", chunks=chunks, why=f"of {_a(old.kind)}")

    def _same_kind(self, path: str, spec: Spec, node: StoredNode, old: Spec) -> None:
        new = spec
        if "attributes" not in spec.document:
            held = old.document.get("attributes") if self.on_conflict == "update" else None
            if held is None and self.layout.implicit_groups:
                held = {}  # with an empty document, a group is the same as without one
            new = spec if held is None else _with_attributes(spec, held)
        meaning, changes = changes_between(old, new)
        if meaning == "keep":
            self._keep(path, spec, node.texts)
            return
        verb, why = (meaning, "") if meaning != "refill" else self._refilled(path, node, old, changes)
        if self.on_conflict == "refuse":
            fix = _REFILL if why else self._way_out(verb)
            self.conflict(
                EXISTS,
                path,
                f"{_a(spec.kind)} that means the same",
                f"another: {changes_words(changes)}",
                fix,
            )
        elif self.on_conflict == "update" and verb == "replace":
            fix = "pass on_conflict='replace' to delete its chunks"
            self.conflict(
                LAYOUT,
                path,
                "an array whose chunks can still be read",
                f"another: {changes_words(changes)}",
                fix,
            )
        chunks = 0
        if verb == "replace":
            chunks = self.clear(path, node, old, new)
            if self.found.strays.get(path):
                self.remove(node)
        elif verb == "resize":
            chunks = self._resize(path, node, old, new)
        self.write_node(path, self._texts_of(path, new), node.texts)
        self.act(path, spec.kind, verb, changes=changes, chunks=chunks, why=why)

    def _refilled(
        self, path: str, node: StoredNode, old: Spec, changes: tuple[Change, ...]
    ) -> tuple[Verb, str]:
        """The effect of a new fill value: stored chunks stay, and missing ones read as the new value."""
        is_resized = any(change.inside[:1] == ("shape",) for change in changes)
        verb: Verb = "resize" if is_resized else "rewrite document"
        missing = self._missing(path, node, old)
        if missing == "":
            return verb, ""
        if self.on_conflict == "update":
            fix = f"write the missing chunks first, or {_REFILL}"
            wanted = "the fill value that missing chunks have"
            self.conflict(LAYOUT, path, wanted, f"another, and {missing}: {changes_words(changes)}", fix)
        return verb, f"missing chunks will read as the new fill value: {missing}"

    def _missing(self, path: str, node: StoredNode, old: Spec) -> str:
        """Which chunks of an array may be missing, in words; empty if none are."""
        form = key_form(old, node.layout.scalar_chunk)
        if form is None or not self.listed:
            return "which chunks are stored is unknown"
        if resolve(old).shards is not None:
            return "shards may lack chunks"
        grid, prefix = compile_plan(old).grid, node.layout.chunk_prefix(path)
        places = (form.coords(key[len(prefix) :], len(grid)) for key in self.found.strays.get(path, ()))
        stored = sum(1 for place in places if place is not None and in_grid(place, grid))
        lacking = math.prod(grid) - stored
        return "" if not lacking else f"{count_of(lacking, 'chunk')} not stored"

    def _way_out(self, verb: str) -> str:
        if verb == "replace":
            return "pass on_conflict='replace' to delete its chunks"
        return "pass on_conflict='update' to change it"

    def _other_formats(self, path: str, spec: Spec, node: StoredNode | None) -> int:
        """Plan to delete nodes of other formats, and return the number of their chunks."""
        chunks = 0
        for other in self.found.others.get(path, ()):
            if self.layout.implicit_groups and other.is_entry:
                continue
            hard = self.layout.implicit_groups or other.is_entry
            if hard or self.on_conflict != "replace":
                fix = "choose another place" if hard else "pass on_conflict='replace' to delete it"
                wanted = f"a {self.layout.name} {spec.kind}, or nothing"
                self.conflict(OTHER_FORMAT, path, wanted, other, fix)
            self.remove(other)
            old = other.spec()
            if old is not None:
                chunks += self.clear(path, other, old, spec, kept=node)
        return chunks

    def _others(self, nodes: Mapping[str, Spec]) -> None:
        """Handle nodes that are not in the spec: they block it, are pruned, or stay."""
        for path, each in [
            *self.found.nodes.items(),
            *((p, o) for p, all_ in self.found.others.items() for o in all_),
        ]:
            if path in nodes or not is_within(path, self.found.path) or each.is_entry:
                continue
            above = next(at for at in above_all(path) if at in nodes)
            holder = nodes[above]
            strangers = each.layout.name != self.layout.name and self._changes_format(above)
            if holder.kind == "array" or strangers:
                held = "an array" if holder.kind == "array" else f"a {self.layout.name} {holder.kind}"
                self._in_the_way(path, each, above, held)
            elif self.prune and member_specs(holder) is not None:
                self.delete(path, each, "it is not in the spec")
            elif each.layout.name == self.layout.name:
                self.documents.setdefault(path, each.texts)

    def _changes_format(self, path: str) -> bool:
        return any(not each.is_entry for each in self.found.others.get(path, ()))

    def _in_the_way(self, path: str, node: StoredNode, above: str, held: str) -> None:
        """Plan to delete a node, because it can't be below the new node `held` at `above`."""
        if self.on_conflict != "replace":
            fix = "pass on_conflict='replace' to delete it"
            self.conflict(IN_THE_WAY, path, f"nothing below {above}, which will be {held}", node, fix)
        self.delete(path, node, f"it conflicts with {above}")

    def _texts_of(self, path: str, spec: Spec) -> dict[str, bytes]:
        """The texts of a node's documents, by the ends of their keys."""
        known = self._texts.get(id(spec.document))
        if known is None:
            texts = {
                end: node_text(blocks.without(document, self.layout.inline), path, self.layout.key(path, end))
                for end, document in spec.family.documents_of(spec).items()
            }
            # Keep the document, so that no other one gets its id.
            known = self._texts[id(spec.document)] = (spec.document, texts)
        return known[1]

    def _resize(self, path: str, node: StoredNode, old: Spec, new: Spec) -> int:
        form = key_form(new, node.layout.scalar_chunk)
        if form is None:
            self.conflict(
                UNKNOWN_CHUNKS,
                path,
                "known chunk keys",
                "an unknown chunk key encoding",
            )
            return 0
        grid, prefix = compile_plan(new).grid, node.layout.chunk_prefix(path)
        both = tuple(map(max, compile_plan(old).grid, grid))
        places = (form.coords(key[len(prefix) :], len(grid)) for key in self.found.strays.get(path, ()))
        gone: list[str] = []
        for place in places:
            if place is None or not in_grid(place, both):
                continue
            if any(n >= count for n, count in zip(place, grid, strict=True)):
                gone.append(prefix + form.key(place))
            elif any(n + 1 == count for n, count in zip(place, grid, strict=True)):
                self.cut.append(prefix + form.key(place))
        self.gone.extend(gone)
        self.clears.append(clearing_of(path, node, old, new=new.to_json()))
        return len(gone)

    def _check_loose(self, path: str) -> None:
        """Record a conflict if files without a node are in the directory of a new node; they stay."""
        if path in self._holders:
            return
        loose = self._loose.get(path)
        if loose:
            found = f"files that are not part of a Zarr hierarchy: {few(loose)}"
            fix = "choose another place, or move them away"
            self.conflict(FILES, path, "nothing, to make it a node", found, fix)

    @cached_property
    def _loose(self) -> dict[str, list[str]]:
        return _directories(self.found)

    @cached_property
    def _holders(self) -> set[str]:
        """The paths with nodes below them."""
        return {at for path in (*self.found.nodes, *self.found.others) for at in above_all(path)}


def _with_attributes(spec: Spec, attributes: Any) -> Spec:
    """A node, without its members, with the existing attributes."""
    document = {**spec.document, "attributes": attributes}
    made, problems = assemble(spec.family.classes[spec.kind], document, "lenient")
    if made is None:
        raise SpecError(problems, "existing attributes")
    return made


def _directories(found: Inventory) -> dict[str, list[str]]:
    """The keys that belong to no array, by each path above them."""
    lie: dict[str, list[str]] = {}
    for owner, keys in found.strays.items():
        node = None if owner is None else found.nodes.get(owner)
        if node is not None and node.kind == "array":
            continue
        for key in keys:
            at = found.place_of(key)
            while at != owner:
                lie.setdefault(at, []).append(key)
                if at == "/":
                    break
                at = at.rpartition("/")[0] or "/"
    return lie


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "array" else f"a {kind}"
