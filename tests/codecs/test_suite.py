"""zom's own codecs do what `zom.testing` asks of those of others."""

import pytest

from zom.extension import codecs
from zom.testing.codecs import CodecSuite

# name: configurations, wrong ones, and what differs from the suite's own matrix
TABLE = {
    "bytes": ([{"endian": "little"}, {"endian": "big"}], [{"endian": "middle"}, {}], {}),
    "transpose": ([{"order": [1, 0]}], [{"order": [0, 0]}, {"order": [0]}], {"shapes": ((2, 3), (1, 1))}),
    "reshape": ([{"shape": [-1]}, {"shape": [2, -1]}], [{"shape": [7]}], {"shapes": ((6,), (2, 3))}),
    "gzip": ([{"level": 1}, {"level": 9}], [{"level": 10}], {}),
    "zstd": (
        [{"level": 3, "checksum": True}, {"level": -1, "checksum": False}],
        [{"level": 23, "checksum": True}],
        {},
    ),
    "blosc": (
        [{"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 2, "blocksize": 0}],
        [{"cname": "lz5", "clevel": 5, "shuffle": "shuffle", "typesize": 2, "blocksize": 0}],
        {},
    ),
    "crc32c": ([{}], [{"a": 1}], {}),
    "packbits": ([{}], [{"first_bit": 9}], {"data_types": ("uint8", "int16")}),
    "numcodecs.zlib": ([{"level": 1}], [{"level": 10}], {}),
    "numcodecs.bz2": ([{"level": 1}], [{"level": 10}], {}),
    "numcodecs.adler32": ([{"location": "start"}], [{"location": "middle"}], {}),
    "numcodecs.fletcher32": ([{}], [{"a": 1}], {}),
    "numcodecs.shuffle": ([{"elementsize": 2}], [{"elementsize": "2"}], {"streams": (b"", b"abcd" * 50)}),
}


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("claim", sorted(each for each in dir(CodecSuite) if each.startswith("test_")))
def test_a_codec_keeps_the_promise(name, claim):
    configurations, wrong, members = TABLE[name]
    facts = {
        "codec": codecs[name],
        "configurations": configurations,
        "wrong_configurations": wrong,
        **members,
    }
    getattr(type("Suite", (CodecSuite,), facts)(), claim)()
