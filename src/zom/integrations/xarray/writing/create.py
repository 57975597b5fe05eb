"""Create a new group and everything below it with one plan, including the values that are in memory."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from zom.errors import StoreError
from zom.handles.changes import consolidate, made_node
from zom.handles.plan import Plan
from zom.hierarchy.change.conflicts import EXISTS, conflict, refused
from zom.hierarchy.change.planner import plan_for
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.inventory import take_inventory
from zom.integrations.xarray.spec import group_spec, written
from zom.integrations.xarray.writing.filling import array_of, checked, filled
from zom.integrations.xarray.writing.transfer import Transfer, Values
from zom.model.construction import outside
from zom.stores.together import ahead

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.handles.group import Group
    from zom.hierarchy.change.plan import OnConflict
    from zom.integrations.xarray.writing.choices import Choices
    from zom.stores.interface import Store

__all__ = ["create"]


def create(  # noqa: PLR0913, PLR0917 - what to write, and how
    data: Any,
    store: Store,
    path: str,
    encoding: Mapping[str, Any] | None,
    zarr_format: int,
    choices: Choices,
) -> Any:
    """Write data as a new group, or replace an existing one."""
    form: Any = f"v{zarr_format}"
    look = partial(take_inventory, store, path, form) if store.capabilities.listable else None
    with ahead(store, look) if look else nullcontext() as found:
        spec, transfers, block = _wanted(data, store, path, encoding, zarr_format, choices)
        on_conflict: OnConflict = "replace" if choices.mode == "w" else "refuse"
        change = plan_for(spec, store, path, on_conflict=on_conflict, prune=True, look=found)
    made = Plan.of(change, made_node)
    _check_new(made, choices)
    warn(made.url, made.warnings, None, outside())
    return _applied(made, transfers, choices, block=block)


def _wanted(  # noqa: PLR0913, PLR0917 - as in `create`
    data: Any,
    store: Store,
    path: str,
    encoding: Mapping[str, Any] | None,
    zarr_format: int,
    choices: Choices,
) -> tuple[Any, list[Transfer], bool]:
    """Return the spec, the transfers into it, and whether to write consolidated metadata."""
    attributes, variables = written(data, zarr_format=zarr_format, encoding=encoding, loads=True)
    spec = group_spec(attributes, variables, zarr_format)
    transfers = checked(
        [
            Transfer(each.path, each.source, each.spec, zarr_format, (0,) * each.source.ndim, each.made)
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
    return spec, transfers, block


def _has_block(store: Store, consolidated: bool | None) -> bool:  # noqa: FBT001
    """Whether to write consolidated metadata; by default, if the store supports it."""
    if store.capabilities.zarr_keys and consolidated:
        reason = "it does not support consolidated metadata; pass consolidated=False"
        raise StoreError(store.url, "", "consolidate", reason)
    return not store.capabilities.zarr_keys and consolidated is not False


def _check_new(made: Plan, choices: Choices) -> None:
    """Raise ConflictError if a new group was requested but one exists, or the plan has problems."""
    if choices.mode == "w-" and made.path not in made.made and not made.problems:
        fix = 'pass mode="w" to replace it, or mode="a" to write into it'
        raise refused([conflict(EXISTS, made.path, "nothing", "a group", fix)], made.url)
    made.check()


def _applied(made: Plan, transfers: list[Transfer], choices: Choices, *, block: bool) -> Any:
    """Apply the plan and write the rest; return the group, or the `Delayed` that writes lazy data."""
    # A plan can write values of new arrays only.
    is_new = made.path in made.made and bool(made.journal.adds)
    in_plan = is_new and not choices.write_empty_chunks
    now = {each.path: Values(each) for each in transfers if in_plan and each.is_loaded}
    left = [each for each in transfers if each.path not in now]
    arrays = [array_of(each, made.store, made.path, made.layout, choices) for each in left]
    root = cast("Group", made.apply(data=now))
    if block and not made.consolidated:
        consolidate(made.store)
    return filled(root, left, arrays, choices)
