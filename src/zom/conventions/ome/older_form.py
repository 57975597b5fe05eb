"""The form of OME-Zarr 0.1 to 0.3 and of the drafts of 0.6, without transformations, which are not checked.

https://ngff.openmicroscopy.org/0.3/
"""

from __future__ import annotations

from pydantic import Field

from zom.conventions.framework.attributes import Part
from zom.conventions.ome.keys import Ome04, Ome05
from zom.conventions.ome.plates import Acquisition, Line  # noqa: TC001 - pydantic reads the annotation

__all__ = ["OmeBefore04", "OmeDraft"]


class Dataset(Part):
    """One array of an image."""

    path: str


class Image(Part):
    """An image of several resolutions."""

    name: str = ""
    datasets: list[Dataset] = Field(min_length=1)


class PlateWell(Part):
    """The path of a well."""

    path: str


class Plate(Part):
    """A plate."""

    rows: list[Line] = Field(min_length=1)
    columns: list[Line] = Field(min_length=1)
    wells: list[PlateWell] = Field(min_length=1)
    acquisitions: list[Acquisition] = Field(default=[])
    name: str = ""


class OmeBefore04(Ome04):
    """The keys of OME-Zarr 0.1 to 0.3."""

    multiscales: list[Image] = Field(default=[], min_length=1)  # type: ignore[assignment] # a looser form
    plate: Plate = Field(default_factory=Plate.model_construct)  # type: ignore[assignment] # as above


class OmeDraft(Ome05, key="ome"):
    """The members of `ome` in drafts of 0.6."""

    multiscales: list[Image] = Field(default=[], min_length=1)  # type: ignore[assignment] # a looser form
