"""Zarr v2: array and group documents, with attributes in them as in ZEP 6.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html. A store keeps attributes in a document of
their own, `.zattrs`; here they are the member `attributes`, absent if there is no such document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, Self, cast, overload

from pydantic import Field

from zom.extension.field import Interval, Required
from zom.extension.resolve import data_type
from zom.formats import v2_rules as rules
from zom.formats.families import V2
from zom.json.value import JSON, JSONDict
from zom.model.array import Array
from zom.model.builders.build import (
    AUTO,
    Compression,
    DTypeLike,
    fill_of,
    item_size,
    named_compression,
    numcodecs_level,
    shape_of,
    spelled_compression,
    with_dimensions,
)
from zom.model.builders.chunking import chosen_chunks, refuse
from zom.model.family import Family  # noqa: TC001 - pydantic evaluates annotations
from zom.model.fields import AS_IT_IS, Length, Value
from zom.model.group import Group
from zom.model.parameters import AttributesT, MemberT

__all__ = ["V2", "ArraySpec", "GroupSpec"]

if TYPE_CHECKING:
    from zom.model.builders.chunking import ChunkChoice

ChunkLength = Annotated[int, Interval(1, 2**63 - 1)]
"""The length of a chunk along one dimension."""


def _null_too(name: str) -> Required:
    """Mark a member that a document must contain even if it is null."""
    return Required(rules.MISSING_NULL, words="null or a codec", fix=f"add {name}: null")


class ArraySpec(Array, Generic[AttributesT]):
    """A v2 array: its `.zarray` and its attributes.

    >>> spec = ArraySpec(shape=(4, 6), chunks=(2, 3), dtype="|u1", compressor=None, fill_value=0,
    ...                  order="C", filters=None)
    >>> spec.dimension_separator
    '.'
    """

    family: ClassVar[Family] = V2

    zarr_format: Annotated[Literal[2], Required(rules.MISSING)] = 2
    shape: tuple[Length, ...]
    chunks: tuple[ChunkLength, ...]
    dtype: Annotated[str | list[Any], AS_IT_IS]
    compressor: Annotated[Mapping[str, JSON] | None, AS_IT_IS, _null_too("compressor")]
    fill_value: Value
    order: Literal["C", "F"]
    filters: Annotated[list[Any] | tuple[Mapping[str, JSON], ...] | None, AS_IT_IS, _null_too("filters")]
    dimension_separator: Literal[".", "/"] = "."
    attributes: AttributesT = Field(default_factory=cast("Any", JSONDict))

    @property
    def shards(self) -> None:
        """Always None: v2 has no shards."""

    @property
    def codecs(self) -> tuple[Mapping[str, JSON], ...]:
        """The filters and the compressor, in the order of encoding."""
        filters = cast("Iterable[Mapping[str, JSON]]", self.filters or ())
        return (*filters, *(() if self.compressor is None else (self.compressor,)))

    @classmethod
    def build(  # noqa: PLR0913 - a document has that many facts
        cls,
        *,
        shape: int | Iterable[int],
        dtype: DTypeLike,
        chunks: ChunkChoice = "auto",
        compress: Compression = "zstd",
        checksum: bool = False,
        filters: Sequence[Mapping[str, JSON]] = (),
        fill_value: object = AUTO,
        order: Literal["C", "F"] = "C",
        separator: Literal[".", "/"] | None = None,
        dimension_names: Sequence[str | None] | None = None,
        attributes: AttributesT | Mapping[str, Any] | None = None,
    ) -> Self:
        """Build the spec of a new array, by default with chunks of about 4 MiB and zstd compression.

        Dimension names go to the attribute `_ARRAY_DIMENSIONS`, where xarray looks for them. A
        `fill_value` of None is null, which leaves missing chunks undefined.

        >>> spec = ArraySpec.build(shape=(100,), dtype=">i2", dimension_names=("x",), compress="zlib:1")
        >>> spec.dtype, spec.compressor, spec.attributes
        ('>i2', {'id': 'zlib', 'level': 1}, {'_ARRAY_DIMENSIONS': ['x']})
        """
        kind, lengths = data_type(dtype), shape_of(shape)
        chain: list[Mapping[str, JSON]] = list(filters)
        if kind.object_codec is not None and not any(f.get("id") == kind.object_codec for f in chain):
            chain.insert(0, {"id": kind.object_codec})
        if checksum:
            chain.append({"id": "crc32c"})
        document: dict[str, Any] = {
            "shape": lengths,
            "chunks": chosen_chunks(chunks, lengths, item_size(kind)),
            "dtype": kind.to_json("v2"),
            "compressor": _compressor(compress),
            "fill_value": fill_of(kind, fill_value, "v2"),
            "order": order,
            "filters": chain or None,
        }
        if separator is not None:
            document["dimension_separator"] = separator
        given = with_dimensions(attributes, dimension_names, len(lengths))
        if given is not None:
            document["attributes"] = given
        return cls(**document)


def _compressor(compress: Compression) -> Any:
    if compress is None or isinstance(compress, Mapping):
        return compress
    if not isinstance(compress, str):
        fix = "move the others to filters"
        raise refuse("compress", "one compressor, the maximum in v2", spelled_compression(compress), fix)
    name, level = named_compression(compress)
    if name == "blosc":
        return {"id": "blosc", "cname": "lz4", "clevel": level, "shuffle": 1, "blocksize": 0}
    return {"id": name, **numcodecs_level(name, level)}


class GroupSpec(Group[MemberT], Generic[AttributesT, MemberT]):
    """A v2 group: its `.zgroup`, its attributes, and its members.

    `members` is None if they are unknown, and empty if there are none.

    >>> GroupSpec(members={"b": GroupSpec()})["b"].members is None
    True
    """

    family: ClassVar[Family] = V2

    zarr_format: Annotated[Literal[2], Required(rules.MISSING)] = 2
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


V2.define({"array": ArraySpec, "group": GroupSpec})
rules.MEMBER_NAMES.update({kind: frozenset(cls.model_fields) for kind, cls in V2.classes.items()})
