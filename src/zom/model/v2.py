"""Zarr v2: array and group documents, with the attributes in them as ZEP 6 draws them.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html. In a store the attributes stand in a
document of their own, `.zattrs`; here they are the member `attributes`, absent where there is no
such document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, cast

from pydantic import Field
from typing_extensions import TypeVar

from zom.jsonvalue import JSON, JSONDict
from zom.model import v2_rules as rules
from zom.model.family import Family, NodeKind
from zom.model.fields import AS_IT_IS, Length, Value
from zom.model.group import Group
from zom.model.spec import Spec

__all__ = ["V2", "ArraySpec", "GroupSpec"]

AttributesT = TypeVar("AttributesT", default=Mapping[str, JSON])
"""The type of a node's attributes."""

if TYPE_CHECKING:
    MemberT = TypeVar("MemberT", default="ArraySpec[Any] | GroupSpec[Any, Any]")
    """The type of a group's members."""
else:
    MemberT = TypeVar("MemberT", default=Any)

ChunkLength = Annotated[int, Field(ge=1, le=2**63 - 1)]
"""The length of a chunk along one dimension."""


def _kind_of(document: Mapping[str, Any]) -> NodeKind | None:
    return "array" if "shape" in document else "group"


V2 = Family(
    form="v2",
    kind_of=_kind_of,
    fields=rules.fields,
    rules=rules.check,
    field_rules=rules.FIELD_RULES,
    node_rule=rules.NODE,
    members_rule=rules.MEMBERS,
    missing_rule=rules.MISSING,
    constants={"array": {"zarr_format": 2}, "group": {"zarr_format": 2}},
    reserved=("members", "attributes"),
)


class ArraySpec(Spec, Generic[AttributesT]):
    """A v2 array: what stands in its `.zarray`, and its attributes.

    >>> spec = ArraySpec(shape=(4, 6), chunks=(2, 3), dtype="|u1", compressor=None, fill_value=0,
    ...                  order="C", filters=None)
    >>> spec.dimension_separator
    '.'
    """

    family: ClassVar[Family] = V2
    kind: ClassVar[NodeKind] = "array"

    zarr_format: Literal[2] = 2
    shape: tuple[Length, ...]
    chunks: tuple[ChunkLength, ...]
    dtype: Annotated[str | list[Any], AS_IT_IS]
    compressor: Annotated[Mapping[str, JSON] | None, AS_IT_IS]
    fill_value: Value
    order: Literal["C", "F"]
    filters: Annotated[list[Any] | tuple[Mapping[str, JSON], ...] | None, AS_IT_IS]
    dimension_separator: Literal[".", "/"] = "."
    attributes: AttributesT = Field(default_factory=cast("Any", JSONDict))

    @property
    def ndim(self) -> int:
        """How many dimensions the array has."""
        return len(self.shape)


class GroupSpec(Group, Generic[AttributesT, MemberT]):
    """A v2 group: what stands in its `.zgroup`, its attributes, and its members.

    `members` is None where they are not known, which is not the same as there being none.

    >>> GroupSpec(members={"b": GroupSpec()})["b"].members is None
    True
    """

    family: ClassVar[Family] = V2

    zarr_format: Literal[2] = 2
    attributes: AttributesT = Field(default_factory=cast("Any", JSONDict))
    members: Annotated[Mapping[str, MemberT] | None, AS_IT_IS] = None


V2.classes.update({"array": ArraySpec, "group": GroupSpec})
