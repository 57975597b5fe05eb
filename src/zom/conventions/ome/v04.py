"""OME-Zarr 0.4: images, labels, plates and wells in Zarr v2, the metadata beside other attributes.

https://ngff.openmicroscopy.org/0.4/
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from zom.conventions.framework.convention import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.ome.edition import Edition, OMEZarr
from zom.conventions.ome.functions import axes_functions, shared_functions
from zom.conventions.ome.identity import nested_chunks
from zom.conventions.ome.keys import OmeKeys

__all__ = ["V04", "Ome04"]

EDITION: Final = Edition(None)


class Ome04(OmeKeys):
    """The keys of OME-Zarr 0.4."""


V04: Final = register(
    read_rulebook(
        Path(__file__).with_name("0.4.toml"),
        kind=OMEZarr,
        attributes=Ome04,
        functions={
            "nested_chunks": nested_chunks,
            **axes_functions(),
            **shared_functions(EDITION),
        },
    )
)
