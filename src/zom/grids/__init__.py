"""The chunk grids of zom, each in a file of its name, loaded when a document first names it."""

__all__ = ["FILES"]

FILES = (
    "rectilinear",
    "regular",
)
"""The files that register grids."""
