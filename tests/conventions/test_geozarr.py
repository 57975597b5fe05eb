"""GeoZarr: rules on what two conventions say together, which don't apply where one of them says nothing."""

from __future__ import annotations

import zom
from zom import v3
from zom.conventions import multiscales
from zom.conventions.spatial.attributes import PUBLISHED as SPATIAL

PLACED = [10.0, 0.0, 500000.0, 0.0, -10.0, 5000000.0]


def pyramid(**options):
    array = v3.ArraySpec.build(shape=(8, 8), dtype="uint8", dimension_names=("y", "x"))
    return multiscales.group({"a": array}, **options)


def judged(report):
    return {each.code: each.passed + each.failed for each in report.rules if each.code.startswith("geozarr/")}


def test_it_is_found_where_multiscales_and_spatial_meet():
    assert "geozarr" in [found.convention for found in zom.validate(pyramid(transform=PLACED)).conventions]
    assert "geozarr" not in [found.convention for found in zom.validate(pyramid()).conventions]


def test_asked_for_where_one_of_the_two_is_absent_nothing_is_judged_and_nothing_is_wrong():
    report = zom.validate(pyramid(), conventions=["geozarr"])
    assert list(report) == []
    assert set(judged(report).values()) == {0}


def test_all_its_rules_are_judged_on_a_pyramid_in_its_place():
    assert set(judged(zom.validate(pyramid(transform=PLACED), conventions=["geozarr"])).values()) == {1}


def test_a_scale_of_a_third_is_rounded():
    attributes = {
        "zarr_conventions": [SPATIAL.declaration],
        "multiscales": {
            "layout": [
                {"asset": "30m", "spatial:transform": [0.000277778, 0, -180, 0, -0.000277778, 90]},
                {
                    "asset": "10m",
                    "derived_from": "30m",
                    "transform": {"scale": [0.333, 0.333]},
                    "spatial:transform": [0.000092593, 0, -180, 0, -0.000092593, 90],
                },
            ]
        },
    }
    report = zom.validate(v3.GroupSpec(attributes=attributes, members={}), conventions=["geozarr"])
    own = {problem.code for problem in report if problem.code.startswith("geozarr/")}
    assert own == {"geozarr/level-placed"}
