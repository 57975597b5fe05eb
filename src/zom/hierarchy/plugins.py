"""Extensions that other packages bring: loaded when a program asks for them, never by a document."""

from __future__ import annotations

from zom.conventions.convention import conventions
from zom.model.chunk_grid import chunk_grids
from zom.model.chunk_key_encoding import chunk_key_encodings
from zom.model.codec import codecs
from zom.model.datatype import data_types

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
