from __future__ import annotations

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import ConversionError, SpecError
from zom.extension.datatype import data_types
from zom.extension.resolve import data_type, parse_draft, parse_v3
from zom.stores.memory import MemoryStore

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def judged(name, value, form):
    faults = []
    return data_type(name).parse_fill(value, form, faults, ("fill_value",)), faults


def test_the_aliases_are_read_and_never_written():
    assert parse_v3("complex_float32", []) == parse_v3("complex64", [])
    assert parse_v3("complex_float64", []).to_json("v3") == "complex128"


def test_the_parts_follow_the_rules_of_floats():
    found, faults = judged("complex64", ["NaN", "0x7fa00001"], "v3")
    assert faults == []
    assert found.tobytes().hex() == "0000c07f0100a07f"
    assert data_type("complex64").fill_json(found, "v3") == ["NaN", "0x7fa00001"]
    assert data_type("complex64").fill_json(found, "v2") == ["NaN", "NaN"]


def test_the_part_at_fault_is_named():
    found, faults = judged("complex128", ["x", True], "v3")
    assert found is None
    assert [fault.path for fault in faults] == [("fill_value", 0), ("fill_value", 1)]


@pytest.mark.parametrize("value", [1.0, "NaN", [1], [1, 2, 3]])
def test_what_is_no_pair_is_refused(value):
    found, (fault,) = judged("complex64", value, "v3")
    assert found is None
    assert (fault.rule.code, fault.expected) == (
        "fill-value/type",
        "a list of 2 numbers, real and imaginary",
    )


def test_narrow_parts_are_spelled_in_v3_only():
    found, faults = judged("complex_float8_e4m3", [1.5, "NaN"], "v3")
    assert faults == []
    assert found.tobytes().hex() == "3c7c"
    for form in ("v2", "draft"):
        with pytest.raises(
            ConversionError, match=f"expected a data type that {form} knows, found complex_bfloat16"
        ):
            data_type("complex_bfloat16").to_json(form)


def test_the_v3_of_2021_has_complex_numbers_as_an_extension():
    uri = "https://zarr-specs.readthedocs.io/en/core-protocol-v3.0-dev/protocol/extensions/complex-dtypes/v1.0.html"
    found = parse_draft({"extension": uri, "type": ">c8", "fallback": None}, [])
    assert (found.name, found.order) == ("complex64", "big")


def test_casting_takes_any_number():
    made = data_type("complex64")
    assert made.cast(1 + 2j) == np.complex64(1 + 2j)
    assert made.cast(np.complex128(1)) == made.cast(1) == made.cast(1.0)
    assert made.cast(np.complex64(3)) == np.complex64(3)


@pytest.mark.parametrize("value", ["1j", True, None])
def test_casting_refuses_what_is_no_number(value):
    with pytest.raises(SpecError, match="expected a complex number, found"):
        data_type("complex64").cast(value)


def test_casting_refuses_parts_that_do_not_fit():
    with pytest.raises(SpecError, match="expected a complex number whose parts float4_e2m1fn holds"):
        data_type("complex_float4_e2m1fn").cast(100)


NARROW = sorted(family.name for family in data_types if family.name.startswith("complex_"))


@pytest.mark.parametrize("name", NARROW)
def test_chunks_of_narrow_parts_keep_every_bit(name):
    dtype = data_type(name).numpy()
    codecs = [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "crc32c"}]
    spec = v3.ArraySpec.build(shape=(5, 5), dtype=name, chunks=(2, 3), codecs=codecs)
    array = zom.create_array(MemoryStore(), spec)
    assert (array.dtype, dtype.names) == (dtype, ("real", "imag"))
    bits = np.random.default_rng(3).integers(0, 256, 25 * dtype.itemsize, dtype=np.uint8)
    if data_type(name).part.bits < 8:
        bits &= data_type(name).part.mask
    values = bits.view(dtype).reshape(5, 5)
    array[...] = values
    assert array[...].tobytes() == values.tobytes()
    assert array["imag", 1:4, 2].tobytes() == np.ascontiguousarray(values["imag"][1:4, 2]).tobytes()
    array[2, 2] = values[0, 0]
    assert array[2, 2].tobytes() == values[0, 0].tobytes()
    assert zom.open_array(array.store)[...].tobytes() == array[...].tobytes()
    assert zom.validate(array, conventions=(), data="all").ok


def test_numbers_become_their_parts():
    spec = v3.ArraySpec.build(shape=(4,), dtype="complex_bfloat16", fill_value=2 - 1j)
    array = zom.create_array(MemoryStore(), spec)
    assert array[...].tolist() == [(2, -1)] * 4
    array[:2] = np.array([1.5 + 0.25j, -3j], "c16")
    array[2] = 7
    assert array[...].tolist() == [(1.5, 0.25), (0, -3), (7, 0), (2, -1)]
    array["real", 3] = 9
    assert array[3].tolist() == (9, -1)


def test_narrow_parts_are_rounded():
    codecs = [{"name": "bitround", "configuration": {"keepbits": 1}}, LITTLE]
    spec = v3.ArraySpec.build(shape=(2,), dtype="complex_float16", codecs=codecs)
    array = zom.create_array(MemoryStore(), spec)
    array[...] = [1.3 + 2.9j, -5.9]
    assert array[...].tolist() == [(1.5, 3), (-6, 0)]
