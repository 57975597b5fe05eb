"""The `vlen-bytes` codec: byte strings of any length, each after its own length.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-bytes
Zarr v2: numcodecs id "vlen-bytes". A chunk is the number of elements (u32, little-endian), then for each
element its length in bytes (the same) and its bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.model.codec import Bytes, Codec, Elements, codecs
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from zom.model.codec import Representation
    from zom.model.configuration import NoConfiguration

__all__ = ["VlenBytesCodec", "vlen_bytes"]

TYPE = rule(
    "codec/vlen-bytes-type",
    "the vlen-bytes codec takes the data type bytes",
    source="zarr-extensions, vlen-bytes codec",
)


class VlenBytesCodec(Codec):
    """`vlen-bytes`: array -> bytes."""

    name = "vlen-bytes"
    kind = "array->bytes"
    v2_id = "vlen-bytes"
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
        if data_type is not None and (data_type.kind != "bytes" or data_type.itemsize is not None):
            found = f"the data type {show(data_type.name)}"
            faults.append(Fault(TYPE, path, 'the data type "bytes"', found))
        return Bytes()


vlen_bytes = codecs.register(VlenBytesCodec())
"""The `vlen-bytes` codec."""
