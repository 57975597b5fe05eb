"""The numcodecs compressors that take a level at most: zlib, gzip, bz2, lz4, zstd; and base64.

In v2 by their ids (`gzip` and `zstd` stand beside the v3 codecs of these names), in v3 as
`numcodecs.<id>`. A level only matters to the writer: every one decodes alike.

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
    """The level of zlib and gzip; -1 leaves it to the library.

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
    """How much faster, and how much worse, lz4 works; below 1 it takes its default.

    >>> Lz4Configuration().acceleration
    1
    """

    acceleration: ForEncoding[Annotated[int, Interval(-(2**31), 2**31 - 1)]] = 1


class ZstdConfiguration(Configuration):
    """The level of zstd, and whether each frame carries a checksum.

    >>> ZstdConfiguration().checksum
    False
    """

    level: ForEncoding[Annotated[int, Interval(-131072, 22)]] = 0
    checksum: ForEncoding[bool] = False


class Compressor(Codec):
    """A codec that makes bytes of bytes, of a length that nobody knows before.

    >>> zlib.thread(DeflateConfiguration(), Bytes(100), [], ())
    Bytes(size=None)
    """

    kind: ClassVar[CodecKind] = "bytes->bytes"
    sees_lengths = False

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Bytes, of any number."""
        del configuration, before, faults, path
        return Bytes()


class Zlib(Compressor):
    """RFC 1950."""

    name = "numcodecs.zlib"
    v2_id = "zlib"
    draft_name = "zlib"
    configuration = v2_configuration = DeflateConfiguration

    def bind(self, configuration: DeflateConfiguration, before: Form, after: Form) -> ByteCoder:
        """libdeflate, and zlib for what that can't."""
        del after
        return bind_zlib(before, self.name, configuration.level)


class GZip(Compressor):
    """RFC 1952, with numcodecs' default level."""

    name = "numcodecs.gzip"
    configuration = DeflateConfiguration

    def bind(self, configuration: DeflateConfiguration, before: Form, after: Form) -> ByteCoder:
        """As the codec `gzip`."""
        del after
        return bind_gzip(before, self.name, configuration.level)


class Bz2(Compressor):
    """bzip2."""

    name = "numcodecs.bz2"
    v2_id = "bz2"
    draft_name = "bz2"
    configuration = v2_configuration = Bz2Configuration

    def bind(self, configuration: Bz2Configuration, before: Form, after: Form) -> ByteCoder:
        """Python's own bz2."""
        del after
        import bz2  # noqa: PLC0415 - Python can be built without it

        level = configuration.level
        streams = Format("bzip2", bz2.BZ2Decompressor, (OSError, ValueError), b"BZh")
        return Inflater(stream_before(before, self.name), streams, lambda chunk: bz2.compress(chunk, level))


class Lz4(Compressor):
    """An lz4 block, behind its own length in four bytes: not an lz4 frame."""

    name = "numcodecs.lz4"
    v2_id = "lz4"
    draft_name = "lz4"
    configuration = v2_configuration = Lz4Configuration

    def bind(self, configuration: Lz4Configuration, before: Form, after: Form) -> ByteCoder:
        """An lz4 block, by numcodecs."""
        del after
        return Lz4Coder(stream_before(before, self.name), configuration.acceleration)


class Zstd(Compressor):
    """RFC 8878, with numcodecs' default level."""

    name = "numcodecs.zstd"
    configuration = ZstdConfiguration

    def bind(self, configuration: ZstdConfiguration, before: Form, after: Form) -> ByteCoder:
        """As the codec `zstd`."""
        del after
        stream = stream_before(before, self.name)
        return ZstdCoder(stream, configuration.level, checksum=configuration.checksum)


class Base64(Compressor):
    """RFC 4648, section 4. Nobody registered it for v3."""

    name = "numcodecs.base64"
    v2_id = "base64"
    registered = False

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Four bytes for each three, the last of them padded."""
        del configuration, faults, path
        size = before.size if isinstance(before, Bytes) else None
        return Bytes(None if size is None else -(-size // 3) * 4)

    def bind(self, configuration: Configuration, before: Form, after: Form) -> ByteCoder:
        """Python's own, which skips nothing."""
        del after
        del configuration
        return Base64Coder(stream_before(before, self.name))


zlib = codecs.register(Zlib())
gzip = codecs.register(GZip())
bz2 = codecs.register(Bz2())
lz4 = codecs.register(Lz4())
zstd = codecs.register(Zstd())
base64 = codecs.register(Base64())
