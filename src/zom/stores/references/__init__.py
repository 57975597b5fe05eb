"""Kerchunk references: documents that say where the bytes of a hierarchy lie in files of other formats, and their store."""
