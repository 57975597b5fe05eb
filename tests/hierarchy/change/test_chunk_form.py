from __future__ import annotations

import pytest

from zom import v3
from zom.hierarchy.change.chunk_form import same_chunks

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def gzip(level):
    return {"name": "gzip", "configuration": {"level": level}}


def sharded(level):
    inner = {"chunk_shape": [2, 2], "codecs": ["bytes", gzip(level)], "index_codecs": [LITTLE, "crc32c"]}
    return [{"name": "sharding_indexed", "configuration": inner}]


def of_n5(level):
    transpose = {"name": "transpose", "configuration": {"order": [1, 0]}}
    big = {"name": "bytes", "configuration": {"endian": "big"}}
    return [{"name": "n5_default", "configuration": {"codecs": [transpose, big, gzip(level)]}}]


def conditional(level):
    return ["bytes", {"name": "conditional", "configuration": {"codecs": [gzip(level)]}}]


def array(codecs):
    return v3.ArraySpec.build(shape=(4, 4), dtype="uint8", chunks=(4, 4), codecs=codecs)


@pytest.mark.parametrize("codecs", [sharded, of_n5, conditional])
def test_the_level_of_a_compressor_in_another_codec_leaves_chunks_as_they_are(codecs):
    assert same_chunks(array(codecs(1)), array(codecs(9)))


def test_another_transpose_inside_of_another_codec_makes_other_chunks():
    idle = {"name": "transpose", "configuration": {"order": [0, 1]}}
    turned = {"name": "transpose", "configuration": {"order": [1, 0]}}
    plain, same, other = (
        array([{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 2], "codecs": [*first, "bytes"],
                                                              "index_codecs": [LITTLE]}}])
        for first in ([], [idle], [turned])
    )  # fmt: skip
    assert same_chunks(plain, same)
    assert not same_chunks(plain, other)
