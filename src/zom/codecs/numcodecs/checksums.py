"""The numcodecs checksums: four more bytes in each chunk, to detect damage.

`adler32`, `crc32`, `crc32c`, `fletcher32` and `jenkins_lookup3` are the ids in v2; v3 names are
`numcodecs.<id>`. They differ from the v3 codec `crc32c`, which has no configuration.

https://numcodecs.readthedocs.io/en/stable/checksum32.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.crc32
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from zom.codecs.crc32c.checksum import SumAfter, SumBefore
from zom.codecs.crc32c.sum import crc32c_function
from zom.codecs.gzip.libdeflate import adler32_sum, crc32_sum
from zom.codecs.numcodecs.hdf5_sums import fletcher32_function, lookup3_function
from zom.codecs.stream_size import stream_before
from zom.extension.codec import Bytes, Codec, CodecKind, Representation, codecs
from zom.extension.configuration import Configuration, NoConfiguration
from zom.extension.field import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import ByteCoder, Data, Form
    from zom.problems import Fault, Path

__all__ = [
    "JenkinsConfiguration",
    "LeadingConfiguration",
    "TrailingConfiguration",
    "adler32",
    "crc32",
    "crc32c",
    "fletcher32",
    "jenkins_lookup3",
]


class LeadingConfiguration(Configuration):
    """The location of the checksum: before the chunk by default.

    >>> LeadingConfiguration().location
    'start'
    """

    location: Literal["start", "end"] = "start"


class TrailingConfiguration(Configuration):
    """The location of the checksum: after the chunk by default.

    >>> TrailingConfiguration().location
    'end'
    """

    location: Literal["start", "end"] = "end"


class JenkinsConfiguration(Configuration):
    """The initial value of Bob Jenkins' lookup3, and a `prefix` of bytes hashed before the chunk.

    >>> JenkinsConfiguration(initval=7).prefix is None
    True
    """

    initval: Annotated[int, Interval(0, 2**32 - 1)] = 0
    prefix: list[Annotated[int, Interval(0, 255)]] | None = None


class Checksum(Codec):
    """A codec that adds four bytes."""

    kind: ClassVar[CodecKind] = "bytes->bytes"
    sees_lengths = False

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return four bytes more."""
        del configuration, faults, path
        size = before.size if isinstance(before, Bytes) else None
        return Bytes(None if size is None else size + 4)

    def bind(self, configuration: Any, before: Form, after: Form) -> ByteCoder:
        """Return a coder with the sum at the configured location, by default after the bytes."""
        del after
        place = SumBefore if getattr(configuration, "location", "end") == "start" else SumAfter
        return place(stream_before(before, self.name), self.sum_function(configuration))

    @abstractmethod
    def sum_function(self, configuration: Any) -> Callable[[Data], int]:
        """Return the checksum function."""


class Adler32(Checksum):
    """RFC 1950's checksum."""

    name = "numcodecs.adler32"
    v2_id = "adler32"
    configuration = v2_configuration = LeadingConfiguration

    def sum_function(self, configuration: Any) -> Callable[[Data], int]:
        """Return libdeflate's function."""
        del configuration
        return lambda data: adler32_sum(data, 1)


class CRC32(Checksum):
    """The checksum of gzip and zip."""

    name = "numcodecs.crc32"
    v2_id = "crc32"
    configuration = v2_configuration = LeadingConfiguration

    def sum_function(self, configuration: Any) -> Callable[[Data], int]:
        """Return libdeflate's function."""
        del configuration
        return lambda data: crc32_sum(data, 0)


class CRC32C(Checksum):
    """The checksum of iSCSI (Castagnoli)."""

    name = "numcodecs.crc32c"
    v2_id = "crc32c"
    configuration = v2_configuration = TrailingConfiguration

    def sum_function(self, configuration: Any) -> Callable[[Data], int]:
        """Return the function of the codec `crc32c`."""
        del configuration
        return crc32c_function()


class Fletcher32(Checksum):
    """The checksum of HDF5's fletcher32 filter; always after the chunk."""

    name = "numcodecs.fletcher32"
    v2_id = "fletcher32"
    configuration = v2_configuration = NoConfiguration

    def sum_function(self, configuration: Any) -> Callable[[Data], int]:
        """Return numcodecs' function."""
        del configuration
        return fletcher32_function()


class JenkinsLookup3(Checksum):
    """The checksum of HDF5's own metadata; always after the chunk."""

    name = "numcodecs.jenkins_lookup3"
    v2_id = "jenkins_lookup3"
    configuration = v2_configuration = JenkinsConfiguration

    def sum_function(self, configuration: Any) -> Callable[[Data], int]:
        """Return numcodecs' function, with the prefix."""
        return lookup3_function(configuration.initval, bytes(configuration.prefix or ()))


adler32 = codecs.register(Adler32())
crc32 = codecs.register(CRC32())
crc32c = codecs.register(CRC32C())
fletcher32 = codecs.register(Fletcher32())
jenkins_lookup3 = codecs.register(JenkinsLookup3())
