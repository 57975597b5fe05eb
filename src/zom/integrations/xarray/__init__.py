"""xarray: open hierarchies with `engine="zom"`, and make hierarchies of datasets."""

from zom.integrations.xarray import bridge

__all__ = ["bridge"]
