"""The rules for v3 documents that span members.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html, sections "Array metadata",
"Group metadata" and "Extension definition".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.count import count_of
from zom.extension.datatype import data_types
from zom.extension.definition import MEMBER, is_uri, name_of, parse_definition, strange_members, uri_fault
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings
from zom.extension.memo import Memo
from zom.extension.registry import did_you_mean, near
from zom.formats.resolved import unknown_member, unregistered
from zom.formats.v3_encoding import encoding_of, name_place
from zom.json.exact import same
from zom.json.python_value import is_dict
from zom.json.shared import tuple_of
from zom.problems import Fault, Rule, dotted, rule, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.registry import Registry
    from zom.formats.resolved import Encoding
    from zom.model.family import NodeKind

__all__ = [
    "FIELD_RULES",
    "MEMBERS",
    "MEMBER_NAMES",
    "MISSING",
    "NODE",
    "check",
    "fields",
    "not_understood",
    "obstacle",
]

_CORE = "https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html"

NODE = rule(
    "v3/node",
    "a node is an object whose node_type is array or group",
    source=f"{_CORE}#metadata",
    schema=True,
)
MEMBERS = rule(
    "v3/members",
    "members are an object of nodes",
    source="ZEP 6, specification of the base Zarr Object Model",
    schema=True,
)
MISSING = rule(
    "v3/missing-member",
    "a document has all members that its kind of node requires",
    source=f"{_CORE}#array-metadata",
    schema=True,
)
ZARR_FORMAT = rule(
    "v3/zarr-format", "zarr_format is the integer 3", source=f"{_CORE}#zarr-format", schema=True
)
NODE_TYPE = rule("v3/node-type", 'node_type is "array" or "group"', source=f"{_CORE}#node-type", schema=True)
SHAPE = rule(
    "v3/shape",
    "shape is a list of integers that are not negative and fit 63 bits",
    source=f"{_CORE}#shape",
    schema=True,
)
CODECS = rule("v3/codecs", "codecs is a list with at least one codec", source=f"{_CORE}#codecs", schema=True)
ATTRIBUTES = rule("v3/attributes", "attributes is an object", source=f"{_CORE}#attributes", schema=True)
NULL_ATTRIBUTES = rule(
    "v3/null-attributes",
    "attributes are absent or an object, not null",
    source=f"{_CORE}#attributes",
    lenient="warning",
    schema=True,
)
DIMENSION_NAMES = rule(
    "v3/dimension-names",
    "dimension_names is a list of strings and nulls",
    source=f"{_CORE}#dimension-names",
    schema=True,
)
NULL_MEMBER = rule(
    "v3/null-member",
    "an optional member without a value is absent, not null",
    source=f"{_CORE}#dimension-names",
    lenient="warning",
    schema=True,
)
DIMENSION_COUNT = rule(
    "v3/dimension-names-length",
    "there is one dimension name for each dimension",
    source=f"{_CORE}#dimension-names",
)
SHAPE_LENGTH = rule(
    "v3/shape-length",
    "shape has one length for each dimension of dimension_names and chunk_grid",
    source=f"{_CORE}#shape",
)
STORAGE_TRANSFORMERS = rule(
    "v3/storage-transformers",
    "storage_transformers is a list of extensions",
    source=f"{_CORE}#storage-transformers",
    schema=True,
)
UNKNOWN_TRANSFORMER = rule(
    "v3/unknown-storage-transformer",
    "a storage transformer has a registered name",
    source=f"{_CORE}#storage-transformers: the core specification defines none",
    lenient="warning",
    strict="warning",
)
UNKNOWN_MEMBER = rule(
    "v3/unknown-member",
    "a member that the specification doesn't define is an object with must_understand false",
    source=f"{_CORE}#extension-points",
    lenient="warning",
    schema=True,
)
CLOSED_MEMBER = rule(
    "v3/unregistered-member",
    "a document has only registered members; others are ignored if must_understand is false",
    source=f"{_CORE}#extension-points",
    lenient=None,
    strict=None,
    closed="warning",
)
CONSOLIDATED = rule(
    "v3/consolidated-metadata",
    'consolidated metadata is an object with kind "inline", must_understand false and documents by path',
    source="https://github.com/zarr-developers/zarr-specs/pull/309",
    schema=True,
    lenient="warning",
)

FIELD_RULES: dict[str, Rule] = {
    "zarr_format": ZARR_FORMAT,
    "node_type": NODE_TYPE,
    "shape": SHAPE,
    "codecs": CODECS,
    "attributes": ATTRIBUTES,
    "dimension_names": DIMENSION_NAMES,
    "storage_transformers": STORAGE_TRANSFORMERS,
    "members": MEMBERS,
}

_LISTS = ("codecs", "dimension_names", "storage_transformers")
MEMBER_NAMES: Final[dict[NodeKind, frozenset[str]]] = {}
"""The members of each kind of node: the fields of its class, set where the class is defined."""
_NULLABLE = ("dimension_names", "storage_transformers", "consolidated_metadata")


def fields(kind: NodeKind, document: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
    """Return the members of a document as field values: lists become tuples, tolerated nulls are removed."""
    values = dict(document)
    if kind == "array":
        shape = values.get("shape")
        if isinstance(shape, list):
            values["shape"] = (*shape,)
        for name in _LISTS:
            value = values.get(name)
            if isinstance(value, list):
                values[name] = tuple_of(value)  # pyright: ignore[reportUnknownArgumentType] - of any items
    for name in _NULLABLE:
        if name in values and values[name] is None:
            faults.append(Fault(NULL_MEMBER, (name,), "nothing, or a value", "null", "leave it out"))
            del values[name]
    if "attributes" in values and values["attributes"] is None:
        fault = Fault(NULL_ATTRIBUTES, ("attributes",), "an object", "null", "leave it out")
        faults.append(fault)
        del values["attributes"]
    return values


def check(kind: NodeKind, values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    """Add all faults that span members, or concern the definition of an extension."""
    known = MEMBER_NAMES[kind]
    if not known.issuperset(values):
        _check_unknown(values, known, faults)
    if kind == "array":
        _check_array(values, broken, faults)
    elif "consolidated_metadata" in values:
        _check_consolidated(values["consolidated_metadata"], faults)


def not_understood(kind: NodeKind, document: Mapping[str, Any]) -> list[str]:
    """Return the unknown members of a document that a reader must understand to use the node.

    >>> not_understood("array", {"shape": [], "a": {"name": "acme.a"}, "b": {"must_understand": False}})
    ['a']
    """
    known = MEMBER_NAMES[kind]
    return [name for name, value in document.items() if name not in known and not _may_be_ignored(value)]


def _may_be_ignored(value: Any) -> bool:
    return is_dict(value) and value.get("must_understand") is False


def _check_unknown(values: Mapping[str, Any], known: frozenset[str], faults: list[Fault]) -> None:
    for name, value in values.items():
        if name in known:
            continue
        if _may_be_ignored(value):
            fix = did_you_mean(near(name, known), known)
            faults.append(Fault(CLOSED_MEMBER, (name,), "a registered member", show(name), fix))
            continue
        wanted = "a known member, or an object with must_understand false"
        fix = did_you_mean(near(name, known))
        faults.append(Fault(UNKNOWN_MEMBER, (name,), wanted, show(value), fix))


# --- arrays ------------------------------------------------------------------------------------------


def _check_array(values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    shape: tuple[int, ...] | None = None if "shape" in broken else values.get("shape")
    names = None if "dimension_names" in broken else values.get("dimension_names")
    if shape is not None and names is not None and len(names) != len(shape):
        alone = encoding_of(values, None, broken)
        if alone.lengths is not None and len(alone.lengths) == len(names):
            wanted = f"{count_of(len(names), 'length')}, as in dimension_names and chunk_grid"
            faults.append(Fault(SHAPE_LENGTH, ("shape",), wanted, show(list(shape))))
            shape = None
        else:
            wanted = f"{count_of(len(shape), 'name')}, one for each dimension"
            faults.append(Fault(DIMENSION_COUNT, ("dimension_names",), wanted, show(list(names))))
    faults.extend(encoding_of(values, shape, broken).faults)
    if values.get("storage_transformers") and "storage_transformers" not in broken:
        _check_transformers(values["storage_transformers"], faults)


_strange: Memo[bool] = Memo()


def obstacle(document: Mapping[str, Any], encoding: Encoding) -> str | None:
    """Return the reason why zom can't read the chunks of an array, or None.

    >>> obstacle({"a": {"name": "acme.a"}}, None)
    'a: no extension named "acme.a" is registered, and readers must understand it'
    """
    for name in not_understood("array", document):
        return unknown_member(name, document[name])
    for index, item in enumerate(document.get("storage_transformers") or ()):
        return unregistered("storage transformer", name_of(item), f"storage_transformers[{index}]")
    # Equal encodings come from equal texts of all checked members, so cache by encoding.
    if _strange.get(encoding, lambda: strange_members(document)):
        strange = _strange_member(document)
        if strange is not None:
            return strange
    if encoding.data_type is None:
        return unregistered("data type", name_of(document["data_type"]), "data_type", data_types)
    named: tuple[tuple[str, Registry[Any], object], ...] = (
        ("chunk_grid", chunk_grids, encoding.axes),
        ("chunk_key_encoding", chunk_key_encodings, encoding.keys),
    )
    for name, registry, found in named:
        if found is None:
            return unregistered(registry.kind, name_of(document[name]), name, registry)
    return None


def _strange_member(document: Mapping[str, Any]) -> str | None:
    """Return the message for an unknown extension member that must be understood, or None."""
    faults: list[Fault] = []
    check("array", fields("array", document, []), frozenset(), faults)
    for fault in faults:
        value: Any = document
        for step in fault.path if fault.rule is MEMBER else ():
            value = value[step]
        if fault.rule is MEMBER and not _may_be_ignored(value):
            return unknown_member(dotted(fault.path), value, str(fault.path[-1]))
    return None


def _check_transformers(transformers: tuple[Any, ...], faults: list[Fault]) -> None:
    for index, value in enumerate(transformers):
        path = ("storage_transformers", index)
        definition = parse_definition(value, faults, path, must_understand_allowed=True)
        if definition is not None:
            wanted = "no storage transformer: none is registered"
            where = name_place(value, path)
            if is_uri(definition.name):
                faults.append(uri_fault(definition.name, "storage transformer", where))
                continue
            faults.append(Fault(UNKNOWN_TRANSFORMER, where, wanted, show(definition.name)))


# --- consolidated metadata ---------------------------------------------------------------------------


def _check_consolidated(value: Any, faults: list[Fault]) -> None:
    path = ("consolidated_metadata",)
    if not isinstance(value, dict):
        faults.append(Fault(CONSOLIDATED, path, "an object", show(value)))
        return
    block = cast("dict[str, Any]", value)
    for name, wanted in (("kind", "inline"), ("must_understand", False)):
        if name not in block:
            faults.append(Fault(CONSOLIDATED, (*path, name), show(wanted), "nothing"))
        elif not same(block[name], wanted):
            faults.append(Fault(CONSOLIDATED, (*path, name), show(wanted), show(block[name])))
    documents = block.get("metadata")
    if not isinstance(documents, dict):
        found = show(documents) if "metadata" in block else "nothing"
        faults.append(Fault(CONSOLIDATED, (*path, "metadata"), "an object of documents by path", found))
        return
    for name, document in cast("dict[str, Any]", documents).items():
        if not isinstance(document, dict):
            where = (*path, "metadata", name)
            faults.append(Fault(CONSOLIDATED, where, "an object", show(cast("object", document))))
