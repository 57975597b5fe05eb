"""Stores as other programs write them: no convention warns of them, neither of a near miss nor of anything else.

    python tests/interop/conventions_well_made.py

In an environment with requirements.txt beside this script, and zom; what is not installed is skipped. Every
store of the writers of stores_by_writer.py is validated with the conventions that are found in it, and so are
datasets of CF, images, plates, tables and variants. Notes are allowed, and stores_by_writer.py has the findings of
Zarr itself. KNOWN says why a store has more than notes: a reason that no store needs fails, too. Stores of
spatialdata have a script of their own, conventions_spatialdata.py.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import importlib
import sys
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
MISTAKES = HERE.parent / "conventions" / "mistakes"
sys.path[:0] = [str(HERE / each) for each in ("", "writers", "write_documents", "arrays")] + [str(MISTAKES)]

import share  # noqa: E402 - it is there from here on
from outcomes import check, counts, skip  # noqa: E402 - as above

import zom  # noqa: E402 - as above
from zom.conventions import conventions  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULES = {
    "xarray_stores": "xarray", "netcdf_stores": "netCDF4", "gdal_stores": "rasterio", "zarr_python_stores": "zarr",
    "tensorstore_stores": "tensorstore", "zarrs_stores": "zarrs",
}  # fmt: skip
"""The modules of writers, and what each needs."""

STALE = "the store is changed after it was consolidated, on purpose"
KNOWN: dict[str, dict[str, str]] = {
    "zarr_python_stores": {
        "xarray/dims-present": "arrays are given _ARRAY_DIMENSIONS of any form, on purpose",
        "xarray/dims-length": "as above",
        "consolidated/equal": STALE,
        "consolidated/complete": STALE,
        "consolidated/no-ghosts": STALE,
    },
    "ome-zarr-py 0.5": {"ome/version": "ome-zarr-py 0.21 writes the group `labels` without a version"},
}
"""Findings of a writer's stores that are no false alarm, with the reason."""


def of_modules(folder: Path) -> Iterator[tuple[str, str, Path]]:
    """The stores of each writer: its name, what the store is called, and where it is."""
    for name, needed in MODULES.items():
        if find_spec(needed) is None:
            skip(name, f"needs {needed}")
            continue
        module: Any = importlib.import_module(name)
        for number, store in enumerate(module.stores()):
            if not share.is_chosen(f"{name} {store.name}"):
                continue
            place = folder / f"{name}-{number}{store.suffix}"
            try:
                store.write(str(place), store.form)
            except Exception as error:  # noqa: BLE001 - stores_by_writer.py has what each may refuse
                skip(f"{name} {store.name}", f"{type(error).__name__}: {error}")
                continue
            yield name, store.name, place


def of_documents(folder: Path) -> Iterator[tuple[str, str, Path]]:
    """What the corpus of mistakes begins with, made anew."""
    writing: Any = importlib.import_module("write_documents")
    for module, write in writing.WRITERS.items():
        if find_spec(module) is None:
            skip(module, "is not installed")
            continue
        below = folder / module
        below.mkdir()
        for name, place in write(below).items():
            yield module, name, place


def of_ome(folder: Path) -> Iterator[tuple[str, str, Path]]:
    writing: Any = importlib.import_module("ome_stores.written")
    for name, write in writing.WRITERS.items():
        if find_spec(writing.MODULES[name]) is None:
            skip(name, f"needs {writing.MODULES[name]}")
            continue
        place = folder / f"{name}.zarr"
        write(place)
        yield name, "images and labels", place


def more_than_notes(place: Path, *, of_a_convention: bool) -> dict[str, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = zom.validate(place)
    if of_a_convention and not report.checked:
        raise AssertionError("no convention was found")
    ids = {"convention", *(each.id for each in conventions)}
    return {
        each.code: str(each)
        for each in report
        if each.severity != "note" and each.code.partition("/")[0] in ids
    }


def expect_well_made(writer: str, place: Path, used: set[tuple[str, str]]) -> None:
    known = KNOWN.get(writer, {})
    # What writes arrays of every kind follows no convention; what writes datasets, images or tables does.
    found = more_than_notes(place, of_a_convention=writer not in MODULES)
    used.update((writer, code) for code in found)
    unknown = {code: text for code, text in found.items() if code not in known}
    if unknown:
        raise AssertionError("; ".join(f"{code}: {text}" for code, text in unknown.items()))


def expect_needed(used: set[tuple[str, str]], seen: set[str]) -> None:
    unused = {(writer, code) for writer in seen for code in KNOWN.get(writer, {})} - used
    if unused:
        raise AssertionError(f"no store has it: {sorted(unused)}")


def main() -> int:
    warnings.simplefilter("ignore")
    used: set[tuple[str, str]] = set()
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as name:
        for kind in (of_modules, of_documents, of_ome):
            folder = Path(name) / kind.__name__
            folder.mkdir()
            for writer, what, place in kind(folder):
                seen.add(writer)
                check(f"{writer}: {what}", lambda: expect_well_made(writer, place, used))  # noqa: B023 - called at once
    if share.WHOLE:
        check("each reason is needed", lambda: expect_needed(used, seen))
    print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
