"""Strict base64, RFC 4648, section 4: no other characters, and padding at the end."""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING

from zom.codecs.stream_size import check_size, expected_size
from zom.errors import CodecError
from zom.extension.bound import Coder, Data

if TYPE_CHECKING:
    from zom.extension.bound import Stream

__all__ = ["Base64Coder"]


class Base64Coder(Coder[Data, Data]):
    """Chunks as base64 text.

    >>> from zom.extension.bound import Stream
    >>> coder = Base64Coder(Stream(4, 4))
    >>> coder.encode(b"zarr"), coder.decode(b"emFycg==")
    (b'emFycg==', b'zarr')
    """

    def __init__(self, before: Stream) -> None:
        self._before = before
        self._longest = -(-before.most // 3) * 4

    def encode(self, chunk: Data) -> Data:
        """Return four letters for every three bytes."""
        return binascii.b2a_base64(chunk, newline=False)

    def decode(self, chunk: Data) -> Data:
        """Return the decoded bytes."""
        if len(chunk) > self._longest:
            raise CodecError(
                f"expected base64 characters for {expected_size(self._before)}, found {len(chunk)} characters"
            )
        try:
            made = binascii.a2b_base64(chunk, strict_mode=True)
        except binascii.Error as cause:
            text = str(cause)
            raise CodecError(f"damaged or truncated base64 text: {text[:1].lower()}{text[1:]}") from cause
        check_size(self._before, len(made))
        return made
