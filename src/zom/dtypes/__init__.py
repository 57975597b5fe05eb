"""Data types, one family in a file; importing the package registers all of them."""

from __future__ import annotations

from zom.dtypes import (
    bool,  # noqa: A004 - the file is named as the data type is
    bytes,  # noqa: A004
    complex,  # noqa: A004
    datetime,
    fixed_length_utf32,
    float,  # noqa: A004
    int,  # noqa: A004
    int2,
    int4,
    null_terminated_bytes,
    object,  # noqa: A004
    raw_bits,
    raw_bytes,
    string,
    struct,
    structured,
    uint2,
    uint4,
)

__all__ = [
    "bool",
    "bytes",
    "complex",
    "datetime",
    "fixed_length_utf32",
    "float",
    "int",
    "int2",
    "int4",
    "null_terminated_bytes",
    "object",
    "raw_bits",
    "raw_bytes",
    "string",
    "struct",
    "structured",
    "uint2",
    "uint4",
]
