"""zom and xarray: specs of datasets, datasets written to stores, and the class behind `engine="zom"`.

>>> import xarray as xr, zom
>>> ds = xr.Dataset({"t": ("x", [1, 2, 3])}, {"x": [10, 20, 30]}, {"title": "an example"})
>>> [path for path, node in zom.xarray.to_spec(ds).walk()]
['/', '/t', '/x']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.integrations.xarray.spec import to_spec
from zom.integrations.xarray.template import template
from zom.integrations.xarray.write import Mode, Region, write

if TYPE_CHECKING:
    from zom.integrations.xarray.backend import ZomBackend

__all__ = ["Mode", "Region", "ZomBackend", "template", "to_spec", "write"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name != "ZomBackend":
            message = f"module 'zom.xarray' has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=None)
        from zom.integrations.xarray import backend  # noqa: PLC0415 - xarray is slow to import

        return backend.ZomBackend

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
