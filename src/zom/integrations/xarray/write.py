"""Writing datasets: the whole tree is created by one plan, then the data is written."""

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


def write(  # noqa: PLR0913 - as `to_zarr`
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
    """Write a Dataset, DataTree or DataArray, as `to_zarr` does; the group, open to be written.

    The arguments are those of `to_zarr`. All groups and arrays are created by one plan, together with the values
    that are in memory: all of it or nothing. Data in files and lazy data is written after that, and so are values
    that go into arrays that are there already: where that fails, some of these may hold old values and some new ones. `mode` is "w-"
    unless there is a `region`, which means "r+", or an `append_dim`, which means "a". The format is 3, or that of
    the group that is there. With `compute=False`, a `Delayed` that writes the lazy data is returned.

    Lazy data whose chunks would share a chunk or shard of an array is refused before anything is written:
    rechunk it, pass `align_chunks=True`, or, where one thread writes, `safe_chunks=False`.

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
