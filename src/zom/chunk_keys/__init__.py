"""The chunk key encodings that come with zom; importing this package registers them."""

from zom.chunk_keys import default, suffix, v2

__all__ = ["default", "suffix", "v2"]
