from __future__ import annotations

import random

import numpy as np
import pytest

import zom.dtypes  # noqa: F401 - registers the types
from zom.codecs.numcodecs.pcodec import _calling
from zom.errors import CodecError
from zom.extension.bound import Block, Stream
from zom.extension.codec import codecs
from zom.extension.resolve import data_type, parse_v2

pytest.importorskip("pcodec", reason='pcodec is not installed: pip install "pcodec>=1,<2"')

NAMES = ["uint16", "uint32", "uint64", "int16", "int32", "int64", "float16", "float32", "float64"]


def bound(shape, name, **members):
    codec = codecs["numcodecs.pcodec"]
    kind = data_type(name) if isinstance(name, str) else name
    configuration = codec.v2_configuration.model_validate(members)
    return codec.bind(configuration, Block(shape, kind, kind.default()), Stream(None, 1 << 20))


def sample(shape, name):
    walk = np.cumsum(np.random.default_rng(7).standard_normal(int(np.prod(shape)))).reshape(shape)
    return (walk * 100).astype("i8" if "int" in name else name).astype(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(), (1,), (7, 9), (0, 3), (2, 3, 50)])
def test_it_is_the_file_that_numcodecs_writes(shape, name):
    from numcodecs.pcodec import PCodec

    chunk = sample(shape, name)
    coder = bound(shape, name)
    assert coder.decode(PCodec().encode(chunk)).tobytes() == chunk.tobytes()
    decoded = coder.decode(coder.encode(chunk))
    assert decoded.shape == shape
    assert decoded.dtype == chunk.dtype
    if chunk.size:
        assert PCodec().decode(bytes(coder.encode(chunk))).tobytes() == chunk.tobytes()


@pytest.mark.parametrize(
    "members",
    [
        {"level": 0},
        {"level": 12},
        {"mode_spec": "classic"},
        {"delta_spec": "none"},
        {"delta_spec": "no_op"},
        {"delta_spec": "try_lookback"},
        {"delta_spec": "try_consecutive"},
        {"delta_spec": "try_consecutive", "delta_encoding_order": 2},
        {"delta_encoding_order": 7},
        {"equal_pages_up_to": 10},
    ],
)
def test_every_parameter_is_one_of_pcodec(members):
    chunk = sample((200,), "int32")
    coder = bound((200,), "int32", **members)
    assert coder.decode(coder.encode(chunk)).tolist() == chunk.tolist()


def test_big_endian_numbers_and_dates_come_back():
    for typestr in (">f4", ">M8[s]", "<m8[ms]"):
        chunk = np.arange(6).astype(typestr)
        coder = bound((6,), parse_v2(typestr, None, [], ()))
        decoded = coder.decode(coder.encode(chunk))
        assert decoded.dtype == chunk.dtype
        assert decoded.tobytes() == chunk.tobytes()


def test_a_transposed_chunk_is_stored_by_its_elements():
    chunk = sample((6, 8), "float32").T
    coder = bound((8, 6), "float32")
    assert (coder.decode(coder.encode(chunk)) == chunk).all()


STORED = bytes(bound((300,), "float32").encode(sample((300,), "float32")))


@pytest.mark.parametrize(
    ("shape", "message"),
    [((299,), "expected 299 numbers, found more"), ((301,), "expected 301 numbers, found 300")],
)
def test_another_number_of_numbers_is_refused(shape, message):
    with pytest.raises(CodecError) as caught:
        bound(shape, "float32").decode(STORED)
    assert str(caught.value) == message


def test_numbers_of_another_type_are_refused():
    with pytest.raises(CodecError, match="number type"):
        bound((300,), "int32").decode(STORED)


def test_every_truncation_is_refused():
    coder = bound((300,), "float32")
    for length in range(len(STORED)):
        with pytest.raises(CodecError):
            coder.decode(STORED[:length])


def test_trailing_bytes_are_refused_unless_they_end_like_a_file():
    with pytest.raises(CodecError, match=r"^trailing bytes: a pcodec file ends with a byte 0$"):
        bound((300,), "float32").decode(STORED + b"x")


def test_mutated_files_are_refused_or_give_other_numbers():
    chance = random.Random(0)
    coder = bound((300,), "float32")
    for _ in range(5000):
        made = bytearray(STORED)
        for _ in range(chance.choice((1, 1, 3))):
            made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
        try:
            assert coder.decode(made).shape == (300,)
        except CodecError:
            continue


def test_a_panic_is_an_error_that_can_be_caught():
    class PanicException(BaseException):
        """As pyo3 names what a panic of Rust becomes."""

    def panic():
        raise PanicException("index out of bounds")

    with pytest.raises(CodecError, match=r"^pcodec panicked: index out of bounds$"):
        _calling(panic)


def test_an_interrupt_stays_one():
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _calling(interrupt)
