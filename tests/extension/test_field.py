from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field

from zom.extension.configuration import Configuration, field_words, parse_configuration, schema_of
from zom.extension.field import EncodingOnly, ForEncoding, Interval, OrAbsent, Required, required, tolerated
from zom.problems import rule
from zom.schema.configuration_schema import configuration_schema

FORM = rule("test-field/form", "a configuration fits", source="these tests")
LEVEL = rule("test-field/level", "there is a level", source="these tests", lenient="warning")
SIZE = rule(
    "test-field/size", "there is a size unless there is no mode", source="these tests", lenient="warning"
)
POSITIVE = rule("test-field/positive", "numbers are positive", source="these tests", lenient="warning")


class Example(Configuration):
    """Of each kind of declaration one."""

    needed: Annotated[int, Interval(-1, 2)]
    level: Annotated[OrAbsent[Annotated[int, Interval(0, 9)]], Required(LEVEL), EncodingOnly(6)] = None
    mode: Literal["none", "fast", "slow"] = "none"
    size: Annotated[
        OrAbsent[Annotated[int, Interval(1)]], Required(SIZE, given=("mode", ("fast", "slow")), fix="add it")
    ] = None
    numbers: list[Annotated[int, Interval(1, rule=POSITIVE)]] = Field(default_factory=list)
    width: Annotated[int, Interval(1, rule=POSITIVE)] | None = None
    hint: ForEncoding[Annotated[int, Interval(high=4)]] = 3


WHOLE = {"needed": 0, "level": 3}


def judged(**members):
    faults = []
    made = parse_configuration(Example, {**WHOLE, **members}, FORM, faults)
    return made, [(fault.rule.code, fault.path, fault.expected, fault.found, fault.fix) for fault in faults]


def test_what_keeps_every_limit_has_no_faults():
    made, faults = judged(mode="fast", size=1, numbers=[1], width=1)
    assert (made.needed, made.level, made.size, faults) == (0, 3, 1, [])


@pytest.mark.parametrize(("value", "found"), [(-2, "-2"), (3, "3"), ("0", '"0"')])
def test_a_limit_is_checked_and_said_from_one_declaration(value, found):
    made, faults = judged(needed=value)
    assert made is None
    assert faults == [("test-field/form", ("needed",), "an integer from -1 to 2", found, None)]


def test_a_required_member_that_is_missing_is_a_fault_of_its_rule_and_the_rest_is_read():
    faults = []
    made = parse_configuration(Example, {"needed": 0}, FORM, faults, path=("at",))
    assert made.level is None
    assert [(fault.rule.code, fault.path, fault.expected, fault.found) for fault in faults] == [
        ("test-field/level", ("at", "level"), "an integer from 0 to 9", "nothing")
    ]


@pytest.mark.parametrize(("mode", "missed"), [("none", False), ("fast", True), ("slow", True)])
def test_a_member_may_be_required_by_the_value_of_another(mode, missed):
    _, faults = judged(mode=mode)
    wanted = ("test-field/size", ("size",), "an integer of at least 1", "nothing", "add it")
    assert faults == ([wanted] if missed else [])


def test_numbers_outside_of_tolerated_limits_are_read_with_a_fault_each():
    made, faults = judged(numbers=[0, 1, -1], width=0)
    assert (made.numbers, made.width) == ([0, 1, -1], 0)
    assert [(code, path, found) for code, path, _, found, _ in faults] == [
        ("test-field/positive", ("numbers", 0), "0"),
        ("test-field/positive", ("numbers", 2), "-1"),
        ("test-field/positive", ("width",), "0"),
    ]
    assert {expected for _, _, expected, _, _ in faults} == {"an integer of at least 1"}


def test_what_only_encoding_needs_is_replaced_where_it_is_wrong():
    made, faults = judged(level=10, hint=5)
    assert (made.level, made.hint) == (6, 3)
    assert [(code, path, expected) for code, path, expected, _, _ in faults] == [
        ("codec/encoding-parameter", ("level",), "an integer from 0 to 9"),
        ("codec/encoding-parameter", ("hint",), "an integer of at most 4"),
    ]


def test_the_json_schema_comes_from_the_same_declarations():
    schema = configuration_schema(Example)
    assert schema["required"] == required(Example) == ["needed", "level"]
    assert schema["properties"]["needed"] == {"type": "integer", "minimum": -1, "maximum": 2}
    assert schema["properties"]["numbers"]["items"] == {"type": "integer", "minimum": 1}
    assert schema["if"] == {"properties": {"mode": {"enum": ["fast", "slow"]}}, "required": ["mode"]}
    assert schema["then"] == {"required": ["size"], "properties": {"size": True}}
    assert "default" not in schema_of(Example)["properties"]["needed"]


def test_only_limits_with_a_rule_are_tolerated():
    assert [(each.name, each.each) for each in tolerated(Example)] == [("numbers", True), ("width", False)]


def test_the_words_of_a_field_are_those_of_its_message():
    assert field_words(Example, "hint") == "an integer of at most 4"
