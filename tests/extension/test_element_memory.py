from __future__ import annotations

import numpy as np
import pytest

import zom.codecs
import zom.dtypes  # noqa: F401 - registers the data types
from zom.errors import CodecError
from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.element_memory import element_check, reordered, trim
from zom.extension.link import parse_links
from zom.extension.raw import Raw
from zom.extension.resolve import data_type, parse_v2


def raw(made, shape):
    return Raw(Block(shape, data_type(made), None))


def test_a_boolean_is_0_or_1():
    with pytest.raises(CodecError, match=r"expected 0 or 1 for each bool, found a byte 255 at \(1, 0\)"):
        raw("bool", (2, 2)).decode(b"\0\1\xff\1")


def test_a_boolean_field_is_0_or_1():
    made = np.dtype([("a", "<i2"), ("inner", [("b", "?")])])
    message = r"expected 0 or 1 for each bool of the field 'inner\.b', found a byte 7 at \(1\)"
    with pytest.raises(CodecError, match=message):
        raw(made, (2,)).decode(b"\0\0\1\2\2\7")


def test_a_boolean_of_a_field_with_a_shape_is_0_or_1():
    made = np.dtype([("many", "?", (3,))])
    with pytest.raises(CodecError, match=r"the field 'many', found a byte 2 at \(1\)"):
        raw(made, (2,)).decode(b"\0\1\0\1\2\0")


@pytest.mark.parametrize("order", ["<", ">"])
def test_text_ends_with_the_last_code_point(order):
    codes = np.array([[97, 0x10FFFF], [98, 0x110000]], f"{order}u4")
    with pytest.raises(CodecError, match=r"expected code points up to 0x10ffff, found 0x110000 at \(1\)"):
        raw(np.dtype(f"{order}U2"), (2,)).decode(codes.tobytes())


@pytest.mark.parametrize("endian", ["little", "big"])
def test_text_is_checked_in_the_order_that_is_stored(endian):
    codec = {"name": "bytes", "configuration": {"endian": endian}}
    chain = bind_chain(parse_links([codec]), Block((1,), data_type("<U1"), None))
    assert chain.decode((0x10FFFF).to_bytes(4, endian))[0] == "\U0010ffff"
    wrong = (0x110000).to_bytes(4, endian)
    with pytest.raises(CodecError, match="found 0x110000"):
        chain.decode(wrong)
    with pytest.raises(CodecError, match="found 0x110000"):
        chain.decode_into(wrong, np.empty(1, "<U1"))


@pytest.mark.parametrize("made", ["f4", ">i2", "M8[s]", "S3", "V5", [("a", "f4"), ("b", "S2")]])
def test_most_types_need_no_check_and_stay_fast(made):
    assert element_check(np.dtype(made)) is None
    assert trim(np.dtype(made)) is None
    assert raw(np.dtype(made), (2,)).plain


def test_the_upper_bits_of_narrow_integers_are_ignored():
    pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    # tensorstore writes 0x08 for -8, zarrs 0xf8.
    found = raw("int4", (4,)).decode(b"\x08\xf8\x17\x9f")
    assert found.astype(int).tolist() == [-8, -8, 7, -1]
    assert raw("uint2", (2,)).decode(b"\xff\x04").astype(int).tolist() == [3, 0]


def test_equal_narrow_elements_have_equal_bits():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    for name, codes in (("int4", b"\x08\xf8\x18"), ("uint4", b"\x08\xf8"), ("float6_e2m3fn", b"\x05\xc5")):
        found = raw(name, (len(codes),)).decode(codes)
        expected = found.astype("f4").astype(getattr(ml_dtypes, name))
        assert found.tobytes() == expected.tobytes()


def test_the_sign_of_narrow_integers_is_written_into_the_whole_byte():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    assert bytes(raw("int4", (3,)).encode(np.array([-8, -1, 7], ml_dtypes.int4))) == b"\xf8\xff\x07"
    assert bytes(raw("int2", (2,)).encode(np.array([-2, 1], ml_dtypes.int2))) == b"\xfe\x01"


@pytest.mark.parametrize("spelled", ["|S0", "<U0", "|V0", [["x", "<f4", [0]]]])
def test_elements_of_no_bytes_keep_their_type(spelled):
    block = Block((2, 3), parse_v2(spelled, None, []), None)
    found = Raw(block).decode(b"")
    assert (found.dtype, found.shape) == (block.dtype, (2, 3))
    assert bytes(Raw(block).encode(found)) == b""


def test_an_array_in_another_order_is_turned_around():
    assert bytes(raw("int16", (2,)).encode(np.array([1, 2], ">i2"))) == b"\1\0\2\0"


def test_an_array_of_another_type_is_refused():
    with pytest.raises(CodecError, match="expected elements of int16, found uint16"):
        raw("int16", (2,)).encode(np.array([1, 2], "u2"))


def test_dates_without_a_unit_are_turned_around():
    ticks = np.array([1, 258], "<i8")
    made = reordered(ticks.view("<M8"), np.dtype(">M8"))
    assert made.tobytes() == ticks.astype(">i8").tobytes()
