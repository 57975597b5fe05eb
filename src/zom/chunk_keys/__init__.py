"""The chunk key encodings that come with zom, each in a file that has its name."""

__all__ = ["FILES"]

FILES = (
    "default",
    "suffix",
    "v2",
)
"""The files that register something."""
