"""multiscales: pyramids that are built, and layouts of any form."""

from __future__ import annotations

import pytest

import zom
from zom import v2, v3
from zom.conventions import multiscales
from zom.conventions.multiscale_layout import arrays_of, levels_of, sources_of
from zom.formats.node_view import attributes_node, spec_tree

WKT2 = 'PROJCRS["x",BASEGEOGCRS["y"],ID["EPSG",32632]]'
PLACED = [10.0, 0.0, 500000.0, 0.0, -10.0, 5000650.0]


def array(*shape, dims=("y", "x")):
    return v3.ArraySpec.build(shape=shape, dtype="uint8", dimension_names=dims)


def shapes(spec):
    return {
        name: {key: each.shape for key, each in group.members.items()} for name, group in spec.members.items()
    }


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"levels": 1},
        {"levels": 4, "factor": 3},
        {"levels": 3, "transform": PLACED},
        {"transform": PLACED, "crs": {"code": "EPSG:32632", "wkt2": WKT2}, "resampling_method": "average"},
        {"crs": {"wkt2": WKT2}, "names": ["full", "half"]},
        {
            "levels": 3,
            "factor": (2, 5),
            "transform": [8.0, -6.0, 0.0, 6.0, -8.0, 0.0],
            "attributes": {"title": "t"},
        },
    ],
)
@pytest.mark.parametrize("profile", ["text", "schema", "strict", "full"])
def test_what_is_built_has_no_finding(options, profile):
    arrays = {
        "red": array(3, 65, 48, dims=("band", "y", "x")),
        "y": array(65, dims=("y",)),
        "band": array(3, dims=("band",)),
    }
    report = zom.validate(multiscales.group(arrays, **options), profile=profile)
    assert [str(problem) for problem in report] == []
    assert "multiscales/v0.1" in [found.convention for found in report.conventions]


def test_what_is_left_over_becomes_a_cell():
    spec = multiscales.group({"a": array(65, 9)}, levels=3)
    assert shapes(spec) == {"0": {"a": (65, 9)}, "1": {"a": (33, 5)}, "2": {"a": (17, 3)}}


def test_arrays_without_the_two_dimensions_stay_as_they_are():
    spec = multiscales.group(
        {"a": array(8, 8), "t": array(5, dims=("time",)), "x": array(8, dims=("x",))}, levels=2
    )
    assert shapes(spec)["1"] == {"a": (4, 4), "t": (5,), "x": (4,)}


def test_each_level_says_itself_where_it_is_as_a_group_speaks_for_its_own_arrays_only():
    spec = multiscales.group({"a": array(8, 6)}, transform=PLACED, crs={"code": "EPSG:32632", "wkt2": WKT2})
    level = spec.members["1"].attributes
    assert level["spatial:transform"] == [20.0, 0.0, 500000.0, 0.0, -20.0, 5000650.0]
    assert (level["spatial:shape"], level["proj:code"]) == ([4, 3], "EPSG:32632")
    assert [entry["name"] for entry in level["zarr_conventions"]] == ["spatial", "proj"]


def test_the_bounding_box_is_that_of_the_finest_level():
    spec = multiscales.group({"a": array(65, 48)}, transform=PLACED)
    assert spec.attributes["spatial:bbox"] == [500000.0, 5000000.0, 500480.0, 5000650.0]


def test_factors_are_first_that_of_y():
    spec = multiscales.group({"a": array(8, 9)}, factor=(2, 3))
    assert spec.attributes["multiscales"]["layout"][1]["transform"] == {"scale": [2.0, 3.0]}
    assert shapes(spec)["1"] == {"a": (4, 3)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"levels": 0}, "levels: expected one or more levels with different names, got []"),
        ({"names": ["a", "a"]}, "levels: expected one or more levels with different names, got ['a', 'a']"),
        ({"factor": 0}, "factor: expected one or two positive integers, got 0"),
        ({"factor": (2, 2, 2)}, "factor: expected one or two positive integers, got (2, 2, 2)"),
        ({"transform": [1, 2]}, "transform: expected six numbers [a, b, c, d, e, f], got [1, 2]"),
        ({"crs": {"epsg": 4326}}, "crs: expected any of code, wkt2 and projjson, got epsg"),
        ({"crs": {}}, "crs: expected any of code, wkt2 and projjson, got none"),
        (
            {"dimensions": ("lat", "lon")},
            "arrays: expected arrays with the dimensions ('lat', 'lon'), all of the same lengths, got none",
        ),
    ],
)
def test_what_can_not_be_built_is_refused(arguments, message):
    with pytest.raises(ValueError) as refused:
        multiscales.group({"a": array(8, 8)}, **arguments)
    assert str(refused.value) == message


def test_arrays_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"all of the same lengths, got a \(8, 8\), b \(4, 4\)"):
        multiscales.group({"a": array(8, 8), "b": array(4, 4)})


def test_a_layout_of_any_form_is_read_as_far_as_it_goes():
    for layout in (None, 7, {}, [None, 7, []], "0"):
        assert levels_of(attributes_node({"multiscales": {"layout": layout}})) == []
    assert levels_of(attributes_node({"multiscales": []})) == []


def test_a_level_that_is_its_own_source_has_none():
    levels = levels_of(attributes_node({"multiscales": {"layout": [{"asset": "0", "derived_from": "0"}]}}))
    assert list(sources_of(levels)) == []


def test_the_arrays_of_a_level_are_its_own_or_those_in_its_group():
    root = spec_tree(v3.GroupSpec(members={"a": array(2, 2), "g": v3.GroupSpec(members={"v": array(2, 2)})}))
    (level,) = levels_of(attributes_node({"multiscales": {"layout": [{"asset": "g"}]}}))
    assert list(arrays_of(root, level)) == ["v"]
    assert list(arrays_of(root, level._replace(entry={"asset": "a"}))) == [""]
    assert arrays_of(root, level._replace(entry={"asset": "b"})) == {}


def test_in_v2_the_key_is_ome_zarrs():
    spec = v2.GroupSpec(attributes={"multiscales": {"layout": [{"asset": "0"}]}}, members={})
    assert "multiscales/v0.1" not in [found.convention for found in zom.validate(spec).conventions]


def test_levels_that_were_not_read_are_not_missing():
    attributes = multiscales.multiscales([{"asset": "0"}, {"asset": "1"}])
    report = zom.validate(v3.GroupSpec(attributes=attributes))
    assert [problem.code for problem in report] == []
    (count,) = (each for each in report.rules if each.code == "multiscales/asset-exists")
    assert (count.passed, count.failed) == (0, 0)


def layout(*pairs):
    entries = [{"asset": asset, "derived_from": source, "transform": {}} for asset, source in pairs]
    return {"zarr_format": 3, "node_type": "group", "attributes": {"multiscales": {"layout": entries}}}


def rings(*pairs):
    report = zom.validate(layout(*pairs), conventions=["multiscales"])
    return [each.found for each in report if each.code == "multiscales/acyclic"]


def test_each_ring_is_told_once_and_not_what_leads_there():
    assert rings(("0", "1"), ("1", "0"), ("2", "1"), ("3", "3"), ("4", "2")) == [
        '"0" from "1" from "0"',
        '"3" from "3"',
    ]


def test_of_levels_with_one_asset_no_ring_is_told():
    assert rings(("0", "1"), ("1", "0"), ("0", "2")) == []


def test_a_long_ring_is_told_without_its_middle():
    found = rings(*((str(number), str((number + 1) % 3000)) for number in range(3000)))
    assert len(found) == 1
    assert found[0].startswith('"0" from "1" from "2" from')
    assert found[0].endswith('"12" from ... from "0"')
    assert max(map(len, found)) < 300
