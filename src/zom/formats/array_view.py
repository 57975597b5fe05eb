"""An array as templates and conventions see it: the same facts, whichever format the document has.

Each fact knows where it stands in its document, so that a finding points at the user's own text.
v2 and the draft have no dimension names; xarray's attribute `_ARRAY_DIMENSIONS` stands for them:
https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from zom.extension.codec import codecs, v2_codecs
from zom.extension.configuration import parse_configuration
from zom.extension.definition import FORM, name_of, parse_definition
from zom.extension.grid import chunk_grids
from zom.extension.grid_repair import read_grid
from zom.extension.memo import Memo
from zom.extension.resolve import parse_draft, parse_v2, parse_v3
from zom.formats.draft_rules import codec_name
from zom.formats.v2_rules import object_codec_of
from zom.json.python_value import is_dict, is_list
from zom.json.value import JSONDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.extension.datatype import DataType, Format
    from zom.json.value import JSON
    from zom.model.spec import Spec

__all__ = ["DIMENSIONS", "ArrayView", "CodecView", "array_view", "canonical_codec_name", "data_type_of"]

Path = tuple[str | int, ...]
Lengths = tuple[tuple[int, ...], ...]

DIMENSIONS: Final = "_ARRAY_DIMENSIONS"
"""The attribute that names the dimensions where the format has no place for it."""


class CodecView(NamedTuple):
    """One codec: its v3 name where zom knows it, where it stands, and what the document calls it."""

    name: str
    path: Path
    written: str


@dataclass(frozen=True, slots=True)
class ArrayView:
    """The facts of one array; paths lead from the array's own document to the fact.

    A chunk is the smallest piece that can be read, a shard the object that holds several. For each
    dimension there is every length that a chunk has: one in a regular grid. What can't be told, for
    a name that zom doesn't know, is None.
    """

    form: Format
    shape: tuple[int, ...]
    names: tuple[str | None, ...] | None
    """The dimension names; None where there are none."""
    names_path: Path
    data_type: DataType | None
    type_name: str | None
    """The v3 name of the data type, or the name in the document where zom doesn't know it."""
    type_path: Path
    chunks: Lengths | None
    chunks_path: Path
    shards: Lengths | None
    """The lengths of shards; None where there are none, or where they can't be told."""
    shards_path: Path
    sharded: bool | None
    places: tuple[int, ...]
    """For each dimension, its place in the list at `chunks_path`: a transpose comes before shards."""
    codecs: tuple[CodecView, ...]
    """The codecs in the order of encoding, those inside of shards included."""
    fill_value: JSON
    attributes: JSONDict

    @property
    def rank(self) -> int:
        """How many dimensions the array has."""
        return len(self.shape)

    def dimension(self, index: int) -> str:
        """What a message calls the dimension at `index`.

        >>> from zom import v3
        >>> array_view(v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=["y"])).dimension(0)
        '"y"'
        """
        name = self.names[index] if self.names is not None else None
        return str(index) if name is None else f'"{name}"'

    def indexes(self, name: str) -> tuple[int, ...]:
        """The dimensions called `name`: mostly one, or none.

        >>> from zom import v3
        >>> array_view(v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=["y"])).indexes("y")
        (0,)
        """
        return tuple(index for index, known in enumerate(self.names or ()) if known == name)


class _Layout(NamedTuple):
    chunks: Lengths | None
    chunks_path: Path
    shards: Lengths | None
    shards_path: Path
    sharded: bool | None
    places: tuple[int, ...]
    codecs: tuple[CodecView, ...]


_layouts: Memo[_Layout] = Memo()
_types: Memo[tuple[DataType | None, str | None]] = Memo()
_NOTHING: Final = JSONDict()


def array_view(spec: Spec) -> ArrayView:
    """The facts of the array `spec`, of any format.

    >>> from zom import v2, v3
    >>> view = array_view(v3.ArraySpec.build(shape=(4, 6), dtype="float32", chunks=(2, 3)))
    >>> view.data_type.kind, view.chunks, [codec.name for codec in view.codecs]
    ('float', ((2,), (3,)), ['bytes', 'zstd'])
    """
    document = spec.document
    shape = tuple(cast("Sequence[int]", spec.__dict__["shape"]))
    attributes = document.get("attributes")
    attributes = cast("JSONDict", attributes) if is_dict(attributes) else _NOTHING
    form = spec.family.form
    names, names_path = _names(spec, form, attributes, len(shape))
    data_type, type_name, type_path = data_type_of(document, form)
    layout = _layout(spec, form, shape)
    return ArrayView(
        form,
        shape,
        names,
        names_path,
        data_type,
        type_name,
        type_path,
        layout.chunks,
        layout.chunks_path,
        layout.shards,
        layout.shards_path,
        layout.sharded,
        layout.places,
        layout.codecs,
        document.get("fill_value"),
        attributes,
    )


def canonical_codec_name(name: str) -> str | None:
    """The v3 name of the codec that any format calls `name`; None where nobody knows it.

    >>> import zom.codecs
    >>> canonical_codec_name("zlib"), canonical_codec_name("gzip"), canonical_codec_name("zzip")
    ('numcodecs.zlib', 'gzip', None)
    """
    codec = codecs.find(name) or v2_codecs().get(name)
    return None if codec is None else codec.name


def _names(
    spec: Spec, form: Format, attributes: JSONDict, rank: int
) -> tuple[tuple[str | None, ...] | None, Path]:
    if form == "v3":
        names = cast("tuple[str | None, ...] | None", spec.__dict__.get("dimension_names"))
        return names, ("dimension_names",)
    given = attributes.get(DIMENSIONS)
    path = ("attributes", DIMENSIONS)
    if not is_list(given) or len(given) != rank or not all(isinstance(name, str) for name in given):
        return None, path
    return tuple(cast("list[str]", given)), path


# --- data types --------------------------------------------------------------------------------------


def data_type_of(document: JSONDict, form: Format) -> tuple[DataType | None, str | None, Path]:
    """The data type in an array's document, its v3 name or what stands there, and where that is.

    >>> data_type_of(JSONDict(dtype="<f4"), "v2")[1:]
    ('float32', ('dtype',))
    """
    member = "dtype" if form == "v2" else "data_type"
    value, objects = document.get(member), None
    if form == "v2":
        objects = object_codec_of(document.get("filters"), document.get("compressor"))
    found, name = _types.get((form, repr(value), objects), lambda: _parsed(value, form, objects))
    return found, name, (member,)


def _parsed(value: Any, form: Format, objects: str | None) -> tuple[DataType | None, str | None]:
    if form == "v2":
        found = parse_v2(value, objects, [])
    else:
        found = parse_v3(value, []) if form == "v3" else parse_draft(value, [])
    if found is not None:
        return found, found.name
    return None, name_of(value)


# --- chunks, shards and codecs -----------------------------------------------------------------------


def _layout(spec: Spec, form: Format, shape: tuple[int, ...]) -> _Layout:
    document = spec.document
    if form == "v3":
        grid, chain = document.get("chunk_grid"), document.get("codecs")
        return _layouts.get((repr(grid), repr(chain), shape), lambda: _v3_layout(grid, chain, shape))
    if form == "v2":
        filters, compressor = document.get("filters"), document.get("compressor")
        chunks = cast("tuple[int, ...]", spec.__dict__["chunks"])
        key = (repr(filters), repr(compressor), chunks)
        return _layouts.get(key, lambda: _v2_layout(filters, compressor, chunks))
    parts = ("chunk_grid", "codecs", "compressor", "storage_transformers")
    texts = tuple(repr(document.get(part)) for part in parts)
    return _layouts.get(texts, lambda: _draft_layout(document))


def _v3_layout(grid: Any, chain: Any, shape: tuple[int, ...]) -> _Layout:
    outer, path = _v3_grid(read_grid(grid, chain, shape, []), shape)
    items = chain if is_list(chain) else []
    found = _v3_codecs(items, ("codecs",))
    plain = tuple(range(len(shape)))
    shard = _shard_in(items, len(shape))
    if shard is None:
        known = all(codecs.find(codec.name) is not None for codec in found)
        return _Layout(outer, path, None, path, False if known else None, plain, found)
    return _Layout(shard.lengths, shard.path, outer, path, True, shard.places or plain, found)


def _v3_grid(value: Any, shape: tuple[int, ...]) -> tuple[Lengths | None, Path]:
    path: Path = ("chunk_grid",)
    definition = parse_definition(value, [], must_understand_allowed=False)
    grid = chunk_grids.find(definition.name) if definition else None
    if definition is None or grid is None:
        return None, path
    for member in ("chunk_shape", "chunk_shapes"):
        if member in definition.configuration:
            path = ("chunk_grid", "configuration", member)
    configuration = parse_configuration(grid.configuration, definition.configuration, FORM, [])
    return (None if configuration is None else grid.lengths(configuration, shape, [], ())), path


def _configuration(item: Any) -> Mapping[str, Any]:
    given = item.get("configuration") if is_dict(item) else None
    return given if is_dict(given) else _NOTHING


def _v3_codecs(items: Sequence[Any], path: Path) -> tuple[CodecView, ...]:
    """All codecs of the list, and of the lists inside of its shards, without those of the index."""
    found: list[CodecView] = []
    waiting = [(item, (*path, index)) for index, item in reversed(list(enumerate(items)))]
    while waiting:
        item, here = waiting.pop()
        name = name_of(item)
        if name is None:
            continue
        known = codecs.find(name)
        found.append(CodecView(name if known is None else known.name, here, name))
        inner = _configuration(item).get("codecs") if name == "sharding_indexed" else None
        if is_list(inner):
            inside = (*here, "configuration", "codecs")
            waiting.extend((each, (*inside, i)) for i, each in reversed(list(enumerate(inner))))
    return tuple(found)


def _below(path: Path, *steps: str | int) -> Path:
    return (*path, *steps)


class _Inner(NamedTuple):
    lengths: Lengths | None
    path: Path
    places: tuple[int, ...] | None


def _shard_in(items: Sequence[Any], rank: int) -> _Inner | None:
    """The inner chunks of the innermost shard, in the array's own order of dimensions."""
    found: _Inner | None = None
    path: Path = ("codecs",)
    order: list[int] | None = list(range(rank))
    while True:
        for index, item in enumerate(items):
            name, configuration = name_of(item), _configuration(item)
            known = codecs.find(name) if name is not None else None
            if known is not None and known.name == "transpose":
                order = _transposed(order, configuration.get("order"))
            elif known is not None and known.name == "sharding_indexed":
                inside = _below(path, index, "configuration")
                found = _inner(configuration.get("chunk_shape"), order, _below(inside, "chunk_shape"))
                inner: Any = configuration.get("codecs")
                items, path = inner if is_list(inner) else (), _below(inside, "codecs")
                break
            elif known is None or known.name == "reshape":
                order = None  # what comes out has dimensions of its own
        else:
            return found


def _transposed(order: list[int] | None, given: Any) -> list[int] | None:
    if order is None or given == "C":
        return order
    if given == "F":
        return order[::-1]
    if not is_list(given) or sorted(given) != list(range(len(order))):
        return None
    return [order[place] for place in given]


def _inner(chunk: Any, order: list[int] | None, path: Path) -> _Inner:
    if order is None or not is_list(chunk) or len(chunk) != len(order):
        return _Inner(None, path, None)
    places = tuple(order.index(dimension) for dimension in range(len(order)))
    return _Inner(tuple((chunk[place],) for place in places), path, places)


def _v2_layout(filters: Any, compressor: Any, chunks: tuple[int, ...]) -> _Layout:
    entries: list[tuple[Any, Path]] = []
    if is_list(filters):
        entries.extend((item, ("filters", index)) for index, item in enumerate(filters))
    entries.append((compressor, ("compressor",)))
    found: list[CodecView] = []
    for item, path in entries:
        name = item.get("id") if is_dict(item) else None
        if isinstance(name, str):
            codec = v2_codecs().get(name)
            found.append(CodecView(name if codec is None else codec.name, path, name))
    lengths = tuple((length,) for length in chunks)
    return _Layout(lengths, ("chunks",), None, ("chunks",), False, tuple(range(len(chunks))), tuple(found))


def _draft_layout(document: JSONDict) -> _Layout:
    path = ("chunk_grid", "chunk_shape")
    grid = document.get("chunk_grid")
    chunk = grid.get("chunk_shape") if is_dict(grid) and grid.get("type") == "regular" else None
    lengths = tuple((max(length, 1),) for length in chunk) if is_list(chunk) else None
    found = _draft_codecs(document)
    places = tuple(range(len(lengths or ())))
    transformers: list[Any] = document.get("storage_transformers") or []
    for index, item in enumerate(transformers):
        counts = _configuration(item).get("chunks_per_shard")
        if lengths is not None and is_list(counts) and len(counts) == len(lengths):
            shards = tuple((one[0] * count,) for one, count in zip(lengths, counts, strict=True))
            inside = ("storage_transformers", index, "configuration", "chunks_per_shard")
            return _Layout(lengths, path, shards, inside, True, places, found)
    return _Layout(lengths, path, None, path, None if transformers else False, places, found)


def _draft_codecs(document: JSONDict) -> tuple[CodecView, ...]:
    by_draft_name = {codec.draft_name: codec.name for codec in codecs if codec.draft_name}
    found: list[CodecView] = []
    for index, item in enumerate(document.get("codecs") or ()):
        uri: Any = item.get("type") if is_dict(item) else None
        if isinstance(uri, str):
            name = codec_name(uri)
            found.append(CodecView(by_draft_name.get(name, name), ("codecs", index), uri))
    compressor = document.get("compressor")
    given: Any = compressor.get("codec") if is_dict(compressor) else None
    if isinstance(given, str):
        codec = v2_codecs().get(codec_name(given))
        found.append(CodecView(codec_name(given) if codec is None else codec.name, ("compressor",), given))
    return tuple(found)
