"""The `zstd` codec: bytes in, a Zstandard frame (RFC 8878) out.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zstd
Zarr v2: numcodecs id "zstd".
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic reads the annotation
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, PlainSerializer, WrapValidator

from zom.codecs.gdal_spelling import gdal_checksum, gdal_fault
from zom.codecs.gzip.stream_size import stream_before
from zom.codecs.zstd.coder import ZstdCoder
from zom.extension.codec import Bytes, Codec, codecs
from zom.extension.configuration import Configuration, OrAbsent
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from zom.extension.bound import ByteCoder, Form
    from zom.extension.codec import Representation

__all__ = ["ZstdCodec", "ZstdConfiguration", "ZstdV2Configuration", "zstd"]

LEVEL = rule(
    "codec/zstd-level",
    "the zstd codec has a level; decoding needs none",
    source="zarr-extensions, zstd codec, configuration parameters",
    lenient="warning",
    schema=True,
)

Level = Annotated[int, Field(ge=-131072, le=22)]
"""From fastest to smallest; 0 is the library's own default."""


class ZstdConfiguration(Configuration):
    """How hard to compress, and whether to store a checksum."""

    strict_schema: ClassVar[Mapping[str, Any]] = {"required": ["level"]}
    encoding_only: ClassVar[Mapping[str, Any]] = {"level": 0, "checksum": None}

    level: OrAbsent[Level] = None
    checksum: bool = False


class ZstdV2Configuration(Configuration):
    """As numcodecs has it."""

    encoding_only: ClassVar[Mapping[str, Any]] = {"level": None, "checksum": None}

    level: Level = 0
    checksum: Annotated[bool, WrapValidator(gdal_checksum), PlainSerializer(bool)] = False


class ZstdCodec(Codec):
    """`zstd`: bytes -> bytes."""

    name = "zstd"
    kind = "bytes->bytes"
    configuration = ZstdConfiguration
    needs_configuration = True
    v2_id = "zstd"
    v2_configuration = ZstdV2Configuration

    def thread(
        self,
        configuration: ZstdConfiguration,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Bytes:
        """Bytes of no fixed number."""
        del before
        expected = "true or false"
        gdal_fault(configuration.checksum, expected, (*path, "configuration", "checksum"), faults)
        if configuration.level is None:
            here = (*path, "configuration", "level")
            faults.append(Fault(LEVEL, here, "an integer from -131072 to 22", "nothing"))
        return Bytes()

    def bind(
        self, configuration: ZstdConfiguration | ZstdV2Configuration, before: Form, after: Form
    ) -> ByteCoder:
        """libzstd, as numcodecs has it; without a level its own default is taken.

        v2 has no codec for checksums that everybody reads. But a frame says itself whether it ends with one,
        so all decoders check it: it is written unless the document says that it shall not be.
        """
        del after
        stream = stream_before(before, self.name)
        silent = "checksum" not in configuration.model_fields_set
        checksum = bool(configuration.checksum) or (silent and isinstance(configuration, ZstdV2Configuration))
        return ZstdCoder(stream, configuration.level or 0, checksum=checksum)


zstd = codecs.register(ZstdCodec())
"""The `zstd` codec."""
