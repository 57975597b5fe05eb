"""The codecs of numcodecs, under their names in v2 and zarr-python; importing this package registers them."""

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
