"""The `zstd` codec: bytes in, a Zstandard frame (RFC 8878) out.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zstd
Zarr v2: numcodecs id "zstd".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import PlainSerializer, WrapValidator

from zom.codecs.gdal_spelling import gdal_checksum, gdal_fault
from zom.codecs.stream_size import stream_before
from zom.codecs.zstd.coder import ZstdCoder
from zom.extension.codec import Bytes, Codec, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import EncodingOnly, ForEncoding, Interval, OrAbsent, Required
from zom.problems import Path, rule

if TYPE_CHECKING:
    from zom.extension.bound import ByteCoder, Form
    from zom.extension.codec import Representation
    from zom.problems import Fault

__all__ = ["ZstdCodec", "ZstdConfiguration", "ZstdV2Configuration", "zstd"]

LEVEL = rule(
    "codec/zstd-level",
    "the zstd codec has a level; decoding doesn't need it",
    source="zarr-extensions, zstd codec, configuration parameters",
    lenient="warning",
    schema=True,
)

CompressionLevel = Annotated[int, Interval(-131072, 22)]
"""The level, from fastest to smallest; 0 is the library's default."""


class ZstdConfiguration(Configuration):
    """The compression level, and whether to store a checksum."""

    level: Annotated[OrAbsent[CompressionLevel], Required(LEVEL), EncodingOnly(0)] = None
    checksum: ForEncoding[bool] = False


class ZstdV2Configuration(Configuration):
    """The configuration in numcodecs."""

    level: ForEncoding[CompressionLevel] = 0
    checksum: Annotated[ForEncoding[bool], WrapValidator(gdal_checksum), PlainSerializer(bool)] = False


class ZstdCodec(Codec):
    """`zstd`: bytes -> bytes."""

    name = "zstd"
    kind = "bytes->bytes"
    sees_lengths = False
    configuration = ZstdConfiguration
    v2_id = "zstd"
    v2_configuration = ZstdV2Configuration

    def thread(
        self,
        configuration: ZstdConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return bytes of variable size."""
        del before
        gdal_fault(configuration, "checksum", (*path, "configuration"), faults)
        return Bytes()

    def bind(
        self, configuration: ZstdConfiguration | ZstdV2Configuration, before: Form, after: Form
    ) -> ByteCoder:
        """Return a coder that uses numcodecs' libzstd; without a level, use its default.

        v2 has no checksum codec that all software reads. But a frame states whether it ends with a checksum,
        and all decoders check it, so in v2 it is written unless the document has a `checksum` of false.
        """
        del after
        stream = stream_before(before, self.name)
        silent = "checksum" not in configuration.model_fields_set
        checksum = bool(configuration.checksum) or (silent and isinstance(configuration, ZstdV2Configuration))
        return ZstdCoder(stream, configuration.level or 0, checksum=checksum)


zstd = codecs.register(ZstdCodec())
"""The `zstd` codec."""
