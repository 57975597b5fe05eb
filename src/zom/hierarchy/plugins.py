"""Extensions that other packages bring: loaded when a program asks for them, never by a document."""

from __future__ import annotations

from zom.conventions.framework.convention import conventions
from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings

__all__ = ["load_extensions"]


def load_extensions() -> list[str]:
    """The names of the installed plugins, all registered now.

    Packages declare them as entry points of the groups `zom.codecs`, `zom.dtypes`, `zom.chunk_grids`,
    `zom.chunk_key_encodings` and `zom.conventions`.

    >>> load_extensions()
    []
    """
    loaded: list[str] = []
    for registry in (data_types, codecs, chunk_grids, chunk_key_encodings, conventions):
        loaded.extend(registry.load_plugins())
    return loaded
