"""The rules that the documents of the v3 draft obey across their members.

The text is the editor's draft of the Zarr core specification, version 3.0, of December 2022: sections
"Entry point metadata", "Array metadata" and "Group metadata".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from zom.extension.codec import Elements
from zom.extension.configuration import INTEGER_LITERAL, integral
from zom.extension.fill_value import NULL, restate
from zom.extension.registry import did_you_mean, near
from zom.extension.resolve import FALLBACK, parse_draft
from zom.formats.draft_chain import CODEC, check_codecs, check_compressor
from zom.formats.draft_extension import (
    EXTENSION,
    UNREGISTERED,
    check_extensions,
    check_transformers,
    check_typed,
    check_uri,
    codec_name,
)
from zom.problems import Fault, Rule, rule, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.datatype import DataType
    from zom.model.family import NodeKind

__all__ = [
    "FIELD_RULES",
    "FORMAT_URI",
    "MEMBERS",
    "MISSING",
    "NODE",
    "NO_EXTENSIONS",
    "check",
    "check_entry_point",
    "codec_name",
    "fields",
    "not_understood",
]

FORMAT_URI = "https://purl.org/zarr/spec/core/3.0"
_OLD_FORMAT_URI = "https://purl.org/zarr/spec/protocol/core/3.0"

_DRAFT = "Zarr core specification 3.0, draft of 2022"

NODE = rule("draft/node", "a document is an object", source=f"{_DRAFT}, Metadata", schema=True)
MEMBERS = rule(
    "draft/members",
    "members are an object of nodes",
    source="ZEP 6, specification of the base Zarr Object Model",
    schema=True,
)
MISSING = rule(
    "draft/missing-member",
    "a document has all the members that its kind needs",
    source=f"{_DRAFT}, Array metadata",
    schema=True,
)
NO_EXTENSIONS = rule(
    "draft/missing-extensions",
    "extensions are listed, if only as an empty list",
    source=f"{_DRAFT}, extensions",
    lenient="warning",
    schema=True,
)
ZARR_FORMAT = rule(
    "draft/zarr-format",
    "zarr_format is the URI of the core specification, of major version 3",
    source=f"{_DRAFT}, zarr_format",
    schema=True,
)
OLD_FORMAT = rule(
    "draft/2021-entry-point",
    "the entry point has the URI and the metadata_encoding of the draft, not those of 2021",
    source=f"{_DRAFT}, Entry point metadata; changes #171 and #175",
    lenient="warning",
    schema=True,
)
ENCODING = rule(
    "draft/metadata-encoding",
    'metadata_encoding is {"type": "json", "metadata_key_suffix": ".json"}, or an extension',
    source=f"{_DRAFT}, metadata_encoding",
    schema=True,
)
SHAPE = rule(
    "draft/shape",
    "shape is a list of integers that are not negative and fit 63 bits",
    source=f"{_DRAFT}, shape",
    schema=True,
)
DATA_TYPE = rule(
    "draft/data-type",
    "data_type is an identifier of the specification, or an object with extension and type",
    source=f"{_DRAFT}, data_type",
    schema=True,
)
_OF_EXTENSIONS = f"{_DRAFT}, data_type: the extension is responsible for what its type means"
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
    "a fill value is spelled as the extension that zom knows asks",
    source=_OF_EXTENSIONS,
)
EXTENSION_FILL_TOLERATED = rule(
    "draft/extension-fill-value-tolerated",
    "a fill value of an extension's type is spelled as today, not as it once was",
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
    "there are as many chunk lengths as dimensions",
    source=f"{_DRAFT}, Regular grids",
)
EMPTY_CHUNK = rule(
    "draft/empty-chunk",
    "a chunk is at least 1 long where its dimension is not empty",
    source=f"{_DRAFT}, Chunk",
)
LAYOUT = rule(
    "draft/chunk-memory-layout",
    'chunk_memory_layout is "C" or "F", or an object with extension and type',
    source=f"{_DRAFT}, chunk_memory_layout",
    schema=True,
)
ATTRIBUTES = rule("draft/attributes", "attributes is an object", source=f"{_DRAFT}, attributes", schema=True)
UNKNOWN = rule(
    "draft/unknown-member",
    "a document has no other members",
    source=f"{_DRAFT}: the array metadata object must not contain any other names",
    lenient="warning",
    schema=True,
)
OLD_MEMBER = rule(
    "draft/2021-member",
    "a document has the members of the draft, not compressor or dimension_separator in an array and "
    "extensions in a group, as in 2021",
    source=f"{_DRAFT}, change #153; Group metadata",
    lenient="warning",
    schema=True,
)

FIELD_RULES: dict[str, Rule] = {
    "zarr_format": ZARR_FORMAT,
    "shape": SHAPE,
    "attributes": ATTRIBUTES,
    "extensions": EXTENSION,
    "codecs": CODEC,
    "storage_transformers": EXTENSION,
    "members": MEMBERS,
}

_LISTS = ("shape", "codecs", "storage_transformers", "extensions")
_ARRAY_MEMBERS = frozenset(
    {
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_memory_layout",
        "fill_value",
        "attributes",
        "extensions",
        "codecs",
        "storage_transformers",
    }
)
_GROUP_MEMBERS = frozenset({"attributes", "members"})
_OLD_MEMBERS: Final[Mapping[NodeKind, frozenset[str]]] = {
    "array": frozenset({"compressor", "dimension_separator"}),
    "group": frozenset({"extensions"}),
}


def fields(_kind: NodeKind, document: Mapping[str, Any], _faults: list[Fault]) -> dict[str, Any]:
    """The members of a document as field values: lists as tuples."""
    values = dict(document)
    for name in _LISTS:
        if isinstance(values.get(name), list):
            values[name] = tuple(cast("list[Any]", values[name]))
    return values


def check(kind: NodeKind, values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    """All faults of an array's or a group's document that span members or stand in extensions."""
    known = _ARRAY_MEMBERS if kind == "array" else _GROUP_MEMBERS
    for name in values:
        if name in known:
            continue
        rule_ = OLD_MEMBER if name in _OLD_MEMBERS[kind] else UNKNOWN
        fix = did_you_mean(near(name, known))
        if rule_ is OLD_MEMBER:
            fix = 'read it with level="lenient"'
        faults.append(Fault(rule_, (name,), "no such member", show(values[name]), fix))
    if kind == "array":
        _check_array(values, broken, faults)
    elif "extensions" in values:
        # A group of 2021 had them: no field of the model, so that nothing else has looked at them.
        _check_old_extensions(values["extensions"], faults)


def _check_old_extensions(value: Any, faults: list[Fault]) -> None:
    if isinstance(value, (list, tuple)):
        check_extensions(cast("list[Any]", value), faults)
    else:
        faults.append(Fault(EXTENSION, ("extensions",), "a list", show(value)))


def not_understood(document: Mapping[str, Any]) -> list[str]:
    """The unknown members of an array's document: a reader must understand them before it reads chunks.

    >>> not_understood({"shape": [], "compressor": None, "acme": 1})
    ['acme']
    """
    known = _ARRAY_MEMBERS | _OLD_MEMBERS["array"]
    return [name for name in document if name not in known]


# --- arrays ------------------------------------------------------------------------------------------


def _check_array(values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    shape: tuple[int, ...] | None = None if "shape" in broken else values.get("shape")
    if "extensions" not in broken:
        check_extensions(values.get("extensions", ()), faults)
    data_type = _check_type(values, faults)
    chunk_shape = _check_grid(values["chunk_grid"], shape, faults) if "chunk_grid" in values else None
    if "chunk_memory_layout" in values:
        _check_layout(values["chunk_memory_layout"], faults)
    lengths = None if chunk_shape is None else tuple((length,) for length in chunk_shape)
    if "codecs" in values and "codecs" not in broken:
        check_codecs(values["codecs"], Elements(lengths, data_type), faults)
    if "compressor" in values:
        check_compressor(values["compressor"], faults)
    if "storage_transformers" in values and "storage_transformers" not in broken:
        rank = None if shape is None else len(shape)
        check_transformers(values["storage_transformers"], rank, faults)


def _check_type(values: Mapping[str, Any], faults: list[Fault]) -> DataType | None:
    if "data_type" not in values:
        return None
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
    # "Said extension is responsible for interpreting the value of fill_value": a fallback can't judge it.
    judged = data_type is not None and not fell_back
    before = len(faults)
    if data_type is not None and judged and "fill_value" in values:
        data_type.parse_fill(values["fill_value"], "draft", faults, ("fill_value",))
    elif not judged and values.get("fill_value", ...) is None:
        faults.append(Fault(NULL, ("fill_value",), "a value of the data type", "null"))
    if isinstance(value, dict):
        restate(faults, before, EXTENSION_FILL, EXTENSION_FILL_TOLERATED, kept=NULL)
    return data_type


def _explain_type(value: Any, faults: list[Fault]) -> None:
    """What is wrong with a type that nobody recognises: nothing, if it is a well-made extension."""
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
    """Whether an extension says which it is, and which of its types is meant."""
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
            wanted = "an integer of at least 1, the dimension not being empty"
            faults.append(Fault(EMPTY_CHUNK, (*path, index), wanted, "0"))
            good = False
    if shape is not None and len(shape) != len(chunks):
        wanted = f"{len(shape)} chunk length{'s' * (len(shape) != 1)}, one for each dimension"
        faults.append(Fault(CHUNK_COUNT, path, wanted, show(chunks)))
        good = False
    return tuple(chunks) if good else None


def _check_layout(value: Any, faults: list[Fault]) -> None:
    path = ("chunk_memory_layout",)
    if isinstance(value, dict):
        check_typed(cast("dict[str, Any]", value), path, faults)
    elif value not in ("C", "F"):
        faults.append(Fault(LAYOUT, path, '"C" or "F", or an extension', show(value)))


# --- entry point -------------------------------------------------------------------------------------


def check_entry_point(
    _kind: NodeKind, values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]
) -> None:
    """All faults of an entry point; names that the draft doesn't define may be there."""
    if "extensions" not in broken:
        check_extensions(values.get("extensions", ()), faults)
    uri = values.get("zarr_format")
    if isinstance(uri, str) and "zarr_format" not in broken:
        if uri == _OLD_FORMAT_URI:
            faults.append(Fault(OLD_FORMAT, ("zarr_format",), show(FORMAT_URI), show(uri)))
        elif not re.fullmatch(r"https://purl\.org/zarr/spec/core/3(\.[0-9]+)?", uri):
            faults.append(Fault(ZARR_FORMAT, ("zarr_format",), show(FORMAT_URI), show(uri)))
    if "metadata_encoding" in values:
        _check_encoding(values["metadata_encoding"], faults)


def _check_encoding(value: Any, faults: list[Fault]) -> None:
    path = ("metadata_encoding",)
    wanted = '{"type": "json", "metadata_key_suffix": ".json"}'
    if value == _OLD_FORMAT_URI:
        faults.append(Fault(OLD_FORMAT, path, wanted, show(value)))
        return
    if not isinstance(value, dict):
        faults.append(Fault(ENCODING, path, wanted, show(value)))
        return
    encoding = cast("dict[str, Any]", value)
    if "extension" in encoding:
        check_typed(encoding, path, faults)
    elif encoding.get("type") != "json":
        found = show(encoding["type"]) if "type" in encoding else "nothing"
        faults.append(Fault(ENCODING, (*path, "type"), '"json"', found))
    suffix = encoding.get("metadata_key_suffix")
    if not isinstance(suffix, str) or ("extension" not in encoding and suffix != ".json"):
        found = show(suffix) if "metadata_key_suffix" in encoding else "nothing"
        expected = '".json"' if "extension" not in encoding else "a suffix"
        faults.append(Fault(ENCODING, (*path, "metadata_key_suffix"), expected, found))
