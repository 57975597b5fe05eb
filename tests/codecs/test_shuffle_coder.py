from __future__ import annotations

import numpy as np
import pytest
from numcodecs import Shuffle

from zom.codecs.numcodecs.shuffle import ShuffleCoder
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Stream
from zom.extension.codec import codecs


def sample(size):
    return np.random.default_rng(size).integers(0, 256, size, "u1").tobytes()


@pytest.mark.parametrize("width", [1, 2, 3, 4, 8, 16, 64, 65, 300])
@pytest.mark.parametrize("count", [0, 1, 2, 17, 1000])
def test_it_is_the_shuffle_of_numcodecs(width, count):
    data = sample(width * count)
    coder = ShuffleCoder(Stream(len(data), len(data)), width)
    made = bytes(coder.encode(data))
    assert made == (bytes(Shuffle(width).encode(data)) if data else b"")
    assert bytes(coder.decode(made)) == data
    target = bytearray(len(data))
    coder.decode_into(made, memoryview(target))
    assert bytes(target) == data


@pytest.mark.parametrize("found", [0, 4, 11, 13, 16])
def test_another_number_of_bytes_is_refused(found):
    coder = ShuffleCoder(Stream(12, 12), 4)
    with pytest.raises(CodecError, match=rf"^expected 12 bytes, found {found}$"):
        coder.decode(bytes(found))
    with pytest.raises(CodecError, match=rf"^expected 12 bytes, found {found}$"):
        coder.decode_into(bytes(found), memoryview(bytearray(12)))


def test_half_an_element_is_refused():
    coder = ShuffleCoder(Stream(None, 100), 4)
    for run in (coder.encode, coder.decode):
        with pytest.raises(CodecError, match=r"^expected a multiple of 4 bytes, found 10$"):
            run(bytes(10))


def test_more_bytes_than_there_may_be_are_refused():
    with pytest.raises(CodecError, match=r"^expected at most 100 bytes, found 104$"):
        ShuffleCoder(Stream(None, 100), 4).decode(bytes(104))


@pytest.mark.parametrize(
    ("form", "members", "width"),
    [
        ("configuration", {}, 2),
        ("configuration", {"elementsize": 4}, 4),
        ("v2_configuration", {}, 4),
        ("v2_configuration", {"elementsize": 8}, 8),
    ],
)
def test_v3_knows_the_width_of_an_element_and_v2_takes_4(form, members, width):
    codec = codecs["numcodecs.shuffle"]
    stream = Stream(16, 16, 2)
    coder = codec.bind(getattr(codec, form)(**members), stream, stream)
    assert bytes(coder.encode(sample(16))) == bytes(Shuffle(width).encode(sample(16)))


def test_an_elementsize_of_0_is_refused_where_programs_mean_different_sizes_by_it():
    codec = codecs["numcodecs.shuffle"]
    wide = Stream(16, 16, 4)
    expected = (
        "the shuffle codec has an elementsize of 0, which numcodecs reads as 1 and netCDF-C as 4; "
        "write the one that the writer used"
    )
    with pytest.raises(ExtensionError) as caught:
        codec.bind(codec.v2_configuration(elementsize=0), wide, wide)
    assert str(caught.value) == expected


def test_an_elementsize_of_0_shuffles_nothing_where_elements_have_one_byte():
    codec = codecs["numcodecs.shuffle"]
    bytewise = Stream(16, 16, 1)
    coder = codec.bind(codec.v2_configuration(elementsize=0), bytewise, bytewise)
    assert bytes(coder.decode(sample(16))) == sample(16)
