"""Marks: what a copy leaves in its target while it is under way, so that it can be taken up again.

The mark says what is copied from where to what. Whoever copies the same once more finds it: chunks that
are there then are those of the copy before, and whole, where the store replaces values in one step. It
goes when the root's document is there.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, cast

from zom import jsontext
from zom.hierarchy.layout import V3_LAYOUT

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["COPY_MARK", "MIGRATION_MARK", "copy_mark", "mark_key", "marked_source"]

COPY_MARK: Final = ".zom.copy"
"""The name of the mark of a copy; it lies in the directory of the topmost node that is copied."""

MIGRATION_MARK: Final = ".zom.migrate"
"""The name of the mark of a migration."""

_FORM: Final = "zom copy 1"


def mark_key(path: str, name: str) -> str:
    """The key of a mark at `path`.

    >>> mark_key("/", COPY_MARK), mark_key("/a/b", COPY_MARK)
    ('.zom.copy', 'a/b/.zom.copy')
    """
    return V3_LAYOUT.key(path, name)


def copy_mark(source: str, path: str, documents: Iterable[bytes]) -> bytes:
    """The mark of a copy from `path` in the store `source`; `documents` are all that make it another copy.

    >>> copy_mark("a.zarr", "/", [b"{}"]) == copy_mark("a.zarr", "/", [b"[]"])
    False
    """
    digest = hashlib.sha256()
    for text in documents:
        digest.update(hashlib.sha256(text).digest())
    facts: dict[str, Any] = {"form": _FORM, "source": source, "path": path, "digest": digest.hexdigest()}
    return jsontext.write(facts).encode()


def marked_source(text: bytes) -> str:
    """What a mark says is copied, for people.

    >>> marked_source(copy_mark("a.zarr", "/b", []))
    'a.zarr /b'
    """
    facts = jsontext.read(text, [])
    if not isinstance(facts, dict):
        return "something that is not known"
    told = cast("dict[str, Any]", facts)
    return f"{told.get('source')} {told.get('path')}"
