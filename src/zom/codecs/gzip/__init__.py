"""The `gzip` codec: bytes in, a gzip stream out.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/gzip/index.html
Zarr v2: numcodecs id "gzip", whose level may be -1, zlib's default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from zom.codecs.gzip.deflate import bind_gzip
from zom.extension.codec import Bytes, Codec, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import EncodingOnly, ForEncoding, Interval, OrAbsent, Required
from zom.problems import Path, rule

if TYPE_CHECKING:
    from zom.extension.bound import ByteCoder, Form
    from zom.extension.codec import Representation
    from zom.problems import Fault

__all__ = ["GzipCodec", "GzipConfiguration", "GzipV2Configuration", "gzip"]

LEVEL = rule(
    "codec/gzip-level",
    "the gzip codec has a level; decoding doesn't need it",
    source="zarr v3, gzip codec, configuration parameters",
    lenient="warning",
    schema=True,
)


class GzipConfiguration(Configuration):
    """The compression level: 0 is none, 1 is fastest, 9 is smallest."""

    level: Annotated[OrAbsent[Annotated[int, Interval(0, 9)]], Required(LEVEL), EncodingOnly(6)] = None


class GzipV2Configuration(Configuration):
    """The compression level in numcodecs, by default 1."""

    level: ForEncoding[Annotated[int, Interval(-1, 9)]] = 1


class GzipCodec(Codec):
    """`gzip`: bytes -> bytes."""

    name = "gzip"
    kind = "bytes->bytes"
    sees_lengths = False
    configuration = GzipConfiguration
    v2_id = "gzip"
    v2_configuration = GzipV2Configuration
    draft_name = "gzip"

    def thread(
        self,
        configuration: GzipConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return bytes of variable size."""
        del configuration, before, faults, path
        return Bytes()

    def bind(
        self, configuration: GzipConfiguration | GzipV2Configuration, before: Form, after: Form
    ) -> ByteCoder:
        """Return a coder that uses libdeflate, or zlib where needed; without a level, use zlib's default."""
        del after
        level = configuration.level
        return bind_gzip(before, self.name, -1 if level is None else level)


gzip = codecs.register(GzipCodec())
"""The `gzip` codec."""
