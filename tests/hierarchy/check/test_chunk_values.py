"""Arrays that were damaged on purpose: each damage is found, told once, and nothing else is."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from stored_trees import Far

import zom
from zom import draft, v2, v3
from zom.errors import StoreError
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
CRC = {"name": "crc32c"}
ZLIB = {"id": "zlib", "level": 1}


def check(subject, data="keys", **choices):
    return zom.validate(subject, conventions=(), data=data, **choices).problems


def filled(spec, store=None, path="", **options):
    array = zom.create_array(MemoryStore() if store is None else store, spec, path).with_options(**options)
    array[...] = np.arange(array.size).reshape(array.shape) + 1
    return array


def plain(**changes):
    """An array of 2 × 2 chunks, each of 12 bytes and a checksum."""
    made = v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3), **changes)
    return made.replace(codecs=[BYTES, CRC])


def sharded(inner=(BYTES, CRC), index=(BYTES, CRC), location="end"):
    """An array of 2 shards, each of 2 × 2 chunks of 2 × 3."""
    shard = {
        "chunk_shape": [2, 3],
        "codecs": list(inner),
        "index_codecs": list(index),
        "index_location": location,
    }
    made = v3.ArraySpec.build(shape=(8, 6), dtype="int16", chunks=(4, 6))
    return made.replace(codecs=[{"name": "sharding_indexed", "configuration": shard}])


def codes(problems):
    return [(problem.code, problem.key) for problem in problems]


def flip(store, key, place):
    value = bytearray(store.get(key))
    value[place] ^= 1
    store.set(key, value)


# --- sound arrays ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["keys", "index", "all"])
@pytest.mark.parametrize(
    "spec",
    [
        plain(),
        sharded(),
        v3.ArraySpec.build(shape=(5, 7), dtype="float64", chunks=(2, 3)),
        v3.ArraySpec.build(shape=(), dtype="int8"),
        v3.ArraySpec.build(shape=(0, 3), dtype="int8"),
        v2.ArraySpec.build(shape=(5, 7), dtype="int16", chunks=(2, 3)),
        v2.ArraySpec.build(shape=(5, 7), dtype="int16", chunks=(2, 3)).replace(dimension_separator="/"),
        draft.ArraySpec.build(shape=(5, 7), dtype="int16", chunks=(2, 3)),
    ],
    ids=str,
)
def test_a_sound_array_has_no_problems(spec, level):
    assert check(filled(spec, path="a"), level) == ()


def test_strings_are_decoded():
    array = zom.create_array(MemoryStore(), v3.ArraySpec.build(shape=(4,), dtype="string", chunks=(2,)))
    array[:] = ["a", "b", "c", "d"]
    assert check(array, "all") == ()
    flip(array.store, "c/1", -1)
    assert codes(check(array, "all")) == [("chunk/undecodable", "c/1")]


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="limit: expected None or a number from 1 on, got 0"):
        check(filled(plain()), limit=0)


# --- keys ------------------------------------------------------------------------------------------------


def test_chunks_that_are_missing_are_counted_in_one_note():
    array = filled(plain())
    array.store.delete_many(["c/0/0", "c/1/1"])
    (problem,) = check(array)
    assert (problem.code, problem.severity, problem.key) == ("chunk/missing", "note", None)
    assert str(problem) == (
        "expected 4 chunks, found 2; the others read as the fill value; array.stored() lists the stored chunks"
    )


def test_a_chunk_outside_of_the_grid_is_a_warning():
    """An interrupted resize leaves some."""
    array = filled(plain())
    array.store.set("c/2/0", array.store.get("c/0/0"))
    (problem,) = check(array, "all")
    assert (problem.code, problem.severity, problem.key) == ("chunk/outside-grid", "warning", "c/2/0")
    assert str(problem) == (
        "expected a chunk of the grid of 2×2 chunks, found 'c/2/0'; delete it: if the array grows, "
        "readers may read it"
    )


@pytest.mark.parametrize("key", ["c.0.0", "0.0", "0/0", "c/0", "c/0/0/0", "c/00/1", "c/01/1", "7"])
def test_a_chunk_under_another_encoding_of_keys_is_an_error(key):
    array = filled(plain(), path="a")
    array.store.set(f"a/{key}", array.store.get("a/c/0/0"))
    (problem,) = check(array)
    assert (problem.code, problem.severity, problem.key) == ("chunk/other-key", "error", f"a/{key}")
    assert problem.expected == "keys like 'a/c/0/0'"


def test_the_wrong_separator_of_v2_is_an_error():
    """What zarr-python 2.8 and others wrote: the whole array reads as the fill value, without an error."""
    store = filled(
        v2.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)).replace(dimension_separator="/")
    ).store
    store.set(".zarray", store.get(".zarray").replace(b'"dimension_separator"', b'"was_separator"'))
    problems = check(zom.open_array(store))
    assert [problem.code for problem in problems if problem.code.startswith("chunk/")] == [
        *["chunk/other-key"] * 4,
        "chunk/missing",
    ]


@pytest.mark.parametrize(
    "key", ["readme.txt", ".DS_Store", "c/0/0.partial", "c/readme", "__x/y", "c/0/0.abc.tmp", "-1.0", "0x1"]
)
def test_a_foreign_file_is_a_note(key):
    array = filled(plain(), path="a")
    array.store.set(f"a/{key}", b"")
    (problem,) = check(array, "all")
    assert (problem.code, problem.severity, problem.key) == ("chunk/foreign-key", "note", f"a/{key}")
    assert problem.fix == "move or delete it if it isn't needed here"


@pytest.mark.parametrize(("spec", "other"), [(plain(), ".zarray"), (plain(), ".zgroup")])
def test_documents_of_another_format_beside_its_own_are_told(spec, other):
    array = filled(spec, path="a")
    array.store.set_many({f"a/{other}": b"{}", "a/.zattrs": b"{}"})
    (problem,) = check(array)
    assert (problem.code, problem.severity, problem.key) == ("store/two-formats", "warning", f"a/{other}")


def test_a_group_beside_an_array_of_v2_is_told():
    array = filled(v2.ArraySpec.build(shape=(4,), dtype="int8"), path="a")
    array.store.set("a/.zgroup", b"{}")
    assert codes(check(array)) == [("store/two-kinds", "a/.zgroup")]


def test_attributes_of_v2_beside_an_array_of_v3_are_told():
    array = filled(plain(), path="a")
    array.store.set("a/.zattrs", b"{}")
    (problem,) = check(array)
    assert (problem.code, problem.severity) == ("store/loose-document", "warning")
    assert str(problem) == (
        "/a: expected the document of a v2 node beside it, found '.zattrs' alone; delete it if it "
        "isn't needed: readers ignore it"
    )


def test_a_node_below_an_array_is_an_error():
    array = filled(plain(), path="a")
    array.store.set("a/b/c/zarr.json", b"{}")
    (problem,) = check(array)
    assert (problem.code, problem.node, problem.key) == ("tree/below-array", "/a/b/c", "a/b/c/zarr.json")
    assert problem.found == "the array /a above it"


def test_a_change_that_did_not_end_is_an_error():
    array = filled(plain(), path="a")
    array.store.set("a/.zom.journal", b"{}")
    (problem,) = check(array)
    assert (problem.code, problem.node, problem.key) == ("store/unfinished-change", "/a", "a/.zom.journal")
    assert problem.fix == "wait until it ends, or finish or undo it with zom.repair"


def test_keys_of_other_arrays_are_not_looked_at():
    store = MemoryStore()
    array = filled(plain(), store, "a")
    filled(plain(), store, "aa").store.set("aa/x", b"")
    assert check(array, "all") == ()


# --- sizes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 15, 17, 1000])
def test_a_chunk_of_a_size_that_cannot_be_is_told_without_reading_it(size):
    store = LoggedStore(MemoryStore())
    array = filled(plain(), store)
    store.set("c/0/1", bytes(size))
    store.log.calls.clear()
    (problem,) = check(array)
    assert (problem.code, problem.severity, problem.key) == ("chunk/size", "error", "c/0/1")
    assert problem.expected == "16 bytes in 'c/0/1'"
    assert problem.found == ("1 byte" if size == 1 else f"{size} bytes")
    assert dict(store.log.counts) == {"read": 2, "list": 1}  # of the document
    assert codes(check(array, "all")) == [("chunk/size", "c/0/1")]


def test_a_compressed_chunk_without_bytes_is_told():
    array = filled(v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)))
    array.store.set("c/0/1", b"")
    (problem,) = check(array, "all")
    assert problem.code == "chunk/size"
    assert problem.expected == "an encoded chunk, which is not empty in 'c/0/1'"


def test_a_chunk_longer_than_any_encoding_of_it_is_told_without_reading_it():
    store = LoggedStore(MemoryStore())
    array = filled(v2.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)), store)
    form = array.plan.form((2, 3))
    assert form.chain.most < 1 << 31

    class Boasting(MemoryStore):
        def _sizes(self, prefix):
            return ((key, 1 << 40 if key == "0.0" else size) for key, size in super()._sizes(prefix))

    boasting = Boasting({key: store.get(key) for key in store.list()})
    (problem,) = check(zom.open_array(boasting))
    assert (problem.code, problem.key) == ("chunk/size", "0.0")


def test_a_shard_shorter_than_its_index_is_told_once():
    array = filled(sharded())
    array.store.set("c/0/0", bytes(10))
    for level in ("keys", "index", "all"):
        (problem,) = check(array, level)
        assert problem.code == "chunk/size"
        assert problem.expected == "at least 68 bytes, for the index of a shard in 'c/0/0'"


# --- values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_every_flipped_bit_is_found(far, threads):
    store = Far(MemoryStore()) if far else MemoryStore()
    array = filled(plain(), store, threads=threads)
    for key in ("c/0/0", "c/1/1"):
        flip(store, key, 3)
    assert check(array, "index") == ()
    problems = check(array, "all")
    assert codes(problems) == [("chunk/undecodable", "c/0/0"), ("chunk/undecodable", "c/1/1")]
    assert problems[0].expected == "a sound chunk in 'c/0/0'"
    assert problems[0].found.startswith("crc32c: checksum mismatch")
    assert problems[0].fix == "restore it from a copy, or write the chunk again"


def test_a_chunk_that_is_no_stream_is_found():
    array = filled(v2.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)).replace(compressor=ZLIB))
    array.store.set("1.0", b"nothing of the kind")
    assert codes(check(array, "all")) == [("chunk/undecodable", "1.0")]


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("location", ["start", "end"])
def test_a_damaged_index_is_found_by_reading_indexes(far, location):
    store = Far(MemoryStore()) if far else MemoryStore()
    array = filled(sharded(location=location), store)
    flip(store, "c/1/0", 5 if location == "start" else -9)
    for level in ("index", "all"):
        (problem,) = check(array, level)
        assert (problem.code, problem.key) == ("chunk/shard-index", "c/1/0")
        assert "checksum mismatch" in problem.found
    assert check(array) == ()


@pytest.mark.parametrize("level", ["index", "all"])
@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ((1 << 40, 12), "end beyond the shard"),
        ((0, 13), "expected 12 bytes, found 13 in the index"),
        ((6, 12), "overlap bytes"),
        ((2**64 - 1, 12), "only its offset"),
        ((2**64 - 4, 12), "end beyond"),
    ],
)
def test_an_entry_that_cannot_be_true_is_found(level, far, entry, found):
    store = Far(MemoryStore()) if far else MemoryStore()
    array = filled(sharded(inner=[BYTES], index=[BYTES]), store)
    value = bytearray(store.get("c/0/0"))
    value[-64:-48] = np.array(entry, "<u8").tobytes()
    store.set("c/0/0", value)
    (problem,) = check(array, level)
    assert (problem.code, problem.key) == ("chunk/shard-index", "c/0/0")
    assert found in problem.found


@pytest.mark.parametrize("far", [False, True])
def test_each_damaged_chunk_in_a_shard_is_told_by_its_place(far):
    store = Far(MemoryStore()) if far else MemoryStore()
    array = filled(sharded(), store)
    flip(store, "c/0/0", 3)
    flip(store, "c/0/0", 2 * 16 + 3)
    found = [problem.found for problem in check(array, "all")]
    assert [
        text.partition(":")[0] + text[text.index(" inner") : text.index(" checksum")] for text in found
    ] == [
        "sharding_indexed inner chunk (0, 0), bytes 0 to 16: crc32c:",
        "sharding_indexed inner chunk (1, 0), bytes 32 to 48: crc32c:",
    ]
    assert check(array, "index") == ()


def nested():
    middle = {"chunk_shape": [2], "codecs": [BYTES, CRC], "index_codecs": [BYTES, CRC]}
    shard = {
        "chunk_shape": [6],
        "codecs": [{"name": "sharding_indexed", "configuration": middle}],
        "index_codecs": [BYTES, CRC],
    }
    codecs = [{"name": "sharding_indexed", "configuration": shard}]
    return v3.ArraySpec.build(shape=(24,), dtype="int16", chunks=(12,)).replace(codecs=codecs)


def test_the_indexes_of_shards_in_shards_are_read():
    array = filled(nested())
    assert check(array, "all") == ()
    flip(array.store, "c/0", 3 * 8 + 10)  # the first inner shard: three chunks of 8 bytes, then its index
    (problem,) = check(array, "index")
    assert problem.code == "chunk/shard-index"
    assert "inner chunk (0), bytes 0 to 76: sharding_indexed: index, bytes 24 to 76: crc32c" in problem.found


def test_the_chunks_of_shards_in_shards_are_decoded():
    array = filled(nested())
    flip(array.store, "c/1", 76 + 8 + 1)
    assert check(array, "index") == ()
    (problem,) = check(array, "all")
    assert problem.code == "chunk/undecodable"
    assert (
        "inner chunk (1), bytes 76 to 152: sharding_indexed: inner chunk (1), bytes 8 to 16" in problem.found
    )


def test_a_shard_with_codecs_around_it_is_decoded_whole():
    spec = sharded()
    array = filled(spec.replace(codecs=[*spec.codecs, CRC]))
    assert check(array, "all") == ()
    flip(array.store, "c/0/0", 3)
    assert codes(check(array, "all")) == [("chunk/undecodable", "c/0/0")]


def test_indexes_of_far_shards_are_read_in_one_request():
    store = Far(LoggedStore(MemoryStore()))
    array = filled(sharded(), store)
    store.inner.log.calls.clear()
    assert check(array, "index") == ()
    assert store.inner.log.counts["read"] == 2  # the document, and the indexes


def test_a_shard_that_is_written_meanwhile_is_not_called_damaged():
    """The index of the old one, and the chunks of the new one: no fault, but a second look."""
    store = Far(MemoryStore())
    array = filled(sharded(inner=[BYTES, {"name": "gzip", "configuration": {"level": 1}}]), store)
    other = filled(sharded(inner=[BYTES, {"name": "gzip", "configuration": {"level": 1}}]))
    other[:4] = np.random.default_rng(0).integers(0, 30000, (4, 6))
    new = other.store.get("c/0/0")
    read = store._read_many

    def written_between(requests):
        answer = read(requests)
        store.inner.set("c/0/0", new)
        return answer

    store._read_many = written_between
    assert check(array, "all") == ()


# --- what can't be read ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [plain(), sharded()], ids=["chunks", "shards"])
@pytest.mark.parametrize("far", [False, True])
def test_a_value_that_cannot_be_read_is_told_and_the_others_are_checked(spec, far):
    class Bad(MemoryStore):
        def _read(self, key, byte_range):
            if key == "c/1/0":
                raise OSError(5, "Input/output error")
            return super()._read(key, byte_range)

        def _snapshot(self, key):
            self._read(key, None)
            return super()._snapshot(key)

    good = filled(spec).store
    flip(good, "c/0/0", 3)
    bad = Bad({key: good.get(key) for key in good.list()})
    problems = check(zom.open_array(Far(bad) if far else bad), "all")
    assert codes(problems) == [("chunk/undecodable", "c/0/0"), ("chunk/unreadable", "c/1/0")]
    assert problems[1].found == "input/output error"


def test_a_store_that_is_out_of_order_is_an_error_and_no_list_of_problems():
    array = filled(v3.ArraySpec.build(shape=(100,), dtype="int8", chunks=(1,)))

    class Down(MemoryStore):
        def _read_many(self, requests):
            if any(key != "zarr.json" for key, _ in requests):
                raise OSError(110, "Connection timed out")
            return super()._read_many(requests)

    down = Down({key: array.store.get(key) for key in array.store.list()})
    with pytest.raises(StoreError, match="connection timed out"):
        check(zom.open_array(down), "all")


def test_a_listing_that_fails_is_an_error():
    class Unlisted(MemoryStore):
        def _sizes(self, prefix):
            raise StoreError(self.url, prefix, "list", "permission denied")

    store = filled(plain()).store
    (problem,) = check(zom.open_array(Unlisted({key: store.get(key) for key in store.list()})))
    assert (problem.code, problem.severity, problem.found) == (
        "store/unlisted-group",
        "error",
        "permission denied",
    )


def test_an_unknown_codec_is_a_warning_and_keys_are_checked():
    spec = plain().replace(codecs=[BYTES, {"name": "org.example.zip9"}])
    array = zom.create_array(MemoryStore(), spec)
    array.store.set_many({"c/0/0": b"x", "c/5/5": b"x", "c/0/1": b"", "c/1/0": b"y", "c/1/1": b"z"})
    problems = check(array, "all")
    assert codes(problems) == [("chunk/not-checked", "zarr.json"), ("chunk/outside-grid", "c/5/5")]
    assert problems[0].severity == "warning"
    assert "no codec named 'org.example.zip9' is registered" in problems[0].found


# --- stores that can't list ----------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [plain(), sharded()], ids=["chunks", "shards"])
def test_without_a_listing_each_chunk_of_the_grid_is_tried(spec):
    array = filled(spec)
    store = array.store
    flip(store, "c/0/0", 3)
    store.delete("c/1/0")
    far = zom.open_array(Far(store, listable=False))
    assert [problem.code for problem in check(far)] == ["store/unlisted"]
    problems = check(far, "all")
    assert codes(problems) == [
        ("store/unlisted", None),
        ("chunk/undecodable", "c/0/0"),
        ("chunk/missing", None),
    ]
    store.set("c/0/0", b"12")
    assert ("chunk/size", "c/0/0") in codes(check(far, "all"))
    assert ("chunk/size", "c/0/0") in codes(check(far, "index")) or spec != sharded()


def test_without_a_listing_a_huge_grid_is_not_tried():
    array = zom.create_array(MemoryStore(), v3.ArraySpec.build(shape=(10**9,), dtype="int8", chunks=(10,)))
    problems = check(zom.open_array(Far(array.store, listable=False)), "all")
    assert [problem.code for problem in problems] == ["store/unlisted", "chunk/not-checked"]


# --- many ----------------------------------------------------------------------------------------------------


def test_of_many_problems_some_are_listed_and_the_rest_is_counted():
    array = filled(plain(), path="a")
    array.store.set_many({f"a/x{number:03}": b"" for number in range(50)})
    problems = check(array, limit=10)
    assert len(problems) == 11
    assert [problem.key for problem in problems[:10]] == [f"a/x{number:03}" for number in range(10)]
    assert (problems[10].code, problems[10].severity, problems[10].key) == ("check/more", "note", None)
    assert str(problems[10]) == (
        "/a: expected at most 10 problems of chunk/foreign-key, found 40 more; pass a larger limit= to see more"
    )
    assert len(check(array, limit=None)) == 50


def test_what_stands_for_more_errors_is_an_error():
    array = filled(plain())
    for key in ("c/0/0", "c/0/1", "c/1/0"):
        flip(array.store, key, 0)
    assert [problem.severity for problem in check(array, "all", limit=1)] == ["error", "error"]


def test_a_grid_that_is_mostly_empty_costs_what_is_stored():
    array = zom.create_array(MemoryStore(), v3.ArraySpec.build(shape=(10**12,), dtype="int8", chunks=(10,)))
    array[5] = 1
    (problem,) = check(array, "all")
    assert problem.expected == "100,000,000,000 chunks"
    assert problem.found.startswith("1;")


def test_no_thread_is_left_behind():
    before = threading.active_count()
    check(filled(plain(), threads=4), "all")
    assert threading.active_count() == before
