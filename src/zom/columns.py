"""Columns of text on terminals: wide characters take two, and a long name doesn't shift other lines.

The width of characters follows The Unicode Standard, Annex 11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["column_width", "columns_of", "padded"]

_USUAL = 60
"""Texts with more columns only shift the rest of their own line."""


def columns_of(text: str) -> int:
    """The number of columns that a text takes.

    >>> columns_of("time"), columns_of("時間"), columns_of("e\u0301")
    (4, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def column_width(texts: Iterable[str]) -> int:
    """The width of a column of texts: that of the widest one that is not unusually long.

    >>> column_width(["a", "time", "n" * 3000])
    4
    """
    return max((width for width in map(columns_of, texts) if width <= _USUAL), default=0)


def padded(text: str, width: int) -> str:
    """The text, padded with spaces to `width` columns.

    >>> padded("時間", 6) + "|", padded("longer", 3)
    ('時間  |', 'longer')
    """
    return text + " " * (width - columns_of(text))


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    import unicodedata  # noqa: PLC0415 - most text needs none of it

    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
