from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.codecs.bytes
import zom.dtypes
from zom.extension.chain import check_chain
from zom.extension.codec import Bytes, Elements
from zom.extension.resolve import parse_v3
from zom.json.value import freeze

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
SWAP = {"name": "transpose", "configuration": {"order": [1, 0]}}
AFTER = "a bytes->bytes codec, after the array->bytes codec"
BEFORE = "an array->array codec, or the array->bytes codec"


def checked(codecs, **options):
    faults = []
    before = Elements(((4,), (6,)), parse_v3("int32", [], ()))
    result = check_chain(freeze(codecs, []), before, faults, ("codecs",), **options)
    return result, [(f.rule.code, f.path[1:], f.expected, f.found) for f in faults]


@pytest.mark.parametrize(
    ("codecs", "size"),
    [([LITTLE], 96), ([SWAP, SWAP, LITTLE], 96), ([LITTLE, "crc32c", "crc32c"], 104), ([LITTLE, GZIP], None)],
)
def test_a_chain_in_order_gives_bytes(codecs, size):
    assert checked(codecs) == (Bytes(size), [])


@pytest.mark.parametrize("value", [None, {}, "bytes", 1])
def test_a_chain_is_a_list(value):
    result, faults = checked(value)
    assert result is None
    assert [fault[:3] for fault in faults] == [("codec/list", (), "a list of codecs")]


@pytest.mark.parametrize(
    ("codecs", "found"),
    [([], "no codec"), ([GZIP], '"gzip"'), ([SWAP], '"transpose"'), ([SWAP, GZIP], '"transpose", "gzip"')],
)
def test_a_chain_needs_an_array_to_bytes_codec(codecs, found):
    result, faults = checked(codecs)
    assert result is None or codecs[-1:] == [GZIP]
    assert faults == [("codec/missing-array-to-bytes", (), "an array->bytes codec", found)]


@pytest.mark.parametrize(
    ("codecs", "misplaced"),
    [
        ([GZIP, LITTLE], [(0, BEFORE, '"gzip", a bytes->bytes codec')]),
        ([LITTLE, SWAP], [(1, AFTER, '"transpose", an array->array codec')]),
        ([LITTLE, LITTLE], [(1, AFTER, '"bytes", an array->bytes codec')]),
        (
            [GZIP, SWAP, LITTLE, "crc32c", SWAP, LITTLE],
            [
                (0, BEFORE, '"gzip", a bytes->bytes codec'),
                (4, AFTER, '"transpose", an array->array codec'),
                (5, AFTER, '"bytes", an array->bytes codec'),
            ],
        ),
    ],
)
def test_each_misplaced_codec_is_reported_once_in_its_place(codecs, misplaced):
    result, faults = checked(codecs)
    assert faults == [("codec/order", (place,), expected, found) for place, expected, found in misplaced]
    assert result is not None


def test_an_array_codec_behind_a_compressor_is_misplaced_even_without_bytes():
    codes = [fault[:2] for fault in checked([GZIP, SWAP])[1]]
    assert codes == [("codec/order", (1,)), ("codec/missing-array-to-bytes", ())]


@pytest.mark.parametrize(
    "codecs",
    [["x.y"], ["x.y", GZIP], ["x.y", GZIP, LITTLE], [SWAP, "x.y"], [LITTLE, "x.y"], ["x.y", LITTLE, GZIP]],
)
def test_nothing_is_invented_about_a_name_that_nobody_knows(codecs):
    assert [fault[0] for fault in checked(codecs)[1]] == ["codec/unknown"]


@pytest.mark.parametrize(
    ("codecs", "place"), [([GZIP, "x.y"], None), ([GZIP, "x.y", LITTLE], 0), ([LITTLE, "x.y", SWAP], 2)]
)
def test_what_is_certain_is_still_said(codecs, place):
    found = [fault[1][0] for fault in checked(codecs)[1] if fault[0] == "codec/order"]
    assert found == ([] if place is None else [place])


def test_an_unknown_name_matters_at_the_closed_level_only():
    faults = []
    check_chain(freeze([{"name": "zstdd"}], []), Elements(None, None), faults, ("codecs",))
    (fault,) = faults
    assert fault.path == ("codecs", 0, "name")
    assert [fault.rule.severity(level) for level in ("lenient", "strict", "closed")] == [None, None, "error"]
    assert (fault.expected, fault.found) == ("the name of a registered codec", '"zstdd"')
    assert fault.fix is not None
    assert fault.fix.startswith("did you mean 'zstd'")


def test_an_unknown_codec_can_not_be_skipped():
    _, faults = checked([LITTLE, {"name": "x.y", "must_understand": False}])
    assert faults[1] == (
        "codec/must-understand",
        (1, "must_understand"),
        "true for an unknown codec",
        "false",
    )


@pytest.mark.parametrize("understand", [True, False])
def test_a_known_codec_may_say_anything_of_being_understood(understand):
    assert checked([{**LITTLE, "must_understand": understand}])[1] == []


def test_a_broken_definition_does_not_hide_the_order():
    _, faults = checked([{"name": "gzip", "configuration": 3}, LITTLE])
    assert [fault[:2] for fault in faults] == [
        ("definition/form", (0, "configuration")),
        ("codec/order", (0,)),
    ]


def test_what_follows_a_broken_codec_is_checked_without_it():
    broken = {"name": "transpose", "configuration": {"order": 3}}
    again = {"name": "transpose", "configuration": {"order": [0, 1, 2]}}
    _, faults = checked([broken, again, "bytes", {"name": "gzip", "configuration": {"level": 10}}])
    assert [fault[1] for fault in faults] == [(0, "configuration", "order"), (3, "configuration", "level")]


def test_shape_and_type_are_threaded():
    cast = {"name": "cast_value", "configuration": {"data_type": "uint8"}}
    reshape = {"name": "reshape", "configuration": {"shape": [[0, 1]]}}
    flat = {"name": "transpose", "configuration": {"order": [0]}}
    assert checked([cast, reshape, flat, "bytes", "crc32c"]) == (Bytes(28), [])


@pytest.mark.parametrize("place", [1, 2])
def test_bytes_of_a_fixed_size_can_be_asked_for(place):
    codecs = [LITTLE, "crc32c", "crc32c"]
    codecs[place] = GZIP
    result, faults = checked(codecs, need_fixed_size=True)
    expected = "a codec with a fixed output size"
    assert faults == [("codec/index-size", (place,), expected, '"gzip"')]
    assert result == Bytes(100)


def test_an_array_codec_of_no_fixed_size_is_found_as_well():
    zfp = {"name": "zfp", "configuration": {"mode": "reversible"}}
    result, faults = checked([zfp, "crc32c"], need_fixed_size=True)
    assert [fault[:2] for fault in faults] == [("codec/index-size", (0,))]
    assert result == Bytes(4)


names = st.sampled_from([LITTLE, GZIP, SWAP, "crc32c", "bytes", "x.y", 1, {"name": "zfp"}])


@given(st.lists(names, max_size=6))
def test_no_place_has_two_faults_of_one_rule(codecs):
    keys = [fault[:2] for fault in checked(codecs)[1]]
    assert len(keys) == len(set(keys))


kinds = {codec.name: codec.kind for codec in zom.codecs.bytes.codecs}


@given(st.lists(st.sampled_from(["bytes", "crc32c", "scale_offset"]), max_size=6))
def test_the_order_is_right_when_the_kinds_are_sorted(names):
    ranks = [("array->array", "array->bytes", "bytes->bytes").index(kinds[name]) for name in names]
    faults = []
    before = Elements(((4,),), parse_v3("uint8", [], ()))
    check_chain(freeze(names, []), before, faults, ())
    assert (faults == []) == (ranks == sorted(ranks) and ranks.count(1) == 1)
