"""Places: where a node lies, in terms that tell whether two of them are one, or one in the other.

A store may be seen through others, a directory by two names: what counts is where the bytes lie.
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
    """The parts of the name of a place: one lies in the other where its parts begin with the other's.

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
    """StoreError where source and target, each a store and a path, are one place, or one lies in the other.

    >>> store = MemoryStore()
    >>> check_apart((store, "/a"), (store, "/b"))
    >>> check_apart((store, "/a"), (store, "/a/b"))
    Traceback (most recent call last):
    zom.errors.StoreError: memory://: cannot copy to 'a/b': it lies in /a, which is copied; choose another place
    """
    old, new = place_of(*source), place_of(*target)
    where, path = "/".join(parse_path(target[1])), f"/{source[1].strip('/')}"
    if old == new:
        raise StoreError(
            target[0].url, where, "copy to", "it is the place that is copied; choose another place"
        )
    if new[: len(old)] == old:
        raise StoreError(
            target[0].url, where, "copy to", f"it lies in {path}, which is copied; choose another place"
        )
    if old[: len(new)] == new:
        raise StoreError(
            target[0].url, where, "copy to", f"{path}, which is copied, lies in it; choose another place"
        )
