"""Blosc containers: what numcodecs writes reads, what it writes reads it, and what is damaged crashes nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from numcodecs import blosc

import zom.codecs
from zom.codecs.blosc.coder import BloscCoder
from zom.codecs.blosc.container import check_container
from zom.errors import CodecError
from zom.extension.bound import Stream
from zom.extension.codec import codecs
from zom.extension.pieces import Pieces

NAMES = ("blosclz", "lz4", "lz4hc", "zlib", "zstd")
SIZES = (1, 3, 127, 128, 1000, 4096, 70_000)


def sample(size):
    return (np.arange(size // 4 + 1, dtype="<u4") * 7).tobytes()[:size]


def coder(size=None, *, width=4, cname="lz4", clevel=5, shuffle=1, blocksize=0, typesize=None, most=1 << 20):
    stream = Stream(size, most if size is None else size, width)
    return BloscCoder(
        stream, cname=cname, clevel=clevel, shuffle=shuffle, blocksize=blocksize, typesize=typesize
    )


def patched(container, *changes):
    made = bytearray(container)
    for place, value in changes:
        made[place : place + 4] = value.to_bytes(4, "little")
    return bytes(made)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shuffle", [0, 1, 2])
@pytest.mark.parametrize("cname", NAMES)
def test_a_container_of_numcodecs_decodes(cname, shuffle, size):
    for width in (1, 3, 4, 8, 16, 300):
        made = blosc.compress(sample(size), cname.encode(), 5, shuffle, 0, width)
        assert bytes(coder(size, cname=cname).decode(made)) == sample(size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("cname", NAMES)
def test_numcodecs_decodes_what_is_encoded(cname, size):
    for shuffle in (-1, 0, 1, 2):
        made = coder(size, cname=cname, shuffle=shuffle).encode(sample(size))
        assert blosc.decompress(made) == sample(size)


def blocks_of(container):
    return int.from_bytes(container[4:8], "little") // int.from_bytes(container[8:12], "little")


@pytest.mark.parametrize(
    ("cname", "size", "blocksize"), [(b"zstd", 300_001, 1024), (b"lz4", 5_000_002, 1024)]
)
def test_many_small_blocks_decode(cname, size, blocksize):
    data = np.random.default_rng(0).integers(0, 9, size, "u1").tobytes()
    made = blosc.compress(data, cname, 1, 0, blocksize, 4)
    assert blocks_of(made) > 64
    assert bytes(coder(size).decode(made)) == data


def test_no_bytes_are_a_container_too():
    made = coder(0).encode(b"")
    assert bytes(coder(0).decode(made)) == b""


def test_a_chunk_decodes_into_memory_of_the_right_size():
    target = bytearray(4000)
    made = blosc.compress(sample(4000), b"zstd", 5, 1, 0, 4)
    coder(4000).decode_into(made, memoryview(target))
    assert bytes(target) == sample(4000)


def test_a_chunk_that_was_stored_decodes_into_memory():
    target = bytearray(100)
    coder(100).decode_into(blosc.compress(sample(100), b"lz4", 0, 1, 0, 4), memoryview(target))
    assert bytes(target) == sample(100)


def test_memory_of_another_size_is_refused():
    made = blosc.compress(sample(4000), b"zstd", 5, 1, 0, 4)
    with pytest.raises(CodecError, match=r"^expected 4001 bytes, found a container of 4000$"):
        coder().decode_into(made, memoryview(bytearray(4001)))


GOOD = blosc.compress(sample(4000), b"lz4", 5, 1, 0, 4)
SPLIT_AT = int.from_bytes(GOOD[16:20], "little")


@pytest.mark.parametrize(
    ("container", "message"),
    [
        (GOOD[:15], "truncated: a container has at least 16 bytes, found 15"),
        (GOOD[:-1], f"truncated: expected {len(GOOD)} bytes, as the container states, found {len(GOOD) - 1}"),
        (GOOD + b"x", f"trailing bytes: expected {len(GOOD)} bytes, as the container states, found {len(GOOD) + 1}"),
        (b"\3" + GOOD[1:], "expected a container of version 2, found 3"),
        (patched(GOOD, (4, 4001)), "expected 4000 bytes, found a container of 4001"),
        (patched(GOOD, (8, 0)), "expected blocks of 1 to 4000 bytes, found 0"),
        (patched(GOOD, (8, 2**32 - 1)), "expected blocks of 1 to 4000 bytes, found 4294967295"),
        (patched(GOOD, (8, 1)), f"truncated: 4000 blocks, but only {len(GOOD)} bytes"),
        (patched(GOOD, (8, 3999)), "blocks of 3999 bytes can't be split by elements of 4"),
        (patched(GOOD, (16, 0)), f"block 0 reaches to byte 0 of {len(GOOD)}"),
        (patched(GOOD, (16, len(GOOD))), f"block 0 reaches to byte {len(GOOD)} of {len(GOOD)}"),
        (patched(GOOD, (SPLIT_AT, 2**31)), f"block 0 reaches to byte {SPLIT_AT + 4 + 2**31} of {len(GOOD)}"),
        (GOOD[:2] + b"\x29" + GOOD[3:], "unknown flags 0x29: the container is newer, or damaged"),
        (GOOD[:2] + b"\x23" + GOOD[3:], f"expected 4000 stored bytes, found {len(GOOD) - 16}"),
        (GOOD[:2] + b"\xa1" + GOOD[3:], "unknown inner format 5"),
        (GOOD[:1] + b"\x02" + GOOD[2:], "unknown version 2 of the inner format lz4"),
        (GOOD[:3] + b"\0" + GOOD[4:], "expected elements of 1 to 255 bytes, found 0"),
    ],
)  # fmt: skip
def test_a_container_that_lies_is_refused(container, message):
    with pytest.raises(CodecError) as caught:
        check_container(container, 4000, 4000)
    assert str(caught.value) == message


@pytest.mark.slow
@pytest.mark.parametrize("cname", NAMES)
@pytest.mark.parametrize("shuffle", [0, 1, 2])
@pytest.mark.parametrize(
    ("size", "blocksize"), [(3, 0), (4000, 0), (4096, 1024), (16_384, 0), (262_144, 65_536)]
)
@pytest.mark.parametrize("stored", [(), (0,), (3, 8), range(9)])
def test_containers_are_decoded_together(cname, size, blocksize, shuffle, stored, monkeypatch):
    """One by one, each would be looked at by its own call; noise is stored as it is."""
    chance = np.random.default_rng(0)
    chunks = [bytes([(number + at // 40) % 7 for at in range(size)]) for number in range(9)]
    chunks = [chance.bytes(size) if number in stored else chunk for number, chunk in enumerate(chunks)]
    made = [memoryview(blosc.compress(chunk, cname.encode(), 5, shuffle, blocksize, 4)) for chunk in chunks]
    target = bytearray(9 * size)
    monkeypatch.setattr(BloscCoder, "decode_into", None)
    coder(size).decode_rows(made, memoryview(target))
    assert target == b"".join(chunks)


@pytest.mark.parametrize("cname", NAMES)
def test_containers_of_several_layouts_are_decoded_one_by_one(cname):
    """A block that is shorter than the others, another typesize, another compressor."""
    name = cname.encode()
    chunks = [bytes([(number + at // 40) % 7 for at in range(4000)]) for number in range(9)]
    made = [blosc.compress(chunk, name, 5, 0, 1024, 4) for chunk in chunks]
    for others in (
        [],
        [blosc.compress(chunks[0], name, 5, 1, 0, 8)],
        [blosc.compress(chunks[0], b"zlib", 5, 1, 0, 4)],
    ):
        target = bytearray(4000 * (9 + len(others)))
        coder(4000).decode_rows(made + others, memoryview(target))
        assert target == b"".join(chunks + chunks[:1] * len(others))


@pytest.mark.parametrize("place", [0, 4, 8])
@pytest.mark.parametrize("length", [15, 16, 18, 20, 23, 40])
def test_one_that_is_cut_off_among_many_is_refused(place, length):
    made = [blosc.compress(bytes([at // 40 % 7 for at in range(4000)]), b"lz4", 5, 1, 0, 4)] * 9
    made[place] = made[place][:12] + length.to_bytes(4, "little") + made[place][16:length]
    made[place] = made[place][:length]
    with pytest.raises(CodecError, match=r"truncated|block 0 reaches to byte"):
        coder(4000).decode_rows(made, memoryview(bytearray(9 * 4000)))


def test_pieces_far_apart_are_decoded_together():
    chunk = bytes([at // 40 % 7 for at in range(4000)])
    made = blosc.compress(chunk, b"lz4", 5, 1, 0, 4)
    starts = np.arange(9, dtype=np.int64)[::-1] * 100_000
    data = bytearray(9 * 100_000)
    for start in starts.tolist():
        data[start : start + len(made)] = made
    target = bytearray(9 * 4000)
    pieces = Pieces(memoryview(data), starts, np.full(9, len(made), np.int64))
    coder(4000).decode_rows(pieces, memoryview(target))
    assert target == chunk * 9


def test_of_many_blocks_the_one_that_lies_is_named():
    data = np.random.default_rng(0).integers(0, 9, 300_000, "u1").tobytes()
    made = blosc.compress(data, b"zstd", 1, 0, 1024, 1)
    with pytest.raises(CodecError, match=rf"^block 70 reaches to byte 4294967295 of {len(made)}$"):
        coder(300_000).decode(patched(made, (16 + 4 * 70, 2**32 - 1)))


def test_more_bytes_than_there_may_be_are_refused():
    with pytest.raises(CodecError, match=r"^expected at most 100 bytes, found a container of 4000$"):
        coder(most=100).decode(GOOD)


def test_damaged_data_inside_is_told_by_its_format():
    made = blosc.compress(sample(4000), b"zlib", 5, 1, 0, 4)
    place = int.from_bytes(made[16:20], "little") + 4
    with pytest.raises(CodecError, match=r"^the zlib data in the container is damaged$"):
        coder(4000).decode(made[:place] + bytes([made[place] ^ 0xFF]) + made[place + 1 :])


def test_what_is_no_snappy_is_told():
    with pytest.raises(CodecError, match="snappy data"):
        coder(4000).decode(GOOD[:2] + b"\x41" + GOOD[3:])


def shuffle_of(container):
    return {0: "none", 1: "bytes", 4: "bits"}[container[2] & 5]


@pytest.mark.parametrize(
    ("width", "shuffle", "made"),
    [(1, -1, "bits"), (4, -1, "bytes"), (4, 0, "none"), (4, 1, "bytes"), (4, 2, "bits")],
)
def test_a_shuffle_of_minus_one_goes_by_the_width(width, shuffle, made):
    assert shuffle_of(coder(4000, width=width, shuffle=shuffle).encode(sample(4000))) == made


@pytest.mark.parametrize(("typesize", "made"), [(None, 4), (2, 2), (255, 255), (256, 1), (2**40, 1)])
def test_the_typesize_is_the_width_of_an_element_unless_it_is_stated(typesize, made):
    assert coder(4000, typesize=typesize).encode(sample(4000))[3] == made


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("blosc", {"cname": "zstd", "clevel": 1, "blocksize": 0}),
        ("blosc", {"cname": "zstd", "clevel": 1, "blocksize": 0, "shuffle": "bitshuffle", "typesize": 2}),
        ("numcodecs.blosc", {"cname": "lz4", "shuffle": -1}),
    ],
)
def test_every_form_of_the_codec_runs(name, members):
    codec = zom.codecs.blosc.codecs[name]
    bound = codec.bind(codec.configuration.model_validate(members), Stream(4000, 4000, 4), Stream(None, 9000))
    assert bytes(bound.decode(bound.encode(sample(4000)))) == sample(4000)


def test_the_v2_form_runs():
    codec = codecs["blosc"]
    bound = codec.bind(codec.v2_configuration(), Stream(4000, 4000, 4), Stream(None, 9000))
    assert bound.encode(sample(4000))[:4] == GOOD[:4]


def test_the_same_data_encode_to_the_same_bytes():
    data = np.cumsum(np.random.default_rng(0).standard_normal(1 << 20)).astype("f4").tobytes()
    bound = coder(len(data))
    assert len({bytes(bound.encode(data)) for _ in range(8)}) == 1


@pytest.mark.parametrize("chosen", [None, True, False])
def test_the_threads_that_others_chose_stay_as_they_are(monkeypatch, chosen):
    monkeypatch.setattr(blosc, "use_threads", chosen)
    bound = coder(4000)
    bound.decode(bound.encode(sample(4000)))
    assert blosc.use_threads is chosen


def test_several_threads_use_one_coder():
    bound = coder(1 << 20, cname="zstd", clevel=1)
    data = sample(1 << 20)
    seen = []

    def work():
        seen.extend(bytes(bound.decode(bound.encode(data))) == data for _ in range(5))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    work()
    for worker in workers:
        worker.join()
    assert seen == [True] * 20


FORK = """
import os
from zom.codecs.blosc.coder import BloscCoder
from zom.extension.bound import Stream
data = bytes(1 << 22)
coder = BloscCoder(Stream(len(data), len(data), 4), cname="lz4", clevel=1, shuffle=1, blocksize=1 << 18)
made = coder.encode(data)
assert coder.decode(made) == data
child = os.fork()
if not child:
    os._exit(0 if coder.decode(coder.encode(data)) == data else 1)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system has no fork")
def test_a_process_forks_after_blosc_ran():
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=60)


def test_no_mutated_container_crashes():
    script = Path(__file__).with_name("fuzz_blosc.py")
    done = subprocess.run(
        [sys.executable, str(script), "4000"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("4000 containers")
