"""The target of a copy: conflicts there, the layout of the new nodes, and their documents.

Documents wait beside the mark until all chunks are written, then one change with a journal puts them in
place. If the copy replaces something, its chunks wait there, too: the old hierarchy is untouched until the
new one is whole. So readers only see whole hierarchies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.dataclass import dataclass
from zom.errors import ConflictError, NotFound, ReadOnlyError, ZomError
from zom.formats.full_spelling import spelled_in_full
from zom.hierarchy.change.carry import carry_through, check_texts
from zom.hierarchy.change.clearing import clear_all
from zom.hierarchy.change.conflicts import BUSY, EXISTS, conflict
from zom.hierarchy.change.create import entry_text
from zom.hierarchy.change.planner import plan_for
from zom.hierarchy.change.removal import plan_deletion
from zom.hierarchy.change.transaction import UNDONE
from zom.hierarchy.copy.mark import COPY_MARK, CopyMark, copy_digest, parse_mark
from zom.hierarchy.copy.publish import Publication, publish
from zom.hierarchy.journal.aside import Aside
from zom.hierarchy.journal.journal import NEW, Clearing, base_of
from zom.hierarchy.stored.inventory import layout_for
from zom.hierarchy.stored.layout import ENTRY_KEY, V3_LAYOUT
from zom.hierarchy.stored.pending import check_settled
from zom.json.write import write_json
from zom.model.tree import unflatten
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from zom.hierarchy.change.plan import OnConflict
    from zom.hierarchy.copy.nodes import Original
    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["Target", "prepared"]


@dataclass(frozen=True, slots=True)
class Target:
    """The place that is copied to."""

    store: Store
    path: str
    layout: Layout
    texts: Mapping[str, Mapping[str, bytes]]
    """The documents of each node, by key."""
    above: Mapping[str, bytes]
    """The documents of missing groups above."""
    kept: frozenset[str]
    """Existing nodes that stay."""
    foreign: tuple[str, ...]
    """Keys in the target that are not part of Zarr, and stay."""
    mark: CopyMark
    is_resumed: bool
    """Whether the same copy was begun before."""
    replaces: bool
    """Whether it replaces existing nodes."""
    waiting: frozenset[str]
    """The arrays of a resumed copy whose chunks are complete, and whose documents wait."""
    seen: Mapping[str, bytes | None]
    """The contents of the keys of the mark and of all documents before the copy was prepared."""

    def at(self, inner: str) -> str:
        """The path in the store of the node at `inner`."""
        return self.path if inner == "/" else f"{self.path.rstrip('/')}{inner}"

    # --- writing ------------------------------------------------------------------------------------

    @property
    def base(self) -> str:
        """The prefix of the directory of the mark and of everything that waits."""
        return _base(self.layout, self.path)

    @property
    def mark_key(self) -> str:
        """The key of the mark."""
        return self.base + COPY_MARK

    @property
    def chunk_store(self) -> Store:
        """The store that chunks are written to."""
        return Aside(self.store, self.base) if self.replaces and not self.in_transaction else self.store

    @property
    def in_transaction(self) -> bool:
        """Whether the copy is invisible until its owner commits it: then there is no mark."""
        return self.store.capabilities.transactional

    def held(self) -> AbstractContextManager[object]:
        """A block in which repairs don't treat the copy as interrupted, if the store can detect that."""
        if not self.store.capabilities.writable:
            raise ReadOnlyError(self.store.url, self.path.strip("/"), "copy to")
        return self.store.presence(self.mark_key)

    def is_current(self) -> bool:
        """Whether no other copy, repair or new node has changed anything here since the copy was prepared."""
        return self.seen == _seen(self.store, self.base, self.texts)

    def begin(self) -> None:
        """Write the mark; ConflictError if another copy has written one."""
        if self.is_resumed:
            return
        if self.replaces:
            plan_deletion(self.store, self.path).check()
        text = self.mark.text(self.base)
        if not self.store.create(self.mark_key, text):
            found = self.store.get(self.mark_key)
            if found != text:
                raise _other_copy(self.store, self.path, self.mark_key, found or text)

    def open_transaction(self, groups: frozenset[str]) -> tuple[str, ...]:
        """Write all documents before any chunk, after deleting replaced nodes; return consolidated groups."""
        if self.replaces:
            plan = plan_deletion(self.store, self.path)
            plan.check()
            carry_through(self.store, plan.journal, lambda: check_texts(self.store, plan.journal.old))
        return self._publish(groups, replaces=False)

    def take_back(self, error: BaseException) -> None:
        """Delete what a failed copy has put in place; a note on `error` says if something stays changed."""
        try:
            keys = [key for texts in self.texts.values() for key in texts]
            there = dict(zip(keys, self.store.get_many(keys), strict=True))
            new = [key for key in keys if self.seen[key] is None and there[key] is not None]
            self._clear_new(new)
            self.store.delete_many([*new, *self.above])
        except ZomError as second:
            error.add_note(f"{UNDONE} ({second})")
            return
        if self.replaces:
            error.add_note(UNDONE)

    def _clear_new(self, documents: list[str]) -> None:
        """Delete the chunks of new arrays, if the store doesn't delete them with the documents."""
        if self.store.capabilities.zarr_keys:
            return
        for clearing in self.mark.arrays:
            if any(self.layout.key(clearing.path, end) in documents for end, _ in self.layout.marks):
                clear_all(self.store, clearing)

    def put_nodes(self, arrays: Sequence[str]) -> None:
        """Put the documents of some arrays, whose chunks are complete, aside."""
        texts = [pair for inner in arrays for pair in self.texts[inner].items()]
        if texts:
            Aside(self.store, self.base).set_many(texts)

    def publish(self, groups: frozenset[str]) -> tuple[str, ...]:
        """Put all documents in place, and return the paths of groups whose consolidated metadata is written.

        These are `groups`, and the groups above that have consolidated metadata.
        """
        check_texts(self.store, {key: self.seen[key] for texts in self.texts.values() for key in texts})
        return self._publish(groups, replaces=self.replaces)

    def _publish(self, groups: frozenset[str], *, replaces: bool) -> tuple[str, ...]:
        wanted = frozenset(self.at(inner) for inner in groups if inner in self.texts)
        texts = {
            self.at(inner): texts
            for inner, texts in self.texts.items()
            if inner not in self.kept - self.waiting
        }
        work = Publication(self.store, self.layout, self.path, texts, self.above, wanted)
        return publish(work, replaces=replaces)

    def finish(self) -> None:
        """Delete what waits and the mark: the copy is complete."""
        # The durability of writes was set when the store was opened: a copy loses nothing.
        aside = Aside(self.store, self.base)
        aside.delete_many(key for texts in self.texts.values() for key in texts)
        self.store.delete(self.mark_key)


def _base(layout: Layout, path: str) -> str:
    """The prefix of both documents and chunks of the node."""
    return layout.base if layout.implicit_groups else base_of(path)


def prepared(
    original: Original, nodes: Mapping[str, Spec], store: Store, path: str, on_conflict: OnConflict
) -> Target:
    """The target, with everything that will be written there; ConflictError if something blocks it."""
    path = join(parse_path(path))
    layout, entry, is_new = _layout(original, next(iter(nodes.values())), store, path)
    texts = {inner: _documents(original, inner, spec, layout, path) for inner, spec in nodes.items()}
    if entry is not None:
        texts["/"] = {**texts["/"], **entry}
    digest = copy_digest(_marked(original, texts))
    new = {_path_of(path, inner): spec for inner, spec in nodes.items() if spec.kind == "array"}
    arrays = tuple(_clearing(spec, at, layout) for at, spec in new.items())
    replaces = on_conflict == "replace" and _is_there(store, path)
    mark = CopyMark(original.store.url, original.tree.path, digest, arrays, replaces=replaces)
    base = _base(layout, path)
    seen = _seen(store, base, texts)
    found = seen[base + COPY_MARK]
    resumed = found is not None
    if found is not None and not parse_mark(found, store.url, base + COPY_MARK).is_same(mark):
        raise _other_copy(store, path, base + COPY_MARK, found)
    above = {} if layout.implicit_groups else _above(store, layout, path)
    kept: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()
    foreign: tuple[str, ...] = ()
    if resumed:
        check_settled(store, path, copies=False)
        waiting = _written(Aside(store, base), texts, nodes)
        kept = waiting if replaces else waiting | _written(store, texts, nodes)
    else:
        kept, foreign = _checked(nodes, store, path, on_conflict, is_new=is_new)
    return Target(store, path, layout, texts, above, kept, foreign, mark, resumed, replaces, waiting, seen)


def _layout(
    original: Original, root: Spec, store: Store, path: str
) -> tuple[Layout, dict[str, bytes] | None, bool]:
    """The layout of the new nodes; for a draft also the entry point if it is new."""
    names = parse_path(path)
    paths = [join(names[:count]) for count in range(len(names) + 1)]
    keys = {at: V3_LAYOUT.key(at, ENTRY_KEY) for at in paths}
    texts = dict(zip(keys.values(), store.get_many(keys.values()), strict=True))
    base, layout = layout_for(root.family.form, texts, paths)
    if not layout.implicit_groups or texts[keys[base]] is not None:
        return layout, None, False
    theirs = original.tree.layout
    if not theirs.implicit_groups:
        return layout, {ENTRY_KEY: entry_text()}, True
    text = original.store.get(f"{theirs.base}{ENTRY_KEY}")
    return replace(theirs, base=""), {ENTRY_KEY: text or entry_text()}, True


def _documents(original: Original, inner: str, spec: Spec, layout: Layout, path: str) -> dict[str, bytes]:
    """The documents of a node by key; unchanged ones keep their stored text."""
    at = path if inner == "/" else f"{path.rstrip('/')}{inner}"
    theirs = original.tree.layout
    if spec is not original.specs.get(inner):
        spec, _ = spelled_in_full(spec)
    elif theirs.family is layout.family:
        stored = original.stored[inner].documents
        is_plain = inner not in original.consolidated or theirs.inline is None
        is_made = original.stored[inner].is_assumed or original.path(inner) in original.tree.unreadable
        if is_plain and not is_made and not any(document.steps for document in stored.values()):
            return {layout.key(at, end): document.text for end, document in stored.items()}
    made = layout.documents(at, spec)
    if not made and inner == "/" and layout.implicit_groups:
        empty: dict[str, Any] = {"attributes": {}}
        made = {layout.key(at, ".group.json"): empty}
    return {key: write_json(document, indent=2).encode() for key, document in made.items()}


def _marked(original: Original, texts: Mapping[str, Mapping[str, bytes]]) -> list[bytes]:
    """Everything that distinguishes the copy: the documents of the source, and those of the target."""
    mine = [(each.key, each.text) for node in original.stored.values() for each in node.documents.values()]
    theirs = [(key, text) for node in texts.values() for key, text in node.items()]
    return [
        *(part for key, text in sorted(mine) for part in (key.encode(errors="surrogatepass"), text)),
        *(part for key, text in sorted(theirs) for part in (key.encode(errors="surrogatepass"), text)),
    ]


def _clearing(spec: Spec, path: str, layout: Layout) -> Clearing:
    prefix, form = layout.chunk_prefix(path), layout.family.form
    return Clearing(path, prefix, form, spec.to_json(), scalar=layout.scalar_chunk)


def _path_of(path: str, inner: str) -> str:
    return path if inner == "/" else f"{path.rstrip('/')}{inner}"


def _is_there(store: Store, path: str) -> bool:
    """Whether there is a node at `path`."""
    try:
        plan_deletion(store, path)
    except NotFound:
        return False
    return True


def _other_copy(store: Store, path: str, key: str, found: bytes) -> ConflictError:
    fix = "repeat the same copy to finish it, or remove its remains with zom.repair"
    told = f"one of {parse_mark(found, store.url, key)} that is unfinished"
    return ConflictError([conflict(BUSY, path, "no other copy to this place", told, fix, key=key)], store.url)


def _above(store: Store, layout: Layout, path: str) -> dict[str, bytes]:
    names = parse_path(path)
    group = cast("Any", layout.family.classes["group"])()
    found: dict[str, bytes] = {}
    for at in (join(names[:count]) for count in range(len(names))):
        keys = layout.tried(at)
        if all(text is None for text in store.get_many(keys)):
            documents = layout.documents(at, group)
            found.update({key: write_json(each, indent=2).encode() for key, each in documents.items()})
    return found


def _seen(store: Store, base: str, texts: Mapping[str, Mapping[str, bytes]]) -> dict[str, bytes | None]:
    """The contents of the mark, of all documents, and of the keys where they wait."""
    documents = [key for node in texts.values() for key in node]
    keys = [base + COPY_MARK, *documents, *(base + NEW + key[len(base) :] for key in documents)]
    return dict(zip(keys, store.get_many(keys), strict=True))


def _written(
    store: Store, texts: Mapping[str, Mapping[str, bytes]], nodes: Mapping[str, Spec]
) -> frozenset[str]:
    """The arrays whose documents are written, which happens after their chunks."""
    arrays = [inner for inner, spec in nodes.items() if spec.kind == "array"]
    keys = [(inner, key) for inner in arrays for key in texts[inner]]
    values = store.get_many([key for _, key in keys])
    wrong = {inner for (inner, key), text in zip(keys, values, strict=True) if text != texts[inner][key]}
    return frozenset(inner for inner in arrays if inner not in wrong)


def _checked(
    nodes: Mapping[str, Spec], store: Store, path: str, on_conflict: OnConflict, *, is_new: bool
) -> tuple[frozenset[str], tuple[str, ...]]:
    """The nodes that stay, and foreign keys; ConflictError if anything blocks the copy."""
    plan = plan_for(
        unflatten(nodes),
        store,
        path,
        on_conflict=on_conflict,
        prune=on_conflict == "replace",
        keeps_names=True,
    )
    problems = list(plan.problems)
    start = len(plan.path.rstrip("/"))
    kept = {
        action.path[start:] or "/": action
        for action in plan.actions
        if action.verb in {"keep", "update attributes", "rewrite document"} and action.kind == "array"
    }
    known = {inner: action for inner, action in kept.items() if inner in nodes}
    if on_conflict == "refuse":
        fix = "choose another place, or pass on_conflict='update' to keep it, or 'replace'"
        problems.extend(
            conflict(EXISTS, action.path, "nothing, to copy an array there", "an array", fix)
            for action in known.values()
        )
    resized = [action for action in plan.actions if action.verb == "resize" and on_conflict == "update"]
    problems.extend(
        conflict(
            EXISTS, action.path, "an array of the same shape", "another shape", "pass on_conflict='replace'"
        )
        for action in resized
    )
    if problems and not (is_new and on_conflict == "replace"):
        raise ConflictError(problems, store.url)
    if on_conflict == "replace":
        return frozenset(), plan.foreign
    return frozenset(known), plan.foreign
