"""The declarations in examples/: created by zom, opened by xarray, ome-zarr and anndata; and their stores, declared.

    python declarations.py

Each has at most 30 lines. What is opened is compared with what the declaration says, not with what zom reads.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import anndata
import numpy as np
import ome_zarr.format
import ome_zarr.io
import ome_zarr.reader
import ome_zarr.writer
import xarray as xr

import zom
from zom.declaration.yaml_writer import yaml_text

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


def dates(folder: Path) -> None:
    words = {"dims": ["time"], "dtype": "int32", "units": "days since 1999-01-01", "calendar": "noleap"}
    members = {
        "time": {**words, "values": {"start": "2000-01-31", "step": "12 months"}},
        "stamp": {
            "dims": ["time"],
            "dtype": "datetime64[s]",
            "values": {"start": "2000-01-01", "step": "6 hours"},
        },
        "name": {"dims": ["time"], "dtype": "string", "values": ["a", "b", "ü"]},
        "flag": {"dims": ["time"], "dtype": "bool", "values": [True, False, True]},
    }
    made = zom.declare({"zom": 1, "sizes": {"time": 3}, "members": members})
    zom.materialize(made, folder / "dates.zarr")
    coder = xr.coders.CFDatetimeCoder(use_cftime=True)
    with xr.open_zarr(folder / "dates.zarr", consolidated=False, decode_times=coder) as dataset:
        assert [str(each)[:10] for each in dataset.time.values] == ["2000-01-31", "2001-01-31", "2002-01-31"]
        assert dataset.stamp.values[2] == np.datetime64("2000-01-01T12:00")
        assert dataset.name.values.tolist() == ["a", "b", "ü"]
        assert dataset.flag.values.tolist() == [True, False, True]


def of_xarray(folder: Path, zarr_format: int) -> Path:
    times = xr.date_range("2000-01-01", periods=20, freq="MS", use_cftime=False)
    shape = (20, 30, 40)
    dataset = xr.Dataset(
        {name: (("time", "lat", "lon"), np.zeros(shape, "f4"), {"units": "K"}) for name in ("t", "u", "v")},
        {"time": times, "lat": np.linspace(-90, 90, 30), "lon": np.arange(40.0)},
        {"title": "of xarray"},
    )
    dataset.to_zarr(folder / f"xarray{zarr_format}.zarr", zarr_format=zarr_format, consolidated=False)
    return folder / f"xarray{zarr_format}.zarr"


def of_anndata(folder: Path, zarr_format: int) -> Path:
    data = anndata.AnnData(np.ones((6, 4), "f4"))
    data.obs["n"] = np.arange(6)
    data.layers["raw"] = np.ones((6, 4), "i4")
    data.obsm["pca"] = np.ones((6, 2))
    anndata.settings.zarr_write_format = zarr_format
    data.write_zarr(folder / f"anndata{zarr_format}.zarr")
    return folder / f"anndata{zarr_format}.zarr"


def of_ome_zarr(folder: Path, zarr_format: int) -> Path:
    store = folder / f"ome{zarr_format}.zarr"
    version = ome_zarr.format.FormatV04() if zarr_format == 2 else ome_zarr.format.FormatV05()
    ome_zarr.writer.write_image(np.zeros((3, 64, 64), "u2"), str(store), axes="cyx", fmt=version)
    return store


def of_others(folder: Path) -> None:
    """Stores that others wrote: declared, compiled and compared, and how much shorter the declaration is."""
    for write in (of_xarray, of_anndata, of_ome_zarr):
        for zarr_format in (2, 3):
            store = write(folder, zarr_format)
            said = zom.declaration_of(store)
            made = zom.declare(said)
            assert not zom.diff(made, store), (store.name, str(zom.diff(made, store)))
            names = {"zarr.json", ".zarray", ".zgroup", ".zattrs"}
            documents = [file.read_bytes() for file in store.rglob("*") if file.name in names]
            size, whole = len(yaml_text(said).encode()), sum(map(len, documents))
            print(f"{store.name}: {size} bytes for {whole} in {len(documents)} documents, {size / whole:.2f}")
            assert size < whole, store.name


def main() -> int:
    failed = 0
    checks = (climate, plate, satellite, cells, dates, of_others)
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
