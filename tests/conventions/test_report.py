"""Reports in every format: what stands in them, and that readers of the format can read it."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator

import zom
from zom import schemas, v3
from zom.conventions import CheckedRule, Convention, conventions, required, shared_dims
from zom.conventions.report.github import github_of
from zom.conventions.report.json import lines_of, list_of
from zom.conventions.report.junit import junit_of
from zom.conventions.report.sarif import sarif_of
from zom.problems import Problem
from zom.testing.convention_cases import load_cases

CORPUS = sorted((Path(__file__).parents[1] / "conformance" / "conventions").glob("*.json"))
SCHEMA = json.loads(schemas.text("report/1.json"))
VALIDATOR = Draft202012Validator(SCHEMA)
LINE = Draft202012Validator({**SCHEMA, "$ref": "#/$defs/line", "required": [], "properties": {}})

FILMS = Convention(
    "films",
    "2",
    owns=("films",),
    rules=(
        CheckedRule(
            "title", required("title"), must="there is a title", fix="add it", link="https://example.org/t"
        ),
        CheckedRule("year", required("year"), should="there is a year"),
        CheckedRule("dims", shared_dims(), must="arrays sharing a dimension agree", when=({"has": "dims"},)),
    ),
)


def report(attributes=None, **more):
    spec = v3.GroupSpec(attributes={"films": 1} if attributes is None else attributes, members={})
    return zom.validate(spec, conventions=[FILMS], **more)


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """The report of a store in which one node has a strange name."""
    monkeypatch.chdir(tmp_path)
    films = v3.GroupSpec(attributes={"films": 1}, members={})
    with pytest.warns(zom.SpecWarning, match="a name that Windows doesn't reserve"):
        zom.materialize(v3.GroupSpec(members={"a b%,:": films}), "s.zarr")
    made = zom.validate("s.zarr", conventions=[FILMS])
    return replace(made, subject="s.zarr", store="s.zarr")


def many(number):
    made = report()
    problem = made.problems[0]
    return replace(made, problems=tuple(replace(problem, node=f"/{place}") for place in range(number)))


# -- text -----------------------------------------------------------------------------------------------


def test_text_has_a_line_for_each_finding_and_says_what_was_checked():
    assert report().text(verbose=True).splitlines() == [
        'error: attributes.title: expected a value at "title", found nothing; add it [films/title]',
        'warning: attributes.year: expected a value at "year", found nothing [films/year]',
        "spec: 1 error, 1 warning",
        "films/2: found at 1 node, first at /: has films",
        "rules: 0 passed, 2 failed, 1 not applicable",
        "  failed at 1 node: films/title: there is a title",
        "  failed at 1 node: films/year: there is a year",
        "  not applicable, its condition is not met: films/dims",
    ]
    assert report().text().splitlines() == report().text(verbose=True).splitlines()[:-1]


def test_text_says_loudly_that_nothing_was_checked():
    assert (
        "NOTHING WAS CHECKED but Zarr itself: no convention was found" in zom.validate(v3.GroupSpec()).text()
    )


def test_text_says_loudly_that_no_rule_applies():
    only = Convention("only", owns=("only",), rules=FILMS.rules[2:])
    found = zom.validate(v3.GroupSpec(attributes={"only": 1}, members={}), conventions=[only])
    assert "NOTHING WAS CHECKED but Zarr itself: no rule of only applies" in found.text()


def test_text_names_the_document_in_the_store_with_line_and_column(stored):
    first = next(line for line in stored.text().splitlines() if "[films/title]" in line)
    assert re.match(r"s\.zarr/a b%,:/zarr\.json:\d+:\d+: error: /a b%,:: attributes\.title: ", first)


def test_text_can_be_limited():
    lines = many(100).text(limit=3).splitlines()
    assert lines[3] == "    ... and 97 more of films/title"
    assert sum("[films/title]" in line for line in lines) == 3


def test_text_counts_what_is_suppressed():
    assert "spec: 1 warning, 1 suppressed" in report(suppress="films/title").text()


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "a\u2028b", "a\x1bb", "\ud800"])
def test_a_name_with_characters_that_nobody_sees_stays_on_its_line(name):
    made = report()
    made = replace(made, problems=(replace(made.problems[0], node=f"/{name}"),))
    assert made.text().splitlines()[0].endswith("[films/title]")
    assert made.github().count("\n") == 1
    ET.fromstring(made.junit())
    json.loads(made.sarif())


# -- JSON -----------------------------------------------------------------------------------------------


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_reports_of_the_corpus_fit_the_schema(path):
    """One case in five: Python's jsonschema takes longer than all of zom."""
    wrong: list[str] = []
    for place, case in enumerate(load_cases(path)[::5]):
        made = zom.validate(case.document, profile="full", suppress="*/*@/**/a")
        wrong += [error.message for error in VALIDATOR.iter_errors(made.to_dict())]
        if place % 4 == 0:
            lines = made.json_lines().splitlines()
            wrong += [error.message for line in lines for error in LINE.iter_errors(json.loads(line))]
    assert wrong == []


@pytest.mark.parametrize(
    ("member", "value"), [("report", 2), ("profile", "x"), ("findings", {}), ("counts", {}), ("digest", "x")]
)
def test_the_schema_refuses_what_is_no_report(member, value):
    assert not VALIDATOR.is_valid({**report().to_dict(), member: value})


def test_the_schema_refuses_a_line_that_is_neither_finding_nor_summary():
    assert not LINE.is_valid({"type": "finding", "subject": "spec"})


def test_json_tells_findings_with_what_the_rule_says():
    (first, _) = report().to_dict()["findings"]
    assert first == {
        "file": "spec",
        "code": "films/title",
        "severity": "error",
        "node": "/",
        "pointer": "/attributes/title",
        "expected": 'a value at "title"',
        "found": "nothing",
        "fix": "add it",
        "message": 'attributes.title: expected a value at "title", found nothing; add it',
        "convention": "films/2",
        "level": "MUST",
        "source": "text",
        "link": "https://example.org/t",
    }


def test_json_tells_what_became_of_every_rule():
    made = report({"films": 1, "title": "t"})
    assert [(each["code"], each["outcome"]) for each in made.to_dict()["rules"]] == [
        ("films/title", "passed"),
        ("films/year", "failed"),
        ("films/dims", "not applicable"),
    ]


def test_json_keeps_what_is_suppressed_apart():
    made = report(suppress="films/*").to_dict()
    assert (made["findings"], len(made["suppressed"]), made["ok"]) == ([], 2, True)


def test_several_reports_are_a_list():
    assert [each["subject"] for each in json.loads(list_of([report(), report()]))] == ["spec", "spec"]


def test_lines_end_with_the_summary_of_their_report():
    lines = [json.loads(line) for line in lines_of([report(), report()]).splitlines()]
    assert [line["type"] for line in lines] == ["finding", "finding", "summary"] * 2
    assert lines[2]["rules"] == {"passed": 0, "failed": 2, "not applicable": 1}


# -- SARIF ----------------------------------------------------------------------------------------------


def sarif(*reports):
    (run,) = json.loads(sarif_of(reports))["runs"]
    return run


def test_sarif_has_the_rules_that_fired_with_link_level_and_text():
    first, second = sarif(report())["tool"]["driver"]["rules"]
    assert (first["id"], first["helpUri"], first["defaultConfiguration"]) == (
        "films/title",
        "https://example.org/t",
        {"level": "error"},
    )
    assert first["fullDescription"] == {"text": "MUST: there is a title"}
    assert second["defaultConfiguration"] == {"level": "warning"}


def test_sarif_says_where_a_result_is_in_the_file_and_in_the_hierarchy(stored):
    (result,) = (each for each in sarif(stored)["results"] if each["ruleId"] == "films/title")
    (location,) = result["locations"]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "s.zarr/a%20b%25%2C%3A/zarr.json"
    assert physical["region"]["startLine"] > 1
    assert location["logicalLocations"] == [
        {"name": "/a b%,:", "fullyQualifiedName": "/a b%,:#/attributes/title", "kind": "property"}
    ]


def test_a_result_of_which_no_line_is_known_has_the_first():
    (location,) = sarif(report())["results"][0]["locations"]
    assert location["physicalLocation"]["region"] == {"startLine": 1}


@pytest.mark.parametrize(
    ("store", "uri"),
    [
        ("/data/a b.zarr", "file:///data/a%20b.zarr/t/zarr.json"),
        ("s3://bucket/a%20b.zarr/", "s3://bucket/a%20b.zarr/t/zarr.json"),
        ("c:d.zarr", "c%3Ad.zarr/t/zarr.json"),
        ("\udcff.zarr", "%FF.zarr/t/zarr.json"),
    ],
)
def test_the_place_of_a_file_is_a_uri(store, uri):
    made = report()
    made = replace(made, store=store, problems=(replace(made.problems[0], key="t/zarr.json"),))
    (location,) = sarif(made)["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_sarif_marks_what_is_suppressed():
    results = sarif(report(suppress="films/title"))["results"]
    found = {each["ruleId"]: [s["kind"] for s in each.get("suppressions", ())] for each in results}
    assert found == {"films/title": ["external"], "films/year": []}


def test_sarif_of_a_sound_hierarchy_has_no_rules():
    assert sarif(report({"films": 1, "title": 1, "year": 1}))["tool"]["driver"]["rules"] == []


def test_several_reports_are_one_run_with_each_rule_once():
    run = sarif(report(), report({"films": 1, "title": 1}))
    ids = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert (sorted(set(ids)), len(run["results"])) == (sorted(ids), 3)


def test_results_lead_to_their_rule():
    run = sarif(
        zom.validate(
            '{"zarr_format": 3, "node_type": "grp", "attributes": {"films": 1}}', conventions=[FILMS]
        )
    )
    rules = run["tool"]["driver"]["rules"]
    assert {each["ruleId"] for each in run["results"]} == {
        rules[each["ruleIndex"]]["id"] for each in run["results"]
    }
    (own,) = (each for each in rules if each["id"] == "v3/node-type")
    assert (own["id"], own["defaultConfiguration"]) == ("v3/node-type", {"level": "error"})


def test_related_nodes_are_related_locations():
    made = report()
    made = replace(made, problems=(replace(made.problems[0], related=("/a", "/b")),))
    related = sarif(made)["results"][0]["relatedLocations"]
    assert [each["logicalLocations"][0]["name"] for each in related] == ["/a", "/b"]


# -- JUnit ----------------------------------------------------------------------------------------------


def cases(text):
    return {
        (suite.get("name"), case.get("name")): {child.tag: child for child in case}
        for suite in ET.fromstring(text)
        for case in suite
    }


def test_junit_has_a_suite_for_each_place_and_a_case_for_each_convention_that_is_there():
    assert set(cases(report().junit())) == {("spec", "zarr"), ("spec", "films/2")}


def test_junit_tells_failures_and_warnings_of_a_group():
    found = cases(report().junit())
    assert set(found["spec", "zarr"]) == set()
    case = found["spec", "films/2"]
    assert (case["failure"].get("message"), case["failure"].get("type")) == ("1 finding", "error")
    assert (case["failure"].text or "").endswith("[films/title]")
    assert (case["system-out"].text or "").endswith("[films/year]")


def test_junit_says_why_no_rule_of_a_convention_applied():
    only = Convention("only", owns=("only",), rules=FILMS.rules[2:])
    made = zom.validate(v3.GroupSpec(attributes={"only": 1}, members={}), conventions=[only])
    skipped = cases(made.junit())["spec", "only"]["skipped"]
    assert skipped.get("message") == "its condition is not met"


def test_a_report_leaves_versions_out_that_a_hierarchy_does_not_follow():
    about = {"version": "0.5", "multiscales": []}
    made = zom.validate(v3.GroupSpec(attributes={"ome": about}, members={}), conventions=["ome"])
    assert {each.convention for each in made.rules} == {"ome/0.5"}
    assert {group for _, group in cases(made.junit())} == {"zarr", "ome/0.5"}


def test_junit_leaves_conventions_out_that_are_nowhere():
    made = zom.validate(v3.GroupSpec(attributes={}, members={}), conventions=["ome"])
    assert len({each.convention for each in made.rules}) > 3
    assert {group for _, group in cases(made.junit())} == {"zarr"}


def test_junit_makes_failures_of_what_is_asked_for():
    (failure,) = (
        case["failure"]
        for (_, group), case in cases(report().junit(fail_on="warning")).items()
        if group == "films/2"
    )
    assert failure.get("message") == "2 findings"


def test_junit_counts_what_it_holds():
    root = ET.fromstring(junit_of([report(), report({"films": 1, "title": 1})]))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("4", "1", "0")
    assert len(root.findall("./testsuite/testcase")) == 4
    assert len(root.findall(".//failure")) == 1


def test_junit_has_a_case_for_the_rules_of_zarr():
    made = zom.validate('{"zarr_format": 3, "node_type": "grp"}')
    assert set(cases(made.junit())["document", "zarr"]) == {"failure"}


# -- GitHub ---------------------------------------------------------------------------------------------


def test_github_escapes_what_ends_a_property_or_a_message(stored):
    first = next(line for line in stored.github().splitlines() if "title=films/title" in line)
    assert first.startswith("::error file=s.zarr/a b%25%2C%3A/zarr.json,line=")
    assert ",title=films/title::/a b%25,:: attributes.title: expected a value" in first


def test_github_calls_a_note_a_notice():
    made = report()
    made = replace(made, problems=(replace(made.problems[0], severity="note"),))
    assert github_of([made]).startswith("::notice file=spec,line=1,title=films/title::")


# -- all of them ----------------------------------------------------------------------------------------


def test_many_findings_are_all_told():
    made = many(10_000)
    codes = Counter(json.loads(made.sarif())["runs"][0]["results"][at]["ruleId"] for at in (0, -1))
    assert codes == {"films/title": 2}
    assert made.json_lines().count("\n") == 10_001
    assert made.junit().count("[films/title]") == 10_000
    assert made.github().count("\n") == 10_000
    assert len(made.text(limit=10)) < 2_000


def test_a_finding_of_a_convention_says_which_version_it_is_of():
    assert {each.name for each in conventions} >= {"xarray"}
    problem = report().problems[0]
    assert isinstance(problem, Problem)
    newer = Convention("films", "3", owns=("films",), version_at=("films",), rules=FILMS.rules)
    made = zom.validate(v3.GroupSpec(attributes={"films": "3"}, members={}), conventions=[newer])
    assert made.to_dict()["findings"][0]["convention"] == "films/3"


@pytest.mark.parametrize("text", ["", "[]", '{"zarr_format": 3,', "{'zarr_format': 3}", '"a"', b"\xff{}"])
@pytest.mark.parametrize("asked", ["auto", ["ome/0.5"], ["xarray", "cf"]])
def test_what_is_no_object_of_json_is_one_fault(tmp_path, text, asked):
    path = tmp_path / "a.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert len(zom.validate(path, conventions=asked).problems) == 1
