"""xarray's convention: its conformance cases, where it is found, and what it builds.

What xarray itself does is asked in tests/interop/conventions_xarray.py.
"""

from __future__ import annotations

import pytest

import zom
from zom import v2, v3


def array(*names: str, zarr_format: int = 3, **facts: object):
    build = (v3 if zarr_format == 3 else v2).ArraySpec.build
    return build(shape=(2,) * len(names), dtype="int8", dimension_names=names, **facts)


def found(spec: object) -> list[str]:
    return [each.convention for each in zom.validate(spec).conventions if each.convention == "xarray"]


def codes(subject: object, **choices: object) -> list[str]:
    return [problem.code for problem in zom.validate(subject, conventions=["xarray"], **choices)]


def test_a_group_with_a_coordinate_variable_is_found_to_be_xarrays() -> None:
    assert found(v3.GroupSpec(members={"x": array("x"), "v": array("x")})) == ["xarray"]


def test_a_group_with_an_array_that_names_coordinates_is_found_to_be_xarrays() -> None:
    assert found(v3.GroupSpec(members={"v": array("x", attributes={"coordinates": "lat"})})) == ["xarray"]


def test_a_group_of_v2_arrays_that_name_dimensions_is_found_to_be_xarrays() -> None:
    assert found(v2.GroupSpec(members={"v": array("x", zarr_format=2)})) == ["xarray"]


def test_names_of_all_dimensions_make_a_dataset_of_a_v3_group() -> None:
    assert found(v3.GroupSpec(members={"0": array("y", "x"), "1": array("y", "x")})) == ["xarray"]


@pytest.mark.parametrize("attributes", [{"ome": {"version": "0.5"}}, {"multiscales": []}])
def test_the_levels_of_an_image_are_no_dataset(attributes: dict[str, object]) -> None:
    assert found(v3.GroupSpec(attributes=attributes, members={"x": array("x")})) == []


def test_the_levels_of_an_image_are_checked_where_xarray_is_asked_for() -> None:
    spec = v3.GroupSpec(
        attributes={"multiscales": []},
        members={"0": array("x"), "1": v3.ArraySpec.build(shape=(1,), dtype="int8", dimension_names=("x",))},
    )
    assert codes(spec) == ["xarray/dim-sizes"]


def test_arrays_without_names_are_told_of_where_xarray_is_asked_for() -> None:
    spec = v3.GroupSpec(members={"v": v3.ArraySpec.build(shape=(2,), dtype="int8")})
    assert codes(spec) == ["xarray/dims-present"]


def test_warnings_are_errors_in_the_full_profile() -> None:
    spec = v3.GroupSpec(members={"v": array("x", attributes={"coordinates": "latt"})})
    assert [problem.severity for problem in zom.validate(spec, conventions=["xarray"], profile="full")] == [
        "error"
    ]


@pytest.mark.parametrize(
    ("units", "message"),
    [
        (
            "weeks since 2000-01-01",
            (
                "/t: attributes.units: expected '<unit> since <date>', as in 'days since 2000-01-01', "
                'found "weeks since 2000-01-01"; write units such as "days since 2000-01-01"'
            ),
        ),
        (
            "days since 2000-13-01",
            (
                "/t: attributes.units: expected a date whose month is 1 to 12, "
                'found "days since 2000-13-01"; write units such as "days since 2000-01-01"'
            ),
        ),
    ],
)
def test_units_that_are_not_read_are_told_of_in_words(units: str, message: str) -> None:
    spec = v3.GroupSpec(members={"t": array("t", attributes={"units": units})})
    assert [str(problem) for problem in zom.validate(spec, conventions=["xarray"])] == [message]


def test_a_calendar_that_is_not_known_is_told_of_with_a_near_one() -> None:
    attributes = {"units": "days since 2000-01-01", "calendar": "gregorain"}
    spec = v3.GroupSpec(members={"t": array("t", attributes=attributes)})
    (problem,) = zom.validate(spec, conventions=["xarray"])
    assert problem.fix == "did you mean 'gregorian'?"


def test_a_group_below_is_held_to_the_nearest_group_that_has_the_dimension() -> None:
    def sized(length: int) -> v3.ArraySpec:
        return v3.ArraySpec.build(shape=(length,), dtype="int8", dimension_names=("x",))

    lowest = v3.GroupSpec(members={"v": sized(4)})
    middle = v3.GroupSpec(members={"v": sized(4), "lowest": lowest})
    spec = v3.GroupSpec(members={"v": sized(3), "middle": middle})
    report = zom.validate(spec, conventions=["xarray"])
    assert [(p.node, p.related) for p in report] == [("/middle/v", ("/v",))]
