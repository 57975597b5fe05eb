"""The `gzip` codec: bytes in, a gzip stream out.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/gzip/index.html
Zarr v2: numcodecs id "gzip", whose level may be -1, zlib's own default.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic reads the annotation
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from zom.codecs.gzip.deflate import bind_gzip
from zom.extension.codec import Bytes, Codec, codecs
from zom.extension.configuration import Configuration, OrAbsent
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from zom.extension.bound import ByteCoder, Form
    from zom.extension.codec import Representation

__all__ = ["GzipCodec", "GzipConfiguration", "GzipV2Configuration", "gzip"]

LEVEL = rule(
    "codec/gzip-level",
    "the gzip codec has a level; decoding needs none",
    source="zarr v3, gzip codec, configuration parameters",
    lenient="warning",
    schema=True,
)


class GzipConfiguration(Configuration):
    """How hard to compress: 0 is not at all, 1 is fastest, 9 is smallest."""

    strict_schema: ClassVar[Mapping[str, Any]] = {"required": ["level"]}
    encoding_only: ClassVar[Mapping[str, Any]] = {"level": 6}

    level: OrAbsent[Annotated[int, Field(ge=0, le=9)]] = None


class GzipV2Configuration(Configuration):
    """As numcodecs has it; 1 where it is absent."""

    encoding_only: ClassVar[Mapping[str, Any]] = {"level": None}

    level: Annotated[int, Field(ge=-1, le=9)] = 1


class GzipCodec(Codec):
    """`gzip`: bytes -> bytes."""

    name = "gzip"
    kind = "bytes->bytes"
    configuration = GzipConfiguration
    needs_configuration = True
    v2_id = "gzip"
    v2_configuration = GzipV2Configuration
    draft_name = "gzip"

    def thread(
        self,
        configuration: GzipConfiguration,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Bytes:
        """Bytes of no fixed number."""
        del before
        if configuration.level is None:
            here = (*path, "configuration", "level")
            faults.append(Fault(LEVEL, here, "an integer from 0 to 9", "nothing"))
        return Bytes()

    def bind(
        self, configuration: GzipConfiguration | GzipV2Configuration, before: Form, after: Form
    ) -> ByteCoder:
        """zlib, or libdeflate where it is installed; without a level zlib's own default is taken."""
        del after
        level = configuration.level
        return bind_gzip(before, self.name, -1 if level is None else level)


gzip = codecs.register(GzipCodec())
"""The `gzip` codec."""
