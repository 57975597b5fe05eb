"""SpatialData: images, labels, points, shapes and tables of one sample, as the library spatialdata stores them.

https://spatialdata.scverse.org/en/stable/design_doc.html. The document describes the design; where it is
silent, the library's own reader and writer decide. Images and labels are OME-Zarr, of versions that SpatialData
names after itself, tables are AnnData: those conventions check them. Points and shapes are in Parquet files
beside the documents, which are no part of Zarr.
"""

from __future__ import annotations

from typing import Final

from zom.checks.checked_rule import has, is_value
from zom.conventions.framework.convention import Convention, register
from zom.conventions.spatialdata.container import CONTAINER_RULES
from zom.conventions.spatialdata.elements import ATTRIBUTES, ELEMENT_RULES, LINK, TABLE_TYPE, TYPES
from zom.conventions.spatialdata.tables import TABLE_RULES
from zom.conventions.spatialdata.transformations import TRANSFORMATION_RULES

__all__ = ["SPATIALDATA"]

SPATIALDATA: Final = register(
    Convention(
        id="spatialdata",
        title="SpatialData",
        link=LINK,
        on=("group",),
        formats=("v2", "v3"),
        refines=("ome", "anndata"),
        owns=(ATTRIBUTES, TABLE_TYPE),
        signs=((has(ATTRIBUTES),), (is_value("encoding-type", *TYPES),), (has(TABLE_TYPE),)),
        rules=(*CONTAINER_RULES, *ELEMENT_RULES, *TRANSFORMATION_RULES, *TABLE_RULES),
    )
)
"""SpatialData hierarchies, and elements of them that stand alone."""
