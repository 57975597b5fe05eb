"""The chunk key encodings of zom, each in a file of its name."""

__all__ = ["FILES"]

FILES = (
    "default",
    "suffix",
    "v2",
)
"""The files that register encodings."""
