"""Migrating: a hierarchy in place from one format to another, or into another place.

In place, all that is new is written beside what is old, where nobody looks yet; then one change of one
key makes the new hierarchy seen; then what is old goes:

    v2 -> v3      the root's zarr.json is written, which counts where v2 lies beside it
    draft -> v3   the entry point of the draft, which is the root's zarr.json, is replaced
    v3 -> v2      the root's zarr.json is removed

An interruption at any point leaves the old hierarchy or the new one; migrating again finishes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from zom import jsontext
from zom.engine.workers import processors
from zom.errors import ConflictError, ReadOnlyError, StoreError
from zom.hierarchy.clearing import clear_all
from zom.hierarchy.conflicts import BUSY, EXISTS, FILES, OTHER_FORMAT, conflict
from zom.hierarchy.copy import Choices, copy_hierarchy, place_in
from zom.hierarchy.copy_chunks import MEMORY, ArrayPair, copy_raw, stored_chunks, verify_raw
from zom.hierarchy.copy_mark import MIGRATION_MARK, mark_key
from zom.hierarchy.copy_nodes import read_original
from zom.hierarchy.copy_tally import Progress, Tally
from zom.hierarchy.handles import handle_of
from zom.hierarchy.journal import Clearing
from zom.hierarchy.layout import ENTRY_KEY, V2_LAYOUT, V3_LAYOUT
from zom.hierarchy.migration import MigratedArray, Migration, Work
from zom.hierarchy.place import check_apart
from zom.hierarchy.read import read_tree
from zom.model.convert import convert
from zom.model.stored import to_consolidated
from zom.model.tree import at as node_at
from zom.model.tree import flatten
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zom.hierarchy.copy_nodes import Original
    from zom.hierarchy.copy_report import CopyReport
    from zom.hierarchy.layout import Layout
    from zom.hierarchy.look import Form
    from zom.model.conversion import Conversion
    from zom.model.spec import Spec
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["migrate"]

_KEYS = 1000
"""How many keys are handed to a store at once."""


def migrate(  # noqa: PLR0913 - each is a choice of the caller's
    store: Place,
    to: Literal["v3", "v2"] = "v3",
    *,
    path: str = "",
    in_place: bool = True,
    target: Place | None = None,
    dry_run: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Migration:
    """Give the hierarchy at `path` in `store` another format: v2 or the draft become v3, v3 becomes v2.

    Chunks are never decoded. From v2 they stay where they are, and documents alone are written; where the
    keys of chunks differ, each is copied to its new key and the old ones go at the end. With a `target`
    the store stays as it is, and the new hierarchy is made there. ConversionError, and nothing written,
    lists all that the new format can't express; `losses` are what is dropped. `zom.copy` with a spec of
    yours makes what can't be converted.

    A `dry_run` shows every document that would be written and removed.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v2.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)), "a")
    >>> array[:] = [1, 2, 3, 4]
    >>> print(zom.migrate(array.store))
    memory://: v2 -> v3: 2 documents written, 2 removed, the chunks of 1 array stay
      + a/zarr.json
      + zarr.json
      - a/.zarray
      - .zgroup
    >>> zom.open_array(array.store, "a")[:]
    array([1, 2, 3, 4], dtype=int8)
    """
    if to not in {"v2", "v3"}:
        raise ValueError(f'to: expected "v3" or "v2", got {to!r}')
    if target is None and not in_place:
        raise ValueError("expected a target, where the hierarchy is not to be migrated in place")
    opened_here: list[Store] = []
    try:
        read_only = dry_run or target is not None
        there, inner, form = place_in(store, path, opened_here, read_only=read_only)
        if target is None:
            migration = _in_place(there, inner, to, form, dry_run=dry_run, progress=progress)
        else:
            new, _, _ = place_in(target, "", opened_here, read_only=dry_run, may_lack=dry_run)
            check_apart((there, inner), (new, "/"))
            choices = Choices(dry_run=dry_run, progress=progress)
            migration = _elsewhere(read_original(there, inner, form=form), to, new, choices)
    except BaseException:
        for each in opened_here:
            each.close()
        raise
    for each in opened_here:
        each.close()
    return migration


# --- into another place ---------------------------------------------------------------------------------


def _elsewhere(original: Original, to: str, new: Store, choices: Choices) -> Migration:
    conversion = convert(original.tree.spec, cast("Any", to))
    copied = copy_hierarchy(original, new, "/", conversion.spec, choices)
    specs: dict[str, Spec] = flatten(conversion.spec)
    layout = V3_LAYOUT if to == "v3" else V2_LAYOUT
    writes = {
        key: text for inner, spec in specs.items() for key, text in layout.documents(inner, spec).items()
    }
    found = _told(copied)
    return Migration(
        original.store.url,
        original.tree.path,
        original.tree.layout.name,
        to,
        writes,
        arrays=found,
        losses=conversion.losses,
        target=new.url,
        copied=copied,
        dry_run=choices.dry_run,
    )


def _told(copied: CopyReport) -> tuple[MigratedArray, ...]:
    return tuple(
        MigratedArray(
            node.path, "encode" if node.way == "encode" else "move", node.why, node.raw + node.encoded
        )
        for node in copied.nodes
        if node.kind == "array"
    )


# --- in place -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    """A migration in place, with everything that it takes."""

    original: Original
    conversion: Conversion
    layout: Layout
    """The new layout."""
    work: Work
    moves: tuple[tuple[Any, Any], ...]
    """The arrays whose chunks get other keys: handles of the old and the new one."""


def _in_place(  # noqa: PLR0913 - what is migrated, and how
    store: Store,
    path: str,
    to: str,
    form: Form | None,
    *,
    dry_run: bool,
    progress: Callable[[int, int], object] | None,
) -> Migration:
    if not dry_run and not store.capabilities.writable:
        raise ReadOnlyError(store.url, path.strip("/"), "migrate")
    key = mark_key(path, MIGRATION_MARK)
    text = store.get(key)
    begun = None if text is None else Work.parse(text, store.url, key)
    if begun is not None and begun.to != to:
        raise _unfinished(store, path, key, begun)
    if begun is not None and _is_switched(store, begun):
        if not dry_run:
            _remove_old(store, path, begun)
        return Migration(
            store.url, path, begun.form, to, removes=begun.removes, dry_run=dry_run, resumed=True
        )
    original = read_original(store, path, form=form)
    if original.tree.layout.family.form == to:
        return Migration(store.url, path, original.tree.layout.name, to, dry_run=dry_run)
    plan = _plan(original, to)
    if begun is None:
        _check_free(store, plan)
    counts = (
        _counted(plan) if dry_run else _carry_out(store, path, plan, progress, is_resumed=begun is not None)
    )
    migration = _migration(plan, counts)
    return replace(migration, dry_run=dry_run, resumed=begun is not None)


def _unfinished(store: Store, path: str, key: str, begun: Work) -> ConflictError:
    found = f"one to {begun.to} that was interrupted"
    fix = f"finish it first with zom.migrate(store, {begun.to!r})"
    return ConflictError([conflict(BUSY, path, "no other migration", found, fix, key=key)], store.url)


def _is_switched(store: Store, work: Work) -> bool:
    """Whether readers see the new hierarchy already."""
    return store.get(work.switch) == work.writes.get(work.switch)


def _plan(original: Original, to: str) -> _Plan:
    store, old = original.store, original.tree.layout
    path = original.tree.path
    _check_root(original)
    conversion = convert(original.tree.spec, cast("Any", to))
    layout = V3_LAYOUT if to == "v3" else V2_LAYOUT
    moves: list[tuple[Any, Any]] = []
    for inner, stays in conversion.same_chunks.items():
        if not stays:
            here = original.path(inner)
            before = handle_of(original.specs[inner], store, here, old, mode="r")
            spec = node_at(conversion.spec, inner)
            moves.append((before, handle_of(spec, store, here, layout, mode="r+")))
    writes = _new_documents(original, conversion, layout)
    removes = _old_documents(original)
    root = V3_LAYOUT.key(path, ENTRY_KEY)
    work = Work(
        old.name,
        to,
        writes,
        root,
        tuple(key for key in removes if key not in writes),
        tuple(_clearing(before, old) for before, _ in moves),
    )
    return _Plan(original, conversion, layout, work, tuple(moves))


def _clearing(array: Any, layout: Layout) -> Clearing:
    prefix, form = layout.chunk_prefix(array.path), layout.family.form
    return Clearing(array.path, prefix, form, array.spec.to_json(), scalar=layout.scalar_chunk)


def _check_root(original: Original) -> None:
    """ConflictError unless the whole hierarchy is migrated; formats don't lie in each other."""
    store, path, layout = original.store, original.tree.path, original.tree.layout
    names = parse_path(path)
    above = [join(names[:count]) for count in range(len(names))]
    if layout.implicit_groups:
        base = join(parse_path(layout.base))
        holder = None if base == path else base
        taken = {"meta", "data"} & {inner.split("/")[1] for inner in original.specs if inner != "/"}
        if taken:
            found = f"a node named {min(taken)!r}, as a directory of the draft is"
            fix = "migrate it into another place, with target="
            problem = conflict(FILES, path, "other names, to lay new nodes beside the old", found, fix)
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
    """The new documents by key, those of members before those of their groups, the root's own last."""
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
            made[key] = jsontext.write(documents[key], indent=2).encode()
    return made


def _old_documents(original: Original) -> list[str]:
    """The keys of the old documents, in the order in which they go."""
    layout = original.tree.layout
    blocks = [
        layout.key(original.path(inner), layout.consolidated)
        for inner in original.consolidated
        if layout.consolidated is not None
    ]
    nodes = sorted(original.stored, key=lambda inner: (-len(parse_path(inner)), inner))
    if layout.family.form == "v3":
        # Its root is what makes it seen: without it, nobody finds the rest.
        nodes.insert(0, nodes.pop(nodes.index("/")))
    owned = [document.key for inner in nodes for document in original.stored[inner].documents.values()]
    return list(dict.fromkeys((*sorted(blocks), *owned)))


def _check_free(store: Store, plan: _Plan) -> None:
    """ConflictError where other things lie under keys that are to be written."""
    work = plan.work
    replaced = {work.switch} if plan.original.tree.layout.implicit_groups else set[str]()
    keys = [key for key in work.writes if key not in replaced]
    fix = "move it away, or migrate into another place, with target="
    problems = [
        conflict(
            EXISTS, f"/{key.rpartition('/')[0]}", f"nothing under {key!r}", "another document", fix, key=key
        )
        for key, text in zip(keys, store.get_many(keys), strict=True)
        if text is not None and text != work.writes[key]
    ]
    if store.capabilities.listable:
        for _, new in plan.moves:
            key = next((key for key, _ in stored_chunks(new.chunk_access)), None)
            if key is not None:
                found = f"{key!r}, where a chunk is to lie"
                problems.append(conflict(FILES, new.path, "no chunks of the new format", found, fix, key=key))
    if problems:
        raise ConflictError(problems, store.url)


# --- doing it -------------------------------------------------------------------------------------------


def _carry_out(
    store: Store,
    path: str,
    plan: _Plan,
    progress: Callable[[int, int], object] | None,
    *,
    is_resumed: bool,
) -> dict[str, int]:
    """Do all of it; how many chunks of each array were moved."""
    work = plan.work
    counts: dict[str, int] = {}
    total = sum(new.nchunks for _, new in plan.moves)
    told = Progress(total + len(work.writes), progress)
    _leave_mark(store, path, work, is_resumed=is_resumed)
    end = 0
    for old, new in plan.moves:
        pair = _pair(old, new, told)
        copy_raw(pair)
        verify_raw(replace(pair, progress=Progress(0, None)))
        counts[new.path] = pair.tally.raw
        end += new.nchunks
        told.reach(end)
    beside = {key: text for key, text in work.writes.items() if key != work.switch}
    for keys in _batches(tuple(beside)):
        store.set_many([(key, beside[key]) for key in keys])
        told.add(len(keys))
    _check_written(store, beside)
    store.flush()
    if work.switch in work.writes:
        store.set(work.switch, work.writes[work.switch])
    else:
        store.delete(work.switch)
    _check_seen(store, path, plan)
    _remove_old(store, path, work)
    told.reach(told.total)
    return counts


def _counted(plan: _Plan) -> dict[str, int]:
    """How many chunks of each array would be moved."""
    if not plan.original.store.capabilities.listable:
        return {}
    return {new.path: sum(1 for _ in stored_chunks(old.chunk_access)) for old, new in plan.moves}


def _leave_mark(store: Store, path: str, work: Work, *, is_resumed: bool) -> None:
    """Say what is under way; ConflictError where somebody else has just begun."""
    key = mark_key(path, MIGRATION_MARK)
    if is_resumed:
        store.set(key, work.text())
    elif not store.create(key, work.text()):
        fix = "wait for its end"
        problem = conflict(BUSY, path, "no other migration", "one that has just begun", fix, key=key)
        raise ConflictError([problem], store.url)


def _pair(old: Any, new: Any, progress: Progress) -> ArrayPair:
    return ArrayPair(
        old.chunk_access,
        new.chunk_access,
        jobs=processors(),
        is_resumed=False,
        memory=MEMORY,
        tally=Tally(),
        progress=progress,
    )


def _batches(keys: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for start in range(0, len(keys), _KEYS):
        yield keys[start : start + _KEYS]


def _check_written(store: Store, texts: Mapping[str, bytes]) -> None:
    for key, text in zip(texts, store.get_many(texts), strict=True):
        if text != texts[key]:
            raise StoreError(store.url, key, "migrate", "it doesn't read back as it was written")


def _check_seen(store: Store, path: str, plan: _Plan) -> None:
    """StoreError unless the new hierarchy reads as it should: what is old is removed only then."""
    form = cast("Any", plan.layout.family.form)
    seen = read_tree(store, path, form=form, consolidated="ignore").spec
    if seen != plan.conversion.spec:
        reason = "the new hierarchy doesn't read as it was meant to; nothing is removed, look at both"
        raise StoreError(store.url, path.strip("/"), "migrate", reason)


def _remove_old(store: Store, path: str, work: Work) -> None:
    """Take away what is old, and then the mark."""
    for keys in _batches(work.removes):
        store.delete_many(keys)
    for clearing in work.clears:
        clear_all(store, clearing)
    store.flush()
    store.delete(mark_key(path, MIGRATION_MARK))


def _migration(plan: _Plan, counts: Mapping[str, int]) -> Migration:
    original, work = plan.original, plan.work
    moved = {new.path: old for old, new in plan.moves}
    arrays: list[MigratedArray] = []
    for inner in plan.conversion.same_chunks:
        old = moved.get(original.path(inner))
        if old is None:
            arrays.append(MigratedArray(inner, "stay"))
            continue
        why = f"the keys of {original.tree.layout.name} are others"
        arrays.append(MigratedArray(inner, "move", why, counts.get(original.path(inner), 0)))
    return Migration(
        original.store.url,
        original.tree.path,
        original.tree.layout.name,
        work.to,
        {key: jsontext.read(text, []) for key, text in work.writes.items()},
        work.removes,
        tuple(arrays),
        plan.conversion.losses,
    )
