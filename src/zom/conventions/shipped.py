"""The conventions that come with zom: importing this module registers them."""

from zom.conventions import xarray

__all__ = ["xarray"]
