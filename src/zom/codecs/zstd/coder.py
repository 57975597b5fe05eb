"""The zstd coder, run by numcodecs, which never decodes more bytes than expected.

If numcodecs' decoder gets a target buffer, it fills it exactly or fails. Without a target it trusts the
sizes that frames state; for frames without a size its output is unlimited, and it never returns if one of
them is truncated. So it always gets a target here.
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
"""The size in bytes up to which reusing contexts is faster; for larger chunks it only adds a copy."""

_FEWER = compiled_later(r"expected to decompress (\d+), got (\d+)")
"""numcodecs' message if the target is longer than the decoded data."""


class ZstdCoder(Coder[Data, Data]):
    """Chunks of one or more frames.

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
        """Return one frame, which states its size."""
        if self._contexts is not None:
            return self._contexts.compress(chunk)
        return self._compress(chunk, self._level, self._checksum)

    def encode_rows(self, rows: memoryview, count: int) -> list[Data]:
        """Return a frame for each chunk."""
        if self._contexts is None or not rows:
            return super().encode_rows(rows, count)
        return self._contexts.compress_rows(rows, count)

    def decode(self, chunk: Data) -> Data:
        """Return the concatenated contents of all frames in `chunk`."""
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
        """Decode all frames into `target`."""
        size = stated_size(chunk)
        # Nearly always there is one frame. This fails if non-empty frames follow.
        if target and (size is None or size == len(target)) and self._fill(chunk, target):
            return
        stated, most = _sizes(chunk)
        if stated > len(target) or most == stated:
            check_size(self._before, stated)
        check_size(self._before, self._decode_frames(chunk, target))

    def decode_rows(self, chunks: Sequence[Data], target: memoryview) -> None:
        """Decode `chunks` into consecutive parts of `target`, all at once if each is one frame."""
        size = len(target) // len(chunks)
        contexts = self._contexts
        if contexts is None or not all(is_one_frame(chunk, size) for chunk in chunks):
            super().decode_rows(chunks, target)
        elif not contexts.decompress_rows(Pieces.of(chunks), target):
            super().decode_rows(chunks, target)  # decoding one by one finds the cause

    def _fill(self, chunk: Data, target: memoryview) -> bool:
        if self._contexts is not None:
            made = self._contexts.decompress(chunk, len(target))
            if made is not None:
                target[:] = made
                return True
        try:
            self._decompress(chunk, target)
        except (RuntimeError, ValueError):
            return False  # decoding frame by frame finds the cause
        return True

    def _decode_any(self, chunk: Data) -> Data:
        """Decode frames of unknown total size, up to the maximum."""
        stated, most = _sizes(chunk)
        check_size(self._before, stated)
        made = np.empty(min(most, self._before.most), np.uint8).data
        return made[: self._decode_frames(chunk, made)]

    def _decode_frames(self, chunk: Data, target: memoryview) -> int:
        """Decode the frames into `target` and return the number of bytes."""
        view = memoryview(chunk)
        made = 0
        for frame in frames_of(chunk):
            made += self._decode_frame(view, frame, target[made:])
        return made

    def _decode_frame(self, view: memoryview, frame: Frame, room: memoryview) -> int:
        if frame.most == 0:
            return 0  # numcodecs rejects an empty frame
        if frame.size == 0:
            raise CodecError(f"damaged zstd frame at byte {frame.start}: it states 0 bytes, but is not empty")
        size = min(frame.most, len(room)) if frame.size is None else frame.size
        # A frame whose blocks may hold data needs room to show that they don't.
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
    """Return the total size stated by the frames of `chunk`, and their maximum total size."""
    stated = most = 0
    for frame in frames_of(chunk):
        stated += frame.size or 0
        most += frame.most if frame.size is None else frame.size
    return stated, most
