"""The coordinate transformations of OME-Zarr 0.6: the form of each type.

https://ngff.openmicroscopy.org/0.6/#trafo-types-md
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import ConfigDict, Discriminator, Field, Tag

from zom.conventions.framework.attributes import Part
from zom.json.python_value import is_dict

__all__ = [
    "TYPES",
    "AnyOf",
    "Bijection",
    "ByDimension",
    "Reference",
    "Sequence",
    "Stored",
    "Told",
    "Transformation",
    "TransformationForm",
    "tag_of",
]

TypeName = Literal[
    "identity",
    "mapAxis",
    "projectAxis",
    "translation",
    "scale",
    "affine",
    "rotation",
    "sequence",
    "displacements",
    "coordinates",
    "bijection",
    "byDimension",
]
"""The types that the text names. `inverseOf`, from drafts before 0.6.dev3, is not one of them."""

TYPES: Final = get_args(TypeName)


class TransformationForm(Part):
    """A part whose members have their names in the specification, not their Python field names."""

    model_config = ConfigDict(populate_by_name=False)


class Reference(TransformationForm):
    """The form of `input` and `output`: a coordinate system's name, and the path of the group that has it."""

    name: str | None = None
    path: str | None = None


class _Named(TransformationForm):
    name: str = ""
    input: Reference | None = None
    output: Reference | None = None


class Identity(_Named):
    """The identity: nothing changes."""

    type: Literal["identity"]


class MapAxis(_Named):
    """Axes in another order."""

    type: Literal["mapAxis"]
    map_axis: list[int] = Field(alias="mapAxis")


class ProjectAxis(_Named):
    """Axes dropped and added."""

    type: Literal["projectAxis"]
    dropped_inputs: list[int] = Field(default=[], alias="droppedInputs")
    created_outputs: list[int] = Field(default=[], alias="createdOutputs")


class Translation(_Named):
    """A vector that is added."""

    type: Literal["translation"]
    translation: list[float]


class Scale(_Named):
    """A factor for each axis."""

    type: Literal["scale"]
    scale: list[float]


class Affine(_Named):
    """A matrix of M x (N+1) numbers, here or in an array."""

    type: Literal["affine"]
    affine: list[list[float]] = Field(default=[])
    path: str = ""


class Rotation(_Named):
    """A matrix of N x N numbers, here or in an array."""

    type: Literal["rotation"]
    rotation: list[list[float]] = Field(default=[])
    path: str = ""


class Sequence(_Named):
    """Transformations applied one after the other."""

    type: Literal["sequence"]
    transformations: list[Transformation] = Field(min_length=1)


class Displacements(_Named):
    """A field of vectors that are added to the points."""

    type: Literal["displacements"]
    path: str
    interpolation: str = "linear"


class Coordinates(_Named):
    """A field of vectors that give the new position of each point."""

    type: Literal["coordinates"]
    path: str
    interpolation: str = "linear"


class Bijection(_Named):
    """One transformation for each direction."""

    type: Literal["bijection"]
    forward: Transformation
    inverse: Transformation


class OfAxes(TransformationForm):
    """A transformation of some of the axes."""

    transformation: Transformation
    input_axes: list[int] = Field(alias="inputAxes")
    output_axes: list[int] = Field(alias="outputAxes")


class ByDimension(_Named):
    """Different transformations for different axes."""

    type: Literal["byDimension"]
    transformations: list[OfAxes]


class NoType(TransformationForm):
    """A transformation of unknown type, reported at `type`."""

    type: TypeName


def tag_of(value: Any) -> str:
    """The tag of the union part that a transformation belongs to."""
    found = value.get("type") if is_dict(value) else getattr(value, "type", None)
    return f"@{found}" if isinstance(found, str) and found in TYPES else "@none"


class AnyOf:
    """Write a union of parts that differ by type as `anyOf` in JSON Schema, which has better messages."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        made: dict[str, Any] = handler(core)
        made["anyOf"] = made.pop("oneOf", made.get("anyOf", []))
        return made


Told = (
    Annotated[NoType, Tag("@none")]
    | Annotated[Identity, Tag("@identity")]
    | Annotated[MapAxis, Tag("@mapAxis")]
    | Annotated[ProjectAxis, Tag("@projectAxis")]
    | Annotated[Translation, Tag("@translation")]
    | Annotated[Scale, Tag("@scale")]
    | Annotated[Affine, Tag("@affine")]
    | Annotated[Rotation, Tag("@rotation")]
)
"""The transformations with parameters in metadata."""

Stored = Annotated[Displacements, Tag("@displacements")] | Annotated[Coordinates, Tag("@coordinates")]
"""The transformations with parameters in an array."""

Transformation = Annotated[
    Told
    | Annotated[Sequence, Tag("@sequence")]
    | Stored
    | Annotated[Bijection, Tag("@bijection")]
    | Annotated[ByDimension, Tag("@byDimension")],
    Discriminator(tag_of),
    AnyOf(),
]
"""Any transformation."""
