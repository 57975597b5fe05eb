"""Objects of other libraries as stores: zarr-python, obstore, fsspec, icechunk and universal-pathlib.

They are recognized by their attributes and loaded classes, without importing any library.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from zom.errors import StoreError
from zom.stores.wrap import PrefixStore, ReadOnlyStore

if TYPE_CHECKING:
    from zom.stores.interface import Store

__all__ = ["SESSION", "adapted", "is_of", "kind_of"]

_ROOTED = {"reference", "dir", "zip", "tar", "libarchive"}
"""File systems of fsspec that hold exactly one hierarchy."""

SESSION = "expected a session: repository.readonly_session('main') or repository.writable_session('main')"
"""The message for an icechunk repository, which is opened through a session."""


def adapted(place: Any, *, read_only: bool) -> Store:
    """Return a store around an object of another library.

    >>> adapted(7, read_only=True)
    Traceback (most recent call last):
    zom.errors.StoreError: builtins.int: cannot open: expected a path, a URL, or a store of zom, zarr-python, obstore, fsspec, icechunk or h5py
    """
    if is_of("zarr.storage", "StorePath", place) or hasattr(place, "store_path"):
        at = getattr(place, "store_path", place)
        return _below(adapted(at.store, read_only=read_only), str(at.path))
    if is_of("zarr.abc.store", "Store", place):
        return _from_zarr_python(place, read_only=read_only)
    if is_of("icechunk", "Session", place):
        return _from_zarr_python(place.store, read_only=read_only)
    if is_of("icechunk", "Repository", place):
        raise StoreError(kind_of(place), "", "open", SESSION)
    if type(place).__module__.partition(".")[0] == "obstore" and not is_of(
        "fsspec.spec", "AbstractFileSystem", place
    ):
        from zom.stores.object import ObjectStore  # noqa: PLC0415 - asyncio is loaded only if needed

        return ObjectStore(place, read_only=read_only)
    path = getattr(place, "path", getattr(place, "root", None))
    if hasattr(place, "fs") and isinstance(path, str):
        return _in_file_system(place.fs, path, read_only=read_only)
    if is_of("fsspec.spec", "AbstractFileSystem", place):
        return _file_system(place, read_only=read_only)
    wanted = "expected a path, a URL, or a store of zom, zarr-python, obstore, fsspec, icechunk or h5py"
    raise StoreError(kind_of(place), "", "open", wanted)


def _in_file_system(filesystem: Any, path: str, *, read_only: bool) -> Store:
    """Return a store around a path in an fsspec file system, as in a mapper or a UPath."""
    if type(filesystem).__module__.partition(".")[0] == "obstore":
        return _of_obstore(filesystem, path, read_only=read_only)
    from zom.stores.fsspec import FsspecStore  # noqa: PLC0415 - loaded only for such paths

    return FsspecStore(filesystem, path, read_only=read_only)


def _of_obstore(filesystem: Any, path: str, *, read_only: bool) -> Store:
    """Return a store around the obstore store inside obstore's own fsspec file system.

    That file system can't read whole values in batches, and a missing one fails the batch (obstore 0.12).
    """
    from zom.stores.object import ObjectStore  # noqa: PLC0415 - asyncio is loaded only if needed

    bucket, inner = filesystem._split_path(path)  # noqa: SLF001 - there is no public method
    prefix = f"{inner.strip('/')}/".lstrip("/")
    return ObjectStore(filesystem._construct_store(bucket), prefix, read_only=read_only)  # noqa: SLF001 - as above


def _file_system(place: Any, *, read_only: bool) -> Store:
    """Return a store around an fsspec file system that has a root of its own."""
    from zom.stores.fsspec import FsspecStore  # noqa: PLC0415 - loaded only for such file systems
    from zom.stores.fsspec.file_systems import protocols  # noqa: PLC0415 - as above

    protocol = protocols(place)[0]
    if protocol not in _ROOTED:
        reason = "expected a path in this file system: pass file_system.get_mapper('path/to/data.zarr')"
        raise StoreError(f"{protocol}://", "", "open", reason)
    return FsspecStore(place, "", read_only=read_only)


def _from_zarr_python(place: Any, *, read_only: bool) -> Store:
    """Return a store around a zarr-python store, unwrapping bridges and other wrappers."""
    if is_of("zom.stores.zarr_python.bridge", "Bridge", place):
        inner = cast("Store", place.inner)
        shut = (read_only or place.read_only) and inner.capabilities.writable
        return ReadOnlyStore(inner) if shut else inner
    if is_of("zarr.storage", "ObjectStore", place):
        return adapted(place.store, read_only=read_only or place.read_only)
    if type(place) is getattr(sys.modules.get("zarr.storage"), "LocalStore", None):
        from zom.stores.local import LocalStore  # noqa: PLC0415 - a layer above this module

        # zarr-python deletes through links, and lists a link to a parent directory endlessly.
        return LocalStore(place.root, create="later", read_only=read_only or place.read_only)
    if is_of("zarr.storage", "FsspecStore", place):
        from zom.stores.fsspec import FsspecStore  # noqa: PLC0415 - loaded only for such stores
        from zom.stores.fsspec.file_systems import unwrapped  # noqa: PLC0415 - as above

        # zarr-python uses file systems from several threads that don't support it, such as one of a tar file.
        filesystem, path = unwrapped(place.fs, str(place.path))
        if not filesystem.async_impl:
            return FsspecStore(filesystem, path, read_only=read_only or place.read_only)
    from zom.stores.zarr_python import ZarrPythonStore  # noqa: PLC0415 - needs zarr-python

    return ZarrPythonStore(place, read_only=read_only)


def _below(whole: Store, path: str) -> Store:
    return PrefixStore(whole, f"{path.strip('/')}/") if path.strip("/") else whole


def is_of(module: str, name: str, place: object) -> bool:
    """Whether `place` is an instance of a class in a module; imports nothing.

    >>> is_of("builtins", "dict", {}), is_of("not_imported", "Group", {})
    (True, False)
    """
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(place, kind)


def kind_of(place: object) -> str:
    """Return the full name of the class of `place`.

    >>> kind_of({})
    'builtins.dict'
    """
    return f"{type(place).__module__}.{type(place).__qualname__}"
