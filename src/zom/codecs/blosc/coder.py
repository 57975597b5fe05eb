"""The Blosc coder: the whole container is checked before c-blosc, which trusts its contents, decodes it.

Chunks are encoded without the threads of c-blosc: with threads, the order of blocks depends on timing, so
the same data gives different bytes each time. For decoding, numcodecs decides: it uses threads in the main
thread of the process that imported it, which forks don't inherit, and none elsewhere.

The blosc in numcodecs' wheels lacks snappy. In that case snappy blocks are decoded here, and new chunks
are compressed by lz4: a container states its inner format, so all readers can decode it.
"""

from __future__ import annotations

import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from typing_extensions import override

from zom.codecs.blosc.blocks import decode_blocks
from zom.codecs.blosc.container import check_container
from zom.codecs.blosc.joined import joined
from zom.errors import CodecError
from zom.extension.bound import Coder
from zom.extension.pieces import Pieces
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zom.codecs.blosc.joined import Joined
    from zom.extension.bound import Data, Stream

__all__ = ["AUTO", "BloscCoder"]

AUTO: Final = -1
"""The shuffle chosen by element size: bits for one byte, bytes otherwise."""

_MOST: Final = 2**31 - 1 - 16
_WIDEST: Final = 255

_MANY: Final = 8
"""The number of containers from which checking them together is faster than one by one."""

_SMALL: Final = 1 << 16
"""The size in bytes up to which a copy is faster than passing numcodecs a target buffer."""


class BloscCoder(Coder[Any, Any]):
    r"""Bytes as a Blosc 1 container.

    >>> from zom.extension.bound import Stream
    >>> coder = BloscCoder(Stream(400, 400, 4), cname="lz4", clevel=5, shuffle=1, blocksize=0)
    >>> made = coder.encode(b"\1\0\0\0" * 100)
    >>> len(made) < 100, coder.decode(made) == b"\1\0\0\0" * 100
    (True, True)
    """

    batches = True

    def __init__(  # noqa: PLR0913 - the parameters of blosc
        self,
        before: Stream,
        *,
        cname: str,
        clevel: int,
        shuffle: int,
        blocksize: int,
        typesize: int | None = None,
    ) -> None:
        self._library: Any = import_module("numcodecs.blosc")
        self._known = frozenset(self._library.list_compressors())
        self._nbytes = before.nbytes
        self.allocates = before.nbytes is not None and before.nbytes <= _SMALL
        self._most = before.most
        width = typesize or before.width
        # c-blosc treats wider elements as single bytes.
        self._typesize = width if width <= _WIDEST else 1
        self._shuffle = (2 if self._typesize == 1 else 1) if shuffle == AUTO else shuffle
        self._cname = "lz4" if cname == "snappy" and cname not in self._known else cname
        self.is_slow = cname in {"zlib", "zstd"}
        self._settings = (self._cname.encode(), clevel, self._shuffle, min(blocksize, _MOST), self._typesize)

    @override
    def encode(self, chunk: Data) -> Data:
        if self._cname not in self._known:
            raise _unknown(self._cname, self._known)
        if len(chunk) > _MOST:
            raise CodecError(f"expected at most {_MOST} bytes, found {len(chunk)}")
        return cast("Data", self._alone(self._library.compress, chunk, *self._settings))

    @override
    def encode_rows(self, rows: memoryview, count: int) -> list[Data]:
        if self._cname not in self._known or not rows:
            return super().encode_rows(rows, count)
        made: list[Data] = self._alone(self._compress_rows, rows, len(rows) // count)
        return made

    def _compress_rows(self, rows: memoryview, size: int) -> list[Data]:
        compress, settings = self._library.compress, self._settings
        return [compress(rows[start : start + size], *settings) for start in range(0, len(rows), size)]

    def _alone(self, call: Callable[..., Any], *given: object) -> Any:
        """Return the result of the call, without c-blosc threads unless the user has enabled them."""
        library = self._library
        if library.use_threads is not None or threading.current_thread() is not threading.main_thread():
            return call(*given)
        library.use_threads = False
        try:
            return call(*given)
        finally:
            library.use_threads = None

    @override
    def decode(self, chunk: Data) -> Data:
        _, inner = check_container(chunk, self._nbytes, self._most)
        if not inner:
            return memoryview(chunk)[16:]
        return self._decompress(chunk, None, inner)

    @override
    def decode_into(self, chunk: Data, target: memoryview) -> None:
        _, inner = check_container(chunk, len(target), len(target))
        if not inner:
            target[:] = memoryview(chunk)[16:]
        elif len(target) <= _SMALL:
            target[:] = self._decompress(chunk, None, inner)
        else:
            self._decompress(chunk, target, inner)

    @override
    def decode_rows(self, chunks: Sequence[Data], target: memoryview) -> None:
        size = len(target) // len(chunks)
        one = joined(Pieces.of(chunks).compact(), size) if len(chunks) >= _MANY else None
        if one is None or one.inner not in {"", *self._known}:
            super().decode_rows(chunks, target)
        elif not len(one.stored):
            self._decompress_joined(one, target)
        else:
            rows = np.frombuffer(target, np.uint8).reshape(len(chunks), size)
            rows[one.is_stored] = one.data[one.stored[:, None] + np.arange(size)]
            if one.inner:
                compressed = ~one.is_stored
                made = np.empty((int(np.count_nonzero(compressed)), size), np.uint8)
                self._decompress_joined(one, made.reshape(-1).data)
                rows[compressed] = made

    def _decompress_joined(self, one: Joined, target: memoryview) -> None:
        try:
            self._alone(self._library.decompress, one.data, target)
        except RuntimeError as cause:
            raise CodecError(f"the {one.inner} data in the container is damaged") from cause

    def _decompress(self, chunk: Data, target: memoryview | None, inner: str) -> Data:
        if inner not in self._known:
            if inner != "snappy":
                raise _unknown(inner, self._known)
            decoded = decode_blocks(chunk)
            if target is not None:
                target[:] = decoded
            return decoded
        try:
            if target is None:  # small, or of unknown size
                return cast("Data", self._alone(self._library.decompress, chunk))
            made: Data = self._library.decompress(chunk, target)
        except RuntimeError as cause:
            raise CodecError(f"the {inner} data in the container is damaged") from cause
        return made


def _unknown(name: str, known: frozenset[str]) -> CodecError:
    names = ", ".join(sorted(known))
    return CodecError(f"numcodecs was built with a blosc without {name}: it has {names}")
