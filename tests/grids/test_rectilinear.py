from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zom.extension.configuration import parse_configuration
from zom.grids.rectilinear import RectilinearConfiguration, rectilinear
from zom.problems import rule

SOME = rule("test/rectilinear", "a test", source="here")
HERE = ("chunk_grid", "configuration", "chunk_shapes")


def judged(chunk_shapes, shape):
    faults = []
    configuration = RectilinearConfiguration(kind="inline", chunk_shapes=chunk_shapes)
    return rectilinear.lengths(configuration, shape, faults, ("chunk_grid",)), faults


def test_the_example_of_the_specification():
    shapes = [4, [1, 2, 3], [[4, 2]], [[1, 3], 3], [4, 4, 4]]
    assert judged(shapes, (6, 6, 6, 6, 6)) == (((4,), (1, 2, 3), (4,), (1, 3), (4,)), [])


def test_a_count_may_be_huge():
    assert judged([[[1, 10**18]]], (10**18,)) == (((1,),), [])


def test_an_empty_dimension_may_have_no_chunks():
    assert judged([[], 3], (0, 3)) == (((), (3,)), [])


def test_each_dimension_is_covered():
    _, faults = judged([[2, 3], 1, [[2, 2]]], (6, 6, 5))
    assert [fault.rule.code for fault in faults] == ["chunk-grid/rectilinear-covers"] * 2
    assert [(fault.path, fault.expected, fault.found) for fault in faults] == [
        ((*HERE, 0), "lengths whose sum is at least 6", "[2, 3], whose sum is 5"),
        ((*HERE, 2), "lengths whose sum is at least 5", "[[2, 2]], whose sum is 4"),
    ]


def test_there_are_lengths_for_each_dimension():
    lengths, faults = judged([2], (2, 2))
    assert lengths is None
    assert [(fault.rule.code, fault.path, fault.expected, fault.found) for fault in faults] == [
        ("chunk-grid/rectilinear-rank", HERE, "a list of 2 entries", "1 entry")
    ]
    assert judged([2, 2], (2,))[1][0].found == "2 entries"


def test_lengths_are_known_without_a_shape():
    assert judged([[3, 1, 3]], None) == (((1, 3),), [])


@pytest.mark.parametrize(
    ("chunk_shapes", "places"),
    [
        ([0], [(0,)]),
        ([[2, 0, -1]], [(0, 1), (0, 2)]),
        ([[[2, 0]]], [(0, 0, 1)]),
        ([[[2]]], [(0, 0)]),
        ([[[1, 2, 3]]], [(0, 0)]),
        ([2.0], [(0,)]),
        ([[True]], [(0, 0)]),
    ],
)
def test_a_length_that_is_none_is_an_error_in_its_place(chunk_shapes, places):
    faults = []
    value = {"kind": "inline", "chunk_shapes": chunk_shapes}
    assert parse_configuration(RectilinearConfiguration, value, SOME, faults) is None
    assert [fault.path for fault in faults] == [("chunk_shapes", *place) for place in places]


def test_the_only_kind_is_inline():
    faults = []
    parse_configuration(RectilinearConfiguration, {"kind": "file", "chunk_shapes": [1]}, SOME, faults)
    assert [(fault.path, fault.expected) for fault in faults] == [(("kind",), '"inline"')]


def expanded(edges):
    return [edge for run in edges for edge in ([run] if isinstance(run, int) else [run[0]] * run[1])]


sizes = st.integers(1, 3)


@given(st.lists(sizes | st.lists(sizes, min_size=2, max_size=2)))
def test_the_canonical_spelling_means_the_same_and_is_its_own(edges):
    canonical = RectilinearConfiguration(kind="inline", chunk_shapes=[edges]).canonical()
    assert expanded(canonical["chunk_shapes"][0]) == expanded(edges)
    assert RectilinearConfiguration.model_validate(canonical).canonical() == canonical


def test_a_step_is_not_a_list():
    shapes = RectilinearConfiguration(kind="inline", chunk_shapes=[3, [3]]).canonical()["chunk_shapes"]
    assert shapes == [3, [3]]
