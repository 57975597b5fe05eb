"""OME-Zarr 0.5: images, labels, plates and wells in Zarr v3, the metadata under `ome`.

https://ngff.openmicroscopy.org/0.5/
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pydantic import Field

from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.convention import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.ome.bioformats2raw import LAYOUT
from zom.conventions.ome.edition import Edition
from zom.conventions.ome.functions import axes_functions, label_tree_functions, shared_functions
from zom.conventions.ome.identity import (
    KEY_SPELLING,
    in_zarr_v3,
    same_version,
)
from zom.conventions.ome.label_images import ImageLabel
from zom.conventions.ome.multiscales import Multiscale  # noqa: TC001 - pydantic reads the annotation
from zom.conventions.ome.omero import Omero
from zom.conventions.ome.plates import Plate
from zom.conventions.ome.wells import Well

__all__ = ["V05", "Ome05"]

EDITION: Final = Edition("0.5", "ome", "https://ngff.openmicroscopy.org/0.5/")


class Ome05(Attributes, key="ome"):
    """What stands under `ome`."""

    version: str
    multiscales: list[Multiscale] = Field(default=[], min_length=1)
    omero: Omero = Field(default_factory=Omero.model_construct)
    labels: list[str] = Field(default=[])
    image_label: ImageLabel = Field(default_factory=ImageLabel, alias="image-label")
    plate: Plate = Field(default_factory=Plate.model_construct)
    well: Well = Field(default_factory=Well.model_construct)
    layout: Any = Field(default=3, alias=LAYOUT)
    series: list[str] = Field(default=[])


V05: Final = register(
    read_rulebook(
        Path(__file__).with_name("0.5.toml"),
        attributes=Ome05,
        functions={
            "key_spelling": KEY_SPELLING,
            "same_version": same_version,
            "in_zarr_v3": in_zarr_v3,
            **axes_functions(),
            **label_tree_functions(EDITION),
            **shared_functions(EDITION),
        },
    )
)
