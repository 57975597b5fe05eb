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

_KEYS = "Zarr v3, section Stores, and Zarr v2, section Storing: keys derive from grid positions"
_CODECS = "the specification of each codec"
_NODES = "Zarr v3, section Hierarchy, and Zarr v2, section Hierarchies"

FOREIGN: Final = rule(
    "chunk/foreign-key",
    "only an array's documents and chunks are below it",
    source=_KEYS,
    lenient="note",
    strict="note",
    closed="note",
)
CHUNK_KEY: Final = rule(
    "chunk/other-key", "the chunk keys of an array have the encoding in its document", source=_KEYS
)
OUTSIDE: Final = rule(
    "chunk/outside-grid",
    "a chunk is inside the grid of its array",
    source=_KEYS,
    lenient="warning",
    strict="warning",
    closed="warning",
)
MISSING: Final = rule(
    "chunk/missing",
    "every chunk of the grid is stored; missing ones read as the fill value",
    source=_KEYS,
    lenient="note",
    strict="note",
    closed="note",
)
SIZE: Final = rule("chunk/size", "a chunk has a size that its codecs can produce", source=_CODECS)
INDEX: Final = rule(
    "chunk/shard-index",
    "the index of a shard can be decoded, and its entries are possible",
    source="Zarr v3, sharding_indexed codec, binary shard format",
)
UNDECODABLE: Final = rule("chunk/undecodable", "a chunk can be decoded", source=_CODECS)
UNREADABLE: Final = rule(
    "chunk/unreadable", "a listed key can be read", source="Zarr v3, section Stores: get"
)
NOT_CHECKED: Final = rule(
    "chunk/not-checked",
    "the chunks of an array can be checked: its codecs and data type are registered",
    source=_CODECS,
    lenient="warning",
    strict="warning",
    closed="warning",
)
MORE: Final = rule(
    "check/more",
    "all problems of one rule and one node are few enough to be listed",
    source="zom: the memory of a check doesn't grow with the number of problems",
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
    "a hierarchy contains only documents and chunks",
    source=_NODES,
    lenient="note",
    strict="note",
    closed="note",
)
LOOSE: Final = rule(
    "store/loose-document",
    "attributes and consolidated metadata are beside the document of a node",
    source=_NODES,
    lenient="warning",
    strict="warning",
    closed="warning",
)
UNREACHED: Final = rule(
    "store/unreached-node",
    "every group above a node has a document",
    source="Zarr v3, section Hierarchy, and Zarr v2, section Hierarchies: a document makes a group",
    lenient="warning",
)
UNFINISHED: Final = rule(
    "store/unfinished-change",
    "every change of a hierarchy is finished",
    source="zom: a change of several keys begins and ends with a journal",
)
UNREADABLE_VALUES: Final = rule(
    "convention/unreadable-values",
    "the values that rules of conventions need can be read",
    source="the request",
)
DIFFERS: Final = rule(
    "store/differs", "a hierarchy matches the spec that it is compared with", source="the spec"
)
