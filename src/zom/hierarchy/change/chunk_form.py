"""The form of an array's chunks: the meaning of their bytes, in one spelling per meaning.

Two arrays of one form can read each other's chunks. The shape and the fill value are not part of it: the
shape says which chunks exist, and the fill value what missing ones read as. Options for writing only, such as
the level of a compressor, are left out, and so are codecs that change nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from zom.engine.compile import compile_plan
from zom.errors import ZomError
from zom.extension.inner_codecs import with_inner_codecs
from zom.hierarchy.stored.chunk_compatibility import same_fill
from zom.json.exact import exact_text
from zom.model.compare import canonical

if TYPE_CHECKING:
    from zom.engine.plan import ArrayPlan
    from zom.model.spec import Spec

__all__ = ["chunk_form", "same_chunks", "same_missing"]

_WRITING_ONLY: Final[dict[str, frozenset[str]]] = {
    "gzip": frozenset({"level"}),
    "zlib": frozenset({"level"}),
    "bz2": frozenset({"level"}),
    "zstd": frozenset({"level", "checksum"}),
    "lz4": frozenset({"acceleration"}),
    "blosc": frozenset({"cname", "clevel", "shuffle", "typesize", "blocksize"}),
}
"""The options that a codec's streams already contain, by the name of the codec."""

_SAME_STREAM: Final = frozenset({"gzip", "zstd", "blosc", "zlib", "bz2"})
"""The codecs with the same streams as the numcodecs codec of that name."""


class _ChunkMeaning(NamedTuple):
    """The meaning of chunks, as text that is equal if they mean the same."""

    family: str
    axes: tuple[Any, ...]
    keys: tuple[str, ...]
    elements: str | bytes


def same_chunks(old: Spec, new: Spec) -> bool:
    """Whether every stored chunk of `old` has the same elements in `new`, if both shapes include it.

    >>> from zom import v3
    >>> old = v3.ArraySpec.build(shape=(4,), dtype="uint16", compress="zstd")
    >>> new = old.replace(codecs=[*old.codecs[:1], {"name": "numcodecs.zstd", "configuration": {"level": 9}}])
    >>> same_chunks(old, new), same_chunks(old, old.replace(data_type="int16"))
    (True, False)
    """
    shapes = old.__dict__["shape"], new.__dict__["shape"]
    if len(shapes[0]) != len(shapes[1]):
        return False
    try:
        over = old if shapes[0] == shapes[1] or not _is_regular(old) else old.replace(shape=shapes[1])
    except ZomError:
        return False
    form = chunk_form(over)
    return form is not None and form == chunk_form(new)


def same_missing(old: Spec, new: Spec) -> bool:
    """Whether elements that were never written read the same in both, bit for bit."""
    try:
        return same_fill(compile_plan(old), compile_plan(new))
    except ZomError:
        return False


def chunk_form(spec: Spec) -> Any:
    """The form of the chunks of an array, or None if something is unknown."""
    try:
        plan = compile_plan(spec)
    except ZomError:
        return None
    document = canonical(spec)
    elements = _ELEMENTS[spec.family.form](document, len(plan.axes))
    return _ChunkMeaning(spec.family.form, _axes(plan), _keys(plan), exact_text(elements))


def _is_regular(spec: Spec) -> bool:
    """Whether the grid of the array can be applied to another shape."""
    grid = cast("dict[str, Any]", canonical(spec).get("chunk_grid", {}))
    return bool(grid.get("name", "regular") == "regular")


def _axes(plan: ArrayPlan) -> tuple[Any, ...]:
    return tuple((axis.length, axis.regular, axis.runs) for axis in plan.axes)


def _keys(plan: ArrayPlan) -> tuple[Any, ...]:
    rank, keys = len(plan.axes), plan.keys
    if keys.writer is not None:
        return (keys.writer, keys.tail)
    return (keys.scalar,) if not rank else (keys.head, keys.tail, keys.separator)[: min(rank, 2) + 1]


def _elements_v3(document: dict[str, Any], rank: int) -> Any:
    transformers = document.get("storage_transformers")
    return [document["data_type"], _chain(document["codecs"], rank), transformers or None]


def _elements_v2(document: dict[str, Any], rank: int) -> Any:
    filters = [_codec_v2(codec) for codec in document.get("filters") or ()]
    compressor = document.get("compressor")
    order = document["order"] if rank > 1 else "C"
    return [document["dtype"], order, filters, compressor and _codec_v2(compressor)]


def _elements_draft(document: dict[str, Any], rank: int) -> Any:
    del rank
    unread = {"shape", "fill_value", "attributes", "chunk_grid"}
    rest = {name: value for name, value in document.items() if name not in unread}
    return {**rest, "codecs": [_codec_draft(codec) for codec in document["codecs"]]}


_ELEMENTS: Final = {"v2": _elements_v2, "v3": _elements_v3, "draft": _elements_draft}


def _chain(codecs: list[Any], rank: int) -> list[Any]:
    return [made for codec in codecs if (made := _codec_v3(codec, rank)) is not None]


def _codec_v3(codec: dict[str, Any], rank: int) -> Any:
    """A codec reduced to its meaning for chunks, or None if it changes nothing."""
    name, configuration = str(codec["name"]), codec["configuration"]
    if name == "transpose" and configuration.get("order") == list(range(rank)):
        return None
    plain = name.removeprefix("numcodecs.")
    if plain in _SAME_STREAM:
        name = plain
    kept = {key: value for key, value in configuration.items() if key not in _WRITING_ONLY.get(plain, ())}
    # An index has one more dimension than its shard.
    return with_inner_codecs(
        {**codec, "name": name, "configuration": kept},
        lambda member, inner: _chain(inner, rank + (member == "index_codecs")),
    )


def _codec_v2(codec: dict[str, Any]) -> Any:
    unread = _WRITING_ONLY.get(str(codec["id"]), frozenset())
    return {key: value for key, value in codec.items() if key not in unread}


def _codec_draft(codec: dict[str, Any]) -> Any:
    name = next((name for name in _WRITING_ONLY if f"/{name}" in str(codec["type"])), "")
    given = codec.get("configuration", {})
    kept = {key: value for key, value in given.items() if key not in _WRITING_ONLY.get(name, ())}
    return {**codec, "configuration": kept}
