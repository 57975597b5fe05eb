"""The codecs that come with zom, each in a file of its own; importing this package registers them."""

from zom.codecs import (
    bitround,
    blosc,
    bytes,  # noqa: A004 - a file is named after its codec
    cast_value,
    conditional,
    crc32c,
    gzip,
    n5_default,
    numcodecs,
    packbits,
    reshape,
    scale_offset,
    sharding_indexed,
    transpose,
    vlen_bytes,
    vlen_utf8,
    zfp,
    zstd,
)

__all__ = [
    "bitround",
    "blosc",
    "bytes",
    "cast_value",
    "conditional",
    "crc32c",
    "gzip",
    "n5_default",
    "numcodecs",
    "packbits",
    "reshape",
    "scale_offset",
    "sharding_indexed",
    "transpose",
    "vlen_bytes",
    "vlen_utf8",
    "zfp",
    "zstd",
]
