"""The target of a copy: what is in the way there, where nodes will lie, and their documents.

Documents are written when the chunks are there: of each array after its chunks, of groups after their
members, the root's last. Until then nothing is seen that isn't whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from zom import jsontext
from zom.errors import ConflictError, NotFound, ReadOnlyError
from zom.hierarchy.apply import carry_out
from zom.hierarchy.blocks import block_in
from zom.hierarchy.conflicts import BUSY, EXISTS, conflict
from zom.hierarchy.consolidate import consolidate
from zom.hierarchy.copy_mark import COPY_MARK, copy_mark, mark_key, marked_source
from zom.hierarchy.create import entry_text
from zom.hierarchy.layout import ENTRY_KEY, V3_LAYOUT
from zom.hierarchy.planner import plan_for
from zom.hierarchy.removal import plan_delete
from zom.hierarchy.survey import Lying, layout_for
from zom.model.tree import unflatten
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.hierarchy.copy_nodes import Original
    from zom.hierarchy.layout import Layout
    from zom.hierarchy.plan import OnConflict
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["Target", "prepared"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where the copy goes."""

    store: Store
    path: str
    layout: Layout
    texts: Mapping[str, Mapping[str, bytes]]
    """The documents of each node, by key."""
    above: Mapping[str, bytes]
    """The documents of groups above that are missing."""
    kept: frozenset[str]
    """The nodes that are there already, and stay."""
    foreign: tuple[str, ...]
    """Keys in the target that are not Zarr's, and stay."""
    mark: bytes
    is_resumed: bool
    """Whether the same copy was begun before."""

    def at(self, inner: str) -> str:
        """The path in the store of the node at `inner`."""
        return self.path if inner == "/" else f"{self.path.rstrip('/')}{inner}"

    # --- writing ------------------------------------------------------------------------------------

    def begin(self, on_conflict: OnConflict) -> None:
        """Leave the mark, and remove what is to be replaced."""
        store = self.store
        if not store.capabilities.writable:
            raise ReadOnlyError(store.url, self.path.strip("/"), "copy to")
        if self.is_resumed:
            return
        if on_conflict == "replace":
            deletion = _deletion(store, self.path)
            if deletion is not None:
                carry_out(deletion)
        key = mark_key(self.path, COPY_MARK)
        if not store.create(key, self.mark):
            found = store.get(key)
            if found != self.mark:
                raise _other_copy(store, self.path, found or b"")

    def put_node(self, inner: str) -> None:
        """Write the documents of a node, its own last."""
        texts = self.texts[inner]
        *others, own = sorted(texts, key=lambda key: not key.endswith("/.zattrs") and key != ".zattrs")
        if others:
            self.store.set_many([(key, texts[key]) for key in others])
        self.store.set(own, texts[own])

    def put_above(self) -> None:
        """Write the groups above that are missing."""
        for key, text in self.above.items():
            self.store.create(key, text)

    def finish(self) -> None:
        """Take the mark away: the copy is whole."""
        # How durable what is written is, the store was told when it was opened: nothing is lost by a copy.
        self.store.delete(mark_key(self.path, COPY_MARK))

    def consolidate(self, groups: frozenset[str]) -> tuple[str, ...]:
        """Write consolidated metadata of these groups, and of those above that have some; their paths."""
        store, layout = self.store, self.layout
        if layout.inline is None and layout.consolidated is None:
            return ()
        wanted = {self.at(inner) for inner in groups if inner in self.texts}
        names = parse_path(self.path)
        wanted.update(at for n in range(len(names) + 1) if _has_block(store, layout, at := join(names[:n])))
        ordered = tuple(sorted(wanted, key=lambda at: (-at.count("/") if at != "/" else 1, at)))
        for at in ordered:
            consolidate(store, at)
        return ordered[::-1]


def _has_block(store: Store, layout: Layout, path: str) -> bool:
    end = layout.consolidated or ENTRY_KEY
    text = store.get(layout.key(path, end))
    return text is not None and block_in(Lying(path, layout, {end: text})) is not None


def prepared(
    original: Original, nodes: Mapping[str, Spec], store: Store, path: str, on_conflict: OnConflict
) -> Target:
    """The target, with everything known that is written there; ConflictError where something is in the way."""
    path = join(parse_path(path))
    layout, entry, is_new = _layout(original, next(iter(nodes.values())), store, path)
    texts = {inner: _documents(original, inner, spec, layout, path) for inner, spec in nodes.items()}
    if entry is not None:
        texts["/"] = {**texts["/"], **entry}
    mark = copy_mark(original.store.url, original.tree.path, _marked(original, texts))
    found = store.get(mark_key(path, COPY_MARK))
    if found is not None and found != mark:
        raise _other_copy(store, path, found)
    resumed = found is not None
    above = {} if layout.implicit_groups else _above(store, layout, path)
    kept: frozenset[str] = frozenset()
    foreign: tuple[str, ...] = ()
    if resumed:
        kept = _written(store, texts, nodes)
    else:
        kept, foreign = _checked(nodes, store, path, on_conflict, is_new=is_new)
    return Target(store, path, layout, texts, above, kept, foreign, mark, resumed)


def _layout(
    original: Original, root: Spec, store: Store, path: str
) -> tuple[Layout, dict[str, bytes] | None, bool]:
    """The layout of the new nodes; of a draft, the entry point if it is new."""
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
    """The documents of a node by their keys: as they are stored, where they stay the same."""
    at = path if inner == "/" else f"{path.rstrip('/')}{inner}"
    theirs = original.tree.layout
    if spec is original.specs.get(inner) and theirs.family is layout.family:
        stored = original.stored[inner].documents
        is_plain = inner not in original.consolidated or theirs.inline is None
        if is_plain and not any(document.steps for document in stored.values()):
            return {layout.key(at, end): document.text for end, document in stored.items()}
    made = layout.documents(at, spec)
    if not made and inner == "/" and layout.implicit_groups:
        empty: dict[str, Any] = {"attributes": {}}
        made = {layout.key(at, ".group.json"): empty}
    return {key: jsontext.write(document, indent=2).encode() for key, document in made.items()}


def _marked(original: Original, texts: Mapping[str, Mapping[str, bytes]]) -> list[bytes]:
    """What makes it another copy: the documents of the source, and those of the target."""
    mine = [each for node in original.stored.values() for each in node.documents.values()]
    theirs = [(key, text) for node in texts.values() for key, text in node.items()]
    return [
        *(part for each in sorted(mine) for part in (each.key.encode(), each.text)),
        *(part for key, text in sorted(theirs) for part in (key.encode(), text)),
    ]


def _other_copy(store: Store, path: str, found: bytes) -> ConflictError:
    key = mark_key(path, COPY_MARK)
    fix = (
        f"copy the same again to finish it, or delete {key!r} and what it has left, "
        "unless it is still under way"
    )
    told = f"one of {marked_source(found)} that is not done"
    return ConflictError([conflict(BUSY, path, "no other copy to this place", told, fix, key=key)], store.url)


def _above(store: Store, layout: Layout, path: str) -> dict[str, bytes]:
    names = parse_path(path)
    group = cast("Any", layout.family.classes["group"])()
    found: dict[str, bytes] = {}
    for at in (join(names[:count]) for count in range(len(names))):
        keys = layout.tried(at)
        if all(text is None for text in store.get_many(keys)):
            documents = layout.documents(at, group)
            found.update({key: jsontext.write(each, indent=2).encode() for key, each in documents.items()})
    return found


def _written(
    store: Store, texts: Mapping[str, Mapping[str, bytes]], nodes: Mapping[str, Spec]
) -> frozenset[str]:
    """The arrays whose documents are there: they are written after their chunks."""
    arrays = [inner for inner, spec in nodes.items() if spec.kind == "array"]
    keys = [(inner, key) for inner in arrays for key in texts[inner]]
    values = store.get_many([key for _, key in keys])
    wrong = {inner for (inner, key), text in zip(keys, values, strict=True) if text != texts[inner][key]}
    return frozenset(inner for inner in arrays if inner not in wrong)


def _checked(
    nodes: Mapping[str, Spec], store: Store, path: str, on_conflict: OnConflict, *, is_new: bool
) -> tuple[frozenset[str], tuple[str, ...]]:
    """What stays as it is, and foreign keys; ConflictError where anything is in the way."""
    plan = plan_for(unflatten(nodes), store, path, on_conflict=on_conflict, prune=on_conflict == "replace")
    problems = list(plan.problems)
    start = len(plan.path.rstrip("/"))
    kept = {
        action.path[start:] or "/": action
        for action in plan.actions
        if action.verb in {"keep", "update attributes", "rewrite document"} and action.kind == "array"
    }
    known = {inner: action for inner, action in kept.items() if inner in nodes}
    if on_conflict == "refuse":
        fix = "choose another place, or ask for on_conflict='update' to keep it, or 'replace'"
        problems.extend(
            conflict(EXISTS, action.path, "nothing, to copy an array there", "an array", fix)
            for action in known.values()
        )
    resized = [action for action in plan.actions if action.verb == "resize" and on_conflict == "update"]
    problems.extend(
        conflict(EXISTS, action.path, "an array of the same shape", "one of another", "ask for 'replace'")
        for action in resized
    )
    if problems and not (is_new and on_conflict == "replace"):
        raise ConflictError(problems, store.url)
    if on_conflict == "replace":
        return frozenset(), plan.foreign
    return frozenset(known), plan.foreign


def _deletion(store: Store, path: str) -> Any:
    """What removes the node at `path`; None where none is."""
    try:
        return plan_delete(store, path)
    except NotFound:
        return None
