"""JSON Schemas of conventions: the form of attributes, and the rules beside it as data."""

from __future__ import annotations

import json
from pathlib import Path
from pkgutil import iter_modules
from typing import Annotated, Literal

import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from pydantic import AfterValidator, Field

import zom
from zom.conventions import (
    Attributes,
    CheckedRule,
    Convention,
    Part,
    conventions,
    has,
    pattern,
    python,
    required,
    schema,
)
from zom.conventions.framework.attributes import faults_in
from zom.conventions.framework.convention_schema import CONVENTION, RULES
from zom.conventions.framework.expression import PLACES, expressed_in, listed, share_of
from zom.testing.convention_cases import load_cases

CASES = Path(__file__).parents[1] / "conformance" / "conventions"
NAMES = sorted(each.name for each in conventions)
FILES = sorted(path for path in CASES.glob("*.json") if load_cases(path)[0].convention in NAMES)


class Level(Part):
    path: Annotated[str, CheckedRule("path-text", schema(), must="the path of a level is text")]
    scale: list[float] | None = None


class Dggs(Attributes, key="dggs"):
    """A grid."""

    name: Annotated[str, CheckedRule("name-lower", pattern("[a-z]+"), must="the name is in lower case")]
    levels: list[Level] | None = None


class Flat(Attributes):
    licence: str
    rank: Literal["a", "b"] | None = None


RULE = CheckedRule("title", required("title"), should="there is a title", when=(has("dggs"),), on="group")
DGGS = Convention("dggs", version="v1", uuid="7b2", attributes=Dggs, rules=(RULE,))
V3 = {"zarr_format": 3}
GROUP = {**V3, "node_type": "group"}
ARRAY = {**V3, "node_type": "array", "shape": [4]}


def accepts(made, document):
    Draft202012Validator.check_schema(made)
    return Draft202012Validator(made).is_valid(document)


@pytest.mark.parametrize(
    ("attributes", "fits"),
    [
        ({}, True),
        ({"dggs": {"name": "a", "more": 1}}, True),
        ({"dggs": {}}, False),
        ({"dggs": 7}, False),
        ({"dggs": {"name": "a", "levels": [{"path": 1}]}}, False),
        ({"dggs": {"name": "a", "levels": None}}, True),
    ],
)
def test_a_model_stands_under_its_key(attributes, fits):
    assert accepts(zom.json_schema(DGGS), {**GROUP, "attributes": attributes}) is fits


@pytest.mark.parametrize(
    ("document", "fits"),
    [
        (GROUP, False),
        ({**GROUP, "attributes": {"licence": "MIT"}}, True),
        ({**GROUP, "attributes": {}}, False),
    ],
)
def test_attributes_are_there_where_a_flat_model_needs_them(document, fits):
    assert accepts(zom.json_schema(Convention("flat", attributes=Flat)), document) is fits


@pytest.mark.parametrize("made", [lambda c: c.json_schema(), zom.json_schema])
def test_groups_and_arrays_have_models_of_their_own(made):
    both = made(Convention("both", attributes={"group": Flat, "array": Dggs}))
    faulty = {"attributes": {"dggs": 7}}
    assert not accepts(both, {**ARRAY, **faulty})
    assert not accepts(both, {"zarr_format": 2, "shape": [4], **faulty})
    assert not accepts(both, {**GROUP, **faulty})
    assert accepts(both, {**GROUP, "attributes": {"licence": "MIT", "dggs": 7}})
    assert accepts(both, {**ARRAY, "attributes": {"dggs": {"name": "a"}}})


def test_the_schema_of_one_kind_has_its_model_and_its_rules():
    made = Convention("both", attributes={"group": Flat, "array": Dggs}, rules=(RULE,)).json_schema(
        kind="array"
    )
    assert made["$id"] == "urn:zom:schema:v1:convention/both/array:validation:2020-12"
    assert list(made["properties"]["attributes"]["properties"]) == ["dggs"]
    assert [rule["id"] for rule in made[RULES]] == ["both/name-lower", "both/path-text", "both/attributes"]


class Scale(Part):
    type: Literal["scale"]
    scale: list[float]


class Shift(Part):
    type: Literal["shift"]
    shift: list[int | float]


class Other(Part):
    type: str
    by: int


class Steps(Attributes):
    step: Scale | Shift | Other | None = None
    level: Level | None = None


@pytest.mark.parametrize(
    ("attributes", "places"),
    [
        ({"step": {"type": "scale", "scale": [1]}}, []),
        ({"step": {"type": "shift", "shift": [1, 2.5]}}, []),
        ({"step": {"type": "turn", "by": 1}}, []),
        ({"step": None, "level": None}, []),
        ({"step": {"type": "scale"}}, ["step"]),
        ({"step": {"type": "scale", "scale": ["x"]}}, ["step/scale/0"]),
        ({"step": {"type": "turn", "by": "x"}}, ["step/by"]),
        ({"step": {"type": 7, "by": 1}}, ["step/type"]),
        ({"step": 7}, ["step"]),
        ({"level": {"path": 1}}, ["level/path"]),
        ({"level": 1}, ["level"]),
    ],
)
def test_one_fault_in_a_union_is_one_error(attributes, places):
    made = zom.json_schema(Convention("steps", attributes=Steps))
    errors = Draft202012Validator(made).iter_errors({**GROUP, "attributes": attributes})
    assert {"/".join(map(str, list(error.absolute_path)[1:])) for error in errors} == set(places)


class Named(Attributes):
    shape: str | None = Field(None, alias="spatial:shape", pattern="^[a-z]+$")


@pytest.mark.parametrize(
    ("attributes", "fits"),
    [({"shape": 7}, True), ({"spatial:shape": "ab"}, True), ({"spatial:shape": "ab\n"}, False)],
)
def test_keys_are_those_of_documents_and_patterns_are_of_whole_texts(attributes, fits):
    convention = Convention("named", attributes=Named)
    assert accepts(zom.json_schema(convention), {**GROUP, "attributes": attributes}) is fits
    assert (faults_in(Named, attributes) == []) is fits


def test_rules_are_there_as_data():
    *_, made = zom.json_schema(DGGS)[RULES]
    assert made == {
        "id": "dggs/title",
        "level": "SHOULD",
        "text": "there is a title",
        "source": "text",
        "check": "required",
        "params": {"at": "title"},
        "portable": True,
        "when": [{"has": "dggs"}],
        "on": "group",
        "expressed_in": "x-zom-rules",
    }


def test_a_convention_says_what_it_is():
    assert zom.json_schema(DGGS)[CONVENTION] == {
        "id": "dggs",
        "version": "v1",
        "uuid": "7b2",
        "owns": ["dggs"],
        "on": ["group", "array"],
        "formats": ["v2", "v3", "draft"],
        "found_by": "keys",
        "inherit": "none",
    }


def test_rules_say_where_they_are_expressed():
    rules = (RULE, CheckedRule("odd", python(lambda _site: ()), must="it is odd"))
    convention = Convention("dggs", attributes=Dggs, rules=rules)
    places = {rule["id"]: rule["expressed_in"] for rule in listed(convention)}
    assert places == {
        "dggs/path-text": "schema",
        "dggs/name-lower": "x-zom-rules",
        "dggs/attributes": "schema",
        "dggs/title": "x-zom-rules",
        "dggs/odd": "documentation",
    }
    assert share_of(convention) == ("dggs", 2, 2, 1)
    assert share_of(convention).portable == 0.8


def test_a_rule_of_several_checks_counts_by_the_least_of_them():
    rules = (RULE, CheckedRule("title", python(lambda _site: ()), should="there is a title"))
    assert share_of(Convention("dggs", rules=rules)) == ("dggs", 0, 0, 1)


def _odd(value):
    if value % 2 == 0:
        raise ValueError("an odd number")
    return value


class Odd(Attributes):
    number: Annotated[int, AfterValidator(_odd)] = 1


def test_what_a_model_says_in_python_is_listed_as_lost():
    made, losses = zom.json_schema(Convention("odd", attributes=Odd), report=True)
    assert [str(loss) for loss in losses] == ["Odd: the validator _odd"]
    assert "x-zom-not-expressed" not in made
    assert zom.json_schema(Convention("odd", attributes=Odd))["x-zom-not-expressed"] == [
        {"where": "Odd", "what": "the validator _odd"}
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_of_a_convention_is_valid_and_has_no_noise(name):
    made = zom.json_schema(f"convention/{name}")
    Draft202012Validator.check_schema(made)
    Draft7Validator.check_schema(zom.json_schema(f"convention/{name}", "draft-07"))
    assert made["$id"] == f"urn:zom:schema:v1:convention/{name}:validation:2020-12"
    assert {rule["expressed_in"] for rule in made[RULES]} <= set(PLACES)
    text = json.dumps({key: made[key] for key in made if key not in {RULES, CONVENTION, "title"}})
    assert '"default": null' not in text
    assert '"title": "' not in text


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_schema_refuses_what_breaks_a_rule_that_it_is_said_to_express(path):
    cases = load_cases(path)
    convention = conventions[cases[0].convention]
    validator = Draft202012Validator(convention.json_schema())
    in_schema = {convention.code(rule) for rule in convention.all_rules if expressed_in(rule) == "schema"}
    only = in_schema - {convention.code(rule) for rule in convention.all_rules if not rule.is_schema}
    for case in cases:
        for node, _ in case.findings or () if case.rule["rule"] in only else ():
            document = node_at(case.document, node)
            assert not validator.is_valid(document), (case.rule["rule"], case.name, node)


def node_at(document, path):
    for name in path.strip("/").split("/") if path != "/" else ():
        document = document["members"][name]
    return document


def test_a_check_of_the_package_is_not_hidden_by_a_module_of_its_name():
    modules = {module.name for module in iter_modules(zom.conventions.__path__)}
    assert modules & set(zom.conventions.__all__) == set()
