"""The attributes of spatial, by name, and their form.

https://github.com/zarr-conventions/spatial/blob/v0.1/README.md#properties
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from zom.checks.checked_rule import CheckedRule, schema
from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.declarations import Published

__all__ = [
    "BBOX",
    "DIMENSIONS",
    "PUBLISHED",
    "REGISTRATION",
    "SHAPE",
    "TEXT",
    "TRANSFORM",
    "TYPE",
    "SpatialArray",
    "SpatialGroup",
]

TEXT: Final = "https://github.com/zarr-conventions/spatial/blob/v0.1/README.md"
DIMENSIONS: Final = "spatial:dimensions"
BBOX: Final = "spatial:bbox"
TYPE: Final = "spatial:transform_type"
TRANSFORM: Final = "spatial:transform"
SHAPE: Final = "spatial:shape"
REGISTRATION: Final = "spatial:registration"

PUBLISHED: Final = Published(
    uuid="689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
    schema_url="https://raw.githubusercontent.com/zarr-conventions/spatial/refs/tags/v0.1/schema.json",
    spec_url=TEXT,
    description="Spatial coordinate information",
    name="spatial",
)


def _form(name: str, must: str, fix: str, anchor: str) -> CheckedRule:
    return CheckedRule(name, schema(), must=must, fix=fix, link=f"{TEXT}#{anchor}", source="both")


_NAMES = Annotated[
    list[str],
    Field(alias="spatial:dimensions", min_length=2, max_length=2),
    _form(
        "dimensions",
        "spatial:dimensions names two dimensions, Y first and X second; an array that declares spatial has it",
        'write the names of the Y and the X dimension, such as ["y", "x"]',
        "spatialdimensions",
    ),
]


class SpatialGroup(Attributes):
    """The attributes of a group."""

    dimensions: Annotated[_NAMES, Field(default_factory=list)]
    bbox: Annotated[
        list[float],
        Field(alias="spatial:bbox", min_length=4, max_length=4, default_factory=list),
        _form(
            "bbox",
            "spatial:bbox is [xmin, ymin, xmax, ymax], four numbers",
            "write four numbers, the minima first",
            "spatialbbox",
        ),
    ]
    transform_type: Annotated[str, Field(alias="spatial:transform_type")] = "affine"
    transform: Annotated[
        list[float],
        Field(alias="spatial:transform", min_length=6, max_length=6, default_factory=list),
        _form(
            "transform",
            "spatial:transform has six numbers [a, b, c, d, e, f], in the order of rasterio",
            "write the first two rows of the matrix",
            "spatialtransform",
        ),
    ]
    shape: Annotated[
        list[int],
        Field(alias="spatial:shape", min_length=2, max_length=2, default_factory=list),
        _form(
            "shape",
            "spatial:shape is [height, width], two whole numbers",
            "write the lengths of the Y and the X dimension",
            "spatialshape",
        ),
    ]
    registration: Annotated[
        Literal["pixel", "node"],
        Field(alias="spatial:registration"),
        _form(
            "registration",
            'spatial:registration is "pixel" or "node"',
            'write "pixel" if values are for areas, "node" if they are for points',
            "spatialregistration",
        ),
    ] = "pixel"


class SpatialArray(SpatialGroup):
    """The attributes of an array, which names its dimensions."""

    dimensions: _NAMES
