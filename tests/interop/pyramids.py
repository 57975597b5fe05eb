"""Pyramids by zom, as others see them: readers of OME-Zarr take them for valid, and their levels for the same.

    python tests/interop/pyramids.py

In an environment with zom, zarr-python 3, ome-zarr, ome-zarr-models, yaozarrs, scikit-image, dask and h5py. Each pyramid is
judged by zom's own rules, then by the readers that know its version; ome-zarr-py and zarr-python read the values of
all levels, which numpy alone computes here, in another way. Where ome-zarr-py has the same method, its levels are
compared; it leaves out what doesn't fill a block, and cuts digits off where zom rounds.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import itertools
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from ome_stores.readers import READERS, opened_by_ome_zarr_py
from outcomes import check, counts

import zom

IMAGES: dict[str, tuple[str, tuple[int, ...], str, Any]] = {
    "plane": ("yx", (70, 101), "u1", None),
    "channels": ("cyx", (2, 64, 96), "u2", None),
    "volume": ("zyx", (9, 40, 33), "i4", {"z": 3, "y": 2, "x": 2}),
    "movie": ("tczyx", (2, 2, 4, 32, 32), "f4", [{"y": 2, "x": 2}, {"z": 2, "y": 2, "x": 4}]),
}
METHODS = ("mean", "median", "mode", "max", "min", "stride")


def padded_blocks(values: np.ndarray[Any, Any], factors: tuple[int, ...]) -> np.ma.MaskedArray[Any, Any]:
    """Each block as a row, in longdouble; what lies behind the end of the array is masked."""
    pads = [(0, -length % factor) for length, factor in zip(values.shape, factors, strict=True)]
    mask = np.pad(np.zeros(values.shape, bool), pads, constant_values=True)
    wide = np.pad(values.astype(np.longdouble), pads)
    split = [part for n, f in zip(wide.shape, factors, strict=True) for part in (n // f, f)]
    order = [*range(0, 2 * values.ndim, 2), *range(1, 2 * values.ndim, 2)]
    counts = tuple(split[::2])
    rows = [each.reshape(split).transpose(order).reshape(*counts, -1) for each in (wide, mask)]
    return np.ma.MaskedArray(rows[0], rows[1])


def naive(values: np.ndarray[Any, Any], factors: tuple[int, ...], method: str) -> np.ndarray[Any, Any]:
    if method == "stride":
        return values[tuple(slice(None, None, factor) for factor in factors)]
    rows = padded_blocks(values, factors)
    if method == "mode":
        found = np.empty(rows.shape[:-1], values.dtype)
        for place in np.ndindex(found.shape):
            kinds, often = np.unique(rows[place].compressed(), return_counts=True)
            found[place] = kinds[np.argmax(often)]
        return found
    made = {"mean": rows.mean, "max": rows.max, "min": rows.min}
    plain = np.ma.getdata(np.ma.median(rows, axis=-1) if method == "median" else made[method](axis=-1))
    return (np.rint(plain) if values.dtype.kind in "iu" else plain).astype(values.dtype)


def pixels(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    return np.random.default_rng(7).integers(0, 120, shape).astype(dtype)


def levels_by_numpy(values: np.ndarray[Any, Any], group: Any, method: str) -> list[np.ndarray[Any, Any]]:
    """The levels, made by the factors that the shapes tell."""
    found = [values]
    for fine, coarse in itertools.pairwise(group[name] for name in sorted(group)):
        factors = tuple(-(-a // b) for a, b in zip(fine.shape, coarse.shape, strict=True))
        found.append(naive(found[-1], factors, method))
    return found


def expect_same(found: Any, expected: np.ndarray[Any, Any], where: str) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6, err_msg=where)
    if expected.dtype.kind in "iu":
        np.testing.assert_array_equal(np.asarray(found), expected, where)


def expect_pyramid(folder: Path, name: str, version: str, method: str) -> None:
    import zarr

    axes, shape, dtype, factors = IMAGES[name]
    values = pixels(shape, dtype)
    options: dict[str, Any] = {"shards": [16] * len(shape)} if name == "plane" and version != "0.4" else {}
    group = zom.pyramid(
        values,
        folder,
        axes=axes,
        levels=3,
        factors=factors,
        method=method,
        convention=f"ome/{version}",  # type: ignore[arg-type]
        chunks=[8] * len(shape),
        scale={"y": 0.5, "x": 0.5},
        name=name,
        channels=["DNA", "actin"] if name == "channels" else (),
        **options,
    )
    found = [
        f"{each.code} {each}" for each in zom.validate(folder, conventions=[f"ome/{version}"], level="strict")
    ]
    if found:
        raise AssertionError(str(found))
    for reader, (read, versions) in READERS.items():
        said = read(folder, version, is_plate=False) if version in versions else None
        if said is not None:
            raise AssertionError(f"{reader}: {said}")
    expected = levels_by_numpy(values, group, method)
    if opened_by_ome_zarr_py(folder) != [level.shape for level in expected]:
        raise AssertionError(f"ome-zarr-py opens {opened_by_ome_zarr_py(folder)}")
    opened = zarr.open_group(folder, mode="r")
    for number, level in enumerate(expected):
        expect_same(opened[str(number)][...], level, f"level {number} by zarr-python")
        expect_same(group[str(number)][...], level, f"level {number} by zom")


def expect_places(version: str) -> None:
    """ome-zarr-py's transformations put each mean where it is: a ramp of coordinates keeps its values."""
    from ome_zarr.io import parse_url
    from ome_zarr.reader import Reader

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "ramp.zarr")
        ramp = np.broadcast_to(10 + 0.25 * np.arange(64.0), (16, 64)).copy()
        for method in ("mean", "median", "stride"):
            zom.pyramid(
                ramp,
                folder,
                levels=4,
                method=method,  # type: ignore[arg-type]
                scale=(1, 0.25),
                translation=(0, 10),
                convention=f"ome/{version}",  # type: ignore[arg-type]
                on_conflict="replace",
            )
            (node,) = list(Reader(parse_url(folder))())
            for steps, data in zip(node.metadata["coordinateTransformations"], node.data, strict=True):
                inner = steps[0].get("transformations", steps)
                said = {step["type"]: step[step["type"]] for step in inner}
                moved = said.get("translation", [0, 0])[1]
                where = moved + said["scale"][1] * np.arange(data.shape[1])
                np.testing.assert_allclose(np.asarray(data)[0], where)


def expect_same_as_ome_zarr_py(method: str, theirs: str, dtype: str) -> None:
    """The levels that both make, of lengths that all factors divide."""
    from ome_zarr.scale import Methods
    from ome_zarr.writer import write_image

    values = pixels((64, 96), dtype)
    with tempfile.TemporaryDirectory() as place:
        write_image(
            values,
            str(Path(place, "theirs.zarr")),
            axes="yx",
            scale_factors=[{"y": 2, "x": 2}, {"y": 4, "x": 4}],
            method=Methods(theirs),
        )
        mine = zom.pyramid(values, Path(place, "mine.zarr"), levels=3, method=method)  # type: ignore[arg-type]
        other = zom.open_group(Path(place, "theirs.zarr"))
        first = next(iter(sorted(other)))
        for number, name in enumerate(sorted(other)):
            a, b = mine[str(number)][...], other[name][...]
            if a.shape != b.shape:
                raise AssertionError(f"{name}: {a.shape} and {b.shape}")
            if values.dtype.kind == "f":
                np.testing.assert_allclose(a, b, rtol=1e-6)
            elif number == 1:
                # Digits are cut off there, and rounded here.
                exact = other[first][...].reshape(32, 2, 48, 2).mean((1, 3))
                np.testing.assert_array_equal(np.floor(exact), b)
                np.testing.assert_array_equal(np.rint(exact), a)


def expect_lengths_of_ome_zarr_py() -> None:
    """docs/pyramids.md says that it leaves out what doesn't fill a block."""
    from ome_zarr.scale import Methods
    from ome_zarr.writer import write_image

    with tempfile.TemporaryDirectory() as place:
        write_image(
            pixels((5, 7), "u1"),
            place,
            axes="yx",
            scale_factors=[{"y": 2, "x": 2}],
            method=Methods.LOCAL_MEAN,
        )
        shapes = sorted(zom.open_group(place)[name].shape for name in zom.open_group(place))
        if shapes != [(2, 3), (5, 7)]:
            raise AssertionError(str(shapes))


def expect_multiscales() -> None:
    """Levels of the convention multiscales, from a data set of HDF5, by zarr-python and by numpy."""
    import h5py
    import zarr

    with tempfile.TemporaryDirectory() as place:
        values = pixels((3, 37, 50), "i2")
        with h5py.File(Path(place, "a.h5"), "w") as file:
            data = file.create_dataset("a", data=values, chunks=(1, 16, 16))
            group = zom.pyramid(
                data,
                Path(place, "a.zarr"),
                axes=["band", "lat", "lon"],
                convention="multiscales",
                levels=3,
                chunks=(1, 16, 16),
            )
        opened = zarr.open_group(Path(place, "a.zarr"), mode="r")
        for number, level in enumerate(levels_by_numpy(values, group, "mean")):
            expect_same(opened[str(number)][...], level, f"level {number}")
        report = zom.validate(Path(place, "a.zarr"), conventions=["multiscales"], level="strict")
        if list(report) or not report.checked:
            raise AssertionError(str(list(report)))


def main() -> int:
    warnings.simplefilter("ignore")
    for version, name, method in itertools.product(("0.4", "0.5", "0.6"), IMAGES, METHODS):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place, "image.zarr")
            check(f"{version}: {name} by {method}", lambda: expect_pyramid(folder, name, version, method))  # noqa: B023
    for version in ("0.4", "0.5", "0.6"):
        check(f"{version}: levels are where they say", lambda: expect_places(version))  # noqa: B023
    for dtype in ("u1", "u2", "f4", "f8"):
        what = f"means as ome-zarr-py's, of {dtype}"
        check(what, lambda: expect_same_as_ome_zarr_py("mean", "local_mean", dtype))  # noqa: B023
    check("ome-zarr-py leaves out what does not fill a block", expect_lengths_of_ome_zarr_py)
    check("the convention multiscales, from HDF5", expect_multiscales)
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
