"""docs/conventions-rules.md: every check, parameter, fact and condition is described there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import zom.conventions
from zom.checks.check import names_of_checks
from zom.checks.selector import FACTS
from zom.conventions import above, at_root, conventions, has, is_a, is_like, is_value, lacks
from zom.conventions.framework.convention_schema import identity

PAGE = (Path(__file__).parents[2] / "docs" / "conventions-rules.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"#### `(\w+)`\n(.*?)(?=\n#|\Z)", PAGE, re.DOTALL))


def test_the_page_describes_the_checks_that_there_are():
    assert set(SECTIONS) == {*names_of_checks(), "schema", "python"}


@pytest.mark.parametrize("name", names_of_checks())
def test_the_page_names_the_parameters_of_a_check_in_their_order(name):
    said = re.findall(r"`(\w+)`", SECTIONS[name].partition(".")[0])
    assert said == list(inspect.signature(getattr(zom.conventions, name)).parameters)


def test_the_page_names_every_fact():
    (table,) = re.findall(r"\| fact \|.*?\n\n", PAGE, re.DOTALL)
    assert set(re.findall(r"`@(\w+)`", table)) == set(FACTS)


def test_the_page_names_every_condition():
    (table,) = re.findall(r"\| condition \|.*?\n\n", PAGE, re.DOTALL)
    told = {frozenset(re.findall(r'"(\w+)":', line)) for line in table.splitlines()[2:]} - {frozenset()}
    made = [
        has("a"),
        lacks("a"),
        is_value("a", 1),
        is_like("a", "b"),
        is_a("group"),
        at_root(has("a")),
        above(has("a")),
    ]
    assert told == {frozenset(condition) for condition in made}


def test_the_page_names_every_member_of_a_rule_and_of_an_identity():
    for convention in conventions:
        for rule in convention.json_schema()["x-zom-rules"]:
            assert {name for name in rule if f"`{name}`" not in PAGE} == set()
        words = {"title", "link", "declared"}  # of people, and of declarations
        assert {name for name in identity(convention) if f"`{name}`" not in PAGE} <= words
