"""Names that collide on some file systems, and names that Windows reserves."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zom.paths import collisions, windows_reserved_in

if TYPE_CHECKING:
    from zom.stores.interface import Store

__all__ = ["colliding", "reserved_in"]

_IS_WINDOWS = sys.platform == "win32"


def reserved_in(key: str) -> str | None:
    """Return the first name in a key or prefix that Windows reserves; None on other systems.

    >>> reserved_in("a/b")
    """
    return windows_reserved_in(key) if _IS_WINDOWS else None


def colliding(store: Store, prefix: str = "") -> list[tuple[str, str]]:
    """List pairs of keys and prefixes below `prefix` that differ only in case or Unicode form.

    A key `a` beside a key `a/b` is such a pair, too. A copy of such a store to a macOS or Windows disk
    loses one of each pair.

    >>> from zom.stores.memory import MemoryStore
    >>> colliding(MemoryStore({"Data/zarr.json": b"", "data/zarr.json": b"", "time": b""}))
    [('Data/', 'data/')]
    """
    names: dict[str, dict[str, set[str]]] = {}
    for key in store.list(prefix):
        above, name = _split(key)
        names.setdefault(above, {}).setdefault(name, set()).add(above + name)
        while len(above) > len(prefix):
            path = above
            above, name = _split(path[:-1])
            shown = names.setdefault(above, {}).setdefault(name, set())
            if path in shown:
                break
            shown.add(path)
    found: list[tuple[str, str]] = []
    for siblings in names.values():
        # A key and a prefix of the same name can't both exist as files.
        found += [(min(shown), max(shown)) for shown in siblings.values() if len(shown) > 1]
        found += [(min(siblings[a]), min(siblings[b])) for a, b in collisions(sorted(siblings))]
    return sorted(found)


def _split(path: str) -> tuple[str, str]:
    above, slash, name = path.rpartition("/")
    return above + slash, name
