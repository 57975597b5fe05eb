"""The reference evaluator in TypeScript beside zom: the same findings on stores that others wrote.

    python tests/interop/conventions_typescript.py

In an environment with zom, zarr-python 3 and xarray, and with node (20 or newer) and npm; anndata and
ome-zarr write more stores, where they are there. Each store is validated as it was written, and spoiled by
mutations of its documents, by a fixed seed. All conventions are asked for; of the rules whose checks all
have names, zom and the evaluator must give the same findings: rule, node and pointer.
"""

# ruff: noqa: T201 - it tells what it counts
from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import share
from outcomes import check, counts, skip

import zom
from zom.conventions import conventions
from zom.problems import pointer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
EVALUATOR = ROOT / "examples" / "conventions-typescript"
SPOILED = 10
"""How many times each store is spoiled; of these, a share is judged."""

NAMES = [each.name for each in conventions]
BY_FUNCTION = {each.name for each in conventions if each.detect is not None and not each.everywhere}
"""Where those are, the evaluator only guesses by their keys."""

VALUES: tuple[Any, ...] = (None, True, 0, 1.5, "x", "a b", "", [], ["x"], [1, 2, 3], {}, {"a": 1})

found: Counter[str] = Counter()
"""How many findings there were, by convention."""


# --- stores ------------------------------------------------------------------------------------------------


def _climate() -> Any:
    import xarray as xr

    time = xr.date_range("2000-01-01", periods=4)
    data = {
        "t2m": (
            ("time", "lat"),
            np.zeros((4, 2), "f4"),
            {"units": "K", "cell_methods": "time: mean", "axis": "Q"},
        ),
        "lat_bounds": (("lat", "nv"), np.zeros((2, 2))),
        "crs": ((), 0, {"grid_mapping_name": "latitude_longitude"}),
    }
    lat = ("lat", [1.0, 2.0], {"units": "degrees_north", "bounds": "lat_bounds", "positive": "sideways"})
    return xr.Dataset(
        data, {"time": time, "lat": lat}, {"Conventions": "CF-1.12", "title": "a small climate"}
    )


def by_xarray(folder: Path, zarr_format: int) -> None:
    _climate().to_zarr(folder, zarr_format=zarr_format, consolidated=zarr_format == 2)


def tree_by_xarray(folder: Path, zarr_format: int) -> None:
    import xarray as xr

    low = xr.Dataset({"v": (("y", "x"), np.zeros((2, 3), "f4"))}, {"y": np.arange(2)})
    tree = xr.DataTree.from_dict(
        {"/": xr.Dataset(coords={"x": np.arange(3)}), "/low": low, "/cf": _climate()}
    )
    tree.to_zarr(folder, zarr_format=zarr_format, consolidated=False)


def by_zarr_python(folder: Path, zarr_format: int) -> None:
    """A pyramid, once as OME-Zarr has it, and once as the zarr-conventions do; a plate, labels, and a VCF."""
    import zarr

    root = zarr.open_group(folder, mode="w", zarr_format=zarr_format)
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    datasets = [
        {"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": [2.0**level] * 2}]}
        for level in range(2)
    ]
    image: dict[str, Any] = {"name": "cells", "axes": axes, "datasets": datasets}
    ome: dict[str, Any] = {"multiscales": [image if zarr_format == 3 else {**image, "version": "0.4"}]}
    _write(root, "image", {"ome": {"version": "0.5", **ome}} if zarr_format == 3 else ome)
    plate = {
        "columns": [{"name": "1"}], "rows": [{"name": "A"}], "field_count": 1, "name": "p", "version": "0.4",
        "wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}],
    }  # fmt: skip
    root.create_group(
        "plate",
        attributes={"ome": {"version": "0.5", "plate": plate}} if zarr_format == 3 else {"plate": plate},
    )
    layout = [
        {"asset": "0", "transform": {"scale": [1.0, 1.0]}},
        {"asset": "1", "derived_from": "0", "transform": {"scale": [2.0, 2.0]}},
    ]
    declared = [
        {"uuid": each.uuid}
        for each in conventions
        if each.id in {"multiscales", "spatial", "proj", "license"}
    ]
    _write(root, "geo", {
        "zarr_conventions": declared, "multiscales": {"layout": layout}, "spatial:dimensions": ["y", "x"],
        "spatial:shape": [8, 8], "proj:code": "EPSG:4326", "license": {"spdx": "MIT"},
    })  # fmt: skip
    vcf = root.create_group("vcf", attributes={"vcf_zarr_version": "0.4", "source": "here"})
    for name, dtype, dims in (
        ("variant_contig", "i1", ["variants"]),
        ("variant_position", "i4", ["variants"]),
    ):
        names = {"dimension_names": dims} if zarr_format == 3 else {"attributes": {"_ARRAY_DIMENSIONS": dims}}
        vcf.create_array(name, shape=(3,), dtype=dtype, **names)


def _write(root: Any, name: str, attributes: dict[str, Any]) -> None:
    group = root.create_group(name, attributes=attributes)
    for level in range(2):
        names = {"dimension_names": ["y", "x"]} if root.metadata.zarr_format == 3 else {}
        group.create_array(str(level), shape=(8 >> level, 8 >> level), dtype="u2", chunks=(4, 4), **names)


def by_anndata(folder: Path, zarr_format: int) -> None:
    import anndata
    import pandas as pd

    anndata.settings.zarr_write_format = zarr_format
    obs = pd.DataFrame({"kind": pd.Categorical(["a", "b", "a"])}, index=["x", "y", "z"])
    anndata.AnnData(np.ones((3, 2), "f4"), obs=obs, layers={"raw": np.ones((3, 2))}).write_zarr(folder)


def by_ome_zarr(folder: Path, zarr_format: int) -> None:
    import zarr
    from ome_zarr.format import FormatV04, FormatV05
    from ome_zarr.writer import write_image

    root = zarr.open_group(folder, mode="w", zarr_format=zarr_format)
    fmt = FormatV05() if zarr_format == 3 else FormatV04()
    write_image(np.zeros((2, 16, 16), "u1"), root, axes="cyx", fmt=fmt)


WRITERS: tuple[Callable[[Path, int], None], ...] = (
    by_xarray,
    tree_by_xarray,
    by_zarr_python,
    by_anndata,
    by_ome_zarr,
)


# --- spoiling ----------------------------------------------------------------------------------------------


def spoil(store: Path, choose: random.Random) -> None:
    """Change a few documents of a store: what a name, an attribute or a shape says."""
    files = sorted(path for end in ("zarr.json", ".zattrs", ".zarray") for path in store.rglob(end))
    for _ in range(choose.randint(1, 4)):
        file = choose.choice(files)
        document = json.loads(file.read_text(encoding="utf-8"))
        own = document if file.name == ".zattrs" else document.get("attributes")
        if own and choose.random() < 0.7:
            _changed(own, choose)
        elif isinstance(document.get("dimension_names"), list):
            document["dimension_names"] = choose.choice([None, ["x"] * len(document["shape"]), ["q", "r"]])
        elif isinstance(document.get("shape"), list) and document["shape"]:
            document["shape"][choose.randrange(len(document["shape"]))] += 1
        file.write_text(json.dumps(document), encoding="utf-8")


def _changed(value: Any, choose: random.Random) -> None:
    """Change a value anywhere within."""
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = choose.choice(places)
    inner = value[place]
    if isinstance(inner, (dict, list)) and inner and choose.random() < 0.75:
        _changed(inner, choose)
    elif choose.random() < 0.3:
        del value[place]
    elif isinstance(inner, str) and choose.random() < 0.4:
        value[place] = f"{inner}{choose.choice('xA /')}"
    else:
        value[place] = choose.choice(VALUES)


# --- both ----------------------------------------------------------------------------------------------------


def portable() -> frozenset[str]:
    """The codes of the rules whose checks all have names, of conventions that are found by what is data."""
    rules = [(each, each.code(rule), rule) for each in conventions for rule in each.all_rules]
    others = {
        code
        for each, code, rule in rules
        if not rule.is_portable or rule.is_schema or each.name in BY_FUNCTION
    }
    return frozenset(code for _, code, _ in rules) - others


def by_zom(store: Path, codes: frozenset[str]) -> Counter[tuple[str, str, str]]:
    report = zom.validate(store, conventions=NAMES, profile="full")
    # The evaluator judges each rule by itself, and tells all that one fault causes.
    problems = (problem for problem in (*report, *report.resting) if problem.code in codes)
    return Counter((each.code, each.node, pointer_of(each.inside)) for each in problems)


def by_evaluator(store: Path, files: list[Path], codes: frozenset[str]) -> Counter[tuple[str, str, str]]:
    command = [
        "node",
        str(EVALUATOR / "dist" / "src" / "main.js"),
        "--profile",
        "full",
        "--json",
        str(store),
    ]
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=False)
    if done.returncode not in {0, 1}:
        raise RuntimeError(done.stderr)
    findings = json.loads(done.stdout)["findings"]
    return Counter(
        (each["rule"], each["node"], each["pointer"]) for each in findings if each["rule"] in codes
    )


def found_by_zom(store: Path, codes: frozenset[str]) -> Counter[tuple[str, str, str]]:
    """What zom finds, which is counted by convention."""
    mine = by_zom(store, codes)
    found.update(code.partition("/")[0] for code, _, _ in mine.elements())
    return mine


def agree(store: Path, files: list[Path], codes: frozenset[str]) -> None:
    mine, other = found_by_zom(store, codes), by_evaluator(store, files, codes)
    if mine != other:
        raise AssertionError(f"zom only: {[*(mine - other)]}; evaluator only: {[*(other - mine)]}")


def stores(folder: Path) -> Iterator[tuple[str, Path, bool]]:
    """Every store, as it was written and spoiled; and whether the evaluator judges it in this share, too."""
    choose = random.Random(11)
    for write in WRITERS:
        for zarr_format in (2, 3):
            what = f"{write.__name__}, v{zarr_format}"
            whole = folder / f"{write.__name__}-{zarr_format}"
            try:
                write(whole, zarr_format)
            except ImportError as error:
                skip(what, str(error))
                continue
            yield what, whole, True
            for turn in range(SPOILED):
                spoiled = folder / "spoiled"
                shutil.rmtree(spoiled, ignore_errors=True)
                shutil.copytree(whole, spoiled)
                spoil(spoiled, choose)
                yield f"{what}, spoiled {turn}", spoiled, share.is_chosen(f"{what} {turn}")


def built() -> str | None:
    """Compile the evaluator; what is missing where that can't be done."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "node, 20 or newer, with npm"
    for command in (["npm", "install", "--loglevel=error"], ["npm", "run", "build", "--silent"]):
        subprocess.run(command, cwd=EVALUATOR, check=True, stdout=subprocess.DEVNULL)
    return None


def main() -> int:
    lack = built()
    if lack is not None:
        print(f"FAILED: needs {lack}")
        return 1
    with tempfile.TemporaryDirectory() as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(made)
        schemas = {name: folder / f"{name.replace('/', '-')}.schema.json" for name in NAMES}
        for name, file in schemas.items():
            file.write_text(json.dumps(conventions[name].json_schema()), encoding="utf-8")
        files, codes = list(schemas.values()), portable()
        for what, store, is_judged in stores(folder):
            if is_judged:
                check(what, lambda: agree(store, files, codes))  # noqa: B023
            else:
                found_by_zom(store, codes)
    print("findings:", ", ".join(f"{name} {count}" for name, count in sorted(found.items())))
    check("most conventions have findings", _many)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


def _many() -> None:
    if sum(count > 0 for count in found.values()) < 7:
        raise AssertionError(f"too few conventions have findings: {dict(found)}")


if __name__ == "__main__":
    sys.exit(main())
