"""AnnData objects with everything in them that anndata can write, and the stores that it makes of them."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import anndata
import numpy as np
import pandas as pd
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["SOURCES", "written"]

ROWS, COLUMNS = 5, 3


def _labels(prefix: str, count: int) -> pd.Index:
    return pd.Index([f"{prefix}{number}" for number in range(count)], dtype=object)


def least() -> anndata.AnnData:
    return anndata.AnnData(
        obs=pd.DataFrame(index=_labels("c", ROWS)), var=pd.DataFrame(index=_labels("g", COLUMNS))
    )


def dense() -> anndata.AnnData:
    made = least()
    made.X = np.arange(ROWS * COLUMNS, dtype="float32").reshape(ROWS, COLUMNS)
    made.layers["counts"] = np.ones((ROWS, COLUMNS), "int64")
    return made


def matrices() -> anndata.AnnData:
    made = least()
    random = np.random.default_rng(7)
    made.X = sparse.csr_matrix(random.integers(0, 2, (ROWS, COLUMNS)).astype("float32"))
    made.layers["by columns"] = sparse.csc_matrix(random.integers(0, 2, (ROWS, COLUMNS)).astype("int16"))
    made.layers["empty"] = sparse.csr_array((ROWS, COLUMNS), dtype="float64")
    made.obsp["near"] = sparse.csr_matrix(np.eye(ROWS))
    made.varp["near"] = np.eye(COLUMNS)
    return made


def columns() -> anndata.AnnData:
    made = dense()
    letters = list("abcab")
    made.obs["number"] = np.arange(ROWS)
    made.obs["fraction"] = np.linspace(0, 1, ROWS, dtype="float32")
    made.obs["is it"] = np.arange(ROWS) % 2 == 0
    made.obs["kind"] = pd.Categorical(letters, ordered=True)
    made.obs["code"] = pd.Categorical([1, 2, 1, 2, None])
    made.obs["text"] = np.array(letters, dtype=object)
    made.obs["maybe a number"] = pd.array([1, None, 3, 4, 5], dtype="Int64")
    made.obs["maybe"] = pd.array([True, None, False, True, None], dtype="boolean")
    if anndata.settings.allow_write_nullable_strings is not False:
        made.obs["maybe text"] = pd.array(["x", None, "y", "z", "x"], dtype="string")
    made.var.index.name = "gene"
    made.var["start"] = np.arange(COLUMNS, dtype="uint16")
    return made


def along() -> anndata.AnnData:
    made = dense()
    made.obsm["pca"] = np.ones((ROWS, 2), "float32")
    made.obsm["sparse"] = sparse.csc_matrix(np.eye(ROWS, 4))
    made.obsm["frame"] = pd.DataFrame({"q": np.arange(ROWS)}, index=made.obs_names)
    made.varm["loadings"] = np.ones((COLUMNS, 2))
    if importlib.util.find_spec("awkward"):
        import awkward

        made.obsm["ragged"] = awkward.Array([[1, 2], [], [3], [4, 5, 6], [7]])
    return made


def raw() -> anndata.AnnData:
    made = matrices()
    made.varm["loadings"] = np.ones((COLUMNS, 2))
    made.raw = made.copy()
    return made[:, :2].copy()


def unstructured() -> anndata.AnnData:
    made = dense()
    made.uns = {
        "text": "leiden",
        "number": 0.5,
        "whole": 7,
        "yes": True,
        "names": np.array(["a", "b"], dtype=object),
        "numbers": np.arange(4),
        "nothing": None,
        "inner": {"deeper": {"k": 15}, "empty": {}},
        "records": np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
        "matrix": sparse.csr_matrix(np.eye(3)),
        "frame": pd.DataFrame({"z": [1, 2]}),
        "kind": pd.Categorical(list("ab")),
    }
    return made


def everything() -> anndata.AnnData:
    made = columns()
    for part in (along(), matrices(), unstructured()):
        for name in ("layers", "obsm", "varm", "obsp", "varp", "uns"):
            getattr(made, name).update(getattr(part, name))
    return made


def no_rows() -> anndata.AnnData:
    return columns()[:0].copy()


SOURCES: dict[str, Callable[[], anndata.AnnData]] = {
    made.__name__: made
    for made in (least, dense, matrices, columns, along, raw, unstructured, everything, no_rows)
}


def written(source: str, folder: Path, **settings: Any) -> None:
    """The store that anndata makes of the source, under settings of its own."""
    before = {name: getattr(anndata.settings, name) for name in settings}
    try:
        for name, value in settings.items():
            setattr(anndata.settings, name, value)
        SOURCES[source]().write_zarr(folder, convert_strings_to_categoricals=False)
    finally:
        for name, value in before.items():
            setattr(anndata.settings, name, value)
