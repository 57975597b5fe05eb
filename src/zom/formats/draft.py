"""The draft of Zarr v3 of 2022: entry point, array and group documents.

The text is the editor's draft of the core specification, version 3.0, as of December 2022. Software
of 2021 wrote other documents under its name (`compressor` instead of `codecs`, numpy's type names);
the level "lenient" reads them. A group without attributes is implicit: it has no document of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, Self, cast, overload

from pydantic import Field

from zom.extension.field import Required
from zom.extension.resolve import data_type
from zom.formats import draft_rules as rules
from zom.formats.families import DRAFT, ENTRY_POINT
from zom.formats.normal_form import NormalForm
from zom.json.value import JSON, JSONDict
from zom.model.builders.build import (
    AUTO,
    Compression,
    DTypeLike,
    fill_of,
    item_size,
    named_compression,
    shape_of,
    spelled_compression,
    with_dimensions,
)
from zom.model.builders.chunking import chosen_chunks, refuse
from zom.model.family import Family, NodeKind  # noqa: TC001 - pydantic evaluates annotations
from zom.model.fields import AS_IT_IS, Length, Value
from zom.model.group import Group
from zom.model.parameters import AttributesT, MemberT
from zom.model.spec import Spec

__all__ = ["DRAFT", "ENTRY_POINT", "ArraySpec", "EntryPoint", "GroupSpec"]

if TYPE_CHECKING:
    from zom.model.builders.chunking import ChunkChoice

Extensions = Annotated[
    tuple[Annotated[Mapping[str, JSON], AS_IT_IS], ...],
    Required(rules.NO_EXTENSIONS, fix="add extensions: []"),
]
"""Extensions; a document lists them even if there are none."""


class ArraySpec(NormalForm, Generic[AttributesT]):
    """A draft array, stored in `meta/<path>.array.json`.

    >>> spec = ArraySpec(
    ...     shape=(4,), data_type="uint8", chunk_memory_layout="C", fill_value=0, extensions=(),
    ...     chunk_grid={"type": "regular", "chunk_shape": [2], "separator": "/"}, attributes={},
    ... )
    >>> spec.codecs
    ()
    """

    family: ClassVar[Family] = DRAFT

    shape: tuple[Length, ...]
    data_type: Annotated[str | Mapping[str, JSON], AS_IT_IS]
    chunk_grid: Annotated[Mapping[str, JSON], AS_IT_IS]
    chunk_memory_layout: Annotated[str | Mapping[str, JSON], AS_IT_IS]
    fill_value: Value
    extensions: Extensions = ()
    attributes: Annotated[AttributesT, Required(rules.MISSING)] = Field(default_factory=cast("Any", JSONDict))
    codecs: tuple[Annotated[Mapping[str, JSON], AS_IT_IS], ...] = ()
    storage_transformers: tuple[Annotated[Mapping[str, JSON], AS_IT_IS], ...] = ()

    @classmethod
    def build(  # noqa: PLR0913 - a document has that many facts
        cls,
        *,
        shape: int | Iterable[int],
        dtype: DTypeLike,
        chunks: ChunkChoice = "auto",
        compress: Compression = "gzip",
        fill_value: object = AUTO,
        order: Literal["C", "F"] = "C",
        separator: Literal["/", "."] = "/",
        dimension_names: Sequence[str | None] | None = None,
        attributes: AttributesT | Mapping[str, Any] | None = None,
    ) -> Self:
        """Build the spec of a new array, by default with chunks of about 4 MiB and gzip compression.

        >>> ArraySpec.build(shape=(100,), dtype="float64").data_type
        'float64'
        """
        kind, lengths = data_type(dtype), shape_of(shape)
        given = with_dimensions(attributes, dimension_names, len(lengths))
        codecs: list[Any] = []
        if kind.order == "big":
            kind = data_type(kind.numpy().newbyteorder("<"))
            uri = "https://purl.org/zarr/spec/codecs/endian/1.0"
            codecs.append({"type": uri, "configuration": {"endian": "big"}})
        codecs.extend(_compression(compress))
        document: dict[str, Any] = {
            "shape": lengths,
            "data_type": kind.to_json("draft"),
            "chunk_grid": {
                "type": "regular",
                "chunk_shape": list(chosen_chunks(chunks, lengths, item_size(kind))),
                "separator": separator,
            },
            "chunk_memory_layout": order,
            "codecs": tuple(codecs),
            "fill_value": fill_of(kind, fill_value, "draft"),
            "extensions": (),
            "attributes": {} if given is None else given,
        }
        return cls(**document)


def _compression(compress: Compression) -> list[Any]:
    if not isinstance(compress, str):
        return spelled_compression(compress)
    name, level = named_compression(compress)
    uri = f"https://purl.org/zarr/spec/codecs/{name}/1.0"
    if name == "gzip":
        return [{"type": uri, "configuration": {"level": level}}]
    if name == "blosc":
        configuration = {"cname": "lz4", "clevel": level, "shuffle": 1, "blocksize": 0}
        return [{"type": uri, "configuration": configuration}]
    raise refuse("compress", "gzip or blosc: the draft knows no others", compress)


class GroupSpec(Group[MemberT], Generic[AttributesT, MemberT]):
    """A draft group, stored in `meta/<path>.group.json`, and its members.

    `members` is None if they are unknown, and empty if there are none.

    >>> GroupSpec(members={"b": GroupSpec(attributes={})})["b"].members is None
    True
    """

    family: ClassVar[Family] = DRAFT

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


class EntryPoint(Spec):
    """The entry point of a draft hierarchy: its `zarr.json`.

    >>> EntryPoint(metadata_encoding={"type": "json", "metadata_key_suffix": ".json"}, extensions=()).major
    3
    """

    family: ClassVar[Family] = ENTRY_POINT
    kind: ClassVar[NodeKind] = "entry point"

    zarr_format: str
    metadata_encoding: Annotated[str | Mapping[str, JSON], AS_IT_IS]
    extensions: Extensions = ()

    @property
    def major(self) -> int:
        """The major version of the core specification that `zarr_format` names."""
        return int(self.zarr_format.rsplit("/", 1)[1].split(".")[0])

    @property
    def layout(self) -> Literal["2022", "2021"]:
        """The layout of documents and chunks: of the draft, or as software wrote them in 2021.

        >>> uri = "https://purl.org/zarr/spec/protocol/core/3.0"
        >>> old = {"zarr_format": uri, "metadata_encoding": uri, "metadata_key_suffix": ".json"}
        >>> EntryPoint.parse({**old, "extensions": []}, "lenient", on_warning=print).layout  # doctest: +ELLIPSIS
        zarr_format: ...
        metadata_encoding: ...
        '2021'
        """
        return "2021" if isinstance(self.metadata_encoding, str) else "2022"


DRAFT.define({"array": ArraySpec, "group": GroupSpec})
rules.MEMBER_NAMES.update({kind: frozenset(cls.model_fields) for kind, cls in DRAFT.classes.items()})
ENTRY_POINT.define({"entry point": EntryPoint})
