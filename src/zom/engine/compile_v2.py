"""Compiles v2 arrays.

Zarr v2, "Chunks": "Chunk data are ordered as `order` says", then go through the filters and the
compressor. The order F is a transpose that reverses the dimensions: what follows sees the elements of a
chunk in the order in which they lie in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.engine.compile_v3 import unknown
from zom.engine.plan import ArrayPlan, fill_array
from zom.extension.axis import Axis
from zom.extension.bound_chain import Link, bind_chain, unusable
from zom.extension.codec import codecs, v2_codecs
from zom.extension.keys import KeyForm
from zom.extension.resolve import parse_v2
from zom.formats.v2_definition import check_v2_codec
from zom.formats.v2_rules import object_codec_of
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from zom.extension.bound import Block
    from zom.extension.bound_chain import BoundChain
    from zom.limits import Limits
    from zom.model.spec import Spec
    from zom.problems import Fault

__all__ = ["compile_v2", "order_links", "v2_link"]

_Path = tuple[str | int, ...]


def compile_v2(spec: Spec, limits: Limits) -> ArrayPlan:
    """The plan of a v2 array."""
    document = spec.document
    shape = cast("tuple[int, ...]", spec.__dict__["shape"])
    chunks = cast("tuple[int, ...]", spec.__dict__["chunks"])
    filters, compressor = document.get("filters"), document.get("compressor")
    faults: list[Fault] = []
    data_type = parse_v2(document["dtype"], object_codec_of(filters, compressor), faults, ("dtype",))
    if data_type is None:
        raise unknown("data type", show(document["dtype"]), "dtype")
    fill = data_type.parse_fill(document["fill_value"], "v2", faults, ("fill_value",))
    given = filters if is_list(filters) else ()
    values: list[tuple[Any, _Path]] = [(value, ("filters", i)) for i, value in enumerate(given)]
    if compressor is not None:
        values.append((compressor, ("compressor",)))
    order, rank = document.get("order", "C"), len(shape)

    def bind(block: Block) -> BoundChain:
        links = [*order_links(order, rank), *(v2_link(value, path) for value, path in values)]
        return bind_chain(links, block, limit=limits.chunk_bytes)

    return ArrayPlan(
        shape,
        data_type,
        data_type.numpy(),
        fill_array(data_type, fill),
        # A length of 0, where the array has none either, was written by others and is read as 1.
        tuple(Axis(length, max(size, 1)) for length, size in zip(shape, chunks, strict=True)),
        KeyForm("", document.get("dimension_separator") or ".", "0"),
        bind,
    )


def order_links(order: Any, rank: int) -> list[Link]:
    """What turns chunks into the order of memory that a document names."""
    if order != "F" or rank < 2:
        return []
    transpose = codecs["transpose"]
    configuration = transpose.configuration.model_validate({"order": list(range(rank))[::-1]})
    return [Link(transpose.name, transpose, configuration, ("order",))]


def v2_link(value: Any, path: _Path) -> Link:
    """The codec that a filter or a compressor is."""
    faults: list[Fault] = []
    found = check_v2_codec(value, faults, path)
    if found is not None:
        return Link(found[0].name, *found, path)
    name = value.get("id") if is_dict(value) else None
    if isinstance(name, str) and name not in v2_codecs():
        return Link(name, None, None, path)
    raise unusable(faults)
