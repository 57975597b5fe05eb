"""OME-Zarr 0.4: images, labels, plates and wells in Zarr v2, with metadata among other attributes.

https://ngff.openmicroscopy.org/0.4/
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.ome.edition import Edition, OMEZarr
from zom.conventions.ome.functions import axes_functions, shared_functions
from zom.conventions.ome.identity import nested_chunks

if TYPE_CHECKING:
    from zom.conventions.framework.attributes import Attributes

__all__ = ["V04"]

EDITION: Final = Edition(None)


def _form() -> type[Attributes]:
    from zom.conventions.ome.keys import Ome04  # noqa: PLC0415 - only if a node has the version

    return Ome04


V04: Final = register(
    read_rulebook(
        Path(__file__).with_name("0.4.toml"),
        kind=OMEZarr,
        attributes=_form,
        functions={
            "nested_chunks": nested_chunks,
            **axes_functions(),
            **shared_functions(EDITION),
        },
    )
)
