"""Build AnnData: a spec of a whole hierarchy from its sizes and types that follows every rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from zom.conventions.anndata.elements import SPARSE, TYPE, VERSION, VERSIONS
from zom.dataclass import dataclass
from zom.formats.families import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.formats import v2, v3

__all__ = ["Categorical", "Nullable", "Sparse", "categorical", "csc", "csr", "nullable", "skeleton"]


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse matrix, see `csr` and `csc`."""

    dtype: str
    kind: Literal["csr_matrix", "csc_matrix"]
    stored: int = 0
    index_dtype: str = "int32"


@dataclass(frozen=True, slots=True)
class Categorical:
    """A column of categories, see `categorical`."""

    count: int
    is_ordered: bool = False
    dtype: str = "string"
    code_dtype: str = "int8"


@dataclass(frozen=True, slots=True)
class Nullable:
    """A column in which values can be missing, see `nullable`."""

    dtype: str


Matrix: TypeAlias = "str | Sparse"
"""A dense matrix of that data type, or a sparse matrix."""

Column: TypeAlias = "str | Categorical | Nullable"
"""A column of that data type, of categories, or with values that can be missing."""

Along: TypeAlias = "int | tuple[int, str]"
"""The number of values in each row, of float32 or of the given data type."""


def csr(dtype: str, *, stored: int = 0, index_dtype: str = "int32") -> Sparse:
    """A compressed sparse row matrix with `stored` values.

    >>> csr("float32", stored=1000).kind
    'csr_matrix'
    """
    return Sparse(dtype, "csr_matrix", stored, index_dtype)


def csc(dtype: str, *, stored: int = 0, index_dtype: str = "int32") -> Sparse:
    """A compressed sparse column matrix with `stored` values.

    >>> csc("float32").kind
    'csc_matrix'
    """
    return Sparse(dtype, "csc_matrix", stored, index_dtype)


def categorical(
    count: int, *, ordered: bool = False, dtype: str = "string", code_dtype: str = "int8"
) -> Categorical:
    """A column of codes for `count` categories; the categories are strings by default.

    >>> categorical(3, ordered=True).is_ordered
    True
    """
    return Categorical(count, ordered, dtype, code_dtype)


def nullable(dtype: str) -> Nullable:
    """A column of integers, booleans or strings with a mask for missing values.

    >>> nullable("int64").dtype
    'int64'
    """
    return Nullable(dtype)


def skeleton(  # noqa: PLR0913 - AnnData has that many parts
    n_obs: int,
    n_var: int,
    *,
    X: Matrix | None = None,  # noqa: N803 - AnnData's own name
    layers: Mapping[str, Matrix] | None = None,
    obs: Mapping[str, Column] | None = None,
    var: Mapping[str, Column] | None = None,
    obsm: Mapping[str, Along] | None = None,
    varm: Mapping[str, Along] | None = None,
    obsp: Mapping[str, Matrix] | None = None,
    varp: Mapping[str, Matrix] | None = None,
    zarr_format: Literal[2, 3] = 3,
) -> v3.GroupSpec | v2.GroupSpec:
    """An AnnData hierarchy with `n_obs` observations and `n_var` variables.

    Data types are names such as "float32" and "string". The labels of rows and columns, `obs/_index` and
    `var/_index`, are empty strings until you write them; so are the names of categories.

    >>> import zom
    >>> from zom.conventions.anndata import categorical, csr, skeleton
    >>> spec = skeleton(100, 20, X=csr("float32"), obs={"n": "int64", "kind": categorical(4)}, obsm={"pca": 10})
    >>> zom.validate(spec, conventions=["anndata"]).ok
    True
    >>> spec.members["X"].attributes["shape"]
    [100, 20]
    """
    build = _Builder(zarr_format)
    rows, columns = (n_obs, n_obs), (n_var, n_var)
    mappings: dict[str, dict[str, Any]] = {
        "layers": {name: build.matrix((n_obs, n_var), each) for name, each in (layers or {}).items()},
        "obsm": {name: build.along(n_obs, each) for name, each in (obsm or {}).items()},
        "varm": {name: build.along(n_var, each) for name, each in (varm or {}).items()},
        "obsp": {name: build.matrix(rows, each) for name, each in (obsp or {}).items()},
        "varp": {name: build.matrix(columns, each) for name, each in (varp or {}).items()},
        "uns": {},
    }
    members: dict[str, Any] = {} if X is None else {"X": build.matrix((n_obs, n_var), X)}
    members |= {"obs": build.frame(n_obs, obs or {}), "var": build.frame(n_var, var or {})}
    members |= {name: build.group("dict", entries) for name, entries in mappings.items()}
    made: v3.GroupSpec | v2.GroupSpec = build.group("anndata", members)
    return made


class _Builder:
    """Builds the elements in one of the formats."""

    def __init__(self, zarr_format: Literal[2, 3]) -> None:
        if zarr_format not in {2, 3}:
            raise ValueError(f"zarr_format: expected 2 or 3, got {zarr_format!r}")
        self._classes: Any = FAMILIES["v2" if zarr_format == 2 else "v3"].classes

    def group(self, encoding: str, members: Mapping[str, Any], **attributes: Any) -> Any:
        """A group that is an element."""
        said = {TYPE: encoding, VERSION: VERSIONS[encoding], **attributes}
        return self._classes["group"](attributes=said, members=dict(members))

    def array(self, shape: tuple[int, ...], dtype: str, encoding: str | None = "") -> Any:
        """An array that is an element; with `encoding=None`, an array that is part of an element."""
        attributes: dict[str, Any] = {}
        if encoding is not None:
            said = encoding or ("string-array" if dtype == "string" else "array")
            attributes = {TYPE: said, VERSION: VERSIONS[said]}
        return self._classes["array"].build(shape=shape, dtype=dtype, attributes=attributes)

    def matrix(self, shape: tuple[int, int], matrix: Matrix) -> Any:
        """A dense or sparse matrix."""
        if isinstance(matrix, str):
            return self.array(shape, matrix)
        major = shape[SPARSE.index(matrix.kind)]
        members = {
            "data": self.array((matrix.stored,), matrix.dtype, None),
            "indices": self.array((matrix.stored,), matrix.index_dtype, None),
            "indptr": self.array((major + 1,), matrix.index_dtype, None),
        }
        return self.group(matrix.kind, members, shape=list(shape))

    def along(self, rows: int, along: Along) -> Any:
        """An entry of obsm or varm."""
        width, dtype = (along, "float32") if isinstance(along, int) else along
        return self.array((rows, width), dtype)

    def frame(self, rows: int, columns: Mapping[str, Column]) -> Any:
        """A dataframe whose index is named `_index`."""
        if "_index" in columns:
            raise ValueError("a column can't be named '_index': that is the index")
        members = {"_index": self.array((rows,), "string")}
        members |= {name: self.column(rows, each) for name, each in columns.items()}
        return self.group("dataframe", members, _index="_index", **{"column-order": list(columns)})

    def column(self, rows: int, column: Column) -> Any:
        """One column of a dataframe."""
        if isinstance(column, str):
            return self.array((rows,), column)
        if isinstance(column, Categorical):
            members = {
                "codes": self.array((rows,), column.code_dtype),
                "categories": self.array((column.count,), column.dtype),
            }
            return self.group("categorical", members, ordered=column.is_ordered)
        members = {"values": self.array((rows,), column.dtype), "mask": self.array((rows,), "bool")}
        kind = {"string": "nullable-string-array", "bool": "nullable-boolean"}.get(
            column.dtype, "nullable-integer"
        )
        return self.group(kind, members)
