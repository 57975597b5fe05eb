"""Opening a dataset of 300 variables in xarray: the processor time of engine "zom" and of engine "zarr".

    python benchmarks/xarray_opening.py [--rounds N] [--variables N]

In an environment with zom, xarray and zarr-python (tests/interop/requirements.txt). Imports are over before
the first round. xarray and zarr-python write the stores, and both engines take turns in every round; what is printed are
medians of the processor time. Ends with 1 where zom takes more than a quarter of zarr's time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from turns import timed

from zom.integrations.xarray.backend import ZomBackend

if TYPE_CHECKING:
    from collections.abc import Callable

TARGET = 4.0
"""How many times as long as zom engine "zarr" has to take."""


def dataset(variables: int) -> xr.Dataset:
    """Small variables with the attributes that such have."""
    values = np.zeros((4, 3, 5), "f4")
    data = {
        f"v{number:03}": (("time", "y", "x"), values, {"units": "K", "long_name": f"variable {number}"})
        for number in range(variables)
    }
    coordinates = {"time": xr.date_range("2000-01-01", periods=4), "y": np.arange(3.0), "x": np.arange(5.0)}
    return xr.Dataset(data, coordinates)


def main() -> int:
    parser = argparse.ArgumentParser(description='opening a dataset by engine "zom" and by engine "zarr"')
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--variables", type=int, default=300)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for consolidated in (True, False):
            for zarr_format in (2, 3):
                kind = f"v{zarr_format}, {'' if consolidated else 'not '}consolidated"
                place = str(Path(folder, f"{zarr_format}-{consolidated}.zarr"))
                dataset(given.variables).to_zarr(place, zarr_format=zarr_format, consolidated=consolidated)

                def opened(engine: Any, place: str = place, **options: Any) -> Callable[[], object]:
                    return lambda: xr.open_dataset(place, engine=engine, **options)

                options = {} if consolidated else {"consolidated": False}
                xr.testing.assert_identical(opened("zarr", **options)(), opened(ZomBackend, **options)())
                found = timed(
                    {"zom": opened(ZomBackend, **options), "zarr": opened("zarr", **options)}, given.rounds
                )
                ratio = found["zarr"] / found["zom"]
                verdict = "" if ratio >= TARGET else f", MISSED: {TARGET:.0f}"
                missed += ratio < TARGET
                print(
                    f"{kind:20} zom {found['zom'] * 1e3:6.1f} ms, "
                    f"zarr {found['zarr'] * 1e3:6.1f} ms: {ratio:.1f} times{verdict}",
                    flush=True,
                )
    print(f"{given.variables} variables: {4 - missed} of 4 targets met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
