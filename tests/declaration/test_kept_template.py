"""Templates that a declaration keeps, and the words that both have."""

from __future__ import annotations

import json
from dataclasses import fields
from inspect import signature

import pytest

import zom
from zom.conventions.xarray import Variable
from zom.declaration.words import ARRAY, GROUP, ROOT, hint_for
from zom.errors import SpecError
from zom.template import ArrayTemplate, GroupTemplate

TEMPLATE = {"node_type": "group", "members": {"a": {"node_type": "array", "dtype": "float"}}}


def declaration(folder, template, dtype="float32"):
    file = folder / "d.json"
    node = {"shape": [2], "dtype": dtype}
    file.write_text(json.dumps({"zom": 1, "template": template, "members": {"a": node}}, indent=1))
    return file


def refused(file):
    with pytest.raises(SpecError) as caught:
        zom.declare(file)
    return caught.value.problems


@pytest.mark.parametrize("mark", [{}, {"zom_template": 1}])
def test_a_template_is_kept_as_it_stands_or_from_a_file(tmp_path, mark):
    (tmp_path / "t.json").write_text(json.dumps({**mark, **TEMPLATE}))
    for template in ({**mark, **TEMPLATE}, "t.json"):
        assert zom.declare(declaration(tmp_path, template)).spec.members["a"].shape == (2,)
        (problem,) = refused(declaration(tmp_path, template, "int8"))
        assert (problem.code, problem.node, problem.key) == ("template/dtype", "/a", str(tmp_path / "d.json"))
        assert problem.line is not None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.yaml", "node_type: group\nmembers:\n  a: {node_type: array, dtype: float}\n"),
        ("t.toml", 'node_type = "group"\n[members.a]\nnode_type = "array"\ndtype = "float"\n'),
    ],
)
def test_templates_are_written_in_the_languages_of_declarations(tmp_path, name, text):
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")
    (tmp_path / name).write_text(text)
    assert zom.declare(declaration(tmp_path, name)).warnings == ()
    (tmp_path / name).write_text(text.replace("float", "flaot"))
    (problem,) = refused(declaration(tmp_path, name))
    assert (problem.code, problem.key, problem.fix) == (
        "template/unknown-name",
        name,
        "did you mean 'float'?",
    )
    assert problem.line == text[: text.index("float")].count("\n") + 1


def test_what_is_wrong_with_a_template_points_into_the_declaration(tmp_path):
    wrong = {"node_type": "group", "patterns": [{"pattern": "a"}, {"pattern": "("}]}
    (problem,) = refused(declaration(tmp_path, wrong))
    assert (problem.code, problem.pointer) == ("template/regex", "/template/patterns/1/pattern")
    assert problem.line == json.dumps({"zom": 1, "template": wrong}, indent=1).split("(")[0].count("\n") + 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.json", 'expected an existing file, found "nowhere.json"'),
        ("../t.json", "expected a file beside the declaration or below it"),
        ("/etc/hostname", "expected a file beside the declaration or below it"),
        ("https://example.org/t.json", "expected a file beside the declaration or below it"),
        ("a\0b", "expected the name of a file"),
        (".", "expected an existing file"),
        ("t.txt", "expected a name that ends in .yaml, .toml or .json"),
    ],
)
def test_templates_that_cannot_be_read_are_told(tmp_path, name, message):
    (tmp_path / "t.txt").write_text("{}")
    (problem,) = refused(declaration(tmp_path, name))
    assert message in str(problem)


def test_a_mapping_has_no_files_beside_it():
    with pytest.raises(SpecError, match="a template, as the declaration is not a file"):
        zom.declare({"zom": 1, "template": "t.json", "members": {}})


def test_dimensions_are_called_by_name_or_by_place_as_in_templates():
    made = zom.declare(
        {
            "zom": 1,
            "sizes": {"y": 6, "x": 8},
            "members": {
                "a": {"shape": [6, 8], "dtype": "int8", "chunks": {"-1": 4, "0": "whole"}},
                "b": {"dims": ["y", "x"], "dtype": "int8", "chunks": {"1": 4}},
                "c": {"dims": ["1", "0"], "shape": [6, 8], "dtype": "int8", "chunks": {"0": 4}},
            },
        }
    )
    found = [each.chunk_grid["configuration"]["chunk_shape"] for each in made.spec.members.values()]
    assert found == [[6, 4], [6, 4], [4, 8]]  # a number is a place, also where a dimension has it for a name
    with pytest.raises(SpecError, match='expected the index of a dimension, found "x"; add dims'):
        zom.declare({"zom": 1, "shape": [6], "dtype": "int8", "chunks": {"x": 4}})


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("dimension_names", ARRAY, "write 'dims'"),
        ("dimensions", GROUP, "write 'sizes'"),
        ("data_type", ARRAY, "write 'dtype'"),
        ("compressor", ARRAY, "write 'compress'"),
        ("_FillValue", ARRAY, "write 'missing'"),
        ("attrs", GROUP, "write 'attributes'"),
        ("data_vars", GROUP, "write 'members'"),
        ("version", ROOT, "write 'zom'"),
        ("attribute", GROUP, "did you mean 'attributes'?"),
    ],
)
def test_words_that_others_have_are_told_in_those_of_declarations(name, words, expected):
    assert hint_for(name, words) == expected


def test_a_word_of_documents_is_told_where_it_stands():
    with pytest.raises(SpecError, match=r"members.a.dimension_names: .*; write 'dims'"):
        zom.declare({"zom": 1, "members": {"a": {"shape": [1], "dtype": "int8", "dimension_names": ["x"]}}})


def test_one_thing_has_one_word_in_builders_helpers_templates_and_declarations():
    documents = {"dimension_names"}
    for family in (zom.v2, zom.v3, zom.draft):
        assert set(signature(family.ArraySpec.build).parameters) - documents <= set(ARRAY)
    assert {each.name for each in fields(Variable)} <= set(ARRAY)
    constraints = {"node_type", "rank", "sharded", "references", *documents}
    assert set(ArrayTemplate.model_fields) - constraints <= set(ARRAY)
    constraints = {"node_type", "references", "optional", "patterns", "open", "same_length"}
    assert set(GroupTemplate.model_fields) - constraints <= set(GROUP)


@pytest.mark.parametrize("root", [True, False])
def test_defaults_are_checked_alike_at_the_root_and_below(root):
    stated = {"defaults": {"dims": ["x"], "compres": 1, "dtype": "int8", "compress": 5}}
    declared = {"zom": 1, **stated} if root else {"zom": 1, "members": {"g": stated}}
    with pytest.raises(SpecError) as caught:
        zom.declare(declared)
    prefix = "/defaults" if root else "/members/g/defaults"
    found = {each.pointer.removeprefix(prefix): each.fix for each in caught.value.problems}
    assert found == {
        "/dims": "known are " + found["/dims"][10:],
        "/compres": "did you mean 'compress'?",
        "/compress": None,
    }
