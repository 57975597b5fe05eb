"""Chunks stored under other keys than their document says: `0/0` for `0.0` (v2), `0.0` for `c/0/0` (v3).

A `.zarray` without `dimension_separator` means `.`, but programs wrote nested chunks before that member
existed. Such an array reads as fill values, so a read warns. For v3, zom looks only if a read found no chunk
at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.extension.keys import KeyForm
from zom.hierarchy.check.chunk_rules import CHUNK_KEY
from zom.problems import Problem
from zom.stores.interface import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.engine.chunks import Chunks
    from zom.extension.datatype import Format
    from zom.hierarchy.stored.layout import Layout

__all__ = ["is_looked_for", "stored_otherwise"]

_OTHER = {".": "/", "/": "."}

_FORMS = {
    ("default", "/"): KeyForm("c/", "/", "c"),
    ("default", "."): KeyForm("c.", ".", "c"),
    ("v2", "."): KeyForm("", ".", "0"),
    ("v2", "/"): KeyForm("", "/", "0"),
}
"""The keys of each registered encoding, with each separator."""


def is_looked_for(chunks: Chunks, layout: Layout) -> bool:
    """Whether a read so far gives a reason to look under other keys; in v3, only if it found no chunks."""
    return bool(chunks.missing) and (layout.flat_chunks or chunks.found_nothing)


def stored_otherwise(chunks: Chunks, layout: Layout) -> Problem | None:
    """Report the first missing chunk if it is stored under another key.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(2, 2), dtype="int8"))
    >>> array.store.set("0.0", bytes(4))
    >>> chunks = array.chunk_access
    >>> chunks.missing.append("c/0/0")
    >>> print(stored_otherwise(chunks, array.layout).found)
    '0.0'
    """
    search = _SEARCHES.get(layout.family.form)
    return None if search is None else search(chunks, chunks.missing[0])


def _other_separator(chunks: Chunks, key: str) -> Problem | None:
    """Report the chunk missing under `key` but stored under the key with the other separator."""
    if len(chunks.plan.axes) < 2:
        return None
    separator = chunks.plan.keys.separator
    inner = key[len(chunks.prefix) :]
    other = chunks.prefix + inner.replace(separator, _OTHER[separator])
    if other == key or not chunks.store.exists(other):
        return None
    fix = f'set "dimension_separator": "{_OTHER[separator]}" in the .zarray; until then it reads as the fill value'
    return Problem(
        CHUNK_KEY.code, "warning", chunks.node, "", (), f"the chunk {key!r}", f"{other!r}", fix, other
    )


def _other_encoding(chunks: Chunks, key: str) -> Problem | None:
    """Report the chunk missing under `key` but stored under the key of another v3 encoding."""
    start, plan = len(chunks.prefix), chunks.plan
    coords = plan.keys.coords(key[start:], len(plan.axes))
    if coords is None:
        return None
    others = {chunks.prefix + form.key(coords): names for names, form in _FORMS.items()}
    others.pop(key, None)
    there = chunks.store.get_many([(other, Range(0, 0)) for other in others])
    for (other, (name, separator)), value in zip(others.items(), there, strict=True):
        if value is not None:
            told = f'{{"name": "{name}", "configuration": {{"separator": "{separator}"}}}}'
            fix = f'set "chunk_key_encoding": {told} in the zarr.json; until then it reads as the fill value'
            return Problem(
                CHUNK_KEY.code, "warning", chunks.node, "", (), f"the chunk {key!r}", f"{other!r}", fix, other
            )
    return None


_SEARCHES: Final[Mapping[Format, Callable[[Chunks, str], Problem | None]]] = {
    "v2": _other_separator,
    "v3": _other_encoding,
}
"""The search for other spellings of a chunk's key, for each format in which they occur."""
