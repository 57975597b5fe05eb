"""Kerchunk references, which locate the bytes of a hierarchy in files of other formats, and their store."""
