"""Hierarchies below a directory or prefix that is not one itself."""

from __future__ import annotations

import errno
from collections import deque
from typing import TYPE_CHECKING, Final

from zom.errors import StoreError
from zom.paths import DOCUMENT_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.stores.interface import Store

__all__ = ["hierarchies_below", "is_circle", "is_hierarchy"]

_ROOTS: Final = tuple(sorted(DOCUMENT_NAMES - {".zattrs", ".zmetadata"}))
"""The documents that define a node; attributes and consolidated metadata alone don't."""
_FILES: Final = (".zarr.zip", ".ozx")
"""The suffixes of stores in one file."""


def is_hierarchy(store: Store, path: str = "") -> bool:
    """Whether there is a v2 or v3 node at `path`, judged by its documents.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"a/.zgroup": b"{}"})
    >>> is_hierarchy(store), is_hierarchy(store, "a")
    (False, True)
    """
    prefix = f"{path}/" if path else ""
    return any(value is not None for value in store.get_many([f"{prefix}{name}" for name in _ROOTS]))


def is_circle(error: StoreError) -> bool:
    """Whether the listing failed because of a link to a directory above."""
    return getattr(error.__cause__, "errno", None) == errno.ELOOP


def hierarchies_below(store: Store) -> Iterator[str]:
    """The paths of the outermost hierarchies in a store, and of files that are stores, in order.

    Directories whose names begin with a dot are skipped, and so are links to a directory above them. A
    directory
    that can't be listed is among the paths: opening it reports the error.
    >>> from zom.stores.memory import MemoryStore
    >>> keys = ["b.zarr/zarr.json", "b.zarr/t/zarr.json", "2024/a.zarr/.zgroup", "c.zarr.zip", ".git/zarr.json"]
    >>> list(hierarchies_below(MemoryStore(dict.fromkeys(keys, b"{}"))))
    ['c.zarr.zip', 'b.zarr', '2024/a.zarr']
    """
    waiting = deque([""])
    while waiting:
        prefix = waiting.popleft()
        try:
            keys, prefixes = store.list_dir(prefix)
        except StoreError as error:
            if not prefix:
                raise
            if not is_circle(error):
                yield prefix.rstrip("/")
            continue
        names = {key.removeprefix(prefix) for key in keys}
        if not names.isdisjoint(_ROOTS):
            yield prefix.rstrip("/")
            continue
        yield from (key for key in keys if key.endswith(_FILES))
        waiting.extend(each for each in prefixes if not each.removeprefix(prefix).startswith("."))
