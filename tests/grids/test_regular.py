from __future__ import annotations

import pytest

from zom.extension.configuration import parse_configuration, words
from zom.grids.regular import RegularConfiguration, regular, wanted_rank
from zom.problems import rule


def judged(chunk_shape, shape):
    faults = []
    given = {"chunk_shape": chunk_shape}
    configuration = parse_configuration(RegularConfiguration, given, FORM, faults, path=HERE[:2])
    return regular.lengths(configuration, shape, faults, ("chunk_grid",)), faults


HERE = ("chunk_grid", "configuration", "chunk_shape")
FORM = rule("test/form", "a configuration fits", source="these tests")


@pytest.mark.parametrize("shape", [(10, 5), (1, 1), (0, 7), None])
def test_each_dimension_has_one_length(shape):
    assert judged([3, 4], shape) == (((3,), (4,)), [])


def test_no_dimensions_have_no_lengths():
    assert judged([], ()) == ((), [])


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [((4,), "a list of 1 length"), ((4, 4, 4), "a list of 3 lengths"), ((), "an empty list")],
)
def test_chunks_have_the_rank_of_the_array(shape, wanted):
    lengths, faults = judged([2, 2], shape)
    assert lengths is None
    assert [fault.rule.code for fault in faults] == ["chunk-grid/regular-rank"]
    assert [(fault.path, fault.expected, fault.found) for fault in faults] == [(HERE, wanted, "[2, 2]")]


def test_each_length_that_is_not_positive_is_a_fault_of_its_own():
    lengths, faults = judged([0, 4, -3], (5, 5, 5))
    assert lengths is None
    assert [fault.path for fault in faults] == [(*HERE, 0), (*HERE, 2)]
    assert [fault.rule.code for fault in faults] == ["chunk-grid/regular-positive"] * 2
    assert [(fault.expected, fault.found) for fault in faults] == [
        ("an integer of at least 1", "0"),
        ("an integer of at least 1", "-3"),
    ]


def test_zero_is_an_error():
    assert [fault.rule.code for fault in judged([0], None)[1]] == ["chunk-grid/regular-positive"]


@pytest.mark.parametrize("length", [True, 2.0, "2", None])
def test_a_length_is_an_integer(length):
    faults = []
    some = rule("test/regular", "a test", source="here")
    value = {"chunk_shape": [2, length]}
    assert parse_configuration(RegularConfiguration, value, some, faults) is None
    assert [(fault.path, fault.expected) for fault in faults] == [
        (("chunk_shape", 1), "an integer of at least 1")
    ]


def test_the_schema_asks_for_positive_lengths():
    schema = RegularConfiguration.model_json_schema()
    assert words(schema["properties"]["chunk_shape"]) == "a list, each an integer of at least 1"


def test_ranks_are_said_in_words():
    assert wanted_rank(1, ("entry", "entries")) == "a list of 1 entry"
