"""Size checks for codecs that decode bytes to bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Stream

if TYPE_CHECKING:
    from zom.extension.bound import Form

__all__ = ["check_size", "expected_size", "stream_before"]


def stream_before(before: Form, name: str) -> Stream:
    """Return `before` as the decoded stream of the codec `name`, or raise ExtensionError.

    >>> stream_before(Stream(12, 12), "gzip").most
    12
    """
    if not isinstance(before, Stream):
        raise ExtensionError(
            f"the codec {name!r} expects bytes: a codec that encodes elements to bytes is missing"
        )
    return before


def expected_size(stream: Stream) -> str:
    """Describe the size of `stream`.

    >>> expected_size(Stream(12, 12)), expected_size(Stream(None, 99))
    ('12 bytes', 'at most 99 bytes')
    """
    return f"at most {stream.most} bytes" if stream.nbytes is None else f"{stream.nbytes} bytes"


def check_size(stream: Stream, found: int) -> None:
    """Raise CodecError unless `stream` may have `found` bytes.

    >>> check_size(Stream(12, 12), 13)
    Traceback (most recent call last):
    zom.errors.CodecError: expected 12 bytes, found 13
    """
    if found != stream.nbytes if stream.nbytes is not None else found > stream.most:
        raise CodecError(f"expected {expected_size(stream)}, found {found}")
