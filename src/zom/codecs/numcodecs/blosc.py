"""The codec `numcodecs.blosc` of v3: blosc with the configuration of v2, where shuffle is a number.

https://numcodecs.readthedocs.io/en/stable/compression/blosc.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.blosc
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic reads the annotation
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from zom.codecs.blosc.coder import BloscCoder
from zom.codecs.numcodecs.compressors import Compressor
from zom.errors import ExtensionError
from zom.extension.bound import Stream
from zom.extension.codec import codecs
from zom.extension.configuration import Configuration

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form

__all__ = ["NumcodecsBloscConfiguration", "blosc"]


class NumcodecsBloscConfiguration(Configuration):
    """What blosc is told; `shuffle` is 0 (none), 1 (bytes), 2 (bits) or -1 (by the item size).

    The registered schema lets `clevel` reach 12; blosc itself stops at 9.

    >>> NumcodecsBloscConfiguration().cname
    'lz4'
    """

    encoding_only: ClassVar[Mapping[str, Any]] = dict.fromkeys(
        ("cname", "clevel", "shuffle", "blocksize", "typesize")
    )

    cname: Literal["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"] = "lz4"
    clevel: Annotated[int, Field(ge=0, le=9)] = 5
    shuffle: Annotated[int, Field(ge=-1, le=2)] = 1
    blocksize: Annotated[int, Field(ge=0)] = 0
    typesize: Annotated[int, Field(ge=1)] | None = None


class NumcodecsBlosc(Compressor):
    """blosc, version 1."""

    name = "numcodecs.blosc"
    configuration = NumcodecsBloscConfiguration

    def bind(self, configuration: NumcodecsBloscConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """As the v3 codec; where no typesize is stated, elements are as wide as the array's."""
        del after
        if not isinstance(before, Stream):
            raise ExtensionError("the blosc codec wants bytes")
        return BloscCoder(
            before,
            cname=configuration.cname,
            clevel=configuration.clevel,
            shuffle=configuration.shuffle,
            blocksize=configuration.blocksize,
            typesize=configuration.typesize,
        )


blosc = codecs.register(NumcodecsBlosc())
