"""Specs that zom builds, of all versions: images of several axes, with labels, and plates."""

from __future__ import annotations

from typing import Any

from zom.conventions import ome

__all__ = ["VERSIONS", "built"]

VERSIONS = ("0.4", "0.5", "0.6")
_IMAGES: dict[str, tuple[str, tuple[int, ...], dict[str, float]]] = {
    "plane": ("yx", (37, 20), {"y": 0.5, "x": 0.5}),
    "volume": ("zyx", (5, 16, 1), {"z": 2, "y": 0.3, "x": 0.3}),
    "channels": ("cyx", (2, 20, 30), {"y": 0.65, "x": 0.65}),
    "movie": ("tczyx", (2, 3, 4, 16, 12), {"t": 60, "z": 1.5}),
}


def built(version: Any) -> dict[str, Any]:
    """By name."""
    specs: dict[str, Any] = {}
    for name, (axes, shape, scale) in _IMAGES.items():
        channels = ["DNA", "actin", "tubulin"][: shape[axes.index("c")]] if "c" in axes else ()
        specs[name] = ome.image(
            axes,
            shape,
            scale=scale,
            levels=3,
            chunks=(8,) * len(axes),
            channels=channels,
            version=version,
            name=name,
        )
    labelled = ome.labels(specs["channels"], "nuclei", colors={1: (255, 0, 0, 255), 2: (0, 255, 0, 255)})
    specs["labelled"] = ome.labels(labelled, "cells", dtype="uint16", properties={1: {"area": 12}})
    specs["plate"] = ome.plate(2, 3, ["A/1", "B/3"], field=specs["labelled"], fields=2)
    sessions = [{"id": 0, "name": "first"}, {"id": 4, "name": "second"}]
    specs["two acquisitions"] = ome.plate(["A"], ["1"], field=specs["plane"], acquisitions=sessions)
    return specs
