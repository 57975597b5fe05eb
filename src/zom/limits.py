"""Limits: how large a document may be before zom stops reading it.

They are arguments with defaults, never global state; each is checked before memory is spent.
"""

from __future__ import annotations

from zom.dataclass import dataclass

__all__ = ["DEFAULT_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds that hold while documents are read.

    >>> Limits(value_depth=8).value_depth
    8
    """

    text_bytes: int = 1 << 30
    """The longest text of a whole hierarchy, in bytes."""
    document_bytes: int = 1 << 24
    """The longest document of one node in a store, in bytes."""
    value_depth: int = 128
    """How deep objects and lists may nest inside one node's document."""
    repeated_values: int = 1 << 20
    """How many values of a Python object may stand in several places, each counted wherever it stands."""
    repeated_nodes: int = 1 << 18
    """How many nodes of a tree made in Python may stand in several places, each counted wherever it stands."""
    tree_depth: int = 4096
    """How deep groups may nest."""
    integer_digits: int = 400
    """How many digits one JSON number may have."""
    chunk_bytes: int = 1 << 30
    """How many bytes the data of a chunk may have between two codecs, where nothing else bounds them."""
    rank: int = 64
    """How many dimensions an array may have: numpy holds no more."""


DEFAULT_LIMITS = Limits()
