"""OME-Zarr: microscopy images with labels, plates and wells, and scenes of several images.

Each version is a separate convention; the rules that versions share are written once. `image`, `labels` and
`plate` build specs that validate.

>>> from zom.conventions import ome
>>> well = ome.image("cyx", (2, 64, 64), scale={"y": 0.5, "x": 0.5}, channels=["DNA", "actin"])
>>> plate = ome.plate(8, 12, ["A/1", "H/12"], field=ome.labels(well, "nuclei"), fields=4)
>>> len(plate.members["H"].members["12"].members)
4
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.conventions.ome.older import V01, V02, V03, V06DEV1, V06DEV2, V06DEV3
from zom.conventions.ome.spatialdata import V04_DEV, V05_DEV
from zom.conventions.ome.v04 import V04
from zom.conventions.ome.v05 import V05
from zom.conventions.ome.v06 import V06, V06DEV4, V06RC0

if TYPE_CHECKING:
    from zom.conventions.ome.build import image, labels
    from zom.conventions.ome.build_plate import plate

__all__ = [
    "V01",
    "V02",
    "V03",
    "V04",
    "V04_DEV",
    "V05",
    "V05_DEV",
    "V06",
    "V06DEV1",
    "V06DEV2",
    "V06DEV3",
    "V06DEV4",
    "V06RC0",
    "image",
    "labels",
    "plate",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a builder on first access: builders need the classes of v2 and v3."""
        if name not in {"image", "labels", "plate"}:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=None)
        from zom.conventions.ome.build import image, labels  # noqa: PLC0415 - see above
        from zom.conventions.ome.build_plate import plate  # noqa: PLC0415 - see above

        found = {"image": image, "labels": labels, "plate": plate}
        globals().update(found)
        return found[name]
