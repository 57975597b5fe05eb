"""CRC-32C (Castagnoli): the sum of iSCSI, RFC 3720 section 12.1, over bytes."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Data

__all__ = ["crc32c_function"]


@lru_cache(maxsize=1)
def crc32c_function() -> Callable[[Data], int]:
    r"""The function for the sum, by the processor's own instruction.

    >>> hex(crc32c_function()(b"123456789"))
    '0xe3069283'
    """
    value: Callable[[Any], int] = import_module("google_crc32c").value

    def of_any(data: Data) -> int:
        # It takes bytes, and arrays, but no views.
        return value(data if type(data) is bytes else np.frombuffer(data, np.uint8))

    return of_any
