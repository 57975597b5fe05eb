"""The rules for documents of the v3 draft that span members.

The text is the editor's draft of the Zarr core specification, version 3.0, of December 2022: sections
"Entry point metadata", "Array metadata" and "Group metadata".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from zom.extension.registry import did_you_mean, near
from zom.formats.draft_chain import CODEC
from zom.formats.draft_encoding import encoding_of
from zom.formats.draft_extension import (
    EXTENSION,
    check_extensions,
    check_typed,
    chunks_per_shard,
    extensions_not_understood,
)
from zom.formats.resolved import unknown_member, unregistered
from zom.problems import Fault, Rule, rule, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.formats.resolved import Encoding
    from zom.model.family import NodeKind

__all__ = [
    "FIELD_RULES",
    "FORMAT_URI",
    "MEMBERS",
    "MEMBER_NAMES",
    "MISSING",
    "NODE",
    "NO_EXTENSIONS",
    "check",
    "check_entry_point",
    "fields",
    "not_understood",
    "obstacle",
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
    "a document has all members that its kind requires",
    source=f"{_DRAFT}, Array metadata",
    schema=True,
)
NO_EXTENSIONS = rule(
    "draft/missing-extensions",
    "extensions is a list, perhaps an empty one",
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
    "the entry point has the zarr_format and metadata_encoding of the draft, not those of 2021",
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
MEMBER_NAMES: Final[dict[NodeKind, frozenset[str]]] = {}
"""The members of each kind of node: the fields of its class, set where the class is defined."""
_OLD_MEMBERS: Final[Mapping[NodeKind, frozenset[str]]] = {
    "array": frozenset({"compressor", "dimension_separator"}),
    "group": frozenset({"extensions"}),
}


def fields(_kind: NodeKind, document: Mapping[str, Any], _faults: list[Fault]) -> dict[str, Any]:
    """Return the members of a document as field values: lists become tuples."""
    values = dict(document)
    for name in _LISTS:
        if isinstance(values.get(name), list):
            values[name] = tuple(cast("list[Any]", values[name]))
    return values


def check(kind: NodeKind, values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    """Add the faults of an array or group document that span members or concern extensions."""
    known = MEMBER_NAMES[kind]
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
        # Groups of 2021 had extensions. They are not a field of the model, so check them here.
        _check_old_extensions(values["extensions"], faults)


def _check_old_extensions(value: Any, faults: list[Fault]) -> None:
    if isinstance(value, (list, tuple)):
        check_extensions(cast("list[Any]", value), faults)
    else:
        faults.append(Fault(EXTENSION, ("extensions",), "a list", show(value)))


def not_understood(document: Mapping[str, Any]) -> list[str]:
    """Return the unknown members of an array document: a reader must understand them to read chunks.

    >>> not_understood({"shape": [], "compressor": None, "acme": 1})
    ['acme']
    """
    known = MEMBER_NAMES["array"] | _OLD_MEMBERS["array"]
    return [name for name in document if name not in known]


# --- arrays ------------------------------------------------------------------------------------------


def _check_array(values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    shape: tuple[int, ...] | None = None if "shape" in broken else values.get("shape")
    if "extensions" not in broken:
        check_extensions(values.get("extensions", ()), faults)
    faults.extend(encoding_of(values, shape, broken).faults)


def obstacle(document: Mapping[str, Any], encoding: Encoding) -> str | None:
    """Return the reason why zom can't read the chunks of an array, or None."""
    members = not_understood(document)
    if members:
        return unknown_member(members[0], document[members[0]])
    for uri in extensions_not_understood(document.get("extensions", ())):
        return f"extensions: zom doesn't know {show(uri)}, and readers must understand it"
    if encoding.data_type is None:
        return unregistered("data type", show(document["data_type"]), "data_type")
    if encoding.axes is None:
        return f"chunk_grid: expected a regular grid, found {show(document['chunk_grid'])}"
    for index, value in enumerate(document.get("storage_transformers", ())):
        if index or chunks_per_shard(value) is None:
            return f"storage_transformers[{index}]: expected sharding, found {show(value)}"
    layout = document.get("chunk_memory_layout", "C")
    return None if isinstance(layout, str) else f"chunk_memory_layout: expected C or F, found {show(layout)}"


# --- entry point -------------------------------------------------------------------------------------


def check_entry_point(
    _kind: NodeKind, values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]
) -> None:
    """Add all faults of an entry point; members that the draft doesn't define are allowed."""
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
