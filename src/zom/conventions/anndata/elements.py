"""The elements of AnnData: their encodings and lengths.

https://anndata.readthedocs.io/en/stable/fileformat-prose.html#elements. anndata itself also reads and writes
types that the text doesn't describe (`raw`, `rec-array`, `null`, `bytes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zom.json.python_value import is_list

if TYPE_CHECKING:
    from zom.formats.node_view import Node
    from zom.problems import Path

__all__ = [
    "CONTAINERS",
    "DATAFRAME",
    "DENSE",
    "SPARSE",
    "TYPE",
    "VERSION",
    "VERSIONS",
    "Extent",
    "encoding_of",
    "extent_of",
]

TYPE: Final = "encoding-type"
VERSION: Final = "encoding-version"


DATAFRAME: Final = "dataframe"
CATEGORICAL: Final = "categorical"
SPARSE: Final = ("csr_matrix", "csc_matrix")
NULLABLE: Final = ("nullable-integer", "nullable-boolean", "nullable-string-array")
DENSE: Final = ("array",)
AWKWARD: Final = "awkward-array"

VERSIONS: Final = {
    **dict.fromkeys(("anndata", "raw", "dict", *SPARSE, *NULLABLE, AWKWARD), "0.1.0"),
    **dict.fromkeys((DATAFRAME, CATEGORICAL), "0.2.0"),
    "null": "0.1.0",
    **dict.fromkeys(("array", "string-array", "rec-array", "numeric-scalar", "string", "bytes"), "0.2.0"),
}
"""Every encoding type with its known version."""

CONTAINERS: Final = frozenset({"anndata", "raw", "dict", DATAFRAME, CATEGORICAL, AWKWARD, *NULLABLE})
"""The types whose members are elements. The arrays of a sparse matrix are not elements."""


def encoding_of(node: Node) -> str | None:
    """The encoding type that a node declares, or None."""
    found = node.attributes.get(TYPE)
    return found if isinstance(found, str) else None


class Extent(NamedTuple):
    """The length of an element, and where the documents give it."""

    node: Node
    path: Path
    lengths: tuple[int, ...]
    """All dimensions for arrays and sparse matrices; only the number of rows for other elements."""
    is_listed: bool
    """Whether `path` leads to a list of lengths rather than to a single length."""

    def place(self, dimension: int) -> Path:
        """The path to the length of that dimension."""
        return (*self.path, dimension) if self.is_listed else self.path


def extent_of(node: Node) -> Extent | None:
    """The length of an element: from its array shape, its `shape` or `length`, or its index, codes or values.

    None if the length is unknown.

    >>> from zom.formats.node_view import document_tree
    >>> matrix = {"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": [4, 3]}
    >>> extent_of(document_tree({"zarr_format": 3, "node_type": "group", "attributes": matrix})).lengths
    (4, 3)
    """
    while not node.is_array:
        encoding = encoding_of(node)
        if encoding in SPARSE:
            return _written(node, "shape")
        if encoding == AWKWARD:
            return _written(node, "length")
        name = _holder(node, encoding)
        inner = None if name is None or node.members is None else node.members.get(name)
        if inner is None:
            return None
        node = inner
    return None if node.shape is None else Extent(node, ("shape",), node.shape, is_listed=True)


def _holder(node: Node, encoding: str | None) -> str | None:
    """The name of the member that is as long as the element."""
    if encoding == DATAFRAME:
        index = node.attributes.get("_index")
        return index if isinstance(index, str) else None
    if encoding == CATEGORICAL:
        return "codes"
    return "values" if encoding in NULLABLE else None


def _written(node: Node, name: str) -> Extent | None:
    found = node.attributes.get(name)
    given: list[Any] = found if is_list(found) else [found]
    lengths = tuple(each for each in given if type(each) is int)
    if len(lengths) != len(given):
        return None
    return Extent(node, ("attributes", name), lengths, is_listed=is_list(found))
