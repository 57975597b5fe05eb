"""OME-Zarr 0.5: images, labels, plates and wells in Zarr v3, with metadata under `ome`.

https://ngff.openmicroscopy.org/0.5/
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.ome.edition import Edition
from zom.conventions.ome.functions import axes_functions, shared_functions, zarr_v3_functions

if TYPE_CHECKING:
    from zom.conventions.framework.attributes import Attributes

__all__ = ["V05"]

EDITION: Final = Edition("ome")


def _form() -> type[Attributes]:
    from zom.conventions.ome.keys import Ome05  # noqa: PLC0415 - only if a node has the version

    return Ome05


V05: Final = register(
    read_rulebook(
        Path(__file__).with_name("0.5.toml"),
        attributes=_form,
        functions={
            **axes_functions(),
            **zarr_v3_functions(EDITION),
            **shared_functions(EDITION),
        },
    )
)
