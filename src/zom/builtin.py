"""All extensions that come with zom: importing this module registers them."""

from zom import chunk_keys, codecs, dtypes, grids

__all__ = ["chunk_keys", "codecs", "dtypes", "grids"]
