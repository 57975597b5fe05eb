"""The keys of OME-Zarr 0.4 and 0.5, which differ only in their place and in where the version is.

https://ngff.openmicroscopy.org/0.5/#metadata
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from zom.conventions.framework.attributes import Attributes
from zom.conventions.ome.bioformats2raw import LAYOUT
from zom.conventions.ome.label_images import ImageLabel
from zom.conventions.ome.multiscales import Multiscale  # noqa: TC001 - pydantic reads the annotation
from zom.conventions.ome.omero import Omero
from zom.conventions.ome.plates import Plate
from zom.conventions.ome.wells import Well

__all__ = ["Ome04", "Ome05"]


class OmeKeys(Attributes):
    """The keys of an image, a group of labels, a plate, a well or a series."""

    multiscales: list[Multiscale] = Field(default=[], min_length=1)
    omero: Omero = Field(default_factory=Omero.model_construct)
    labels: list[str] = Field(default=[])
    image_label: ImageLabel = Field(default_factory=ImageLabel, alias="image-label")
    plate: Plate = Field(default_factory=Plate.model_construct)
    well: Well = Field(default_factory=Well.model_construct)
    layout: Any = Field(default=3, alias=LAYOUT)
    series: list[str] = Field(default=[])


class Ome04(OmeKeys):
    """The keys of OME-Zarr 0.4."""


class Ome05(OmeKeys, key="ome"):
    """The members of `ome`."""

    version: str
