"""The `vlen-utf8` codec: UTF-8 text of any length, each after its own length.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-utf8
Zarr v2: numcodecs id "vlen-utf8". A chunk is the number of elements (u32, little-endian), then for each
element its length in bytes (the same) and its bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from typing_extensions import override

from zom.codecs.vlen import as_text, join_items, parse_items, place_of
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block, Coder
from zom.extension.codec import Bytes, Codec, Elements, codecs
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Array, Data, Form
    from zom.extension.codec import Representation
    from zom.extension.configuration import NoConfiguration

__all__ = ["VlenUtf8Codec", "vlen_utf8"]

TYPE = rule(
    "codec/vlen-utf8-type",
    "the vlen-utf8 codec takes the data type string",
    source="zarr-extensions, vlen-utf8 codec",
)


class VlenUtf8Codec(Codec):
    """`vlen-utf8`: array -> bytes."""

    name = "vlen-utf8"
    kind = "array->bytes"
    v2_id = "vlen-utf8"
    holds_objects = True

    def thread(
        self,
        configuration: NoConfiguration,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Bytes:
        """Bytes of no fixed number."""
        del configuration
        data_type = before.data_type if isinstance(before, Elements) else None
        if data_type is not None and (data_type.kind != "string" or data_type.itemsize is not None):
            found = f"the data type {show(data_type.name)}"
            faults.append(Fault(TYPE, path, 'the data type "string"', found))
        return Bytes()

    def bind(self, configuration: NoConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """The same for all chunks of a shape."""
        del configuration, after
        if not isinstance(before, Block):
            raise ExtensionError("the vlen-utf8 codec wants elements")
        return VlenText(before)


class VlenText(Coder[Any, Any]):
    r"""Text, each item as UTF-8 behind its length in bytes.

    >>> import numpy as np, zom.dtypes
    >>> from zom.extension.resolve import data_type
    >>> coder = VlenText(Block((1,), data_type("string"), ""))
    >>> bytes(coder.encode(np.array(["é"], "T"))), coder.decode(b"\1\0\0\0\1\0\0\0a").tolist()
    (b'\x01\x00\x00\x00\x02\x00\x00\x00\xc3\xa9', ['a'])
    """

    def __init__(self, block: Block) -> None:
        self._shape = block.shape

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
            message = (
                f"the text at {where} has no UTF-8: half a surrogate pair at its character {cause.start}"
            )
            raise CodecError(message) from cause
    raise CodecError("the text has no UTF-8")


vlen_utf8 = codecs.register(VlenUtf8Codec())
"""The `vlen-utf8` codec."""
