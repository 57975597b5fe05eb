"""Write datasets: one plan creates the whole tree, then the data is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.errors import ReadOnlyError
from zom.integrations.xarray.writing.change import change
from zom.integrations.xarray.writing.choices import Choices, Mode, chosen_mode
from zom.integrations.xarray.writing.create import create
from zom.integrations.xarray.writing.region import Region
from zom.paths import join, parse_path
from zom.stores.opening import is_name, opened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["Mode", "Region", "write"]


def write(  # noqa: PLR0913 - as in `to_zarr`
    data: Any,
    store: Place,
    *,
    group: str | None = None,
    mode: Mode | None = None,
    region: Region | None = None,
    append_dim: str | None = None,
    encoding: Mapping[str, Any] | None = None,
    compute: bool = True,
    zarr_format: int | None = None,
    consolidated: bool | None = None,
    safe_chunks: bool = True,
    align_chunks: bool = False,
    write_empty_chunks: bool = False,
) -> Any:
    """Write a Dataset, DataTree or DataArray as `to_zarr` does; return the group, open for writing.

    The arguments are those of `to_zarr`. One plan creates all groups and arrays, together with the values
    that are in memory: all or nothing. Data from files, lazy data, and values for existing arrays are written
    after that; if this fails, existing arrays may contain both old and new values. `mode` defaults to "w-",
    to "r+" with a `region`, and to "a" with an `append_dim`. The format defaults to that of the existing
    group, or 3. With `compute=False`, a `Delayed` that writes the lazy data is returned.

    Lazy data whose chunks would share a chunk or shard of an array is refused before anything is written:
    rechunk it, pass `align_chunks=True`, or, if a single thread writes, pass `safe_chunks=False`.

    >>> import xarray as xr, zom
    >>> ds = xr.Dataset({"t": ("x", [1.5, 2.5])}, {"x": [10, 20]})
    >>> group = write(ds, "memory:")
    >>> group["t"][:], sorted(group)
    (array([1.5, 2.5]), ['t', 'x'])
    >>> more = xr.Dataset({"t": ("x", [3.5])}, {"x": [30]})
    >>> write(more, group.store, append_dim="x")["t"][:]
    array([1.5, 2.5, 3.5])
    >>> write(more + 1, group.store, region="auto")["t"][:]
    array([1.5, 2.5, 4.5])
    """
    chosen = chosen_mode(mode, region=region is not None, append=append_dim is not None)
    choices = Choices(chosen, compute, safe_chunks, align_chunks, consolidated, write_empty_chunks)
    there = opened(store, existing=chosen in {"a", "r+"})
    path = join(parse_path(group or ""))
    try:
        _check_writable(there, path)
        if chosen in {"w-", "w"}:
            return create(data, there, path, encoding, zarr_format or 3, choices)
        return change(data, there, path, encoding, zarr_format, region, append_dim, choices)
    except BaseException:
        if is_name(store):
            there.close()
        raise


def _check_writable(store: Store, path: str) -> None:
    if not store.capabilities.writable:
        raise ReadOnlyError(store.url, path.strip("/"), "write")
