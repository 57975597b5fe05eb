"""zfp with and without its header, against zfpy and numcodecs; and what is damaged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import zom.dtypes  # noqa: F401 - registers the types
from zom.codecs.zfp import library as zfp_library
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block, Stream
from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.extension.resolve import data_type, parse_v2

zfpy = pytest.importorskip("zfpy", reason="zfpy is not installed: pip install zfpy==1.0.1")

SHAPES = [(1,), (5,), (4, 4), (17, 33), (2, 3, 4), (9, 10, 11), (2, 5, 6, 7)]
MODES = [
    ({"mode": "reversible"}, {}),
    ({"mode": "fixed_accuracy", "tolerance": 0.01}, {"tolerance": 0.01}),
    ({"mode": "fixed_rate", "rate": 8.5}, {"rate": 8.5}),
    ({"mode": "fixed_precision", "precision": 16}, {"precision": 16}),
]
EXPERT = {"mode": "expert", "minbits": 1, "maxbits": 402, "maxprec": 20, "minexp": -10}


def sample(shape, name):
    walk = np.cumsum(np.random.default_rng(7).standard_normal(int(np.prod(shape)))).reshape(shape)
    return (walk * (1000 if "int" in name else 1)).astype(name)


def zfp(shape, name, **members):
    codec = codecs["zfp"]
    kind = data_type(name) if isinstance(name, str) else name
    configuration = codec.configuration.model_validate(members)
    return codec.bind(configuration, Block(shape, kind, kind.default()), Stream(None, 1 << 20))


def with_header(shape, name, **members):
    codec = codecs["numcodecs.zfpy"]
    kind = data_type(name) if isinstance(name, str) else name
    configuration = codec.v2_configuration.model_validate(members)
    return codec.bind(configuration, Block(shape, kind, kind.default()), Stream(None, 1 << 20))


@pytest.mark.parametrize("name", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("members", "theirs"), MODES, ids=lambda item: item.get("mode", ""))
def test_it_stores_what_zfpy_stores_without_a_header(members, theirs, shape, name):
    chunk = sample(shape, name)
    stored = zfpy.compress_numpy(chunk, write_header=False, **theirs)
    coder = zfp(shape, name, **members)
    assert bytes(coder.encode(chunk)) == stored
    decoded = zfpy._decompress(stored, zfp_library.TYPES[name], shape, **theirs)
    assert coder.decode(stored).tobytes() == decoded.tobytes()


@pytest.mark.parametrize("name", ["int32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("members", "theirs"),
    [({"mode": 2, "rate": 8.5}, {"rate": 8.5}), ({"mode": 3, "precision": 16}, {"precision": 16}), ({}, {})],
)  # fmt: skip
def test_it_stores_what_numcodecs_stores_with_a_header(members, theirs, shape, name):
    numcodecs_zfpy = pytest.importorskip("numcodecs.zfpy")
    chunk = sample(shape, name)
    stored = zfpy.compress_numpy(chunk, write_header=True, **theirs)
    coder = with_header(shape, name, **members)
    assert bytes(coder.encode(chunk)) == stored
    peer = numcodecs_zfpy.ZFPY(**members)
    assert coder.decode(peer.encode(chunk)).tobytes() == peer.decode(stored).tobytes()


def test_expert_numbers_are_those_of_the_header_that_zfp_writes():
    chunk = sample((9, 10), "float32")
    library = zfp_library.Zfp((9, 10), chunk.dtype, zfp_library.Mode("expert", (1, 402, 20, -10)))
    behind = zfpy.decompress_numpy(library.compress(chunk, header=True))
    coder = zfp((9, 10), "float32", **EXPERT)
    assert coder.decode(coder.encode(chunk)).tobytes() == behind.tobytes()


def test_a_rate_too_low_for_the_head_of_a_block_is_raised():
    coder = zfp((8,), "float32", mode="fixed_rate", rate=0.5)
    assert len(coder.encode(sample((8,), "float32"))) == 8


def kinds():
    for family in data_types:
        for kind in family.examples():
            if kind.kind in {"int", "uint", "float", "datetime", "timedelta"}:
                yield kind


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: f"{kind.name}-{kind.order}")
def test_every_type_that_zfp_takes_comes_back_from_the_reversible_mode(kind):
    dtype = kind.numpy()
    chunk = np.array([[0, 1, 1], [1, 0, 1]]).astype("i8" if dtype.kind in "mM" else dtype).astype(dtype)
    coder = zfp((2, 3), kind, mode="reversible")
    decoded = coder.decode(coder.encode(chunk))
    assert decoded.dtype == dtype
    assert decoded.tobytes() == chunk.tobytes()


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "uint16"])
def test_narrow_integers_are_promoted_as_zfp_does(name):
    chunk = np.array([np.iinfo(name).min, 0, 1, np.iinfo(name).max], name)
    coder = zfp((4,), name, mode="reversible")
    bits = chunk.dtype.itemsize * 8
    wide = chunk.astype("i8") - (1 << (bits - 1) if name.startswith("u") else 0)
    promoted = (wide << (31 - bits)).astype("i4")
    assert bytes(coder.encode(chunk)) == zfpy.compress_numpy(promoted, write_header=False)
    assert coder.decode(coder.encode(chunk)).tolist() == chunk.tolist()


def test_what_zfp_makes_of_narrow_integers_stays_in_their_range():
    stored = zfpy.compress_numpy(np.array([-(2**31), 2**31 - 1], "i4"), write_header=False)
    assert zfp((2,), "int8", mode="reversible").decode(stored).tolist() == [-128, 127]
    assert zfp((2,), "uint8", mode="reversible").decode(stored).tolist() == [0, 255]
    assert zfp((2,), "uint32", mode="reversible").decode(stored).tolist() == [0, 2**31 - 1]


def test_an_unsigned_integer_that_zfp_cannot_hold_is_refused():
    with pytest.raises(CodecError) as caught:
        zfp((1, 2), "uint32", mode="reversible").encode(np.array([[1, 2**31]], "u4"))
    assert str(caught.value) == "zfp supports uint32 up to 2147483647, found 2147483648 at (0, 1)"


def test_no_dimensions_are_one():
    coder = zfp((), "float32", mode="reversible")
    decoded = coder.decode(coder.encode(np.array(1.5, "f4")))
    assert decoded.shape == ()
    assert decoded.item() == 1.5


def test_a_transposed_chunk_is_stored_by_its_elements():
    chunk = sample((6, 8), "float32").T
    coder = zfp((8, 6), "float32", mode="reversible")
    assert (coder.decode(coder.encode(chunk)) == chunk).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_are_kept_in_reversible_mode_and_refused_elsewhere(value):
    chunk = np.array([[1, 2], [value, 3]], "f4")
    coder = zfp((2, 2), "float32", mode="reversible")
    assert coder.decode(coder.encode(chunk)).tobytes() == chunk.tobytes()
    with pytest.raises(CodecError) as caught:
        zfp((2, 2), "float32", mode="fixed_accuracy", tolerance=0.1).encode(chunk)
    assert str(caught.value) == f"zfp supports {value} only in its reversible mode, found it at (1, 0)"


@pytest.mark.parametrize(
    "members", [members for members, _ in MODES] + [EXPERT], ids=lambda item: item["mode"]
)
def test_truncated_and_longer_chunks_are_refused(members):
    coder = zfp((5, 6), "float32", **members)
    stored = bytes(coder.encode(sample((5, 6), "float32")))
    for length in range(len(stored)):
        with pytest.raises(CodecError, match=r"^truncated: "):
            coder.decode(stored[:length])
    with pytest.raises(CodecError, match=r"^(trailing bytes: |expected at most)"):
        coder.decode(stored + bytes(8))


@pytest.mark.parametrize("bound", [zfp, with_header])
def test_every_flipped_bit_is_refused_or_gives_other_values(bound):
    members = {"mode": "reversible"} if bound is zfp else {"mode": 5}
    coder = bound((3, 5), "float64", **members)
    stored = bytes(coder.encode(sample((3, 5), "float64")))
    for bit in range(8 * len(stored)):
        flipped = bytearray(stored)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            made = coder.decode(flipped)
        except CodecError:
            continue
        assert made.shape == (3, 5)
        assert made.dtype == np.float64


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (sample((4, 6), "float32"), "expected float32 of shape [6, 4], found float32 of shape [4, 6]"),
        (sample((6, 4), "float64"), "expected float32 of shape [6, 4], found float64 of shape [6, 4]"),
        (sample((25,), "float32"), "expected float32 of shape [6, 4], found float32 of shape [25]"),
    ],
)
def test_a_header_that_tells_of_another_array_is_refused(chunk, message):
    with pytest.raises(CodecError) as caught:
        with_header((6, 4), "float32").decode(zfpy.compress_numpy(chunk))
    assert str(caught.value) == message


def test_elements_that_a_filter_put_in_a_row_are_read():
    chunk = sample((6, 4), "int64")
    assert (with_header((6, 4), "int64").decode(zfpy.compress_numpy(chunk.reshape(-1))) == chunk).all()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "truncated: a header of zfp has at least 12 bytes, found 0"),
        (bytes(24), "expected a header of zfp, found none"),
    ],
)
def test_what_has_no_header_is_refused(data, message):
    with pytest.raises(CodecError) as caught:
        with_header((6, 4), "float32").decode(data)
    assert str(caught.value) == message


def test_a_header_that_leaves_too_few_bits_to_a_block_is_refused():
    stored = bytearray(zfpy.compress_numpy(sample((6, 4), "float32"), rate=8))
    # The mode stands behind the magic and 52 bits about the array: here a block of one bit.
    stored[10] &= 0x0F
    stored[11] = 0
    with pytest.raises(CodecError) as caught:
        with_header((6, 4), "float32").decode(bytes(stored))
    assert str(caught.value) == "expected at least 9 bits for each block of float32, found 1"


def test_dates_are_the_integers_that_they_are():
    kind = parse_v2(">M8[s]", None, [], ())
    chunk = np.array(["2020-01-01", "NaT", "1969-12-31"], ">M8[s]")
    coder = with_header((3,), kind)
    assert zfpy.decompress_numpy(bytes(coder.encode(chunk))).dtype == np.int64
    assert coder.decode(coder.encode(chunk)).tobytes() == chunk.tobytes()


def test_another_type_is_refused_when_the_codec_is_bound():
    message = r"^zfpy takes int32, int64, float32 and float64, not int16$"
    with pytest.raises(ExtensionError, match=message):
        with_header((3,), "int16")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"mode": "fixed_rate", "rate": 1e300}, "zfp has no rate of 1e[+]300 bits in 1 dimension"),
        ({**EXPERT, "maxprec": 65}, "zfp rejects the parameters of the expert mode"),
        ({**EXPERT, "minbits": 2**70}, "zfp rejects the parameters of the expert mode"),
        ({"mode": "fixed_rate"}, "zfp lacks the parameters of its mode 'fixed_rate'"),
    ],
)
def test_parameters_that_zfp_refuses_are_said_when_the_codec_is_bound(members, message):
    with pytest.raises(ExtensionError, match=f"^{message}$"):
        zfp((4,), "float32", **members)


def test_an_expert_mode_that_leaves_too_few_bits_to_a_block_is_refused():
    coder = zfp((4,), "float32", **{**EXPERT, "maxbits": 8})
    with pytest.raises(CodecError, match=r"^expected at least 9 bits for each block of float32, found 8$"):
        coder.encode(sample((4,), "float32"))
    with pytest.raises(CodecError, match=r"^expected at least 9 bits for each block of float32, found 8$"):
        coder.decode(bytes(8))


@pytest.mark.slow
def test_no_mutated_chunk_crashes():
    script = Path(__file__).with_name("fuzz_zfp.py")
    done = subprocess.run(
        [sys.executable, str(script), "4000"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("4000 chunks")
