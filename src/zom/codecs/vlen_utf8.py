"""The `vlen-utf8` codec: UTF-8 texts of any length, each preceded by its length.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-utf8
Zarr v2: numcodecs id "vlen-utf8". A chunk is the number of elements (u32, little-endian), then for each
element its length in bytes (u32, little-endian) and its bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from typing_extensions import override

from zom.codecs.vlen import VlenCodec, VlenCoder, as_text, join_items, parse_items, place_of
from zom.errors import CodecError
from zom.extension.codec import codecs
from zom.problems import rule

if TYPE_CHECKING:
    from zom.extension.bound import Array, Data

__all__ = ["VlenUtf8Codec", "vlen_utf8"]

TYPE = rule(
    "codec/vlen-utf8-type",
    "the vlen-utf8 codec takes the data type string",
    source="zarr-extensions, vlen-utf8 codec",
)


class VlenText(VlenCoder):
    r"""Text, each item as UTF-8 preceded by its length in bytes.

    >>> import numpy as np, zom.dtypes
    >>> from zom.extension.bound import Block
    >>> from zom.extension.resolve import data_type
    >>> coder = VlenText(Block((1,), data_type("string"), ""))
    >>> bytes(coder.encode(np.array(["é"], "T"))), coder.decode(b"\1\0\0\0\1\0\0\0a").tolist()
    (b'\x01\x00\x00\x00\x02\x00\x00\x00\xc3\xa9', ['a'])
    """

    @override
    def encode(self, chunk: Array) -> Data:
        items: list[str] = chunk.reshape(-1).tolist()
        try:
            text = "".join(items)
            if text.isascii():
                return join_items(text.encode(), list(map(len, items)), chunk.shape)
            parts = [item.encode() for item in items]
        except (TypeError, UnicodeEncodeError):
            _refuse(items, chunk.shape)
        return join_items(b"".join(parts), list(map(len, parts)), chunk.shape)

    @override
    def decode(self, chunk: Data) -> Array:
        return as_text(parse_items(chunk, self._shape), self._shape)


def _refuse(items: list[Any], shape: tuple[int, ...]) -> NoReturn:
    for index, item in enumerate(items):
        if not isinstance(item, str):
            where = place_of(index, shape)
            raise CodecError(f"expected text at {where}, found {type(item).__name__}")
        try:
            item.encode()
        except UnicodeEncodeError as cause:
            where = place_of(index, shape)
            message = f"the text at {where} can't be encoded in UTF-8: a lone surrogate at its character {cause.start}"
            raise CodecError(message) from cause
    raise CodecError("the text can't be encoded in UTF-8")


class VlenUtf8Codec(VlenCodec):
    """`vlen-utf8`: array -> bytes."""

    name = "vlen-utf8"
    v2_id = "vlen-utf8"
    takes = "string"
    broken = TYPE
    coder = VlenText


vlen_utf8 = codecs.register(VlenUtf8Codec())
"""The `vlen-utf8` codec."""
