from __future__ import annotations

import pytest

from zom.extension.codec import Bytes

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def test_the_size_is_that_of_all_elements(chain):
    assert chain([LITTLE], (4, 6), "int32").result == Bytes(96)


def test_chunks_of_several_lengths_have_no_fixed_size(chain):
    assert chain([LITTLE], (4, (2, 3)), "int32").result == Bytes(None)


def test_types_of_several_bytes_need_an_endian(chain):
    verdict = chain(["bytes"], (4,), "int32")
    assert verdict.codes == ["codec/bytes-endian"]
    assert verdict.places == [("codecs", 0, "configuration", "endian")]
    assert verdict.said == [('"little" or "big", for "int32"', "nothing")]
    assert verdict.faults[0].rule.lenient == "error"


@pytest.mark.parametrize("name", ["uint8", "bool", "r16", "int4"])
def test_types_without_byte_order_need_no_endian(chain, name):
    assert chain(["bytes"], (4,), name).faults == []


def test_an_endian_is_little_or_big(chain):
    verdict = chain([{"name": "bytes", "configuration": {"endian": "native"}}])
    assert verdict.said == [('"little" or "big"', '"native"')]


def test_null_is_no_endian(chain):
    verdict = chain([{"name": "bytes", "configuration": {"endian": None}}], (4,), "uint8")
    assert verdict.said == [('"little" or "big"', "null")]


@pytest.mark.parametrize(("name", "fix"), [("string", "use 'vlen-utf8'"), ("bytes", "use 'vlen-bytes'")])
def test_types_of_variable_length_need_another_codec(chain, name, fix):
    verdict = chain(["bytes"], (4,), name)
    assert verdict.codes == ["codec/bytes-fixed-size"]
    assert verdict.said == [("a data type of fixed size", f'the data type "{name}"')]
    assert verdict.faults[0].fix == fix


def test_a_struct_with_an_ordered_field_needs_an_endian(chain):
    fields = [{"name": "a", "data_type": "uint8"}, {"name": "b", "data_type": "int16"}]
    struct = {"name": "struct", "configuration": {"fields": fields}}
    assert chain(["bytes"], (4,), struct).codes == ["codec/bytes-endian"]


def test_the_legacy_structured_type_is_read_without_endian(chain):
    legacy = {"name": "structured", "configuration": {"fields": [["a", "int16"]]}}
    verdict = chain(["bytes"], (4,), legacy)
    assert verdict.codes == ["codec/bytes-endian-structured"]
    assert (verdict.faults[0].rule.lenient, verdict.faults[0].rule.strict) == ("warning", "error")
    assert verdict.faults[0].fix == 'write "endian": "little"'


def test_the_old_name_endian_is_read_with_a_warning(chain):
    verdict = chain([{"name": "endian", "configuration": {"endian": "big"}}])
    assert verdict.codes == ["codec/alias"]
    assert verdict.places == [("codecs", 0, "name")]
    assert verdict.said == [('"bytes"', '"endian"')]
    assert verdict.faults[0].fix == "write 'bytes'"
    assert (verdict.faults[0].rule.lenient, verdict.faults[0].rule.strict) == ("warning", "error")
    assert verdict.result == Bytes(96)
