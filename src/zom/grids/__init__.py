"""The chunk grids that come with zom, each in a file that has its name; it is loaded when a document names it."""

__all__ = ["FILES"]

FILES = (
    "rectilinear",
    "regular",
)
"""The files that register something."""
