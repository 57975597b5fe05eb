"""Extensions that other packages bring, of every kind."""

from __future__ import annotations

from zom.conventions.framework.registered import conventions
from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings
from zom.stores.kinds import store_kinds

__all__ = ["load_extensions"]


def load_extensions() -> list[str]:
    """The names of the installed plugins, all registered now; a `PluginWarning` for each that can't be.

    Packages declare them as entry points of the groups `zom.codecs`, `zom.dtypes`, `zom.chunk_grids`,
    `zom.chunk_key_encodings`, `zom.stores` and `zom.conventions`. zom loads them itself when it meets a name that it
    doesn't know, and where it lists what is registered: call this to have them earlier, or after an installation.

    >>> load_extensions()
    []
    """
    loaded: list[str] = []
    for registry in (data_types, codecs, chunk_grids, chunk_key_encodings, conventions):
        loaded.extend(registry.plugins.load())
    return [*loaded, *store_kinds.plugins.load()]
