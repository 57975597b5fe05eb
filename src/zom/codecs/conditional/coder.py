"""The coder of `conditional`: a header selects the codecs of each chunk."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from zom.codecs.stream_size import check_size
from zom.errors import CodecError
from zom.extension.bound import Coder
from zom.extension.bound_chain import bind_streams
from zom.extension.codec import Bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zom.extension.bound import ByteCoder, Data, Stream
    from zom.extension.link import Link

__all__ = ["ConditionalCoder"]

# The number of codec combinations that stay bound.
_CHOICES: Final = 64


class ConditionalCoder(Coder[Any, Any]):
    r"""Bytes preceded by a header whose bits state the applied codecs.

    >>> import zom.codecs
    >>> from zom.extension.bound import Stream
    >>> from zom.extension.link import parse_links
    >>> coder = ConditionalCoder(Stream(50, 50), parse_links([{"name": "gzip", "configuration": {"level": 9}}]), 1)
    >>> coder.encode(bytes(range(50)))[:3], coder.encode(bytes(50))[:3]
    (b'\x00\x00\x01', b'\x01\x1f\x8b')
    >>> coder.decode(b"\0" + bytes(50)) == bytes(50)
    True
    """

    def __init__(self, before: Stream, links: Sequence[Link], header_bytes: int) -> None:
        self._before = before
        self._links = links
        self._header = header_bytes

        def bound(mask: int) -> list[ByteCoder]:
            chosen = [link for place, link in enumerate(links) if mask >> place & 1]
            return bind_streams(chosen, before)

        self._bound: Callable[[int], list[ByteCoder]] = lru_cache(_CHOICES)(bound)
        self._bound((1 << len(links)) - 1)  # raise for codecs that can't be bound before a chunk is read
        # A codec with a fixed output size is not a compressor, but a checksum or a shuffle.
        self._always = [_has_fixed_size(link) for link in links]

    def encode(self, chunk: Data) -> Data:
        """Return the header and the encoded bytes, skipping compressors that don't make them smaller."""
        mask, made = 0, chunk
        for place, always in enumerate(self._always):
            tried = mask | 1 << place
            encoded = self._bound(tried)[-1].encode(made)
            if always or len(encoded) < len(made):
                mask, made = tried, encoded
        return mask.to_bytes(self._header, "little") + bytes(made)

    def decode(self, chunk: Data) -> Data:
        """Return the bytes decoded by the codecs that the header names."""
        if len(chunk) < self._header:
            raise CodecError(f"truncated: expected a header of {self._header} bytes, found {len(chunk)}")
        mask = int.from_bytes(chunk[: self._header], "little")
        count = len(self._links)
        if mask >> count:
            raise CodecError(f"the header {mask:#x} names codecs beyond the existing {count}")
        made: Data = memoryview(chunk)[self._header :]
        for coder in reversed(self._bound(mask)):
            made = coder.decode(made)
        check_size(self._before, len(made))
        return made


def _has_fixed_size(link: Link) -> bool:
    """Whether the codec has a fixed output size for a fixed input size."""
    made = None if link.codec is None else link.codec.thread(link.configuration, Bytes(64), [], ())
    return isinstance(made, Bytes) and made.size is not None
