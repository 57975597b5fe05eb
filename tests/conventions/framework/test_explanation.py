"""Explanations: of every rule, with what keeps and breaks it."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

import zom
from zom.conventions import CheckedRule, Convention, conventions, python, required
from zom.conventions.framework.explanation import _newness, explain
from zom.errors import UnknownName

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "src" / "zom" / "conventions" / "examples.json"


def generator():
    spec = importlib.util.spec_from_file_location("generate_examples", ROOT / "docs" / "generate_examples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def films():
    """A convention in two versions."""
    older = CheckedRule("title", required("title"), should="there is a title")
    newer = CheckedRule(
        "title", python(lambda site: ()), must="there is one title", fix="add it", link="https://e.org"
    )
    made = [
        conventions.register(Convention("films", version, owns=("films",), rules=(rule,)))
        for version, rule in (("10", newer), ("11rc1", newer), ("9", older))
    ]
    yield made
    for each in made:
        conventions._all.remove(each)
        del conventions._by_name[each.name]


@pytest.mark.slow
def test_the_examples_are_what_would_be_generated_now():
    """After a change of cases: python docs/generate_examples.py."""
    assert generator().generated() == EXAMPLES.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["ome", "ome/0.5"])
def test_a_convention_is_told_from_a_rule(name):
    with pytest.raises(UnknownName) as caught:
        explain(name)
    assert str(caught.value) == f"{name!r} is a convention, not a rule; zom rules 'ome/*' lists its rules"


def test_a_version_that_is_not_known_is_told_from_a_rule():
    with pytest.raises(UnknownName) as caught:
        explain("ome/version", "ome/0.9")
    assert str(caught.value).startswith("no convention named 'ome/0.9' is registered; did you mean 'ome/0.")


def test_right_and_wrong_differ_in_every_example():
    same = [
        (name, code)
        for name, rules in json.loads(EXAMPLES.read_text(encoding="utf-8")).items()
        for code, each in rules.items()
        if json.dumps(each["right"]) == json.dumps(each["wrong"])
    ]
    assert same == []


@pytest.mark.slow
def test_every_rule_of_every_convention_is_explained():
    for convention in conventions:
        for code, rule in convention.codes():
            found = explain(code, convention.name)
            assert (found.code, found.text, found.level) == (code, rule.text, rule.level)
            assert str(found).startswith(f"{code}\n  rule ")


def test_every_rule_of_zom_is_explained():
    for code, rule in zom.rules().items():
        found = zom.explain(code)
        assert (found.text, found.source, found.level) == (rule.text, rule.source, None)
        assert found.severities["strict"] == rule.strict


@pytest.mark.usefixtures("films")
def test_a_rule_is_explained_as_its_newest_final_version_has_it():
    found = explain("films/title")
    assert (found.convention, found.text, found.fix) == ("films/10", "there is one title", "add it")
    assert {each.convention for each in found.others} == {"films/9", "films/11rc1"}


@pytest.mark.usefixtures("films")
def test_an_explanation_says_all_of_it():
    assert str(explain("films/title")).splitlines() == [
        "films/title",
        "  rule        there is one title",
        "  level       MUST, stated by the text",
        "  convention  films/10, films/9, films/11rc1",
        "  fix         add it",
        "  link        https://e.org",
        "  checked by  a function in Python",
        "  in films/9  SHOULD: there is a title",
    ]


@pytest.mark.usefixtures("films")
def test_a_version_can_be_named():
    found = explain("films/title", "films/9")
    assert (found.text, found.others) == ("there is a title", ())
    assert found.severities == {"text": "warning", "schema": None, "strict": None, "full": "error"}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("a/0.4", "a/0.5"),
        ("a/0.9", "a/0.10"),
        ("a/0.6rc0", "a/0.6"),
        ("a/v1", "a/v2"),
        ("a/0.6.dev4", "a/0.6rc0"),
    ],
)
def test_the_newest_version_is_told_by_its_number(older, newer):
    def made(name):
        return explain("json/syntax").__class__("c", "t", "text", {}, "MUST", name)

    assert _newness(made(older)) < _newness(made(newer))


def test_an_example_stands_at_its_place():
    found = explain("xarray/coords-exist").example
    assert found is not None
    assert (found.place, found.right, found.wrong) == ("/v: attributes.coordinates", "lat", "latt")
    assert re.search(r"^  wrong +\"latt\"$", str(explain("xarray/coords-exist")), re.MULTILINE)


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("xarray/dims-lenth", "did you mean 'xarray/dims-length'"),
        ("dims-length", "did you mean 'xarray/dims-length'"),
        ("json/duplicate-kye", "did you mean 'json/duplicate-key'"),
        ("q", "run zom rules for the list"),
    ],
)
def test_an_unknown_code_is_told_with_near_ones(code, hint):
    with pytest.raises(UnknownName, match=f"^no rule has the code '{code}'; {hint}"):
        zom.explain(code)


def test_a_rule_that_a_convention_does_not_have_is_told():
    with pytest.raises(UnknownName, match=r"^no rule of 'xarray' has the code 'json/syntax'; "):
        zom.explain("json/syntax", "xarray")
