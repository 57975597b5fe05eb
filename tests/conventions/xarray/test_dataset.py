"""Datasets built for xarray: what stands in their documents. That xarray opens them, interop shows."""

from __future__ import annotations

import math

import pytest

import zom
from zom import v2, v3
from zom.conventions.xarray import Variable, dataset
from zom.errors import SpecError

NAN = "AAAAAAAA+H8="
FORMATS = pytest.mark.parametrize("zarr_format", [2, 3])


def one(variable: Variable, zarr_format: int = 3):
    return dataset({"x": 4, "y": 2}, {"v": variable}, zarr_format=zarr_format).members["v"]


@FORMATS
def test_what_is_built_validates_without_a_finding(zarr_format: int) -> None:
    spec = dataset(
        {"time": 4, "lat": 2},
        {
            "t": Variable(("time", "lat"), "int16", scale_factor=0.1, add_offset=273, missing=-1, units="K"),
            "name": Variable("lat", "str"),
            "flag": Variable("time", "bool"),
        },
        coordinates={
            "time": Variable("time", "int64", units="days since 2000-01-01", calendar="noleap"),
            "lat": Variable("lat", "float64", missing=math.nan),
            "zone": Variable("lat", "int8"),
            "run": Variable((), "int32"),
        },
        groups={"below": dataset({"time": 4}, {"u": Variable("time", "complex64")}, zarr_format=zarr_format)},
        zarr_format=zarr_format,
    )
    assert list(zom.validate(spec, conventions=["xarray"])) == []


def test_the_mask_of_floats_is_base64_in_v3() -> None:
    assert one(Variable("x", "float32", missing=math.nan)).attributes == {"_FillValue": NAN}


def test_the_mask_of_integers_is_a_number_in_v3() -> None:
    assert one(Variable("x", "int16", missing=-1)).attributes == {"_FillValue": -1}


def test_the_mask_of_complex_numbers_is_two_texts_in_v3() -> None:
    found = one(Variable("x", "complex64", missing=complex(math.nan, math.nan)))
    assert found.attributes == {"_FillValue": [NAN, NAN]}


def test_chunks_that_were_never_written_are_missing() -> None:
    assert one(Variable("x", "int16", missing=-1)).fill_value == -1


def test_the_mask_is_fill_value_in_v2() -> None:
    found = one(Variable("x", "int16", missing=-1), 2)
    assert (found.fill_value, found.attributes) == (-1, {"_ARRAY_DIMENSIONS": ["x"]})


def test_nothing_is_masked_in_v2_where_no_value_is_missing() -> None:
    assert one(Variable("x", "int16"), 2).fill_value is None


def test_a_whole_factor_is_written_with_a_fraction() -> None:
    found = one(Variable("x", "int16", scale_factor=2)).attributes["scale_factor"]
    assert isinstance(found, float)


def test_chunks_are_given_by_dimension() -> None:
    found = one(Variable(("x", "y"), "int8", chunks={"y": 1}))
    assert found.chunk_grid["configuration"] == {"chunk_shape": [4, 1]}


def test_coordinates_beside_indexes_are_named_where_their_dimensions_are() -> None:
    spec = dataset(
        {"x": 4, "y": 2},
        {"v": Variable(("x", "y"), "int8"), "w": Variable("x", "int8")},
        coordinates={"b": Variable("y", "int8"), "a": Variable("x", "int8"), "x": Variable("x", "int8")},
    )
    assert {name: spec.members[name].attributes.get("coordinates") for name in ("v", "w")} == {
        "v": "a b",
        "w": "a",
    }


def test_coordinates_of_no_variable_are_named_by_the_group() -> None:
    spec = dataset({"x": 4}, {}, coordinates={"a": Variable("x", "int8"), "x": Variable("x", "int8")})
    assert spec.attributes == {"coordinates": "a"}


def test_coordinates_that_a_variable_names_itself_stay() -> None:
    variables = {"v": Variable("x", "int8", attributes={"coordinates": "a"})}
    coordinates = {"a": Variable("x", "int8"), "b": Variable("x", "int8")}
    assert dataset({"x": 4}, variables, coordinates=coordinates).members["v"].attributes == {
        "coordinates": "a"
    }


def test_the_format_is_that_of_the_group() -> None:
    built = dataset({}, {}), dataset({}, {}, zarr_format=2)
    assert tuple(map(type, built)) == (v3.GroupSpec, v2.GroupSpec)


def test_a_dimension_without_a_length_is_refused_with_a_near_one() -> None:
    with pytest.raises(SpecError) as caught:
        dataset({"time": 4}, {"v": Variable("tim", "int8")})
    expected = (
        '/v: dimension_names[0]: expected a dimension among "time", found "tim"; did you mean \'time\'?'
    )
    assert str(caught.value.problems[0]) == expected


def test_a_mask_that_xarray_cannot_decode_is_refused() -> None:
    with pytest.raises(SpecError) as caught:
        one(Variable("x", "str", missing="none"))
    message = (
        "/v: attributes._FillValue: expected no missing value, as xarray cannot decode one for this data type in "
        'Zarr v3, found "none"; leave it out'
    )
    assert str(caught.value.problems[0]) == message


def test_a_group_below_of_another_length_is_refused() -> None:
    below = dataset({"x": 5}, {"v": Variable("x", "int8")})
    with pytest.raises(SpecError) as caught:
        dataset({"x": 4}, {"v": Variable("x", "int8")}, groups={"below": below})
    assert [problem.code for problem in caught.value.problems] == ["xarray/tree-align"]


def test_units_that_xarray_cannot_decode_are_refused() -> None:
    with pytest.raises(SpecError) as caught:
        one(Variable("x", "int64", units="weeks since 2000-01-01"))
    assert [problem.code for problem in caught.value.problems] == ["xarray/time-units"]


def test_shards_are_refused_in_v2() -> None:
    with pytest.raises(SpecError, match="expected none, as Zarr v2 has no shards, found 4"):
        one(Variable("x", "int8", shards=4), 2)


def test_a_name_given_to_a_variable_and_a_coordinate_is_refused() -> None:
    with pytest.raises(SpecError, match=r'expected unique names of variables, .*, found "x"'):
        dataset({"x": 4}, {"x": Variable("x", "int8")}, coordinates={"x": Variable("x", "int8")})
