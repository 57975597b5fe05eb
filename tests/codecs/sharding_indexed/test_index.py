from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zom.codecs.sharding_indexed.index import MISSING, IndexCoder, ShardIndex, index_block
from zom.errors import CodecError, ExtensionError
from zom.extension.bound_chain import bind_chain
from zom.extension.link import parse_links

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
GONE = (MISSING, MISSING)


def coder(counts=(2, 2), codecs=(LITTLE,), sizes=(1, 100), **more):
    return IndexCoder(counts, bind_chain(parse_links(list(codecs)), index_block(counts)), sizes=sizes, **more)


def raw(*pairs):
    return b"".join(struct.pack("<QQ", *pair) for pair in pairs)


def index_of(*pairs, size=1000, **more):
    return coder((len(pairs),), **more).parse(raw(*pairs), size)


# An index of two inner chunks has 32 bytes: at the end of 1000, it stands at 968.
DAMAGED = {
    "only the offset is all ones": ([(MISSING, 4)], "only its offset is 2**64 - 1; a missing chunk has it twice"),
    "only the length is all ones": ([(4, MISSING)], "only its number of bytes is 2**64 - 1; a missing chunk has it twice"),
    "offset all ones, no bytes": ([(MISSING, 0)], "only its offset is 2**64 - 1; a missing chunk has it twice"),
    "offset 0, length all ones": ([(0, MISSING)], "only its number of bytes is 2**64 - 1; a missing chunk has it twice"),
    "nothing at 0": ([(0, 0)], "expected from 1 to 100 bytes, found 0 in the index"),
    "nothing somewhere": ([(500, 0)], "expected from 1 to 100 bytes, found 0 in the index"),
    "nothing at the index": ([(984, 0)], "expected from 1 to 100 bytes, found 0 in the index"),
    "one byte too many": ([(0, 101)], "expected from 1 to 100 bytes, found 101 in the index"),
    "all bytes of the shard": ([(0, 1000)], "expected from 1 to 100 bytes, found 1000 in the index"),
    "a length near 2**64": ([(8, 2**64 - 8)], f"expected from 1 to 100 bytes, found {2**64 - 8} in the index"),
    "a length with its sign bit": ([(0, 2**63)], f"expected from 1 to 100 bytes, found {2**63} in the index"),
    "a length of 4 GiB": ([(0, 2**32)], f"expected from 1 to 100 bytes, found {2**32} in the index"),
    "a sum that wraps to 0": ([(2**64 - 8, 8)], f"bytes {2**64 - 8} to {2**64} end beyond the shard, which has 1000 bytes"),
    "a sum that wraps into the shard": ([(2**64 - 4, 8)], f"bytes {2**64 - 4} to {2**64 + 4} end beyond the shard, which has 1000 bytes"),
    "an offset of 2**63": ([(2**63, 4)], f"bytes {2**63} to {2**63 + 4} end beyond the shard, which has 1000 bytes"),
    "an offset of 2**63 - 1": ([(2**63 - 1, 1)], f"bytes {2**63 - 1} to {2**63} end beyond the shard, which has 1000 bytes"),
    "just behind the shard": ([(1000, 1)], "bytes 1000 to 1001 end beyond the shard, which has 1000 bytes"),
    "across the end of the shard": ([(999, 2)], "bytes 999 to 1001 end beyond the shard, which has 1000 bytes"),
    "one byte into the index": ([(900, 85)], "bytes 900 to 985 overlap the index, bytes 984 to 1000"),
    "the first byte of the index": ([(984, 1)], "bytes 984 to 985 overlap the index, bytes 984 to 1000"),
    "the last byte of the index": ([(999, 1)], "bytes 999 to 1000 overlap the index, bytes 984 to 1000"),
    "the index itself": ([(984, 16)], "bytes 984 to 1000 overlap the index, bytes 984 to 1000"),
}  # fmt: skip

DAMAGED_AT_START = {
    "the index itself": ([(0, 16)], "bytes 0 to 16 overlap the index, bytes 0 to 16"),
    "the first byte of the index": ([(0, 1)], "bytes 0 to 1 overlap the index, bytes 0 to 16"),
    "the last byte of the index": ([(15, 1)], "bytes 15 to 16 overlap the index, bytes 0 to 16"),
    "counted from the end of the index": ([(0, 100)], "bytes 0 to 100 overlap the index, bytes 0 to 16"),
    "across the end of the shard": ([(999, 2)], "bytes 999 to 1001 end beyond the shard, which has 1000 bytes"),
    "a sum that wraps": ([(2**64 - 4, 40)], f"bytes {2**64 - 4} to {2**64 + 36} end beyond the shard, which has 1000 bytes"),
}  # fmt: skip


def refused(act, reason):
    with pytest.raises(CodecError) as caught:
        act()
    assert str(caught.value) == f"sharding_indexed: {reason}"


@pytest.mark.parametrize(("pairs", "reason"), DAMAGED.values(), ids=DAMAGED)
def test_an_entry_that_can_not_be_true_is_refused(pairs, reason):
    index = index_of(*pairs)
    for act in (lambda: index.entry(0), index.check, lambda: next(index.ranges())):
        refused(act, f"inner chunk (0): {reason}")


@pytest.mark.parametrize(("pairs", "reason"), DAMAGED_AT_START.values(), ids=DAMAGED_AT_START)
def test_an_entry_of_an_index_at_the_start_is_refused_as_well(pairs, reason):
    index = index_of(*pairs, location="start")
    for act in (lambda: index.entry(0), index.check):
        refused(act, f"inner chunk (0): {reason}")


# Those that are wrong in a shard of any size.
ALWAYS = [name for name, ([(start, length)], _) in DAMAGED.items() if start > 2**62 or not 1 <= length <= 100]


@pytest.mark.parametrize("count", [1, 32, 33, 300])
@pytest.mark.parametrize("name", ALWAYS)
def test_a_damaged_entry_is_found_among_many(name, count):
    pairs, reason = DAMAGED[name]
    index = index_of(*[GONE] * count, *pairs, *[GONE] * count, size=100_000)
    refused(index.check, f"inner chunk ({count}): {reason.replace('has 1000', 'has 100000')}")


@pytest.mark.parametrize("count", [2, 500])
def test_the_first_damaged_entry_is_named(count):
    index = index_of(*[(0, 8)] * count, (0, 0), (0, 101), size=100_000)
    refused(index.check, f"inner chunk ({count}): expected from 1 to 100 bytes, found 0 in the index")


def test_an_inner_chunk_is_named_by_its_place_in_the_grid():
    index = coder((2, 3, 4)).parse(raw(*[GONE] * 18, (0, 0), *[GONE] * 5), 10_000)
    refused(
        lambda: index.entry(18),
        "inner chunk (1, 1, 2): expected from 1 to 100 bytes, found 0 in the index",
    )


def test_sound_entries_beside_a_damaged_one_are_given():
    index = index_of((0, 8), (MISSING, 1), (8, 8), GONE)
    assert (index.entry(0), index.entry(2), index.entry(3)) == ((0, 8), (8, 16), None)


def test_an_inner_chunk_of_fixed_size_has_just_that_size():
    index = index_of((0, 19), (0, 20), (0, 21), sizes=(20, 20))
    assert index.entry(1) == (0, 20)
    refused(lambda: index.entry(0), "inner chunk (0): expected 20 bytes, found 19 in the index")
    refused(lambda: index.entry(2), "inner chunk (2): expected 20 bytes, found 21 in the index")


def test_inner_chunks_of_no_bytes_may_have_none():
    assert index_of((0, 0), sizes=(0, 0)).entry(0) == (0, 0)


@pytest.mark.parametrize(("location", "first"), [("start", 48), ("end", 0)])
def test_entries_may_touch_the_index_and_the_ends(location, first):
    last = first + 1000 - 48
    index = index_of((first, 4), (last - 4, 4), GONE, location=location)
    index.check()
    assert list(index.ranges()) == [(first, first + 4), (last - 4, last), None]


def test_gaps_are_no_fault():
    index_of((10, 4), (500, 4), (300, 100)).check()


def test_two_inner_chunks_may_share_a_range():
    index = index_of((0, 8), (20, 10), (0, 8), (0, 8), (20, 10))
    index.check()
    assert list(index.ranges())[2:4] == [(0, 8), (0, 8)]


OVERLAPS = {
    "by a byte": ([(0, 8), (7, 8)], (0, 1), "bytes 0 to 8 overlap bytes 7 to 15"),
    "the other way round": ([(7, 8), (0, 8)], (0, 1), "bytes 7 to 15 overlap bytes 0 to 8"),
    "one inside the other": ([(0, 80), (20, 8)], (0, 1), "bytes 0 to 80 overlap bytes 20 to 28"),
    "the same start": ([(0, 8), (0, 9)], (0, 1), "bytes 0 to 8 overlap bytes 0 to 9"),
    "the same end": ([(1, 8), (0, 9)], (0, 1), "bytes 1 to 9 overlap bytes 0 to 9"),
    "among others": ([(50, 8), GONE, (0, 8), (57, 1), (70, 9)], (0, 3), "bytes 50 to 58 overlap bytes 57 to 58"),
    "with one of a pair": ([(0, 8), (0, 8), (4, 8)], (1, 2), "bytes 0 to 8 overlap bytes 4 to 12"),
    "far from it": ([(0, 90), (10, 5), (80, 20)], (0, 1), "bytes 0 to 90 overlap bytes 10 to 15"),
}  # fmt: skip


@pytest.mark.parametrize("more", [0, 40, 20_000])
@pytest.mark.parametrize(("pairs", "who", "reason"), OVERLAPS.values(), ids=OVERLAPS)
def test_ranges_that_overlap_in_part_are_refused(pairs, who, reason, more):
    rest = [(200 + 2 * number, 1) for number in range(more)]
    index = index_of(*rest, *pairs, size=10**6)
    one, other = (more + number for number in who)
    for act in (index.check, index.ranges):
        refused(act, f"inner chunk ({one}): {reason} of inner chunk ({other})")


@pytest.mark.parametrize("count", [20_000, 8192, 33])
def test_ranges_in_any_order_are_apart(count):
    places = np.random.default_rng(0).permutation(count).tolist()
    pairs = [(8 * place, 8) for place in places]
    index = index_of(*pairs, GONE, size=16 * count + 8 * count + 16)
    index.check()
    assert index.entry(count - 1) == (8 * places[-1], 8 * places[-1] + 8)


def test_overlaps_across_the_blocks_of_a_large_index_are_found():
    pairs = [(8 * place, 8) for place in range(20_000)]
    pairs[8192] = (8 * 8192 - 1, 8)
    refused(
        index_of(*pairs, size=10**6).check,
        "inner chunk (8191): bytes 65528 to 65536 overlap bytes 65535 to 65543 of inner chunk (8192)",
    )


def test_the_last_index_is_kept_for_the_same_bytes_and_size_only():
    made = coder((2,))
    first = made.parse(raw((0, 8), GONE), 1000)
    assert made.parse(raw((0, 8), GONE), 1000) is first
    assert made.parse(raw((0, 8), GONE), 36).entry(1) is None
    refused(
        made.parse(raw((0, 8), GONE), 36).check,
        "inner chunk (0): bytes 0 to 8 overlap the index, bytes 4 to 36",
    )
    assert made.parse(raw((0, 9), GONE), 1000).entry(0) == (0, 9)


def some_overlap(pairs):
    """Whether two ranges overlap in part."""
    there = [pair for pair in pairs if pair != GONE]
    return any(
        one != other and one[0] < sum(other) and other[0] < sum(one) for one in there for other in there
    )


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)) | st.just(GONE), max_size=40))
@settings(max_examples=300, deadline=None)
def test_overlaps_are_found_as_by_comparing_all_with_all(pairs):
    index = index_of(GONE, *pairs)
    try:
        index.check()
    except CodecError:
        assert some_overlap(pairs)
    else:
        assert not some_overlap(pairs)


NUMBERS = st.one_of(
    st.integers(0, 2**64 - 1), st.integers(0, 1100), st.sampled_from([MISSING, 2**63, 2**63 - 1, 2**64 - 50])
)


@pytest.mark.slow
@given(
    st.lists(st.tuples(NUMBERS, NUMBERS) | st.just(GONE), min_size=1, max_size=5),
    st.sampled_from(["start", "end"]),
    st.integers(0, 1500) | st.none(),
    st.booleans(),
)
@settings(max_examples=500, deadline=None)
def test_one_by_one_and_all_at_once_agree_with_whole_numbers(pairs, location, size, many):
    pairs = pairs + [GONE] * 60 if many else pairs
    nbytes = 16 * len(pairs)
    size = size if size is None else size + nbytes
    first, last = (nbytes, size) if location == "start" else (0, None if size is None else size - nbytes)
    last = 2**63 - 1 if last is None else last

    def sound(start, length):
        return 1 <= length <= 100 and first <= start and start + length <= last

    index = index_of(*pairs, size=size, location=location)
    for place, pair in enumerate(pairs):
        if pair == GONE:
            assert index.entry(place) is None
        elif sound(*pair):
            assert index.entry(place) == (pair[0], sum(pair))
        else:
            with pytest.raises(CodecError):
                index.entry(place)
    if all(pair == GONE or sound(*pair) for pair in pairs) and not some_overlap(pairs):
        index.check()
    else:
        with pytest.raises(CodecError):
            index.check()


def test_without_the_size_of_the_shard_all_else_is_checked():
    index = index_of((5000, 8), (2**63 - 8, 8), (0, 0), location="start", size=None)
    assert index.entry(0) == (5000, 5008)
    refused(
        lambda: index.entry(1),
        f"inner chunk (1): bytes {2**63 - 8} to {2**63} end beyond any value",
    )
    refused(lambda: index.entry(2), "inner chunk (2): expected from 1 to 100 bytes, found 0 in the index")


@pytest.mark.parametrize("size", [0, 1, 31])
def test_a_shard_has_room_for_its_index(size):
    refused(
        lambda: index_of((0, 4), GONE, size=size), f"expected at least 32 bytes, for the index, found {size}"
    )


@pytest.mark.parametrize("found", [0, 31, 33])
def test_an_index_has_just_its_number_of_bytes(found):
    refused(lambda: coder((2,)).parse(bytes(found)), f"index: expected 32 bytes, found {found}")
    refused(
        lambda: coder((2,)).parse(bytes(found), 100),
        f"index, bytes 68 to 100: expected 32 bytes, found {found}",
    )


def test_a_checksum_that_fails_names_the_index():
    form = coder((2,), [LITTLE, "crc32c"])
    stored = bytearray(form.encode(np.array([(0, 8), GONE], "u8")))
    assert form.nbytes == len(stored) == 36
    assert form.parse(stored, 100).entry(0) == (0, 8)
    stored[3] ^= 1
    with pytest.raises(CodecError) as caught:
        form.parse(stored, 100)
    assert str(caught.value).startswith("sharding_indexed: index, bytes 64 to 100: crc32c: ")
    assert caught.value.codec == "sharding_indexed"


def test_every_flipped_bit_of_an_index_with_a_checksum_is_found():
    form = coder((2,), [LITTLE, "crc32c"])
    stored = bytes(form.encode(np.array([(0, 8), (8, 8)], "u8")))
    for bit in range(8 * len(stored)):
        flipped = bytearray(stored)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CodecError):
            form.parse(flipped, 100)


@pytest.mark.parametrize(("codecs", "order"), [([LITTLE], "<"), ([BIG], ">")])
def test_the_codecs_of_the_index_say_how_it_is_stored(codecs, order):
    form = coder((2,), codecs)
    stored = form.encode(np.array([(1, 8), GONE], "u8"))
    assert bytes(stored) == struct.pack(f"{order}4Q", 1, 8, *GONE)
    assert list(form.parse(stored).ranges()) == [(1, 9), None]


def test_an_index_does_not_change_with_the_memory_it_was_read_from():
    memory = bytearray(raw((0, 8), GONE))
    index = coder((2,)).parse(memory, 1000)
    memory[:] = bytes(32)
    assert index.entry(0) == (0, 8)


def test_codecs_that_compress_make_no_index():
    chain = bind_chain(
        parse_links([LITTLE, {"name": "gzip", "configuration": {"level": 1}}]), index_block((2,))
    )
    with pytest.raises(CodecError) as caught:
        IndexCoder((2,), chain, sizes=(1, 100))
    assert str(caught.value) == "sharding_indexed: the codecs of the index don't have a fixed output size"


def test_numpy_holds_no_index_of_sixty_five_dimensions():
    assert index_block((1,) * 63).shape == (*(1,) * 63, 2)
    with pytest.raises(ExtensionError) as caught:
        index_block((1,) * 64)
    assert (
        str(caught.value) == "a shard of 64 dimensions: its index has one more, and numpy supports at most 64"
    )


def test_an_index_knows_how_many_entries_it_has():
    assert len(index_of((0, 8), GONE)) == 2
    assert isinstance(index_of((0, 8)), ShardIndex)
