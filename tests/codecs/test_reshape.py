from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("shape", "lengths", "result"),
    [
        ([[0, 1], [2], 3], (100, 50, 64, 3), ((5000,), (64,), (3,))),
        ([-1], (2, 3), ((6,),)),
        ([2, -1], (4, 6), ((2,), (12,))),
        ([], (), ()),
        ([1, [0], []], (5,), ((1,), (5,), (1,))),
        ([[0], [1, 2]], ((2, 3), 4, (5, 6)), ((2, 3), (20, 24))),
        ([-1], ((2, 3), 4), None),
        ([6], None, None),
    ],
)
def test_the_new_lengths_follow_from_the_old_ones(through, shape, lengths, result):
    verdict = through("reshape", {"shape": shape}, lengths)
    assert verdict.faults == []
    assert verdict.result.lengths == result


@pytest.mark.parametrize(
    ("shape", "lengths", "code", "place", "expected", "found"),
    [
        ([0, 24], (4, 6), "size", (0,), "a positive integer, -1, or a list of input dimensions", "0"),
        ([-1, -1], (4, 6), "once", (1,), "-1 at most once", "another -1"),
        ([[0, 2]], (4, 6), "dimensions", (0, 1), "a dimension below 2", "2"),
        ([[1], [0]], (4, 6), "dimensions", (1, 0), "a dimension after 1", "0"),
        ([[1, 0]], (4, 6), "dimensions", (0, 1), "a dimension after 1", "0"),
        ([5, 5], (4, 6), "product", (), "a shape of 24 elements", "[5, 5], of 25 elements"),
        ([5, -1], (4, 6), "product", (), "sizes whose product divides 24", "[5, -1]"),
        ([4, [0], 6], (4, 6, 4), "aligned", (1,), "1 element before and 24 after", "4 and 6"),
    ],
)
def test_a_shape_that_does_not_fit_is_an_error(through, shape, lengths, code, place, expected, found):
    verdict = through("reshape", {"shape": shape}, lengths)
    assert verdict.codes == [f"codec/reshape-{code}"]
    assert verdict.places == [("codecs", 0, "configuration", "shape", *place)]
    assert verdict.said == [(expected, found)]


def test_every_size_that_is_wrong_is_reported(chain):
    codecs = [{"name": "reshape", "configuration": {"shape": [-2, "a", [-1]]}}, "bytes"]
    verdict = chain(codecs, (4,), "uint8")
    assert [place[4:] for place in verdict.places] == [(0,), (1,), (2, 0)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.data())
def test_reshaping_keeps_the_number_of_elements(through, lengths, data):
    cut = data.draw(st.integers(0, len(lengths)))
    shape = [-1, *([place] for place in range(cut, len(lengths)))]
    verdict = through("reshape", {"shape": shape}, lengths)
    assert verdict.faults == []
    assert verdict.result.count == math.prod(lengths)
