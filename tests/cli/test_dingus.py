"""`zom dingus`: the verdicts that OME's conformance suite asks for."""

from __future__ import annotations

import json

import pytest

import zom
from zom.cli.main import main
from zom.conventions import ome
from zom.hierarchy.check.validate import validate_attributes

IMAGE = ome.image("yx", (8, 8), levels=1, version="0.6")


def verdict(capsys, *arguments):
    code = main(["dingus", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert set(found) == {"valid", "message"}
    return found["valid"], found["message"]


@pytest.fixture
def attributes(tmp_path):
    def written(value):
        path = tmp_path / "attributes.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    return written


@pytest.mark.parametrize("version", ["0.4", "0.5", "0.6"])
def test_attributes_of_an_image_are_valid(attributes, capsys, version):
    spec = ome.image("yx", (8, 8), levels=1, version=version)
    assert verdict(capsys, "attributes", attributes(dict(spec.attributes))) == (True, "")


def test_what_the_runner_tells_of_itself_is_passed_over(attributes, capsys):
    told = {**IMAGE.attributes, "_conformance": {"valid": False}}
    assert verdict(capsys, "attributes", attributes(told))[0]


def test_rules_that_need_other_nodes_are_not_asked_of_attributes(attributes, capsys):
    told = json.loads(json.dumps(IMAGE.attributes))
    told["ome"]["multiscales"][0]["datasets"][0]["path"] = "nowhere"
    told["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]["input"]["path"] = "nowhere"
    assert verdict(capsys, "attributes", attributes(told), "--profile", "text")[0]


def test_attributes_that_break_a_rule_are_not_valid(attributes, capsys):
    told = json.loads(json.dumps(IMAGE.attributes))
    del told["ome"]["multiscales"][0]["coordinateSystems"]
    valid, message = verdict(capsys, "attributes", attributes(told))
    assert not valid
    assert message.startswith("ome/coordinate-systems: ome.multiscales[0].coordinateSystems: expected")


def test_a_breach_of_should_is_valid_and_told(attributes, capsys):
    told = json.loads(json.dumps(IMAGE.attributes))
    del told["ome"]["multiscales"][0]["name"]
    assert verdict(capsys, "attributes", attributes(told)) == (True, "no errors, 1 warning or note")
    assert not verdict(capsys, "attributes", attributes(told), "--profile", "full")[0]


def test_the_verdict_of_the_text_differs_where_the_schemas_say_less(attributes, capsys):
    told = {"ome": {"version": "0.6", "plate": {
        "rows": [{"name": "1"}], "columns": [{"name": "A"}],
        "wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}],
    }}}  # fmt: skip
    assert verdict(capsys, "attributes", attributes(told))[0]
    assert not verdict(capsys, "attributes", attributes(told), "--profile", "text")[0]


@pytest.mark.parametrize(
    "told", [{}, [], None, "ome", {"ome": {"version": "0.6"}}, {"ome": {"version": "9"}}, {"ome": 7}]
)
def test_what_is_no_metadata_is_not_valid(attributes, capsys, told):
    assert not verdict(capsys, "attributes", attributes(told))[0]


def test_text_that_is_no_json_is_not_valid(attributes, capsys):
    valid, message = verdict(capsys, "attributes", attributes('{"ome": '))
    assert (valid, message.startswith("json/")) == (False, True)


def test_a_store_is_valid(tmp_path, capsys):
    zom.materialize(IMAGE, tmp_path / "image.zarr")
    assert verdict(capsys, "zarr", tmp_path / "image.zarr") == (True, "")


def test_a_store_whose_arrays_are_missing_is_valid_by_the_schemas_only(tmp_path, capsys):
    zom.materialize(IMAGE.replace(members={}), tmp_path / "image.zarr")
    assert verdict(capsys, "zarr", tmp_path / "image.zarr")[0]
    valid, message = verdict(capsys, "zarr", tmp_path / "image.zarr", "--profile", "text")
    assert (valid, message.partition(":")[0]) == (False, "ome/dataset-path")


def test_a_file_that_cannot_be_read_has_no_verdict(tmp_path, capsys):
    code = main(["dingus", "attributes", str(tmp_path / "none.json")])
    out, err = capsys.readouterr()
    assert (code, out) == (3, "")
    assert err.endswith("none.json: cannot be read: no such file or directory; name a JSON file\n")


@pytest.mark.parametrize("profile", ["schema", "strict", "text", "full"])
@pytest.mark.parametrize("told", [
    IMAGE.attributes, {}, {"ome": {}}, {"ome": {"version": "0.5"}}, {"ome": {"version": "0.6", "labels": []}},
    {"well": {"images": []}}, {"well": {"images": [{"path": "0"}]}}, {"series": ["0", "1"]}, {"plate": {"rows": []}},
    {"multiscales": []}, {"labels": ["a"]}, {"omero": {"channels": []}}, 7,
])  # fmt: skip
def test_the_verdict_is_that_of_validate(attributes, capsys, profile, told):
    path = attributes(json.loads(json.dumps(dict(told) if told != 7 else 7)))
    report = validate_attributes(path.read_text(), conventions=["ome"], profile=profile)
    assert verdict(capsys, "attributes", path, "--profile", profile)[0] == report.ok
    assert report.checked or not report.ok
