"""Chunks of a v2 array under keys with the other separator: `0/0` where its document says `0.0`.

A `.zarray` without `dimension_separator` means `.`, but programs wrote nested chunks before that member
existed. Such an array reads as fill values, so a read warns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.hierarchy.chunk_rules import CHUNK_KEY
from zom.problems import Problem

if TYPE_CHECKING:
    from zom.engine.chunks import Chunks

__all__ = ["other_separator"]

_OTHER = {".": "/", "/": "."}


def other_separator(chunks: Chunks, key: str) -> Problem | None:
    """Report the chunk that is missing under `key` and stored under the key with the other separator.

    >>> import zom
    >>> spec = zom.v2.ArraySpec.build(shape=(2, 2), dtype="int8")
    >>> array = zom.create_array("memory:", spec)
    >>> array.store.set("0/0", bytes(4))
    >>> print(other_separator(array.chunk_access, "0.0").found)
    '0/0'
    """
    separator = chunks.plan.keys.separator
    inner = key[len(chunks.prefix) :]
    other = chunks.prefix + inner.replace(separator, _OTHER[separator])
    if other == key or not chunks.store.exists(other):
        return None
    fix = f'set "dimension_separator": "{_OTHER[separator]}" in the .zarray; until then it reads as the fill value'
    return Problem(
        CHUNK_KEY.code, "warning", chunks.node, "", (), f"the chunk {key!r}", f"{other!r}", fix, other
    )
