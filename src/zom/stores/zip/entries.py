"""The entries of an untrusted zip file: checked before use, and read within bounds.

APPNOTE.TXT 6.3 of PKWARE. Anything in an archive may be false: a false structure is rejected when the archive
is opened, false facts about a value when it is read.
"""

from __future__ import annotations

import bz2
import io
import lzma
import stat
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import Buffer, override

from zom.errors import PathError, StoreError
from zom.paths import check_stored_key
from zom.reason import reason_of
from zom.stores.local.temporary import OWN
from zom.stores.ranges import ByteRange, Range, Suffix
from zom.stores.system import calls
from zom.stores.zip.records import LOCAL_HEADER

if TYPE_CHECKING:
    from typing import Protocol

    class _Decoder(Protocol):
        def decompress(self, data: bytes, /, max_length: int = ...) -> bytes: ...


__all__ = ["Entries", "Positioned", "ZipEntry", "checked_entries", "read_range", "read_whole"]

_UNIX = 3
"""The system of an entry whose attributes are the mode of a file."""
_ENCRYPTED = 0x1 | 0x40
_PATCHED = 0x20
_LZMA_END_MARKER = 0x2
_LZMA_MEMORY = 1 << 28


class ZipEntry(NamedTuple):
    """The place of a value, and its record in the directory."""

    info: zipfile.ZipInfo
    size: int
    packed: int
    method: int
    offset: int
    limit: int
    """The start of the next entry, or of the directory."""

    @classmethod
    def of(cls, info: zipfile.ZipInfo, limit: int) -> ZipEntry:
        """Return the entry for a record of the directory."""
        return cls(info, info.file_size, info.compress_size, info.compress_type, info.header_offset, limit)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link, whose value is the path of something else."""
        return self.info.create_system == _UNIX and stat.S_ISLNK(self.info.external_attr >> 16)


class Positioned(io.RawIOBase):
    """A file with its own position over a shared descriptor, also in forked processes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._position: int = 0

    @override
    def seekable(self) -> bool:
        return True

    @override
    def readable(self) -> bool:
        return True

    @override
    def tell(self) -> int:
        return self._position

    @override
    def seek(self, offset: int, whence: int = 0, /) -> int:
        base = (0, self._position, calls.fstat(self._descriptor).st_size)[whence]
        if base + offset < 0:
            raise OSError(22, "invalid argument")
        self._position = base + offset
        return int(self._position)

    @override
    def readinto(self, buffer: Buffer, /) -> int:
        target = memoryview(buffer)
        value = calls.pread(self._descriptor, target.nbytes, self._position)
        target[: len(value)] = value
        self._position += len(value)
        return len(value)


class Entries(NamedTuple):
    """The content of an archive."""

    by_key: dict[str, ZipEntry]
    others: list[zipfile.ZipInfo]
    """Directories, and files that a writer of zom left in a packed directory."""
    repeated: list[str]
    """Names with two or more entries. The last entry counts, as in zipfile and zarr-python."""


def checked_entries(url: str, archive: zipfile.ZipFile) -> Entries:
    """Return the entries of an archive; StoreError if any of them is invalid."""
    infos: dict[str, zipfile.ZipInfo] = {}
    others: list[zipfile.ZipInfo] = []
    repeated: dict[str, None] = {}
    for info in archive.infolist():
        name = info.orig_filename
        is_directory = name.endswith("/")
        try:
            key = check_stored_key(_packed_name(name.removesuffix("/")))
        except PathError as cause:
            raise StoreError(url, "", "open", f"an entry has an invalid key: {cause}") from cause
        if info.flag_bits & (_ENCRYPTED | _PATCHED):
            raise StoreError(url, key, "open", "the entry is encrypted")
        if is_directory or key != name:
            others.append(info)
            continue
        if key in infos:
            repeated[key] = None
        infos[key] = info
    limits = _limits(url, archive)
    entries = {key: ZipEntry.of(info, limits[info.header_offset]) for key, info in infos.items()}
    return Entries(entries, others, list(repeated))


def _packed_name(name: str) -> str:
    """Return `name`, or a valid key for the name of zom's own files, which are not keys."""
    folder, slash, last = name.rpartition("/")
    return f"{folder}{slash}{last[1:]}" if last.startswith(OWN) else name


def _limits(url: str, archive: zipfile.ZipFile) -> dict[int, int]:
    """Return the end limit of each entry by its offset; StoreError if entries overlap."""
    order = sorted(archive.infolist(), key=lambda info: info.header_offset)
    limits: dict[int, int] = {}
    end, last = 0, ""
    for info in order:
        if info.header_offset < end:
            reason = f"the entry overlaps {last!r}" if last else "the entry begins before the file"
            raise StoreError(url, info.orig_filename, "open", reason)
        if limits:
            limits[order[len(limits) - 1].header_offset] = info.header_offset
        limits[info.header_offset] = archive.start_dir
        # The exact length of the header is read later: this is its minimum.
        end = info.header_offset + LOCAL_HEADER.size + len(info.orig_filename) + info.compress_size
        last = info.orig_filename
        if end > archive.start_dir:
            raise StoreError(url, last, "open", "the entry overlaps the directory of the archive")
    return limits


def _start(descriptor: int, entry: ZipEntry) -> int:
    """Return the offset of the entry's bytes; ValueError if its header is wrong."""
    header = calls.pread(descriptor, LOCAL_HEADER.size, entry.offset)
    if len(header) != LOCAL_HEADER.size or header[:4] != b"PK\x03\x04":
        raise ValueError("expected a local header, found other bytes")
    numbers: tuple[int, ...] = LOCAL_HEADER.unpack(header)[1:]
    _, flags, method, *_, name_length, extra_length = numbers
    if method != entry.method or flags & _ENCRYPTED:
        raise ValueError("the entry's header contradicts the directory")
    name = calls.pread(descriptor, name_length, entry.offset + LOCAL_HEADER.size)
    wanted = entry.info.orig_filename.encode("utf-8" if entry.info.flag_bits & 0x800 else "cp437")
    if name != wanted:
        raise ValueError("the entry's header has another name")
    start = entry.offset + LOCAL_HEADER.size + name_length + extra_length
    if start + entry.packed > entry.limit:
        raise ValueError("the entry overlaps the next one")
    return start


def read_range(descriptor: int, entry: ZipEntry, byte_range: ByteRange) -> bytes:
    """Read a part of a stored value from the file, without a check of its CRC, which covers the whole."""
    if entry.size != entry.packed:
        raise ValueError(f"expected {entry.size} bytes in a stored entry, found {entry.packed}")
    if isinstance(byte_range, Suffix):
        byte_range = Range(max(0, entry.size - byte_range.length))
    start, length = byte_range
    rest = max(0, entry.size - start)
    wanted = rest if length is None else min(length, rest)
    return _exactly(descriptor, wanted, _start(descriptor, entry) + min(start, entry.size))


def read_whole(descriptor: int, entry: ZipEntry) -> bytes:
    """Read and unpack a value up to its stated size, and check its CRC."""
    packed = _exactly(descriptor, entry.packed, _start(descriptor, entry))
    value = _unpacked(packed, entry)
    if len(value) != entry.size:
        more = "more" if len(value) > entry.size else str(len(value))
        raise ValueError(f"expected {entry.size} bytes, found {more}")
    if zlib.crc32(value) != entry.info.CRC:
        raise ValueError("the CRC is wrong: the bytes are damaged")
    return value


def _unpacked(packed: bytes, entry: ZipEntry) -> bytes:
    """Unpack at most one byte more than stated, to save memory for invalid entries."""
    most = entry.size + 1
    decoder: _Decoder
    if entry.method == zipfile.ZIP_STORED:
        return packed
    try:
        if entry.method == zipfile.ZIP_DEFLATED:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most)
        if entry.method == zipfile.ZIP_BZIP2:
            decoder = bz2.BZ2Decompressor()
        elif entry.method == zipfile.ZIP_LZMA:
            packed = _lzma_alone(packed, entry)
            decoder = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=_LZMA_MEMORY)
        else:
            raise ValueError(f"unknown compression method {entry.method}")
        return decoder.decompress(packed, most)
    except (zlib.error, lzma.LZMAError, OSError, EOFError) as cause:
        raise ValueError(f"the bytes can't be unpacked: {reason_of(cause)}") from cause


def _lzma_alone(packed: bytes, entry: ZipEntry) -> bytes:
    """Convert the entry to an .lzma file: the same properties, then the size (APPNOTE 5.8.8)."""
    if len(packed) < 9 or packed[2:4] != b"\x05\x00":
        raise ValueError("the bytes can't be unpacked: no lzma properties")
    size = -1 if entry.info.flag_bits & _LZMA_END_MARKER else entry.size
    return packed[4:9] + struct.pack("<q", size) + packed[9:]


def _exactly(descriptor: int, length: int, offset: int) -> bytes:
    pieces: list[bytes] = []
    while length > 0:
        piece = calls.pread(descriptor, min(length, 1 << 30), offset)
        if not piece:
            raise ValueError("the file ends within the entry")
        pieces.append(piece)
        offset += len(piece)
        length -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
