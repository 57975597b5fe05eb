"""Columns of text, as terminals show them: wide characters take two, and a long name moves no other line.

The width of characters is that of The Unicode Standard, Annex 11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["column_width", "columns_of", "padded"]

_USUAL = 60
"""Texts that take more columns stand in the way of what follows on their own line only."""


def columns_of(text: str) -> int:
    """How many columns a text takes.

    >>> columns_of("time"), columns_of("時間"), columns_of("e\u0301")
    (4, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def column_width(texts: Iterable[str]) -> int:
    """The columns that texts which stand below each other need: of the widest that is not unusually long.

    >>> column_width(["a", "time", "n" * 3000])
    4
    """
    return max((width for width in map(columns_of, texts) if width <= _USUAL), default=0)


def padded(text: str, width: int) -> str:
    """The text with spaces behind it, where it takes fewer columns.

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
