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
"""The types that the text names. `inverseOf`, of drafts before 0.6.dev3, is none of them."""

TYPES: Final = get_args(TypeName)


class TransformationForm(Part):
    """A part whose members are called as in the specification, and not as Python calls its fields."""

    model_config = ConfigDict(populate_by_name=False)


class Reference(TransformationForm):
    """What `input` and `output` are: a coordinate system's name, and the path of the group that has it."""

    name: str | None = None
    path: str | None = None


class _Named(TransformationForm):
    name: str = ""
    input: Reference | None = None
    output: Reference | None = None


class Identity(_Named):
    """Nothing is changed."""

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
    """Some, one after the other."""

    type: Literal["sequence"]
    transformations: list[Transformation] = Field(min_length=1)


class Displacements(_Named):
    """A field of vectors that are added."""

    type: Literal["displacements"]
    path: str
    interpolation: str = "linear"


class Coordinates(_Named):
    """A field of vectors that are where points lead to."""

    type: Literal["coordinates"]
    path: str
    interpolation: str = "linear"


class Bijection(_Named):
    """One for each direction."""

    type: Literal["bijection"]
    forward: Transformation
    inverse: Transformation


class OfAxes(TransformationForm):
    """One for some of the axes."""

    transformation: Transformation
    input_axes: list[int] = Field(alias="inputAxes")
    output_axes: list[int] = Field(alias="outputAxes")


class ByDimension(_Named):
    """Different ones for different axes."""

    type: Literal["byDimension"]
    transformations: list[OfAxes]


class NoType(TransformationForm):
    """What is none of these: its fault is its type."""

    type: TypeName


def tag_of(value: Any) -> str:
    """Which part of the union a transformation is."""
    found = value.get("type") if is_dict(value) else getattr(value, "type", None)
    return f"@{found}" if isinstance(found, str) and found in TYPES else "@none"


class AnyOf:
    """In JSON Schema, a union of parts that differ by their type is `anyOf`: that has words for what is wrong."""

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
"""Those that say themselves what they do."""

Stored = Annotated[Displacements, Tag("@displacements")] | Annotated[Coordinates, Tag("@coordinates")]
"""Those that an array says."""

Transformation = Annotated[
    Told
    | Annotated[Sequence, Tag("@sequence")]
    | Stored
    | Annotated[Bijection, Tag("@bijection")]
    | Annotated[ByDimension, Tag("@byDimension")],
    Discriminator(tag_of),
    AnyOf(),
]
"""Any of them."""
