"""The form of SpatialData's images: OME-Zarr 0.4 and 0.5 with SpatialData's own transformations.

https://spatialdata.scverse.org/en/stable/design_doc.html#images
"""

from __future__ import annotations

from pydantic import Field

from zom.conventions.framework.attributes import Part
from zom.conventions.ome.axes import Axis  # noqa: TC001 - pydantic reads the annotation
from zom.conventions.ome.keys import Ome04, Ome05
from zom.conventions.ome.multiscales import Dataset  # noqa: TC001 - as above

__all__ = ["Raster04", "Raster05"]


class Image(Part):
    """An image with SpatialData's own transformations."""

    name: str = ""
    axes: list[Axis]
    datasets: list[Dataset] = Field(min_length=1)


class Raster04(Ome04):
    """The keys of OME-Zarr 0.4."""

    multiscales: list[Image] = Field(default=[], min_length=1)  # type: ignore[assignment] # a looser form


class Raster05(Ome05, key="ome"):
    """The members of `ome`."""

    version: str = ""
    multiscales: list[Image] = Field(default=[], min_length=1)  # type: ignore[assignment] # a looser form
