"""anndata: hierarchies of v2 and v3 of one table with all kinds of columns."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import anndata as ad
import numpy as np
import pandas as pd
import scipy.sparse
import written
import zarr_python_stores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from written import Node


def versions() -> str:
    return f"anndata {ad.__version__} on Python {sys.version_info[0]}.{sys.version_info[1]}"


def nodes(place: str, form: str) -> Iterator[Node]:
    return zarr_python_stores.nodes(place, form)


def table(sparse: bool, place: str, form: str) -> None:
    ad.settings.zarr_write_format = int(form[1])
    counts = np.arange(12, dtype="f4").reshape(4, 3) % 5
    obs = pd.DataFrame(
        {
            "kind": pd.Categorical(["a", "b", "é", "a"]),
            "text": ["x", "", "東京", "y"],
            "flag": pd.array([True, None, False, True], dtype="boolean"),
            "count": pd.array([1, 2, None, 4], dtype="Int64"),
        },
        index=[f"cell{n}" for n in range(4)],
    )
    made = ad.AnnData(scipy.sparse.csr_matrix(counts) if sparse else counts, obs=obs)
    made.obsm["x"] = np.ones((4, 2))
    made.layers["raw"] = counts
    made.uns["nested"] = {"a": {"b": 1, "c": "text"}, "nan": np.nan}
    made.obsp["near"] = scipy.sparse.csr_matrix(np.eye(4))
    made.write_zarr(place)


def stores() -> Iterator[written.Store]:
    for form in ("v2", "v3"):
        for sparse in (False, True):
            yield written.Store(f"{form} {'sparse' if sparse else 'dense'}", form, partial(table, sparse))
