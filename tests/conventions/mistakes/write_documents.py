"""Writes `documents/`: well-made hierarchies, each as the software that writes such files made it.

    python tests/conventions/mistakes/write_documents.py

In an environment with zom, zarr-python 3, xarray, netCDF4, anndata, ome-zarr and bio2zarr, or in one with
spatialdata, which needs older versions of these; what is not there writes nothing. The documents that are committed
are by spatialdata 0.8.0, xarray 2026.9.0, netCDF4 1.7.5, anndata 0.13.4, ome-zarr 0.21.0 and bio2zarr 0.2.1, with
zarr-python 3.4.2. What nothing at hand writes is out of the conformance cases, or zom's own helpers build it.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import zom

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CASES = ROOT / "tests" / "conformance" / "conventions"


def climate() -> Any:
    """A dataset as CF wants it: bounds, cell methods, a grid mapping, flags, packed data."""
    import xarray as xr

    units = {"units": "days since 2000-01-01", "calendar": "standard", "bounds": "time_bnds"}
    time = {"standard_name": "time", "axis": "T", "units_metadata": "leap_seconds: none", **units}
    lat = {"standard_name": "latitude", "units": "degrees_north", "axis": "Y"}
    lon = {"standard_name": "longitude", "units": "degrees_east", "axis": "X"}
    t2m = {
        "standard_name": "air_temperature", "long_name": "air temperature at 2 m", "units": "K", "scale_factor": 0.01,
        "add_offset": 273.15, "cell_methods": "time: mean", "grid_mapping": "crs", "ancillary_variables": "quality",
        "coordinates": "height",
    }  # fmt: skip
    quality = {
        "long_name": "quality of the temperature", "standard_name": "quality_flag", "coordinates": "height",
        "flag_values": [0, 1, 2], "flag_meanings": "good doubtful bad", "grid_mapping": "crs",
    }  # fmt: skip
    height = {"standard_name": "height", "units": "m", "positive": "up", "axis": "Z"}
    shape = (4, 3, 5)
    dims = ("time", "lat", "lon")
    return xr.Dataset(
        {
            "t2m": (dims, np.zeros(shape, "i2"), {**t2m, "_FillValue": -32768}),
            "quality": (dims, np.zeros(shape, "i1"), quality),
            "time_bnds": (("time", "nv"), np.zeros((4, 2))),
            "crs": ((), np.int32(0), {"grid_mapping_name": "latitude_longitude", "long_name": "the grid"}),
        },
        {
            "time": ("time", np.arange(4.0) + 0.5, time),
            "lat": ("lat", np.linspace(-10.0, 10.0, 3), lat),
            "lon": ("lon", np.linspace(0.0, 40.0, 5), lon),
            "height": ((), 2.0, height),
        },
        {"Conventions": "CF-1.11", "title": "a small climate", "history": "made for a test", "source": "zeros",
         "institution": "none", "references": "none"},
    )  # fmt: skip


def weather() -> Any:
    """A dataset without a word of CF, as notebooks write it."""
    import xarray as xr

    dims = ("time", "y", "x")
    return xr.Dataset(
        {
            "rain": (dims, np.zeros((4, 3, 5), "f4"), {"units": "mm"}),
            "counts": (dims, np.ones((4, 3, 5), "i4")),
        },
        {
            "time": xr.date_range("2000-01-01", periods=4),
            "y": np.arange(3.0),
            "x": np.arange(5.0),
            "lat": (("y", "x"), np.zeros((3, 5))),
        },
        {"title": "rain"},
    )


def by_xarray(folder: Path) -> dict[str, Path]:
    import xarray as xr

    made: dict[str, Path] = {}
    for form in (2, 3):
        for name, dataset in (("climate", climate()), ("weather", weather())):
            made[f"xarray {name} v{form}"] = place = folder / f"{name}{form}"
            dataset.to_zarr(place, zarr_format=form, consolidated=False)
    tree = xr.DataTree.from_dict({"/": weather()[["time"]], "/rain": weather()[["rain"]]})
    made["xarray tree v3"] = folder / "tree"
    tree.to_zarr(folder / "tree", zarr_format=3, consolidated=False)
    return made


def by_anndata(folder: Path) -> dict[str, Path]:
    import anndata
    import pandas as pd
    from scipy import sparse

    made: dict[str, Path] = {}
    for form in (2, 3):
        anndata.settings.zarr_write_format = form
        kinds = pd.Categorical(["a", "b", "a"])
        obs = pd.DataFrame({"kind": kinds, "depth": [1, 2, 3]}, index=["x", "y", "z"])
        data = anndata.AnnData(
            np.ones((3, 2), "f4"),
            obs=obs,
            layers={"counts": sparse.csr_matrix(np.eye(3, 2, dtype="f4"))},
            obsm={"X_pca": np.zeros((3, 2))},
            obsp={"near": np.zeros((3, 3))},
            varm={"loads": np.zeros((2, 2))},
            uns={"note": "a text", "number": 1.5},
        )
        made[f"anndata v{form}"] = folder / f"anndata{form}"
        data.write_zarr(folder / f"anndata{form}")
    return made


def by_ome_zarr(folder: Path) -> dict[str, Path]:
    import zarr
    from ome_zarr.format import format_from_version
    from ome_zarr.writer import write_image, write_labels, write_plate_metadata, write_well_metadata

    pixels = np.zeros((3, 16, 24), "u2")
    units = {"y": "micrometer", "x": "micrometer"}
    made: dict[str, Path] = {}
    for version in ("0.4", "0.5"):
        fmt = format_from_version(version)
        form = 2 if version == "0.4" else 3
        place = made[f"ome-zarr image {version}"] = folder / f"image{version}"
        image = zarr.open_group(place, mode="w", zarr_format=form)
        options: dict[str, Any] = {"axes": "cyx", "fmt": fmt, "scale_factors": [2], "axes_units": units}
        write_image(pixels, image, name="cells", **options)
        write_labels(pixels.astype("u1"), image, name="nuclei", **options)
        if version == "0.5":  # without its version, ome-zarr-py 0.21 leaves the list of labels
            image["labels"].attrs["ome"] = {"version": version, "labels": ["nuclei"]}
        place = made[f"ome-zarr plate {version}"] = folder / f"plate{version}"
        plate = zarr.open_group(place, mode="w", zarr_format=form)
        rows, columns, wells = ["A", "B"], ["1", "2"], ["A/1", "B/2"]
        acquisitions = [{"id": 0, "name": "first"}]
        write_plate_metadata(
            plate, rows, columns, wells, fmt=fmt, field_count=1, name="plate", acquisitions=acquisitions
        )
        for well in wells:
            row, column = well.split("/")
            group = plate.require_group(row).require_group(column)
            write_well_metadata(group, [{"path": "0", "acquisition": 0}], fmt=fmt)
            write_image(pixels, group.require_group("0"), name="field", **options)
    return made


HEADER = """\
##fileformat=VCFv4.3
##contig=<ID=1,length=1000>
##FILTER=<ID=q10,Description="low quality">
##INFO=<ID=NS,Number=1,Type=Integer,Description="samples">
##FORMAT=<ID=GT,Number=1,Type=String,Description="genotype">
##FORMAT=<ID=DP,Number=1,Type=Integer,Description="depth">
#CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO	FORMAT	a	b
1	10	r1	A	T	30	PASS	NS=2	GT:DP	0|1:3	1/1:4
1	20	.	AC	T	.	q10	NS=1	GT:DP	0/0:3	./.:.
"""


def by_bio2zarr(folder: Path) -> dict[str, Path]:
    from bio2zarr import vcf

    text = folder / "small.vcf"
    text.write_text(HEADER, encoding="utf-8")
    place = folder / "small.vcz"
    vcf.convert([text], place, show_progress=False, worker_processes=0)
    return {"bio2zarr": place}


def by_netcdf(folder: Path) -> dict[str, Path]:
    import netCDF4

    place = folder / "nczarr.zarr"
    with netCDF4.Dataset(f"file://{place}#mode=nczarr,file", "w") as file:
        file.Conventions = "CF-1.8"
        for name, size in (("lat", 3), ("lon", 4)):
            file.createDimension(name, size)
            axis = file.createVariable(name, "f4", (name,))
            axis.units = f"degrees_{'north' if name == 'lat' else 'east'}"
            axis.standard_name = "latitude" if name == "lat" else "longitude"
        rain = file.createVariable("rain", "f4", ("lat", "lon"), fill_value=np.float32(-1))
        rain.long_name, rain.units = "rain", "mm"
    return {"netCDF-C": place}


def by_spatialdata(folder: Path) -> dict[str, Path]:
    from spatialdata._io.format import SpatialDataContainerFormatV01
    from spatialdata.datasets import blobs

    made = {f"spatialdata v{form}": folder / f"blobs{form}" for form in (2, 3)}
    blobs().write(made["spatialdata v2"], sdata_formats=SpatialDataContainerFormatV01())
    blobs().write(made["spatialdata v3"])
    return made


WRITERS = {
    "xarray": by_xarray,
    "anndata": by_anndata,
    "ome_zarr": by_ome_zarr,
    "bio2zarr": by_bio2zarr,
    "netCDF4": by_netcdf,
    "spatialdata": by_spatialdata,
}
"""The writers, by the module that they need."""

OF_CASES = {
    "ome 0.6 image": ("ome-0.6", "labelled"),
    "ome 0.6 scene": ("ome-0.6", "scene"),
    "ome 0.6 pyramid": ("ome-0.6", "cells"),
    "multiscales": ("multiscales", "three"),
    "spatial": ("spatial", "full"),
    "geozarr": ("geozarr", "groups"),
    "nz": ("nz", "climate"),
    "uom": ("uom", "kg"),
    "license": ("license", "MIT"),
    "proj": ("proj", "all"),
    "consolidated": ("consolidated", "tree"),
}


def main() -> None:
    warnings.simplefilter("ignore")
    documents: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for module, write in WRITERS.items():
            if find_spec(module) is None:
                continue
            for what, place in write(folder).items():
                documents[what] = zom.read(place, on_warning=lambda _: None).model_dump(mode="json")
    for what, (file, case) in OF_CASES.items():
        content = json.loads((CASES / f"{file}.json").read_text(encoding="utf-8"))
        documents[what] = content["documents"][case]
    for what in sys.argv[1:] or documents:
        path = HERE / "documents" / f"{what.replace(' ', '-')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(documents[what], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
