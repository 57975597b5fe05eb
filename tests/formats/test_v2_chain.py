"""The filters and the compressor of a v2 array."""

from __future__ import annotations

import pytest

import zom.codecs
import zom.dtypes  # noqa: F401 - registers the types
from zom.extension.codec import Elements
from zom.extension.resolve import parse_v2
from zom.formats.v2_chain import check_filters, parse_filters

ZLIB = {"id": "zlib", "level": 1}
UTF8 = {"id": "vlen-utf8"}


def faults_of(filters, compressor=None, dtype="<f8", *, object_codec=None, shape=(4,)):
    faults = []
    data_type = parse_v2(dtype, object_codec, faults, ("dtype",)) if dtype is not None else None
    assert faults == []
    lengths = None if shape is None else tuple((length,) for length in shape)
    links = parse_filters(filters, compressor)
    check_filters(filters, links, Elements(lengths, data_type), faults)
    return faults


def told(faults):
    return [(fault.rule.code, fault.path, fault.expected, fault.found) for fault in faults]


def severities(fault):
    return [fault.rule.severity(level) for level in ("lenient", "strict", "closed")]


@pytest.mark.parametrize(
    "compressor", [None, ZLIB, {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1}]
)
def test_an_array_may_have_no_filters(compressor):
    assert faults_of(None, compressor) == []


def test_the_example_of_the_specification_has_no_fault():
    blosc = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1}
    delta = {"id": "delta", "dtype": "<f8", "astype": "<f4"}
    assert faults_of([delta], blosc, shape=(1000, 1000)) == []


def test_an_empty_list_of_filters_is_read_as_null():
    faults = faults_of([], ZLIB)
    assert told(faults) == [("v2/filters-empty", ("filters",), "null", "[]")]
    assert faults[0].fix == "write null"
    assert severities(faults[0]) == ["warning", "warning", "warning"]


def test_an_empty_object_of_filters_is_for_lenient_readers():
    faults = faults_of({}, ZLIB)
    assert told(faults) == [("v2/filters-empty-object", ("filters",), "null", "{}")]
    assert severities(faults[0]) == ["warning", "error", "error"]


@pytest.mark.parametrize(
    ("filters", "found", "fix"),
    [("delta", '"delta"', None), (0, "0", None), (UTF8, '{"id": "vlen-utf8"}', "wrap it in a list")],
)
def test_filters_are_a_list(filters, found, fix):
    faults = faults_of(filters)
    assert told(faults) == [("v2/filters", ("filters",), "null or a list of codecs", found)]
    assert faults[0].fix == fix


@pytest.mark.parametrize("value", ["zlib", 5, [], {}, {"name": "zlib"}, {"id": 5}])
def test_a_codec_is_an_object_with_an_id(value):
    for faults, path in ((faults_of([value]), ("filters", 0)), (faults_of(None, value), ("compressor",))):
        assert len(faults) == 1
        assert faults[0].path[: len(path)] == path
        assert severities(faults[0]) == ["error", "error", "error"]


def test_an_unknown_codec_is_a_fault_only_where_the_world_is_closed():
    faults = faults_of(None, {"id": "zlibb", "strength": 3})
    assert [fault.path for fault in faults] == [("compressor", "id")]
    assert severities(faults[0]) == [None, None, "error"]
    assert "did you mean 'zlib'" in faults[0].fix


def test_a_wrong_parameter_is_located_beside_the_id():
    faults = faults_of([{"id": "delta", "dtype": "<i4"}], {"id": "zlib", "level": 99})
    assert sorted(fault.path for fault in faults) == [("compressor", "level"), ("filters", 0, "dtype")]


def test_three_faults_are_three_faults():
    filters = [{"id": "delta", "dtype": "<i4"}, {"id": "shuffle", "elementsize": 0}]
    paths = [fault.path for fault in faults_of(filters, {"id": "lzma", "preset": 6, "delta": 1})]
    assert sorted(paths) == [("compressor", "delta"), ("filters", 0, "dtype"), ("filters", 1, "elementsize")]


def test_types_thread_through_the_filters():
    filters = [
        {"id": "fixedscaleoffset", "offset": 0, "scale": 10, "dtype": "<f8", "astype": "<i4"},
        {"id": "delta", "dtype": "<i4", "astype": "<i2"},
        {"id": "astype", "encode_dtype": "|i1", "decode_dtype": "<i2"},
        {"id": "shuffle", "elementsize": 1},
    ]
    assert faults_of(filters, ZLIB) == []
    assert [fault.path for fault in faults_of(filters[::-1], ZLIB)] == [
        ("filters", 2, "dtype"),
        ("filters", 3, "dtype"),
    ]


def test_a_codec_of_bytes_takes_the_bytes_of_the_array():
    faults = faults_of([{"id": "shuffle", "elementsize": 5}], dtype="<f8", shape=(2, 2))
    assert told(faults) == [
        (
            "codec/shuffle-size",
            ("filters", 0, "elementsize"),
            "a divisor of 32",
            "5, for a chunk of 32 bytes",
        )
    ]


def test_sizes_thread_through_the_codecs_of_bytes():
    faults = faults_of([{"id": "crc32"}, {"id": "adler32"}, {"id": "shuffle", "elementsize": 40}])
    assert faults == []
    faults = faults_of([{"id": "crc32"}, {"id": "zlib"}, {"id": "shuffle", "elementsize": 40}])
    assert faults == []


def test_bytes_are_viewed_as_whatever_a_later_filter_says():
    assert faults_of([{"id": "zlib"}, {"id": "delta", "dtype": "|u1"}]) == []


def test_what_comes_after_an_unknown_codec_is_not_judged_by_its_type():
    faults = faults_of([{"id": "imagecodecs_delta"}, {"id": "delta", "dtype": "<i4"}])
    assert [fault.path for fault in faults] == [("filters", 0, "id")]


def test_what_comes_after_a_codec_with_a_wrong_parameter_is_not_judged_by_its_type():
    faults = faults_of([{"id": "delta", "dtype": 4}, {"id": "delta", "dtype": "<i4"}])
    assert [fault.path for fault in faults] == [("filters", 0, "dtype")]


def test_an_unknown_shape_or_type_is_no_fault():
    assert faults_of([{"id": "shuffle"}, {"id": "bitround", "keepbits": 99}], ZLIB, dtype=None) == []
    assert faults_of([{"id": "shuffle"}], ZLIB, shape=None) == []


@pytest.mark.parametrize(
    "codec",
    [
        {"id": "vlen-utf8"},
        {"id": "vlen-bytes"},
        {"id": "json2"},
        {"id": "msgpack2"},
        {"id": "vlen-array", "dtype": "<i2"},
        {"id": "categorize", "labels": ["a"], "dtype": "|O"},
    ],
    ids=lambda codec: codec["id"],
)
def test_objects_have_their_codec_as_first_filter_or_as_compressor(codec):
    name = codec["id"]
    assert faults_of([codec], ZLIB, "|O", object_codec=name) == []
    assert faults_of([codec, {"id": "crc32"}], None, "|O", object_codec=name) == []
    assert faults_of(None, codec, "|O", object_codec=name) == []


@pytest.mark.parametrize(
    ("filters", "compressor", "path", "found"),
    [
        (None, None, ("filters",), "no codec"),
        ([{"id": "shuffle"}], ZLIB, ("filters", 0), '"shuffle"'),
        (None, ZLIB, ("compressor",), '"zlib"'),
    ],
)
def test_objects_without_an_object_codec_are_a_fault(filters, compressor, path, found):
    faults = faults_of(filters, compressor, "|O")
    assert told(faults) == [("v2/object-codec", path, 'an object codec such as "vlen-utf8"', found)]
    assert faults[0].fix == 'make {"id": "vlen-utf8"} the first filter'
    assert severities(faults[0]) == ["error", "error", "error"]


def test_an_unknown_codec_may_be_one_for_objects():
    faults = faults_of([{"id": "geometry"}], ZLIB, "|O")
    assert [fault.path for fault in faults] == [("filters", 0, "id")]


@pytest.mark.parametrize(
    ("filters", "compressor", "path"),
    [
        ([UTF8, {"id": "json2"}], None, ("filters", 1)),
        ([UTF8], {"id": "json2"}, ("compressor",)),
        ([{"id": "shuffle"}, {"id": "json2"}], None, ("filters", 1)),
        ([{"id": "shuffle"}], {"id": "json2"}, ("compressor",)),
    ],
)
def test_there_is_one_object_codec_and_it_comes_first(filters, compressor, path):
    first = "vlen-utf8" if UTF8 in filters else "json2"
    faults = faults_of(filters, compressor, "|O", object_codec=first)
    words = "one object codec, before all other codecs"
    assert told(faults) == [("v2/object-codec-place", path, words, '"json2"')]


@pytest.mark.parametrize("codec", [UTF8, {"id": "vlen-bytes"}, {"id": "json2"}], ids=str)
def test_an_object_codec_on_numbers_is_a_fault(codec):
    for faults, path in ((faults_of([codec]), ("filters", 0)), (faults_of(None, codec), ("compressor",))):
        found = f'"{codec["id"]}"'
        assert told(faults) == [("v2/object-codec-type", path, "a codec for elements of float64", found)]
        assert severities(faults[0]) == ["warning", "error", "error"]


def test_categorize_is_a_plain_filter_for_text_of_a_fixed_length():
    categorize = {"id": "categorize", "labels": ["a"], "dtype": "<U1"}
    assert faults_of([categorize], ZLIB, "<U1") == []
    assert faults_of([categorize, {"id": "delta", "dtype": "|u1"}], ZLIB, "<U1") == []


def test_pickle_is_remarked_on_wherever_it_stands():
    """A gate that looked at the first filter only was passed by a second one (hdmf-zarr 385)."""
    pickle = {"id": "pickle"}
    for filters, compressor, path in (
        ([pickle], None, ("filters", 0)),
        ([UTF8, pickle], None, ("filters", 1)),
        ([UTF8], pickle, ("compressor",)),
    ):
        faults = faults_of(filters, compressor, "|O", object_codec=(filters[0]["id"]))
        assert ("codec/pickle", path) in [(fault.rule.code, fault.path) for fault in faults]
    assert ("codec/pickle", ("compressor",)) in [
        (fault.rule.code, fault.path) for fault in faults_of(None, pickle)
    ]


def test_a_categorize_with_a_wrong_parameter_has_one_fault():
    faults = faults_of([{"id": "categorize", "dtype": "<U1"}], ZLIB, "<U1")
    assert [(fault.path, fault.found) for fault in faults] == [(("filters", 0, "labels"), "nothing")]


def test_an_object_codec_with_a_wrong_parameter_is_still_one():
    faults = faults_of([{"id": "json2", "indnt": 2}], ZLIB, "|O", object_codec="json2")
    assert [fault.path for fault in faults] == [("filters", 0, "indnt")]
    faults = faults_of([{"id": "json2", "indnt": 2}], ZLIB, "<f8")
    assert sorted(fault.path for fault in faults) == [("filters", 0), ("filters", 0, "indnt")]
