"""The `vlen-utf8` codec: UTF-8 text of any length, each after its own length.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-utf8
Zarr v2: numcodecs id "vlen-utf8". A chunk is the number of elements (u32, little-endian), then for each
element its length in bytes (the same) and its bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.model.codec import Bytes, Codec, Elements, codecs
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from zom.model.codec import Representation
    from zom.model.configuration import NoConfiguration

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


vlen_utf8 = codecs.register(VlenUtf8Codec())
"""The `vlen-utf8` codec."""
