"""multiscales: pyramids of groups or arrays at several resolutions, and how each level was made from another.

https://github.com/zarr-conventions/multiscales/blob/v0.1/README.md. In Zarr v2 the attribute `multiscales`
belongs to OME-Zarr 0.4, so this convention applies to v3 only.

>>> import zom
>>> from zom import v3
>>> from zom.conventions import multiscales
>>> data = v3.ArraySpec.build(shape=(8, 8), dtype="uint8", dimension_names=("y", "x"))
>>> pyramid = multiscales.group({"red": data}, levels=3)
>>> [pyramid.members[name].members["red"].shape for name in ("0", "1", "2")]
[(8, 8), (4, 4), (2, 2)]
>>> len(zom.validate(pyramid))
0
"""

from __future__ import annotations

from zom.conventions.multiscales.build import group, multiscales
from zom.conventions.multiscales.rules import MULTISCALES

__all__ = ["MULTISCALES", "group", "multiscales"]
