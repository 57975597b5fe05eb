from __future__ import annotations

import pytest

import zom.codecs  # noqa: F401 - registers the codecs
from zom.formats.v2_definition import parse_v2_codec
from zom.json.value import freeze


def checked(value):
    found = parse_v2_codec(freeze(value, []), ("compressor",))
    return found, [(f.rule.code, f.path[1:], f.expected, f.found, f.fix) for f in found.faults]


def test_the_members_beside_the_id_are_the_configuration():
    found, faults = checked({"level": 3, "id": "gzip"})
    assert (found.name, found.configuration.canonical(), faults) == ("gzip", {"level": 3}, [])


@pytest.mark.parametrize("value", [None, "gzip", 1, []])
def test_a_codec_is_an_object(value):
    found, faults = checked(value)
    assert (found.codec, found.configuration) == (None, None)
    assert [fault[:3] for fault in faults] == [("codec/v2-form", (), "an object with an id")]


@pytest.mark.parametrize(("value", "written"), [({}, "nothing"), ({"id": 1}, "1"), ({"id": ""}, '""')])
def test_an_id_is_a_text(value, written):
    expected = ("codec/v2-form", ("id",), "the id of a codec", written, None)
    found, faults = checked(value)
    assert (found.codec, faults) == (None, [expected])


def test_an_unknown_id_matters_at_the_closed_level_only():
    found, faults = checked({"id": "zstdd", "level": 1})
    assert (found.codec, found.configuration) == (None, None)
    assert faults[0][:4] == ("codec/v2-unknown", ("id",), "the id of a codec of numcodecs", '"zstdd"')
    assert faults[0][4].startswith("did you mean 'zstd'")
    from zom.formats.v2_definition import UNKNOWN

    assert (UNKNOWN.lenient, UNKNOWN.strict, UNKNOWN.closed) == (None, None, "error")


def test_each_wrong_member_is_a_fault_in_its_place():
    _, faults = checked({"id": "gzip", "level": "1", "checksum": True})
    assert [fault[:4] for fault in faults] == [
        ("codec/encoding-parameter", ("level",), "an integer from -1 to 9", '"1"'),
        ("codec/v2-configuration", ("checksum",), "only level", '"checksum"'),
    ]
