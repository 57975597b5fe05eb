"""The codecs of zom, each in a file of its name, loaded when a document first names it."""

__all__ = ["FILES"]

FILES = (
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
)
"""The files that register codecs."""
