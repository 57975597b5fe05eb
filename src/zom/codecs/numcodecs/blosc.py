"""The v3 codec `numcodecs.blosc`: blosc with the v2 configuration, where `shuffle` is a number.

https://numcodecs.readthedocs.io/en/stable/compression/blosc.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.blosc
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from zom.codecs.blosc import CompressorName
from zom.codecs.blosc.coder import BloscCoder
from zom.codecs.numcodecs.compressors import Compressor
from zom.errors import ExtensionError
from zom.extension.bound import Stream
from zom.extension.codec import codecs
from zom.extension.configuration import Configuration
from zom.extension.field import ForEncoding, Interval

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form

__all__ = ["NumcodecsBloscConfiguration", "blosc"]


class NumcodecsBloscConfiguration(Configuration):
    """The parameters of blosc; `shuffle` is 0 (none), 1 (bytes), 2 (bits) or -1 (by the item size).

    The registered schema allows a `clevel` of up to 12; the maximum of blosc itself is 9.

    >>> NumcodecsBloscConfiguration().cname
    'lz4'
    """

    cname: ForEncoding[CompressorName] = "lz4"
    clevel: ForEncoding[Annotated[int, Interval(0, 9)]] = 5
    shuffle: ForEncoding[Annotated[int, Interval(-1, 2)]] = 1
    blocksize: ForEncoding[Annotated[int, Interval(0)]] = 0
    typesize: ForEncoding[Annotated[int, Interval(1)] | None] = None


class NumcodecsBlosc(Compressor):
    """blosc, version 1."""

    name = "numcodecs.blosc"
    configuration = NumcodecsBloscConfiguration

    def bind(self, configuration: NumcodecsBloscConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder like the v3 codec's; `typesize` defaults to the size of the array's elements."""
        del after
        if not isinstance(before, Stream):
            raise ExtensionError("the blosc codec expects bytes")
        return BloscCoder(
            before,
            cname=configuration.cname,
            clevel=configuration.clevel,
            shuffle=configuration.shuffle,
            blocksize=configuration.blocksize,
            typesize=configuration.typesize,
        )


blosc = codecs.register(NumcodecsBlosc())
