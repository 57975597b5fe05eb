"""Transformations of 0.4 and 0.5: the scale and the translation from pixels to physical coordinates.

https://ngff.openmicroscopy.org/0.5/#trafo-md
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from zom.conventions.framework.attributes import Part

__all__ = ["Transformation"]


class Transformation(Part):
    """A scale or a translation."""

    type: Literal["scale", "translation"]
    scale: list[float] = Field(default=[])
    translation: list[float] = Field(default=[])
    path: str = ""
