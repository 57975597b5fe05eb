"""zom and dask: write lazy arrays into a hierarchy. `Array.to_dask` is the way back.

>>> import dask.array as da, zom
>>> group = zom.create_group("memory:", zom.v3.GroupSpec())
>>> zom.dask.store({"t": da.ones((4, 6), chunks=(2, 6))}, group)["t"].chunks
(2, 6)
"""

from __future__ import annotations

from zom.integrations.dask.store import Region, store

__all__ = ["Region", "store"]
