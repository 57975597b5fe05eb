"""JSON values that can't change: freezing, thawing, equality."""

from __future__ import annotations

import copy
import enum
import json
import math
import pickle
from collections import OrderedDict
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zom.json.exact import exact_key, exact_text, same
from zom.json.value import JSONDict, JSONList, freeze, thaw

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(scalars, lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=20)


def frozen(value, **options):
    faults = []
    return freeze(value, faults, **options), faults


def only(faults):
    (fault,) = faults
    return (fault.rule.code, fault.path, fault.expected, fault.found, fault.fix)


@given(values)
def test_a_frozen_value_equals_the_value(value):
    made, faults = frozen(value)
    assert made == value
    assert faults == []
    assert json.dumps(made) == json.dumps(value)


@given(values)
def test_freezing_again_shares_the_frozen_value(value):
    made, _ = frozen(value)
    assert frozen(made)[0] is made


@given(values)
def test_a_thawed_value_is_equal_and_ordinary(value):
    made = thaw(frozen(value)[0])
    assert json.dumps(made) == json.dumps(value)
    waiting = [made]
    while waiting:
        item = waiting.pop()
        assert not isinstance(item, (JSONDict, JSONList))
        waiting += item.values() if isinstance(item, dict) else item if isinstance(item, list) else []


def test_thawing_makes_lists_of_tuples():
    assert thaw(({"a": (1, 2)},)) == [{"a": [1, 2]}]


def test_a_value_of_any_depth_thaws():
    deep = JSONList()
    for _ in range(20_000):
        deep = JSONList([deep])
    made, depth = thaw(deep), 0
    while made:
        made, depth = made[0], depth + 1
    assert depth == 20_000


MESSAGE_DICT = r"this JSON object can't change; make a changed copy of the spec with replace\(\)"
MESSAGE_LIST = r"this JSON list can't change; make a changed copy of the spec with replace\(\)"


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.__setitem__("a", 2),
        lambda d: d.__delitem__("a"),
        lambda d: d.update(a=2),
        lambda d: d.pop("a"),
        lambda d: d.popitem(),
        lambda d: d.setdefault("b", 1),
        lambda d: d.clear(),
        lambda d: d.__ior__({"b": 1}),
    ],
)
def test_no_method_changes_an_object(change):
    value = JSONDict({"a": 1})
    with pytest.raises(TypeError, match=MESSAGE_DICT):
        change(value)
    assert value == {"a": 1}


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.__setitem__(0, 2),
        lambda x: x.__delitem__(0),
        lambda x: x.__iadd__([1]),
        lambda x: x.__imul__(2),
        lambda x: x.append(1),
        lambda x: x.extend([1]),
        lambda x: x.insert(0, 1),
        lambda x: x.pop(),
        lambda x: x.remove(1),
        lambda x: x.clear(),
        lambda x: x.reverse(),
        lambda x: x.sort(),
    ],
)
def test_no_method_changes_a_list(change):
    value = JSONList([1, 0])
    with pytest.raises(TypeError, match=MESSAGE_LIST):
        change(value)
    assert value == [1, 0]


@given(values)
def test_copies_are_the_value_itself_and_pickles_are_equal(value):
    made, _ = frozen({"in": [value]})
    assert copy.copy(made) is made
    assert copy.deepcopy(made) is made
    assert copy.copy(made["in"]) is copy.deepcopy(made["in"]) is made["in"]
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is JSONDict
    assert type(again["in"]) is JSONList
    assert same(again, made)


def test_equal_values_have_equal_hashes():
    left, right = frozen({"a": [1, {"b": 0.0}]})[0], frozen({"a": [True, {"b": False}]})[0]
    assert left == right
    assert hash(left) == hash(right)


@given(values, values)
def test_hash_agrees_with_equality(left, right):
    left, right = frozen([left])[0], frozen([right])[0]
    assert left != right or hash(left) == hash(right)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.arange(4).reshape(2, 2), [[0, 1], [2, 3]]),
        (np.array(5), 5),
        ((1, (2,)), [1, [2]]),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (MappingProxyType({"a": np.uint64(2**64 - 1)}), {"a": 2**64 - 1}),
        (enum.IntEnum("Color", ["RED"]).RED, 1),
        (enum.StrEnum("Unit", [("M", "metre")]).M, "metre"),
        (np.float64(1.5), 1.5),
    ],
    ids=repr,
)
def test_what_stands_for_json_becomes_json(value, plain):
    made, faults = frozen({"x": value})
    assert faults == []
    assert same(made["x"], plain)
    assert type(made["x"]) in {int, float, bool, str, JSONDict, JSONList}


@pytest.mark.parametrize(
    ("number", "name"),
    [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity"), (np.float32("nan"), "NaN")],
)
def test_a_number_that_is_not_finite_stays_a_float(number, name):
    made, faults = frozen({"a": [number]}, path=("attributes",))
    assert made == {"a": [math.nan if name == "NaN" else float(name)]}
    assert not same(made, {"a": [name]})
    assert same(made, frozen({"a": [float(name)]})[0])
    assert hash(made) == hash(frozen({"a": [float(name)]})[0])
    again, told = frozen({"b": made})
    assert again == {"b": made}
    assert [fault.path for fault in told] == [("b", "a", 0)]
    assert only(faults) == (
        "json/not-finite",
        ("attributes", "a", 0),
        "a finite number",
        name,
        f'write it as "{name}"',
    )


@pytest.mark.parametrize(
    "value", [{1, 2}, b"x", 1j, np.complex64(1), np.datetime64("2020"), object], ids=repr
)
def test_what_is_no_json_becomes_null_with_a_fault(value):
    made, faults = frozen([value])
    assert made == [None]
    code, path, expected, found, fix = only(faults)
    assert (code, path, expected) == ("json/not-json", (0,), "a JSON value")
    assert found == f"a Python {type(value).__name__}"
    assert fix == "convert it to numbers, text, lists or mappings"


def test_names_must_be_strings():
    made, faults = frozen({"a": {1: 2, "b": 3}})
    assert made == {"a": {"b": 3}}
    assert only(faults) == ("json/not-json", ("a",), "names that are strings", "the int 1", None)


def test_half_a_character_is_spelled_out():
    made, faults = frozen({"a": "x\ud800", "\udc00": 1})
    assert made == {"a": "x\\ud800", "\\udc00": 1}
    assert [(f.rule.code, f.path, f.found) for f in faults] == [
        ("json/surrogate", ("a",), "\\ud800 at character 1"),
        ("json/surrogate", ("\\udc00",), "\\udc00 at character 0"),
    ]
    assert faults[0].expected == "text without lone surrogates"


def test_names_with_different_halves_stay_different():
    assert len(frozen({chr(0xD800): 1, chr(0xD801): 2})[0]) == 2


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("limit", [1, 5, 128])
def test_values_nest_as_deep_as_the_limit_and_no_deeper(limit):
    assert frozen(nested(limit), depth=limit) == (nested(limit), [])
    made, faults = frozen(nested(limit + 1), depth=limit)
    assert made == json.loads(json.dumps(nested(limit + 1)).replace("[1]", "null"))
    assert only(faults) == (
        "json/depth",
        (0,) * limit,
        f"values nested at most {limit} deep",
        "deeper nesting",
        None,
    )


def test_a_value_that_contains_itself_is_a_fault_each_time():
    value = []
    value += [value, {"again": value}]
    made, faults = frozen(value)
    assert made == [None, {"again": None}]
    assert [(f.rule.code, f.path, f.expected, f.found) for f in faults] == [
        ("json/not-json", (0,), "a JSON value", "a value that contains itself"),
        ("json/not-json", (1, "again"), "a JSON value", "a value that contains itself"),
    ]


def test_a_value_may_stand_in_two_places():
    shared = {"a": np.int8(1)}
    assert frozen([shared, shared]) == ([{"a": 1}, {"a": 1}], [])


def test_three_faults_are_three():
    _, faults = frozen({"a": math.nan, "b": {3}, "c": ["\ud800"]})
    assert [f.path for f in faults] == [("a",), ("b",), ("c", 0)]


@given(values)
def test_a_value_is_the_same_as_its_text_read_again(value):
    again = json.loads(json.dumps(value))
    assert same(value, again)
    assert exact_key(value) == exact_key(again)
    assert hash(exact_key(value)) == hash(exact_key(again))


@pytest.mark.slow
@given(st.dictionaries(st.text(), values))
def test_the_order_of_names_does_not_count(value):
    assert same(value, dict(reversed(value.items())))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, True),
        (0, False),
        (1, 1.0),
        (0.0, -0.0),
        ("1", 1),
        (None, False),
        ([], {}),
        ([1, 2], [2, 1]),
        ({"a": 1}, {"a": True}),
        ([["bool", True]], [True]),
        ([], [[]]),
        (2**63, float(2**63)),
    ],
)
def test_values_of_different_kind_are_not_the_same(left, right):
    assert not same(left, right)
    assert exact_key(left) != exact_key(right)


def test_tuples_and_lists_are_the_same_json():
    assert same((1, (2,)), [1, [2]])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        (None, "null"),
        ([], {}),
        ("1", 1),
        ({"a": None}, {}),
        (2**70, 2.0**70),
    ],
)
def test_exact_text_tells_values_apart_that_python_calls_equal(left, right):
    assert exact_text([left]) != exact_text([right])


def test_exact_text_is_there_for_values_too_deep_for_the_compiled_writer():
    deep = []
    for _ in range(400):
        deep = [deep]
    assert exact_text(deep) == exact_text([deep[0]]) != exact_text([deep])


# -- values in several places --------------------------------------------------------------------------


def shared(levels, *, times=10, leaf=1):
    value = leaf
    for _ in range(levels):
        value = [value] * times
    return value


def test_values_that_stand_in_several_places_are_frozen_once():
    made, faults = frozen({"a": shared(5), "b": shared(3)})
    assert faults == []
    assert made["a"][0] is made["a"][9]
    assert made["a"][1][2][3][4] == [1] * 10


@pytest.mark.parametrize("leaf", [1, {1, 2}, math.nan, np.float64(1)], ids=repr)
@pytest.mark.parametrize("kind", ["list", "dict", "numpy"])
def test_values_that_would_be_written_too_often_are_refused(leaf, kind):
    value = shared(40, leaf=leaf)
    if kind == "dict":
        value = leaf
        for _ in range(100):
            value = {"x": value, "y": value}
    elif kind == "numpy":
        value = [np.zeros(1000)] * 2000
    _, faults = frozen({"deep": value})
    found = [fault for fault in faults if fault.rule.code == "json/repeats"]
    assert len(found) == 1
    assert found[0].expected == "at most 1048576 repeated values"
    assert found[0].path[0] == "deep"
    assert found[0].fix == "repeat fewer values"


def test_what_is_frozen_already_counts_wherever_it_stands():
    part, _ = frozen(shared(5))
    assert frozen([part] * 5)[1] == []
    assert [fault.rule.code for fault in frozen([part] * 20)[1]] == ["json/repeats"]


def test_as_many_values_as_there_are_may_stand_in_one_place_each():
    assert frozen([[0] for _ in range(1 << 17)], repeats=100)[1] == []


def test_a_list_that_holds_itself_often_is_told_of_at_once():
    value = []
    value.extend([value] * 50)
    _, faults = frozen({"a": value})
    assert {(fault.rule.code, fault.found) for fault in faults} == {
        ("json/not-json", "a value that contains itself")
    }


@given(
    st.recursive(scalars | st.floats(), lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=20)
)
def test_the_exact_text_of_a_frozen_value_is_that_of_a_plain_one(value):
    made, _ = frozen(value)
    assert exact_text(made) == exact_text(thaw(made))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_no_exact_text_of_a_float_is_that_of_null(number):
    for inside in (JSONDict(a=JSONList([number])), JSONList([JSONDict(a=number)])):
        assert b"null" not in exact_text(inside)
