from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def test_lengths_follow_the_order(through):
    assert through("transpose", {"order": [2, 0, 1]}, (4, 5, 6)).result.lengths == ((6,), (4,), (5,))


@pytest.mark.parametrize("order", [[0, 0], [0, 2], [0], [0, 1, 2], [-1, 0]])
def test_an_order_is_a_permutation(through, order):
    verdict = through("transpose", {"order": order}, (4, 6))
    assert verdict.codes == ["codec/transpose-order"]
    assert verdict.places == [("codecs", 0, "configuration", "order")]
    assert verdict.said == [("a permutation of the dimensions 0 to 1", str(order))]
    assert verdict.result.lengths is None


def test_without_dimensions_the_order_is_empty(through):
    assert through("transpose", {"order": []}, ()).faults == []
    assert through("transpose", {"order": [0]}, ()).said == [("an empty list", "[0]")]


@pytest.mark.parametrize("order", [[0, 0], [1]])
def test_an_order_is_a_permutation_even_of_an_unknown_rank(through, order):
    assert through("transpose", {"order": order}, None).codes == ["codec/transpose-order"]


@pytest.mark.parametrize(
    ("order", "lengths", "fix"), [("C", ((4,), (6,)), "[0, 1]"), ("F", ((6,), (4,)), "[1, 0]")]
)
def test_the_constants_are_read_with_a_warning(through, order, lengths, fix):
    verdict = through("transpose", {"order": order}, (4, 6))
    assert verdict.codes == ["codec/transpose-order-name"]
    assert verdict.said == [("a list of dimensions", f'"{order}"')]
    assert verdict.faults[0].fix == f"write {fix}"
    assert (verdict.faults[0].rule.lenient, verdict.faults[0].rule.strict) == ("warning", "error")
    assert verdict.result.lengths == lengths


def test_an_order_must_be_spelled(chain):
    verdict = chain(["transpose", "bytes"], (4, 6), "uint8")
    assert verdict.places == [("codecs", 0, "configuration", "order")]
    assert verdict.said == [('a list, each an integer or "C" or "F"', "nothing")]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.integers(1, 9), max_size=5).flatmap(
        lambda s: st.tuples(st.just(s), st.permutations(range(len(s))))
    )
)
def test_a_permutation_keeps_the_number_of_elements(through, case):
    lengths, order = case
    assert through("transpose", {"order": list(order)}, lengths).result.count == math.prod(lengths)
