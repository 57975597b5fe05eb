"""What `zom.conventions.ome` builds: the levels of images, where their pixels are, labels and plates."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom
from zom.conventions import ome
from zom.conventions.ome.build_levels import levels_of

VERSIONS = ("0.4", "0.5", "0.6")


def transformation(spec, level):
    (said,) = spec.attributes["ome"]["multiscales"][0]["datasets"][level]["coordinateTransformations"]
    return said


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("axes", ["yx", "zyx", "cyx", "tyx", "czyx", "tczyx"])
def test_an_image_has_no_finding(axes, version):
    spec = ome.image(axes, (4,) * len(axes), levels=2, version=version)
    report = zom.validate(spec, conventions=[f"ome/{version}"])
    assert list(report) == []
    assert report.checked > 10


@pytest.mark.parametrize("version", VERSIONS)
def test_an_image_with_all_that_can_be_told_has_no_finding_even_where_should_is_must(version):
    image = ome.image(
        "cyx", (2, 64, 64), channels=["DNA", {"label": "actin", "color": "00FF00"}], version=version
    )
    spec = ome.labels(image, "nuclei", properties={1: {"area": 5}})
    report = zom.validate(spec, conventions=[f"ome/{version}"], profile="full")
    assert [problem.code for problem in report.of("error")] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_plate_with_labelled_fields_has_no_finding(version):
    field = ome.labels(ome.image("yx", (8, 8), version=version), "cells")
    sessions = [{"id": 0}, {"id": 1}]
    spec = ome.plate(30, 2, ["A/1", "AD/2"], field=field, fields=2, acquisitions=sessions)
    assert list(zom.validate(spec, conventions=[f"ome/{version}"])) == []


@given(
    shape=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    pixel=st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)),
)
def test_pixels_of_a_level_have_their_centers_amid_those_that_they_stand_for(shape, pixel):
    levels = levels_of("yx", shape, pixel, halved="yx", levels=4)
    for axis in range(2):
        centers = pixel[axis] * np.arange(shape[axis])
        for before, level in itertools.pairwise(levels):
            if before.shape[axis] > 1:
                even = centers[: 2 * (len(centers) // 2)].reshape(-1, 2).mean(axis=1)
            else:
                even = centers
            centers = level.translation[axis] + level.scale[axis] * np.arange(level.shape[axis])
            np.testing.assert_allclose(centers[: len(even)], even)


def test_a_length_that_is_odd_is_rounded_up():
    spec = ome.image("yx", (5, 3), levels=3)
    assert [member.shape for member in spec.members.values()] == [(5, 3), (3, 2), (2, 1)]


def test_levels_end_where_nothing_is_left_to_halve():
    assert len(ome.image("yx", (2, 1), levels=9).members) == 2


def test_levels_end_at_1024_where_nobody_says_how_many():
    spec = ome.image("cyx", (5000, 3000, 1025))
    assert [member.shape for member in spec.members.values()] == [
        (5000, 3000, 1025),
        (5000, 1500, 513),
        (5000, 750, 257),
    ]


def test_time_and_channels_are_not_halved():
    spec = ome.image("tcyx", (8, 4, 8, 8), levels=2)
    assert spec.members["1"].shape == (8, 4, 4, 4)


def test_only_the_axes_that_are_named_are_halved():
    spec = ome.image("zyx", (8, 8, 8), levels=2, halved="yx")
    assert spec.members["1"].shape == (8, 4, 4)
    scale = spec.attributes["ome"]["multiscales"][0]["datasets"][1]["coordinateTransformations"][0]
    assert scale == {"type": "scale", "scale": [1.0, 2.0, 2.0]}


@pytest.mark.parametrize("version", VERSIONS)
def test_factors_are_by_axis_and_by_level(version):
    spec = ome.image(
        "zyx",
        (8, 30, 31),
        factors=[{"y": 3, "x": 3}, {"z": 2, "y": 2, "x": 2}],
        version=version,
        translation={"y": 5},
    )
    assert [tuple(member.shape) for member in spec.members.values()] == [(8, 30, 31), (8, 10, 11), (4, 5, 6)]
    metadata = spec.attributes["multiscales"] if version == "0.4" else spec.attributes["ome"]["multiscales"]
    (*_, last) = metadata[0]["datasets"]
    steps = last["coordinateTransformations"]
    steps = steps[0]["transformations"] if version == "0.6" else steps
    assert [step[step["type"]] for step in steps] == [[2.0, 6.0, 6.0], [0.5, 7.5, 2.5]]
    assert list(zom.validate(spec, conventions=[f"ome/{version}"])) == []


def test_levels_by_stride_are_not_moved():
    spec = ome.image("yx", (8, 8), levels=3, method="stride")
    for dataset in spec.attributes["ome"]["multiscales"][0]["datasets"]:
        assert [step["type"] for step in dataset["coordinateTransformations"]] == ["scale"]


@pytest.mark.parametrize(("method", "of_labels"), [("local mean", "mode"), ("stride", "stride")])
def test_labels_say_how_their_levels_are_made_where_they_stand(method, of_labels):
    spec = ome.labels(ome.image("yx", (8, 8), levels=2, method=method), "cells")
    (image,) = spec.attributes["ome"]["multiscales"]
    (label,) = spec.members["labels"].members["cells"].attributes["ome"]["multiscales"]
    assert label["type"] == of_labels
    assert label["datasets"] == image["datasets"]


def test_shards_of_small_levels_are_no_longer_than_these():
    spec = ome.image("yx", (4000, 3000), levels=5, chunks=(512, 512), shards=(2048, 2048))
    grids = [member.chunk_grid["configuration"]["chunk_shape"] for member in spec.members.values()]
    assert grids == [[2048, 2048], [2048, 1536], [1024, 1024], [500, 375], [250, 188]]
    assert list(zom.validate(spec, conventions=["ome/0.5"])) == []


def test_in_0_6_a_level_has_a_scale_or_a_sequence_with_its_ends():
    spec = ome.image("yx", (8, 8), scale=(0.5, 0.5), levels=2, version="0.6")
    ends = [{"input": {"path": path}, "output": {"name": "physical"}} for path in "01"]
    assert transformation(spec, 0) == {"type": "scale", "scale": [0.5, 0.5], **ends[0]}
    assert transformation(spec, 1) == {
        "type": "sequence",
        **ends[1],
        "transformations": [
            {"type": "scale", "scale": [1.0, 1.0]},
            {"type": "translation", "translation": [0.25, 0.25]},
        ],
    }


def test_in_0_4_arrays_are_of_zarr_v2_with_nested_chunks():
    spec = ome.image("yx", (8, 8), levels=1, version="0.4")
    assert (spec.members["0"].zarr_format, spec.members["0"].dimension_separator) == (2, "/")
    assert spec.attributes["multiscales"][0]["version"] == "0.4"


def test_what_else_is_given_goes_to_the_arrays():
    spec = ome.image("yx", (64, 64), chunks=(32, 32), compress="gzip:1", fill_value=7, levels=1)
    array = spec.members["0"]
    assert array.fill_value == 7
    assert "gzip" in {codec["name"] for codec in array.codecs}


def test_a_channel_is_shown_from_0_to_the_greatest_value_of_its_data_type():
    omero = ome.image("cyx", (1, 8, 8), channels=["DNA"], dtype="uint8").attributes["ome"]["omero"]
    assert omero["channels"][0]["window"] == {"min": 0, "max": 255, "start": 0, "end": 255}


def test_labels_have_one_plane_for_all_channels():
    spec = ome.labels(ome.image("cyx", (3, 8, 8), levels=2), "nuclei")
    assert [member.shape for member in spec.members["labels"].members["nuclei"].members.values()] == [
        (1, 8, 8),
        (1, 4, 4),
    ]


def test_further_labels_are_listed_beside_those_that_are_there():
    spec = ome.labels(ome.labels(ome.image("yx", (8, 8)), "nuclei"), "cells")
    assert spec.members["labels"].attributes["ome"]["labels"] == ["nuclei", "cells"]


def test_the_same_labels_again_take_the_place_of_those_that_were_there():
    spec = ome.labels(ome.labels(ome.image("yx", (8, 8)), "cells"), "cells", dtype="uint8")
    assert spec.members["labels"].attributes["ome"]["labels"] == ["cells"]
    assert spec.members["labels"].members["cells"].members["0"].data_type == "uint8"


def test_a_field_can_differ_from_well_to_well():
    made = ome.plate(
        1, 2, field=lambda well, number: ome.image("yx", (8, 8), name=f"{well} {number}"), fields=2
    )
    names = [
        made.members["A"].members[column].members[number].attributes["ome"]["multiscales"][0]["name"]
        for column in "12"
        for number in "01"
    ]
    assert names == ["A/1 0", "A/1 1", "A/2 0", "A/2 1"]


def test_rows_go_on_with_two_letters_after_z():
    rows = ome.plate(28, 1, ["A/1"], field=ome.image("yx", (8, 8))).attributes["ome"]["plate"]["rows"]
    assert [row["name"] for row in rows[24:]] == ["Y", "Z", "AA", "AB"]


WRONG = {
    "axes: expected t, c, z, y or x, got 'q'; pass its type: types={'q': ...}": lambda: ome.image(
        "qyx", (1, 2, 3)
    ),
    "axes: expected different names, got 'yyx'": lambda: ome.image("yyx", (1, 2, 3)),
    "axes: expected time, then a channel, then two or three spatial axes, got channel, time, space, space": (
        lambda: ome.image("ctyx", (1, 2, 3, 4))
    ),
    "axes: expected at most one time, one channel and three spatial axes, got ['t', 'q', 'y', 'x']": (
        lambda: ome.image("tqyx", (1, 1, 2, 3), types={"q": "time"})
    ),
    "shape: expected 2 lengths, one for each axis, got 3": lambda: ome.image("yx", (1, 2, 3)),
    "scale: expected 2 numbers, one for each axis, got 1": lambda: ome.image("yx", (2, 3), scale=[1]),
    "scale: expected the name of an axis, y, x, got 'z'": lambda: ome.image("yx", (2, 3), scale={"z": 1}),
    "halved: expected the names of axes, y, x, got 'z'": lambda: ome.image("yx", (2, 3), halved="z"),
    "factors: expected the names of axes, y, x, got 'z'": lambda: ome.image("yx", (2, 3), factors={"z": 2}),
    "halved: expected none if factors are given": lambda: ome.image(
        "yx", (2, 3), halved="y", factors={"y": 2}
    ),
    "translation: expected the name of an axis, y, x, got 'z'": lambda: ome.image(
        "yx", (2, 3), translation={"z": 2}
    ),
    "levels: expected 1 or more, got 0": lambda: ome.image("yx", (2, 3), levels=0),
    "channels: expected 2, the length of the axis c, got 1": (
        lambda: ome.image("cyx", (2, 3, 4), channels=["DNA"])
    ),
    "wells: expected a row, a slash and a column, such as A/1, got 'C/1'": (
        lambda: ome.plate(2, 2, ["C/1"], field=ome.image("yx", (2, 2)))
    ),
    "wells: expected at least one, got none": lambda: ome.plate(2, 2, [], field=ome.image("yx", (2, 2))),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_cannot_be_built_is_told(message):
    with pytest.raises(ValueError) as caught:
        WRONG[message]()
    assert str(caught.value) == message
