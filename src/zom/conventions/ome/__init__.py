"""OME-Zarr: images of microscopes, with labels, plates and wells.

Each version is a convention of its own; the rules that versions share are written once.
"""

from __future__ import annotations

from zom.conventions.ome.v04 import V04
from zom.conventions.ome.v05 import V05

__all__ = ["V04", "V05"]
