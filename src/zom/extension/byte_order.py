"""Byte order without effect: the codec `bytes` on elements of one byte, with or without `endian`.

Zarr v3, bytes codec: `endian` is required "if the data type's size is greater than one byte"; for other
types all readers get the same result.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from zom.extension.inner_codecs import with_inner_codecs
from zom.extension.resolve import parse_v3

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["without_idle_endian"]

_KEEPS_TYPE: Final = frozenset({"transpose", "reshape", "scale_offset", "bitround"})
"""The codecs before `bytes` that don't change the data type."""


def without_idle_endian(codecs: Iterable[Any], data_type: Any) -> list[Any]:
    """Return canonical v3 codecs without `endian` for elements that have no byte order.

    >>> import zom.dtypes
    >>> without_idle_endian([{"name": "bytes", "configuration": {"endian": "little"}}], "int8")
    [{'name': 'bytes', 'configuration': {}}]
    """
    made: list[Any] = []
    current: Any = data_type
    for codec in codecs:
        name, configuration = codec.get("name"), codec.get("configuration")
        new = codec
        if name == "bytes" and "endian" in configuration and not _is_ordered(current):
            new = {**codec, "configuration": {k: v for k, v in configuration.items() if k != "endian"}}
        elif name == "sharding_indexed":
            new = with_inner_codecs(codec, partial(_inner_list, current))
        elif name == "cast_value":
            current = configuration.get("data_type")
        elif name not in _KEEPS_TYPE:
            current = None
        made.append(new)
    return made


def _inner_list(data_type: Any, name: str, codecs: Any) -> Any:
    return without_idle_endian(codecs, data_type) if name == "codecs" else codecs


def _is_ordered(data_type: Any) -> bool:
    parsed = None if data_type is None else parse_v3(data_type, [])
    return parsed is None or parsed.has_order
