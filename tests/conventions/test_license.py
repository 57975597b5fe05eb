"""license: SPDX expressions, and paths from one license to another."""

from __future__ import annotations

import pytest

import zom
from zom import v3
from zom.conventions.license import PUBLISHED, is_spdx_expression


def licensed(members=None, **form):
    attributes = {"zarr_conventions": [{**PUBLISHED.declaration, "name": "license"}], "license": form}
    return v3.GroupSpec(attributes=attributes, members={} if members is None else members)


def codes(spec, *ignored):
    return [
        (problem.code, problem.node)
        for problem in zom.validate(spec, conventions=["license"])
        if problem.code not in ignored
    ]


@pytest.mark.parametrize(
    "text",
    [
        "MIT", "CC0-1.0", "NONE", "NOASSERTION", "GPL-2.0+", " MIT ", "MIT OR Apache-2.0", "MIT or Apache-2.0", "(MIT)",
        "((MIT) AND (ISC OR 0BSD))", "GPL-2.0-only WITH Classpath-exception-2.0", "LicenseRef-a", "MIT AND(ISC)",
        "DocumentRef-a.b:LicenseRef-c", "GPL-3.0-or-later WITH AdditionRef-x",
    ],
)  # fmt: skip
def test_expressions_of_spdx(text):
    assert is_spdx_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "MIT License", "MIT,ISC", "MIT/ISC", "OR", "MIT OR", "AND MIT", "MIT OR AND ISC", "(MIT", "MIT)", "()",
        "MIT (ISC)", "MIT Or ISC", "a_b", "GPL WITH (x)", "ref:MIT", "MÏT", "MIT WITH", "+",
    ],
)  # fmt: skip
def test_texts_that_are_no_expressions_of_spdx(text):
    assert not is_spdx_expression(text)


def test_a_path_may_lead_over_others_to_a_license():
    spec = v3.GroupSpec(
        members={"a": licensed(path="../b"), "b": licensed(path="../c"), "c": licensed(spdx="MIT")}
    )
    assert codes(spec, "license/spdx-given", "license/rootward") == []


def test_a_cycle_is_told_at_the_nodes_that_are_on_it_and_not_before():
    spec = v3.GroupSpec(
        members={"a": licensed(path="../b"), "b": licensed(path="../c"), "c": licensed(path="../b")}
    )
    found = codes(spec, "license/spdx-given", "license/rootward")
    assert found == [("license/path-cycle", "/b"), ("license/path-cycle", "/c")]


def test_a_path_to_members_that_were_not_read_is_not_missing():
    spec = v3.GroupSpec(attributes=licensed(path="a").attributes)
    assert codes(spec, "license/spdx-given") == []


def test_the_published_example_of_a_list_breaks_text_and_schema():
    spec = v3.GroupSpec(
        attributes={**licensed().attributes, "license": [{"path": "path/to/group_or_array"}]}, members={}
    )
    assert "license/attributes" in [code for code, _ in codes(spec)]
    report = zom.validate(spec, conventions=["license"], profile="schema")
    assert "license/attributes" in [problem.code for problem in report]
