"""Migrating: convert a hierarchy from one format to another, in place or into another place.

In place, chunks that get new keys are copied to them. Then one change with a journal puts the new documents
beside the old ones, the root's last, and deletes everything old:

    v2 -> v3      the root's zarr.json takes precedence over v2 beside it
    draft -> v3   the entry point of the draft, which is the root's zarr.json, is replaced
    v3 -> v2      the root's zarr.json is deleted first

A failed migration is undone, or finished if the change counts as made; see `zom.hierarchy.change.steps`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from zom.errors import ReadOnlyError
from zom.hierarchy.copy.copy import Choices, copy_hierarchy, place_in
from zom.hierarchy.copy.nodes import read_original
from zom.hierarchy.executor import pool_of
from zom.hierarchy.migrate.migration import MigratedArray, Migration
from zom.hierarchy.migrate.plan import check_free, converted, plan_migration
from zom.hierarchy.migrate.steps import carry_out, counted
from zom.hierarchy.stored.layout import LAYOUTS
from zom.hierarchy.stored.place import check_apart
from zom.json.read import read_json
from zom.model.tree import flatten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.hierarchy.copy.nodes import Original
    from zom.hierarchy.copy.report import CopyReport
    from zom.hierarchy.executor import Executor
    from zom.hierarchy.migrate.plan import MigrationPlan
    from zom.hierarchy.stored.lookup import FormatName
    from zom.model.spec import Spec
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["migrate"]


def migrate(  # noqa: PLR0913 - each is a choice of the caller
    store: Place,
    to: Literal["v3", "v2"] = "v3",
    *,
    path: str = "",
    in_place: bool = False,
    target: Place | None = None,
    dry_run: bool = False,
    progress: Callable[[int, int], object] | None = None,
    executor: Executor | None = None,
) -> Migration:
    """Convert the hierarchy at `path` in `store` to another format: v2 or the draft to v3, or v3 to v2.

    Pass `in_place=True` to change the store itself. Or pass a `target` for the new hierarchy: then the store
    stays as it is. Chunks are never decoded. In place, the chunks of v2 stay where they are, and only
    documents are written. If the keys of chunks differ, each chunk is copied to its new key, and the old
    chunks are deleted at the end. ConversionError lists everything that the new format can't express, and
    nothing is written; `losses` are what is dropped. To change what can't be converted, use `zom.copy` with
    your own spec.

    Threads copy chunks, or the processes of a `distributed.Client` or another `executor`. `progress` is
    called with the number of finished chunks and documents, and the total.

    A `dry_run` shows every document that would be written and deleted; without a `target`, in place.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v2.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)), "a")
    >>> array[:] = [1, 2, 3, 4]
    >>> print(zom.migrate(array.store, in_place=True))
    memory://: v2 -> v3: 2 documents written, 2 removed, the chunks of 1 array stayed
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
        raise TypeError(f"in_place: expected True or False, got {in_place!r}; pass another place as target=")
    if target is not None and in_place:
        raise ValueError("expected in_place=True or a target, got both")
    if target is None and not in_place and not dry_run:
        raise ValueError("pass in_place=True to change the store itself, or target= to leave it as it is")
    opened_here: list[Store] = []
    try:
        read_only = dry_run or target is not None
        there, inner, form = place_in(store, path, opened_here, read_only=read_only)
        if target is None:
            how = Choices(dry_run=dry_run, progress=progress, executor=executor)
            migration = _in_place(there, inner, to, form, how)
        else:
            new, _, _ = place_in(target, "", opened_here, read_only=dry_run, may_lack=dry_run)
            check_apart((there, inner), (new, "/"))
            choices = Choices(dry_run=dry_run, progress=progress, executor=executor)
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
    conversion = converted(original, to)
    copied = copy_hierarchy(original, new, "/", conversion.spec, choices)
    specs: dict[str, Spec] = flatten(conversion.spec)
    layout = LAYOUTS[to][0]
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
            node.path,
            "encode" if node.way == "encode" else "copy",
            node.why,
            node.raw + node.encoded,
            node.nbytes,
            node.skipped,
        )
        for node in copied.nodes
        if node.kind == "array"
    )


# --- in place -------------------------------------------------------------------------------------------


def _in_place(store: Store, path: str, to: str, form: FormatName | None, choices: Choices) -> Migration:
    dry_run, pool = choices.dry_run, pool_of(choices.executor)
    if not dry_run and not store.capabilities.writable:
        raise ReadOnlyError(store.url, path.strip("/"), "migrate")
    original = read_original(store, path, form=form)
    if original.tree.layout.family.form == to:
        return Migration(store.url, path, original.tree.layout.name, to, dry_run=dry_run)
    plan = plan_migration(original, to)
    check_free(store, plan)
    counts = counted(plan) if dry_run else carry_out(plan, choices.progress, pool)
    return replace(_migration(plan, to, counts), dry_run=dry_run)


def _migration(plan: MigrationPlan, to: str, counts: Mapping[str, tuple[int, int]]) -> Migration:
    original = plan.original
    moved = {each.path for each in plan.moves}
    arrays: list[MigratedArray] = []
    for inner in plan.conversion.same_chunks:
        if original.path(inner) not in moved:
            arrays.append(MigratedArray(inner, "stay"))
            continue
        why = f"{original.tree.layout.name} has other chunk keys"
        arrays.append(MigratedArray(inner, "move", why, *counts.get(original.path(inner), (0, 0))))
    return Migration(
        original.store.url,
        original.tree.path,
        original.tree.layout.name,
        to,
        {key: read_json(text, []) for key, text in plan.writes.items()},
        plan.removes,
        tuple(arrays),
        plan.conversion.losses,
    )
