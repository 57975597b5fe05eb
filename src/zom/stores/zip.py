"""A zip file as a store: read, created, or appended to.

Values are stored without compression, so that parts of them can be read. A new archive, and an appended
one, is written beside the old file and takes its place when the store is closed: until then the old one
is untouched, and a crash leaves it so. APPNOTE.TXT 6.3, of PKWARE.
"""

from __future__ import annotations

import os
import secrets
import shutil
import struct
import threading
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import override

from zom.errors import PathError, StoreError
from zom.paths import check_key
from zom.stores.interface import ByteRange, Capabilities, Range, Store, Suffix, cut

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ZipStore"]

_ENCRYPTED = 0x1
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA}
_RATIO = 2000
"""Deflate can't shrink anything to less than a thousandth; what claims more is made to do harm."""


class ZipStore(Store):
    """Values as entries of one zip file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ZipStore(f"{folder}/x.zip", mode="w") as store:
    ...         store.set("a/0", b"123")
    ...     with ZipStore(f"{folder}/x.zip") as store:
    ...         store.get("a/0"), list(store.list())
    (b'123', ['a/0'])
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        mode: Literal["r", "w", "x", "a"] = "r",
        max_value_bytes: int = 1 << 31,
    ) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100 - as the user named it
        self.mode = mode
        self.max_value_bytes = max_value_bytes
        self.capabilities = Capabilities(writable=mode != "r", create_if_absent=True, compare_and_set=True)
        self._guard = threading.RLock()
        self._temporary: Path | None = None
        self._changed = mode in {"w", "x"}
        with self._told("", "open"):
            self._zip = self._open()
            self._entries = self._checked_entries()

    @property
    @override
    def url(self) -> str:
        return str(self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.mode != "r":
            raise StoreError(
                self.url, "", "pickle", "a zip file that is being written belongs to its process"
            )
        return (_reopen, (str(self.path), self.max_value_bytes))

    # --- opening -----------------------------------------------------------------------------------

    def _open(self) -> zipfile.ZipFile:
        if self.mode == "r":
            if not self.path.is_file():
                found = "a directory" if self.path.is_dir() else "nothing"
                raise StoreError(self.url, "", "open", f"expected a zip file, found {found}")
            return self._archive(self.path, "r")
        if self.mode not in {"w", "x", "a"}:
            raise StoreError(self.url, "", "open", f"expected mode r, w, x or a, got {self.mode!r}")
        if self.mode == "x" and self.path.exists():
            raise StoreError(self.url, "", "open", "there is such a file already")
        self._temporary = self.path.with_name(f".zom-tmp-{secrets.token_hex(8)}")
        appended = self.mode == "a" and self.path.exists()
        try:
            if appended:
                self._archive(self.path, "r").close()
                shutil.copyfile(self.path, self._temporary)
            return self._archive(self._temporary, "a" if appended else "x")
        except BaseException:
            self._temporary.unlink(missing_ok=True)
            raise

    def _archive(self, path: Path, mode: Literal["r", "x", "a"]) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(path, mode, compression=zipfile.ZIP_STORED)
        except zipfile.BadZipFile as cause:
            reason = f"not a whole zip file: {cause}".lower()
            raise StoreError(self.url, "", "open", reason) from cause

    def _checked_entries(self) -> dict[str, zipfile.ZipInfo]:
        """The entries by key; an archive that lies about them is refused whole."""
        entries: dict[str, zipfile.ZipInfo] = {}
        spans: list[tuple[int, int, str]] = []
        for info in self._zip.infolist():
            spans.append((info.header_offset, info.header_offset + 30 + info.compress_size, info.filename))
            if info.is_dir():
                continue
            try:
                key = check_key(info.orig_filename)
            except PathError as cause:
                raise StoreError(self.url, "", "open", f"an entry has no proper key: {cause}") from cause
            if key in entries:
                raise StoreError(self.url, key, "open", "the archive has two entries of this name")
            if info.flag_bits & _ENCRYPTED:
                raise StoreError(self.url, key, "open", "the entry is encrypted")
            entries[key] = info
        spans.sort()
        for (_, end, first), (start, _, second) in zip(spans, spans[1:], strict=False):
            if start < end:
                raise StoreError(self.url, second, "open", f"the entry overlaps {first!r}")
        return entries

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        info = self._entries.get(key)
        if info is None:
            return None
        self._refuse_bomb(key, info)
        if byte_range is not None and info.compress_type == zipfile.ZIP_STORED and self.mode == "r":
            return self._read_stored(info, byte_range)
        with self._guard, self._zip.open(info) as stream:
            value = stream.read(info.file_size + 1)  # reading to the end checks the CRC
        if len(value) != info.file_size:
            reason = f"expected {info.file_size} bytes, found {len(value)}"
            raise StoreError(self.url, key, "read", reason)
        return cut(value, byte_range)

    def _refuse_bomb(self, key: str, info: zipfile.ZipInfo) -> None:
        if info.compress_type not in _METHODS:
            raise StoreError(self.url, key, "read", f"unknown compression method {info.compress_type}")
        if info.file_size > self.max_value_bytes:
            reason = f"the entry has {info.file_size} bytes, more than the limit of {self.max_value_bytes}"
            raise StoreError(self.url, key, "read", reason)
        if info.file_size > _RATIO * max(info.compress_size, 1):
            reason = f"the entry claims {info.file_size} bytes in {info.compress_size}: too many to be true"
            raise StoreError(self.url, key, "read", reason)

    def _read_stored(self, info: zipfile.ZipInfo, byte_range: ByteRange) -> bytes:
        """Part of a stored value, straight from the file; its CRC is of the whole and is not checked."""
        stream = self._zip.fp
        if stream is None:
            raise StoreError(self.url, info.filename, "read", "the store is closed")
        descriptor = stream.fileno()
        header = os.pread(descriptor, _LOCAL_HEADER.size, info.header_offset)
        if len(header) != _LOCAL_HEADER.size or header[:4] != b"PK\x03\x04":
            raise StoreError(self.url, info.filename, "read", "expected a local header, found other bytes")
        _, name, extra = _LOCAL_HEADER.unpack(header)
        if isinstance(byte_range, Suffix):
            byte_range = Range(max(0, info.file_size - byte_range.length))
        start, length = byte_range
        rest = max(0, info.file_size - start)
        wanted = rest if length is None else min(length, rest)
        value = os.pread(descriptor, wanted, info.header_offset + _LOCAL_HEADER.size + name + extra + start)
        if len(value) != wanted:
            raise StoreError(self.url, info.filename, "read", "the file ends within the entry")
        return value

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return [key for key in list(self._entries) if key.startswith(prefix)]

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _write(self, key: str, value: bytes) -> None:
        with self._guard:
            info = zipfile.ZipInfo(key)
            info.external_attr = 0o644 << 16
            self._drop(key)
            self._zip.writestr(info, value)
            self._entries[key] = info
            self._changed = True

    def _drop(self, key: str) -> None:
        """Take the entry out of the archive's directory; its bytes stay, in nobody's way."""
        old = self._entries.pop(key, None)
        if old is not None:
            self._zip.filelist.remove(old)
            del self._zip.NameToInfo[old.filename]

    @override
    def _remove(self, key: str) -> None:
        with self._guard:
            if key in self._entries:
                self._drop(key)
                self._zip._didModify = True  # type: ignore[attr-defined]  # noqa: SLF001 - else the directory stays
                self._changed = True

    @override
    def close(self) -> None:
        """Finish the archive and put it in its place."""
        with self._guard:
            if self._zip.fp is None:
                return
            if self._temporary is None:
                self._zip.close()
                return
            try:
                with self._told("", "close"):
                    self._zip.close()
                    if self._changed:
                        _sync(self._temporary)
                        self._temporary.replace(self.path)
            finally:
                self._temporary.unlink(missing_ok=True)

    def discard(self) -> None:
        """Close the store and forget what was written since it was opened."""
        self._changed = False
        self.close()

    @override
    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        # A block that failed leaves the old archive: a half-written one would look whole.
        self.discard() if kind is not None and self.mode != "r" else self.close()


def _reopen(path: str, max_value_bytes: int) -> ZipStore:
    return ZipStore(path, max_value_bytes=max_value_bytes)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
