"""An open file as a snapshot: it keeps the old value, even if the file is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from zom.stores.local.files import bounds, read_at, size_of
from zom.stores.snapshots import Snapshot
from zom.stores.system import calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.stores.backend import Backend
    from zom.stores.ranges import ByteRange

__all__ = ["FileSnapshot"]

_GAP = 4096
"""Bytes between two parts that are read with them: another call would be slower."""

_TOGETHER = 1 << 16
"""Maximum bytes of one read for several parts, which are then copied out of it."""


class FileSnapshot(Snapshot):
    """A snapshot of an open regular file; closing it closes the file."""

    def __init__(self, store: Backend, key: str, descriptor: int) -> None:
        super().__init__(store, key)
        self._descriptor = descriptor
        self._size = self.size = size_of(descriptor)

    @override
    def _part(self, byte_range: ByteRange | None) -> bytes:
        if byte_range is None:
            return read_at(self._descriptor, 0, self._size, to_end=True)
        return read_at(self._descriptor, *bounds(byte_range, self._size))

    @override
    def _parts(self, ranges: Sequence[ByteRange]) -> list[bytes]:
        parts = [b""] * len(ranges)
        spans = [(*bounds(byte_range, self._size), index) for index, byte_range in enumerate(ranges)]
        spans.sort()
        for start, length, members in _runs(spans):
            value = read_at(self._descriptor, start, length)
            if len(members) == 1:
                parts[members[0][2]] = value
            else:
                for at, count, index in members:
                    parts[index] = value[at - start : at - start + count]
        return parts

    @override
    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            calls.close(descriptor)

    def __del__(self) -> None:
        self.close()


def _runs(
    spans: Sequence[tuple[int, int, int]],
) -> Iterator[tuple[int, int, list[tuple[int, int, int]]]]:
    """Yield start, length and sorted spans of each read call."""
    first = end = 0
    members: list[tuple[int, int, int]] = []
    for span in spans:
        start, length, _ = span
        if members and start - end <= _GAP and start + length - first <= _TOGETHER:
            members.append(span)
            end = max(end, start + length)
            continue
        if members:
            yield first, end - first, members
        first, end, members = start, start + length, [span]
    if members:
        yield first, end - first, members
