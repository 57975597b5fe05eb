from __future__ import annotations

import pytest

from zom.extension.codec import Bytes
from zom.formats.v2_definition import parse_v2_codec


@pytest.mark.parametrize(("codec", "name"), [("vlen-utf8", "string"), ("vlen-bytes", "bytes")])
def test_each_takes_its_own_type(chain, codec, name):
    verdict = chain([codec], (4,), name)
    assert verdict.faults == []
    assert verdict.result == Bytes(None)


@pytest.mark.parametrize(
    ("codec", "name", "wanted"),
    [
        ("vlen-utf8", "bytes", "string"),
        ("vlen-bytes", "string", "bytes"),
        ("vlen-utf8", "int32", "string"),
        ("vlen-bytes", "r8", "bytes"),
    ],
)
def test_another_type_is_an_error(chain, codec, name, wanted):
    verdict = chain([codec], (4,), name)
    assert verdict.codes == [f"codec/{codec}-type"]
    assert verdict.places == [("codecs", 0)]
    assert verdict.said == [(f'the data type "{wanted}"', f'the data type "{name}"')]


def test_text_of_fixed_length_is_not_of_variable_length(chain):
    fixed = {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}
    assert chain(["vlen-utf8"], (4,), fixed).codes == ["codec/vlen-utf8-type"]


@pytest.mark.parametrize("name", ["vlen-utf8", "vlen-bytes"])
def test_they_hold_the_objects_of_v2(name):
    assert parse_v2_codec({"id": name}, ()).codec.holds_objects
