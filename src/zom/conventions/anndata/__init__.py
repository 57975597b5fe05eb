"""AnnData: annotated matrices, as the library anndata stores them.

https://anndata.readthedocs.io/en/stable/fileformat-prose.html, for anndata 0.8 and newer. Beyond the text,
rules cover what anndata's own reader accepts or refuses if that loses data: see docs/conventions-anndata.md.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from zom.conventions.anndata.containers import CONTAINER_FUNCTIONS
from zom.conventions.anndata.encodings import ELEMENT_FUNCTIONS, SIGNS
from zom.conventions.anndata.frames import FRAME_FUNCTIONS
from zom.conventions.anndata.skeleton import categorical, csc, csr, nullable, skeleton
from zom.conventions.anndata.stored_values import STORED_FUNCTIONS
from zom.conventions.anndata.values import VALUE_FUNCTIONS
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook

__all__ = ["ANNDATA", "categorical", "csc", "csr", "nullable", "skeleton"]

_RULEBOOK: Final = read_rulebook(
    Path(__file__).with_name("anndata.toml"),
    functions=(
        *ELEMENT_FUNCTIONS,
        *CONTAINER_FUNCTIONS,
        *FRAME_FUNCTIONS,
        *VALUE_FUNCTIONS,
        *STORED_FUNCTIONS,
    ),
)

ANNDATA: Final = register(replace(_RULEBOOK, signs=SIGNS))
"""AnnData hierarchies and standalone elements of them."""
