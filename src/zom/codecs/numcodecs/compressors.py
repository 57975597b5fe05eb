"""The numcodecs compressors with few parameters: zlib, gzip, bz2, lz4, zstd; and base64.

v2 uses their ids, and v3 `numcodecs.<id>` (`numcodecs.gzip` and `numcodecs.zstd` exist beside the v3
codecs `gzip` and `zstd`). A level only matters for writing: chunks of all levels decode alike.

https://numcodecs.readthedocs.io/en/stable/compression/index.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.zlib
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from zom.codecs.blosc.lz4_block import Lz4Coder
from zom.codecs.gzip.deflate import bind_gzip, bind_zlib
from zom.codecs.gzip.inflate import Format, Inflater
from zom.codecs.numcodecs.base64_text import Base64Coder
from zom.codecs.stream_size import stream_before
from zom.codecs.zstd.coder import ZstdCoder
from zom.extension.codec import Bytes, Codec, CodecKind, Representation, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import ForEncoding, Interval

if TYPE_CHECKING:
    from zom.extension.bound import ByteCoder, Form
    from zom.problems import Fault, Path

__all__ = [
    "Bz2Configuration",
    "Compressor",
    "DeflateConfiguration",
    "Lz4Configuration",
    "ZstdConfiguration",
    "base64",
    "bz2",
    "gzip",
    "lz4",
    "zlib",
    "zstd",
]


class DeflateConfiguration(Configuration):
    """The level of zlib and gzip; -1 uses the library's default.

    >>> DeflateConfiguration().level
    1
    """

    level: ForEncoding[Annotated[int, Interval(-1, 9)]] = 1


class Bz2Configuration(Configuration):
    """The level of bzip2: its block size, in units of 100 kB.

    >>> Bz2Configuration(level=9).level
    9
    """

    level: ForEncoding[Annotated[int, Interval(1, 9)]] = 1


class Lz4Configuration(Configuration):
    """The acceleration of lz4: higher is faster and compresses less; below 1 it uses its default.

    >>> Lz4Configuration().acceleration
    1
    """

    acceleration: ForEncoding[Annotated[int, Interval(-(2**31), 2**31 - 1)]] = 1


class ZstdConfiguration(Configuration):
    """The level of zstd, and whether frames have a checksum.

    >>> ZstdConfiguration().checksum
    False
    """

    level: ForEncoding[Annotated[int, Interval(-131072, 22)]] = 0
    checksum: ForEncoding[bool] = False


class Compressor(Codec):
    """A bytes->bytes codec with variable output size.

    >>> zlib.thread(DeflateConfiguration(), Bytes(100), [], ())
    Bytes(size=None)
    """

    kind: ClassVar[CodecKind] = "bytes->bytes"
    sees_lengths = False

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return bytes of variable size."""
        del configuration, before, faults, path
        return Bytes()


class Zlib(Compressor):
    """zlib, RFC 1950."""

    name = "numcodecs.zlib"
    v2_id = "zlib"
    draft_name = "zlib"
    configuration = v2_configuration = DeflateConfiguration

    def bind(self, configuration: DeflateConfiguration, before: Form, after: Form) -> ByteCoder:
        """Return a coder that uses libdeflate, or zlib where needed."""
        del after
        return bind_zlib(before, self.name, configuration.level)


class GZip(Compressor):
    """gzip, RFC 1952, with numcodecs' default level."""

    name = "numcodecs.gzip"
    configuration = DeflateConfiguration

    def bind(self, configuration: DeflateConfiguration, before: Form, after: Form) -> ByteCoder:
        """Return the coder of the codec `gzip`."""
        del after
        return bind_gzip(before, self.name, configuration.level)


class Bz2(Compressor):
    """bzip2."""

    name = "numcodecs.bz2"
    v2_id = "bz2"
    draft_name = "bz2"
    configuration = v2_configuration = Bz2Configuration

    def bind(self, configuration: Bz2Configuration, before: Form, after: Form) -> ByteCoder:
        """Return a coder that uses Python's bz2."""
        del after
        import bz2  # noqa: PLC0415 - Python may be built without it

        level = configuration.level
        streams = Format("bzip2", bz2.BZ2Decompressor, (OSError, ValueError), b"BZh")
        return Inflater(stream_before(before, self.name), streams, lambda chunk: bz2.compress(chunk, level))


class Lz4(Compressor):
    """An lz4 block preceded by its decoded length in four bytes, not an lz4 frame."""

    name = "numcodecs.lz4"
    v2_id = "lz4"
    draft_name = "lz4"
    configuration = v2_configuration = Lz4Configuration

    def bind(self, configuration: Lz4Configuration, before: Form, after: Form) -> ByteCoder:
        """Return a coder that uses numcodecs' lz4."""
        del after
        return Lz4Coder(stream_before(before, self.name), configuration.acceleration)


class Zstd(Compressor):
    """Zstandard, RFC 8878, with numcodecs' default level."""

    name = "numcodecs.zstd"
    configuration = ZstdConfiguration

    def bind(self, configuration: ZstdConfiguration, before: Form, after: Form) -> ByteCoder:
        """Return the coder of the codec `zstd`."""
        del after
        stream = stream_before(before, self.name)
        return ZstdCoder(stream, configuration.level, checksum=configuration.checksum)


class Base64(Compressor):
    """base64, RFC 4648, section 4; not registered for v3."""

    name = "numcodecs.base64"
    v2_id = "base64"
    registered = False

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return four bytes for every three, including padding."""
        del configuration, faults, path
        size = before.size if isinstance(before, Bytes) else None
        return Bytes(None if size is None else -(-size // 3) * 4)

    def bind(self, configuration: Configuration, before: Form, after: Form) -> ByteCoder:
        """Return a coder that uses Python's base64 in strict mode."""
        del after
        del configuration
        return Base64Coder(stream_before(before, self.name))


zlib = codecs.register(Zlib())
gzip = codecs.register(GZip())
bz2 = codecs.register(Bz2())
lz4 = codecs.register(Lz4())
zstd = codecs.register(Zstd())
base64 = codecs.register(Base64())
