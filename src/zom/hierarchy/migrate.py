"""Migrating: a hierarchy in place from one format to another, or into another place.

In place, all that is new is written beside what is old, where nobody looks yet; then one change of one
key makes the new hierarchy seen; then what is old goes:

    v2 -> v3      the root's zarr.json is written, which counts where v2 lies beside it
    draft -> v3   the entry point of the draft, which is the root's zarr.json, is replaced
    v3 -> v2      the root's zarr.json is removed

An interruption at any point leaves the old hierarchy or the new one; migrating again finishes it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

from zom import jsontext
from zom.errors import ConflictError, ReadOnlyError
from zom.hierarchy.conflicts import BUSY, conflict
from zom.hierarchy.copy import Choices, copy_hierarchy, place_in
from zom.hierarchy.copy_mark import MIGRATION_MARK, mark_key
from zom.hierarchy.copy_nodes import read_original
from zom.hierarchy.layout import V2_LAYOUT, V3_LAYOUT
from zom.hierarchy.migration import MigratedArray, Migration, Work
from zom.hierarchy.migration_plan import check_free, plan_migration
from zom.hierarchy.migration_steps import carry_out, counted, is_switched, remove_old
from zom.hierarchy.place import check_apart
from zom.model.convert import convert
from zom.model.tree import flatten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.hierarchy.copy_nodes import Original
    from zom.hierarchy.copy_report import CopyReport
    from zom.hierarchy.look import Form
    from zom.hierarchy.migration_plan import MigrationPlan
    from zom.model.spec import Spec
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["migrate"]


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
    if not isinstance(in_place, bool):  # pyright: ignore[reportUnnecessaryIsInstance] - a place would mean True
        raise TypeError(f"in_place: expected True or False, got {in_place!r}; name another place by target=")
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
            node.path, "encode" if node.way == "encode" else "copy", node.why, node.raw + node.encoded
        )
        for node in copied.nodes
        if node.kind == "array"
    )


# --- in place -------------------------------------------------------------------------------------------


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
    if begun is not None and is_switched(store, begun):
        if not dry_run:
            remove_old(store, path, begun)
        return Migration(
            store.url, path, begun.form, to, removes=begun.removes, dry_run=dry_run, resumed=True
        )
    original = read_original(store, path, form=form)
    if original.tree.layout.family.form == to:
        return Migration(store.url, path, original.tree.layout.name, to, dry_run=dry_run)
    plan = plan_migration(original, to)
    if begun is None:
        check_free(store, plan)
    counts = (
        counted(plan) if dry_run else carry_out(store, path, plan, progress, is_resumed=begun is not None)
    )
    migration = _migration(plan, counts)
    return replace(migration, dry_run=dry_run, resumed=begun is not None)


def _unfinished(store: Store, path: str, key: str, begun: Work) -> ConflictError:
    found = f"one to {begun.to} that was interrupted"
    fix = f"finish it first with zom.migrate(store, {begun.to!r})"
    return ConflictError([conflict(BUSY, path, "no other migration", found, fix, key=key)], store.url)


def _migration(plan: MigrationPlan, counts: Mapping[str, int]) -> Migration:
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
