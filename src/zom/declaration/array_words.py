"""Arrays in the words of declarations: everything in a document, before any word is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.declaration.expression import escaped
from zom.formats import v3
from zom.formats.resolve import resolve
from zom.json.python_value import is_dict, is_list
from zom.json.value import thaw

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["all_words"]

_LEVELLED: Final = frozenset({"zstd", "gzip", "zlib", "bz2"})


def all_words(spec: Any, form: str) -> dict[str, Any] | None:
    """Return the words for an array's document, or None if words can't express it.

    >>> from zom import v3
    >>> all_words(v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=("x",)), "v3")
    {'dims': ['x'], 'shape': [4], 'dtype': 'int8', 'chunks': {'x': 4}, 'compress': 'zstd:3', 'fill_value': 0}
    """
    resolved = resolve(spec)
    if resolved.encoding.axes is None:
        return None
    document = thaw(spec.document)
    attributes = dict(document.get("attributes") or {})
    dims = _dims(document, attributes, form, len(resolved.shape))
    words: dict[str, Any] = {}
    if dims is not None:
        words["dims"] = dims
    words["shape"] = list(resolved.shape)
    words["dtype"] = document.get("data_type", document.get("dtype"))
    if not _cut(words, document, form, dims):
        return None
    words["fill_value"] = document.get("fill_value")
    if document.get("order") == "F" or document.get("chunk_memory_layout") == "F":
        words["order"] = "F"
    if form == "v2" and "dimension_separator" in document:
        words["separator"] = document["dimension_separator"]
    if attributes:
        words["attributes"] = escaped(attributes)
    return words


def _dims(document: Mapping[str, Any], attributes: dict[str, Any], form: str, rank: int) -> list[Any] | None:
    """Return the dimension names; in v2, remove them from the attributes."""
    if form == "v2":
        names = attributes.get("_ARRAY_DIMENSIONS")
        if not is_list(names) or len(names) != rank or not all(isinstance(each, str) for each in names):
            return None
        del attributes["_ARRAY_DIMENSIONS"]
        return list(names)
    names = document.get("dimension_names")
    return list(names) if is_list(names) else None


def _cut(words: dict[str, Any], document: Mapping[str, Any], form: str, dims: list[Any] | None) -> bool:
    """Add the words for chunks, shards and codecs; return whether words can express them."""
    if form == "v2":
        words["chunks"] = _by_name(document.get("chunks", []), dims)
        if document.get("filters"):
            words["filters"] = document["filters"]
        words["compress"] = _compressor(document.get("compressor"))
        return True
    grid = document.get("chunk_grid")
    if not is_dict(grid):
        return False
    lengths = grid.get("configuration", grid).get("chunk_shape")
    if not is_list(lengths) or not all(isinstance(each, int) for each in lengths):
        return False
    if form == "draft":
        words["chunks"] = _by_name(lengths, dims)
        words["compress"] = document.get("compressor")
        return True
    codecs = document.get("codecs", [])
    first = codecs[0] if codecs else None
    if is_dict(first) and first.get("name") == "sharding_indexed" and len(codecs) == 1:
        inner = first.get("configuration", {})
        words["shards"] = _by_name(lengths, dims)
        words["chunks"] = _by_name(inner.get("chunk_shape", []), dims)
        codecs = inner.get("codecs", [])
        _chain(words, codecs)
        return "codecs" not in words
    words["chunks"] = _by_name(lengths, dims)
    _chain(words, codecs)
    return True


def _by_name(lengths: list[Any], dims: list[Any] | None) -> Any:
    names = dims or []
    if dims and all(names) and len(set(names)) == len(names):
        return dict(zip(names, lengths, strict=True))
    return list(lengths)


def _compressor(codec: Any) -> Any:
    """Return a v2 codec as name and level if it has nothing else, otherwise unchanged."""
    if is_dict(codec):
        name, level = codec.get("id"), codec.get("level")
        if name in _LEVELLED and codec == {"id": name, "level": level}:
            return f"{name}:{level}"
    return codec


def _is_usual(codec: Any, dtype: Any) -> bool:
    """Whether a blosc codec equals the one built from its name and level alone."""
    level = codec.get("configuration", {}).get("clevel")
    if not isinstance(level, int):
        return False
    made = v3.ArraySpec.build(shape=(1,), dtype=dtype, compress=f"blosc:{level}", checksum=False)
    return bool(codec == made.codecs[-1])


def _chain(words: dict[str, Any], codecs: list[Any]) -> None:
    """Add a v3 chain as `compress` if it is bytes and at most one compressor, otherwise as `codecs`."""
    names = [codec if isinstance(codec, str) else codec.get("name") for codec in codecs]
    last: Any = codecs[-1] if codecs else None
    configuration: Any = last.get("configuration", {}) if is_dict(last) else {}
    plain = {"bytes", "vlen-utf8", "vlen-bytes"}
    if len(names) == 1 and names[0] in plain:
        words["compress"] = None
    elif len(names) == 2 and names[0] in plain and names[1] == "zstd":
        words["compress"] = f"zstd:{configuration.get('level', 0)}"
        if not configuration.get("checksum"):
            words["checksum"] = False
    elif len(names) == 2 and names[0] in plain and names[1] == "gzip":
        words["compress"] = f"gzip:{configuration.get('level', 5)}"
    elif len(names) == 2 and names[0] in plain and names[1] == "blosc" and _is_usual(last, words["dtype"]):
        words["compress"] = f"blosc:{configuration['clevel']}"
        words["checksum"] = False
    elif len(names) == 2 and names[0] in plain:
        words["compress"] = last
        words["checksum"] = False
    else:
        words["codecs"] = codecs
