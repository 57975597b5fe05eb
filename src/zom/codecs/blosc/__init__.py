"""The `blosc` codec: bytes in, a Blosc 1 container out, shuffled and compressed.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/blosc/index.html
Zarr v2: numcodecs id "blosc", where `shuffle` is a number, and -1 chooses by the element size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import PlainSerializer, WrapValidator

from zom.codecs.blosc.coder import AUTO, BloscCoder
from zom.codecs.gdal_spelling import gdal_fault, gdal_shuffle
from zom.errors import ExtensionError
from zom.extension.bound import Stream
from zom.extension.codec import Bytes, Codec, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import EncodingOnly, ForEncoding, Interval, OrAbsent, Required
from zom.problems import Path, rule

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form
    from zom.extension.codec import Representation
    from zom.problems import Fault

__all__ = ["BloscCodec", "BloscConfiguration", "BloscV2Configuration", "CompressorName", "blosc"]

_SOURCE = "zarr v3, blosc codec, configuration parameters"

SHUFFLE = rule(
    "codec/blosc-shuffle",
    "the blosc codec states its shuffle; decoding doesn't need it",
    source=_SOURCE,
    lenient="warning",
    schema=True,
)
TYPESIZE = rule(
    "codec/blosc-typesize",
    "the blosc codec has a typesize unless it doesn't shuffle; without one the size of an element is used",
    source=_SOURCE,
    lenient="warning",
    schema=True,
)

CompressorName = Literal["lz4", "lz4hc", "blosclz", "zstd", "snappy", "zlib"]
"""The compressors of c-blosc."""

_SHUFFLES: Final = {"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}

Positive = Annotated[int, Interval(1)]
NotNegative = Annotated[int, Interval(0)]
CompressionLevel = Annotated[int, Interval(0, 9)]


class BloscConfiguration(Configuration):
    """The inner compressor, its level, the shuffle before it and the block size.

    The container states its own parameters, so decoding needs none of these.
    """

    cname: Annotated[CompressorName, EncodingOnly("lz4")]
    clevel: Annotated[CompressionLevel, EncodingOnly(5)]
    shuffle: Annotated[
        OrAbsent[Literal["noshuffle", "shuffle", "bitshuffle"]], Required(SHUFFLE), EncodingOnly("noshuffle")
    ] = None
    typesize: Annotated[
        OrAbsent[Positive], Required(TYPESIZE, given=("shuffle", ("shuffle", "bitshuffle"))), EncodingOnly(1)
    ] = None
    blocksize: Annotated[NotNegative, EncodingOnly(0)]

    def canonical(self) -> dict[str, Any]:
        """Return the members without `typesize` if it is ignored.

        >>> BloscConfiguration(cname="lz4", clevel=5, shuffle="noshuffle", typesize=4, blocksize=0).canonical()
        {'cname': 'lz4', 'clevel': 5, 'shuffle': 'noshuffle', 'blocksize': 0}
        """
        members = super().canonical()
        if self.shuffle == "noshuffle":
            members.pop("typesize", None)
        return members


class BloscV2Configuration(Configuration):
    """The configuration in numcodecs, which doesn't write `typesize`."""

    cname: ForEncoding[CompressorName] = "lz4"
    clevel: ForEncoding[CompressionLevel] = 5
    shuffle: Annotated[
        ForEncoding[int], Interval(-1, 2), WrapValidator(gdal_shuffle), PlainSerializer(int)
    ] = 1
    blocksize: ForEncoding[NotNegative] = 0
    typesize: ForEncoding[OrAbsent[Positive]] = None


class BloscCodec(Codec):
    """`blosc`: bytes -> bytes."""

    name = "blosc"
    kind = "bytes->bytes"
    sees_lengths = False
    configuration = BloscConfiguration
    v2_id = "blosc"
    v2_configuration = BloscV2Configuration
    draft_name = "blosc"
    # "shuffle: an integer value in the set {0, 1, 2, -1}"; the final v3 text uses names.
    draft_configuration = BloscV2Configuration

    def thread(
        self,
        configuration: BloscConfiguration | BloscV2Configuration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return bytes of variable size."""
        del before
        if isinstance(configuration, BloscV2Configuration):
            gdal_fault(configuration, "shuffle", (*path, "configuration"), faults)
        return Bytes()

    def bind(
        self, configuration: BloscConfiguration | BloscV2Configuration, before: Form, after: Form
    ) -> Coder[Any, Any]:
        """Return a coder by numcodecs' c-blosc; `typesize` defaults to the size of the array's elements."""
        del after
        if not isinstance(before, Stream):
            raise ExtensionError("the blosc codec expects bytes")
        shuffle = configuration.shuffle
        # For v3 without a shuffle, zarr-python uses -1 of v2.
        number = int(shuffle) if isinstance(shuffle, int) else _SHUFFLES.get(shuffle or "", AUTO)
        return BloscCoder(
            before,
            cname=configuration.cname,
            clevel=configuration.clevel,
            shuffle=number,
            blocksize=configuration.blocksize,
            typesize=configuration.typesize,
        )


blosc = codecs.register(BloscCodec())
"""The `blosc` codec."""
