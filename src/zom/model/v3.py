"""Zarr v3, the final text (3.0 and 3.1): array and group documents.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, cast

from pydantic import Field
from typing_extensions import TypeVar

from zom.jsonvalue import JSON, JSONDict
from zom.model import v3_rules as rules
from zom.model.family import Family, NodeKind
from zom.model.fields import AS_IT_IS, Extension, Length, Value
from zom.model.group import Group
from zom.model.spec import Spec

__all__ = ["V3", "ArraySpec", "GroupSpec"]

AttributesT = TypeVar("AttributesT", default=Mapping[str, JSON])
"""The type of a node's attributes."""

if TYPE_CHECKING:
    MemberT = TypeVar("MemberT", default="ArraySpec[Any] | GroupSpec[Any, Any]")
    """The type of a group's members."""
else:
    MemberT = TypeVar("MemberT", default=Any)

def _kind_of(document: Mapping[str, Any]) -> NodeKind | None:
    declared = document.get("node_type")
    if declared == "array":
        return "array"
    return "group" if declared == "group" else None


V3 = Family(
    form="v3",
    kind_of=_kind_of,
    fields=rules.fields,
    rules=rules.check,
    field_rules=rules.FIELD_RULES,
    node_rule=rules.NODE,
    members_rule=rules.MEMBERS,
    missing_rule=rules.MISSING,
    constants={
        "array": {"zarr_format": 3, "node_type": "array"},
        "group": {"zarr_format": 3, "node_type": "group"},
    },
    reserved=("members",),
)


class ArraySpec(Spec, Generic[AttributesT]):
    """A v3 array: what stands in its `zarr.json`.

    >>> spec = ArraySpec(
    ...     shape=(4, 6), data_type="uint8", fill_value=0, codecs=("bytes",),
    ...     chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    ...     chunk_key_encoding="default",
    ... )
    >>> spec.shape
    (4, 6)
    """

    family: ClassVar[Family] = V3
    kind: ClassVar[NodeKind] = "array"

    zarr_format: Literal[3] = 3
    node_type: Literal["array"] = "array"
    shape: tuple[Length, ...]
    data_type: Extension
    chunk_grid: Extension
    chunk_key_encoding: Extension
    fill_value: Value
    codecs: Annotated[tuple[Extension, ...], Field(min_length=1)]
    attributes: AttributesT = Field(default_factory=cast("Any", JSONDict))
    storage_transformers: tuple[Extension, ...] = ()
    dimension_names: tuple[str | None, ...] | None = None

    @property
    def ndim(self) -> int:
        """How many dimensions the array has."""
        return len(self.shape)


class GroupSpec(Group, Generic[AttributesT, MemberT]):
    """A v3 group: what stands in its `zarr.json`, and its members.

    `members` is None where they are not known, which is not the same as there being none.

    >>> group = GroupSpec(attributes={"title": "a"}, members={"b": GroupSpec()})
    >>> group["b"].members is None
    True
    """

    family: ClassVar[Family] = V3

    zarr_format: Literal[3] = 3
    node_type: Literal["group"] = "group"
    attributes: AttributesT = Field(default_factory=cast("Any", JSONDict))
    members: Annotated[Mapping[str, MemberT] | None, AS_IT_IS] = None


V3.classes.update({"array": ArraySpec, "group": GroupSpec})
