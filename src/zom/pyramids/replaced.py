"""Checks on the levels that a pyramid replaces, which must not be its own source.

These nodes are deleted before the image is read. So an image that may be read from them is refused, and so is
an image in the same group that is coarser than one of them: the finest level would be lost.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from zom.errors import StoreError
from zom.handles.array import Array
from zom.hierarchy.stored.place import place_of
from zom.paths import join, parse_path
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import WrapperStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.handles.group import Group
    from zom.stores.interface import Store

__all__ = ["check_finest", "check_replaced"]

_FIX = (
    "read it into memory first, for example with numpy.asarray, or choose another group; if it is not read from here, delete the "
    "old levels yourself"
)


def check_finest(group: Group, image: str, paths: Sequence[str]) -> None:
    """Raise ValueError if the group's levels, in order of `paths`, include one finer than array `image`."""
    finer = [path for path in paths[: paths.index(image)] if path in group] if image in paths else []
    if finer:
        wanted = f"the finest level of the pyramid in {group.path}, {finer[0]!r}, to write levels beside it"
        fix = "pass the finest level, or another group for the new pyramid"
        raise ValueError(f"image: expected {wanted}, got {image!r}, a coarser one; {fix}")


def check_replaced(group: Group, names: Sequence[str], image: Any) -> None:
    """Raise StoreError if the image may be read from a node to be replaced, or is coarser than one."""
    if isinstance(image, np.ndarray):
        return
    for reason in (_origin, _coarser):
        for name in names:
            whole = join((*parse_path(group.path), *parse_path(name)))
            found = reason(group, name, whole, image)
            if found:
                raise StoreError(group.store.url, whole.strip("/"), "replace", found)


def _origin(group: Group, name: str, whole: str, image: Any) -> str | None:
    """Return the reason why the image may be read from the node, or None."""
    del name
    if not isinstance(image, Array):
        kind = f"{type(image).__module__}.{type(image).__qualname__}"
        return (
            f"it is deleted before the image is read, and an image of type {kind} may be read from it; {_FIX}"
        )
    here, goes = place_of(image.store, image.path), place_of(group.store, whole)
    if here[: len(goes)] == goes:
        return "the image is read from it; choose another group, or pass the finest level of this group as the image"
    if not _told_apart(image.store, group.store):
        return f"it is deleted before the image is read, and {image.store.url} may be the same place; {_FIX}"
    return None


def _coarser(group: Group, name: str, whole: str, image: Any) -> str | None:
    """Return the reason why a node in the image's group is finer than the image, or None."""
    del whole
    here, root = place_of(image.store, image.path), place_of(group.store, group.path)
    there = group[name]
    if here[: len(root)] == root and isinstance(there, Array) and _is_finer(there.shape, image.shape):
        return (
            f"it is finer than the image, {there.shape} and {image.shape}, and would be lost; choose another group, or "
            "pass it as the image"
        )
    return None


def _is_finer(there: tuple[int, ...], image: tuple[int, ...]) -> bool:
    longer = len(there) == len(image) and any(a > b for a, b in zip(there, image, strict=True))
    return longer or math.prod(there) > math.prod(image)


def _told_apart(one: Store, other: Store) -> bool:
    """Whether different places in the two stores are certain to hold different data.

    A bucket may be mounted as a directory or served over HTTP, and references may point anywhere.
    """
    from zom.integrations.hdf5.store import HDF5Store  # noqa: PLC0415 - rarely needed
    from zom.stores.fsspec import FsspecStore  # noqa: PLC0415 - as above
    from zom.stores.object import ObjectStore  # noqa: PLC0415 - as above
    from zom.stores.sqlite import SQLiteStore  # noqa: PLC0415 - as above
    from zom.stores.zip import ZipStore  # noqa: PLC0415 - as above

    one, other = _innermost(one), _innermost(other)
    if one is other or isinstance(one, MemoryStore):
        return True
    own = (MemoryStore, LocalStore, ZipStore, SQLiteStore, HDF5Store)
    if isinstance(one, own) and isinstance(other, own):
        return True
    same_scheme = place_of(one, "")[:1] == place_of(other, "")[:1]
    return type(one) is type(other) and isinstance(one, (ObjectStore, FsspecStore)) and same_scheme


def _innermost(store: Store) -> Store:
    while isinstance(store, WrapperStore):
        store = store.inner
    return store
