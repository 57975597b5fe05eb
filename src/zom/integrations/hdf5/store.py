"""HDF5 and NetCDF4 files as stores, with the documents and chunks of a Zarr v3 hierarchy.

`zom.open`, `zom.read`, `zom.copy` and `zom tree` accept them. They are read-only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.errors import StoreError
from zom.hierarchy.stored.layout import V3_LAYOUT
from zom.integrations.hdf5.chunks import SourceChunks
from zom.integrations.hdf5.file import opened_file, told_of_damage
from zom.integrations.hdf5.spec import read_hierarchy
from zom.json.write import write_json
from zom.model.builders.build import AUTO
from zom.model.tree import flatten
from zom.stores.interface import ByteRange, Capabilities, Listing, Store, cut
from zom.stores.key_tree import KeyTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zom.integrations.hdf5.arrays import SourceArray
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.stores.backend import Origin

__all__ = ["HDF5Store"]


class HDF5Store(Store):
    r"""A file, or an open h5py group, as a Zarr v3 hierarchy.

    >>> import h5py
    >>> file = h5py.File("a.h5", "w", driver="core", backing_store=False)
    >>> file["x"] = [1, 2]
    >>> store = HDF5Store(file)
    >>> sorted(store.list()), store.get("x/c/0")[:2]
    (['x/c/0', 'x/zarr.json', 'zarr.json'], b'\x01\x00')
    """

    capabilities = Capabilities(writable=False)

    def __init__(self, source: Any, *, compress: Any = AUTO) -> None:
        self._file = opened_file(source)
        self._options: dict[str, Any] = {} if compress is AUTO else {"compress": compress}
        try:
            with told_of_damage(self._file.url):
                found = read_hierarchy(self._file.group, compress=compress)
        except BaseException:
            self._file.close()
            raise
        self._losses = found.losses
        self._documents: dict[str, bytes] = {}
        self._chunks: dict[str, SourceChunks] = {}
        self._unreadable: dict[str, str] = {}
        """The missing filter by document key, for arrays whose elements can't be read."""
        for path, spec in flatten(found.spec).items():
            array = found.arrays.get(path)
            self._add(path, spec, array)
        self._tree = KeyTree(self._documents)

    def _add(self, path: str, spec: Spec, array: SourceArray | None) -> None:
        for key, document in V3_LAYOUT.documents(path, spec).items():
            self._documents[key] = write_json(document, indent=2).encode()
            if array is not None and array.missing is not None:
                self._unreadable[key] = array.missing
        if array is not None and array.missing is None:
            self._chunks[V3_LAYOUT.chunk_prefix(path)] = SourceChunks(array, spec, path)

    @property
    @override
    def url(self) -> str:
        return self._file.url

    @property
    @override
    def losses(self) -> Sequence[Problem]:
        """The parts of the file that the hierarchy lacks."""
        return self._losses

    @override
    def origin(self, prefix: str) -> Origin:
        chunks = self._chunks.get(prefix)
        if chunks is None:
            return "stored"
        return "foreign" if chunks.array.same_bytes else "made"

    def _found(self, key: str) -> tuple[SourceChunks, tuple[int, ...]] | None:
        """Return the array and place of the chunk at `key`, or None."""
        prefix = key
        while prefix:
            prefix = prefix[:-1].rpartition("/")[0]
            prefix = f"{prefix}/" if prefix else ""
            chunks = self._chunks.get(prefix)
            if chunks is not None:
                plan = chunks.plan
                place = plan.keys.coords(key[len(prefix) :], len(plan.axes))
                grid = plan.grid
                if place is None or any(at >= count for at, count in zip(place, grid, strict=True)):
                    return None
                return chunks, place
        return None

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        document = self._documents.get(key)
        if key in self._unreadable:
            fix = "install it (pip install hdf5plugin) and import it before the file is opened"
            reason = f"its chunks need the filter {self._unreadable[key]}, which is not installed; {fix}"
            raise StoreError(self.url, key, "read", reason)
        if document is not None:
            return cut(document, byte_range)
        found = self._found(key)
        if found is None:
            return None
        try:
            value = found[0].read(found[1])
        except UnicodeDecodeError as cause:
            raise self._not_unicode(key, found[0], cause) from cause
        return None if value is None else cut(value, byte_range)

    def _not_unicode(self, key: str, chunks: SourceChunks, cause: UnicodeDecodeError) -> StoreError:
        data = cause.object
        found = f"{data[:40]!r}..." if len(data) > 40 else repr(data)
        fix = "leave out the array (choose others with select), or write the text in UTF-8 to the file"
        reason = f"expected text in UTF-8, found the element {found}; {fix}"
        error = StoreError(self.url, key, "read", reason)
        error.node = chunks.node
        return error

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        yield from (key for key in list(self._documents) if key.startswith(prefix))
        for at, chunks in list(self._chunks.items()):
            if at.startswith(prefix) or prefix.startswith(at):
                keys = self._chunk_keys(at, chunks)
                yield from keys if at.startswith(prefix) else (k for k in keys if k.startswith(prefix))

    @staticmethod
    def _chunk_keys(prefix: str, chunks: SourceChunks) -> Iterator[str]:
        key: Callable[[tuple[int, ...]], str] = chunks.plan.keys.key
        return (prefix + key(place) for place in chunks.stored())

    @override
    def _list_dir(self, prefix: str) -> Listing:
        if any(prefix.startswith(at) for at in self._chunks):
            return super()._list_dir(prefix)
        return self._tree.list_dir(prefix)

    @override
    def close(self) -> None:
        self._file.close()

    @override
    def __reduce__(self) -> Any:
        if self._file.path is None:
            reason = "a file that h5py has open belongs to its process; pass its path"
            raise StoreError(self.url, "", "pickle", reason)
        return _reopened, (self._file.path, self._options)


def _reopened(path: str, options: dict[str, Any]) -> HDF5Store:
    return HDF5Store(path, **options)
