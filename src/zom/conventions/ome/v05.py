"""OME-Zarr 0.5: images, labels, plates and wells in Zarr v3, the metadata under `ome`.

https://ngff.openmicroscopy.org/0.5/
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from zom.conventions.framework.convention import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.ome.edition import Edition
from zom.conventions.ome.functions import axes_functions, shared_functions, zarr_v3_functions
from zom.conventions.ome.keys import OmeKeys

__all__ = ["V05", "Ome05"]

EDITION: Final = Edition("ome")


class Ome05(OmeKeys, key="ome"):
    """What stands under `ome`."""

    version: str


V05: Final = register(
    read_rulebook(
        Path(__file__).with_name("0.5.toml"),
        attributes=Ome05,
        functions={
            **axes_functions(),
            **zarr_v3_functions(EDITION),
            **shared_functions(EDITION),
        },
    )
)
