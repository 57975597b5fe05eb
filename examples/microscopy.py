"""Microscopy: write an OME-Zarr image with a pyramid and labels, validate it, and read a tile of the coarsest level that fits."""

import numpy as np

import zom

# Two channels of 64 x 512 x 512: cells are bright balls.
z, y, x = np.ogrid[:16, :512, :512]
cells = [(8, 100, 120), (6, 300, 350), (10, 420, 80)]
distance = np.min([(z - a) ** 2 * 16 + (y - b) ** 2 + (x - c) ** 2 for a, b, c in cells], axis=0)
image = np.stack([np.clip(4000 - distance, 0, None), np.clip(distance, 0, 4000)]).astype("uint16")

group = zom.pyramid(
    image,
    "cells.ome.zarr",
    axes="czyx",
    factors={"y": 2, "x": 2},
    levels=4,
    scale=(1, 0.5, 0.1, 0.1),
    units={"z": "micrometer", "y": "micrometer", "x": "micrometer"},
)
report = zom.check("cells.ome.zarr", conventions=["ome"])
assert report.ok, report

# Labels are next to the image. They use the most frequent value, not the mean.
labels = zom.pyramid(
    (distance < 4000).astype("uint8"),
    "cells.ome.zarr",
    "labels/cells",
    axes="zyx",
    factors={"y": 2, "x": 2},
    levels=4,
    method="mode",
    scale=(0.5, 0.1, 0.1),
)
for name, level in group.arrays().items():
    print(f"level {name}: {level.shape} in chunks of {level.chunks}, {level.nbytes_stored():,} bytes stored")

# A viewer that shows 128 pixels reads the smallest level with at least 128.
fitting = [level for level in group.arrays().values() if level.shape[-1] >= 128]
tile = fitting[-1][0, 8]
print(
    f"a tile of {tile.shape}, brightest {int(tile.max())}; {int(labels.arrays()['0'][:].sum())} voxels are cells"
)
