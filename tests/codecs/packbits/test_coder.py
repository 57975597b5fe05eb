from __future__ import annotations

import numpy as np
import pytest

import zom.codecs
import zom.dtypes  # noqa: F401 - registers the data types
from zom.errors import CodecError
from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.link import parse_links
from zom.extension.resolve import data_type


def bound(name, count, **configuration):
    links = parse_links([{"name": "packbits", "configuration": configuration}])
    return bind_chain(links, Block((count,), data_type(name), None))


def packed(values, first, last):
    """The same by the words of the specification, with one large integer for the bit sequence."""
    width, sequence = last - first + 1, 0
    for place, value in enumerate(values):
        sequence |= (value >> first & (1 << width) - 1) << place * width
    return sequence.to_bytes((len(values) * width + 7) // 8, "little")


def unpacked(values, first, last, *, signed):
    made = []
    for value in values:
        kept = (value >> first & (1 << last - first + 1) - 1) << first
        made.append(kept - (1 << last + 1) if signed and kept >> last else kept)
    return made


WIDTHS = [("uint2", 2), ("int2", 2), ("uint4", 4), ("int4", 4), ("uint8", 8), ("int8", 8)]
WIDTHS += [("uint16", 16), ("int16", 16), ("int32", 32), ("uint64", 64), ("int64", 64)]


@pytest.mark.parametrize(("name", "bits"), WIDTHS)
def test_bits_are_packed_as_the_specification_says(name, bits):
    values = [int(value) for value in np.random.default_rng(3).integers(0, 1 << min(bits, 62), 21)]
    memory = b"".join(value.to_bytes((bits + 7) // 8, "little") for value in values)
    array = np.frombuffer(memory, data_type(name).numpy())
    step = 1 if bits <= 8 else 5
    for first in range(0, bits, step):
        for last in range(first, bits, step):
            chain = bound(name, len(values), first_bit=first, last_bit=last)
            encoded = chain.encode(array)
            assert encoded == packed(values, first, last)
            decoded = chain.decode(encoded)
            found = decoded.astype("i8" if bits < 8 else decoded.dtype).tolist()
            assert found == unpacked(values, first, last, signed=name[0] == "i")


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1 << 14, (1 << 14) + 3, 40_001])
def test_booleans_are_packed_as_numcodecs_packs_them_but_for_the_order_of_bits(count):
    array = np.random.default_rng(count).integers(0, 2, count).astype(bool)
    encoded = bound("bool", count).encode(array)
    assert encoded == np.packbits(array, bitorder="little").tobytes()
    assert (bound("bool", count).decode(encoded) == array).all()


@pytest.mark.parametrize("count", [1, 2, 3, (1 << 14) - 1, (1 << 14) + 5])
def test_long_chunks_are_packed_as_one_sequence(count):
    values = [int(value) for value in np.random.default_rng(count).integers(0, 1 << 16, count)]
    chain = bound("uint16", count, last_bit=10)
    array = np.array(values, "u2")
    assert chain.encode(array) == packed(values, 0, 10)
    assert (chain.decode(chain.encode(array)) == (array & 0x7FF)).all()


@pytest.mark.parametrize(("place", "at"), [("first_byte", 0), ("last_byte", -1)])
def test_the_number_of_padding_bits_is_stored_and_checked(place, at):
    chain = bound("bool", 5, padding_encoding=place)
    encoded = bytearray(chain.encode(np.ones(5, bool)))
    assert encoded[at] == 3
    encoded[at] = 2
    with pytest.raises(CodecError, match=r"^packbits: expected 3 bits of padding, found 2$"):
        chain.decode(bytes(encoded))


def test_the_padding_itself_is_not_looked_at():
    assert bound("uint4", 1).decode(b"\xf5").astype(int).tolist() == [5]
    assert bound("bool", 3).decode(b"\xfa").tolist() == [False, True, False]


def test_complex_numbers_are_two_components_each():
    array = np.array([1 + 2j, -3.5 + 0.25j], "c8")
    found = bound("complex64", 2, first_bit=16).encode(array)
    parts = array.view("u4") >> 16
    assert found == parts.astype("<u2").tobytes()


@pytest.mark.parametrize("name", ["float32", "int64", "complex128"])
def test_all_bits_of_wide_types_are_the_bytes_in_little_endian_order(name):
    big = np.arange(5).astype(np.dtype(name).newbyteorder(">"))
    block = Block((5,), data_type(big.dtype), None)
    chain = bind_chain(parse_links(["packbits"]), block)
    assert chain.encode(big) == big.astype(big.dtype.newbyteorder("<")).tobytes()
    found = chain.decode(chain.encode(big))
    assert found.dtype == big.dtype
    assert (found == big).all()
