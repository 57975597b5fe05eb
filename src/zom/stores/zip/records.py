"""The records of zip files that a store writes: stored entries, their directory, and its end.

APPNOTE.TXT 6.3 of PKWARE, sections 4.3.7 (local file header), 4.3.12 (central directory), 4.3.14 to 4.3.16
(its end, for large archives too) and 4.5.3 (sizes beyond 4 GiB).
"""

from __future__ import annotations

import struct
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LOCAL_HEADER", "directory", "entry", "local_header"]

_LARGE = 0xFFFFFFFF
_UTF8 = 0x800

LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_EXTRA = struct.Struct("<2H")


def entry(key: str, size: int, crc: int, offset: int) -> zipfile.ZipInfo:
    """Return the entry of a stored value; archives of the same values are identical."""
    made = zipfile.ZipInfo(key)
    made.flag_bits = 0 if key.isascii() else _UTF8
    made.create_system = 3
    made.external_attr = 0o100644 << 16
    made.file_size = made.compress_size = size
    made.CRC = crc
    made.header_offset = offset
    return made


def local_header(info: zipfile.ZipInfo) -> bytes:
    """Return the header before the bytes of an entry."""
    name = _name(info)
    large = info.file_size >= _LARGE
    extra = _EXTRA.pack(1, 16) + struct.pack("<2Q", info.file_size, info.compress_size) if large else b""
    size = _LARGE if large else info.file_size
    header = LOCAL_HEADER.pack(
        b"PK\x03\x04",
        45 if large else 20,
        info.flag_bits,
        info.compress_type,
        *_time(info),
        info.CRC,
        size,
        size,
        len(name),
        len(extra),
    )
    return header + name + extra


def directory(entries: Sequence[zipfile.ZipInfo], offset: int, comment: bytes) -> bytes:
    """Return the directory of all entries, which starts at `offset`, and the end of the archive."""
    records = b"".join(map(_central, entries))
    count, size = len(entries), len(records)
    ends: list[bytes] = [records]
    if count >= 0xFFFF or size >= _LARGE or offset >= _LARGE:
        ends += [
            _END_64.pack(b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, offset),
            _LOCATOR_64.pack(b"PK\x06\x07", 0, offset + size, 1),
        ]
    count, size, offset = min(count, 0xFFFF), min(size, _LARGE), min(offset, _LARGE)
    ends += [_END.pack(b"PK\x05\x06", 0, 0, count, count, size, offset, len(comment)), comment]
    return b"".join(ends)


def _central(info: zipfile.ZipInfo) -> bytes:
    name = _name(info)
    numbers = [info.file_size, info.compress_size, info.header_offset]
    large = struct.pack("<3Q", *numbers) if max(numbers) >= _LARGE else b""
    if large:
        numbers = [_LARGE] * 3
    extra = (_EXTRA.pack(1, len(large)) + large if large else b"") + _other_extra(info.extra)
    return (
        _CENTRAL.pack(
            b"PK\x01\x02",
            info.create_system << 8 | max(info.create_version, 45 if large else 20),
            max(info.extract_version, 45 if large else 20),
            info.flag_bits,
            info.compress_type,
            *_time(info),
            info.CRC,
            numbers[1],
            numbers[0],
            len(name),
            len(extra),
            len(info.comment),
            0,
            info.internal_attr,
            info.external_attr,
            numbers[2],
        )
        + name
        + extra
        + info.comment
    )


def _name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")


def _time(info: zipfile.ZipInfo) -> tuple[int, int]:
    year, month, day, hour, minute, second = info.date_time
    return hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day


def _other_extra(extra: bytes) -> bytes:
    """Return the extra fields of an entry that was read, without those for large sizes."""
    kept: list[bytes] = []
    while len(extra) >= _EXTRA.size:
        number, length = _EXTRA.unpack_from(extra)
        if number != 1:
            kept.append(extra[: _EXTRA.size + length])
        extra = extra[_EXTRA.size + length :]
    return b"".join(kept)
