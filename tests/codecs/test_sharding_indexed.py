from __future__ import annotations

import pytest

from zom.codecs.sharding_indexed import ShardingConfiguration, sharding_indexed
from zom.errors import ExtensionError
from zom.extension.bound import Block, Stream
from zom.extension.codec import Bytes
from zom.extension.resolve import data_type

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD = {"name": "zstd", "configuration": {"level": 1}}


def shard(chunk_shape, codecs=(LITTLE,), index_codecs=(LITTLE, "crc32c"), **more):
    configuration = {
        "chunk_shape": list(chunk_shape),
        "codecs": list(codecs),
        "index_codecs": list(index_codecs),
        **more,
    }
    return {"name": "sharding_indexed", "configuration": configuration}


INSIDE = ("codecs", 0, "configuration")


def test_a_shard_has_no_fixed_size(chain):
    verdict = chain([shard((2, 3), index_location="start")], (4, 6))
    assert verdict.faults == []
    assert verdict.result == Bytes(None)


def test_compression_may_follow_a_shard(chain):
    assert chain([shard((2, 3)), ZSTD], (4, 6)).faults == []


def test_inner_chunks_divide_the_shard_along_each_dimension(chain):
    verdict = chain([shard((3, 4, 5))], (4, 6, 5))
    assert verdict.codes == ["codec/sharding-divides"] * 2
    assert verdict.places == [(*INSIDE, "chunk_shape", 0), (*INSIDE, "chunk_shape", 1)]
    assert verdict.said == [("a length that divides 4", "3"), ("a length that divides 6", "4")]


def test_inner_chunks_divide_every_length_of_a_rectilinear_grid(chain):
    assert chain([shard((4,))], ((4, 8),)).faults == []
    verdict = chain([shard((4,))], ((4, 6, 10),))
    assert verdict.said == [("a length that divides 6", "4")]


def test_the_shape_to_divide_is_the_transposed_one(chain):
    transpose = {"name": "transpose", "configuration": {"order": [1, 0]}}
    assert chain([transpose, shard((5, 2))], (2, 5)).faults == []
    assert chain([transpose, shard((2, 5))], (2, 5)).codes == ["codec/sharding-divides"] * 2


@pytest.mark.parametrize(
    ("inner", "wanted"), [((2,), "a list of 2 lengths"), ((2, 3, 1), "a list of 2 lengths")]
)
def test_inner_chunks_have_the_rank_of_the_shard(chain, inner, wanted):
    verdict = chain([shard(inner)], (4, 6))
    assert verdict.codes == ["codec/sharding-rank"]
    assert verdict.said == [(wanted, str(list(inner)))]


def test_a_shard_of_one_dimension_is_named_so(chain):
    assert chain([shard((2, 2))], (4,)).said == [("a list of 1 length", "[2, 2]")]


def test_the_inner_codecs_see_the_inner_chunks(chain):
    transpose = {"name": "transpose", "configuration": {"order": [0]}}
    verdict = chain([shard((2, 3), [transpose, "bytes"])], (4, 6), "int32")
    assert verdict.codes == ["codec/transpose-order", "codec/bytes-endian"]
    assert verdict.places[0] == (*INSIDE, "codecs", 0, "configuration", "order")


def test_compressors_do_not_make_an_index(chain):
    gzip = {"name": "gzip", "configuration": {"level": 1}}
    verdict = chain([shard((2, 3), index_codecs=[LITTLE, ZSTD, "crc32c", gzip])], (4, 6))
    assert verdict.codes == ["codec/index-size"] * 2
    assert verdict.places == [(*INSIDE, "index_codecs", 1), (*INSIDE, "index_codecs", 3)]
    expected = "a codec with a fixed output size"
    assert verdict.said == [(expected, '"zstd"'), (expected, '"gzip"')]


def test_compressors_do_not_make_the_index_of_an_unknown_shard_either(chain):
    verdict = chain(["unheard.of", shard((2, 3), index_codecs=[LITTLE, ZSTD])], (4, 6))
    assert verdict.codes == ["codec/unknown", "codec/index-size"]


def test_the_index_is_made_of_uint64(chain):
    verdict = chain([shard((2, 3), index_codecs=["bytes"])], (4, 6), "uint8")
    assert verdict.codes == ["codec/bytes-endian"]
    assert verdict.places == [(*INSIDE, "index_codecs", 0, "configuration", "endian")]


def test_the_index_has_one_dimension_more(chain):
    transpose = {"name": "transpose", "configuration": {"order": [2, 1, 0]}}
    assert chain([shard((2, 3), index_codecs=[transpose, LITTLE])], (4, 6)).faults == []


def test_shards_of_many_shapes_have_an_index_each(chain):
    assert chain([shard((2,))], ((2, 4, 8),)).faults == []


@pytest.mark.parametrize("absent", ["chunk_shape", "codecs", "index_codecs"])
def test_all_but_the_location_must_be_there(chain, absent):
    definition = shard((2, 3))
    del definition["configuration"][absent]
    verdict = chain([definition], (4, 6))
    assert verdict.codes == ["codec/configuration"]
    assert verdict.places == [(*INSIDE, absent)]
    assert verdict.said[0][1] == "nothing"


def test_a_length_that_is_no_length_hides_no_other_fault(chain):
    bad = {"name": "gzip", "configuration": {"level": 99}}
    verdict = chain([shard((0, 3), ["bytes", bad], [LITTLE, bad], index_location="middle")], (4, 6))
    assert verdict.places == [
        (*INSIDE, "chunk_shape", 0),
        (*INSIDE, "index_location"),
        (*INSIDE, "codecs", 1, "configuration", "level"),
        (*INSIDE, "index_codecs", 1, "configuration", "level"),
        (*INSIDE, "index_codecs", 1),
    ]
    assert verdict.said[0] == ("an integer of at least 1", "0")
    assert verdict.said[1] == ('"start" or "end"', '"middle"')


def nested(depth):
    inner = "bytes"
    for _ in range(depth):
        inner = shard((2,), [inner])
    return inner


def test_shards_hold_shards(chain):
    outer = shard((4, 6), [shard((2, 3))])
    assert chain([outer], (8, 12)).faults == []
    assert chain([shard((4, 6), [shard((3, 3))])], (8, 12)).places == [
        (*INSIDE, "codecs", 0, "configuration", "chunk_shape", 0)
    ]


def test_shards_nest_to_a_limit(chain):
    assert chain([nested(16)], (2,), "uint8").faults == []
    verdict = chain([nested(17)], (2,), "uint8")
    assert verdict.codes == ["codec/sharding-nesting"]
    assert verdict.said == [("shards nested at most 16 deep", "deeper nesting")]


def test_the_last_shard_of_a_broken_one_is_judged_to_the_same_limit(chain):
    broken = shard((0,), [nested(17)])
    assert chain([broken], (2,), "uint8").codes == ["codec/configuration", "codec/sharding-nesting"]


def test_a_shard_behind_codecs_that_leave_the_fill_value_open_is_refused():
    block = Block((4,), data_type("float32"), None)
    configuration = ShardingConfiguration(chunk_shape=[2], codecs=["bytes"], index_codecs=["bytes"])
    with pytest.raises(ExtensionError, match="don't define the values of its missing chunks"):
        sharding_indexed.bind(configuration, block, Stream(None, 100))
