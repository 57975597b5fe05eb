"""The images of SpatialData: OME-Zarr 0.4 and 0.5 with transformations from a draft of 0.6.

SpatialData names these versions "0.4-dev-spatialdata" and "0.5-dev-spatialdata" to distinguish them from
OME-Zarr's own: https://github.com/scverse/spatialdata/pull/849. Their other rules are OME-Zarr's. The same
applies to SpatialData images that name OME-Zarr's own version, as those before that change do, or none.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from zom.conventions.framework.registered import register
from zom.conventions.ome.v04 import V04
from zom.conventions.ome.v05 import V05

if TYPE_CHECKING:
    from zom.checks.checked_rule import CheckedRule
    from zom.conventions.framework.attributes import Attributes
    from zom.conventions.framework.convention import Convention, DefineModel
    from zom.formats.node_view import Node

__all__ = ["V04_DEV", "V05_DEV"]

_OTHERWISE: Final = frozenset(
    {
        "version",  # it is SpatialData's own, and the list of labels has none
        "omero-color",  # channels have labels only
        "omero-window",
        "omero-window-range",
        "transforms-of-image",  # SpatialData's own rules cover them
    }
)


_KEPT: Final = "labels-listed"
"""A SHOULD rule that spatialdata follows: viewers show the listed label images."""


def _holds(rule: CheckedRule) -> bool:
    """Whether an OME-Zarr rule applies to SpatialData: spatialdata leaves out what is only a SHOULD."""
    where = f"{rule.each or ''}{rule.check.params.get('at', '')}"
    of_image = rule.id.startswith("transform") and "datasets" not in where
    binds = rule.level == "MUST" or rule.id == _KEPT
    return binds and rule.id not in _OTHERWISE and not of_image


def _form_of_04() -> type[Attributes]:
    from zom.conventions.ome.spatialdata_form import Raster04  # noqa: PLC0415 - if a node has the version

    return Raster04


def _form_of_05() -> type[Attributes]:
    from zom.conventions.ome.spatialdata_form import Raster05  # noqa: PLC0415 - if a node has the version

    return Raster05


_ATTRIBUTES: Final = "spatialdata_attrs"


def _is_element(node: Node) -> bool:
    """Whether SpatialData's attributes mark the image, or its container, as SpatialData's."""
    container = next(islice(node.ancestors(), 1, None), None)
    return _ATTRIBUTES in node.attributes or (container is not None and _ATTRIBUTES in container.attributes)


def _edition(convention: Convention, form: DefineModel) -> Convention:
    def adopts(node: Node, version: Any) -> bool:
        return (version is None or version == convention.version) and _is_element(node)

    return register(
        replace(
            convention,
            version=f"{convention.version}-dev-spatialdata",
            title=f"OME-Zarr {convention.version} as SpatialData writes it",
            link="https://spatialdata.scverse.org/en/stable/design_doc.html#images",
            attributes=form,
            owns=convention.owns,
            adopts=adopts,
            assumed=False,
            rules=tuple(filter(_holds, convention.rules)),
        )
    )


V04_DEV: Final = _edition(V04, _form_of_04)
V05_DEV: Final = _edition(V05, _form_of_05)
