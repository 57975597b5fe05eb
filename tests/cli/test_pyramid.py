"""`zom pyramid`: levels in a new store, beside an image, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import zom
from zom import v3

VALUES = np.arange(40 * 60, dtype="u2").reshape(40, 60)


@pytest.fixture
def image(tmp_path):
    """raw.zarr::image, an array with named dimensions."""
    spec = v3.ArraySpec.build(shape=VALUES.shape, dtype="u2", chunks=(16, 16), dimension_names=("y", "x"))
    root = zom.create_group(tmp_path / "raw.zarr", v3.GroupSpec())
    root.create("image", spec)[...] = VALUES
    return "raw.zarr::image"


def test_it_writes_all_that_is_asked_for(call, tmp_path, image):
    code, out, err = call(
        *("pyramid", image, "new.zip::a", "--levels", 3, "--factors", "y=2,x=4", "--method", "stride"),
        *(
            "--scale",
            "y=0.5,x=0.25",
            "--units",
            "y=meter,x=meter",
            "--name",
            "hill",
            "--convention",
            "ome/0.6",
        ),
        *("--chunks", "8,8", "--shards", "16,16", "--compress", "gzip", "--jobs", 2),
    )
    assert (code, err) == (0, "")
    assert out.splitlines()[1] == "├── 0  uint16  (y=40, x=60)  chunks 8×8 in shards 16×16  gzip"
    group = zom.open_group(tmp_path / "new.zip", "a")
    np.testing.assert_array_equal(group["2"][...], VALUES[::4, ::16])
    entry = group.attrs["ome"]["multiscales"][0]
    assert (entry["name"], entry["type"]) == ("hill", "stride")
    assert entry["coordinateSystems"][0]["axes"][0]["unit"] == "meter"
    assert entry["datasets"][1]["coordinateTransformations"][0]["scale"] == [1.0, 1.0]
    group.store.close()
    assert call("validate", "new.zip::a")[0] == 0


def test_without_a_target_levels_are_put_beside_the_image(call, tmp_path, image):
    assert call("pyramid", image, "--levels", 2, "--compress", "none")[0] == 0
    group = zom.open_group(tmp_path / "raw.zarr")
    assert list(group) == ["1", "image"]
    assert [each["path"] for each in group.attrs["ome"]["multiscales"][0]["datasets"]] == ["image", "1"]


def test_levels_that_are_there_are_in_the_way_until_they_are_to_be_replaced(call, tmp_path, image):
    call("pyramid", image, "new.zarr", "--levels", 2)
    code, out, err = call("pyramid", image, "new.zarr", "--levels", 2, "--method", "max")
    assert (code, out) == (1, "")
    assert "pass --on-conflict replace to delete it first" in err
    assert (
        call("pyramid", image, "new.zarr", "--levels", 2, "--method", "max", "--on-conflict", "replace")[0]
        == 0
    )
    assert int(zom.open_array(tmp_path / "new.zarr", "1")[0, 0]) == 61


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--factors", "y"], "--factors: expected values by axis, such as y=2,x=2, found 'y'"),
        (["--factors", "0"], "raw.zarr::image: factors: expected integers from 1, got 0 for y"),
        (["--scale", "y=a"], "--scale: expected values by axis, such as y=2,x=2, found 'y=a'"),
        (["--chunks", "8,0"], "--chunks: expected lengths of 1 or more, such as 256,256, found '8,0'"),
        (["--axes", "zyx"], "raw.zarr::image: axes: expected 2 names, one for each dimension, got ['z', 'y', 'x']"),
        (["--axes", "lat,lon"], "raw.zarr::image: axes: expected t, c, z, y or x, got 'lat'; name them so with --axes, or pass --convention multiscales, which takes any name"),
        (["--levels", "0"], "raw.zarr::image: levels: expected 1 or more, got 0"),
    ],
    ids=lambda each: each[0].strip("-") if isinstance(each, list) else "",
)  # fmt: skip
def test_what_cannot_be_is_one_line(call, tmp_path, image, arguments, message):
    for target in ("new.zarr", "a/b/new.zarr", "new.zip", "new.sqlite"):
        assert call("pyramid", image, target, *arguments) == (2, "", f"zom pyramid: {message}\n")
    assert [each.name for each in tmp_path.iterdir()] == ["raw.zarr"]  # nothing is left


def test_a_group_is_no_image(call, image):
    code, _, err = call("pyramid", "raw.zarr", "new.zarr")
    assert code == 3
    assert "expected an array at /, found a group" in err
