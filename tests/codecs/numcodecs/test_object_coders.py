"""The object codecs of v2: equal to numcodecs on what it writes, and deaf to what data claims."""

from __future__ import annotations

import datetime as dt
import json
import struct
import sys

import numpy as np
import pytest
from numcodecs import JSON, Categorize, VLenArray

import zom.dtypes  # noqa: F401 - registers the types
from zom.dtypes.object import ObjectType
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block, Stream
from zom.extension.codec import Elements, codecs
from zom.extension.resolve import data_type, parse_v2

ITEMS = ["a", None, 1.5, [1, [2]], {"k": [True]}, "é\u2028", 2**70, [], -1, ""]


def objects(items, shape=None):
    made = np.empty(len(items), object)
    for index, item in enumerate(items):
        made[index] = item
    return made.reshape(shape or (len(items),))


def bound(name, shape, **members):
    codec = codecs[f"numcodecs.{name}"]
    block = Block(shape, ObjectType(name), None)
    return codec.bind(codec.v2_configuration(**members), block, Stream(None, 1 << 20))


def refusal(coder, data):
    with pytest.raises(CodecError) as caught:
        coder.decode(data)
    return str(caught.value)


@pytest.mark.parametrize("shape", [(10,), (2, 5), (5, 1, 2)])
def test_json_is_that_of_numcodecs(shape):
    chunk = objects([item for item in ITEMS if not isinstance(item, list)] + ["x", "y"], shape)
    assert bytes(bound("json2", shape).encode(chunk)) == JSON().encode(chunk)
    decoded = bound("json2", shape).decode(JSON().encode(chunk))
    assert decoded.dtype == chunk.dtype
    assert decoded.shape == shape
    assert decoded.tolist() == JSON().decode(JSON().encode(chunk)).tolist()


def test_lists_stay_elements():
    chunk = objects([[1, 2], [3, 4], []])
    coder = bound("json2", (3,))
    assert coder.decode(coder.encode(chunk)).tolist() == [[1, 2], [3, 4], []]


def test_json_without_dimensions():
    chunk = objects(["x"], ())
    assert bytes(bound("json2", ()).encode(chunk)) == JSON().encode(chunk)
    assert bound("json2", ()).decode(JSON().encode(chunk)).item() == "x"


def test_json_without_elements():
    coder = bound("json2", (0, 3))
    assert coder.decode(coder.encode(np.empty((0, 3), object))).shape == (0, 3)


@pytest.mark.parametrize(
    "options",
    [
        {"encoding": "utf-16"},
        {"ensure_ascii": False},
        {"indent": 2},
        {"indent": "\t", "separators": [",", ":"]},
        {"sort_keys": False},
        {"skipkeys": True},
        {"check_circular": False, "strict": False},
    ],
)
def test_the_options_of_json_are_those_of_numcodecs(options):
    chunk = objects([{"b": 1, "a": "é"}, "\n"])
    theirs = JSON(**options)
    coder = bound("json2", (2,), **options)
    assert bytes(coder.encode(chunk)) == theirs.encode(chunk)
    assert coder.decode(theirs.encode(chunk)).tolist() == chunk.tolist()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'["a","b","|O",[2]', "the data is not JSON: Expecting ',' delimiter: line 1 column 18 (char 17)"),
        (
            b"\xff",
            "the data is not text in utf-8: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
        ),
        (b"3", "expected a list that ends with a type and a shape"),
        (b"[]", "expected a list that ends with a type and a shape"),
        (b'["a","b","|O","x"]', "expected a list that ends with a type and a shape"),
        (b'["a","b","|O",[true,2]]', "expected a list that ends with a type and a shape"),
        (b'["a","b","|O",[3]]', "expected the shape [2], found [3]"),
        (b'["a","b","|O",[99999999999]]', "expected the shape [2], found [99999999999]"),
        (b'["a","|O",[2]]', "expected a list of 2 items, found 1 item"),
        (b'["a","b","<U999999999",[2]]', "expected elements of type '|O', found '<U999999999'"),
        (b'["a","b",7,[2]]', "expected elements of type '|O', found '7'"),
        (b"[" * 100_000, "the JSON text is nested too deeply"),
    ],
)
def test_damaged_json_is_refused(data, message):
    assert refusal(bound("json2", (2,)), data) == message


def test_a_row_that_is_no_list_is_refused():
    message = refusal(bound("json2", (2, 1)), b'[["a"],7,"|O",[2,1]]')
    assert message == "expected a list of 1 item, found int"


def test_what_json_cannot_say_is_refused_with_its_place():
    with pytest.raises(CodecError) as caught:
        bound("json2", (1, 2)).encode(objects(["a", {1, 2}], (1, 2)))
    told = "Object of type set is not JSON serializable"
    assert str(caught.value) == f"the set at (0, 1) can't be written as JSON: {told}"


def test_an_encoding_that_python_lacks_is_said_when_the_codec_is_bound():
    with pytest.raises(ExtensionError, match=r"^json2: Python has no text encoding 'klingon'$"):
        bound("json2", (2,), encoding="klingon")


def test_json_survives_every_truncation_and_flip():
    coder = bound("json2", (2, 2))
    stored = bytes(coder.encode(objects(["a", None, {"k": 1}, [1]], (2, 2))))
    check_damage(coder, stored, (2, 2))


def check_damage(coder, stored, shape):
    for length in range(len(stored)):
        with pytest.raises(CodecError):
            coder.decode(stored[:length])
    for bit in range(8 * len(stored)):
        flipped = bytearray(stored)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            made = coder.decode(bytes(flipped))
        except CodecError:
            continue
        assert made.shape == shape


class TestMsgpack:
    @pytest.fixture(autouse=True)
    def _package(self):
        pytest.importorskip("msgpack", reason="msgpack is not installed: pip install msgpack")

    @pytest.mark.parametrize(
        "options", [{}, {"raw": True}, {"use_single_float": True}, {"use_bin_type": False}]
    )
    @pytest.mark.parametrize("shape", [(6,), (2, 3)])
    def test_it_is_that_of_numcodecs(self, shape, options):
        from numcodecs import MsgPack

        chunk = objects(["a", None, 1.5, b"ab", -7, {"k": "v"}], shape)
        theirs = MsgPack(**options)
        coder = bound("msgpack2", shape, **options)
        assert bytes(coder.encode(chunk)) == theirs.encode(chunk)
        assert coder.decode(theirs.encode(chunk)).tolist() == theirs.decode(theirs.encode(chunk)).tolist()

    def test_it_survives_every_truncation_and_flip(self):
        coder = bound("msgpack2", (2, 2))
        check_damage(coder, bytes(coder.encode(objects(["a", None, {"k": 1}, [1]], (2, 2)))), (2, 2))

    def test_lists_that_claim_to_be_long_make_no_room(self):
        assert refusal(bound("msgpack2", (2,)), b"\xdd\x00\x0f\xff\xff" * 200_000)

    def test_a_truncated_value_is_said_to_be_one(self):
        message = refusal(bound("msgpack2", (2,)), b"\x94\xa1a")
        assert message == "truncated: the msgpack data continues after byte 3"

    def test_trailing_bytes_are_refused(self):
        coder = bound("msgpack2", (1,))
        stored = bytes(coder.encode(objects(["a"])))
        message = refusal(coder, stored + b"\0")
        assert message == f"trailing bytes: the msgpack data ends at byte {len(stored)} of {len(stored) + 1}"

    def test_what_it_cannot_say_is_refused_with_its_place(self):
        chunk = objects(["a", dt.timedelta(1)])
        with pytest.raises(CodecError, match=r"^the timedelta at \(1\) can't be written as msgpack: "):
            bound("msgpack2", (2,)).encode(chunk)


def test_without_its_package_msgpack_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "msgpack", None)
    with pytest.raises(ExtensionError, match=r"^msgpack2 needs the package msgpack: pip install msgpack$"):
        bound("msgpack2", (2,))


def test_pickle_is_refused():
    with pytest.raises(ExtensionError, match=r"^pickle data can run any code"):
        bound("pickle", (2,))


@pytest.mark.parametrize("dtype", ["<i2", ">i4", "<f8", "|b1", "|u1", "<M8[s]"])
def test_arrays_are_those_of_numcodecs(dtype):
    arrays = [np.array(numbers, "i1").astype(dtype) for numbers in ([1, 0, 1], [], [1])]
    chunk = objects(arrays)
    theirs = VLenArray(dtype)
    if not dtype.startswith("<M8"):
        assert bytes(bound("vlen-array", (3,), dtype=dtype).encode(chunk)) == bytes(theirs.encode(chunk))
    coder = bound("vlen-array", (3,), dtype=dtype)
    decoded = coder.decode(coder.encode(chunk))
    for made, given in zip(decoded, arrays, strict=True):
        assert made.dtype == np.dtype(dtype)
        assert made.tobytes() == given.tobytes()


def test_lists_of_numbers_are_arrays_too():
    coder = bound("vlen-array", (2,), dtype="<i2")
    assert [array.tolist() for array in coder.decode(coder.encode(objects([[1, 2], []])))] == [[1, 2], []]


def test_null_is_stored_as_an_empty_array_as_numcodecs_does():
    chunk = objects([np.array([1, 2], "<i2"), None])
    theirs = VLenArray("<i2").encode(chunk)
    assert bytes(bound("vlen-array", (2,), dtype="<i2").encode(chunk)) == bytes(theirs)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (3, "found int of 0 dimensions"),
        (np.zeros((2, 2)), "found ndarray of 2 dimensions"),
        ([1.5], "found one of type float64"),
        (["a"], "found one of type <U1"),
        ([70_000], "found numbers outside its range"),
    ],
)
def test_what_is_no_such_array_is_refused_with_its_place(item, message):
    chunk = objects([[1], item])
    with pytest.raises(CodecError) as caught:
        bound("vlen-array", (2,), dtype="<i2").encode(chunk)
    assert str(caught.value) == f"at (1): expected an array of one dimension and of type int16, {message}"


def items(*parts):
    return struct.pack("<I", len(parts)) + b"".join(struct.pack("<I", len(part)) + part for part in parts)


def test_half_an_item_of_an_array_is_refused():
    message = refusal(bound("vlen-array", (2,), dtype="<i2"), items(b"ab", b"abc"))
    assert message == "expected a multiple of 2 bytes at (1), found 3"


def test_a_bool_that_is_neither_is_refused():
    message = refusal(bound("vlen-array", (1,), dtype="|b1"), items(b"\x02"))
    assert message == "expected 0 or 1 for each bool, found another byte at (0)"


def test_arrays_survive_every_truncation_and_flip():
    check_damage(bound("vlen-array", (2,), dtype="<i2"), items(b"abcd", b""), (2,))


def categorize(dtype, shape, labels, astype="|u1"):
    codec = codecs["numcodecs.categorize"]
    configuration = codec.configuration(labels=labels, dtype=dtype, astype=astype)
    kind = data_type("string") if dtype == "|O" else parse_v2(dtype, None, [], ())
    before = Block(shape, kind, "")
    after = codec.thread(configuration, Elements(tuple((length,) for length in shape), kind), [], ())
    return codec.bind(configuration, before, Block(shape, after.data_type, None))


@pytest.mark.parametrize("dtype", ["|O", "<U3"])
@pytest.mark.parametrize("astype", ["|u1", "<i2", ">u4"])
@pytest.mark.parametrize("labels", [["a", "bc"], ["a", "bc", "a"], ["é", "", "long label"], []])
def test_categories_are_those_of_numcodecs(dtype, astype, labels):
    given = np.array(["a", "bc", "é", "x", "", "a"], object if dtype == "|O" else dtype)
    theirs = Categorize(labels, dtype=dtype, astype=astype)
    stored = theirs.encode(given)
    coder = categorize(dtype, (2, 3), labels, astype)
    made = coder.encode((given.astype("T") if dtype == "|O" else given).reshape(2, 3))
    assert made.dtype == np.dtype(astype)
    assert made.reshape(-1).tolist() == stored.tolist()
    assert coder.decode(stored.reshape(2, 3)).reshape(-1).tolist() == theirs.decode(stored).tolist()


@pytest.mark.parametrize(("astype", "number"), [("|u1", 3), ("|i1", -1), ("<u8", 2**64 - 1)])
def test_a_number_that_no_label_has_is_refused(astype, number):
    stored = np.array([[0, 2, number]], astype)
    with pytest.raises(CodecError) as caught:
        categorize("|O", (1, 3), ["a", "b"], astype).decode(stored)
    assert str(caught.value) == f"expected the number of a label, 0 to 2, found {number} at (0, 2)"


def test_a_json_list_is_what_it_says():
    stored = json.dumps(["a", "b", "|O", [2]]).encode()
    assert bound("json2", (1, 2)).decode(stored).shape == (1, 2)
