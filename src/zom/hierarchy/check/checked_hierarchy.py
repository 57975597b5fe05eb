"""Subjects of checks, opened as a store, a path in it and a format: stores, paths, URLs, open nodes."""

from __future__ import annotations

from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.hierarchy.stored.open_node import OpenNode
from zom.paths import join, parse_path
from zom.stores import opening

if TYPE_CHECKING:
    from collections.abc import Generator

    from zom.hierarchy.stored.lookup import FormatName
    from zom.stores.interface import Store

__all__ = ["CheckedHierarchy", "opened"]


class CheckedHierarchy(NamedTuple):
    """A hierarchy in an open store."""

    store: Store
    path: str
    form: FormatName | None
    """The requested format, or None for any."""


@contextmanager
def opened(subject: Any, path: str, form: FormatName | None) -> Generator[CheckedHierarchy]:
    """The hierarchy at `path` below the subject; a store that is opened for it is closed at the end.

    >>> import zom
    >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
    >>> with opened(group, "a", None) as found:
    ...     found.path, found.form
    ('/a', 'v3')
    """
    if isinstance(subject, OpenNode):
        whole = join((*parse_path(subject.path), *parse_path(path)))
        own: Any = subject.layout.family.form
        yield CheckedHierarchy(subject.store, whole, form or own)
        return
    store = opening.store(subject, read_only=True)
    try:
        yield CheckedHierarchy(store, path, form)
    finally:
        if isinstance(subject, (str, PathLike)):
            store.close()
