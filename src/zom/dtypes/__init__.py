"""The data types of zom, one family per file, loaded when a document first names one of its types."""

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
"""The files that register families."""

OTHERS = {"uint": "int", "bfloat": "float", "numpy.": "datetime", "variable_length_bytes": "bytes"}
"""Prefixes of names whose file has another name, with that file."""
