"""OME-Zarr 0.4: images, labels, plates and wells in Zarr v2, the metadata beside other attributes.

https://ngff.openmicroscopy.org/0.4/
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pydantic import Field

from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.convention import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.ome.bioformats2raw import LAYOUT
from zom.conventions.ome.edition import Edition, OMEZarr
from zom.conventions.ome.functions import axes_functions, shared_functions
from zom.conventions.ome.identity import (
    nested_chunks,
)
from zom.conventions.ome.label_images import ImageLabel
from zom.conventions.ome.multiscales import Multiscale  # noqa: TC001 - pydantic reads the annotation
from zom.conventions.ome.omero import Omero
from zom.conventions.ome.plates import Plate
from zom.conventions.ome.wells import Well

__all__ = ["V04", "Ome04"]

EDITION: Final = Edition("0.4", None, "https://ngff.openmicroscopy.org/0.4/")


class Ome04(Attributes):
    """The keys of OME-Zarr 0.4."""

    multiscales: list[Multiscale] = Field(default=[], min_length=1)
    omero: Omero = Field(default_factory=Omero.model_construct)
    labels: list[str] = Field(default=[])
    image_label: ImageLabel = Field(default_factory=ImageLabel, alias="image-label")
    plate: Plate = Field(default_factory=Plate.model_construct)
    well: Well = Field(default_factory=Well.model_construct)
    layout: Any = Field(default=3, alias=LAYOUT)
    series: list[str] = Field(default=[])


V04: Final = register(
    read_rulebook(
        Path(__file__).with_name("0.4.toml"),
        kind=OMEZarr,
        attributes=Ome04,
        functions={
            "nested_chunks": nested_chunks,
            **axes_functions(),
            **shared_functions(EDITION),
        },
    )
)
