"""What netCDF-C writes as NCZarr, which zom has to find no fault with; and what it makes of spoiled metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

import netCDF4
import numpy as np

import zom

if TYPE_CHECKING:
    from pathlib import Path


def keeps_the_rules(folder: Path) -> None:
    """Groups, scalars, unlimited dimensions, typed attributes and texts, as netCDF-C writes them."""
    with netCDF4.Dataset(f"file://{folder}#mode=nczarr,file", "w") as root:
        root.title = "written by netCDF-C"
        root.createDimension("time", None)
        root.createDimension("x", 3)
        time = root.createVariable("t", "f4", ("time", "x"), zlib=True)
        time.units, time.valid_range = "K", np.array([200.0, 400.0], "f4")
        time[0:2] = np.ones((2, 3))
        root.createVariable("s", "i4", ())[...] = 4
        group = root.createGroup("g")
        group.createDimension("y", 4)
        inner = group.createVariable("u", "i2", ("y", "x"))
        inner[:] = np.zeros((4, 3))
        inner.flag = np.int16(3)
        group.createGroup("h")
    report = zom.validate(str(folder))
    found = [each.convention for each in report.conventions if each.convention == "nczarr"]
    problems = [str(problem) for problem in report if problem.code.startswith("nczarr/")]
    if found != ["nczarr"] or problems:
        raise AssertionError(f"expected nczarr, and no findings of it; found {found}, {problems}")
