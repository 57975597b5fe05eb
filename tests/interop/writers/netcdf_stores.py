"""netCDF-C, through netCDF4: its Zarr of format 2, with and without what it adds of its own."""

from __future__ import annotations

import itertools
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import netCDF4
import numpy as np
from written import Node, Store, data

if TYPE_CHECKING:
    from collections.abc import Iterator

MODES = ("nczarr", "zarr", "noxarray,zarr")
TYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "S1")


def versions() -> str:
    python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    return f"netCDF-C {netCDF4.__netcdf4libversion__} (netCDF4 {netCDF4.__version__}) on {python}"


def opened(place: str, mode: str, access: str) -> Any:
    dataset = netCDF4.Dataset(f"file://{place}#mode={mode},file", access)
    dataset.set_auto_maskandscale(False)
    return dataset


def nodes(place: str, form: str) -> Iterator[Node]:
    with opened(place, "nczarr" if netcdf_of(place) else "zarr", "r") as dataset:
        yield from _below(dataset, "")


def netcdf_of(place: str) -> bool:
    """Whether what netCDF-C adds of its own is there."""
    return any(b"_nczarr_" in path.read_bytes().lower() for path in Path(place).rglob(".z*"))


def _below(group: Any, path: str) -> Iterator[Node]:
    yield Node(path or "/", None)
    for name, variable in group.variables.items():
        variable.set_auto_maskandscale(False)
        if variable.dtype is not str:
            yield Node(f"{path}/{name}", None, np.asarray(variable[...]))
    for name, inner in group.groups.items():
        yield from _below(inner, f"{path}/{name}")


def types(mode: str, place: str, form: str) -> None:
    with opened(place, mode, "w") as dataset:
        dataset.createDimension("y", 7)
        dataset.createDimension("x", 5)
        dataset.title = "é"
        for kind, endian in itertools.product(TYPES, ("little", "big")):
            more = {} if kind == "S1" else {"endian": endian}
            variable = dataset.createVariable(f"{kind}_{endian}", kind, ("y", "x"), **more)
            variable[...] = data(f"|{kind}" if kind == "S1" else kind)
            variable.units = "m"
        dataset.createVariable("scalar", "f8", ())[...] = 3
        dataset.createVariable("unwritten", "i4", ("y",), fill_value=-1)
        dataset.createVariable("no_fill", "i4", ("y",), fill_value=False)[...] = 5


def groups(mode: str, place: str, form: str) -> None:
    with opened(place, mode, "w") as dataset:
        inner = dataset.createGroup("a").createGroup("b")
        inner.createDimension("x", 4)
        inner.createVariable("v", "f4", ("x",))[...] = data("<f4", (4,))
        inner.setncattr("numbers", np.array([1, 2, 3], "i2"))
        dataset.setncattr("nan", np.float64("nan"))
        dataset.createGroup("empty")


def codecs(mode: str, place: str, form: str) -> None:
    with opened(place, mode, "w") as dataset:
        dataset.createDimension("y", 7)
        dataset.createDimension("x", 5)
        for compression, shuffle, sums in itertools.product(
            (None, "zlib", "zstd", "bzip2"), (False, True), (False, True)
        ):
            name = f"{compression}_{shuffle}_{sums}"
            given = {"compression": compression, "shuffle": shuffle, "fletcher32": sums, "chunksizes": (3, 4)}
            dataset.createVariable(name, "i4", ("y", "x"), **given)[...] = data("<i4")


def unlimited(mode: str, place: str, form: str) -> None:
    with opened(place, mode, "w") as dataset:
        dataset.createDimension("t", None)
        dataset.createDimension("x", 3)
        variable = dataset.createVariable("v", "f4", ("t", "x"), chunksizes=(2, 3))
        for number in range(5):
            variable[number] = number


def stores() -> Iterator[Store]:
    for mode, write in itertools.product(MODES, (types, groups, codecs, unlimited)):
        yield Store(f"v2 {mode.replace(',', ' ')} {write.__name__}", "v2", partial(write, mode))
