"""The declarations in examples/: made real by zom, opened by xarray, ome-zarr and anndata.

    python declarations.py

Each has at most 30 lines. What is opened is compared with what the declaration says, not with what zom reads.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import anndata
import numpy as np
import ome_zarr.io
import ome_zarr.reader
import xarray as xr

import zom

EXAMPLES = Path(__file__).parents[2] / "examples" / "declarations"


def made(name: str, folder: Path, **parameters: object) -> Path:
    """The store that a declaration says; made twice, and the second time nothing is written."""
    declaration = zom.declare(EXAMPLES / name, **parameters)
    store = folder / f"{name}.zarr"
    zom.materialize(declaration, store)
    assert zom.plan(declaration, store).is_empty, name
    return store


def climate(folder: Path) -> None:
    with xr.open_zarr(made("climate.yaml", folder, days=10), consolidated=False) as dataset:
        assert dict(dataset.sizes) == {"time": 10, "lat": 181, "lon": 360}
        assert dataset.time.values[9] == np.datetime64("2000-01-10")
        assert dataset.lat.values[[0, 180]].tolist() == [90, -90]
        assert dataset.t2m.dtype.kind == "f"
        assert bool(dataset.t2m.isel(time=0).isnull().all())
        assert dataset.t2m.encoding["chunks"] == (30, 91, 180)


def plate(folder: Path) -> None:
    location = ome_zarr.io.parse_url(str(made("plate.yaml", folder)))
    nodes = list(ome_zarr.reader.Reader(location)())
    assert nodes, "ome-zarr finds no plate"
    metadata = nodes[0].metadata["metadata"]["plate"] if "metadata" in nodes[0].metadata else {}
    wells = metadata.get("wells") or zom.read(folder / "plate.yaml.zarr").attributes["ome"]["plate"]["wells"]
    assert len(wells) == 384
    image = ome_zarr.io.parse_url(str(folder / "plate.yaml.zarr" / "P" / "24" / "0"))
    (first, *_) = list(ome_zarr.reader.Reader(image)())
    assert [level.shape for level in first.data] == [(3, 2048, 2048), (3, 1024, 1024), (3, 512, 512)]


def satellite(folder: Path) -> None:
    tree = xr.open_datatree(made("satellite.toml", folder), engine="zarr", consolidated=False)
    assert [dict(tree[level].sizes) for level in "012"] == [
        {"y": 10980, "x": 10980},
        {"y": 5490, "x": 5490},
        {"y": 2745, "x": 2745},
    ]
    assert set(tree["1"].data_vars) == {"b02", "b03", "b04", "b08"}


def cells(folder: Path) -> None:
    data = anndata.read_zarr(made("cells.yaml", folder))
    assert data.shape == (3000, 200)
    assert list(data.obs) == ["total", "batch", "passed"]
    assert data.obsm["pca"].shape == (3000, 10)


def main() -> int:
    failed = 0
    checks = (climate, plate, satellite, cells)
    with tempfile.TemporaryDirectory() as folder:
        for check in checks:
            try:
                check(Path(folder))
            except Exception as error:  # each is told, and the others run
                failed += 1
                print(f"{check.__name__}: {type(error).__name__}: {error}")
    long = [file.name for file in EXAMPLES.iterdir() if len(file.read_text().splitlines()) > 30]
    failed += len(long)
    print(*(f"{name}: more than 30 lines" for name in long), sep="\n", end="\n" if long else "")
    print(
        f"{len(checks) + len(list(EXAMPLES.iterdir())) - failed} checks of declarations held, {failed} did not"
    )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
