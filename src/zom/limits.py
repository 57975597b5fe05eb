"""Limits: the size from which zom stops reading a document.

They are arguments with defaults, not global state; each is checked before memory is allocated.
"""

from __future__ import annotations

from zom.dataclass import dataclass

__all__ = ["DEFAULT_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that apply while documents are read.

    >>> Limits(value_depth=8).value_depth
    8
    """

    text_bytes: int = 1 << 30
    """Maximum text of a whole hierarchy, in bytes."""
    document_bytes: int = 1 << 24
    """Maximum document of one node in a store, in bytes."""
    value_depth: int = 128
    """Maximum depth of objects and lists in one node's document."""
    repeated_values: int = 1 << 20
    """Maximum number of values that a Python object repeats, counted at each place."""
    repeated_nodes: int = 1 << 18
    """Maximum number of nodes that a tree made in Python repeats, counted at each place."""
    tree_depth: int = 4096
    """Maximum depth of groups."""
    integer_digits: int = 400
    """Maximum number of digits of one JSON number."""
    chunk_bytes: int = 1 << 30
    """Maximum bytes of a chunk's data between two codecs, if nothing else limits them."""
    rank: int = 64
    """Maximum number of dimensions of an array, which is numpy's limit."""


DEFAULT_LIMITS = Limits()
