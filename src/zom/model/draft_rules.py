"""The rules that the documents of the v3 draft obey across their members.

The text is the editor's draft of the Zarr core specification, version 3.0, of December 2022: sections
"Entry point metadata", "Array metadata" and "Group metadata".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from zom.model.codec import Bytes, Codec, Elements, Representation, codecs, v2_codecs
from zom.model.configuration import parse_configuration
from zom.model.registry import near
from zom.model.resolve import parse_draft
from zom.problems import Fault, Rule, rule, show

if TYPE_CHECKING:
    from zom.model.datatype import DataType
    from zom.model.family import NodeKind

__all__ = [
    "FIELD_RULES",
    "FORMAT_URI",
    "MEMBERS",
    "MISSING",
    "NODE",
    "check",
    "check_entry_point",
    "codec_name",
    "fields",
]

FORMAT_URI = "https://purl.org/zarr/spec/core/3.0"
_OLD_FORMAT_URI = "https://purl.org/zarr/spec/protocol/core/3.0"

_DRAFT = "Zarr core specification 3.0, draft of 2022"

NODE = rule("draft/node", "a document is an object", source=f"{_DRAFT}, Metadata", schema=True)
MEMBERS = rule(
    "draft/members",
    "members are an object of nodes; a group whose members are not known has none",
    source="ZEP 6, specification of the base Zarr Object Model",
    lenient="warning",
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
EXTENSION = rule(
    "draft/extension",
    "an extension is an object with the names that its place demands",
    source=f"{_DRAFT}, extensions",
    schema=True,
)
UNREGISTERED = rule(
    "draft/unregistered-name",
    "codecs, data types, grids, layouts, transformers and extensions are ones that zom knows",
    source=f"{_DRAFT}, Extensions",
    lenient=None,
    strict=None,
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
CODEC = rule(
    "draft/codec",
    "a codec is an object with type, a URI, and perhaps configuration, an object that fits it",
    source=f"{_DRAFT}, codecs",
)
ATTRIBUTES = rule("draft/attributes", "attributes is an object", source=f"{_DRAFT}, attributes", schema=True)
UNKNOWN = rule(
    "draft/unknown-member",
    "a document has no other members",
    source=f"{_DRAFT}: the array metadata object must not contain any other names",
    schema=True,
)
OLD_MEMBER = rule(
    "draft/2021-member",
    "an array has the members of the draft, not compressor or dimension_separator as in 2021",
    source=f"{_DRAFT}, change #153",
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
_NEEDED = {
    "array": ("shape", "data_type", "chunk_grid", "chunk_memory_layout", "fill_value", "attributes"),
    "group": (),
    "entry point": ("zarr_format", "metadata_encoding"),
}
_ARRAY_MEMBERS = frozenset({*_NEEDED["array"], "extensions", "codecs", "storage_transformers"})
_OLD_MEMBERS = frozenset({"compressor", "dimension_separator"})


def fields(kind: NodeKind, document: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
    """The members of a document as field values: lists as tuples."""
    values = dict(document)
    for name in _LISTS:
        if isinstance(values.get(name), list):
            values[name] = tuple(cast("list[Any]", values[name]))
    if kind != "group" and "extensions" not in values:
        faults.append(Fault(NO_EXTENSIONS, ("extensions",), "a list", "nothing", "add extensions: []"))
    if kind == "array" and "attributes" not in values:
        faults.append(Fault(MISSING, ("attributes",), "an object", "nothing"))
    return values


def check(kind: NodeKind, values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    """All faults of an array's or a group's document that span members or stand in extensions."""
    known = _ARRAY_MEMBERS if kind == "array" else frozenset({"attributes", "members"})
    for name in values:
        if name in known:
            continue
        rule_ = OLD_MEMBER if kind == "array" and name in _OLD_MEMBERS else UNKNOWN
        close = near(name, sorted(known))
        fix = close if close.startswith("did you mean") else None
        if rule_ is OLD_MEMBER:
            fix = 'read it with level="lenient"'
        faults.append(Fault(rule_, (name,), "no such member", show(values[name]), fix))
    if kind == "array":
        _check_array(values, broken, faults)


# --- extensions --------------------------------------------------------------------------------------


def _object(value: Any, path: tuple[str | int, ...], faults: list[Fault]) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    faults.append(Fault(EXTENSION, path, "an object", show(value)))
    return None


def _check_uri(
    value: Mapping[str, Any], name: str, path: tuple[str | int, ...], faults: list[Fault], rule_: Rule
) -> bool:
    found = value.get(name)
    if isinstance(found, str) and found:
        return True
    shown = show(found) if name in value else "nothing"
    faults.append(Fault(rule_, (*path, name), "a URI", shown))
    return False


def _check_configuration(value: Mapping[str, Any], path: tuple[str | int, ...], faults: list[Fault]) -> None:
    if "configuration" in value and not isinstance(value["configuration"], dict):
        found = show(value["configuration"])
        faults.append(Fault(EXTENSION, (*path, "configuration"), "an object", found))


def _check_extensions(values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    if "extensions" in broken:
        return
    for index, item in enumerate(values.get("extensions", ())):
        path = ("extensions", index)
        value = _object(item, path, faults)
        if value is None:
            continue
        named = _check_uri(value, "extension", path, faults, EXTENSION)
        if not isinstance(value.get("must_understand"), bool):
            found = show(value["must_understand"]) if "must_understand" in value else "nothing"
            faults.append(Fault(EXTENSION, (*path, "must_understand"), "true or false", found))
        elif named and value["must_understand"]:
            faults.append(Fault(UNREGISTERED, path, "an extension that zom knows", show(value["extension"])))


def _check_typed(value: Mapping[str, Any], path: tuple[str | int, ...], faults: list[Fault]) -> None:
    """An extension of a grid, a layout or the like: extension is a URI, type is there."""
    named = _check_uri(value, "extension", path, faults, EXTENSION)
    if "type" not in value:
        faults.append(Fault(EXTENSION, (*path, "type"), "a type that the extension defines", "nothing"))
    elif named:
        faults.append(Fault(UNREGISTERED, path, "one that zom knows", show(value["extension"])))


# --- arrays ------------------------------------------------------------------------------------------


def _check_array(values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    shape: tuple[int, ...] | None = None if "shape" in broken else values.get("shape")
    _check_extensions(values, broken, faults)
    data_type = _check_type(values, faults)
    chunk_shape = _check_grid(values["chunk_grid"], shape, faults) if "chunk_grid" in values else None
    if "chunk_memory_layout" in values:
        _check_layout(values["chunk_memory_layout"], faults)
    lengths = None if chunk_shape is None else tuple((length,) for length in chunk_shape)
    if "codecs" in values and "codecs" not in broken:
        _check_codecs(values["codecs"], Elements(lengths, data_type), faults)
    if "compressor" in values:
        _check_compressor(values["compressor"], faults)
    for index, item in enumerate(values.get("storage_transformers", ())):
        if "storage_transformers" in broken:
            break
        path = ("storage_transformers", index)
        value = _object(item, path, faults)
        if value is not None:
            _check_configuration(value, path, faults)
            if not _is_sharding(value):
                _check_typed(value, path, faults)


def _is_sharding(value: Mapping[str, Any]) -> bool:
    uri = value.get("extension")
    return isinstance(uri, str) and codec_name(uri) == "sharding" and value.get("type") == "indexed"


def _check_type(values: Mapping[str, Any], faults: list[Fault]) -> DataType | None:
    if "data_type" not in values:
        return None
    value = values["data_type"]
    start = len(faults)
    data_type = parse_draft(value, faults, ("data_type",))
    if data_type is None:
        if len(faults) == start:
            _explain_type(value, faults)
        return None
    if "fill_value" in values:
        data_type.parse_fill(values["fill_value"], "draft", faults, ("fill_value",))
    return data_type


def _explain_type(value: Any, faults: list[Fault]) -> None:
    """What is wrong with a type that nobody recognises: nothing, if it is a well-made extension."""
    path = ("data_type",)
    if not isinstance(value, dict):
        wanted = "a data type of the specification, or an object with extension and type"
        faults.append(Fault(DATA_TYPE, path, wanted, show(value)))
        return
    document = cast("dict[str, Any]", value)
    named = _check_uri(document, "extension", path, faults, DATA_TYPE)
    if "type" not in document:
        faults.append(Fault(DATA_TYPE, (*path, "type"), "a type that the extension defines", "nothing"))
    elif named:
        faults.append(Fault(UNREGISTERED, path, "a data type that zom knows", show(document["type"])))


def _check_grid(value: Any, shape: tuple[int, ...] | None, faults: list[Fault]) -> tuple[int, ...] | None:
    path = ("chunk_grid",)
    if not isinstance(value, dict):
        faults.append(Fault(CHUNK_GRID, path, "an object", show(value)))
        return None
    grid = cast("dict[str, Any]", value)
    if grid.get("type") != "regular":
        if "extension" in grid:
            _check_typed(grid, path, faults)
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
            faults.append(Fault(CHUNK_GRID, (*path, index), "an integer of at least 1", show(length)))
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
        _check_typed(cast("dict[str, Any]", value), path, faults)
    elif value not in ("C", "F"):
        faults.append(Fault(LAYOUT, path, '"C" or "F", or an extension', show(value)))


# --- codecs ------------------------------------------------------------------------------------------


def codec_name(uri: str) -> str:
    """The last part of a URI that is not a version: what tells one extension from another.

    The draft, its companions and the software of the time spell the beginnings differently.

    >>> codec_name("https://purl.org/zarr/spec/codecs/gzip/1.0")
    'gzip'
    """
    parts = [part for part in uri.split("/") if part and not re.fullmatch(r"v?[0-9][0-9.]*", part)]
    return parts[-1] if parts else uri


def _draft_codec(name: str) -> Codec | None:
    for codec in codecs:
        if codec.draft_name == name:
            return codec
    return None


def _check_codecs(items: tuple[Any, ...], elements: Elements, faults: list[Fault]) -> None:
    representation: Representation | None = elements
    for index, item in enumerate(items):
        path = ("codecs", index)
        if not isinstance(item, dict):
            faults.append(Fault(CODEC, path, "an object", show(item)))
            representation = None
            continue
        value = cast("dict[str, Any]", item)
        named = _check_uri(value, "type", path, faults, CODEC)
        start = len(faults)
        _check_configuration(value, path, faults)
        codec = _draft_codec(codec_name(value["type"])) if named else None
        if named and codec is None:
            known = sorted(c.draft_name for c in codecs if c.draft_name)
            wanted = f"a codec that zom knows ({', '.join(known)})"
            faults.append(Fault(UNREGISTERED, (*path, "type"), wanted, show(value["type"])))
        if codec is None or len(faults) > start:
            representation = None
            continue
        given = value.get("configuration", {})
        inner = (*path, "configuration")
        configuration = parse_configuration(codec.configuration, given, CODEC, faults, path=inner)
        representation = _thread(codec, configuration, representation, faults, path)


def _thread(
    codec: Codec,
    configuration: Any,
    before: Representation | None,
    faults: list[Fault],
    path: tuple[str | int, ...],
) -> Representation | None:
    """What comes out of the codec; the draft turns elements into bytes, and back, by itself."""
    if configuration is None or before is None:
        return None
    if codec.kind == "bytes->bytes" and isinstance(before, Elements):
        before = Bytes()
    elif codec.kind != "bytes->bytes" and isinstance(before, Bytes):
        return None
    return codec.thread(configuration, before, faults, path)


def _check_compressor(value: Any, faults: list[Fault]) -> None:
    """The compressor of 2021: a URI under `codec`, and the numcodecs configuration without its id."""
    path = ("compressor",)
    if not isinstance(value, dict):
        faults.append(Fault(CODEC, path, "an object with codec and configuration", show(value)))
        return
    document = cast("dict[str, Any]", value)
    named = _check_uri(document, "codec", path, faults, CODEC)
    start = len(faults)
    _check_configuration(document, path, faults)
    if not named or len(faults) > start:
        return
    codec = v2_codecs().get(codec_name(document["codec"]))
    if codec is None:
        found = show(document["codec"])
        faults.append(Fault(UNREGISTERED, (*path, "codec"), "a codec that zom knows", found))
        return
    inner = (*path, "configuration")
    given = document.get("configuration", {})
    parse_configuration(codec.v2_configuration, given, CODEC, faults, path=inner)


# --- entry point -------------------------------------------------------------------------------------


def check_entry_point(
    _kind: NodeKind, values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]
) -> None:
    """All faults of an entry point; names that the draft doesn't define may be there."""
    _check_extensions(values, broken, faults)
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
        _check_typed(encoding, path, faults)
    elif encoding.get("type") != "json":
        found = show(encoding["type"]) if "type" in encoding else "nothing"
        faults.append(Fault(ENCODING, (*path, "type"), '"json"', found))
    suffix = encoding.get("metadata_key_suffix")
    if not isinstance(suffix, str) or ("extension" not in encoding and suffix != ".json"):
        found = show(suffix) if "metadata_key_suffix" in encoding else "nothing"
        expected = '".json"' if "extension" not in encoding else "a suffix"
        faults.append(Fault(ENCODING, (*path, "metadata_key_suffix"), expected, found))
