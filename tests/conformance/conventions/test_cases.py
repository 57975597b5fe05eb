"""Every rule of every convention that zom ships, on documents that keep it and documents that break it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import zom
from zom.conventions import conventions
from zom.problems import pointer_of
from zom.testing.convention_cases import load_cases

FILES = sorted(Path(__file__).parent.glob("*.json"))
CASES = [case for path in FILES for case in load_cases(path)]
SHIPPED = {convention.name for convention in conventions}


def name_of(case):
    kind = "keeps" if case.findings is None else "breaks"
    return f"{case.convention}-{case.rule['rule']}-{kind}-{case.name}"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_rule_is_kept_or_broken_exactly_there(case):
    report = zom.validate(case.document, conventions=[case.convention], profile=case.profile)
    code = case.rule["rule"]
    # Whether another finding speaks in its place or not: each rule is judged by itself.
    every = [problem for problem in (*report.problems, *report.resting) if problem.code == code]
    found = [(problem.node, pointer_of(problem.inside)) for problem in every]
    assert Counter(found) == Counter(case.findings or [])
    (count,) = (each for each in report.rules if (each.code, each.convention) == (code, case.convention))
    if case.findings is None:
        assert count.passed, dict(count.reasons)
    else:
        assert count.failed or all(problem in report.resting for problem in every)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_case_is_valid_zarr(case):
    assert [
        str(problem)
        for problem in zom.validate(case.document, conventions=()).problems
        if problem.severity == "error"
    ] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_cases_say_what_the_rules_say(path):
    cases = load_cases(path)
    convention = conventions[cases[0].convention]
    rules = dict(convention.codes())
    for rule in {case.rule["rule"]: case.rule for case in cases}.values():
        own = rules[rule["rule"]]
        assert (rule["level"], rule["text"], rule["source"], rule["link"], rule.get("fix")) == (
            own.level,
            own.text,
            own.source,
            own.link,
            own.fix,
        )


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_every_rule_has_a_case_that_keeps_it_and_one_that_breaks_it(name):
    own = [case for case in CASES if case.convention == name]
    kept = {case.rule["rule"] for case in own if case.findings is None}
    broken = {case.rule["rule"] for case in own if case.findings is not None}
    # Documents hold no values: what asks for those is shown in tests/conventions/test_values.py.
    with_cases = {case.convention for case in CASES} - {name}
    others = [each for each in conventions if each.name in with_cases]
    # A version may have the very rules of another one: their cases are that one's.
    shared = {id(rule) for each in others for _, rule in each.codes()}
    rules = {
        code
        for code, rule in conventions[name].codes()
        if not rule.check.reads_values and id(rule) not in shared
    }
    assert rules - kept == set()
    assert rules - broken == set()
