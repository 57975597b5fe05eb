"""The rules for v2 documents that span members.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html, sections "Metadata", "Data type encoding",
"Fill value encoding", "Filters" and "Groups".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.count import count_of
from zom.extension.codec import Elements
from zom.extension.fill_value import scalar_of
from zom.extension.keys import KeyForm
from zom.extension.memo import Memo
from zom.extension.registry import did_you_mean, near
from zom.extension.resolve import parse_v2
from zom.formats.resolved import Encoding, fill_for, regular_axes, unregistered
from zom.formats.v2_chain import check_filters, object_codec_of, order_links, parse_filters
from zom.json.exact import exact_text
from zom.problems import Fault, Rule, rule, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.datatype import DataType
    from zom.model.family import NodeKind

__all__ = [
    "FIELD_RULES",
    "MEMBERS",
    "MEMBER_NAMES",
    "MISSING",
    "MISSING_NULL",
    "NODE",
    "check",
    "encoding_of",
    "fields",
    "obstacle",
]

_V2 = "https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html"

NODE = rule("v2/node", "a node is an object", source=f"{_V2}#metadata", schema=True)
MEMBERS = rule(
    "v2/members",
    "members are an object of nodes, and arrays have none",
    source="ZEP 6, specification of the base Zarr Object Model",
    schema=True,
)
MISSING = rule(
    "v2/missing-member",
    "a document has all members that its kind of node requires",
    source=f"{_V2}#metadata",
    schema=True,
)
MISSING_NULL = rule(
    "v2/missing-null",
    "compressor and filters are present, null if there are none",
    source=f"{_V2}#metadata",
    lenient="warning",
    schema=True,
)
ZARR_FORMAT = rule("v2/zarr-format", "zarr_format is the integer 2", source=f"{_V2}#metadata", schema=True)
SHAPE = rule(
    "v2/shape",
    "shape is a list of integers that are not negative and fit 63 bits",
    source=f"{_V2}#metadata",
    schema=True,
)
CHUNKS = rule("v2/chunks", "chunks is a list of positive integers", source=f"{_V2}#metadata", schema=True)
EMPTY_CHUNK = rule(
    "v2/empty-chunk",
    "a chunk is at least 1 long, even along a dimension of length 0",
    source=f"{_V2}#chunks",
    lenient="warning",
    schema=True,
)
ZERO_CHUNK = rule(
    "v2/zero-chunk",
    "a chunk is at least 1 long; 0 is read as 1",
    source=f"{_V2}#chunks",
    lenient="warning",
    schema=True,
)
BOOLEAN_CHUNK = rule(
    "v2/boolean-chunk",
    "the length of a chunk is an integer; true is read as 1",
    source=f"{_V2}#metadata",
    lenient="warning",
    schema=True,
)
CHUNK_COUNT = rule(
    "v2/chunks-length",
    "there is one chunk length for each dimension",
    source=f"{_V2}#metadata",
    compares=("shape",),
)
ORDER = rule("v2/order", 'order is "C" or "F"', source=f"{_V2}#metadata", schema=True)
SEPARATOR = rule(
    "v2/dimension-separator", 'dimension_separator is "." or "/"', source=f"{_V2}#metadata", schema=True
)
NULL_SEPARATOR = rule(
    "v2/null-separator",
    "dimension_separator is absent for the default, not null",
    source=f"{_V2}#metadata",
    lenient="warning",
    schema=True,
)
ATTRIBUTES = rule("v2/attributes", "attributes are an object", source=f"{_V2}#attributes", schema=True)
EXTRA_IN_ARRAY = rule(
    "v2/extra-array-member",
    "an array's document should have no other members; they are ignored",
    source=f"{_V2}#metadata: other keys SHOULD NOT be present",
    lenient=None,
    strict="warning",
    closed="warning",
)
EXTRA_IN_GROUP = rule(
    "v2/extra-group-member",
    "a group's document has no other members",
    source=f"{_V2}#groups: other keys MUST NOT be present",
    lenient="warning",
    schema=True,
)

FIELD_RULES: dict[str, Rule] = {
    "zarr_format": ZARR_FORMAT,
    "shape": SHAPE,
    "chunks": CHUNKS,
    "order": ORDER,
    "dimension_separator": SEPARATOR,
    "attributes": ATTRIBUTES,
    "members": MEMBERS,
}

MEMBER_NAMES: Final[dict[NodeKind, frozenset[str]]] = {}
"""The members of each kind of node: the fields of its class, set where the class is defined."""


def fields(kind: NodeKind, document: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
    """Return the members of a document as field values; fix tolerated absences and nulls."""
    values = dict(document)
    if kind == "group":
        return values
    for name in ("shape", "chunks"):
        if isinstance(values.get(name), list):
            values[name] = tuple(cast("list[Any]", values[name]))
    for name in ("compressor", "filters"):
        values.setdefault(name, None)
    if "dimension_separator" in values and values["dimension_separator"] is None:
        fault = Fault(NULL_SEPARATOR, ("dimension_separator",), '"." or "/"', "null", "leave it out")
        faults.append(fault)
        del values["dimension_separator"]
    _lift_empty_chunks(values, faults)
    return values


def _lift_empty_chunks(values: dict[str, Any], faults: list[Fault]) -> None:
    """Read chunk lengths of 0 or true, which old writers made, as 1."""
    shape, chunks = values.get("shape"), values.get("chunks")
    if not isinstance(shape, tuple) or not isinstance(chunks, tuple) or len(chunks) != len(shape):  # pyright: ignore[reportUnknownArgumentType]
        return
    lifted = list(cast("tuple[Any, ...]", chunks))
    for place, length in enumerate(cast("tuple[Any, ...]", shape)):
        size = lifted[place]
        if not isinstance(size, int) or type(length) is not int or not (isinstance(size, bool) or size == 0):
            continue
        empty = ZERO_CHUNK if length else EMPTY_CHUNK
        broken = BOOLEAN_CHUNK if isinstance(size, bool) else empty
        faults.append(Fault(broken, ("chunks", place), "an integer of at least 1", show(size)))
        lifted[place] = 1
    values["chunks"] = tuple(lifted)


def check(kind: NodeKind, values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    """Add all faults that span members, or concern the definition of a type or a codec."""
    known = MEMBER_NAMES[kind]
    if not known.issuperset(values):
        _check_extra(kind, values, known, faults)
    if kind == "array":
        _check_array(values, broken, faults)


def _check_extra(
    kind: NodeKind, values: Mapping[str, Any], known: frozenset[str], faults: list[Fault]
) -> None:
    rule_ = EXTRA_IN_ARRAY if kind == "array" else EXTRA_IN_GROUP
    for name in values:
        if name in known:
            continue
        fix = did_you_mean(near(name, known))
        faults.append(Fault(rule_, (name,), "no such member", show(values[name]), fix))


def _check_array(values: Mapping[str, Any], broken: frozenset[str], faults: list[Fault]) -> None:
    shape: tuple[int, ...] | None = None if "shape" in broken else values.get("shape")
    chunks: tuple[int, ...] | None = None if "chunks" in broken else values.get("chunks")
    if shape is not None and chunks is not None and len(shape) != len(chunks):
        wanted = f"{count_of(len(shape), 'chunk length')}, one for each dimension"
        faults.append(Fault(CHUNK_COUNT, ("chunks",), wanted, show(list(chunks))))
    faults.extend(encoding_of(values, shape, broken).faults)


_JUDGED = ("dtype", "fill_value", "chunks", "order", "filters", "compressor", "dimension_separator")
"""The members that are checked together: most arrays of a hierarchy share them."""

_Verdict = tuple[tuple[Fault, ...], Any]
_arrays: Memo[Encoding] = Memo()
_types: Memo[_Verdict] = Memo()


def encoding_of(
    values: Mapping[str, Any], _shape: tuple[int, ...] | None, broken: frozenset[str] = frozenset()
) -> Encoding:
    """Return the encoding of an array's elements; the members in `broken` are skipped."""
    judged = {name: values[name] for name in _JUDGED if name in values and name not in broken}
    return _arrays.get(exact_text(judged), lambda: _judge_array(judged))


def _judge_array(values: Mapping[str, Any]) -> Encoding:
    faults: list[Fault] = []
    filters: object = values.get("filters")
    links = parse_filters(filters, values.get("compressor"))
    data_type, fill = _type_and_fill(values, object_codec_of(links), faults)
    chunks: tuple[int, ...] | None = values.get("chunks")
    lengths = None if chunks is None else tuple((length,) for length in chunks)
    check_filters(filters, links, Elements(lengths, data_type, fill_for(links, fill)), faults)
    ordered = order_links(values.get("order"), len(chunks or ()), ("order",))
    separator = values.get("dimension_separator", ".")
    return Encoding(
        tuple(faults),
        data_type,
        fill,
        lengths,
        ("chunks",),
        None if chunks is None else regular_axes(chunks),
        lambda: KeyForm("", separator, "0"),
        (*ordered, *links),
        sharded=False,
    )


def _type_and_fill(
    values: Mapping[str, Any], object_codec: str | None, faults: list[Fault]
) -> tuple[DataType | None, Any]:
    if "dtype" not in values:
        return None, None
    dtype, has_fill, fill = values["dtype"], "fill_value" in values, values.get("fill_value")
    key = (exact_text(dtype), object_codec, has_fill, exact_text(fill))
    found, verdict = _types.get(key, lambda: _judge_type(dtype, object_codec, has_fill, fill))
    faults.extend(found)
    return cast("tuple[DataType | None, Any]", verdict)


def _judge_type(dtype: Any, object_codec: str | None, has_fill: bool, fill: Any) -> _Verdict:  # noqa: FBT001 - a memo's thunk
    faults: list[Fault] = []
    data_type = parse_v2(dtype, object_codec, faults, ("dtype",))
    scalar = None
    if data_type is not None and has_fill:
        scalar = scalar_of(data_type, fill, "v2", faults, ("fill_value",))
    return tuple(faults), (data_type, scalar)


def obstacle(document: Mapping[str, Any], encoding: Encoding) -> str | None:
    """Return the reason why zom can't read the chunks of an array, or None."""
    if encoding.data_type is None:
        return unregistered("data type", show(document["dtype"]), "dtype")
    return None
