"""The codecs of numcodecs, as v2 and zarr-python name them; importing this package registers them."""

from zom.codecs.numcodecs import (
    astype,
    bitround,
    blosc,
    categorize,
    checksums,
    compressors,
    delta,
    fixedscaleoffset,
    lzma,
    objects,
    packbits,
    pcodec,
    quantize,
    shuffle,
    zfpy,
)

__all__ = [
    "astype",
    "bitround",
    "blosc",
    "categorize",
    "checksums",
    "compressors",
    "delta",
    "fixedscaleoffset",
    "lzma",
    "objects",
    "packbits",
    "pcodec",
    "quantize",
    "shuffle",
    "zfpy",
]
