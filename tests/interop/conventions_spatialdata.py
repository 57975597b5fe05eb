"""SpatialData stores that spatialdata wrote: sound ones have no findings, and of damaged ones zom and spatialdata agree.

    python tests/interop/conventions_spatialdata.py [HOW MANY]

In an environment of its own, which requirements-spatialdata.txt describes, with zom. spatialdata writes its
blobs in both of its formats, with images of three dimensions, every transformation and tables about nothing.
Then the metadata of elements is damaged, one thing at a time: so many of these stores, chosen with a fixed
seed, are read by spatialdata and validated by zom. Where spatialdata fails, zom must find an error; where zom
finds one, spatialdata must fail, or REASONS says why it does not.
"""

# ruff: noqa: T201, BLE001 - it tells what it does, and goes on
from __future__ import annotations

import importlib.util
import json
import logging
import random
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import share
from outcomes import check, counts, skip

import zom

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20261123
VALUES: tuple[Any, ...] = (None, 7, "nope", [], {})
REASONS = {
    "spatialdata/axes": "spatialdata writes the axes and takes them from the data where it reads",
    "spatialdata/axes-kept": "spatialdata does not compare the axes of an identity",
    "spatialdata/point-keys": "spatialdata passes over the names of columns that are null",
    "spatialdata/elements": "spatialdata goes by the group that an element is in, and not by its type",
    "spatialdata/element-names-distinct": "spatialdata keeps the elements of each type apart until they are validated",
    "spatialdata/coordinate-systems": "spatialdata reads any text or number for a name, and does not compare axes",
    "spatialdata/table-type": "spatialdata reads what is among the tables as a table",
    "spatialdata/table-keys": "spatialdata reads these out of uns, where it writes them once more",
    "spatialdata/table-regions": "spatialdata warns of regions that are not there",
    "spatialdata/table-columns": "spatialdata reads these out of uns, where it writes them once more",
    "spatialdata/transformation-parameter": "spatialdata takes what numpy makes an array of",
    "spatialdata/version": "spatialdata finds images by the version of OME-Zarr, and says so of a table only in a warning",
    "ome": "the rules of OME-Zarr on what spatialdata does not look at",
    "anndata": "the rules of AnnData on what anndata does not look at",
}
"""Why spatialdata reads what zom finds errors in, by the rule or its convention."""


# --- what is written ---------------------------------------------------------------------------------------


def made() -> Any:
    """Every kind of element, and every transformation."""
    import numpy as np
    from spatialdata.datasets import blobs
    from spatialdata.models import Image3DModel, TableModel
    from spatialdata.transformations import (
        Affine,
        Identity,
        MapAxis,
        Scale,
        Sequence,
        Translation,
        set_transformation,
    )

    found = blobs(length=64)
    found["volume"] = Image3DModel.parse(np.zeros((2, 4, 8, 8)), dims=("c", "z", "y", "x"))
    table = found["table"].copy()
    del table.uns[TableModel.ATTRS_KEY]
    found["about_nothing"] = table
    affine = Affine([[1, 0, 5], [0, 1, 5], [0, 0, 1]], input_axes=("x", "y"), output_axes=("x", "y"))
    scale = Scale([2, 2], axes=("x", "y"))
    turned = MapAxis({"x": "y", "y": "x"})
    moved = Translation([1, 2], axes=("x", "y"))
    for name in ("blobs_image", "blobs_labels", "blobs_points", "blobs_circles"):
        every = {"global": Identity(), "affine": affine, "scale": scale, "turned": turned, "moved": moved}
        every["several"] = Sequence([scale, moved, affine])
        set_transformation(found[name], every, set_all=True)
    return found


def containers() -> dict[str, list[Any]]:
    """The formats of containers that spatialdata can write."""
    from spatialdata._io import format as formats

    return {"v3": [], "v2": [formats.SpatialDataContainerFormatV01()]}


def expect_sound(folder: Path, zarr_format: str) -> None:
    report = zom.validate(folder)
    if report.of("error") or report.of("warning"):
        raise AssertionError("\n".join(f"{each.code} {each}" for each in report))
    found = {each.convention for each in report.conventions}
    ome = f"ome/0.{5 if zarr_format == 'v3' else 4}-dev-spatialdata"
    if not {"spatialdata", "anndata", ome} <= found or f"ome/0.{5 if zarr_format == 'v3' else 4}" in found:
        raise AssertionError(f"found {sorted(found)}")


# --- what is damaged ---------------------------------------------------------------------------------------


def documents(folder: Path) -> list[Path]:
    """The files with the attributes of the container and of elements."""
    name = "zarr.json" if (folder / "zarr.json").exists() else ".zattrs"
    return sorted([folder / name, *folder.glob(f"*/*/{name}")])


def changes(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every change of one thing in a document, in words, with what it makes of the document."""
    items: list[tuple[Any, Any]] = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, inner in items:
        rest = [each for place, each in items if place != key]
        without = {k: v for k, v in items if k != key} if isinstance(value, dict) else rest
        where = "/".join(map(str, (*path, key)))
        yield f"without {where}", without
        for other in VALUES:
            if other != inner:
                yield f"{where} is {json.dumps(other)}", put(value, key, other)
        if isinstance(inner, (dict, list)):
            for said, changed in changes(inner, (*path, key)):
                yield said, put(value, key, changed)


def put(value: Any, key: Any, new: Any) -> Any:
    changed = value.copy()
    changed[key] = new
    return changed


def damages(folder: Path) -> Iterator[tuple[Path, str, str]]:
    """A file, what is done to it, and its text afterwards."""
    for file in documents(folder):
        document = json.loads(file.read_text())
        attributes = document.get("attributes", {}) if file.name == "zarr.json" else document
        for said, changed in changes(attributes):
            whole = {**document, "attributes": changed} if file.name == "zarr.json" else changed
            yield file.relative_to(folder), said, json.dumps(whole)


def spatialdata_says(folder: Path) -> str:
    """How reading ends: "reads", or the name of what is raised."""
    import spatialdata

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            spatialdata.read_zarr(folder)
        except Exception as error:
            return type(error).__name__
    return "reads"


def compare(folder: Path, chosen: list[tuple[Path, str, str]]) -> None:
    verdicts: Counter[str] = Counter()
    unlisted: list[str] = []
    for file, said, text in chosen:
        place = folder / file
        before = place.read_text()
        place.write_text(text)
        theirs = spatialdata_says(folder)
        errors = {
            each.code for each in zom.validate(folder).of("error") if each.code != "consolidated/differs"
        }
        place.write_text(before)
        if (theirs == "reads") is not bool(errors):
            verdicts["refused by both" if errors else "accepted by both"] += 1
        elif errors and all(code in REASONS or code.partition("/")[0] in REASONS for code in errors):
            verdicts["disagreed about, as listed"] += 1
        else:
            unlisted.append(
                f"spatialdata: {theirs}; zom: {', '.join(sorted(errors)) or 'nothing'}: {file}: {said}"
            )
    print("       " + ", ".join(f"{count} {what}" for what, count in sorted(verdicts.items())))
    if unlisted:
        raise AssertionError("\n".join(unlisted))


def main() -> int:
    if not importlib.util.find_spec("spatialdata"):
        skip("conventions_spatialdata", "spatialdata is not installed; see requirements-spatialdata.txt")
        return 0
    logging.disable(logging.CRITICAL)  # ome-zarr tells of all that it passes over
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for told, formats in containers().items():
            folder = Path(name) / f"{told}.zarr"
            made().write(folder, sdata_formats=formats or None)
            check(f"{told}: sound", lambda: expect_sound(folder, told))  # noqa: B023 - called at once
            bare = Path(name) / f"{told} bare.zarr"
            shutil.copytree(folder, bare)
            strip_consolidated(bare)
            every = list(damages(bare))
            chosen = random.Random(SEED).sample(every, min(len(every), wanted // share.SHARES))
            check(f"{told}: damaged stores", lambda: compare(bare, chosen))  # noqa: B023 - as above
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 1 if counts["failed"] else 0


def strip_consolidated(folder: Path) -> None:
    """Take consolidated metadata away, which would hide the damage."""
    (folder / ".zmetadata").unlink(missing_ok=True)
    root = folder / "zarr.json"
    if root.exists():
        document = json.loads(root.read_text())
        document.pop("consolidated_metadata", None)
        root.write_text(json.dumps(document))


if __name__ == "__main__":
    sys.exit(main())
