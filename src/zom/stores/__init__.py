"""Stores: bytes by key, in directories, files, memory and on servers."""
