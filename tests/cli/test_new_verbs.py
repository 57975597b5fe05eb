"""`zom stats`, `checksum`, `doctor`, `codegen`, `completion`, and patterns of places."""

from __future__ import annotations

import csv
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import zom
from zom import v2, v3


@pytest.fixture
def filled(call, small):
    root = zom.materialize(small, "a.zarr")
    root["t2m"][:24] = 1
    root["time"][:] = np.arange(48)
    return call


def test_stats_tell_how_much_of_each_array_is_stored(filled):
    code, out, err = filled("stats", "a.zarr")
    assert (code, err) == (0, "")
    head, t2m, time, total = out.splitlines()
    assert head.split() == ["array", "type", "shape", "chunks", "stored", "raw", "bytes", "ratio"]
    assert t2m.split()[:6] == ["/t2m", "float32", "48×181×360", "24×91×180", "4/8", "███░░░"]
    assert time.split()[:6] == ["/time", "int64", "48", "48", "1/1", "██████"]
    assert total.startswith("2 arrays, ")


def test_stats_show_only_what_misses_chunks(filled):
    out = filled("stats", "a.zarr", "--missing")[1]
    assert "/t2m" in out
    assert "/time" not in out


def test_stats_are_a_table_for_programs(filled):
    (t2m, time) = csv.DictReader(filled("stats", "a.zarr", "--format", "csv")[1].splitlines())
    assert (t2m["array"], t2m["stored"], t2m["chunks"]) == ("/t2m", "4", "8")
    facts = json.loads(filled("stats", "a.zarr", "--format", "json")[1])["result"]["arrays"]
    assert [each["bytes_stored"] for each in facts] == [int(t2m["bytes_stored"]), int(time["bytes_stored"])]


def test_stats_tell_what_they_leave_out(filled, tmp_path):
    (tmp_path / "a.zarr" / "time" / "zarr.json").write_text("{")
    code, out, err = filled("stats", "a.zarr")
    assert code == 1
    assert "1 array, " in out
    assert err.startswith("left out: a.zarr/time: expected a name")


def test_patterns_name_several_stores(filled, small):
    zom.materialize(small, "b.zarr")
    out = filled("stats", "*.zarr")[1]
    assert "a.zarr/t2m" in out
    assert "b.zarr/t2m" in out
    assert filled("stats", "c*.zarr") == (
        3,
        "",
        "zom stats: c*.zarr: no path matches this pattern; name a store\n",
    )


def test_what_exists_by_that_name_is_no_pattern(call, small):
    zom.materialize(small, "a[1].zarr")
    zom.materialize(small, "a1.zarr")
    assert len(call("checksum", "a[1].zarr")[1].splitlines()) == 1
    assert "a[1].zarr" in call("checksum", "a[1].zarr")[1]


# --- checksum -----------------------------------------------------------------------------------------


def test_a_checksum_is_that_of_zarr_checksum(call, tmp_path):
    """The digests are those that zarr-checksum 0.4.7 tells of the same files."""
    files = {
        "zarr.json": b"{}",
        "a/c/0/1": b"abc",
        "a/c/0/10": b"",
        "a/zarr.json": b"1",
        "b/é": b"x",
        "a0/x": b"y",
    }
    for key, value in files.items():
        file = tmp_path / "a.zarr" / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(value)
    assert call("checksum", "a.zarr") == (0, f"{DIGEST}  a.zarr\n", "")
    assert call("checksum", "a.zarr", "--expect", DIGEST)[0] == 0
    code, _, err = call("checksum", "a.zarr", "--expect", "0-0--0")
    assert (code, err) == (1, "a.zarr: expected the digest 0-0--0; the content differs\n")


DIGEST = "c1919e922b47e63a326b3add50678dcd-6--8"


def test_stores_of_any_kind_with_the_same_bytes_have_one_checksum(filled):
    with zom.store("a.zarr", read_only=True) as old, zom.store("b.zip") as new:
        for key in old.list(""):
            new.set(key, old.get(key))
    first, second = (line.split() for line in filled("checksum", "a.zarr", "b.zip")[1].splitlines())
    assert first[0] == second[0]
    assert [first[1], second[1]] == ["a.zarr", "b.zip"]


def test_one_digest_is_expected_of_one_store(filled):
    message = "zom checksum: --expect takes exactly one store\n"
    assert filled("checksum", "a.zarr", "a.zarr::time", "--expect", "x") == (2, "", message)


# --- codegen ------------------------------------------------------------------------------------------

ODD = {
    "class": v3.GroupSpec(members={}),
    "a-b": v3.ArraySpec.build(
        shape=(), dtype="int8", attributes={"from": 1, "x y": [1], "__p": None, "q": {}}
    ),
    "a b": v3.ArraySpec.build(shape=(2,), dtype="float64", dimension_names=['"']),
    "1": v3.GroupSpec(members={"1": v3.GroupSpec(members=None)}),
    "日本": v3.GroupSpec(attributes={'"""\n': 1.5, "t": True}, members={}),
}


HOSTILE = (
    "class", "none", "true", "record", "int", "str", "dict", "list", "Any", "\u00b5", "\ufb01", "__proto__",
    "constructor", "keys", "Root", "RootMembers", "Literal", "v3", "schema", 'a"b', "a'b", "a\nb", '"""', "*/", "\\",
    "\u2028", "\u202e", "${x}", "`", "{x}", "x\x1b[31m", "print(1)", '"]\nraise SystemExit(9)\n',
)  # fmt: skip
"""Words that a language takes for something else where a generator puts them into code as they are."""


def hostile():
    """A hierarchy with these words as names of nodes and of dimensions, and as keys and values of attributes."""
    names = [
        word
        for word in HOSTILE
        if word.isprintable() and not {*word} & {*"/\\"} and not word.startswith("__")
    ]
    members = {
        word: v3.ArraySpec.build(
            shape=(2,), dtype="int8", attributes={word: 1, "int": 1, "n": 2}, dimension_names=[word]
        )
        if place % 2
        else v3.GroupSpec(attributes={word: word}, members={})
        for place, word in enumerate(names)
    }
    attributes = {word: place if place % 2 else word for place, word in enumerate(HOSTILE)}
    return v3.GroupSpec(attributes={**attributes, "deep": {"__proto__": 1}}, members=members)


def models(call, spec, *more):
    zom.materialize(spec, "m.zarr", on_conflict="replace")
    code, out, err = call("codegen", "m.zarr", *more)
    assert (code, err) == (0, "")
    return out


def models_of_document(call, spec, *more):
    """As `models`, of names that stores warn of, too."""
    Path("m.json").write_text(spec.to_json(), encoding="utf-8")
    code, out, err = call("codegen", "m.json", *more)
    assert (code, err) == (0, "")
    return out


def loaded(tmp_path, source):
    """The class `Root` of a module."""
    file = tmp_path / "models_of_test.py"
    file.write_text(source, encoding="utf-8")
    found = importlib.util.spec_from_file_location("models_of_test", file)
    module = sys.modules["models_of_test"] = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.Root


@pytest.mark.parametrize(
    "spec",
    [
        v3.GroupSpec(members=ODD),
        v3.ArraySpec.build(shape=(3, 4), dtype="int16"),
        v2.GroupSpec(members={"a": v2.ArraySpec.build(shape=(3,), dtype="<f4")}),
    ],
    ids=["odd", "array", "v2"],
)
def test_python_models_validate_their_store(call, tmp_path, spec):
    if spec.family.form == "v3" and spec.kind == "group":
        spec = v3.GroupSpec(members={name: node for name, node in ODD.items() if name != "1"})
    root_class = loaded(tmp_path, models(call, spec))
    root = root_class.model_validate(zom.read("m.zarr"))
    assert root == zom.read("m.zarr")
    assert root_class.check(root.to_dict()) == ()


def test_python_models_refuse_another_hierarchy(call, tmp_path, small):
    root_class = loaded(tmp_path, models(call, small))
    document = small.to_dict()
    document["members"]["t2m"]["data_type"] = "int8"
    document["members"]["t2m"]["fill_value"] = 0
    assert [str(each) for each in root_class.check(document)] == [
        '/t2m: data_type: expected "float32", found "int8"'
    ]
    del document["members"]["time"]
    assert len(root_class.check(document)) == 2


def test_python_models_hold_every_name_as_it_is_written(call, tmp_path):
    spec = hostile()
    root_class = loaded(tmp_path, models_of_document(call, spec))
    assert root_class.check(spec.to_dict()) == ()
    module = sys.modules["models_of_test"]
    assert set(module.RootMembers.__annotations__) == set(spec.members)
    assert set(module.RootAttributes.__annotations__) == set(spec.to_dict()["attributes"])


@pytest.mark.slow
@pytest.mark.parametrize("spec", [v3.GroupSpec(members=ODD), hostile()], ids=["odd", "hostile"])
@pytest.mark.parametrize(
    "command", [("mypy", "--strict", "models.py"), ("pyright",)], ids=["mypy", "pyright"]
)
def test_python_models_pass_type_checkers_in_strict_mode(call, tmp_path, command, spec):
    pytest.importorskip(command[0], reason="pip install 'zom[lint]'")
    (tmp_path / "models.py").write_text(models_of_document(call, spec), encoding="utf-8")
    source = str(Path(zom.__file__).parents[1])
    settings = {"typeCheckingMode": "strict", "include": ["models.py"], "extraPaths": [source]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    more = ("--pythonpath", sys.executable) if command[0] == "pyright" else ()
    done = subprocess.run(
        [sys.executable, "-m", *command, *more], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["", "a-b", "1", "a b", "x(y)", "日本"])
def test_the_name_of_a_model_is_one_in_both_languages(call, small, name):
    zom.materialize(small, "a.zarr")
    code, out, err = call("codegen", "a.zarr", "--name", name)
    assert (code, out) == (2, "")
    assert f"expected a name of letters, digits and _ that starts with a letter, found {name!r}; see" in err


def test_a_node_called_as_the_root_leaves_the_root_its_name(call):
    array = v3.ArraySpec.build(shape=(3,), dtype="int8")
    made = models(call, v3.GroupSpec(members={"climate": array}), "--name", "Climate")
    assert "class Climate(v3.GroupSpec" in made
    assert "class Climate2(v3.ArraySpec" in made


def test_a_key_that_javascript_takes_for_a_prototype_stays_a_key(call):
    made = models_of_document(call, hostile(), "--lang", "typescript")
    schema = made.partition("unknown> = ")[2]
    assert '["__proto__"]: {' in schema
    assert '"__proto__":' not in schema
    assert "export interface Record {" not in made


def test_typescript_has_an_interface_for_each_kind_of_node_and_the_schema(call, small):
    made = models(call, small, "--lang", "typescript", "--name", "Climate")
    assert "export interface T2m {\n" in made
    assert "export interface Climate {\n" in made
    assert 'dimension_names: ["time","lat","lon"];' in made
    schema = json.loads(made.partition("unknown> = ")[2].removesuffix(";\n"))
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(small.to_dict(), schema)


def test_the_schema_of_v2_in_typescript_is_one_of_v2(call):
    array = v2.ArraySpec.build(shape=(3,), dtype="<f4", attributes={"units": "K", "n": 1})
    spec = v2.GroupSpec(attributes={"title": "a"}, members={"a": array, "g": v2.GroupSpec(members={})})
    made = models(call, spec, "--lang", "typescript")
    schema = json.loads(made.partition("unknown> = ")[2].removesuffix(";\n"))
    check = Draft202012Validator(schema)
    document = spec.to_dict()
    assert check.is_valid(document)
    inner = document["members"]["a"]
    for wrong in (
        {**inner, "dtype": "<f8"},
        {**inner, "shape": [3, 3], "chunks": [3, 3]},
        {**inner, "attributes": {"units": "K"}},
        {**inner, "attributes": {"units": 1, "n": 1}},
        {"zarr_format": 2},
    ):
        assert not check.is_valid({**document, "members": {**document["members"], "a": wrong}})
    assert not check.is_valid({**document, "members": {**document["members"], "g": inner}})
    assert not check.is_valid({**document, "members": {"a": inner}})
    assert not check.is_valid({**document, "zarr_format": 3})
    assert check.is_valid({**document, "members": {**document["members"], "a": {**inner, "shape": [9]}}})


def test_models_in_python_import_what_they_use(call):
    made = models(call, v3.ArraySpec.build(shape=(3,), dtype="int8"))
    assert "from typing import Any, Literal\n" in made
    assert "TypedDict" not in made


def test_models_of_alike_nodes_share_a_class(call):
    array = v3.ArraySpec.build(shape=(3,), dtype="int8", attributes={"units": "K"})
    made = models(call, v3.GroupSpec(members={f"a{n}": array for n in range(50)}))
    assert made.count("v3.ArraySpec[") == 1
