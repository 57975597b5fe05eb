"""spatial: what a group says for the arrays in it, and the geometry of transforms."""

from __future__ import annotations

import pytest

import zom
from zom import v3
from zom.conventions.affine import Affine, affine_of, integers_of, numbers_of
from zom.conventions.spatial.attributes import PUBLISHED
from zom.conventions.spatial.extent import lengths_of
from zom.formats.node_view import spec_tree

DECLARED = {"zarr_conventions": [PUBLISHED.declaration]}
NORTH_UP = [10.0, 0.0, 500000.0, 0.0, -10.0, 5000000.0]


def array(*shape, dims=("y", "x"), **attributes):
    return v3.ArraySpec.build(shape=shape, dtype="uint8", dimension_names=dims, attributes=attributes)


def group(members, **attributes):
    return v3.GroupSpec(attributes={**DECLARED, **attributes}, members=members)


def codes(spec, profile="text"):
    return [
        (problem.code, problem.node)
        for problem in zom.validate(spec, conventions=["spatial"], profile=profile)
    ]


def said(name, value):
    return {f"spatial:{name}": value}


def test_a_group_speaks_for_the_arrays_right_in_it_that_have_both_dimensions():
    attributes = said("dimensions", ["y", "x"]) | said("shape", [8, 6])
    members = {"red": array(8, 6), "y": array(8, dims=("y",)), "mask": array(8, 6, 2, dims=("y", "x", "n"))}
    assert codes(group(members, **attributes)) == []
    assert codes(group({**members, "blue": array(8, 7)}, **attributes)) == [("spatial/shape-of-array", "/")]


def test_a_group_does_not_speak_for_the_arrays_of_groups_in_it():
    attributes = said("dimensions", ["y", "x"]) | said("shape", [8, 6])
    assert codes(group({"g": v3.GroupSpec(members={"red": array(3, 3)})}, **attributes)) == []


def test_an_array_that_declares_spatial_itself_is_not_spoken_for():
    own = array(4, 4, **DECLARED, **said("dimensions", ["y", "x"]), **said("transform", NORTH_UP))
    attributes = said("dimensions", ["y", "x"]) | said("shape", [8, 6])
    assert codes(group({"own": own, "red": array(8, 6)}, **attributes)) == []


def test_a_group_may_have_a_bounding_box_alone():
    assert codes(group({"red": array(8, 6)}, **said("bbox", [0, 0, 1, 1])), "schema") == []


def test_arrays_of_a_group_need_no_dimensions_of_their_own():
    assert (
        codes(group({"red": array(8, 6)}, **said("dimensions", ["y", "x"]), **said("transform", NORTH_UP)))
        == []
    )


def test_x_may_be_stored_before_y():
    own = array(
        6, 8, dims=("x", "y"), **DECLARED, **said("dimensions", ["y", "x"]), **said("transform", NORTH_UP)
    )
    assert codes(own.replace(attributes={**own.attributes, "spatial:shape": [8, 6]})) == []


def test_half_a_cell_is_rounding_and_more_is_not():
    own = {**DECLARED, **said("dimensions", ["y", "x"]), **said("transform", NORTH_UP)}
    near, far = [500004.0, 4999920.0, 500060.0, 5000000.0], [500006.0, 4999920.0, 500060.0, 5000000.0]
    assert codes(array(8, 6, **own, **said("bbox", near))) == []
    assert codes(array(8, 6, **own, **said("bbox", far))) == [("spatial/bbox-extent", "/")]


def test_a_transform_of_another_type_is_not_compared():
    own = {**DECLARED, **said("dimensions", ["y", "x"]), **said("transform_type", "rpc")}
    assert codes(array(8, 6, **own, **said("bbox", [0, 0, 1, 1]))) == [("spatial/transform-known", "/")]


def test_the_shape_is_stated_by_the_schema_to_be_positive_and_not_by_the_text():
    own = array(
        0,
        6,
        **DECLARED,
        **said("dimensions", ["y", "x"]),
        **said("transform", NORTH_UP),
        **said("shape", [0, 6]),
    )
    assert codes(own) == []
    assert codes(own, "schema") == [("spatial/shape-positive", "/")]


@pytest.mark.parametrize(
    ("dims", "dimensions", "lengths"),
    [
        (("band", "y", "x"), ["y", "x"], (8, 6)),
        (("band", "x", "y"), ["y", "x"], (6, 8)),
        (("band", "y", None), ["y", "x"], None),
        (None, ["y", "x"], None),
        (("band", "y", "x"), ["y"], None),
        (("band", "y", "x"), "yx", None),
        (("band", "y", "x"), [["y"], {}], None),
    ],
)
def test_the_lengths_are_those_of_y_and_x_by_name(dims, dimensions, lengths):
    assert lengths_of(spec_tree(array(3, 8, 6, dims=dims)), dimensions) == lengths


@pytest.mark.parametrize(
    "value", [None, 7, "1", {}, [1, None], [1, True], [1, "2"], [10**400], [float("inf")], [float("nan")]]
)
def test_what_is_no_list_of_finite_numbers_is_none(value):
    assert numbers_of(value) is None


def test_numbers_are_counted_and_may_have_to_be_whole():
    assert (numbers_of([1, 2], 3), integers_of([1, 2.5], 2), affine_of([1] * 5)) == (None, None, None)


def test_the_extent_of_a_rotated_grid_is_that_of_its_corners():
    extent = Affine(8.660254, -5.0, 500000.0, 5.0, -8.660254, 5000080.0).extent(8, 8)
    assert extent == pytest.approx((499960.0, 5000010.717968, 500069.282032, 5000120.0))
