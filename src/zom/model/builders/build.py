"""Build array documents from a shape, type, chunks and compression.

The documents use the spellings with the widest support: codecs as objects with a configuration, data
types as plain names, zstd for compression. This module holds what all formats share.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from zom.count import count_of
from zom.errors import ZomError
from zom.extension.answer import at_fault
from zom.extension.notation import NOTATIONS
from zom.extension.registry import did_you_mean, near
from zom.model.builders.chunking import refuse
from zom.numpy_later import np
from zom.problems import cause_text, given_text

if TYPE_CHECKING:
    from zom.extension.datatype import DataType, Format
    from zom.json.value import JSON

__all__ = [
    "AUTO",
    "Compression",
    "DTypeLike",
    "ShardChoice",
    "fill_of",
    "item_size",
    "named_compression",
    "names_of",
    "numcodecs_level",
    "shape_of",
    "spelled_compression",
    "with_dimensions",
]

DTypeLike: TypeAlias = Any
"""A data type: a DataType, anything that numpy.dtype accepts, or a v3 name or definition."""

Compression: TypeAlias = "str | Mapping[str, JSON] | Sequence[Mapping[str, JSON]] | None"
"""How to compress chunks: a name, optionally with a level ("zstd", "gzip:9"), one codec or several
as the document spells them, or None."""

ShardChoice: TypeAlias = "Literal['auto'] | int | Sequence[int | None] | None"
"""How to group chunks into shards: by size, by lengths, or not at all."""


class _Auto:
    """The type of `AUTO`, which leaves the choice to zom."""

    def __repr__(self) -> str:
        return "AUTO"


AUTO: Final = _Auto()
"""The default fill value of the data type."""

_VARIABLE_ITEM = 32
"""Assumed bytes of a variable-length element when chunks are sized."""


_LEVELS = {"zstd": 3, "gzip": 5, "blosc": 5, "zlib": 5, "bz2": 5, "lz4": 1, "lzma": 6}


def item_size(kind: DataType) -> int:
    """Return the bytes per element; an assumed size for variable-length types.

    >>> from zom.extension.resolve import data_type
    >>> item_size(data_type("int16")), item_size(data_type("string"))
    (2, 32)
    """
    return kind.itemsize or _VARIABLE_ITEM


def shape_of(shape: int | Iterable[int]) -> tuple[int, ...]:
    """Return `shape` as a tuple of lengths.

    >>> shape_of(4), shape_of([2, 3])
    ((4,), (2, 3))
    """
    given: tuple[Any, ...] = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if any(isinstance(length, (bool, np.bool)) for length in given):
        raise refuse("shape", "integers", list(given))
    try:
        return tuple(operator.index(length) for length in given)
    except TypeError:
        raise refuse("shape", "integers", shape) from None


def named_compression(compress: str) -> tuple[str, int]:
    """Return the name and level of `zstd` or `zstd:9`.

    >>> named_compression("gzip"), named_compression("zstd:9")
    (('gzip', 5), ('zstd', 9))
    """
    name, _, level = compress.partition(":")
    if name not in _LEVELS:
        known = sorted(_LEVELS)
        raise refuse("compress", f"one of {', '.join(known)}", compress, did_you_mean(near(name, known)))
    if level and not level.lstrip("-").isdigit():
        raise refuse("compress", "a level after the colon, like zstd:9", compress)
    return name, int(level) if level else _LEVELS[name]


def spelled_compression(compress: Mapping[str, JSON] | Sequence[Mapping[str, JSON]] | None) -> list[Any]:
    """Return compression given as document codecs (one, several or none) as a list.

    >>> spelled_compression({"id": "zlib"})
    [{'id': 'zlib'}]
    """
    if compress is None:
        return []
    if isinstance(compress, Mapping):
        return [compress]
    if not isinstance(compress, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] - users' values
        raise refuse("compress", "a name, a codec, several codecs or None", compress)
    chain = list(compress)
    for codec in chain:
        if not isinstance(codec, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - as above
            raise refuse(
                "compress", 'codecs as objects with a name, or a single name such as "gzip:5"', compress
            )
    return chain


def fill_of(kind: DataType, fill_value: object, form: Format) -> Any:
    """Return the fill value as `form` spells it: the given one, or the default of the type.

    >>> from zom.extension.resolve import data_type
    >>> fill_of(data_type("int8"), AUTO, "v3"), fill_of(data_type("int8"), None, "v2")
    (0, None)
    """
    if fill_value is AUTO or (fill_value is None and not NOTATIONS[form].null):
        return kind.fill_json(kind.default(), form)
    if fill_value is None:
        return None
    try:
        return kind.fill_json(kind.cast(fill_value), form)
    except (ZomError, MemoryError, RecursionError):
        raise
    except Exception as cause:
        found = f"the fill value {given_text(fill_value)} raised {cause_text(cause)}"
        raise at_fault(f"<data type {kind.name}>", found) from cause


def with_dimensions(attributes: Any, dimension_names: Sequence[str | None] | None, rank: int) -> Any:
    """Return the attributes with dimension names in `_ARRAY_DIMENSIONS`, where xarray looks for them.

    >>> with_dimensions({"a": 1}, ["y"], 1)
    {'_ARRAY_DIMENSIONS': ['y'], 'a': 1}
    """
    if dimension_names is None:
        return attributes
    names = list(names_of(dimension_names))
    if len(names) != rank:
        wanted = f"{count_of(rank, 'name')}, one for each dimension"
        raise refuse("dimension_names", wanted, names)
    if attributes is not None and not isinstance(attributes, Mapping):
        found = type(attributes).__name__
        raise refuse("dimension_names", "attributes as a mapping, to add _ARRAY_DIMENSIONS", found)
    given = cast("Mapping[str, Any]", attributes or {})
    return {"_ARRAY_DIMENSIONS": names, **given}


def names_of(dimension_names: Sequence[str | None]) -> tuple[str | None, ...]:
    """Return dimension names as a tuple; reject a string instead of splitting it into letters.

    >>> names_of(["y", None])
    ('y', None)
    """
    if isinstance(dimension_names, str):
        fix = f"did you mean ({dimension_names!r},)?"
        raise refuse("dimension_names", "a list of names, one for each dimension", dimension_names, fix)
    return tuple(dimension_names)


def numcodecs_level(name: str, level: int) -> dict[str, Any]:
    """Return the level of a numcodecs compressor, under its parameter name in numcodecs.

    >>> numcodecs_level("lz4", 1), numcodecs_level("zlib", 5)
    ({'acceleration': 1}, {'level': 5})
    """
    if name == "lz4":
        return {"acceleration": level}
    return {"preset": level} if name == "lzma" else {"level": level}
