"""A rule of CF holds from the version that made it until one takes it back, not in datasets that name another one."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import zom
from zom import v3
from zom.conventions import conventions
from zom.testing.convention_cases import Case, load_cases

CASES = load_cases(Path(__file__).parents[1] / "conformance" / "conventions" / "cf.json")
SINCE = {code: int(rule.since[2:]) for code, rule in conventions["cf"].codes() if rule.since is not None}
"""The minor version of CF 1 that made a rule."""
UNTIL = {code: int(rule.until[2:]) for code, rule in conventions["cf"].codes() if rule.until is not None}
"""The one that took it back."""


def names_a_version(document: Any) -> bool:
    """Whether the root, and no group below it, says a version in a text."""
    said = document.get("attributes", {}).get("Conventions")
    return isinstance(said, str) and said.startswith("CF-1.")


BROKEN = [
    case
    for case in CASES
    if case.findings is not None and case.rule["rule"] in SINCE and names_a_version(case.document)
]


def found(case: Case, minor: int) -> set[str]:
    document = copy.deepcopy(case.document)
    document["attributes"]["Conventions"] = f"CF-1.{minor}"
    report = zom.validate(document, conventions=["cf"])
    return {problem.code for problem in (*report, *report.resting)}


@pytest.mark.slow
@pytest.mark.parametrize("case", BROKEN, ids=lambda case: f"{case.rule['rule']}-{case.name}")
def test_a_rule_holds_from_the_version_that_made_it(case):
    rule = case.rule["rule"]
    minor = SINCE[rule]
    said = int(case.document["attributes"]["Conventions"].split()[0].removeprefix("CF-1."))
    assert rule in found(case, minor) or said > minor
    assert rule in found(case, said)
    assert rule not in found(case, minor - 1)
    if rule in UNTIL:
        assert rule in found(case, UNTIL[rule] - 1)
        assert rule not in found(case, UNTIL[rule])


def test_a_rule_that_was_taken_back_says_why_it_was_skipped():
    time = v3.ArraySpec.build(
        shape=(2,),
        dtype="float64",
        dimension_names=["time"],
        attributes={"standard_name": "time", "units": "days since 2000-01-01", "calendar": "standard"},
    )
    reasons = {}
    for said in ("CF-1.11", "CF-1.12", "CF-1.13"):
        spec = v3.GroupSpec(attributes={"Conventions": said}, members={"time": time})
        report = zom.validate(spec, conventions=["cf"])
        count = next(each for each in report.rules if each.code == "cf/leap-seconds-given")
        reasons[said] = [*count.reasons]
    assert reasons == {
        "CF-1.11": ["a rule since version 1.12 until version 1.13; the node follows another one"],
        "CF-1.12": [],
        "CF-1.13": ["a rule since version 1.12 until version 1.13; the node follows another one"],
    }


def test_each_rule_that_a_version_made_is_shown_to_hold_from_there():
    # Rules that ask for values have no cases of documents.
    rules = [(code, rule) for code, rule in conventions["cf"].codes() if not rule.check.reads_values]
    made = {code for code, _ in rules if code in SINCE}
    assert len(made) > 60
    assert made - {case.rule["rule"] for case in BROKEN} == set()


def test_a_rule_of_a_later_version_says_why_it_was_skipped():
    t = v3.ArraySpec.build(
        shape=(), dtype="float32", attributes={"long_name": "t", "actual_range": [1.0, 2.0, 3.0]}
    )
    report = zom.validate(v3.GroupSpec(attributes={"Conventions": "CF-1.6"}, members={"t": t}))
    count = next(each for each in report.rules if each.code == "cf/actual-range")
    assert dict(count.reasons) == {"a rule since version 1.7; the node follows an older one": 1}


@pytest.mark.parametrize(
    "said", ["CF 1.6", "cf1_6", "CF Metadata Conventions 1.6", "Climate and Forecast (CF), version 1.6"]
)
def test_a_version_in_another_spelling_counts_as_meant(said):
    t = v3.ArraySpec.build(
        shape=(), dtype="float32", attributes={"long_name": "t", "actual_range": [1.0, 2.0, 3.0]}
    )
    report = zom.validate(
        v3.GroupSpec(attributes={"Conventions": said}, members={"t": t}), conventions=["cf"]
    )
    assert "cf/actual-range" not in {problem.code for problem in report}


@pytest.mark.parametrize(
    ("said", "is_cf"),
    [
        ("CF", True),
        ("ACDD-1.3 (CF)", True),
        ("cf metadata conventions", True),
        ("Climate and Forecast 1.8", True),
        ("climate-forecast", True),
        ("ACDD-1.3", False),
        ("NUG-1.0, cf. a page", False),
        ("ACFD 1.2", False),
        ("Arctic climate, forecast of ice", False),
    ],
)
def test_cf_is_found_where_it_is_named_in_any_words(said, is_cf):
    report = zom.validate(v3.GroupSpec(attributes={"Conventions": said}))
    assert ("cf" in {each.convention for each in report.conventions}) == is_cf
    assert ("cf/conventions" in {problem.code for problem in report}) == is_cf


def test_datasets_in_one_store_keep_their_versions():
    t = v3.ArraySpec.build(
        shape=(), dtype="float32", attributes={"long_name": "t", "actual_range": [1.0, 2.0, 3.0]}
    )
    old = v3.GroupSpec(attributes={"Conventions": "CF-1.6"}, members={"t": t})
    new = v3.GroupSpec(attributes={"Conventions": "CF-1.8"}, members={"t": t})
    report = zom.validate(v3.GroupSpec(members={"old": old, "new": new}), conventions=["cf"])
    assert [(problem.code, problem.node) for problem in report.of("error")] == [("cf/actual-range", "/new/t")]
