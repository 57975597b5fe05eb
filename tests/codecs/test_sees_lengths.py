"""A codec that says it doesn't see lengths finds the same in chunks of all lengths, whatever the fill value."""

from __future__ import annotations

import pytest

from zom import v3
from zom.errors import SpecError
from zom.extension.codec import Elements, codecs
from zom.extension.configuration import parse_configuration
from zom.extension.link import CONFIGURATION
from zom.extension.resolve import parse_v3
from zom.formats import v3_encoding

BLIND = [codec for codec in codecs if not codec.sees_lengths]
TYPES = (
    "int8",
    "float64",
    "bool",
    "string",
    {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}},
)
CONFIGURATIONS = (
    {},
    {"endian": "little"},
    {"order": [1, 0]},
    {"order": [0, 1, 2]},
    {"order": "C"},
    {"level": 3},
    {"level": 3, "checksum": False},
    {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0},
)


def faults_of(codec, configuration, lengths, data_type, fill):
    faults = []
    codec.thread(configuration, Elements(lengths, data_type, fill), faults, ("codecs", 0))
    return faults


@pytest.mark.parametrize("codec", BLIND, ids=lambda codec: codec.name)
def test_faults_are_the_same_for_all_lengths(codec):
    asked = 0
    for given in CONFIGURATIONS:
        configuration = parse_configuration(codec.configuration, given, CONFIGURATION, [])
        if configuration is None:
            continue
        for named in TYPES:
            data_type = parse_v3(named, [])
            first, *others = (
                faults_of(codec, configuration, lengths, data_type, fill)
                for lengths, fill in ((((4,), (6,)), 0), (((1,), (1000003,)), 7), (((2, 3), (5,)), None))
            )
            assert others == [first, first]
            asked += 1
    assert asked >= len(TYPES)


def test_most_arrays_have_only_such_codecs():
    assert {codec.name for codec in BLIND} >= {"bytes", "transpose", "gzip", "zstd", "blosc", "crc32c"}


def array(length, codecs_, fill=0):
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [10, 10],
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [length, length]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": fill,
        "codecs": codecs_,
    }


def test_arrays_that_differ_in_chunk_shape_and_fill_value_share_a_verdict(monkeypatch):
    judged = []
    real = v3_encoding._judge_chain
    monkeypatch.setattr(v3_encoding, "_judge_chain", lambda *given: judged.append(1) or real(*given))
    chain = [
        {"name": "bytes", "configuration": {"endian": "big"}},
        {"name": "gzip", "configuration": {"level": 7}},
    ]
    for length in range(3, 9):
        v3.parse(array(length, chain, fill=length))
    assert len(judged) <= 1


def test_what_sees_lengths_is_judged_for_each():
    def shards(inner):
        plain = [{"name": "bytes", "configuration": {"endian": "little"}}]
        configuration = {
            "chunk_shape": [inner, inner],
            "codecs": plain,
            "index_codecs": [*plain, {"name": "crc32c"}],
        }
        return [{"name": "sharding_indexed", "configuration": configuration}]

    v3.parse(array(6, shards(3)))
    with pytest.raises(SpecError, match="chunk_shape"):
        v3.parse(array(7, shards(3)))
