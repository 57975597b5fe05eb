"""Byte ranges that are joined."""

from hypothesis import given
from hypothesis import strategies as st

from zom.stores.ranges import near


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 50))), st.integers(0, 99), st.integers(50, 300)
)
def test_near_spans_are_joined(pairs, gap, longest):
    spans = [(start, start + length) for start, length in pairs]
    found = near(spans, gap=gap, longest=longest)
    assert all(any(a <= start and stop <= b for a, b in found) for start, stop in spans)
    assert all(any(a == start for start, _ in spans) for a, _ in found)
    assert found == sorted(found)
    wanted = {n for start, stop in spans for n in range(start, stop)}
    for a, b in found:
        assert b - a <= max(longest, 50)
        missing = "".join("." if n in wanted else "x" for n in range(a, b)).split(".")
        assert max(map(len, missing)) <= gap
