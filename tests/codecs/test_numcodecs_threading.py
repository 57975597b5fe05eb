"""What comes out of the numcodecs codecs, and what they refuse to be given."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.codecs
import zom.dtypes  # noqa: F401 - registers the types
from zom.extension.chain import check_chain
from zom.extension.codec import Bytes, Elements, codecs
from zom.extension.resolve import parse_v2, parse_v3
from zom.formats.v2_definition import parse_v2_codec

WRITTEN = json.loads((Path(__file__).parents[1] / "fixtures/numcodecs/zarr_python.json").read_text())


def elements(dtype, shape=(16,)):
    faults = []
    data_type = parse_v2(dtype, None, faults, ()) if isinstance(dtype, str) and dtype[0] in "<>|" else None
    data_type = data_type or parse_v3(dtype, faults, ())
    assert faults == []
    return Elements(tuple((length,) for length in shape), data_type)


def threaded(config, before):
    faults = []
    link = parse_v2_codec(config, ())
    after = link.codec.thread(link.configuration, before, faults, ("codecs", 0))
    return after, faults


def told(faults):
    return [(fault.rule.code, fault.path, fault.expected, fault.found) for fault in faults]


@pytest.mark.parametrize("document", WRITTEN, ids=lambda d: json.dumps(d["codecs"]))
def test_what_zarr_python_writes_has_no_fault(document):
    faults = []
    after = check_chain(document["codecs"], elements(document["data_type"]), faults, ("codecs",))
    assert told(faults) == []
    assert isinstance(after, Bytes)


def test_zarr_python_was_seen_to_write_every_listed_codec():
    listed = {codec.name for codec in codecs if codec.name.startswith("numcodecs.") and codec.registered}
    seen = {codec["name"] for document in WRITTEN for codec in document["codecs"]}
    assert listed - seen == set()


@pytest.mark.parametrize("spelled", ["numcodecs.adler32", {"name": "numcodecs.adler32"}])
def test_an_absent_configuration_is_an_empty_one(spelled):
    faults = []
    value = [{"name": "bytes", "configuration": {"endian": "little"}}, spelled]
    assert check_chain(value, elements("float32"), faults, ("codecs",)) == Bytes(68)
    assert faults == []


@pytest.mark.parametrize(
    ("config", "dtype", "name"),
    [
        ({"id": "delta", "dtype": "<i4", "astype": "<i2"}, "<i4", "int16"),
        ({"id": "delta", "dtype": "<i4"}, "<i4", "int32"),
        (
            {"id": "fixedscaleoffset", "offset": 0, "scale": 1, "dtype": "<f8", "astype": "|u1"},
            "<f8",
            "uint8",
        ),
        ({"id": "quantize", "digits": 1, "dtype": "<f8", "astype": "<f4"}, "<f8", "float32"),
        ({"id": "astype", "encode_dtype": "<f4", "decode_dtype": "<f8"}, "<f8", "float32"),
        ({"id": "bitround", "keepbits": 2}, "<f8", "float64"),
        ({"id": "packbits"}, "|b1", "uint8"),
        ({"id": "categorize", "labels": ["a"], "dtype": "<U2", "astype": "<u2"}, "<U2", "uint16"),
    ],
)
def test_a_filter_gives_elements_of_the_type_that_it_stores(config, dtype, name):
    after, faults = threaded(config, elements(dtype))
    assert faults == []
    assert isinstance(after, Elements)
    assert after.data_type.name == name
    assert after.fill is None


@pytest.mark.parametrize("dtype", ["<M8[ns]", "<m8[s]", "<i8"])
def test_dates_are_the_integers_that_they_are_stored_as(dtype):
    assert threaded({"id": "delta", "dtype": "<i8"}, elements(dtype))[1] == []


def test_v3_elements_have_no_byte_order_to_compare():
    assert threaded({"id": "delta", "dtype": ">i4"}, elements("int32"))[1] == []


@pytest.mark.parametrize(
    ("stated", "dtype", "expected"),
    [
        ("<i8", "<i4", "int32, as the elements are"),
        ("<u4", "<i4", "int32, as the elements are"),
        (">i4", "<i4", "int32, little endian, as the elements are"),
        ("<i4", ">i4", "int32, big endian, as the elements are"),
    ],
)
def test_a_stated_type_that_is_not_that_of_the_elements_is_a_fault(stated, dtype, expected):
    _after, faults = threaded({"id": "delta", "dtype": stated}, elements(dtype))
    where = ("codecs", 0, "configuration", "dtype")
    assert told(faults) == [("codec/dtype", where, expected, f'"{stated}"')]
    assert [faults[0].rule.severity(level) for level in ("lenient", "strict")] == ["warning", "error"]


def test_astype_states_the_type_of_the_elements_as_decode_dtype():
    config = {"id": "astype", "encode_dtype": "<i2", "decode_dtype": "<f4"}
    _after, faults = threaded(config, elements("<f8"))
    where = ("codecs", 0, "configuration", "decode_dtype")
    assert told(faults) == [("codec/dtype", where, "float64, as the elements are", '"<f4"')]


@pytest.mark.parametrize(
    ("config", "dtype", "path", "expected", "found"),
    [
        ({"id": "delta", "dtype": "|b1"}, "|b1", ("configuration", "dtype"), "a type of numbers", "bool"),
        (
            {"id": "fixedscaleoffset", "offset": 0, "scale": 1, "dtype": "|b1"},
            "|b1",
            ("configuration", "dtype"),
            "a type of numbers",
            "bool",
        ),
        (
            {"id": "quantize", "digits": 1, "dtype": "<f4", "astype": "<i4"},
            "<f4",
            ("configuration", "astype"),
            "a type of floats",
            "int32",
        ),
        ({"id": "bitround", "keepbits": 1}, "<i4", (), "elements of float16, float32 or float64", "int32"),
        ({"id": "packbits"}, "|u1", (), "elements of bool", "uint8"),
        ({"id": "pcodec"}, "|i1", (), "integers or floats of 16, 32 or 64 bits", "int8"),
        ({"id": "zfpy"}, "<f2", (), "elements of int32, int64, float32 or float64", "float16"),
        (
            {"id": "categorize", "labels": [], "dtype": "<U1", "astype": "<f4"},
            "<U1",
            ("configuration", "astype"),
            "a type of integers",
            "float32",
        ),
        (
            {"id": "categorize", "labels": [], "dtype": "<i4"},
            "<i4",
            ("configuration", "dtype"),
            "a type of text",
            "int32",
        ),
        (
            {"id": "categorize", "labels": [], "dtype": "|O"},
            "<U1",
            (),
            None,
            None,
        ),
        (
            {"id": "categorize", "labels": [], "dtype": "|O"},
            "<i4",
            ("configuration", "dtype"),
            "int32, as the elements are",
            '"|O"',
        ),
    ],
)
def test_elements_of_the_wrong_kind_are_a_fault(config, dtype, path, expected, found):
    _after, faults = threaded(config, elements(dtype))
    wanted = [] if expected is None else [("codec/element-kind", ("codecs", 0, *path), expected, found)]
    assert told(faults) == wanted


@pytest.mark.parametrize("text", ["f99", "<i3", "", "int7", "datetime64[parsec]"])
def test_a_type_that_is_none_is_a_fault_where_it_stands(text):
    after, faults = threaded({"id": "delta", "dtype": text}, elements("<i4"))
    assert [fault.path for fault in faults] == [("codecs", 0, "configuration", "dtype")]
    # "int7" is the name of a type that nobody knows, the others are none: only its chunks can't be read.
    assert faults[0].rule.severity("lenient") == ("warning" if text == "int7" else "error")
    assert after.data_type is None


@pytest.mark.parametrize("text", ["O", "|O", "object"])
def test_a_filter_on_numbers_takes_no_objects(text):
    _after, faults = threaded({"id": "delta", "dtype": text}, Elements(None, None))
    where = ("codecs", 0, "configuration", "dtype")
    assert told(faults) == [("codec/dtype-objects", where, "a type of a fixed size", f'"{text}"')]
    assert faults[0].rule.severity("lenient") == "error"


@pytest.mark.parametrize(("dtype", "most"), [("<f2", 10), ("<f4", 23), (">f8", 52)])
def test_no_more_bits_are_kept_than_the_mantissa_has(dtype, most):
    assert threaded({"id": "bitround", "keepbits": most}, elements(dtype))[1] == []
    before = elements(dtype)
    _after, faults = threaded({"id": "bitround", "keepbits": most + 1}, before)
    expected = f"at most {most}, the mantissa of {before.data_type.name}"
    where = ("codecs", 0, "configuration", "keepbits")
    assert told(faults) == [("codec/numcodecs-keepbits", where, expected, str(most + 1))]


@pytest.mark.parametrize(("astype", "most"), [("|u1", 255), ("|i1", 127)])
def test_every_label_has_a_number(astype, most):
    config = {"id": "categorize", "dtype": "<U9", "astype": astype}
    labels = [str(index) for index in range(most + 1)]
    assert threaded({**config, "labels": labels[:most]}, elements("<U9"))[1] == []
    _after, faults = threaded({**config, "labels": labels}, elements("<U9"))
    assert [(fault.rule.code, fault.path[-1], fault.found) for fault in faults] == [
        ("codec/categorize-labels", "labels", str(most + 1))
    ]


@pytest.mark.parametrize(("rank", "fits"), [(0, False), (1, True), (4, True), (5, False)])
def test_zfp_takes_one_to_four_dimensions(rank, fits):
    _after, faults = threaded({"id": "zfpy"}, elements("<f4", (2,) * rank))
    wanted = [] if fits else [("codec/zfpy-rank", ("codecs", 0), "one to four dimensions", str(rank))]
    assert told(faults) == wanted


def test_a_shuffled_chunk_is_a_whole_number_of_elements():
    assert threaded({"id": "shuffle"}, Bytes(12)) == (Bytes(12), [])
    _after, faults = threaded({"id": "shuffle"}, Bytes(13))
    where = ("codecs", 0, "configuration", "elementsize")
    assert told(faults) == [("codec/shuffle-size", where, "a divisor of 13", "4, for a chunk of 13 bytes")]


def test_shuffle_in_v3_takes_the_size_of_the_data_type_where_it_has_none():
    configuration = codecs["numcodecs.shuffle"].configuration()
    faults = []
    assert codecs["numcodecs.shuffle"].thread(configuration, Bytes(13), faults, ()) == Bytes(13)
    assert faults == []


@pytest.mark.parametrize("scale", [0, 0.0])
def test_a_scale_of_0_is_a_fault(scale):
    config = {"id": "fixedscaleoffset", "offset": 0, "scale": scale, "dtype": "<f4"}
    _after, faults = threaded(config, elements("<f4"))
    where = ("codecs", 0, "configuration", "scale")
    assert told(faults) == [("codec/scale-zero", where, "a number other than 0", str(scale))]


def test_the_delta_that_gdal_writes_is_remarked_on():
    after, faults = threaded({"id": "lzma", "preset": 6, "delta": 1}, Bytes(8))
    assert after == Bytes()
    assert told(faults) == [
        ("codec/lzma-delta", ("codecs", 0, "configuration", "delta"), "no member delta", "1")
    ]
    assert faults[0].fix == 'write "filters" instead'
    assert {faults[0].rule.severity(level) for level in ("lenient", "strict", "closed")} == {"warning"}


def test_gdals_delta_is_not_for_v3():
    faults = []
    value = ["bytes", {"name": "numcodecs.lzma", "configuration": {"preset": 6, "delta": 1}}]
    check_chain(value, elements("uint8"), faults, ("codecs",))
    where = ("codecs", 1, "configuration", "delta")
    assert [(fault.path, fault.found) for fault in faults] == [(where, '"delta"')]


def test_pickle_is_known_and_never_run():
    after, faults = threaded({"id": "pickle"}, Elements(None, None))
    assert after == Bytes()
    assert told(faults) == [("codec/pickle", ("codecs", 0), "a codec that runs no code", '"pickle"')]
    assert {faults[0].rule.severity(level) for level in ("lenient", "strict", "closed")} == {"warning"}


def test_the_items_of_a_vlen_array_have_a_type():
    _after, faults = threaded({"id": "vlen-array", "dtype": "i9"}, Elements(None, None))
    assert [fault.path for fault in faults] == [("codecs", 0, "configuration", "dtype")]


def test_quantize_in_v3_has_no_negative_digits():
    faults = []
    quantize = {"name": "numcodecs.quantize", "configuration": {"digits": -1, "dtype": "<f4"}}
    value = [quantize, {"name": "bytes", "configuration": {"endian": "little"}}]
    check_chain(value, elements("float32"), faults, ("codecs",))
    where = ("codecs", 0, "configuration", "digits")
    assert [(fault.path, fault.expected, fault.found) for fault in faults] == [
        (where, "an integer of at least 0", "-1")
    ]


@given(st.lists(st.integers(1, 5), max_size=4))
def test_packed_booleans_are_as_many_as_numcodecs_packs(shape):
    numpy = pytest.importorskip("numpy")
    numcodecs = pytest.importorskip("numcodecs")
    after, faults = threaded({"id": "packbits"}, elements("|b1", tuple(shape)))
    assert faults == []
    packed = numcodecs.PackBits().encode(numpy.ones(tuple(shape), bool))
    assert after.lengths == ((len(packed),),)


def test_packed_booleans_of_chunks_that_differ():
    before = Elements(((3, 16), (2,)), elements("|b1").data_type)
    after, _faults = threaded({"id": "packbits"}, before)
    assert after.lengths == ((2, 5),)
    many = Elements((tuple(range(1, 200)),) * 4, before.data_type)
    assert math.prod(map(len, many.lengths)) > 10_000
    assert threaded({"id": "packbits"}, many)[0].lengths is None
