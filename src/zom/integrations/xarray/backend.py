"""The entry point of xarray's `engine="zom"`: datasets and trees, opened lazily.

https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html
xarray loads this module whenever it looks for engines, so modules that open stores are imported on use.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override

from zom.packages import imported

imported("xarray", "xarray")  # if it is missing, the error names the extra

from xarray.backends import BackendEntrypoint  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import xarray as xr

    from zom.model.spec import Spec
    from zom.template.models import Template

__all__ = ["ZomBackend"]

_SUFFIXES = (".zarr", ".zarr.zip", ".zarr.sqlite")
_DOCUMENTS = ("zarr.json", ".zgroup", ".zmetadata")
"""The documents that identify a directory as a group."""

_DECODERS = (
    "mask_and_scale",
    "decode_times",
    "concat_characters",
    "decode_coords",
    "use_cftime",
    "decode_timedelta",
)
"""Options that xarray passes to every engine: which parts of CF to decode, and how."""


class ZomBackend(BackendEntrypoint):
    """Open Zarr hierarchies in xarray: `xr.open_dataset(place, engine="zom")`.

    The place is anything that `zom.store` accepts, or a `zom.Group`. Arguments besides xarray's own are:

    `group`: the path of the group; `consolidated`: True to read only consolidated metadata, False to ignore
    it, None to use it if present; `zarr_format`: 2 or 3 if the store has groups of both formats;
    `storage_options`: open a URL with fsspec and these options; `use_zarr_fill_value_as_mask`: whether fill
    values are missing values, by default only in v2; `variables`: keep only these and their coordinates;
    `like`: a spec or template that names the nodes of a store without listing.

    >>> import numpy as np, xarray as xr, zom
    >>> spec = zom.v3.ArraySpec.build(shape=(3,), dtype="int8", dimension_names=["x"])
    >>> group = zom.materialize(zom.v3.GroupSpec(members={"x": spec, "t": spec}), "memory:")
    >>> group["x"][:] = [10, 20, 30]
    >>> dataset = xr.open_dataset(group, engine=ZomBackend)
    >>> dataset.sel(x=20)["t"].item(), list(dataset.coords)
    (0, ['x'])
    """

    description: ClassVar[str] = "Open Zarr hierarchies of v2 and v3 with zom"
    supports_groups: ClassVar[bool] = True
    # xarray inspects engines by name only; without these, `decode_cf=False` fails for an engine by class.
    open_dataset_parameters: ClassVar[tuple[str, ...] | None] = (
        "filename_or_obj",
        *_DECODERS,
        "drop_variables",
        "group",
        "mode",
        "consolidated",
        "storage_options",
        "zarr_format",
        "use_zarr_fill_value_as_mask",
        "variables",
        "like",
    )

    @override
    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether it is a name with a Zarr suffix, a local directory with a group, or a zom store or group.

        >>> ZomBackend().guess_can_open("s3://bucket/era5.zarr/"), ZomBackend().guess_can_open("era5.nc")
        (True, False)
        """
        if not isinstance(filename_or_obj, (str, os.PathLike)):
            from zom.integrations.xarray.reading.place import is_place  # noqa: PLC0415 - loads zom

            return is_place(filename_or_obj)
        name: object = os.fspath(filename_or_obj)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if not isinstance(name, str):
            return False
        if name.rstrip("/").lower().endswith(_SUFFIXES):
            return True
        return "://" not in name and any(os.path.isfile(os.path.join(name, each)) for each in _DOCUMENTS)  # noqa: PTH113, PTH118 - as xarray has names

    @override
    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        mode: str = "r",
        consolidated: bool | None = None,
        storage_options: dict[str, Any] | None = None,
        zarr_format: int | None = None,
        use_zarr_fill_value_as_mask: bool | None = None,
        variables: str | Sequence[str] | None = None,
        like: Spec | Template | None = None,
    ) -> xr.Dataset:
        """Open the group as a dataset; data is read on access."""
        from zom.integrations.xarray.reading.datasets import open_one  # noqa: PLC0415 - loads zom
        from zom.integrations.xarray.reading.place import Place  # noqa: PLC0415 - as above

        place = Place(filename_or_obj, group, mode, consolidated, storage_options, zarr_format, like)
        decoders = _decoders(
            mask_and_scale, decode_times, concat_characters, decode_coords, use_cftime, decode_timedelta
        )
        mask = use_zarr_fill_value_as_mask
        return open_one(place, decoders, drop=drop_variables, mask=mask, variables=variables)

    @override
    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        mode: str = "r",
        consolidated: bool | None = None,
        storage_options: dict[str, Any] | None = None,
        zarr_format: int | None = None,
        use_zarr_fill_value_as_mask: bool | None = None,
        like: Spec | Template | None = None,
    ) -> dict[str, xr.Dataset]:
        """Open the group and all groups below it as datasets, by relative path."""
        from zom.integrations.xarray.reading.datasets import open_all  # noqa: PLC0415 - loads zom
        from zom.integrations.xarray.reading.place import Place  # noqa: PLC0415 - as above

        place = Place(filename_or_obj, group, mode, consolidated, storage_options, zarr_format, like)
        decoders = _decoders(
            mask_and_scale, decode_times, concat_characters, decode_coords, use_cftime, decode_timedelta
        )
        return open_all(place, decoders, drop=drop_variables, mask=use_zarr_fill_value_as_mask)

    @override
    def open_datatree(self, filename_or_obj: Any, **options: Any) -> xr.DataTree:
        """Open the group and all groups below it as one tree, with the arguments of `open_groups_as_dict`."""
        from xarray.backends.common import datatree_from_dict_with_io_cleanup  # noqa: PLC0415 - xarray is loaded

        return datatree_from_dict_with_io_cleanup(self.open_groups_as_dict(filename_or_obj, **options))


def _decoders(*choices: Any) -> dict[str, Any]:
    """Return the decoding options, by xarray's names."""
    return dict(zip(_DECODERS, choices, strict=True))
