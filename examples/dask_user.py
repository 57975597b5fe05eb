"""dask: read a store lazily, compute in chunks that fit, and write the results, all arrays in one change."""

import numpy as np

import zom

# Create a year of days in shards of thirty, without dask.
with zom.open_group("daily.zarr", mode="w") as root:
    days = root.create_array(
        "t",
        shape=(360, 40, 50),
        dtype="float32",
        chunks=(10, 40, 50),
        shards=(30, 40, 50),
        dimension_names=("d", "y", "x"),
    )
    rng = np.random.default_rng(7)
    for start in range(0, 360, 30):
        days[start : start + 30] = rng.normal(280 + start / 30, 5, (30, 40, 50))

# One task per shard, so no stored object is read twice.
lazy = zom.open_array("daily.zarr", "t").to_dask("shards")
mean = lazy.mean(axis=0)
anomaly = lazy - mean
print(f"{lazy.npartitions} tasks read {lazy.nbytes:,} bytes")

# Missing arrays are created first, with the chunks of the data; tasks that would share a chunk are refused.
group = zom.open_group("daily.zarr", mode="r+")
zom.dask.store({"results/mean": mean, "results/anomaly": anomaly}, group)
results = zom.open_group("daily.zarr", "results")
assert abs(float(results.arrays()["anomaly"].to_dask().mean().compute())) < 1e-3
print(results.tree())
