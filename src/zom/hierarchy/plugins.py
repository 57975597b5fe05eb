"""Loading the extensions of other packages, of every kind."""

from __future__ import annotations

from zom.conventions.framework.registered import conventions
from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings
from zom.stores.kinds import store_kinds

__all__ = ["load_extensions"]


def load_extensions() -> list[str]:
    """Register all installed plugins and return their names; emit a `PluginWarning` for each that fails.

    Packages declare them as entry points of the groups `zom.codecs`, `zom.dtypes`, `zom.chunk_grids`,
    `zom.chunk_key_encodings`, `zom.stores` and `zom.conventions`. zom loads them itself for an unknown name,
    and to list what is registered. Call this to load them earlier, or after an installation.

    >>> load_extensions()
    []
    """
    loaded: list[str] = []
    for registry in (data_types, codecs, chunk_grids, chunk_key_encodings, conventions):
        loaded.extend(registry.plugins.load())
    return [*loaded, *store_kinds.plugins.load()]
