"""Climate: describe a dataset, fill it month by month, check it by conventions, and open it in xarray."""

import numpy as np
import xarray as xr

import zom
from zom import v3

# Describe the dataset as a document. Nothing is written yet.
YEAR = np.arange(12, dtype="int64")
LATITUDES = np.linspace(-90.0, 90.0, 19)
spec = v3.GroupSpec(
    attributes={"title": "a small climate", "Conventions": "CF-1.11"},
    members={
        "time": v3.ArraySpec.build(
            shape=12,
            dtype="int64",
            dimension_names=("time",),
            attributes={"units": "months since 2001-01-01", "standard_name": "time", "calendar": "360_day"},
        ),
        "lat": v3.ArraySpec.build(
            shape=19,
            dtype="float64",
            dimension_names=("lat",),
            attributes={"units": "degrees_north", "standard_name": "latitude"},
        ),
        "tas": v3.ArraySpec.build(
            shape=(12, 19),
            dtype="float32",
            chunks=(1, 19),
            fill_value=float("nan"),
            dimension_names=("time", "lat"),
            attributes={"units": "K", "standard_name": "air_temperature"},
        ),
    },
)
report = zom.validate(spec, conventions=["xarray"])
assert report.ok, report

# Create everything, with coordinates, or nothing.
with zom.materialize(spec, "climate.zarr", data={"time": YEAR, "lat": LATITUDES}) as root:
    tas = root.arrays()["tas"]
    for month in range(12):
        tas[month] = 288 + 30 * np.cos(np.radians(LATITUDES)) - 2 * np.cos(month)
    root.attrs["history"] = ["2001-12-31: written"]
    root.attrs["history"].append("2002-01-01: checked")

with xr.open_dataset("climate.zarr", engine=zom.xarray.ZomBackend) as dataset:  # pyright: ignore[reportUnknownMemberType]
    warmest = float(dataset["tas"].max())
    print(f"warmest: {warmest:.1f} K, of {dataset.sizes['time']} months")
print(zom.open_group("climate.zarr").tree())
