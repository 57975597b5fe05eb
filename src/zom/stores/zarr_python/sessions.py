"""icechunk's sessions behind zarr-python's interface: the keys that they hold, and what they allow.

A session only holds keys of Zarr v3, and checks them: it rejects a chunk unless the document of its array
exists, with a shape that includes the chunk. Deleting a document deletes everything below its node.
Changes of a session are invisible to others until it is committed.
"""

from __future__ import annotations

import pickle
import re
import sys
from typing import TYPE_CHECKING, Any

from zom.errors import StoreError
from zom.stores.obstacles import Obstacle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "array_of_chunks",
    "check_pickled",
    "foreign_keys",
    "is_committed",
    "is_fork",
    "is_missing",
    "is_session_key",
    "moves_nodes",
    "session_of",
]

_KEY = re.compile(r"(?:.+/)?(?:zarr\.json|c(?:/\d+)*)", re.DOTALL)


def session_of(inner: Any) -> Any:
    """Return the session of an icechunk store or of one wrapped in `inner`; None for other stores.

    >>> session_of({}) is None
    True
    """
    kind: Any = getattr(sys.modules.get("icechunk"), "IcechunkStore", None)
    if kind is None:
        return None
    while inner is not None and not isinstance(inner, kind):
        inner = getattr(inner, "_store", None)
    return None if inner is None else inner.session


def is_session_key(key: str) -> bool:
    """Whether a session can hold `key`: the key of a document or chunk of Zarr v3.

    >>> is_session_key("a/zarr.json"), is_session_key("a/c/0/1"), is_session_key("a/0.1")
    (True, True, False)
    """
    return _KEY.fullmatch(key) is not None


def array_of_chunks(prefix: str) -> str | None:
    """Return the prefix of the array whose chunks may be below `prefix`; None if none can be there.

    >>> array_of_chunks("a/c/0/"), array_of_chunks("a/b/")
    ('a/', None)
    """
    names = prefix.split("/")[:-1]
    while names and names[-1].isdecimal():
        names.pop()
    return "".join(f"{name}/" for name in names[:-1]) if names and names[-1] == "c" else None


def is_missing(cause: Exception) -> bool:
    """Whether icechunk reports a missing node or chunk.

    >>> is_missing(ValueError())
    False
    """
    kind = getattr(sys.modules.get("icechunk"), "NotFoundError", None)
    return isinstance(kind, type) and isinstance(cause, kind)


def foreign_keys(keys: Iterable[str]) -> Iterator[Obstacle]:
    """Yield an obstacle for each key that a session can't hold.

    >>> [obstacle.key for obstacle in foreign_keys(["a/.zarray", "a/zarr.json"])]
    ['a/.zarray']
    """
    for key in keys:
        if not is_session_key(key):
            fix = 'write Zarr v3, with the chunk key encoding "default" and the separator "/"'
            yield Obstacle(
                key, "a key of an icechunk session, such as zarr.json or c/0/0", "another key", fix
            )


def is_committed(session: Any) -> bool:
    """Whether the session is read-only, for example after a commit."""
    return bool(session.read_only)


def is_fork(session: Any) -> bool:
    """Whether the session comes from `fork`, so that other processes may have copies of it.

    >>> is_fork(None)
    False
    """
    kind = getattr(sys.modules.get("icechunk"), "ForkSession", None)
    return isinstance(kind, type) and isinstance(session, kind)


def moves_nodes(session: Any) -> bool:
    """Whether the session comes from `rearrange_session`, which only moves nodes."""
    return str(getattr(session, "mode", "")).rpartition(".")[2] == "rearrange"


def check_pickled(session: Any, url: str) -> None:
    """Raise StoreError unless other processes may use the session: it is read-only, or from `fork`."""
    if not is_committed(session) and not is_fork(session):
        reason = "a writable session belongs to its process; pass session.fork(), and merge it"
        raise StoreError(url, "", "pickle", reason)
    # icechunk pickles it silently, and the other process finds an empty repository.
    if _IN_MEMORY in pickle.dumps(session):
        reason = (
            "the repository is in memory, and belongs to its process; make one in a directory or a bucket"
        )
        raise StoreError(url, "", "pickle", reason)


_IN_MEMORY = b"in_memory_object_store_provider"
"""A text in the pickle of a session whose repository is in memory."""
