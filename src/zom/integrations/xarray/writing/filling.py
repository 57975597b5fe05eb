"""Write values into existing arrays, now or when dask computes its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.handles.group import handle_of
from zom.integrations.dask.alignment import check_alignment, stored_axes
from zom.integrations.xarray.writing.transfer import aligned, misaligned, tasks_of, transfer_now
from zom.packages import imported
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.handles.array import Array
    from zom.handles.group import Group
    from zom.hierarchy.stored.layout import Layout
    from zom.integrations.xarray.writing.choices import Choices
    from zom.integrations.xarray.writing.transfer import Transfer
    from zom.stores.interface import Store

__all__ = ["array_of", "checked", "filled"]


def checked(transfers: list[Transfer], store: Store, path: str, choices: Choices) -> list[Transfer]:
    """Return the transfers, rechunked if requested; raise an error if they can't be written."""
    lazy = [each for each in transfers if each.is_lazy]
    if not choices.compute:
        imported("dask", "dask")
    if lazy:
        from zom.integrations.dask.tasks import check_merged, check_sendable  # noqa: PLC0415 - only lazy data needs them

        check_sendable(store, [], compute=choices.compute)
        for each in lazy if choices.mode in {"a", "r+"} else ():
            at = join((*parse_path(path), *parse_path(each.path)))
            check_merged(store, at, stored_axes(each.spec), each.starts, each.source.shape)
    if choices.align_chunks:
        transfers = [aligned(each) for each in transfers]
    elif choices.safe_chunks:
        check_alignment(store.url, misaligned(lazy, path, whole=choices.mode == "r+"))
    # Encoding errors must raise now, though graphs may be built much later.
    return [each.ready() for each in transfers]


def array_of(transfer: Transfer, store: Store, root: str, layout: Layout, choices: Choices) -> Array:
    """Return the target array of a variable below the group at `root`, open for writing."""
    path = join((*parse_path(root), *parse_path(transfer.path)))
    found: Any = handle_of(transfer.spec, store, path, layout, mode="r+")
    array: Array = found
    return array.with_options(write_empty_chunks=True) if choices.write_empty_chunks else array


def filled(root: Group, transfers: Sequence[Transfer], arrays: Sequence[Array], choices: Choices) -> Any:
    """Write into arrays; return their group, or the `Delayed` that writes lazy data."""
    transfer_now(transfers, arrays)
    if not choices.compute:
        from zom.integrations.dask.tasks import delayed  # noqa: PLC0415 - only if requested

        return delayed(lambda: tasks_of(transfers, arrays))
    if tasks := tasks_of(transfers, arrays):
        from zom.integrations.dask.tasks import computed  # noqa: PLC0415 - only lazy data needs it

        computed(tasks, root.store)
    return root
