"""The chunk key encodings that come with zom, each in a file that has its name."""

__all__ = ["default", "suffix", "v2"]
