"""zom and xarray: specs of datasets, and datasets written to stores.

>>> import xarray as xr, zom
>>> ds = xr.Dataset({"t": ("x", [1, 2, 3])}, {"x": [10, 20, 30]}, {"title": "an example"})
>>> [path for path, node in zom.xarray.to_spec(ds).walk()]
['/', '/t', '/x']
"""

from __future__ import annotations

from zom.integrations.xarray.spec import to_spec
from zom.integrations.xarray.template import template
from zom.integrations.xarray.write import Mode, Region, write

__all__ = ["Mode", "Region", "template", "to_spec", "write"]
