"""SpatialData: images, labels, points, shapes and tables of a sample, as the library spatialdata stores them.

https://spatialdata.scverse.org/en/stable/design_doc.html. The document describes the design; where it says
nothing, the library's own reader and writer decide. Images and labels are OME-Zarr with version names of
SpatialData's own; tables are AnnData. Those conventions check them. Points and shapes are in Parquet files
beside the documents, which are not part of Zarr.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.spatialdata.container import CONTAINER_CHECKS
from zom.conventions.spatialdata.elements import ELEMENT_CHECKS
from zom.conventions.spatialdata.tables import TABLE_CHECKS
from zom.conventions.spatialdata.transformations import TRANSFORMATION_CHECKS

__all__ = ["SPATIALDATA"]

SPATIALDATA: Final = register(
    read_rulebook(
        Path(__file__).with_name("spatialdata.toml"),
        functions={**CONTAINER_CHECKS, **ELEMENT_CHECKS, **TRANSFORMATION_CHECKS, **TABLE_CHECKS},
    )
)
"""SpatialData hierarchies and standalone elements of them."""
