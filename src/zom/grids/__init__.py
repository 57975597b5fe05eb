"""The chunk grids that come with zom, each in a file of its own; importing this package registers them."""

from zom.grids import rectilinear, regular

__all__ = ["rectilinear", "regular"]
