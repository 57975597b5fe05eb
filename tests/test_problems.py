"""Problems and rules: severities, pointers, and values as messages print them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.json.read
from zom.errors import ExtensionError
from zom.problems import Fault, Problem, Rule, dotted, pointer_of, rule, rules, show, split_pointer

assert zom.json.read


def test_a_rule_is_known_by_its_code_once_it_is_declared():
    made = rule("test/known", "a text", source="this test")
    assert rules()["test/known"] is made


def test_the_same_rule_may_be_declared_again():
    assert rule("test/twice", "a text", source="here") == rule("test/twice", "a text", source="here")


def test_two_rules_cannot_share_a_code():
    rule("test/code", "one text", source="here")
    with pytest.raises(ExtensionError, match="a rule with the code 'test/code' exists already: one text"):
        rule("test/code", "another text", source="here")


def test_rules_come_in_the_order_of_their_codes():
    assert list(rules()) == sorted(rules())


def test_changing_the_view_of_the_rules_changes_no_rule():
    rules().clear()  # type: ignore[attr-defined]
    assert "json/duplicate-key" in rules()


@pytest.mark.parametrize("level", ["lenient", "strict", "closed"])
def test_each_level_has_its_own_severity(level):
    made = Rule("test/levels", "text", "source", lenient=None, strict="warning", closed="error")
    assert made.severity(level) == {"lenient": None, "strict": "warning", "closed": "error"}[level]


def test_a_name_given_twice_is_an_error_except_for_lenient_readers():
    made = rules()["json/duplicate-key"]
    assert (made.lenient, made.strict, made.closed) == ("warning", "error", "error")


def test_a_fault_needs_no_fix():
    made = Fault(rules()["json/depth"], (), "less", "more")
    assert made.fix is None


def placed(**facts):
    return Problem("v3/shape", "error", "/t2m", "/members/t2m/shape/0", ("shape", 0), "1", "2", **facts)


def test_a_problem_says_where_what_and_what_to_do():
    text = str(placed(fix="write 1", line=3, column=9))
    assert text == "/t2m: shape[0]: expected 1, found 2 (line 3, column 9); write 1"


@pytest.mark.parametrize("root", ["/", ""])
def test_the_root_is_not_named_in_front_of_a_problem(root):
    assert str(Problem("v3/shape", "error", root, "", (), "1", "2")) == "expected 1, found 2"


def test_a_problem_as_json_has_only_what_is_known():
    assert placed().to_dict() == {
        "code": "v3/shape",
        "severity": "error",
        "node": "/t2m",
        "pointer": "/members/t2m/shape/0",
        "expected": "1",
        "found": "2",
    }


def test_a_problem_as_json_has_everything_that_is_known():
    facts = placed(fix="f", key="t2m/zarr.json", line=1, column=2, related=("/a",)).to_dict()
    assert [facts[name] for name in ("fix", "key", "line", "column", "related")] == [
        "f",
        "t2m/zarr.json",
        1,
        2,
        ["/a"],
    ]
    assert json.loads(json.dumps(facts)) == facts


steps = st.lists(st.text() | st.integers(0, 9).map(str))


@given(steps)
def test_a_pointer_leads_back_to_its_steps(path):
    assert split_pointer(pointer_of(path)) == tuple(path)


def test_pointers_escape_as_rfc_6901_says():
    assert pointer_of(["a/b", "m~n", "~1", "", 0]) == "/a~1b/m~0n/~01//0"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("codecs", 1, "configuration", "level"), "codecs[1].configuration.level"),
        (("attributes", "a b"), "attributes['a b']"),
        (("chunk-shape", "x_y"), "chunk-shape.x_y"),
        ((0, ""), "[0]['']"),
        (("Größe",), "Größe"),
    ],
)
def test_paths_read_as_people_write_them(path, text):
    assert dotted(path) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        ('a"\\', '"a\\"\\\\"'),
        ("\n\x00\ud800é", '"\\n\\u0000\\ud800é"'),
        (2**300, "an integer of 301 bits"),
        ({"a": [1, {}], "b": ()}, '{"a": [1, {}], "b": []}'),
        ([[[[[[1]]]]]], "[[[[[...]]]]]"),
        (np.zeros((2, 2)), "array([[0., 0.], [0., 0.]])"),
        (print, "<built-in function print>"),
    ],
    ids=repr,
)
def test_values_are_shown_on_one_line(value, text):
    assert show(value) == text


def test_a_problem_is_told_on_one_line_whatever_names_hold():
    problem = Problem("x/y", "error", "/a\nb", "/attributes", ("c\rd",), "e\x1b[31m", "f\u2028g", "h\n")
    assert str(problem) == "/a\\nb: ['c\\rd']: expected e\\u001b[31m, found f\\u2028g; h\\n"


def test_a_long_value_is_cut():
    assert show("x" * 100) == '"' + "x" * 76 + "..."
    assert show(list(range(10**6)), 20) == "[0, 1, 2, 3, 4, 5..."


@pytest.mark.slow
@given(st.recursive(st.none() | st.text() | st.floats() | st.integers(), st.lists), st.integers(4, 90))
def test_no_value_is_shown_longer_than_allowed_or_on_two_lines(value, limit):
    text = show(value, limit)
    assert len(text) <= limit
    assert text.isprintable()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(), lambda inner: st.lists(inner, max_size=3), max_leaves=6
    )
)
def test_a_short_value_is_shown_as_json(value):
    text = show(value, 10_000)
    assert "..." in text or json.loads(text) == value


def codes_in(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in {"rule", "_stated"}:
            yield from (each.value for each in node.args[:1] if isinstance(each, ast.Constant))


@pytest.mark.slow
def test_every_rule_is_known_to_who_asks_for_all():
    source = Path(zom.__file__).parent
    files = [file for file in source.rglob("*.py") if not file.is_relative_to(source / "testing")]
    said = {code for file in files for code in codes_in(ast.parse(file.read_text()))}
    code = "import zom; print(*zom.rules())"  # in a process of its own, where nothing else is imported
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said - set(done.stdout.split()) == set()
    assert "template/rank" in said
