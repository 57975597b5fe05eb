"""A zip file as a store, for reading, creating and appending.

Values are stored without compression, so that parts of them can be read. A new or appended archive is
written beside the old file and replaces it when the store is closed: until then, and after a crash, the
old one is unchanged. APPNOTE.TXT 6.3, of PKWARE.

A hierarchy may be packed with its directory (`zip -r x.zip x.zarr`), so zom also finds it in directories of
the archive.
"""

from __future__ import annotations

import os
import shutil
import stat
import threading
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import override

from zom.errors import StoreError
from zom.paths import check_stored_prefix
from zom.problems import Fault
from zom.reason import reason_of
from zom.stores.interface import ByteRange, Capabilities, Listing, Store, cut
from zom.stores.key_tree import KeyTree
from zom.stores.local.files import is_there, kind
from zom.stores.local.replacement import Replacement, sweep_beside
from zom.stores.locks import remake_in_children
from zom.stores.oddities import PACKED_LINK, REPEATED_NAME, Oddity
from zom.stores.snapshots import Snapshot, ValueSnapshot
from zom.stores.system import calls
from zom.stores.zip.entries import Positioned, ZipEntry, checked_entries, read_range, read_whole
from zom.stores.zip.records import directory, entry, local_header

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

__all__ = ["ZipStore", "hierarchy_root"]

_UNLINK = "pack the files themselves, as zip does without -y"
_DOCUMENTS = frozenset({"zarr.json", ".zarray", ".zgroup", ".zmetadata"})
"""The documents that mark a node."""


class ZipStore(Store):
    """Values as entries of one zip file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ZipStore(f"{folder}/x.zip", mode="w") as store:
    ...         store.set("a/0", b"123")
    ...     with ZipStore(f"{folder}/x.zip") as store:
    ...         store.get("a/0"), list(store.list())
    (b'123', ['a/0'])

    If the only hierarchy of an archive is in a directory, keys are relative to it. `root` is that
    directory, or the one that you choose; "" is the archive itself.

    With `create="later"`, a new archive (mode "w") is empty until the first write creates it.
    """

    longest_key = 0xFFFF
    """The limit of the format's 16-bit length."""

    _descriptor = -1
    _new: Replacement | None = None
    _waits = False

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        mode: Literal["r", "w", "x", "a"] = "r",
        max_value_bytes: int = 1 << 31,
        root: str | None = None,
        create: Literal["at once", "later"] = "at once",
    ) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100 - as the user named it
        self.mode = mode
        self.max_value_bytes = max_value_bytes
        self.capabilities = Capabilities(writable=mode != "r", create_if_absent=True, compare_and_set=True)
        self._guard = threading.RLock()
        self._process = os.getpid()
        self._entries: dict[str, ZipEntry] = {}
        self._tree = KeyTree()
        self._repeated: list[str] = []
        self._kept: list[zipfile.ZipInfo] = []
        self._comment = b""
        self._end = 0
        self._waits = create == "later"
        self._changed = mode in {"w", "x"} and not self._waits
        with self._told("", "open"):
            # A link to an archive stays: its target is replaced.
            self._target = Path(os.path.realpath(self.path))
            self._open()
            self.root = hierarchy_root(self._entries) if root is None else check_stored_prefix(root)
        # Keys may include the directory, too, unless the hierarchy has a member of that name.
        self._is_alias = bool(self.root) and not any(self._tree.list_dir(self.root * 2))
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
            reason = "a zip file that is being written belongs to its process; write a directory, and copy it to a zip file"
            raise StoreError(self.url, "", "pickle", reason)
        return (_reopen, (str(self.path), self.max_value_bytes, self.root))

    @property
    @override
    def oddities(self) -> Sequence[Oddity]:
        """Repeated names in the archive, and symbolic links."""
        found: list[Oddity] = []
        if self._repeated:
            fix = "copy the store to a new one, as with zom.copy; changing it with zom also writes each name once"
            told = f"two or more entries of {_first(self._repeated)}; the last one is read"
            found.append(
                Oddity(Fault(REPEATED_NAME, (), "one entry of each name", told, fix), self._repeated[0])
            )
        links = [name for name, entry in self._entries.items() if entry.is_link]
        if links:
            told = _first(links)
            found.append(Oddity(Fault(PACKED_LINK, (), "no symbolic link", told, _UNLINK), links[0]))
        return tuple(found)

    # --- opening -----------------------------------------------------------------------------------

    def _open(self) -> None:
        if self.mode not in {"r", "w", "x", "a"}:
            raise ValueError(f"expected mode r, w, x or a, got {self.mode!r}")
        try:
            mode = self.path.stat().st_mode
        except FileNotFoundError:
            mode = stat.S_IFREG
        if not stat.S_ISREG(mode):
            raise StoreError(self.url, "", "open", f"expected a zip file, found {kind(mode)}")
        if self.mode == "x" and is_there(self.path):
            raise StoreError(self.url, "", "open", "the file already exists")
        if self.mode == "r":
            self._descriptor = calls.open(self.path, calls.O_RDONLY | calls.O_CLOEXEC)
        elif not self._waits:
            self._new = Replacement(self._target, is_new=self.mode == "x")
            self._descriptor = self._new.descriptor
        try:
            if self.mode == "r" or (self.mode == "a" and self._new is not None and self._new.old >= 0):
                self._take_entries()
        except BaseException:
            self._give_back()
            raise

    def _take_entries(self) -> None:
        if self._new is not None:
            with (
                open(self._new.old, "rb", closefd=False) as old,
                open(self._descriptor, "wb", closefd=False) as new,
            ):
                shutil.copyfileobj(old, new, 1 << 20)
        try:
            with zipfile.ZipFile(Positioned(self._descriptor)) as archive:
                found = checked_entries(self.url, archive)
                self._entries, self._kept, self._repeated = found
                self._tree = KeyTree(self._entries)
                self._comment = archive.comment
                self._end = archive.start_dir
        except zipfile.BadZipFile as cause:
            reason = f"not a complete zip file: {reason_of(cause)}"
            raise StoreError(self.url, "", "open", reason) from cause

    def _name(self, key: str) -> str:
        """Return the entry name of `key`, or the name prefix of a prefix."""
        return key if self._is_alias and key.startswith(self.root) else self.root + key

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        descriptor = self._opened()
        found = self._entries.get(self._name(key))
        if found is None:
            return None
        if found.is_link:
            raise StoreError(self.url, key, "read", f"expected a file, found a symbolic link; {_UNLINK}")
        if found.size > self.max_value_bytes:
            reason = f"the entry has {found.size} bytes, more than the limit of {self.max_value_bytes}"
            raise StoreError(self.url, key, "read", reason)
        if byte_range is not None and found.method == zipfile.ZIP_STORED:
            return read_range(descriptor, found, byte_range)
        return cut(read_whole(descriptor, found), byte_range)

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        entry = self._entries.get(self._name(key))
        if entry is not None and entry.method != zipfile.ZIP_STORED:
            # Otherwise each part would unpack the entry again.
            value = self._read(key, None)
            return None if value is None else ValueSnapshot(self, key, value)
        return super()._snapshot(key)

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return [key for key, _ in self._below(prefix)]

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        return [(key, self._entries[name].size) for key, name in self._below(prefix)]

    def _below(self, prefix: str) -> list[tuple[str, str]]:
        """List every key below `prefix` with its entry name."""
        self._opened()
        place = self._name(prefix)
        with self._guard:
            return [(prefix + name[len(place) :], name) for name in self._tree.below(place)]

    @override
    def _list_dir(self, prefix: str) -> Listing:
        self._opened()
        place = self._name(prefix)
        with self._guard:
            found = self._tree.list_dir(place)
        keys, prefixes = ([prefix + name[len(place) :] for name in names] for names in found)
        return Listing(keys, prefixes)

    def _opened(self) -> int:
        if self._descriptor < 0 and not self._waits:
            raise ValueError("the store is closed")
        return self._descriptor

    @override
    def _reason(self, cause: Exception) -> str:
        return str(cause) if type(cause) is ValueError else super()._reason(cause)

    # --- writing -----------------------------------------------------------------------------------

    def _own(self) -> int:
        if self._process != os.getpid():
            raise ValueError("a zip file that is being written belongs to the process that opened it")
        if self._waits:
            # Don't replace a file that another process has created since.
            self._new = Replacement(self._target, is_new=True)
            self._descriptor = self._new.descriptor
            self._waits = False
        return self._opened()

    @override
    def _write(self, key: str, value: bytes) -> None:
        with self._guard:
            descriptor = self._own()
            name = self._name(key)
            made = entry(name, len(value), zlib.crc32(value), self._end)
            header = local_header(made)
            # If this fails, the next value overwrites the rest of this one.
            _write_at(descriptor, header, self._end)
            _write_at(descriptor, value, self._end + len(header))
            self._end += len(header) + len(value)
            self._entries[name] = ZipEntry.of(made, self._end)
            self._tree.add(name)
            self._changed = True

    @override
    def _remove(self, key: str) -> None:
        with self._guard:
            self._own()
            name = self._name(key)
            if self._entries.pop(name, None) is not None:
                self._tree.remove(name)
                self._changed = True

    @override
    def close(self) -> None:
        """Finish the archive and replace the old one."""
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
        if self._new is not None:
            self._new.put()

    def _give_back(self) -> None:
        """Close the file, and delete a temporary one."""
        descriptor, self._descriptor = self._descriptor, -1
        self._waits = False
        if self._new is not None:
            self._new.close()
        elif descriptor >= 0:
            calls.close(descriptor)

    @override
    def sweep(self) -> int:
        """Delete the temporary files that killed writers of this archive left, and return how many.

        Every writer also does this when it opens the archive.
        """
        return sweep_beside(self._target)

    def discard(self) -> None:
        """Close the store and discard all changes since it was opened."""
        self._changed = False
        self.close()

    @override
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A failed block keeps the old archive: a half-written one would look complete.
        if error is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        # Without a close, nothing was written: warn about it.
        lost = self._descriptor >= 0 and self._changed and self._entries and self._process == os.getpid()
        self._give_back()
        if lost:
            message = f"{self.url}: the zip file was never closed, so its changes are lost: close the store"
            warnings.warn(message, RuntimeWarning, stacklevel=2, source=self)


def _reopen(path: str, max_value_bytes: int, root: str) -> ZipStore:
    return ZipStore(path, max_value_bytes=max_value_bytes, root=root)


def _first(names: Sequence[str]) -> str:
    return repr(names[0]) if len(names) == 1 else f"{names[0]!r} and {len(names) - 1} more"


def hierarchy_root(names: Iterable[str]) -> str:
    """Return the directory of the only hierarchy among `names`; "" if there is none, or several.

    >>> hierarchy_root(["README.md", "x.zarr/zarr.json", "x.zarr/a/zarr.json", "__MACOSX/x.zarr/._zarr.json"])
    'x.zarr/'
    >>> hierarchy_root(["x.zarr/zarr.json", "y.zarr/zarr.json"])
    ''
    """
    found = {name.rpartition("/")[0] for name in names if name.rpartition("/")[2] in _DOCUMENTS}
    nodes = [folder for folder in found if folder.partition("/")[0] != "__MACOSX"]
    root = min(nodes, key=len, default="")
    prefix = f"{root}/" if root else ""
    return prefix if all(folder == root or folder.startswith(prefix) for folder in nodes) else ""


def _write_at(descriptor: int, value: bytes, offset: int) -> None:
    view = memoryview(value)
    while view:
        written = calls.pwrite(descriptor, view, offset)
        offset += written
        view = view[written:]
