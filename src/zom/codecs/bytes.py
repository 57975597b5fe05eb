"""The `bytes` codec: the elements of a chunk in C order and a stated byte order.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/bytes/index.html
Before zarr-specs pull request 263 its name was `endian`, as in the draft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from zom.errors import ExtensionError
from zom.extension.bound import Block
from zom.extension.codec import Bytes, Codec, Elements, codecs
from zom.extension.configuration import Configuration
from zom.extension.element_memory import is_foreign, reordered
from zom.extension.field import OrAbsent
from zom.extension.raw import Packed, Raw
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    import numpy as np

    from zom.extension.bound import Array, Coder, Data, Form
    from zom.extension.codec import Representation
    from zom.extension.datatype import DataType

__all__ = ["BytesCodec", "BytesConfiguration", "bytes_codec"]

_SOURCE = "zarr v3, bytes codec"

ENDIAN = rule(
    "codec/bytes-endian",
    "the bytes codec has an endian if the elements have a byte order",
    source=f"{_SOURCE}, configuration parameters",
)
# zarr-python wrote little-endian `structured` arrays without it.
LEGACY_ENDIAN = rule(
    "codec/bytes-endian-structured",
    "the bytes codec has an endian if fields of the legacy type `structured` need one",
    source=f"{_SOURCE}, configuration parameters",
    lenient="warning",
)
FIXED = rule(
    "codec/bytes-fixed-size",
    "the bytes codec takes data types whose elements all have the same size",
    source=f"{_SOURCE}, abstract",
)

_VARIABLE = {"string": "vlen-utf8", "bytes": "vlen-bytes"}


class BytesConfiguration(Configuration):
    """The byte order of elements."""

    endian: OrAbsent[Literal["little", "big"]] = None


class EndianConfiguration(Configuration):
    """The draft's configuration: "endian: Required"."""

    endian: Literal["little", "big"]


class BytesCodec(Codec):
    """`bytes`: array -> bytes, without compression."""

    name = "bytes"
    aliases = ("endian",)
    kind = "array->bytes"
    sees_lengths = False
    configuration = BytesConfiguration
    draft_name = "endian"
    draft_configuration = EndianConfiguration

    def thread(
        self,
        configuration: BytesConfiguration | EndianConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return bytes with the size of all elements."""
        if not isinstance(before, Elements) or before.data_type is None:
            return Bytes()
        data_type = before.data_type
        if data_type.itemsize is None:
            codec = _VARIABLE.get(data_type.kind)
            fix = f"use {codec!r}" if codec else None
            found = f"the data type {show(data_type.name)}"
            faults.append(Fault(FIXED, path, "a data type of fixed size", found, fix))
            return Bytes()
        if configuration.endian is None and data_type.has_order:
            faults.append(_no_endian(data_type, path))
        count = before.count
        return Bytes(None if count is None else count * data_type.itemsize)

    def bind(
        self, configuration: BytesConfiguration | EndianConfiguration, before: Form, after: Form
    ) -> Coder[Any, Any]:
        """Return a coder that uses the array's memory, or a copy if the byte order differs."""
        del after
        if not isinstance(before, Block):
            raise ExtensionError("the bytes codec expects elements")
        if before.data_type.is_packed:
            return Packed(before, configuration.endian or "little")
        # Older software wrote little-endian `structured` arrays without an endian.
        stored = before.dtype.newbyteorder(">" if configuration.endian == "big" else "<")
        return Raw(before) if stored == before.dtype else _Swapped(before, stored)


def _no_endian(data_type: DataType, path: Path) -> Fault:
    legacy = data_type.name == "structured"
    return Fault(
        LEGACY_ENDIAN if legacy else ENDIAN,
        (*path, "configuration", "endian"),
        f'"little" or "big", for {show(data_type.name)}',
        "nothing",
        'write "endian": "little"' if legacy else None,
    )


class _Swapped(Raw):
    """Elements whose stored byte order differs from memory."""

    def __init__(self, block: Block, stored: np.dtype[Any]) -> None:
        super().__init__(block, stored)
        self._memory = block.dtype
        self._foreign = is_foreign(stored)

    def decode(self, chunk: Data) -> Array:
        """Return the elements, with a dtype that states their byte order.

        numpy swaps the bytes when it copies elements. For types that are not its own it fails to do so in
        places, so their bytes are swapped here.
        """
        made = super().decode(chunk)
        return reordered(made, self._memory) if self._foreign else made


bytes_codec = codecs.register(BytesCodec())
"""The `bytes` codec."""
