"""Alignment of data chunks with stored chunks, beside a count of who touches what."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zom import v3
from zom.errors import ConflictError
from zom.extension.axis import Axis
from zom.integrations.dask.alignment import (
    aligned_chunks,
    aligned_lengths,
    alignment_problems,
    check_alignment,
    find_cut,
    find_shared,
    stored_axes,
)


@st.composite
def axes(draw):
    length = draw(st.integers(1, 60))
    if draw(st.booleans()):
        return Axis(length, draw(st.integers(1, 70)))
    edges = draw(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 3)), min_size=1, max_size=6))
    covered = sum(size * count for size, count in edges)
    if covered < length:
        edges.append((length - covered, 1))
    return Axis.with_edges(length, edges)


@st.composite
def pieces(draw):
    axis = draw(axes())
    start = draw(st.integers(0, axis.length))
    stop = draw(st.integers(start, axis.length))
    cuts = sorted(draw(st.lists(st.integers(start, stop), max_size=6)))
    bounds = [start, *cuts, stop]
    return axis, start, [b - a for a, b in pairwise(bounds)]


def objects(axis, start, stop):
    return {axis.at(index)[0] for index in range(start, stop)}


def writers(axis, start, lengths):
    """For each piece the stored objects that it writes into."""
    found = []
    for length in lengths:
        found.append(objects(axis, start, start + length))
        start += length
    return found


def share(axis, start, lengths):
    touched = writers(axis, start, lengths)
    return any(a & b for i, a in enumerate(touched) for b in touched[i + 1 :])


@given(pieces())
def test_a_misfit_is_found_exactly_where_two_pieces_share_an_object(case):
    axis, start, lengths = case
    found = find_shared(lengths, axis, start)
    assert (found is not None) == share(axis, start, lengths)
    if found is not None:
        touched = writers(axis, start, lengths)
        assert found.stored in touched[found.piece]
        assert any(found.stored in other for other in touched[found.piece + 1 :])


@given(pieces())
def test_aligned_pieces_share_nothing_and_cover_the_same(case):
    axis, start, lengths = case
    made = aligned_lengths(lengths, axis, start)
    assert sum(made) == sum(lengths)
    assert not share(axis, start, made)
    if not share(axis, start, lengths):
        assert [each for each in made if each] == [each for each in lengths if each]


@given(pieces())
def test_a_cut_region_is_one_that_covers_an_object_in_part(case):
    axis, start, lengths = case
    stop = start + sum(lengths)
    partial = [
        number
        for number in objects(axis, start, stop)
        if axis.start(number) < start or min(axis.start(number) + axis.size(number), axis.length) > stop
    ]
    found = find_cut(start, stop, axis)
    assert (found is not None) == bool(partial)
    if found is None:
        return
    assert found.stored in partial
    low, high = found.outer
    assert low <= start
    assert high >= stop
    assert find_cut(low, high, axis) is None
    if found.inner is not None:
        assert start <= found.inner[0] < found.inner[1] <= stop
        assert find_cut(*found.inner, axis) is None


def test_shards_are_what_is_stored():
    plain = v3.ArraySpec.build(shape=(100, 7), dtype="int8", chunks=(5, 7))
    sharded = v3.ArraySpec.build(shape=(100, 7), dtype="int8", chunks=(5, 7), shards=(20, 7))
    assert [axis.regular for axis in stored_axes(plain)] == [5, 7]
    assert [axis.regular for axis in stored_axes(sharded)] == [20, 7]


def test_a_rectilinear_grid_has_its_own_boundaries():
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[10, 20, 30]]}}
    spec = v3.ArraySpec.build(shape=(60,), dtype="int8").replace(chunk_grid=grid)
    (axis,) = stored_axes(spec)
    assert find_shared([10, 20, 30], axis) is None
    assert aligned_chunks([[20, 20, 20]], [axis]) == ((30, 30),)


def test_each_dimension_has_its_problem():
    problems = alignment_problems("/t", [[3, 3], [4, 4]], [Axis(6, 2), Axis(8, 3)], names=["y", "x"])
    assert [str(each) for each in problems] == [
        (
            "/t: expected chunks of data that share no chunk of the array, found data chunk 0 along y, which writes "
            "[0:3] and shares chunk 1 ([2:4]) with data chunk 1; legal regions around it are [0:2] and [0:4]; "
            "rechunk the data to these"
        ),
        (
            "/t: expected chunks of data that share no chunk of the array, found data chunk 0 along x, which writes "
            "[0:4] and shares chunk 1 ([3:6]) with data chunk 1; legal regions around it are [0:3] and [0:6]; "
            "rechunk the data to these"
        ),
    ]


def test_a_region_within_one_chunk_has_one_legal_region_around_it():
    (problem,) = alignment_problems("/t", [[2]], [Axis(20, 10)], [12], whole=True, fix="write it all")
    assert str(problem) == (
        "/t: expected a region of whole chunks, since others may write next to it, found [12:14] along 0, which "
        "covers chunk 1 ([10:20]) in part; the legal region around it is [10:20], and there is none inside it; write it all"
    )


def test_pieces_that_fit_raise_nothing():
    assert alignment_problems("/t", [[10, 10], [5]], [Axis(20, 10), Axis(5, 5)], whole=True) == []
    check_alignment("data.zarr", [])


def test_problems_are_raised_together():
    problems = alignment_problems("/t", [[3, 3]], [Axis(6, 2)])
    with pytest.raises(ConflictError, match=r"data\.zarr: /t: expected chunks of data that share no chunk"):
        check_alignment("data.zarr", problems)
