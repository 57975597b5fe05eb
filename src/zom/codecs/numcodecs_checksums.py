"""The numcodecs checksums: a chunk with four bytes more, which say whether it is whole.

`adler32`, `crc32`, `crc32c`, `fletcher32` and `jenkins_lookup3`, in v2 by these ids and in v3 as
`numcodecs.<id>`. They are not the v3 codec `crc32c`, which has no configuration.

https://numcodecs.readthedocs.io/en/stable/checksum32.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.crc32
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from zom.model.codec import Bytes, Codec, CodecKind, Representation, codecs
from zom.model.configuration import Configuration, NoConfiguration

if TYPE_CHECKING:
    from zom.problems import Fault

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
    """Where the checksum stands: before the chunk, unless told otherwise.

    >>> LeadingConfiguration().location
    'start'
    """

    location: Literal["start", "end"] = "start"


class TrailingConfiguration(Configuration):
    """Where the checksum stands: after the chunk, unless told otherwise.

    >>> TrailingConfiguration().location
    'end'
    """

    location: Literal["start", "end"] = "end"


class JenkinsConfiguration(Configuration):
    """What Bob Jenkins' lookup3 starts from; `prefix` is bytes that are hashed before the chunk.

    >>> JenkinsConfiguration(initval=7).prefix is None
    True
    """

    initval: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    prefix: list[Annotated[int, Field(ge=0, le=255)]] | None = None


class Checksum(Codec):
    """A codec that adds four bytes."""

    kind: ClassVar[CodecKind] = "bytes->bytes"

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Bytes:
        """Four bytes more."""
        del configuration, faults, path
        size = before.size if isinstance(before, Bytes) else None
        return Bytes(None if size is None else size + 4)


class Adler32(Checksum):
    """RFC 1950's checksum."""

    name = "numcodecs.adler32"
    v2_id = "adler32"
    configuration = v2_configuration = LeadingConfiguration


class CRC32(Checksum):
    """The checksum of gzip and zip."""

    name = "numcodecs.crc32"
    v2_id = "crc32"
    configuration = v2_configuration = LeadingConfiguration


class CRC32C(Checksum):
    """The checksum of iSCSI (Castagnoli)."""

    name = "numcodecs.crc32c"
    v2_id = "crc32c"
    configuration = v2_configuration = TrailingConfiguration


class Fletcher32(Checksum):
    """The checksum of HDF5's fletcher32 filter; always after the chunk."""

    name = "numcodecs.fletcher32"
    v2_id = "fletcher32"
    configuration = v2_configuration = NoConfiguration


class JenkinsLookup3(Checksum):
    """The checksum of HDF5's own metadata; always after the chunk."""

    name = "numcodecs.jenkins_lookup3"
    v2_id = "jenkins_lookup3"
    configuration = v2_configuration = JenkinsConfiguration


adler32 = codecs.register(Adler32())
crc32 = codecs.register(CRC32())
crc32c = codecs.register(CRC32C())
fletcher32 = codecs.register(Fletcher32())
jenkins_lookup3 = codecs.register(JenkinsLookup3())
