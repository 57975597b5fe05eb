"""A count in words: the number with its noun, in the singular or the plural."""

from __future__ import annotations

__all__ = ["count_of"]


def count_of(number: int, noun: str) -> str:
    """The number with its noun.

    >>> count_of(1, "chunk"), count_of(2000, "chunk"), count_of(-1, "hour")
    ('1 chunk', '2,000 chunks', '-1 hour')
    """
    return f"{number:,} {noun}{'' if abs(number) == 1 else 's'}"
