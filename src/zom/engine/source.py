"""Sources: encoded values that can be read in parts, from a store, memory, or another source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from zom.errors import CodecError
from zom.stores.interface import Range, Suffix, cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.extension.bound import Data
    from zom.stores.interface import ByteRange, Span

__all__ = ["Source", "ValueSource", "Window", "check_length"]


class Source(Protocol):
    """An encoded value that threads can read in parts; all parts are of the same version."""

    @property
    def size(self) -> int | None:
        """Its number of bytes, if known without a request."""

    def get(self, byte_range: ByteRange) -> Data:
        """The bytes of a range; fewer if the value ends earlier."""
        ...

    def get_many(self, ranges: Sequence[ByteRange]) -> Sequence[Data]:
        """The bytes of each range."""
        ...


class ValueSource:
    """A value in memory; its parts are not copied.

    >>> bytes(ValueSource(b"0123").get(Suffix(2)))
    b'23'
    """

    def __init__(self, value: Data) -> None:
        self._value = memoryview(value)
        self.size: int | None = len(self._value)

    def get(self, byte_range: ByteRange) -> Data:
        """The bytes of a range, without a copy."""
        return cut(self._value, byte_range)

    def get_many(self, ranges: Sequence[ByteRange]) -> Sequence[Data]:
        """The bytes of each range, without a copy."""
        return [self.get(byte_range) for byte_range in ranges]


class Window:
    """A part of a source, as a source: a shard inside of a shard.

    >>> bytes(Window(ValueSource(b"0123456789"), 2, 6).get(Suffix(1)))
    b'5'
    """

    def __init__(self, source: Source, start: int, stop: int) -> None:
        self._source = source
        self._start = start
        self.size: int | None = stop - start

    def _shifted(self, byte_range: ByteRange) -> Range:
        size = self.size or 0
        if isinstance(byte_range, Suffix):
            length = min(byte_range.length, size)
            return Range(self._start + size - length, length)
        rest = max(0, size - byte_range.start)
        length = rest if byte_range.length is None else min(byte_range.length, rest)
        return Range(self._start + byte_range.start, length)

    def get(self, byte_range: ByteRange) -> Data:
        """The bytes of a range of the part."""
        return self._source.get(self._shifted(byte_range))

    def get_many(self, ranges: Sequence[ByteRange]) -> Sequence[Data]:
        """The bytes of each range of the part."""
        return self._source.get_many([self._shifted(one) for one in ranges])


def check_length(value: Data, span: Span) -> None:
    """Raise CodecError if `value` lacks bytes of an inner chunk with this span in the index.

    >>> check_length(b"12", (4, 7))
    Traceback (most recent call last):
    zom.errors.CodecError: only 2 of its bytes exist
    """
    if len(value) != span[1] - span[0]:
        raise CodecError(f"only {len(value)} of its bytes exist")
