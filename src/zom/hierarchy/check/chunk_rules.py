"""The rules of stored data: which keys belong in a store, and which values chunks can have.

Zarr v3, section "Stores", and Zarr v2, section "Storing": an array's document defines the key of each of its
chunks and, by its codecs, what can be stored there. Documents alone don't show these problems.
"""

from __future__ import annotations

from typing import Final

from zom.problems import rule

__all__ = [
    "CHUNK_KEY",
    "DIFFERS",
    "FOREIGN",
    "FOREIGN_IN_GROUP",
    "INDEX",
    "LOOSE",
    "MISSING",
    "MORE",
    "NOT_CHECKED",
    "OUTSIDE",
    "SIZE",
    "UNDECODABLE",
    "UNFINISHED",
    "UNLISTED",
    "UNREACHED",
    "UNREADABLE",
    "UNREADABLE_VALUES",
]

_KEYS = "Zarr v3, section Stores, and Zarr v2, section Storing: a chunk's place in the grid tells its key"
_CODECS = "the specification of each codec"
_NODES = "Zarr v3, section Hierarchy, and Zarr v2, section Hierarchies"

FOREIGN: Final = rule(
    "chunk/foreign-key",
    "below an array lie its documents and its chunks, and nothing else",
    source=_KEYS,
    lenient="note",
    strict="note",
    closed="note",
)
CHUNK_KEY: Final = rule(
    "chunk/other-key", "the keys of an array's chunks are made by the encoding in its document", source=_KEYS
)
OUTSIDE: Final = rule(
    "chunk/outside-grid",
    "a chunk lies in the grid of its array",
    source=_KEYS,
    lenient="warning",
    strict="warning",
    closed="warning",
)
MISSING: Final = rule(
    "chunk/missing",
    "every chunk of the grid is stored; what is not reads as the fill value",
    source=_KEYS,
    lenient="note",
    strict="note",
    closed="note",
)
SIZE: Final = rule("chunk/size", "a chunk has a number of bytes that its codecs can make", source=_CODECS)
INDEX: Final = rule(
    "chunk/shard-index",
    "the index of a shard can be decoded, and its entries can be true",
    source="Zarr v3, sharding_indexed codec, binary shard format",
)
UNDECODABLE: Final = rule("chunk/undecodable", "a chunk can be decoded", source=_CODECS)
UNREADABLE: Final = rule(
    "chunk/unreadable", "a key that is listed can be read", source="Zarr v3, section Stores: get"
)
NOT_CHECKED: Final = rule(
    "chunk/not-checked",
    "the chunks of an array can be checked: everything that it takes is registered",
    source=_CODECS,
    lenient="warning",
    strict="warning",
    closed="warning",
)
MORE: Final = rule(
    "check/more",
    "all problems of one rule and one node are few enough to be listed",
    source="zom: a check takes memory that doesn't grow with the number of problems",
    lenient="note",
    strict="note",
    closed="note",
)
UNLISTED: Final = rule(
    "store/unlisted",
    "a store can list its keys, so that they can be checked",
    source="Zarr v3, section Stores: list is optional",
    lenient="note",
    strict="note",
    closed="note",
)
FOREIGN_IN_GROUP: Final = rule(
    "store/foreign-key",
    "in a hierarchy lie documents and chunks, and nothing else",
    source=_NODES,
    lenient="note",
    strict="note",
    closed="note",
)
LOOSE: Final = rule(
    "store/loose-document",
    "attributes and consolidated metadata lie beside the document of a node",
    source=_NODES,
    lenient="warning",
    strict="warning",
    closed="warning",
)
UNREACHED: Final = rule(
    "store/unreached-node",
    "every group above a node has a document",
    source="Zarr v3, section Hierarchy, and Zarr v2, section Hierarchies: groups are made by their documents",
    lenient="warning",
)
UNFINISHED: Final = rule(
    "store/unfinished-change",
    "a change of a hierarchy ends",
    source="zom: a change of several keys begins and ends with a journal",
)
UNREADABLE_VALUES: Final = rule(
    "convention/unreadable-values",
    "the values that rules of conventions ask for can be read",
    source="what was asked for",
)
DIFFERS: Final = rule(
    "store/differs", "a hierarchy is what the spec that it is compared with says", source="the spec"
)
