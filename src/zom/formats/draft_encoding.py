"""How the elements of a draft array become stored chunks: type, grid and codecs, checked together.

The editor's draft of the Zarr core specification, version 3.0, of December 2022, section "Array metadata".
The text of 2021 has codecs and filters in other places.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.count import count_of
from zom.extension.codec import Elements
from zom.extension.configuration import INTEGER_LITERAL, integral
from zom.extension.fill_value import NULL, restate, scalar_of
from zom.extension.keys import KeyForm
from zom.extension.memo import Memo
from zom.extension.resolve import FALLBACK, parse_draft, parse_v2
from zom.formats.draft_chain import check_codecs, parse_chain, parse_compressor
from zom.formats.draft_extension import (
    UNREGISTERED,
    check_transformers,
    check_typed,
    check_uri,
    chunks_per_shard,
)
from zom.formats.resolved import Encoding, Inner, regular_axes
from zom.formats.v2_chain import object_codec_of, order_links
from zom.json.exact import exact_text
from zom.json.python_value import is_dict
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zom.extension.datatype import DataType

__all__ = ["encoding_of"]

_DRAFT = "Zarr core specification 3.0, draft of 2022"

DATA_TYPE = rule(
    "draft/data-type",
    "data_type is an identifier of the specification, or an object with extension and type",
    source=f"{_DRAFT}, data_type",
    schema=True,
)
_OF_EXTENSIONS = f"{_DRAFT}, data_type: the extension defines the meaning of its type"
EXTENSION_TYPE = rule(
    "draft/extension-type", "the type of an extension that zom knows is well formed", source=_OF_EXTENSIONS
)
EXTENSION_TYPE_TOLERATED = rule(
    "draft/extension-type-tolerated",
    "the type of an extension that zom knows is spelled in full",
    source=_OF_EXTENSIONS,
    lenient="warning",
)
EXTENSION_FILL = rule(
    "draft/extension-fill-value",
    "a fill value is spelled as its extension, which zom knows, requires",
    source=_OF_EXTENSIONS,
)
EXTENSION_FILL_TOLERATED = rule(
    "draft/extension-fill-value-tolerated",
    "a fill value of an extension's type has its current spelling, not an old one",
    source=_OF_EXTENSIONS,
    lenient="warning",
)
CHUNK_GRID = rule(
    "draft/chunk-grid",
    "a regular grid has a type, a chunk_shape of positive integers, and a separator",
    source=f"{_DRAFT}, chunk_grid",
    schema=True,
)
NO_SEPARATOR = rule(
    "draft/missing-separator",
    "a regular grid states its separator",
    source=f"{_DRAFT}, chunk_grid",
    lenient="warning",
    schema=True,
)
CHUNK_COUNT = rule(
    "draft/chunk-shape-length",
    "there is one chunk length for each dimension",
    source=f"{_DRAFT}, Regular grids",
    compares=("shape",),
)
EMPTY_CHUNK = rule(
    "draft/empty-chunk",
    "a chunk is at least 1 long if its dimension is not empty",
    source=f"{_DRAFT}, Chunk",
)
LAYOUT = rule(
    "draft/chunk-memory-layout",
    'chunk_memory_layout is "C" or "F", or an object with extension and type',
    source=f"{_DRAFT}, chunk_memory_layout",
    schema=True,
)
_JUDGED = ("data_type", "fill_value", "chunk_grid", "chunk_memory_layout", "codecs", "compressor")
_arrays: Memo[Encoding] = Memo()


def encoding_of(
    values: Mapping[str, Any], shape: tuple[int, ...] | None, broken: frozenset[str] = frozenset()
) -> Encoding:
    """Return the encoding of an array's elements; the members in `broken` are skipped."""
    judged = {name: values[name] for name in (*_JUDGED, "storage_transformers") if name in values}
    for name in ("codecs", "storage_transformers"):
        if name in broken:
            judged.pop(name, None)
    if "codecs" not in values:
        judged["attributes"] = values.get("attributes")  # contains the filters of 2021
    empty = None if shape is None else tuple([length == 0 for length in shape])
    return _arrays.get((exact_text(judged), empty), lambda: _judge_array(judged, shape))


def _judge_array(values: Mapping[str, Any], shape: tuple[int, ...] | None) -> Encoding:
    faults: list[Fault] = []
    data_type, fill = _check_type(values, faults)
    chunk = _check_grid(values["chunk_grid"], shape, faults) if "chunk_grid" in values else None
    if "chunk_memory_layout" in values:
        _check_layout(values["chunk_memory_layout"], faults)
    links = parse_chain(values)
    if "codecs" in values:
        elements = Elements(None if chunk is None else tuple((length,) for length in chunk), data_type)
        check_codecs(links, elements, faults)
    if "compressor" in values:
        faults.extend(parse_compressor(values["compressor"]).faults)
    transformers = values.get("storage_transformers", ())
    check_transformers(transformers, None if shape is None else len(shape), faults)
    if data_type is not None and data_type.kind == "object":
        # As in v2, the object codec determines the type of the objects.
        data_type = parse_v2("|O", object_codec_of(links), []) or data_type
    if data_type is not None and data_type.object_codec is not None:
        # As in v2, 0 means an empty text in 2021.
        fill = data_type.parse_fill(values.get("fill_value"), "v2", [])
    lengths = None if chunk is None else tuple((max(length, 1),) for length in chunk)
    ordered = order_links(values.get("chunk_memory_layout"), len(chunk or ()), ("chunk_memory_layout",))
    encoding = Encoding(
        tuple(faults),
        data_type,
        fill,
        lengths,
        ("chunk_grid", "chunk_shape"),
        None if lengths is None else regular_axes([length for (length,) in lengths]),
        _keys(values.get("chunk_grid")),
        (*ordered, *links),
        sharded=None if transformers else False,
    )
    return _sharded(encoding, transformers)


def _keys(grid: Any) -> Callable[[], KeyForm]:
    separator: str = grid.get("separator", "/") if is_dict(grid) else "/"
    return lambda: KeyForm("c", separator, "c")


def _sharded(encoding: Encoding, transformers: Iterable[Any]) -> Encoding:
    """Return `encoding` with the shards of a storage transformer."""
    for index, value in enumerate(transformers):
        counts = chunks_per_shard(value)
        if encoding.lengths is None or counts is None or len(counts) != len(encoding.lengths):
            continue
        sizes = [length * count for (length,), count in zip(encoding.lengths, counts, strict=True)]
        return replace(
            encoding,
            lengths=tuple((size,) for size in sizes),
            lengths_path=("storage_transformers", index, "configuration", "chunks_per_shard"),
            axes=regular_axes(sizes),
            sharded=True,
            inner=Inner(encoding.lengths, encoding.lengths_path, None),
            per_shard=tuple(counts),
        )
    return encoding


def _check_type(values: Mapping[str, Any], faults: list[Fault]) -> tuple[DataType | None, Any]:
    """Return the data type, and the scalar of the fill value."""
    if "data_type" not in values:
        return None, None
    value = values["data_type"]
    start = len(faults)
    data_type = parse_draft(value, faults, ("data_type",))
    if isinstance(value, dict):
        restate(faults, start, EXTENSION_TYPE, EXTENSION_TYPE_TOLERATED)
    fell_back = any(fault.rule is FALLBACK for fault in faults[start:])
    if data_type is None and len(faults) == start:
        _explain_type(value, faults)
    elif fell_back:
        _check_extension_type(cast("dict[str, Any]", value), faults)
    # "Said extension is responsible for interpreting the value of fill_value": a fallback can't check it.
    judged = data_type is not None and not fell_back
    before = len(faults)
    scalar = None
    if data_type is not None and "fill_value" in values:
        told: list[Fault] = faults if judged else []
        scalar = scalar_of(data_type, values["fill_value"], "draft", told, ("fill_value",))
    if not judged and values.get("fill_value", ...) is None:
        faults.append(Fault(NULL, ("fill_value",), "a value of the data type", "null"))
    if isinstance(value, dict):
        restate(faults, before, EXTENSION_FILL, EXTENSION_FILL_TOLERATED, kept=NULL)
    return data_type, scalar


def _explain_type(value: Any, faults: list[Fault]) -> None:
    """Add the faults of an unrecognized data type: unregistered, if it is a well-formed extension."""
    path = ("data_type",)
    if not isinstance(value, dict):
        wanted = "a data type of the specification, or an object with extension and type"
        faults.append(Fault(DATA_TYPE, path, wanted, show(value)))
        return
    document = cast("dict[str, Any]", value)
    if _check_extension_type(document, faults):
        where = (*path, "extension")
        faults.append(Fault(UNREGISTERED, where, "a data type that zom knows", show(document["extension"])))


def _check_extension_type(document: dict[str, Any], faults: list[Fault]) -> bool:
    """Whether an extension has a URI and a type."""
    path = ("data_type",)
    named = check_uri(document, "extension", path, faults, DATA_TYPE)
    if "type" not in document:
        faults.append(Fault(DATA_TYPE, (*path, "type"), "a type that the extension defines", "nothing"))
        return False
    return named


def _check_grid(value: Any, shape: tuple[int, ...] | None, faults: list[Fault]) -> tuple[int, ...] | None:
    path = ("chunk_grid",)
    if not isinstance(value, dict):
        faults.append(Fault(CHUNK_GRID, path, "an object", show(value)))
        return None
    grid = cast("dict[str, Any]", value)
    if grid.get("type") != "regular":
        if "extension" in grid:
            check_typed(grid, path, faults)
        else:
            found = show(grid["type"]) if "type" in grid else "nothing"
            faults.append(Fault(CHUNK_GRID, (*path, "type"), '"regular"', found))
        return None
    if "separator" not in grid:
        faults.append(Fault(NO_SEPARATOR, (*path, "separator"), '"/" or "."', "nothing"))
    elif grid["separator"] not in {"/", "."} if isinstance(grid["separator"], str) else True:
        faults.append(Fault(CHUNK_GRID, (*path, "separator"), '"/" or "."', show(grid["separator"])))
    return _check_chunk_shape(grid, shape, faults)


def _check_chunk_shape(
    grid: Mapping[str, Any], shape: tuple[int, ...] | None, faults: list[Fault]
) -> tuple[int, ...] | None:
    path = ("chunk_grid", "chunk_shape")
    if not isinstance(grid.get("chunk_shape"), list):
        found = show(grid["chunk_shape"]) if "chunk_shape" in grid else "nothing"
        faults.append(Fault(CHUNK_GRID, path, "a list of integers", found))
        return None
    chunks = cast("list[Any]", grid["chunk_shape"])
    good = True
    for index, length in enumerate(chunks):
        if type(length) is not int or length < 0 or length >= 2**63:
            broken = INTEGER_LITERAL if integral(length) else CHUNK_GRID
            faults.append(Fault(broken, (*path, index), "an integer of at least 1", show(length)))
            good = False
        elif length == 0 and (shape is None or index >= len(shape) or shape[index] != 0):
            wanted = "an integer of at least 1, as the dimension is not empty"
            faults.append(Fault(EMPTY_CHUNK, (*path, index), wanted, "0"))
            good = False
    if shape is not None and len(shape) != len(chunks):
        wanted = f"{count_of(len(shape), 'chunk length')}, one for each dimension"
        faults.append(Fault(CHUNK_COUNT, path, wanted, show(chunks)))
        good = False
    return tuple(chunks) if good else None


def _check_layout(value: Any, faults: list[Fault]) -> None:
    path = ("chunk_memory_layout",)
    if isinstance(value, dict):
        check_typed(cast("dict[str, Any]", value), path, faults)
    elif value not in ("C", "F"):
        faults.append(Fault(LAYOUT, path, '"C" or "F", or an extension', show(value)))
