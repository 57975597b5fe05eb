"""The transformations of OME-Zarr 0.6: numbers of axes, rotations, references, and what is deep or large."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom
from zom.conventions import ome
from zom.conventions.ome.transformations_shape import Piece, given_axes, pieces, rotation_faults

AXES = [
    {"name": "y", "type": "space", "unit": "micrometer"},
    {"name": "x", "type": "space", "unit": "micrometer"},
]


def image(*transformations, axes=AXES):
    """An image with a second coordinate system, and transformations to it."""
    spec = ome.image("yx", (8, 8), levels=1, version="0.6")
    attributes = json.loads(json.dumps(spec.attributes))
    metadata = attributes["ome"]["multiscales"][0]
    metadata["coordinateSystems"].append({"name": "other", "axes": axes})
    ends = {"input": {"name": "physical"}, "output": {"name": "other"}}
    metadata["coordinateTransformations"] = [{**each, **ends} for each in transformations]
    return spec.replace(attributes=attributes)


def errors(spec, **options):
    return [problem.code for problem in zom.validate(spec, conventions=["ome/0.6"], **options).of("error")]


def rotation(angles, size):
    """A matrix that turns each plane of two neighbouring axes."""
    matrix = np.eye(size)
    for place, angle in enumerate(angles[: size - 1]):
        turn = np.eye(size)
        turn[place : place + 2, place : place + 2] = [
            [math.cos(angle), -math.sin(angle)],
            [math.sin(angle), math.cos(angle)],
        ]
        matrix = matrix @ turn
    return matrix


ANGLES = st.lists(st.floats(-math.pi, math.pi), min_size=4, max_size=4)


@given(ANGLES, st.integers(2, 5), st.integers(4, 16))
def test_every_rotation_is_one_with_four_digits_or_more(angles, size, digits):
    matrix = rotation(angles, size).round(digits).tolist()
    assert list(rotation_faults(Piece((), {"type": "rotation", "rotation": matrix}, size, size))) == []


@given(ANGLES, st.integers(2, 5), st.integers(0, 4))
def test_a_rotation_with_one_axis_turned_round_is_none(angles, size, axis):
    matrix = rotation(angles, size)
    matrix[axis % size] *= -1
    (fault,) = rotation_faults(Piece((), {"type": "rotation", "rotation": matrix.tolist()}, size, size))
    assert fault.found == "determinant -1"


@pytest.mark.parametrize(
    ("told", "axes"),
    [
        ({"type": "identity"}, 3),
        ({"type": "affine", "affine": [[1, 0, 0, 0], [0, 1, 0, 0]]}, 2),
        ({"type": "affine", "path": "matrix"}, None),
        ({"type": "projectAxis", "droppedInputs": [0], "createdOutputs": [1, 2]}, 4),
        ({"type": "coordinates", "path": "field"}, None),
        ({"type": "displacements", "path": "field"}, 3),
        (
            {
                "type": "sequence",
                "transformations": [{"type": "projectAxis", "droppedInputs": [0]}, {"type": "identity"}],
            },
            2,
        ),
        ({"type": "sequence", "transformations": [None]}, None),
        ({"type": ["scale"]}, None),
        (7, None),
    ],
    ids=str,
)
def test_the_axes_that_come_out_of_a_transformation_are_known_where_it_tells_them(told, axes):
    assert given_axes(told, 3) == axes


def test_each_transformation_of_a_sequence_takes_what_the_one_before_gives():
    told = [{"type": "projectAxis", "createdOutputs": [0]}, {"type": "affine", "affine": [[1, 0, 0, 0]]}]
    found = pieces({"type": "sequence", "transformations": told}, (), 2, 1)
    assert [(piece.inputs, piece.outputs) for piece in found] == [(2, 1), (2, None), (3, 1)]


def test_a_thousand_sequences_within_each_other_are_walked():
    told = {"type": "scale", "scale": [1, 1, 1]}
    for _ in range(1000):
        told = {"type": "sequence", "transformations": [told]}
    found = list(pieces(told, (), 2, 2))
    assert (len(found), found[-1].inputs) == (1001, 2)


def test_a_near_name_of_a_coordinate_system_is_told():
    spec = image({"type": "identity"})
    told = json.loads(json.dumps(spec.attributes).replace('"name": "physical"}}', '"name": "phisical"}}'))
    (problem,) = [
        p
        for p in zom.validate(spec.replace(attributes=told), conventions=["ome/0.6"])
        if p.code == "ome/transform-system"
    ]
    assert problem.fix == "did you mean 'physical'?"


@pytest.mark.parametrize("version", ["0.6rc0", "0.6.dev4"])
def test_a_draft_of_0_6_is_judged_as_0_6(version):
    spec = image({"type": "rotation", "rotation": [[0, 1], [1, 0]]})
    told = json.loads(json.dumps(spec.attributes).replace('"version": "0.6"', f'"version": "{version}"'))
    found = {
        (problem.code, problem.severity)
        for problem in zom.validate(spec.replace(attributes=told), conventions=["ome"])
    }
    assert found == {("ome/rotation", "error")}


def by_dimension(version, key):
    parts = [
        {key.format("input"): [place], key.format("output"): [place], "transformation": {"type": "identity"}}
        for place in (0, 1)
    ]
    spec = image({"type": "byDimension", "transformations": parts})
    text = json.dumps(spec.attributes).replace('"version": "0.6"', f'"version": "{version}"')
    return spec.replace(attributes=json.loads(text))


@pytest.mark.parametrize(
    ("version", "key"), [("0.6", "{}Axes"), ("0.6rc0", "{}Axes"), ("0.6.dev4", "{}_axes")]
)
def test_axes_of_a_by_dimension_are_called_as_the_version_has_it(version, key):
    spec = by_dimension(version, key)
    assert [str(each) for each in zom.validate(spec, conventions=["ome"])] == []
    (fault,) = [
        each
        for each in zom.validate(
            spec.replace(
                attributes=json.loads(
                    json.dumps(spec.attributes).replace(
                        f'"{key.format("output")}": [1]', f'"{key.format("output")}": [2]'
                    )
                )
            ),
            conventions=["ome"],
        )
        if each.pointer.endswith("/0")
    ]
    assert (fault.code, fault.inside[-2]) == ("ome/transform-indices", key.format("output"))


@pytest.mark.parametrize(
    ("version", "wrong", "right"),
    [("0.6", "{}_axes", "{}Axes"), ("0.6rc0", "{}_axes", "{}Axes"), ("0.6.dev4", "{}Axes", "{}_axes")],
)
def test_axes_of_a_by_dimension_are_not_called_as_another_version_has_it(version, wrong, right):
    found = zom.validate(by_dimension(version, wrong), conventions=["ome"])
    assert {each.severity for each in found} == {"error"}
    assert {each.inside[-1] for each in found} == {right.format("input"), right.format("output")}


def test_older_drafts_are_known_and_are_not_checked_as_the_newest():
    spec = ome.image("yx", (8, 8), version="0.6")
    told = json.loads(json.dumps(spec.attributes).replace('"version": "0.6"', '"version": "0.6.dev2"'))
    assert [p.code for p in zom.validate(spec.replace(attributes=told), conventions=["ome"])] == ["ome/draft"]


def test_a_negative_scale_is_an_error_of_the_schema_only():
    spec = image({"type": "scale", "scale": [-1, 1]})
    assert (errors(spec), errors(spec, profile="schema")) == ([], ["ome/scale-positive"])


def test_coordinate_systems_of_an_array_are_taken():
    spec = image(
        {"type": "scale", "scale": [2, 2]},
        axes=[{"name": "i", "type": "array"}, {"name": "j", "type": "array"}],
    )
    assert errors(spec) == []


def test_a_scene_is_judged_without_its_images_where_they_were_not_read():
    told = {
        "type": "identity",
        "input": {"name": "a", "path": "left"},
        "output": {"name": "b", "path": "right"},
    }
    spec = zom.v3.GroupSpec(
        attributes={"ome": {"version": "0.6", "scene": {"coordinateTransformations": [told]}}}
    )
    report = zom.validate(spec, conventions=["ome/0.6"])
    (reference,) = [rule for rule in report.rules if rule.code == "ome/transform-reference"]
    assert (report.ok, reference.outcome) == (True, "not applicable")
