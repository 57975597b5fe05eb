"""Journals above a store that was opened below the root of a hierarchy, out of reach of its keys.

The search goes up while a directory holds a document of a node or a journal: those above are not part of the
hierarchy.
"""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from zom.errors import StoreError
from zom.hierarchy.journal.journal import JOURNAL
from zom.hierarchy.stored.layout import ENTRY_KEY, V2_LAYOUT
from zom.limits import DEFAULT_LIMITS
from zom.paths import parse_path
from zom.reason import reason_of
from zom.stores.local import LocalStore
from zom.stores.wrap import PrefixStore, WrapperStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from zom.stores.interface import Store

__all__ = ["outer_texts"]

_DOCUMENTS = (ENTRY_KEY, *(end for end, _ in V2_LAYOUT.marks))


def outer_texts(store: Store) -> Iterator[tuple[str, str, str, bytes]]:
    """The journals above the store: the URL of their place, the key, the path of the store there, the text.

    >>> from zom.stores.memory import MemoryStore
    >>> inner = MemoryStore({".zom.journal": b"{}", "a/zarr.json": b"{}"})
    >>> list(outer_texts(PrefixStore(inner, "a/")))
    [('memory://', '.zom.journal', '/a', b'{}')]
    """
    inner = ""
    while isinstance(store, WrapperStore):
        if isinstance(store, PrefixStore):
            inner = store.prefix + inner
            names = parse_path(store.prefix)
            store = store.inner
            keys = ["/".join((*names[:count], JOURNAL)) for count in range(len(names))]
            for key, text in zip(keys, store.get_many(keys), strict=True):
                if text is not None:
                    yield store.url, key, f"/{inner.strip('/')}", text
            continue
        store = store.inner
    if isinstance(store, LocalStore):
        yield from _around(store.root, inner)


def _around(root: Path, inner: str) -> Iterator[tuple[str, str, str, bytes]]:
    """The same, for a directory."""
    for folder in root.parents:
        inner = f"{root.name}/{inner}"
        root = folder
        journal = folder / JOURNAL
        try:
            facts = journal.lstat()
        except FileNotFoundError:
            if not _holds_document(folder):
                return
            continue
        except PermissionError:
            return  # no permission to look
        except OSError as cause:
            raise _unreadable(folder, JOURNAL, cause) from cause
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > DEFAULT_LIMITS.text_bytes:
            return
        try:
            text = journal.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as cause:
            raise _unreadable(folder, JOURNAL, cause) from cause
        yield str(folder), JOURNAL, f"/{inner.strip('/')}", text


def _holds_document(folder: Path) -> bool:
    for name in _DOCUMENTS:
        try:
            if stat.S_ISREG((folder / name).stat().st_mode):
                return True
        except FileNotFoundError:
            continue
        except PermissionError:
            return False  # no permission to look
        except OSError as cause:
            raise _unreadable(folder, name, cause) from cause
    return False


def _unreadable(folder: Path, name: str, cause: OSError) -> StoreError:
    return StoreError(str(folder), name, "read", reason_of(cause))
