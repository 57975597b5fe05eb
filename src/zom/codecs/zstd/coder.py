"""zstd, run by numcodecs, which is never asked for more bytes than are expected.

numcodecs' decoder takes the place to decode into, and then makes just so many bytes or fails. Without a
place it trusts what frames state; and of frames that state nothing it makes whatever comes out, and doesn't
come to an end where one of them is cut off. So it always gets a place here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from zom.codecs.stream_size import check_size, expected_size
from zom.codecs.zstd.contexts import contexts_for
from zom.codecs.zstd.frame import frames_of, is_one_frame, stated_size
from zom.errors import CodecError
from zom.extension.bound import Coder, Data
from zom.extension.pieces import Pieces
from zom.numpy_later import np
from zom.patterns import compiled_later

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zom.codecs.zstd.frame import Frame
    from zom.extension.bound import Stream

__all__ = ["ZstdCoder"]

_SMALL = 1 << 17
"""Chunks of so many bytes cost less by contexts that are used again; larger ones, a copy more."""

_FEWER = compiled_later(r"expected to decompress (\d+), got (\d+)")
"""What numcodecs says when a place is longer than what came into it."""


class ZstdCoder(Coder[Data, Data]):
    """Chunks that are one frame, or several.

    >>> from zom.extension.bound import Stream
    >>> coder = ZstdCoder(Stream(100, 100), 3, checksum=True)
    >>> bytes(coder.decode(coder.encode(bytes(100)))) == bytes(100)
    True
    """

    is_slow = True

    def __init__(self, before: Stream, level: int, *, checksum: bool) -> None:
        zstd: Any = import_module("numcodecs.zstd")
        self._before = before
        self._level = level
        self._checksum = checksum
        self._compress: Callable[[Data, int, bool], bytes] = zstd.compress
        self._decompress: Callable[[Data, Data], object] = zstd.decompress
        small = before.nbytes is not None and before.nbytes <= _SMALL
        self._contexts = contexts_for(level, checksum=checksum) if small else None
        self.allocates = self._contexts is not None
        self.batches = self._contexts is not None and self._contexts.has_batches

    def encode(self, chunk: Data) -> Data:
        """One frame, which states its size."""
        if self._contexts is not None:
            return self._contexts.compress(chunk)
        return self._compress(chunk, self._level, self._checksum)

    def encode_rows(self, rows: memoryview, count: int) -> list[Data]:
        """A frame of each chunk."""
        if self._contexts is None or not rows:
            return super().encode_rows(rows, count)
        return self._contexts.compress_rows(rows, count)

    def decode(self, chunk: Data) -> Data:
        """What all frames in `chunk` hold, one after the other."""
        nbytes = self._before.nbytes
        if nbytes is None:
            return self._decode_any(chunk)
        if self._contexts is not None and nbytes and stated_size(chunk) in {None, nbytes}:
            found = self._contexts.decompress(chunk, nbytes)
            if found is not None:
                return found
        made = np.empty(nbytes, np.uint8).data
        self.decode_into(chunk, made)
        return made

    def decode_into(self, chunk: Data, target: memoryview) -> None:
        """Put what all frames hold into `target`."""
        size = stated_size(chunk)
        # One frame, nearly always. If more follow, they would have to be empty, or this fails.
        if target and (size is None or size == len(target)) and self._fill(chunk, target):
            return
        stated, most = _sizes(chunk)
        if stated > len(target) or most == stated:
            check_size(self._before, stated)
        check_size(self._before, self._decode_frames(chunk, target))

    def decode_rows(self, chunks: Sequence[Data], target: memoryview) -> None:
        """Put what each of `chunks` holds into `target`: all at once, where each is one frame."""
        size = len(target) // len(chunks)
        contexts = self._contexts
        if contexts is None or not all(is_one_frame(chunk, size) for chunk in chunks):
            super().decode_rows(chunks, target)
        elif not contexts.decompress_rows(Pieces.of(chunks), target):
            super().decode_rows(chunks, target)  # one by one, it is found out why

    def _fill(self, chunk: Data, target: memoryview) -> bool:
        if self._contexts is not None:
            made = self._contexts.decompress(chunk, len(target))
            if made is not None:
                target[:] = made
                return True
        try:
            self._decompress(chunk, target)
        except (RuntimeError, ValueError):
            return False  # frame by frame, it is found out why
        return True

    def _decode_any(self, chunk: Data) -> Data:
        """What the frames hold, however much it is, up to what may be."""
        stated, most = _sizes(chunk)
        check_size(self._before, stated)
        made = np.empty(min(most, self._before.most), np.uint8).data
        return made[: self._decode_frames(chunk, made)]

    def _decode_frames(self, chunk: Data, target: memoryview) -> int:
        """How many bytes the frames hold, of which `target` has got each."""
        view = memoryview(chunk)
        made = 0
        for frame in frames_of(chunk):
            made += self._decode_frame(view, frame, target[made:])
        return made

    def _decode_frame(self, view: memoryview, frame: Frame, room: memoryview) -> int:
        if frame.most == 0:
            return 0  # numcodecs refuses a frame that holds nothing
        if frame.size == 0:
            raise CodecError(f"damaged zstd frame at byte {frame.start}: it states 0 bytes, and holds some")
        size = min(frame.most, len(room)) if frame.size is None else frame.size
        # A frame of blocks that may hold something needs room to show that it doesn't.
        place = room[:size] if size else memoryview(bytearray(1))
        if len(place) < size:
            raise CodecError(f"expected {expected_size(self._before)}, found more")
        try:
            self._decompress(view[frame.start : frame.end], place)
        except (RuntimeError, ValueError) as cause:
            fewer = _FEWER.search(str(cause))
            if frame.size is None and fewer is not None and int(fewer[1]) == len(place):
                return int(fewer[2])
            raise self._error(frame, cause) from cause
        if not size:
            raise CodecError(f"expected {expected_size(self._before)}, found more")
        return size

    def _error(self, frame: Frame, cause: Exception) -> CodecError:
        text = str(cause).removeprefix("Zstd decompression error: ")
        if text.startswith(("b'", 'b"')):
            text = text[2:-1]
        if frame.size is None and "too small" in text:
            return CodecError(f"expected {expected_size(self._before)}, found more")
        return CodecError(f"damaged zstd frame at byte {frame.start}: {text[:1].lower()}{text[1:]}")


def _sizes(chunk: Data) -> tuple[int, int]:
    """How many bytes the frames of `chunk` state, and how many they can hold, those without a size too."""
    stated = most = 0
    for frame in frames_of(chunk):
        stated += frame.size or 0
        most += frame.most if frame.size is None else frame.size
    return stated, most
