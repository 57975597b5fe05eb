"""The validation flavour against the model, document by document of the conformance corpus."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from zom import rules
from zom.formats.families import ENTRY_POINT, FAMILIES
from zom.model.assembly import assemble
from zom.problems import pointer_of
from zom.schema import json_schema, not_expressible

CORPUS = Path(__file__).parents[1] / "conformance"
VALIDATORS = {"2020-12": Draft202012Validator, "draft-07": Draft7Validator}


def load():
    for form in FAMILIES:
        for path in sorted((CORPUS / form).glob("*.json")):
            for case in json.loads(path.read_text(encoding="utf-8")):
                if isinstance(case.get("document"), dict):
                    yield pytest.param(form, case, id=f"{form}/{path.stem}/{case['name']}")


CASES = list(load())


@lru_cache
def validator(name: str, draft: str) -> Any:
    return VALIDATORS[draft](json_schema(name, draft))


@lru_cache
def unsaid(form: str) -> frozenset[str]:
    return frozenset(entry["code"] for entry in not_expressible(form))


def errors_of_model(form, case):
    family = ENTRY_POINT if "kind" in case else FAMILIES[form]
    return [p for p in assemble(family, case["document"], "strict")[1] if p.severity == "error"]


def name_of(form, case):
    return "draft/entry-point" if "kind" in case else f"{form}/node"


def places(error):
    yield pointer_of(error.absolute_path)
    for inner in error.context:
        yield from places(inner)


@pytest.mark.parametrize("draft", VALIDATORS)
@pytest.mark.parametrize(("form", "case"), CASES)
def test_a_schema_and_the_model_agree_but_for_the_rules_that_are_listed(form, case, draft):
    errors = errors_of_model(form, case)
    accepted = validator(name_of(form, case), draft).is_valid(case["document"])
    if not errors:
        assert accepted
    elif accepted:
        assert {problem.code for problem in errors} <= unsaid(form)


@pytest.mark.parametrize(("form", "case"), CASES)
def test_one_fault_is_told_at_its_place(form, case):
    errors = errors_of_model(form, case)
    if len(errors) != 1 or not rules()[errors[0].code].schema:
        return
    told = validator(name_of(form, case), "2020-12").iter_errors(case["document"])
    found = {place for error in told for place in places(error)}
    wanted = errors[0].pointer
    near = {place for place in found if place.startswith(wanted)} | (found & {wanted.rpartition("/")[0]})
    if errors[0].found == "nothing":
        # What is missing is told of the object that lacks it; that object may be missing, too.
        near |= found & {"/".join(wanted.split("/")[:-2])}
    assert near


def test_every_rule_that_is_refused_is_either_said_or_listed():
    kinds = {"v2", "v3", "draft", "codec", "fill-value", "data-type", "chunk-grid", "definition"}
    listed = unsaid("v2") | unsaid("v3") | unsaid("draft")
    for code, rule in rules().items():
        if code.partition("/")[0] in kinds and rule.strict == "error" and code not in listed:
            assert rule.schema or code in {"fill-value/cast", "data-type/conversion"}, code
