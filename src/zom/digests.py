"""BLAKE2 as in hashlib, without OpenSSL, which hashlib loads as slowly as twenty modules of zom."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter with another name for it
    from hashlib import blake2b

__all__ = ["blake2b"]
