"""Words: the grammars of CF's attributes that name variables.

Words are separated by blanks; a word that ends in a colon is a key for the words after it:
https://cfconventions.org/cf-conventions/cf-conventions.html#attributes
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["VocabularyEntry", "entries", "pairs"]


class VocabularyEntry(NamedTuple):
    """Keys and the words after them: `lat: lon: bi_linear` has two keys and one word."""

    keys: tuple[str, ...]
    words: tuple[str, ...]


def entries(text: str) -> list[VocabularyEntry] | None:
    """The entries of a string such as "crs: x y other: lat lon", or None for another form.

    >>> entries("area: cell_area volume: v")
    [VocabularyEntry(keys=('area',), words=('cell_area',)), VocabularyEntry(keys=('volume',), words=('v',))]
    >>> entries("area") is None, entries("area:") is None
    (True, True)
    """
    found: list[tuple[list[str], list[str]]] = []
    for word in text.split():
        key = word.removesuffix(":")
        if not key or ":" in key:
            return None
        if key == word:
            if not found:
                return None
            found[-1][1].append(word)
        elif found and not found[-1][1]:
            found[-1][0].append(key)
        else:
            found.append(([key], []))
    if not found or not found[-1][1]:
        return None
    return [VocabularyEntry(tuple(keys), tuple(words)) for keys, words in found]


def pairs(text: str) -> list[tuple[str, str]] | None:
    """The pairs of a string such as "area: cell_area volume: v", or None for another form.

    >>> pairs("area: cell_area volume: v")
    [('area', 'cell_area'), ('volume', 'v')]
    >>> pairs("a: b: c") is None
    True
    """
    found = entries(text)
    if found is None or any(len(each.keys) != 1 or len(each.words) != 1 for each in found):
        return None
    return [(each.keys[0], each.words[0]) for each in found]
