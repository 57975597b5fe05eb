"""zom's own chunk key encodings do what `zom.testing` asks of those of others."""

from zom.extension import chunk_key_encodings
from zom.testing.chunk_keys import ChunkKeySuite


class TestDefault(ChunkKeySuite):
    encoding = chunk_key_encodings["default"]
    configurations = ({}, {"separator": "."})
    wrong_configurations = ({"separator": "-"}, {"separator": None})


class TestV2(ChunkKeySuite):
    encoding = chunk_key_encodings["v2"]
    configurations = ({}, {"separator": "/"})
    wrong_configurations = ({"separator": "-"},)


class TestSuffix(ChunkKeySuite):
    encoding = chunk_key_encodings["suffix"]
    configurations = (
        {"suffix": ".tiff", "base_encoding": {"name": "default", "configuration": {"separator": "/"}}},
        {"suffix": "0", "base_encoding": {"name": "v2", "configuration": {"separator": "."}}},
    )
    wrong_configurations = ({"suffix": "/", "base_encoding": "v2"}, {"suffix": ".tiff"})
