"""Data types, one family in a file, which is loaded when a document names one of them."""

__all__ = ["FILES", "OTHERS"]

FILES = (
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
)
"""The files that register something."""

OTHERS = {"uint": "int", "bfloat": "float", "numpy.": "datetime", "variable_length_bytes": "bytes"}
"""How names begin that a file registers which is called otherwise."""
