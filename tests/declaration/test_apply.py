"""Declarations applied: planned, created, compared; twice, and the second time nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import zom
from zom.cli.main import main
from zom.declaration.schema import declaration_schema
from zom.declaration.source import read_source
from zom.errors import ConflictError, SpecError

YAML = """\
zom: 1
parameters: {days: 3}
sizes: {time: "${days}", lat: 3}
defaults: {chunks: {time: 10}}
conventions: [xarray]
members:
  time: {dims: [time], dtype: int64, values: {start: 0, step: 1}, units: days since 2000-01-01}
  lat: {dims: [lat], dtype: float64, values: {start: 90, stop: -90}}
  name: {dims: [lat], dtype: string, values: [north, middle, 南]}
  t: {dims: [time, lat], dtype: float32}
"""


@pytest.fixture
def file(tmp_path):
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")
    made = tmp_path / "climate.yaml"
    made.write_text(YAML, encoding="utf-8")
    return made


def test_values_are_written_with_their_arrays(file):
    root = zom.materialize(zom.declare(file), "memory:")
    assert root["lat"][:].tolist() == [90, 0, -90]
    assert root["name"][:].tolist() == ["north", "middle", "南"]
    again = zom.plan(zom.declare(file), root.store)
    assert again.is_empty
    assert again.counts == {"keep": 5}
    again.apply()


@pytest.mark.parametrize("below", ["", "inner/group"])
def test_other_values_are_a_conflict_or_are_written(file, below):
    root = zom.materialize(zom.declare(file), "memory:", below)
    root["lat"][1] = 5
    root["name"][0] = "other"
    plan = zom.plan(zom.declare(file), root.store, below)
    assert [problem.expected for problem in plan.problems] == ["the stated values"] * 2
    with pytest.raises(ConflictError, match="to write the stated values"):
        zom.materialize(zom.declare(file), root.store, below)
    assert root["lat"][1] == 5
    plan = zom.plan(zom.declare(file), root.store, below, on_conflict="update")
    assert plan.counts == {"write values": 2, "keep": 3}
    assert not plan.is_empty
    plan.apply()
    assert root["lat"][1] == 0
    assert root["name"][0] == "north"
    assert zom.plan(zom.declare(file), root.store, below).is_empty


def test_arrays_that_grow_get_the_values_of_their_new_length(file):
    root = zom.materialize(zom.declare(file), "memory:")
    root["t"][:] = 7
    grown = zom.declare(file, days=5)
    made = zom.materialize(grown, root.store, on_conflict="update")
    assert made["time"][:].tolist() == [0, 1, 2, 3, 4]
    assert made["t"][:, 0].tolist() == [7, 7, 7, 0, 0]
    assert zom.plan(grown, root.store, on_conflict="update").is_empty


@pytest.mark.parametrize("form", [2, 3])
def test_values_that_codecs_round_are_as_they_were_stated(form):
    rounding = {
        3: {"name": "numcodecs.bitround", "configuration": {"keepbits": 3}},
        2: {"id": "bitround", "keepbits": 3},
    }
    node = {"shape": [3], "dtype": "float32", "filters": [rounding[form]], "values": [1.123, 2.6, 3.1]}
    declared = zom.declare({"zom": 1, "format": form, "members": {"a": node}})
    root = zom.materialize(declared, "memory:")
    assert root["a"][0] != np.float32(1.123)
    assert zom.plan(declared, root.store).is_empty
    root["a"][0] = 7
    assert zom.plan(declared, root.store).problems


def test_values_that_are_damaged_are_written_again(file, tmp_path):
    store = tmp_path / "out.zarr"
    zom.materialize(zom.declare(file), store)
    (store / "lat" / "c" / "0").write_bytes(b"damaged")
    assert zom.plan(zom.declare(file), store).problems
    made = zom.materialize(zom.declare(file), store, on_conflict="update")
    assert made["lat"][:].tolist() == [90, 0, -90]


def test_nan_is_equal_to_itself():
    declared = zom.declare({"zom": 1, "shape": [2], "dtype": "float32", "values": [float("nan"), -0.0]})
    array = zom.materialize(declared, "memory:")
    assert np.signbit(array[1])
    assert zom.plan(declared, array.store).is_empty


def test_a_declaration_is_taken_where_a_spec_is(file):
    declared = zom.declare(file)
    root = zom.materialize(declared, "memory:")
    assert not zom.diff(declared, root)
    assert zom.validate(declared).ok
    changes = [str(each) for each in zom.diff(root, zom.declare(file, days=4))]
    assert sorted(changes) == ["~ /t: shape[0]: 3 -> 4", "~ /time: shape[0]: 3 -> 4"]


def test_findings_of_a_report_have_places_in_the_declaration(file):
    file.write_text("zom: 1\nsizes: {x: 2}\nmembers:\n  a: {shape: [2], dtype: int8}\n")
    (problem,) = zom.validate(zom.declare(file), conventions=["xarray"])
    assert (problem.code, problem.key, problem.line) == ("xarray/dims-present", str(file), 4)


def test_nothing_is_written_where_a_declaration_is_faulty(tmp_path, file):
    file.write_text(YAML.replace("dtype: float64", "dtype: flaot64"))
    with pytest.raises(SpecError):
        zom.materialize(zom.declare(file), tmp_path / "out.zarr")
    assert main(["create", str(file), str(tmp_path / "out.zarr")]) == 3
    assert not (tmp_path / "out.zarr").exists()


# --- the command ------------------------------------------------------------------------------------------


def run(capsys, *arguments):
    code = main([*map(str, arguments)])
    return code, *capsys.readouterr()


def test_the_command_creates_plans_and_compares(capsys, tmp_path, file):
    store = tmp_path / "out.zarr"
    assert run(capsys, "create", file, store, "--set", "days=2")[:2] == (0, f"{store}: 5 created\n")
    assert "nothing was written" in run(capsys, "create", file, store, "--set", "days=2")[1]
    code, out, _ = run(capsys, "plan", file, store)
    assert code == 1
    assert "resize" in out or "conflict" in out
    assert run(capsys, "diff", file, store, "--set", "days=2")[0] == 0
    assert run(capsys, "diff", file, store)[0] == 1
    assert "time=2" in run(capsys, "tree", file, "--set", "days=2")[1]


def test_the_command_tells_every_fault_with_its_place(capsys, tmp_path, file):
    file.write_text(YAML.replace("sizes", "size").replace("days: 3", "days: x"))
    code, out, _ = run(capsys, "validate", file, "--convention", "none")
    assert code == 1
    assert f"{file}:3:7: error: size: expected a word for an array or a group" in out
    code, _, err = run(capsys, "create", file, tmp_path / "out.zarr")
    assert code == 3
    assert f"{file}: size: expected a word" in err


def test_the_command_declares_what_is_there(capsys, tmp_path, file):
    store, again = tmp_path / "out.zarr", tmp_path / "again.yaml"
    run(capsys, "create", file, store)
    code, out, _ = run(capsys, "declare", store)
    assert code == 0
    assert "  lat: {dims: [lat], dtype: float64, values: {start: 90.0, step: -90.0}}\n" in out
    assert run(capsys, "declare", store, "-o", again)[:2] == (0, "")
    assert again.read_text(encoding="utf-8") == out
    assert "nothing was written" in run(capsys, "create", again, store)[1]
    made = tmp_path / "made.zarr"
    run(capsys, "create", again, made)
    assert run(capsys, "diff", made, store)[0] == 0
    assert zom.open(made)["lat"][:].tolist() == [90, 0, -90]
    assert "values" not in run(capsys, "declare", store, "--no-values")[1]
    assert json.loads(run(capsys, "declare", store, "--format", "json")[1])["zom"] == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--set", "days"], "--set: expected NAME=VALUE, found 'days'"),
        (["--set", "days=1", "--set", "days=2"], "--set: expected each name once, found 'days' twice"),
        (["--set", "days=x"], 'expected a value of type integer, found "x"'),
        (["--set", "day=1"], "expected a parameter of the declaration"),
    ],
)
def test_wrong_parameters_are_told(capsys, tmp_path, file, given, message):
    code, _, err = run(capsys, "create", file, tmp_path / "out.zarr", *given)
    assert code in {2, 3}
    assert message in err
    assert not (tmp_path / "out.zarr").exists()


def test_parameters_are_for_declarations(capsys, tmp_path):
    document = tmp_path / "spec.json"
    document.write_text(zom.v3.GroupSpec(members={}).to_json())
    code, _, err = run(capsys, "tree", document, "--set", "a=1")
    assert code == 2
    assert "--set is for declarations" in err


# --- the schema -------------------------------------------------------------------------------------------


def validator():
    schema = declaration_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


DOCUMENTS = json.loads((Path(__file__).parent / "documents.json").read_text(encoding="utf-8"))
EXAMPLES = Path(__file__).parents[2] / "examples" / "declarations"


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS["good"], ids=json.dumps)
def test_the_schema_takes_what_is_declared(document):
    assert list(validator().iter_errors(document)) == []


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS["bad"], ids=json.dumps)
def test_the_schema_refuses_what_declare_refuses(document):
    assert list(validator().iter_errors(document))
    with pytest.raises(SpecError):
        zom.declare(document)


@pytest.mark.parametrize("example", sorted(EXAMPLES.iterdir()), ids=lambda file: file.name)
def test_examples_are_short_and_keep_their_conventions(example):
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 30
    assert list(validator().iter_errors(read_source(example).value)) == []
    report = zom.validate(zom.declare(example))
    assert report.ok
    assert report.conventions


@pytest.mark.parametrize(
    ("end", "format_"), [("json", "json"), ("JSON", "json"), ("yaml", "yaml"), ("txt", "yaml")]
)
def test_a_declaration_is_written_as_its_file_is_read_again(tmp_path, capsys, end, format_):
    zom.materialize(zom.v3.GroupSpec(attributes={"n": 1}), tmp_path / "a.zarr")
    file = tmp_path / f"again.{end}"
    assert run(capsys, "declare", str(tmp_path / "a.zarr"), "-o", str(file))[:2] == (0, "")
    assert file.read_text().startswith("{" if format_ == "json" else "zom: 1\n")


def test_no_yaml_is_written_under_the_name_of_toml(tmp_path, capsys):
    zom.materialize(zom.v3.GroupSpec(), tmp_path / "a.zarr")
    file = tmp_path / "again.toml"
    code, out, err = run(capsys, "declare", str(tmp_path / "a.zarr"), "-o", str(file))
    assert (code, out) == (2, "")
    assert err.endswith(
        "again.toml: expected a file name that ends in .yaml or .json; zom declare does not write TOML\n"
    )
    assert not file.exists()
