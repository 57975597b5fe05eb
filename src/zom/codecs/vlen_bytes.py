"""The `vlen-bytes` codec: byte strings of any length, each preceded by its length.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-bytes
Zarr v2: numcodecs id "vlen-bytes". A chunk is the number of elements (u32, little-endian), then for each
element its length in bytes (u32, little-endian) and its bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from zom.codecs.vlen import VlenCodec, VlenCoder, as_bytes, join_items, parse_items, place_of
from zom.errors import CodecError
from zom.extension.codec import codecs
from zom.problems import rule

if TYPE_CHECKING:
    from zom.extension.bound import Array, Data

__all__ = ["VlenBytesCodec", "vlen_bytes"]

TYPE = rule(
    "codec/vlen-bytes-type",
    "the vlen-bytes codec takes the data type bytes",
    source="zarr-extensions, vlen-bytes codec",
)


class VlenRaw(VlenCoder):
    r"""Byte strings, each preceded by its length.

    >>> import numpy as np, zom.dtypes
    >>> from zom.extension.bound import Block
    >>> from zom.extension.resolve import data_type
    >>> coder = VlenRaw(Block((1,), data_type("bytes"), b""))
    >>> bytes(coder.encode(np.array([b"ab"], object))), coder.decode(b"\1\0\0\0\1\0\0\0a").tolist()
    (b'\x01\x00\x00\x00\x02\x00\x00\x00ab', [b'a'])
    """

    @override
    def encode(self, chunk: Array) -> Data:
        items: list[bytes] = chunk.reshape(-1).tolist()
        # `join` accepts any buffer and would lose the type of an array, so check the items first.
        if not set(map(type, items)) <= {bytes}:
            items = [_checked(item, index, chunk.shape) for index, item in enumerate(items)]
        return join_items(b"".join(items), list(map(len, items)), chunk.shape)

    @override
    def decode(self, chunk: Data) -> Array:
        return as_bytes(parse_items(chunk, self._shape), self._shape)


def _checked(item: object, index: int, shape: tuple[int, ...]) -> bytes:
    if isinstance(item, (bytes, bytearray)):
        return bytes(item)
    raise CodecError(f"expected bytes at {place_of(index, shape)}, found {type(item).__name__}")


class VlenBytesCodec(VlenCodec):
    """`vlen-bytes`: array -> bytes."""

    name = "vlen-bytes"
    v2_id = "vlen-bytes"
    takes = "bytes"
    broken = TYPE
    coder = VlenRaw


vlen_bytes = codecs.register(VlenBytesCodec())
"""The `vlen-bytes` codec."""
