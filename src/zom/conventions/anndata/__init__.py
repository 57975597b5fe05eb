"""AnnData: annotated matrices, as the library anndata stores them.

https://anndata.readthedocs.io/en/stable/fileformat-prose.html, of anndata 0.8 and newer. What anndata's
own reader accepts or refuses beyond the text is checked where it loses data: see docs/conventions-anndata.md.
"""

from __future__ import annotations

from typing import Final

from zom.conventions.anndata.containers import CONTAINER_RULES
from zom.conventions.anndata.elements import TYPE, VERSION
from zom.conventions.anndata.encodings import ELEMENT_RULES, LINK, SIGNS
from zom.conventions.anndata.frames import FRAME_RULES
from zom.conventions.anndata.skeleton import categorical, csc, csr, nullable, skeleton
from zom.conventions.anndata.stored_values import STORED_RULES
from zom.conventions.anndata.values import VALUE_RULES
from zom.conventions.framework.convention import Convention, register

__all__ = ["ANNDATA", "categorical", "csc", "csr", "nullable", "skeleton"]

ANNDATA: Final = register(
    Convention(
        id="anndata",
        title="AnnData",
        link=LINK,
        owns=(TYPE, VERSION),
        signs=SIGNS,
        rules=(*ELEMENT_RULES, *CONTAINER_RULES, *FRAME_RULES, *VALUE_RULES, *STORED_RULES),
    )
)
"""AnnData hierarchies, and elements of them that stand alone."""
