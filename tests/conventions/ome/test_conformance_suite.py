"""OME's conformance suite for 0.6, through `zom dingus` as its runner calls it: attributes alone, and groups in Zarr.

https://github.com/ome/ngff-spec/tree/main/tests. Of the cases that 0.4 and 0.5 have as well, the axes and the
transformations are written as 0.6 has them. Those that came with 0.6 have the fault that their name tells, and no other.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from zom.cli.main import main

SUITES = json.loads((Path(__file__).parent / "published_suites.json").read_text(encoding="utf-8"))
STRICT = json.loads((Path(__file__).parent / "strict_suites.json").read_text(encoding="utf-8"))["0.6"]


def as_of_06(metadata: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(metadata)
    for image in made.get("multiscales", ()):
        if "axes" in image:
            image["coordinateSystems"] = [{"name": "intrinsic", "axes": image.pop("axes")}]
        for dataset in image.get("datasets", ()):
            steps = dataset.get("coordinateTransformations", [])
            ends = {"input": {"path": dataset.get("path")}, "output": {"name": "intrinsic"}}
            if [step.get("type") for step in steps] == ["scale", "translation"]:
                steps[:] = [{"type": "sequence", "transformations": [*steps]}]
            for step in steps:
                step.update(ends)
    return made


def space(*names: str) -> list[dict[str, Any]]:
    return [{"type": "space", "name": name, "unit": "micrometer", "discrete": False} for name in names]


def image(
    transformation: dict[str, Any] | None = None, *, names: str = "yx", **dataset: Any
) -> dict[str, Any]:
    """An image with a second coordinate system, and what leads there."""
    first = {
        "type": "scale",
        "scale": [1] * len(names),
        "input": {"path": "array"},
        "output": {"name": "physical"},
    }
    made: dict[str, Any] = {
        "name": "multiscales",
        "coordinateSystems": [{"name": "physical", "axes": space(*names)}],
        "datasets": [{"path": "array", "coordinateTransformations": [{**first, **dataset}]}],
    }
    if transformation is not None:
        made["coordinateSystems"].append({"name": "output", "axes": space(*names)})
        ends = {"input": {"name": "physical"}, "output": {"name": "output"}}
        told = {**ends, **transformation}
        made["coordinateTransformations"] = [{key: told[key] for key in told if told[key] is not None}]
    return {"multiscales": [made]}


def scene(*transformations: dict[str, Any]) -> dict[str, Any]:
    systems = [{"name": name, "axes": space("x", "y")} for name in ("one", "two")]
    ends = {"input": {"name": "one"}, "output": {"name": "two"}}
    return {
        "scene": {
            "coordinateSystems": systems,
            "coordinateTransformations": [{**ends, **each} for each in transformations],
        }
    }


def by_dimension(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """A scale of one axis and a translation of the other, each with what says which."""
    scale, shift = {"type": "scale", "scale": [2]}, {"type": "translation", "translation": [-10]}
    return {
        "type": "byDimension",
        "transformations": [{"transformation": scale, **first}, {"transformation": shift, **second}],
    }


ON = tuple({"inputAxes": [place], "outputAxes": [place]} for place in (0, 1))
LONG = [
    {"type": "rotation", "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]},
    {"type": "translation", "translation": [5, 10, 15]},
    {"type": "affine", "affine": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]},
    {"type": "scale", "scale": [2, 2, 2]},
    {"type": "mapAxis", "mapAxis": [2, 1, 0]},
]
STEPS = [{"type": "scale", "scale": [4, 3, 2]}, {"type": "translation", "translation": [30, 20, 10]}]

NEW: list[tuple[str, dict[str, Any], bool]] = [
    ("affine", image({"type": "affine", "affine": [[1, 0, 0], [0, 1, 0]]}), True),
    ("affineParams", image({"type": "affine", "path": "affineParams"}), True),
    ("byDimension", image(by_dimension(*ON)), True),
    ("identity", image({"type": "identity"}), True),
    ("mapAxis", image({"type": "mapAxis", "mapAxis": [1, 0]}), True),
    ("rotation", image({"type": "rotation", "rotation": [[0, 1], [-1, 0]]}), True),
    ("scale", image({"type": "scale", "scale": [2, 2]}), True),
    ("multiscales_transform_identity", image(type="identity"), True),
    ("multiscales_transform_sequence", image(names="zyx", type="sequence", transformations=STEPS), True),
    ("multiscales_transform_additional_transforms", image({"type": "sequence", "transformations": LONG}, names="zyx"), True),
    ("scene", scene({"type": "translation", "translation": [0, 50]}), True),
    ("bad_affine_no_affine", image({"type": "affine"}), False),
    ("bad_affine_no_input_output", image({"type": "affine", "affine": [[1, 0, 0], [0, 1, 0]], "input": None, "output": None}), False),
    ("bad_byDimension_no_input_output_axes", image(by_dimension({}, {})), False),
    ("bad_byDimension_wrong axes_type", image(by_dimension(*({"inputAxes": [name], "outputAxes": [name]} for name in "yx"))), False),
    ("bad_mapaxis_object", image({"type": "mapAxis", "mapAxis": {"x": "y", "y": "x"}}), False),
    ("bad_mapaxis_missing", image({"type": "mapAxis"}), False),
    ("invalid_multiscale_transform_input", image(input="array"), False),
    ("invalid_multiscale_transform_output", image(output="physical"), False),
    ("invalid_multiscale_transform_input_output", image(input="array", output="physical"), False),
    ("scene_bijection_forward_missing_params", scene({"type": "bijection", "forward": {"type": "scale"}, "inverse": {"type": "scale", "scale": [1, 1]}}), False),
    ("scene_bijection_inverse_missing_params", scene({"type": "bijection", "inverse": {"type": "scale"}, "forward": {"type": "scale", "scale": [1, 1]}}), False),
    ("scene_input_output_not_object", scene({"type": "translation", "translation": [0, 0], "output": "two"}), False),
    ("scene_missing_scene", {"coordinateSystems": [{"name": "world", "axes": space("x", "y")}]}, False),
    ("scene_missing_transformations", {"scene": {"coordinateSystems": [{"name": "world", "axes": space("x", "y")}]}}, False),
]  # fmt: skip

CASES = [
    *((case["name"], as_of_06(case["metadata"]), case["valid"]) for suite in ("image", "plate", "label", "well") for case in SUITES[suite]),
    *NEW,
]  # fmt: skip


def verdict(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["dingus", *arguments]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("mode", ["attributes", "zarr"])
@pytest.mark.parametrize(
    ("name", "metadata", "valid"), CASES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_the_verdict_is_that_of_the_suite(tmp_path, capsys, name, metadata, valid, mode):
    attributes = {"ome": {"version": "0.6", **metadata}, "_conformance": {"description": name}}
    path = tmp_path / f"{name}.json"
    if mode == "zarr":
        path = tmp_path / f"{name}.ome.zarr"
        path.mkdir()
        document = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
        (path / "zarr.json").write_text(json.dumps(document), encoding="utf-8")
    else:
        path.write_text(json.dumps(attributes), encoding="utf-8")
    found = verdict(capsys, mode, str(path))
    assert found["valid"] == valid, found["message"]


@pytest.mark.parametrize("case", STRICT, ids=lambda case: case["name"])
def test_the_strict_verdict_is_that_of_the_suite(tmp_path, capsys, case):
    path = tmp_path / "attributes.json"
    path.write_text(json.dumps(case["attributes"]), encoding="utf-8")
    found = verdict(capsys, "attributes", str(path), "--profile", "strict")
    assert found["valid"] == case["valid"], found["message"]


def test_the_suite_has_cases_of_both_verdicts():
    names = [name for name, *_ in CASES]
    assert len(names) >= 95
    assert {valid for *_, valid in CASES} == {True, False}
