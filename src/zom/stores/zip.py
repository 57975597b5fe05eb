"""A zip file as a store: read, created, or appended to.

Values are stored without compression, so that parts of them can be read. A new archive, and an appended
one, is written beside the old file and takes its place when the store is closed: until then the old one
is untouched, and a crash leaves it so. APPNOTE.TXT 6.3, of PKWARE.
"""

from __future__ import annotations

import os
import shutil
import threading
import warnings
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import override

from zom.errors import StoreError
from zom.stores.durability import sync_directory
from zom.stores.interface import ByteRange, Capabilities, Store, cut
from zom.stores.locks import remake_in_children
from zom.stores.temporary import hold, temporary_name
from zom.stores.zip_entries import Entry, Positioned, checked_entries, read_range, read_whole
from zom.stores.zip_records import directory, entry, local_header

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

__all__ = ["ZipStore"]


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

    _descriptor = -1
    _temporary: Path | None = None

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
        self._process = os.getpid()
        self._entries: dict[str, Entry] = {}
        self._kept: list[zipfile.ZipInfo] = []
        self._comment = b""
        self._end = 0
        self._changed = mode in {"w", "x"}
        # A link to an archive stays one: what it leads to is replaced.
        self._target = Path(os.path.realpath(self.path))
        self._found: tuple[int, ...] | None = None
        with self._told("", "open"):
            self._open()
        remake_in_children(self)

    def after_fork(self) -> None:
        """Leave the archive that is being written to the parent."""
        self._guard = threading.RLock()

    @property
    @override
    def url(self) -> str:
        return str(self.path)

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        if self.mode != "r":
            reason = "a zip file that is being written belongs to its process"
            raise StoreError(self.url, "", "pickle", reason)
        return (_reopen, (str(self.path), self.max_value_bytes))

    # --- opening -----------------------------------------------------------------------------------

    def _open(self) -> None:
        if self.mode not in {"r", "w", "x", "a"}:
            raise ValueError(f"expected mode r, w, x or a, got {self.mode!r}")
        if self.path.exists() and not self.path.is_file():
            found = "a directory" if self.path.is_dir() else "something else"
            raise StoreError(self.url, "", "open", f"expected a zip file, found {found}")
        if self.mode == "x" and os.path.lexists(self.path):
            raise StoreError(self.url, "", "open", "there is such a file already")
        if self.mode == "r":
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        else:
            self._temporary = self._target.with_name(temporary_name())
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self._descriptor = os.open(self._temporary, flags, 0o666)
        try:
            if self.mode != "r":
                hold(self._descriptor)
            if self.mode == "r" or (self.mode == "a" and self.path.exists()):
                self._take_entries()
        except BaseException:
            self._give_back()
            raise

    def _take_entries(self) -> None:
        if self.mode == "a":
            self._found = _mark(self._target)
            with self._target.open("rb") as old, open(self._descriptor, "wb", closefd=False) as new:
                shutil.copyfileobj(old, new, 1 << 20)
        try:
            with zipfile.ZipFile(Positioned(self._descriptor)) as archive:
                self._entries, self._kept = checked_entries(self.url, archive)
                self._comment = archive.comment
                self._end = archive.start_dir
        except zipfile.BadZipFile as cause:
            reason = f"not a whole zip file: {cause}".lower()
            raise StoreError(self.url, "", "open", reason) from cause

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        descriptor = self._opened()
        found = self._entries.get(key)
        if found is None:
            return None
        if found.size > self.max_value_bytes:
            reason = f"the entry has {found.size} bytes, more than the limit of {self.max_value_bytes}"
            raise StoreError(self.url, key, "read", reason)
        if byte_range is not None and found.method == zipfile.ZIP_STORED:
            return read_range(descriptor, found, byte_range)
        return cut(read_whole(descriptor, found), byte_range)

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        self._opened()
        return [key for key in list(self._entries) if key.startswith(prefix)]

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        self._opened()
        return [(key, found.size) for key, found in list(self._entries.items()) if key.startswith(prefix)]

    def _opened(self) -> int:
        if self._descriptor < 0:
            raise ValueError("the store is closed")
        return self._descriptor

    @override
    def _reason(self, cause: Exception) -> str:
        return str(cause) if type(cause) is ValueError else super()._reason(cause)

    # --- writing -----------------------------------------------------------------------------------

    def _own(self) -> int:
        if self._process != os.getpid():
            raise ValueError("a zip file that is being written belongs to the process that opened it")
        return self._opened()

    @override
    def _write(self, key: str, value: bytes) -> None:
        with self._guard:
            descriptor = self._own()
            made = entry(key, len(value), zlib.crc32(value), self._end)
            header = local_header(made)
            # Where this fails, the next value is written over what there is of this one.
            _write_at(descriptor, header, self._end)
            _write_at(descriptor, value, self._end + len(header))
            self._end += len(header) + len(value)
            self._entries[key] = Entry.of(made, self._end)
            self._changed = True

    @override
    def _remove(self, key: str) -> None:
        with self._guard:
            self._own()
            if self._entries.pop(key, None) is not None:
                self._changed = True

    @override
    def close(self) -> None:
        """Finish the archive and put it in its place."""
        with self._guard, self._told("", "close"):
            try:
                if self._descriptor >= 0 and self._changed and self._process == os.getpid():
                    self._finish()
            finally:
                self._give_back()

    def _finish(self) -> None:
        entries = [*self._kept, *(found.info for found in self._entries.values())]
        end = directory(entries, self._end, self._comment)
        _write_at(self._descriptor, end, self._end)
        os.ftruncate(self._descriptor, self._end + len(end))
        os.fsync(self._descriptor)
        temporary = self._temporary
        if temporary is None:
            return
        if self.mode == "x":
            os.link(temporary, self.path)
        else:
            if self._found is not None and _mark(self._target) != self._found:
                reason = "somebody else has changed the archive since it was opened"
                raise StoreError(self.url, "", "close", reason)
            temporary.replace(self._target)
        sync_directory(temporary.parent)

    def _give_back(self) -> None:
        """Close the file; a temporary one is gone afterwards."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
            if self._temporary is not None and self._process == os.getpid():
                with suppress(OSError):
                    self._temporary.unlink(missing_ok=True)

    def discard(self) -> None:
        """Close the store and forget what was written since it was opened."""
        self._changed = False
        self.close()

    @override
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A block that failed leaves the old archive: a half-written one would look whole.
        if error is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        # Whoever forgets to close the store has written nothing, and should know.
        lost = self._descriptor >= 0 and self._changed and self._entries and self._process == os.getpid()
        self._give_back()
        if lost:
            message = (
                f"{self.url}: the zip file was never closed, and what was written is lost: close the store"
            )
            warnings.warn(message, RuntimeWarning, stacklevel=2, source=self)


def _reopen(path: str, max_value_bytes: int) -> ZipStore:
    return ZipStore(path, max_value_bytes=max_value_bytes)


def _mark(path: Path) -> tuple[int, ...]:
    """What changes when another file takes the place of this one, or this one changes."""
    found = path.stat()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _write_at(descriptor: int, value: bytes, offset: int) -> None:
    view = memoryview(value)
    while view:
        written = os.pwrite(descriptor, view, offset)
        offset += written
        view = view[written:]
