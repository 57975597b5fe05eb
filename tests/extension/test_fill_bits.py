from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom.dtypes.bytes
import zom.dtypes.object
from zom.extension.bound import Block
from zom.extension.fill_bits import FillTest, fill_cell, is_fill
from zom.extension.resolve import data_type

QUIET = np.uint32(0x7FC00000).view(np.float32)
PAYLOAD = np.uint32(0x7FC00001).view(np.float32)
SIGNALING = np.uint32(0x7F800001).view(np.float32)

FILLS = [
    np.bool_(True),
    np.int8(-1),
    np.uint16(0xBEEF),
    np.int32(0),
    np.float32(-0.0),
    PAYLOAD,
    SIGNALING,
    np.complex64(1 - 2j),
    np.complex128(complex(0.0, math.nan)),
    np.datetime64("2020-01-01", "s"),
    np.timedelta64("NaT", "ms"),
    np.bytes_(b"abc"),
    np.str_("é¢"),
    np.void(b"\0\1\2"),
    np.array((1, -0.0), "i2,f8")[()],
]


def full(shape, fill):
    made = np.zeros(shape, fill.dtype)
    made[...] = fill_cell(fill.dtype, fill)
    return made


@pytest.mark.parametrize("fill", FILLS, ids=repr)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 3, 4), (300, 400)], ids=str)
def test_an_array_of_fill_is_fill(fill, shape):
    assert is_fill(full(shape, fill), fill)


@pytest.mark.parametrize("fill", FILLS, ids=repr)
@pytest.mark.parametrize("place", [0, 1, 16_384, 65_536, 119_998, 119_999])
def test_one_bit_makes_a_difference_wherever_it_is(fill, place):
    array = full((300, 400), fill)
    raw = array.reshape(-1).view(np.uint8)
    raw[place * array.itemsize] ^= 1
    assert not is_fill(array, fill)


@pytest.mark.parametrize("fill", FILLS, ids=repr)
def test_the_last_bit_of_an_element_counts(fill):
    array = full((300,), fill)
    array.view(np.uint8)[-1] ^= 0x80
    assert not is_fill(array, fill)


@pytest.mark.parametrize(
    ("value", "fill"),
    [(-0.0, 0.0), (0.0, -0.0), (PAYLOAD, QUIET), (QUIET, PAYLOAD), (SIGNALING, QUIET)],
    ids=repr,
)
def test_what_is_equal_as_a_number_may_differ_in_bits(value, fill):
    assert not is_fill(full(3, np.float32(value)), np.float32(fill))


def test_nan_is_the_fill_value_nan():
    assert is_fill(np.full((2, 2), np.nan, "f4"), np.float32(np.nan))


def test_an_array_without_elements_is_fill():
    assert is_fill(np.zeros((3, 0)), 1.0)


def test_elements_without_bytes_are_fill():
    assert is_fill(np.zeros(3, "S0"), b"")


def test_text_is_compared_to_its_end():
    assert not is_fill(np.array(["a", "ab"]), np.str_("a"))
    assert is_fill(np.array(["a", "a"], "U7"), "a")


def test_the_byte_order_of_the_array_does_not_matter():
    test = FillTest(Block((4,), data_type("float32"), np.float32(1.5)))
    assert test(np.full(4, 1.5, ">f4"))
    assert not test(np.full(4, 2.5, ">f4"))


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.sampled_from(["i1", "<f4", ">i8", "S3", "c16"]),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_every_view_of_an_array_is_judged_as_its_copy(shape, dtype, data):
    whole = np.zeros([2 * length for length in shape], dtype)
    steps = [data.draw(st.sampled_from([slice(None), slice(3), slice(None, None, -2)])) for _ in shape]
    view = whole[tuple(steps)].transpose(data.draw(st.permutations(range(len(shape)))))
    assert is_fill(view, whole.dtype.type())
    place = tuple(data.draw(st.integers(0, length - 1)) for length in view.shape)
    view[place] = 1
    assert not is_fill(view, whole.dtype.type())
    assert is_fill(whole[tuple(steps)], whole.dtype.type()) == (not whole[tuple(steps)].any())


def test_large_rows_that_are_no_neighbours_are_looked_at_whole():
    whole = np.zeros((4, 3, 40_000), "f4")
    view = whole[:, :2, 1:]
    assert is_fill(view, np.float32(0))
    whole[3, 1, -1] = 1
    assert not is_fill(view, np.float32(0))
    whole[3, 1, -1], whole[3, 2, -1] = 0, 1
    assert is_fill(view, np.float32(0))


def test_an_element_that_is_larger_than_all_else_is_compared_whole():
    array = np.zeros((2, 3), "V70000")
    assert is_fill(array[:, ::2], np.void(bytes(70_000)))
    array.view("u1")[1, -1] = 1
    assert not is_fill(array[:, ::2], np.void(bytes(70_000)))


def test_what_broadcasting_repeats_is_looked_at_once():
    zeros = np.broadcast_to(np.zeros((3, 1)), (3, 1 << 40))
    assert is_fill(zeros, 0.0)
    assert not is_fill(np.broadcast_to(np.array([[0.0], [1.0]]), (2, 1 << 40)), 0.0)


def test_text_of_any_length_is_compared_as_text():
    test = FillTest(Block((3,), data_type("string"), "no"))
    assert test(np.full(3, "no", np.dtypes.StringDType()))
    assert not test(np.array(["no", "no", "yes"], np.dtypes.StringDType()))


def test_byte_strings_are_compared_as_such():
    test = FillTest(Block((3,), zom.dtypes.bytes.BytesType(), b""))
    array = np.full(3, b"", object)
    assert test(array)
    array[2] = b"\0"
    assert not test(array)
    array[2] = ""
    assert not test(array)


@pytest.mark.parametrize(
    ("value", "fill"), [(True, 1), (-0.0, 0.0), (1.0, 1), ([1], [True]), ({"a": 0}, {"a": 0})], ids=repr
)
def test_objects_that_may_differ_are_not_taken_for_fill(value, fill):
    array = np.empty(1, object)
    array[0] = value
    assert not FillTest(Block((1,), zom.dtypes.object.ObjectType("json2"), fill))(array)


def test_an_object_is_itself():
    test = FillTest(Block((2,), zom.dtypes.object.ObjectType("json2"), None))
    assert test(np.array([None, None], object))
    assert not test(np.array([None, 0], object))


@pytest.mark.parametrize("fill", [PAYLOAD, SIGNALING], ids=["quiet", "signaling"])
def test_all_bits_of_a_fill_value_arrive(fill):
    made = full((3,), fill)
    assert set(made.view(np.uint32).tolist()) == {int(fill.view(np.uint32))}
