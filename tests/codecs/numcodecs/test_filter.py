"""Filters of numcodecs against numcodecs itself: the same bits, both ways."""

from __future__ import annotations

import warnings

import numcodecs
import numpy as np
import pytest

from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.codec import Elements, codecs
from zom.extension.link import parse_links
from zom.extension.resolve import data_type, parse_v2
from zom.formats.v2_definition import parse_v2_codec

SIZES = [(1,), (7,), (3, 5), (2, 3, 4), (1001,)]
INTEGERS = ["|i1", "|u1", "<i2", ">u2", "<i4", ">i4", "<u4", "<i8", ">u8"]
FLOATS = ["<f2", ">f4", "<f4", "<f8", ">f8"]


def bound(name, configuration, dtype, shape):
    """The chain of a v3 document."""
    links = parse_links([{"name": f"numcodecs.{name}", "configuration": configuration}, "bytes"])
    return bind_chain([links[0]], Block(shape, data_type(np.dtype(dtype)), None))


def bound_v2(name, configuration, dtype, shape):
    """The chain of a v2 document with one filter."""
    link = parse_v2_codec({"id": name, **configuration}, ("filters", 0))
    return bind_chain([link], Block(shape, parse_v2(dtype, None, []), None))


def sample(dtype, shape, seed=5):
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return random.integers(0, 100, shape).astype(dtype)
    made = (random.standard_normal(shape) * 20).astype(dtype)
    return made if dtype.kind != "c" else (made + 1j * random.standard_normal(shape)).astype(dtype)


def agree(name, configuration, dtype, shape, binding):
    array = sample(dtype, shape)
    peer = numcodecs.get_codec({"id": name, **configuration})
    chain = binding(name, configuration, dtype, shape)
    expected = peer.encode(array)
    encoded = bytes(chain.encode(array))
    assert encoded == expected.tobytes()
    back = peer.decode(expected)
    found = chain.decode(encoded)
    assert found.shape == shape
    assert found.dtype == array.dtype
    assert found.tobytes() == back.view(array.dtype).reshape(shape).tobytes()
    target = np.empty(shape, array.dtype)
    chain.decode_into(encoded, target)
    assert target.tobytes() == found.tobytes()


BINDINGS = pytest.mark.parametrize("binding", [bound, bound_v2], ids=["v3", "v2"])


@BINDINGS
@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, "<c8", ">c16", "<m8[s]"])
def test_differences_are_those_of_numcodecs(dtype, shape, binding):
    agree("delta", {"dtype": dtype}, dtype, shape, binding)


@BINDINGS
@pytest.mark.parametrize(
    ("dtype", "astype"), [("<i4", "|i1"), ("<u2", "<i8"), ("<f8", ">f4"), (">i8", "<i2")]
)
def test_differences_of_another_type_are_those_of_numcodecs(dtype, astype, binding):
    agree("delta", {"dtype": dtype, "astype": astype}, dtype, (3, 7), binding)


def test_differences_wrap_around_and_come_back():
    array = np.array([0, 255, 1, 128], "u1")
    chain = bound("delta", {"dtype": "|u1"}, "u1", (4,))
    assert chain.decode(bytes(chain.encode(array))).tolist() == array.tolist()


@BINDINGS
@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize(
    ("dtype", "astype", "offset", "scale"),
    [
        ("<f8", "|u1", -70, 1.5),
        ("<f8", "<i2", 0.5, 10),
        (">f4", ">i4", 1, 100),
        ("<f4", "<f4", 0, 3.0),
        ("<f2", "<i2", 1.25, 4),
        ("<i4", "<i2", 10, 2),
        ("|u1", "|u1", 0, 1),
        ("<c16", "<c8", 1, 2),
    ],
)
def test_scaled_numbers_are_those_of_numcodecs(dtype, astype, offset, scale, shape, binding):
    configuration = {"offset": offset, "scale": scale, "dtype": dtype, "astype": astype}
    agree("fixedscaleoffset", configuration, dtype, shape, binding)


@BINDINGS
@pytest.mark.parametrize("digits", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("dtype", "astype"), [("<f8", "<f4"), (">f4", ">f4"), ("<f2", "<f2"), ("<f4", ">f8")]
)
def test_quantized_floats_are_those_of_numcodecs(dtype, astype, digits, binding):
    configuration = {"digits": digits, "dtype": dtype, "astype": astype}
    agree("quantize", configuration, dtype, (3, 11), binding)


def test_floats_that_quantizing_makes_infinite_are_refused():
    chain = bound("quantize", {"digits": 7, "dtype": "<f2"}, "<f2", (2, 2))
    with pytest.raises(
        CodecError,
        match=r"expected a float that is finite if multiplied by 16777216\.0, found 1\.5 at \(0, 1\)",
    ):
        chain.encode(np.array([[np.inf, 1.5], [0.0, 2.5]], "<f2"))


@pytest.mark.parametrize("digits", [-3, -1])
def test_digits_before_the_point_are_those_of_numcodecs(digits):
    agree("quantize", {"digits": digits, "dtype": "<f8"}, "<f8", (13,), bound_v2)


@pytest.mark.parametrize("digits", [400, -400])
def test_digits_that_no_float_has_are_refused(digits):
    with pytest.raises(ExtensionError, match=f"floats can't keep {digits} decimal digits"):
        bound_v2("quantize", {"digits": digits, "dtype": "<f8"}, "<f8", (3,))


@BINDINGS
@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize(
    ("dtype", "stored"),
    [("<f8", "<f4"), ("<i4", "|i1"), (">i2", "<f8"), ("|b1", "|u1"), ("<M8[s]", "<i8"), ("<f4", ">f2")],
)
def test_cast_elements_are_those_of_numcodecs(dtype, stored, shape, binding):
    if dtype == "<M8[s]":
        array = sample("<i8", shape).view(dtype)
        chain = binding("astype", {"encode_dtype": stored, "decode_dtype": dtype}, dtype, shape)
        assert bytes(chain.encode(array)) == array.tobytes()
        return
    agree("astype", {"encode_dtype": stored, "decode_dtype": dtype}, dtype, shape, binding)


def test_the_type_before_a_cast_is_that_of_the_elements_unless_stated():
    array = sample("<f8", (5,))
    chain = bound("astype", {"encode_dtype": "float32"}, "<f8", (5,))
    assert bytes(chain.encode(array)) == array.astype("<f4").tobytes()


@BINDINGS
@pytest.mark.parametrize("shape", [*SIZES, (8,), (9,), (2, 4, 8)])
def test_packed_booleans_are_those_of_numcodecs(shape, binding):
    agree("packbits", {}, "|b1", shape, binding)


def test_the_padding_of_packed_booleans_is_checked():
    chain = bound("packbits", {}, "|b1", (5,))
    with pytest.raises(CodecError, match=r"^numcodecs\.packbits: expected 3 bits of padding, found 9$"):
        chain.decode(b"\x09\xf8")


@BINDINGS
@pytest.mark.parametrize(("dtype", "bits"), [("<f2", 10), ("<f4", 23), ("<f8", 52)])
def test_rounded_floats_are_those_of_numcodecs(dtype, bits, binding):
    noise = np.random.default_rng(1).integers(0, 256, 8 * 3000, dtype="u1").tobytes()
    array = np.frombuffer(noise, dtype)
    number = ~np.isnan(array)
    for keepbits in range(bits + 1):
        chain = binding("bitround", {"keepbits": keepbits}, dtype, array.shape)
        found = np.frombuffer(chain.encode(array), dtype)
        expected = numcodecs.BitRound(keepbits).encode(array).view(dtype)
        assert found[number].tobytes() == expected[number].tobytes()
        assert np.isnan(found[~number]).all()


@pytest.mark.parametrize("keepbits", [1, 5, 10])
def test_the_usual_nan_and_infinities_are_rounded_as_numcodecs_does(keepbits):
    array = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], "<f4")
    chain = bound("bitround", {"keepbits": keepbits}, "<f4", array.shape)
    assert bytes(chain.encode(array)) == numcodecs.BitRound(keepbits).encode(array).tobytes()


def test_floats_in_big_endian_order_are_rounded_too():
    array = np.array([1.3, 2.7], ">f4")
    chain = bound("bitround", {"keepbits": 2}, ">f4", array.shape)
    assert np.frombuffer(chain.encode(array), ">f4").tolist() == [1.25, 2.5]


def test_a_v2_filter_sees_memory_as_its_own_type():
    array = np.arange(6, dtype="<f8").reshape(2, 3)
    chain = bound_v2("delta", {"dtype": "<i4"}, "<f8", (2, 3))
    assert bytes(chain.encode(array)) == numcodecs.Delta("<i4").encode(array).tobytes()
    assert (chain.decode(bytes(chain.encode(array))) == array).all()


def test_a_v2_filter_after_a_compressor_sees_bytes():
    links = []
    for name, configuration in (("adler32", {}), ("delta", {"dtype": "|u1"})):
        links.append(parse_v2_codec({"id": name, **configuration}, ("filters", len(links))))
    array = np.arange(5, dtype="<i4")
    chain = bind_chain(links, Block((5,), parse_v2("<i4", None, []), None))
    expected = numcodecs.Delta("u1").encode(numcodecs.Adler32().encode(array))
    assert bytes(chain.encode(array)) == expected.tobytes()
    assert (chain.decode(bytes(chain.encode(array))) == array).all()


def test_elements_that_do_not_fill_the_stated_type_are_refused():
    with pytest.raises(ExtensionError, match="the shape or the data type of its output is unknown"):
        bound_v2("delta", {"dtype": "<i8"}, "<i4", (3,))


def test_the_elements_of_a_stored_chunk_are_counted():
    chain = bound("delta", {"dtype": "<i4"}, "<i4", (3,))
    with pytest.raises(CodecError, match="expected 12 bytes, found 11"):
        chain.decode(bytes(11))


@pytest.mark.parametrize(
    ("name", "configuration", "dtype", "message"),
    [
        ("delta", {"dtype": "|b1"}, "|b1", "delta adds a type of numbers, and bool would not decode"),
        ("delta", {"dtype": "<M8[s]"}, "<M8[s]", r"numpy\.datetime64 would not decode to the same values"),
        ("fixedscaleoffset", {"dtype": "<f4", "scale": 0, "offset": 1}, "<f4", "a scale of 0 makes all"),
        ("quantize", {"digits": 1, "dtype": "<i4"}, "<i4", "quantize rounds only floats"),
        ("packbits", {}, "|u1", "packbits keeps one bit of each element, and uint8 has more"),
        ("bitround", {"keepbits": 1}, "<i4", "bitround rounds float16, float32 and float64, not int32"),
    ],
)
def test_what_would_not_come_back_is_refused(name, configuration, dtype, message):
    with pytest.raises(ExtensionError, match=message):
        bound(name, configuration, dtype, (4,))


def test_an_empty_chunk_stays_empty():
    chain = bound("delta", {"dtype": "<i4"}, "<i4", (0, 3))
    assert chain.decode(bytes(chain.encode(np.zeros((0, 3), "i4")))).shape == (0, 3)


def test_numbers_too_large_are_stored_as_numcodecs_stores_them():
    array = np.array([1e9, -1e9, 5.0])
    configuration = {"offset": 0, "scale": 1, "dtype": "<f8", "astype": "|i1"}
    chain = bound("fixedscaleoffset", configuration, "<f8", (3,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = numcodecs.FixedScaleOffset(0, 1, "<f8", "|i1").encode(array)
        assert bytes(chain.encode(array)) == expected.tobytes()


SHARDED = {
    "name": "sharding_indexed",
    "configuration": {
        "chunk_shape": [2],
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"],
    },
}


@pytest.mark.parametrize(
    ("name", "configuration", "dtype", "fill"),
    [
        ("numcodecs.bitround", {"keepbits": 2}, "f4", 1.3),
        ("bitround", {"keepbits": 2}, "f4", 1.3),
        ("bitround", {"keepbits": 2}, "i4", -77),
        ("numcodecs.quantize", {"digits": 1, "dtype": "<f4"}, "f4", 1.23),
        ("numcodecs.astype", {"encode_dtype": "<i2"}, "f8", 7.0),
        (
            "numcodecs.fixedscaleoffset",
            {"dtype": "<f8", "astype": "<i2", "scale": 10, "offset": 3},
            "f8",
            7.5,
        ),
        ("numcodecs.delta", {"dtype": "<i4"}, "i4", 0),
    ],
)
def test_inner_chunks_of_nothing_but_fill_are_left_out_and_come_back(name, configuration, dtype, fill):
    made = data_type(np.dtype(dtype))
    block = Block((6,), made, made.cast(fill))
    links = parse_links([{"name": name, "configuration": configuration}, SHARDED])
    chain = bind_chain(links, block)
    array = np.full(6, fill, dtype)
    array[4:] = [fill + 8, fill + 64]
    encoded = chain.encode(array)
    inner = bind_chain(links[:1], block)
    assert len(encoded) == inner.nbytes // 3 + 3 * 16 + 4
    assert chain.decode(bytes(encoded)).tobytes() == inner.decode(bytes(inner.encode(array))).tobytes()


def test_the_differences_of_other_fill_values_are_not_one_value():
    made = data_type("int32")
    codec = codecs["numcodecs.delta"]
    configuration = codec.configuration.model_validate({"dtype": "<i4"})
    after = codec.thread(configuration, Elements(((4,),), made, made.cast(5)), [], ())
    assert after.fill is None
