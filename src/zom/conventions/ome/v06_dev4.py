"""The form of OME-Zarr 0.6.dev4: that of 0.6 with other names for the axes of a byDimension.

Before 0.6rc0: `input_axes`, `output_axes`. https://github.com/ome-zarr-models/ome-zarr-models-py/pull/477
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from zom.conventions.ome.transformations import (
    AnyOf,
    Bijection,
    ByDimension,
    Sequence,
    Stored,
    Told,
    TransformationForm,
    tag_of,
)
from zom.conventions.ome.v06_form import Dataset, Image, Ome06, Scene

__all__ = ["OmeDev4"]


class SequenceDev4(Sequence):
    """Transformations applied one after the other."""

    transformations: list[TransformationDev4] = Field(min_length=1)  # type: ignore[assignment] # another form


class BijectionDev4(Bijection):
    """One transformation for each direction."""

    forward: TransformationDev4  # pyright: ignore[reportIncompatibleVariableOverride] - another form
    inverse: TransformationDev4  # pyright: ignore[reportIncompatibleVariableOverride] - another form


class OfAxesDev4(TransformationForm):
    """A transformation of some of the axes."""

    transformation: TransformationDev4
    input_axes: list[int]
    output_axes: list[int]


class ByDimensionDev4(ByDimension):
    """Different transformations for different axes."""

    transformations: list[OfAxesDev4]  # type: ignore[assignment] # another form


TransformationDev4 = Annotated[
    Told
    | Annotated[SequenceDev4, Tag("@sequence")]
    | Stored
    | Annotated[BijectionDev4, Tag("@bijection")]
    | Annotated[ByDimensionDev4, Tag("@byDimension")],
    Discriminator(tag_of),
    AnyOf(),
]
"""Any transformation."""


class DatasetDev4(Dataset):
    """One level of an image."""

    coordinate_transformations: list[TransformationDev4] = Field(alias="coordinateTransformations")  # type: ignore[assignment] # another form


class ImageDev4(Image):
    """An image in several resolutions."""

    datasets: list[DatasetDev4] = Field(min_length=1)  # type: ignore[assignment] # another form
    coordinate_transformations: list[TransformationDev4] = Field(  # type: ignore[assignment] # another form
        default=[], alias="coordinateTransformations", min_length=1
    )


class SceneDev4(Scene):
    """Images in one space."""

    coordinate_transformations: list[TransformationDev4] = Field(  # type: ignore[assignment] # another form
        alias="coordinateTransformations", min_length=1
    )


class OmeDev4(Ome06, key="ome"):
    """The members of `ome`."""

    multiscales: list[ImageDev4] = Field(default=[], min_length=1)  # type: ignore[assignment] # another form
    scene: SceneDev4 = Field(default_factory=SceneDev4.model_construct)  # pyright: ignore[reportIncompatibleVariableOverride] - another form
