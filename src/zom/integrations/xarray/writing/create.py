"""Creating: a new group with all below it, made by one plan with the values that are in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.errors import ConflictError, StoreError
from zom.handles.changes import consolidate, plan
from zom.hierarchy.change.conflicts import EXISTS, conflict
from zom.hierarchy.stored.findings import warn
from zom.integrations.xarray.spec import group_spec, written
from zom.integrations.xarray.writing.filling import array_of, checked, filled, work_of
from zom.integrations.xarray.writing.transfer import Transfer, Values
from zom.model.construction import outside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.handles.group import Group
    from zom.handles.plan import Plan
    from zom.integrations.xarray.writing.choices import Choices
    from zom.stores.interface import Store

__all__ = ["create"]


def create(  # noqa: PLR0913, PLR0917 - what is written, and how
    data: Any,
    store: Store,
    path: str,
    encoding: Mapping[str, Any] | None,
    zarr_format: int,
    choices: Choices,
) -> Any:
    """Write data where nothing is, or in place of what is there."""
    attributes, variables = written(data, zarr_format=zarr_format, encoding=encoding, loads=True)
    spec = group_spec(attributes, variables, zarr_format)
    transfers = checked(
        [
            Transfer(each.path, each.source, each.spec, zarr_format, (0,) * each.source.ndim)
            for each in variables
        ],
        store,
        path,
        choices,
    )
    block = _has_block(store, choices.consolidated)
    if block and zarr_format == 3 and not path.strip("/"):
        inline: dict[str, Any] = {"kind": "inline", "must_understand": False, "metadata": {}}
        spec = spec.replace(consolidated_metadata=inline)
    made = plan(spec, store, path, on_conflict="replace" if choices.mode == "w" else "refuse", prune=True)
    _check_new(made, choices)
    warn(made.url, made.warnings, None, outside())
    return _applied(made, transfers, choices, block=block)


def _has_block(store: Store, consolidated: bool | None) -> bool:  # noqa: FBT001
    """Whether consolidated metadata is written: where nobody says so, wherever a store can hold it."""
    if store.capabilities.zarr_keys and consolidated:
        reason = "it holds no consolidated metadata; pass consolidated=False"
        raise StoreError(store.url, "", "consolidate", reason)
    return not store.capabilities.zarr_keys and consolidated is not False


def _check_new(made: Plan, choices: Choices) -> None:
    """ConflictError where a new group was asked for and there is one."""
    if choices.mode == "w-" and made.path not in made.made and not made.problems:
        fix = 'pass mode="w" to replace it, or mode="a" to write into it'
        raise ConflictError([conflict(EXISTS, made.path, "nothing", "a group", fix)], made.url)
    made.check()


def _applied(made: Plan, transfers: list[Transfer], choices: Choices, *, block: bool) -> Any:
    """The group, once all is written; or the `Delayed` that writes what is lazy."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - `zom.xarray` is light before it is used

    # A plan brings values along for new arrays only.
    is_new = made.path in made.made and bool(made.journal.adds)
    in_plan = is_new and not choices.write_empty_chunks
    now = {each.path: Values(each) for each in transfers if in_plan and each.is_loaded}
    left = [each for each in transfers if each.path not in now]
    arrays = [array_of(each, made.store, made.path, made.layout, choices) for each in left]
    # While a store that answers late is waited for, dask's tasks are made.
    with ThreadPoolExecutor(1) as meanwhile:
        work = meanwhile.submit(work_of, left, arrays, compute=choices.compute)
        root: Group = made.apply(data=now)
        if block and not made.consolidated:
            consolidate(made.store)
        return filled(root, left, arrays, work.result(), choices)
