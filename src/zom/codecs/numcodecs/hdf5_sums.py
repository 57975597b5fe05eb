"""The checksums of HDF5, run by numcodecs: fletcher32 of its filter, lookup3 of its metadata.

Both process bytes in order, with a state that each byte changes, so numpy can't calculate them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Data

__all__ = ["fletcher32_function", "lookup3_function"]


def fletcher32_function() -> Callable[[Data], int]:
    """Return the checksum function for pairs of bytes, the high byte first.

    >>> hex(fletcher32_function()(bytes([1, 2, 3])))
    '0x5040402'
    """
    library: Any = import_module("numcodecs.fletcher32")
    encode: Callable[[Data], bytes] = library.Fletcher32().encode

    def fletcher32(data: Data) -> int:
        # numcodecs returns the sum only after the data, and fails for empty data.
        return int.from_bytes(encode(data)[-4:], "little") if len(data) else 0

    return fletcher32


def lookup3_function(initval: int, prefix: bytes) -> Callable[[Data], int]:
    """Return a function that calculates Bob Jenkins' hash of `prefix` and bytes.

    >>> hex(lookup3_function(0, b"")(b"Four score and seven years ago"))
    '0x17770551'
    """
    library: Any = import_module("numcodecs.jenkins")
    hash_of: Callable[[Data, int], int] = library.jenkins_lookup3
    if not prefix:
        return lambda data: hash_of(data, initval)
    before = np.frombuffer(prefix, np.uint8)
    return lambda data: hash_of(np.concatenate((before, np.frombuffer(data, np.uint8))).data, initval)
