"""Every data type of fixed size through every array->bytes codec that takes it: the same bits come back."""

from __future__ import annotations

import numpy as np
import pytest

import zom.codecs
import zom.dtypes
from zom.errors import ExtensionError
from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.datatype import data_types
from zom.extension.link import parse_links
from zom.extension.resolve import data_type

# Their elements differ in length: vlen-utf8, vlen-bytes and the object codecs hold them.
VARIABLE = {"string", "bytes", "object"}

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
CHAINS = {
    "little": [LITTLE],
    "big": [BIG],
    "transpose": [{"name": "transpose", "configuration": {"order": [2, 0, 1]}}, LITTLE],
    "transpose-big": [{"name": "transpose", "configuration": {"order": [1, 0, 2]}}, BIG],
    "reshape": [{"name": "reshape", "configuration": {"shape": [[0, 1], [2]]}}, LITTLE],
    "packbits": ["packbits"],
    "packbits-first": [{"name": "packbits", "configuration": {"padding_encoding": "first_byte"}}],
    "packbits-last": [{"name": "packbits", "configuration": {"padding_encoding": "last_byte"}}],
}
SHAPE = (3, 5, 7)


def examples():
    for family in data_types:
        if family.name in VARIABLE:
            continue
        for number, made in enumerate(family.examples()):
            yield made, f"{made.name}-{number}"
    for number, dtype in enumerate(
        [
            np.dtype([("flag", "?"), ("text", "<U3"), ("many", ">i4", (2, 3))]),
            np.dtype([("deep", [("deeper", [("at", ">M8[ms]"), ("raw", "V3")])]), ("z", ">c16")]),
        ]
    ):
        yield data_type(dtype), f"struct-of-{number}"
    for name in ("int4", "bfloat16", "float6_e2m3fn"):
        fields = [{"name": "a", "data_type": name}, {"name": "b", "data_type": "int16"}]
        made = data_type({"name": "struct", "configuration": {"fields": fields}})
        yield made, f"struct-of-{name}"


def packs(made, name):
    return not name.startswith("packbits") or made.kind in {"bool", "int", "uint", "float", "complex"}


EXAMPLES = [pytest.param(made, id=text) for made, text in examples()]
PAIRS = [
    pytest.param(made, name, id=f"{text}-{name}")
    for made, text in examples()
    for name in CHAINS
    if packs(made, name)
]
NUMBERS = [
    pytest.param(made, id=text)
    for made, text in examples()
    if made.kind not in {"struct", "complex", "string", "raw", "bytes"}
]


def block_of(made, shape=SHAPE):
    try:
        return Block(shape, made, None)
    except ExtensionError as error:
        pytest.skip(str(error))


def leaves(array):
    if array.dtype.names:
        for name in array.dtype.names:
            yield from leaves(array[name])
    else:
        yield array


def random_elements(block, seed=7):
    """An array of random bits, but for the bits that no element has."""
    noise = np.random.default_rng(seed).integers(0, 256, block.nbytes, dtype=np.uint8)
    array = noise.view(np.uint8).tobytes()
    made = np.frombuffer(array, block.dtype).reshape(block.shape).copy()
    for leaf in leaves(made):
        if leaf.dtype.kind == "b":
            leaf.view(np.uint8)[...] &= 1
        elif leaf.dtype.kind == "U":
            leaf[...] = np.random.default_rng(seed).choice(["", "a\0b", "\U0010ffff", "é"], leaf.shape)
        elif leaf.dtype.kind == "V" and leaf.dtype.type is not np.void and leaf.dtype.itemsize == 1:
            # Casting is what ml_dtypes itself does to get at the bits that count.
            leaf[...] = leaf.astype(np.float32).astype(leaf.dtype)
    return made


def chain_for(name, block):
    return bind_chain(parse_links(CHAINS[name]), block)


@pytest.mark.parametrize(("made", "name"), PAIRS)
def test_the_same_bits_come_back(made, name):
    block = block_of(made)
    array = random_elements(block)
    chain = chain_for(name, block)
    encoded = bytes(chain.encode(array))
    assert len(encoded) == chain.nbytes
    decoded = chain.decode(encoded)
    assert decoded.shape == block.shape
    # What is decoded may state another order of bytes; put into memory it is the same.
    target = np.empty_like(array)
    target[...] = decoded
    assert target.tobytes() == array.tobytes()
    assert bytes(chain.encode(target)) == encoded
    assert bytes(chain.encode(decoded)) == encoded


@pytest.mark.parametrize(("made", "name"), PAIRS)
def test_the_same_bits_are_put_into_any_target(made, name):
    block = block_of(made)
    array = random_elements(block)
    chain = chain_for(name, block)
    encoded = chain.encode(array)
    contiguous = np.empty_like(array)
    fortran = np.empty(array.shape, array.dtype, order="F")
    strided = np.empty(tuple(2 * length for length in array.shape), array.dtype)[::2, 1::2, ::-2]
    for target in (contiguous, fortran, strided):
        chain.decode_into(encoded, target)
        assert np.ascontiguousarray(target).tobytes() == array.tobytes()


@pytest.mark.parametrize("shape", [(), (0,), (1,), (0, 3)])
@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("made", EXAMPLES)
def test_chunks_without_dimensions_or_elements_come_back(made, endian, shape):
    block = block_of(made, shape)
    array = random_elements(block)
    chain = bind_chain(parse_links([{"name": "bytes", "configuration": {"endian": endian}}]), block)
    target = np.empty_like(array)
    chain.decode_into(chain.encode(array), target)
    assert target.tobytes() == array.tobytes()
    assert chain.decode(bytes(chain.encode(array))).shape == shape


@pytest.mark.parametrize("made", NUMBERS)
def test_big_and_little_are_each_other_reversed(made):
    block = block_of(made, (4,))
    array = random_elements(block)
    little = bytes(bind_chain(parse_links([LITTLE]), block).encode(array))
    big = bytes(bind_chain(parse_links([BIG]), block).encode(array))
    size = made.itemsize
    assert big == b"".join(little[at : at + size][::-1] for at in range(0, len(little), size))


@pytest.mark.parametrize(("made", "name"), PAIRS)
def test_too_few_and_too_many_bytes_are_refused(made, name):
    block = block_of(made)
    chain = chain_for(name, block)
    encoded = bytes(chain.encode(random_elements(block)))
    for wrong in (encoded[:-1], encoded + b"\0", b""):
        message = f"expected {len(encoded)} bytes, found {len(wrong)}"
        with pytest.raises(zom.errors.CodecError, match=message):
            chain.decode(wrong)
        with pytest.raises(zom.errors.CodecError, match=message):
            chain.decode_into(wrong, np.empty(SHAPE, block.dtype))
