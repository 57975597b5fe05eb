from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.chunk_keys
import zom.codecs
import zom.dtypes
import zom.grids  # noqa: F401 - registers what is looked up
from zom.extension.canonical import canonical_definition
from zom.extension.codec import codecs
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


@pytest.mark.parametrize(
    "value",
    [
        "bytes",
        {"name": "bytes"},
        {"name": "bytes", "configuration": {}},
        {"name": "bytes", "must_understand": True},
    ],
)
def test_all_spellings_of_bytes_are_one(value):
    assert canonical_definition(value, codecs) == {"name": "bytes", "configuration": {}}


def test_the_old_name_is_the_new_one():
    assert canonical_definition({**LITTLE, "name": "endian"}, codecs) == LITTLE


@pytest.mark.parametrize(
    "value",
    [
        "default",
        {"name": "default", "configuration": {"separator": "/"}},
        {"name": "default", "separator": "/"},
    ],
)
def test_all_spellings_of_default_are_one(value):
    expected = {"name": "default", "configuration": {"separator": "/"}}
    assert canonical_definition(value, chunk_key_encodings) == expected


@pytest.mark.parametrize(
    ("value", "configuration"),
    [
        ({"name": "zstd", "configuration": {"level": 3}}, {"level": 3, "checksum": False}),
        ("packbits", {"padding_encoding": "none", "first_bit": 0}),
        (
            {"name": "packbits", "configuration": {"first_bit": None, "last_bit": 3}},
            {"padding_encoding": "none", "first_bit": 0, "last_bit": 3},
        ),
        (
            {"name": "cast_value", "configuration": {"data_type": {"name": "int8"}}},
            {"data_type": "int8", "rounding": "nearest-even"},
        ),
        (
            {"name": "cast_value", "configuration": {"data_type": "x.y"}},
            {"data_type": "x.y", "rounding": "nearest-even"},
        ),
    ],
)
def test_defaults_are_written_down(value, configuration):
    assert canonical_definition(value, codecs)["configuration"] == configuration


def test_sharding_is_canonical_all_the_way_down():
    def shard(codec, more):
        configuration = {"chunk_shape": [2], "codecs": [codec], "index_codecs": [LITTLE, "crc32c"], **more}
        return {"name": "sharding_indexed", "configuration": configuration}

    short = shard(shard("bytes", {}), {})
    long = shard(shard({"name": "bytes", "configuration": {}}, {"index_location": "end"}), {})
    found = canonical_definition(short, codecs)
    assert found == canonical_definition(long, codecs)
    assert found["configuration"]["index_location"] == "end"
    assert found["configuration"]["index_codecs"][1] == {"name": "crc32c", "configuration": {}}


def test_a_typesize_that_is_ignored_does_not_count():
    def blosc(**more):
        return {
            "name": "blosc",
            "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "noshuffle", "blocksize": 0, **more},
        }

    assert canonical_definition(blosc(), codecs) == canonical_definition(blosc(typesize=8), codecs)


def test_runs_of_a_rectilinear_grid_are_merged():
    value = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[2, 2]]}}
    found = canonical_definition(value, chunk_grids)
    assert found["configuration"] == {"kind": "inline", "chunk_shapes": [[[2, 2]]]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x.y", {"name": "x.y", "configuration": {}}),
        ({"name": "x.y", "configuration": {"b": None}}, {"name": "x.y", "configuration": {"b": None}}),
        (
            {"name": "x.y", "must_understand": False},
            {"name": "x.y", "configuration": {}, "must_understand": False},
        ),
        ({"name": "gzip", "configuration": {"level": 99}}, {"name": "gzip", "configuration": {"level": 99}}),
        ({"name": "gzip", "configuration": 3}, {"name": "gzip", "configuration": 3}),
        ({"name": 3}, {"name": 3}),
        (3, 3),
    ],
)
def test_what_is_unknown_or_at_fault_stays_as_it_is(value, expected):
    assert canonical_definition(value, codecs) == expected


configurations = st.one_of(
    st.builds(lambda level: {"name": "gzip", "configuration": {"level": level}}, st.integers(-1, 10)),
    st.builds(lambda c: {"name": "zstd", "configuration": {"level": 1, "checksum": c}}, st.booleans()),
    st.sampled_from(["bytes", "crc32c", "x.y", "packbits", LITTLE, "scale_offset"]),
)


@given(configurations)
def test_the_canonical_spelling_is_its_own(value):
    once = canonical_definition(value, codecs)
    assert canonical_definition(once, codecs) == once
