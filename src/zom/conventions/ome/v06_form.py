"""The form of OME-Zarr 0.6: the members of `ome`.

https://ngff.openmicroscopy.org/0.6/
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from zom.conventions.framework.attributes import Attributes
from zom.conventions.ome.bioformats2raw import LAYOUT
from zom.conventions.ome.label_images import ImageLabel
from zom.conventions.ome.omero import Channel as Channel05
from zom.conventions.ome.plates import Plate
from zom.conventions.ome.transformations import Transformation, TransformationForm
from zom.conventions.ome.wells import Well

__all__ = ["Ome06"]


class Axis(TransformationForm):
    """An axis of a coordinate system."""

    name: Annotated[str, Field(min_length=1)]
    type: str = ""
    unit: Any = None
    discrete: bool = False
    longName: str = ""  # noqa: N815 - the name in the specification


class CoordinateSystem(TransformationForm):
    """A coordinate system of an image or of a scene."""

    name: Annotated[str, Field(min_length=1)]
    axes: list[Axis]


class Dataset(TransformationForm):
    """One level of an image."""

    path: str
    coordinate_transformations: list[Transformation] = Field(alias="coordinateTransformations")


class Image(TransformationForm):
    """An image in several resolutions."""

    name: str = ""
    coordinate_systems: list[CoordinateSystem] = Field(alias="coordinateSystems", min_length=1)
    datasets: list[Dataset] = Field(min_length=1)
    coordinate_transformations: list[Transformation] = Field(
        default=[], alias="coordinateTransformations", min_length=1
    )


class Scene(TransformationForm):
    """Images in one space."""

    coordinate_systems: list[CoordinateSystem] = Field(default=[], alias="coordinateSystems")
    coordinate_transformations: list[Transformation] = Field(alias="coordinateTransformations", min_length=1)


class Window(TransformationForm):
    """The values that are shown; in 0.6, the valid values of a channel are optional."""

    start: float
    end: float
    min: float = 0
    max: float = 1


class Channel(Channel05):
    """How a channel is shown."""

    window: Window = Field(default_factory=Window.model_construct)  # type: ignore[assignment] # a looser form


class Omero(TransformationForm):
    """How an image is shown."""

    channels: list[Channel]


class Ome06(Attributes, key="ome"):
    """The members of `ome`."""

    model_config = ConfigDict(populate_by_name=False)

    version: str
    multiscales: list[Image] = Field(default=[], min_length=1)
    omero: Omero = Field(default_factory=Omero.model_construct)
    labels: list[str] = Field(default=[])
    image_label: ImageLabel = Field(default_factory=ImageLabel.model_construct, alias="image-label")
    plate: Plate = Field(default_factory=Plate.model_construct)
    well: Well = Field(default_factory=Well.model_construct)
    scene: Scene = Field(default_factory=Scene.model_construct)
    layout: Any = Field(default=None, alias=LAYOUT)
    series: list[str] = Field(default=[])
