"""Zarr v3, the final text (3.0 and 3.1): array and group documents.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence  # noqa: TC003 - pydantic evaluates annotations
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, Self, cast, overload

from pydantic import Field

from zom.extension.field import Required
from zom.extension.resolve import data_type
from zom.formats import v3_rules as rules
from zom.formats.families import V3
from zom.formats.normal_form import NormalForm
from zom.formats.v3_build import codecs_of, grid_of, sharding
from zom.json.value import JSON, JSONDict
from zom.model.builders.build import (
    AUTO,
    Compression,
    DTypeLike,
    ShardChoice,
    fill_of,
    item_size,
    names_of,
    shape_of,
)
from zom.model.family import Family  # noqa: TC001 - pydantic evaluates annotations
from zom.model.fields import AS_IT_IS, Extension, Length, Value
from zom.model.group import Group
from zom.model.parameters import AttributesT, MemberT

__all__ = ["V3", "ArraySpec", "GroupSpec"]

if TYPE_CHECKING:
    from zom.model.builders.chunking import ChunkChoice

_NODE_TYPE = Required(rules.MISSING, words='"array" or "group"')


class ArraySpec(NormalForm, Generic[AttributesT]):
    """A v3 array: its `zarr.json`.

    >>> spec = ArraySpec(
    ...     shape=(4, 6), data_type="uint8", fill_value=0, codecs=("bytes",),
    ...     chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    ...     chunk_key_encoding="default",
    ... )
    >>> spec.shape
    (4, 6)
    """

    family: ClassVar[Family] = V3

    zarr_format: Annotated[Literal[3], Required(rules.MISSING)] = 3
    node_type: Annotated[Literal["array"], _NODE_TYPE] = "array"
    shape: tuple[Length, ...]
    data_type: Extension
    chunk_grid: Extension
    chunk_key_encoding: Extension
    fill_value: Value
    codecs: Annotated[tuple[Extension, ...], Field(min_length=1)]
    attributes: AttributesT = Field(default_factory=cast("Any", JSONDict))
    storage_transformers: tuple[Extension, ...] = ()
    dimension_names: tuple[str | None, ...] | None = None

    @classmethod
    def build(  # noqa: PLR0913 - a document has that many facts
        cls,
        *,
        shape: int | Iterable[int],
        dtype: DTypeLike,
        chunks: ChunkChoice = "auto",
        shards: ShardChoice = None,
        compress: Compression = "zstd",
        checksum: bool | None = None,
        codecs: Sequence[str | Mapping[str, JSON]] | None = None,
        filters: Sequence[Mapping[str, JSON]] = (),
        fill_value: object = AUTO,
        order: Literal["C", "F"] = "C",
        dimension_names: Sequence[str | None] | None = None,
        attributes: AttributesT | Mapping[str, Any] | None = None,
    ) -> Self:
        """Build the spec of a new array, by default with chunks of about 4 MiB and zstd with a checksum.

        `checksum=True` adds crc32c if no codec of the chain has its own checksum, as zstd and gzip have;
        False also disables zstd's. By default crc32c is added only where all readers support it: in
        shards, and after lz4. So `compress="blosc"` and None don't detect flipped bits outside shards.
        `shards` groups chunks into larger stored objects; `codecs` replaces the whole chain of
        codecs, `filters` come before it. See `ChunkChoice`, `ShardChoice` and `Compression`.

        >>> spec = ArraySpec.build(shape=(100, 200), dtype="float32", chunks=(10, None), compress="gzip:9")
        >>> spec.chunk_grid["configuration"]
        {'chunk_shape': [10, 200]}
        >>> [codec["name"] for codec in spec.codecs]
        ['bytes', 'gzip']
        """
        kind, lengths, is_inner = data_type(dtype), shape_of(shape), shards is not None
        outer, inner = grid_of(chunks, shards, lengths, item_size(kind))
        chain = (
            list(codecs)
            if codecs is not None
            else codecs_of(
                kind,
                len(lengths),
                compress,
                checksum=checksum,
                filters=filters,
                order=order,
                is_inner=is_inner,
            )
        )
        document: dict[str, Any] = {
            "shape": lengths,
            "data_type": kind.to_json("v3"),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(outer)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": fill_of(kind, fill_value, "v3"),
            "codecs": (sharding(inner, chain),) if is_inner else tuple(chain),
        }
        if attributes is not None:
            document["attributes"] = attributes
        if dimension_names is not None:
            document["dimension_names"] = names_of(dimension_names)
        return cls(**document)


class GroupSpec(Group[MemberT], Generic[AttributesT, MemberT]):
    """A v3 group: its `zarr.json`, and its members.

    `members` is None if they are unknown, and empty if there are none.

    >>> group = GroupSpec(attributes={"title": "a"}, members={"b": GroupSpec()})
    >>> group["b"].members is None
    True
    """

    family: ClassVar[Family] = V3

    zarr_format: Annotated[Literal[3], Required(rules.MISSING)] = 3
    node_type: Annotated[Literal["group"], _NODE_TYPE] = "group"
    attributes: AttributesT = Field(default_factory=cast("Any", JSONDict))
    if TYPE_CHECKING:

        @overload
        def __init__(
            self,
            *,
            attributes: AttributesT = ...,
            members: Mapping[str, MemberT] | None = None,
            **document: Any,
        ) -> None: ...
        @overload
        def __init__(self, *, attributes: AttributesT = ..., members: MemberT, **document: Any) -> None: ...
        def __init__(self, **document: Any) -> None: ...

    else:
        members: Annotated[Mapping[str, MemberT] | None, AS_IT_IS] = None


V3.define({"array": ArraySpec, "group": GroupSpec})
rules.MEMBER_NAMES.update({kind: frozenset(cls.model_fields) for kind, cls in V3.classes.items()})
rules.MEMBER_NAMES["group"] |= {"consolidated_metadata"}  # a member of stored documents
