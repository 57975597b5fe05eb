"""Plans of migrations in place: what to write, what to delete, which chunks get other keys.

Nothing is written here; obstacles are conflicts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.conversion.trees import convert
from zom.dataclass import dataclass
from zom.errors import ConflictError, ConversionError
from zom.hierarchy.change.conflicts import EXISTS, FILES, OTHER_FORMAT, conflict
from zom.hierarchy.copy.chunks import stored_chunks
from zom.hierarchy.journal.journal import Clearing, Journal
from zom.hierarchy.stored.array_chunks import ArrayPlace
from zom.hierarchy.stored.layout import ENTRY_KEY, LAYOUTS, V3_LAYOUT
from zom.json.write import write_json
from zom.model.stored import to_consolidated
from zom.model.tree import at as node_at
from zom.model.tree import flatten
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from zom.conversion.losses import Conversion
    from zom.engine.chunks import Chunks
    from zom.hierarchy.copy.nodes import Original
    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["MigrationPlan", "MovedArray", "check_free", "converted", "journal_of", "plan_migration"]


@dataclass(frozen=True, slots=True)
class MovedArray:
    """An array whose chunks get other keys."""

    path: str
    before: Spec
    after: Spec
    old: Chunks
    new: Chunks
    places: tuple[ArrayPlace, ArrayPlace]
    """The places to open both in other processes."""


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """A migration in place, with everything that it needs."""

    original: Original
    conversion: Conversion
    layout: Layout
    """The new layout."""
    writes: dict[str, bytes]
    """The new documents, in the order of writing."""
    removes: tuple[str, ...]
    """The old documents, in the order of deletion."""
    moves: tuple[MovedArray, ...]
    """The arrays whose chunks get other keys."""


def converted(original: Original, to: str) -> Conversion:
    """The hierarchy's spec in the format `to`; ConversionError, with the store's name, if there is none."""
    try:
        return convert(original.tree.spec, cast("Any", to))
    except ConversionError as error:
        fix = "change or delete the node first"
        problems = [replace(each, fix=each.fix or fix) for each in error.problems]
        raise ConversionError(problems, f"{original.store.url}: {error.subject}") from None


def plan_migration(original: Original, to: str) -> MigrationPlan:
    """The plan to convert the hierarchy to the format `to` in place."""
    store, old = original.store, original.tree.layout
    _check_root(original)
    conversion = converted(original, to)
    layout = LAYOUTS[to][0]
    moves: list[MovedArray] = []
    for inner, stays in conversion.same_chunks.items():
        if not stays:
            here = original.path(inner)
            specs = original.specs[inner], node_at(conversion.spec, inner)
            places = ArrayPlace(specs[0], store, here, old), ArrayPlace(specs[1], store, here, layout)
            moves.append(MovedArray(here, *specs, places[0].open(), places[1].open(), places))
    writes = _new_documents(original, conversion, layout)
    removes = _old_documents(original, layout)
    gone = tuple(key for key in removes if key not in writes)
    return MigrationPlan(original, conversion, layout, writes, gone, tuple(moves))


def journal_of(plan: MigrationPlan) -> Journal:
    """The migration as one change: write new documents beside the old ones, then delete those and chunks."""
    store, old = plan.original.store, plan.original.tree.layout
    keys = [*plan.writes, *plan.removes]
    return Journal(
        plan.original.tree.path,
        "undo",
        removes=plan.removes,
        clears=tuple(_clearing(each.path, each.before, old) for each in plan.moves),
        writes=plan.writes,
        old=dict(zip(keys, store.get_many(keys), strict=True)),
        data=tuple(_clearing(each.path, each.after, plan.layout) for each in plan.moves),
        beside=True,
    )


def _clearing(path: str, spec: Spec, layout: Layout) -> Clearing:
    prefix, form = layout.chunk_prefix(path), layout.family.form
    return Clearing(path, prefix, form, spec.to_json(), scalar=layout.scalar_chunk)


def _check_root(original: Original) -> None:
    """Raise ConflictError unless the whole hierarchy is migrated; formats can't be nested."""
    store, path, layout = original.store, original.tree.path, original.tree.layout
    names = parse_path(path)
    above = [join(names[:count]) for count in range(len(names))]
    if layout.implicit_groups:
        base = join(parse_path(layout.base))
        holder = None if base == path else base
        taken = {"meta", "data"} & {inner.split("/")[1] for inner in original.specs if inner != "/"}
        if taken:
            found = f"a node named {min(taken)!r}, like a directory of the draft"
            fix = "migrate it to another place with target="
            problem = conflict(FILES, path, "other names, to write new nodes beside the old ones", found, fix)
            raise ConflictError([problem], store.url)
    else:
        keys = {key: each for each in above for key in layout.tried(each)}
        there = zip(keys.values(), store.get_many(keys), strict=True)
        holder = next((each for each, text in there if text is not None), None)
    if holder is not None:
        found = f"a node of the {layout.name} hierarchy at {holder}"
        fix = f"migrate {holder}, or copy the node out of it with zom.copy"
        raise ConflictError([conflict(OTHER_FORMAT, path, "the root of a hierarchy", found, fix)], store.url)


def _new_documents(original: Original, conversion: Conversion, layout: Layout) -> dict[str, bytes]:
    """The new documents by key: members before their groups, the root's own last."""
    specs: dict[str, Spec] = flatten(conversion.spec)
    made: dict[str, bytes] = {}
    for inner in sorted(specs, key=lambda inner: (-len(parse_path(inner)), inner)):
        here, spec = original.path(inner), specs[inner]
        documents = layout.documents(here, spec)
        if inner in original.consolidated:
            whole = to_consolidated(node_at(conversion.spec, inner))
            end = layout.consolidated or ENTRY_KEY
            documents = {**documents, layout.key(here, end): whole}
        own = layout.key(here, next(end for end, kind in layout.marks if kind in {spec.kind, None}))
        for key in sorted(documents, key=lambda key: key == own):
            made[key] = write_json(documents[key], indent=2).encode()
    return made


def _old_documents(original: Original, new: Layout) -> list[str]:
    """The keys of the old documents, in the order of deletion."""
    layout = original.tree.layout
    blocks = [
        layout.key(original.path(inner), layout.consolidated)
        for inner in original.consolidated
        if layout.consolidated is not None
    ]
    nodes = sorted(original.stored, key=lambda inner: (-len(parse_path(inner)), inner))
    if new.hidden_by in {end for end, _ in layout.marks}:
        # The old root hides the new one: delete it first, then readers no longer find the rest of the old.
        nodes.insert(0, nodes.pop(nodes.index("/")))
    owned = [document.key for inner in nodes for document in original.stored[inner].documents.values()]
    return list(dict.fromkeys((*sorted(blocks), *owned)))


def check_free(store: Store, plan: MigrationPlan) -> None:
    """Raise ConflictError if keys to write already hold other data."""
    root = V3_LAYOUT.key(plan.original.tree.path, ENTRY_KEY)
    replaced = {root} if plan.original.tree.layout.implicit_groups else set[str]()
    keys = [key for key in plan.writes if key not in replaced]
    fix = "move it away, or migrate to another place with target="
    problems = [
        conflict(
            EXISTS, f"/{key.rpartition('/')[0]}", f"nothing at {key!r}", "another document", fix, key=key
        )
        for key, text in zip(keys, store.get_many(keys), strict=True)
        if text is not None and text != plan.writes[key]
    ]
    if store.capabilities.listable:
        for each in plan.moves:
            key = next((key for key, _ in stored_chunks(each.new)), None)
            if key is not None:
                found = f"{key!r}, the key of a new chunk"
                problems.append(
                    conflict(FILES, each.path, "no chunks of the new format", found, fix, key=key)
                )
    if problems:
        raise ConflictError(problems, store.url)
