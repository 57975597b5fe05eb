"""The `crc32c` codec: appends a little-endian checksum of four bytes.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/crc32c/index.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.codecs.crc32c.checksum import SumAfter
from zom.codecs.crc32c.sum import crc32c_function
from zom.codecs.stream_size import stream_before
from zom.extension.codec import Bytes, Codec, codecs

if TYPE_CHECKING:
    from zom.extension.bound import ByteCoder, Form
    from zom.extension.codec import Representation
    from zom.extension.configuration import NoConfiguration
    from zom.problems import Fault, Path

__all__ = ["Crc32cCodec", "crc32c"]


class Crc32cCodec(Codec):
    """`crc32c`: bytes -> bytes."""

    name = "crc32c"
    kind = "bytes->bytes"
    sees_lengths = False

    def thread(
        self,
        configuration: NoConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return four bytes more."""
        del configuration, faults, path
        size = before.size if isinstance(before, Bytes) else None
        return Bytes(None if size is None else size + 4)

    def bind(self, configuration: NoConfiguration, before: Form, after: Form) -> ByteCoder:
        """Return a coder that appends the checksum."""
        del configuration, after
        return SumAfter(stream_before(before, self.name), crc32c_function())


crc32c = codecs.register(Crc32cCodec())
"""The `crc32c` codec."""
