"""Places: compare the locations of nodes, to see if two are the same or one contains the other.

Wrapper stores and links can give one place several names. The location of the bytes counts.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from zom.errors import StoreError
from zom.paths import parse_path
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore, WrapperStore

if TYPE_CHECKING:
    from zom.stores.interface import Store

__all__ = ["check_apart", "place_of"]


def place_of(store: Store, path: str) -> tuple[str, ...]:
    """The parts of a place's name; a place is inside another if its parts start with the other's.

    >>> from zom.stores.wrap import ReadOnlyStore
    >>> store = MemoryStore()
    >>> place_of(ReadOnlyStore(PrefixStore(store, "a/")), "b") == place_of(store, "/a/b")
    True
    """
    names = parse_path(path)
    while isinstance(store, WrapperStore):
        if isinstance(store, PrefixStore):
            names = (*parse_path(store.prefix), *names)
        store = store.inner
    if isinstance(store, MemoryStore):
        return (f"memory {id(store)}", *names)
    url = str(store.root) if isinstance(store, LocalStore) else store.url.removeprefix("file://")
    if os.sep == "\\":
        url = url.removeprefix("/")  # before a drive
    if Path(url).is_absolute():
        real = os.path.normcase(os.path.realpath(url))
        return ("file", *_parts(real.replace(os.sep, "/")), *names)
    scheme, mark, rest = url.partition("://")
    return (f"{scheme}{mark}", *_parts(rest), *names)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split("/") if part)


def check_apart(source: tuple[Store, str], target: tuple[Store, str]) -> None:
    """Raise StoreError if source and target, each (store, path), are one place or one contains the other.

    >>> store = MemoryStore()
    >>> check_apart((store, "/a"), (store, "/b"))
    >>> check_apart((store, "/a"), (store, "/a/b"))
    Traceback (most recent call last):
    zom.errors.StoreError: memory://: cannot copy to 'a/b': it is inside /a, the source of the copy; choose another place
    """
    old, new = place_of(*source), place_of(*target)
    where, path = "/".join(parse_path(target[1])), f"/{source[1].strip('/')}"
    if old == new:
        raise StoreError(
            target[0].url, where, "copy to", "it is the source of the copy; choose another place"
        )
    if new[: len(old)] == old:
        raise StoreError(
            target[0].url,
            where,
            "copy to",
            f"it is inside {path}, the source of the copy; choose another place",
        )
    if old[: len(new)] == new:
        raise StoreError(
            target[0].url,
            where,
            "copy to",
            f"{path}, the source of the copy, is inside it; choose another place",
        )
