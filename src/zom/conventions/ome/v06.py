"""OME-Zarr 0.6: images with coordinate systems and transformations, labels, plates, wells, scenes.

https://ngff.openmicroscopy.org/0.6/
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.ome.edition import OMEZarr
from zom.conventions.ome.functions import shared_functions, zarr_v3_functions
from zom.conventions.ome.scene import SCENE_FUNCTIONS
from zom.conventions.ome.transformations_fields import STORED_FUNCTIONS
from zom.conventions.ome.transformations_parameters import PARAMETER_FUNCTIONS
from zom.conventions.ome.transformations_rules import TRANSFORMATION_FUNCTIONS
from zom.conventions.ome.v06_systems import EDITION, SYSTEM_FUNCTIONS

if TYPE_CHECKING:
    from zom.conventions.framework.attributes import Attributes
    from zom.conventions.framework.convention import Convention, DefineModel

__all__ = ["V06", "V06DEV4", "V06RC0"]


def _form() -> type[Attributes]:
    from zom.conventions.ome.v06_form import Ome06  # noqa: PLC0415 - only if a node has the version

    return Ome06


def _form_of_dev4() -> type[Attributes]:
    from zom.conventions.ome.v06_dev4 import OmeDev4  # noqa: PLC0415 - only if a node has the version

    return OmeDev4


V06: Final = register(
    read_rulebook(
        Path(__file__).with_name("0.6.toml"),
        kind=OMEZarr,
        attributes=_form,
        functions={
            **zarr_v3_functions(EDITION),
            **shared_functions(EDITION),
            **SYSTEM_FUNCTIONS,
            **TRANSFORMATION_FUNCTIONS,
            **PARAMETER_FUNCTIONS,
            **STORED_FUNCTIONS,
            **SCENE_FUNCTIONS,
        },
    )
)
"""The convention."""


def _candidate(version: str, form: DefineModel) -> Convention:
    """The convention 0.6 under an earlier version name."""
    made = replace(V06, version=version, title=f"OME-Zarr {version}", attributes=form, owns=V06.owns)
    return register(replace(made, assumed=False))


V06RC0: Final = _candidate("0.6rc0", _form)
V06DEV4: Final = _candidate("0.6.dev4", _form_of_dev4)
