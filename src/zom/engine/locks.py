"""Updates: read, change and write a value, without losing concurrent changes.

Within a process, and between processes on a local store, the store's lock of the key ensures this.
Otherwise, compare-and-set does: the store replaces a value only if it is still the one that was read.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from zom.errors import ConcurrentWriteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Data
    from zom.stores.interface import Store

__all__ = ["update"]

_TRIES = 60
_LONGEST_PAUSE = 0.1


def update(
    store: Store, key: str, change: Callable[[bytes | None], Data | None], *, empty: Callable[[], Data]
) -> None:
    """Write `change(old)` to `key`, or delete the key if that is None.

    If only compare-and-set is safe, a value can't be deleted safely: `empty()` is written in its place. If
    others change the value in every attempt, ConcurrentWriteError is raised.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"a": b"1"})
    >>> update(store, "a", lambda old: old + b"2", empty=bytes); store.get("a")
    b'12'
    """
    with store.lock(key, is_brief=True):
        if store.capabilities.process_locks or not store.capabilities.compare_and_set:
            made = change(store.get(key))
            if made is None:
                store.delete(key)
            else:
                store.set(key, made)
            return
        for attempt in range(_TRIES):
            found = store.get_version(key)
            made = change(None if found is None else found.value)
            if made is None:
                if found is None:
                    return
                made = empty()
            if store.replace(key, made, None if found is None else found.version):
                return
            time.sleep(min(_LONGEST_PAUSE, 0.001 * 2 ** min(attempt, 8)))
    raise ConcurrentWriteError(store.url, key)
