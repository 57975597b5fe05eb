"""Pyramids: images at several resolutions, for OME-Zarr and the multiscales convention.

>>> import numpy as np
>>> group = pyramid(np.zeros((8, 8), "u1"), "memory:", levels=3)
>>> [group[name].shape for name in ("0", "1", "2")]
[(8, 8), (4, 4), (2, 2)]
"""

from __future__ import annotations

from zom.pyramids.pyramid import pyramid

__all__ = ["pyramid"]
