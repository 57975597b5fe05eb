"""BLAKE2 as hashlib has it. hashlib loads OpenSSL as well, which takes as long as twenty modules of zom."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter that calls it otherwise
    from hashlib import blake2b

__all__ = ["blake2b"]
