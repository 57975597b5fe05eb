"""The parameters of the numcodecs codecs, against numcodecs itself."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.codecs  # noqa: F401 - registers the codecs
from zom.codecs.numcodecs.dtype import typestr
from zom.extension.codec import Bytes, codecs, v2_codecs
from zom.formats.v2_definition import parse_v2_codec

numcodecs = pytest.importorskip("numcodecs")

CONFIGURATIONS = [
    {"id": "adler32"},
    {"id": "adler32", "location": "end"},
    {"id": "astype", "encode_dtype": "<f4", "decode_dtype": "<f8"},
    {"id": "astype", "encode_dtype": "i2", "decode_dtype": "float64"},
    {"id": "base64"},
    {"id": "bitround", "keepbits": 3},
    {"id": "bz2"},
    {"id": "bz2", "level": 9},
    {"id": "categorize", "labels": ["a", "b"], "dtype": "O"},
    {"id": "categorize", "labels": ["ø"], "dtype": "<U3", "astype": "u2"},
    {"id": "crc32"},
    {"id": "crc32", "location": "end"},
    {"id": "delta", "dtype": "<i4"},
    {"id": "delta", "dtype": "uint32", "astype": "int16"},
    {"id": "delta", "dtype": "<m8[ns]"},
    {"id": "fixedscaleoffset", "offset": 1, "scale": 10, "dtype": "<f4"},
    {"id": "fixedscaleoffset", "offset": -0.5, "scale": 2.5, "dtype": ">f8", "astype": "u1"},
    {"id": "fletcher32"},
    {"id": "jenkins_lookup3"},
    {"id": "jenkins_lookup3", "initval": 7},
    {"id": "json2"},
    {"id": "json2", "indent": 2},
    {"id": "json2", "indent": "\t", "separators": [";", "="], "ensure_ascii": False},
    {"id": "lz4"},
    {"id": "lz4", "acceleration": 9},
    {"id": "lzma"},
    {"id": "lzma", "preset": 6},
    {"id": "lzma", "format": 3, "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]},
    {"id": "packbits"},
    {"id": "pickle"},
    {"id": "pickle", "protocol": 2},
    {"id": "quantize", "digits": 2, "dtype": "<f4"},
    {"id": "quantize", "digits": -1, "dtype": "float64", "astype": "<f4"},
    {"id": "shuffle"},
    {"id": "shuffle", "elementsize": 8},
    {"id": "vlen-array", "dtype": "int16"},
    {"id": "zlib"},
    {"id": "zlib", "level": 9},
]
"""What numcodecs accepts: defaults, and something else."""

FROM_SOURCE = [
    {"id": "crc32c"},
    {"id": "crc32c", "location": "start"},
    {"id": "msgpack2", "raw": False, "use_single_float": False, "use_bin_type": True},
    {"id": "pcodec", "level": 8, "mode_spec": "auto", "delta_spec": "auto", "paging_spec": "equal_pages_up_to",
     "delta_encoding_order": None, "equal_pages_up_to": 262144},
    {"id": "zfpy", "mode": 4, "compression_kwargs": {"tolerance": -1}, "tolerance": -1, "rate": -1, "precision": -1},
]  # fmt: skip
"""What the source of numcodecs says that `get_config` gives, for codecs that need other packages."""


def checked(config):
    link = parse_v2_codec(config, ())
    found = None if link.configuration is None else (link.codec, link.configuration)
    return found, list(link.faults)


def without_null(config):
    return {name: value for name, value in config.items() if name != "id" and value is not None}


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=json.dumps)
def test_what_numcodecs_writes_has_no_fault(config):
    written = json.loads(json.dumps(numcodecs.get_codec(config).get_config()))
    assert checked(written)[1] == []


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=json.dumps)
def test_the_canonical_parameters_are_what_numcodecs_writes(config):
    instance = numcodecs.get_codec(config)
    written = without_null(json.loads(json.dumps(instance.get_config())))
    if config["id"] in {"adler32", "crc32"}:
        # numcodecs does not write the default; it is an attribute of the class.
        written["location"] = instance.location
    (_codec, found), faults = checked(config)
    assert faults == []
    assert found.canonical() == written


@pytest.mark.parametrize("config", FROM_SOURCE, ids=json.dumps)
def test_what_numcodecs_would_write_has_no_fault(config):
    assert checked(config)[1] == []


@pytest.mark.parametrize("config", FROM_SOURCE[2:4], ids=json.dumps)
def test_the_defaults_are_those_of_the_source(config):
    (_codec, found), _faults = checked({"id": config["id"]})
    assert found.canonical() == without_null(config)


def test_every_codec_of_numcodecs_is_known():
    assert set(numcodecs.registry.codec_registry) - set(v2_codecs()) == set()


@pytest.mark.parametrize("config", CONFIGURATIONS + FROM_SOURCE, ids=json.dumps)
def test_canonical_parameters_read_back_equal(config):
    (codec, found), _faults = checked(config)
    canonical = found.canonical()
    again, faults = checked({"id": codec.v2_id, **canonical})
    assert faults == []
    assert again[1].canonical() == canonical


@pytest.mark.parametrize("name", sorted({config["id"] for config in CONFIGURATIONS + FROM_SOURCE}))
def test_a_parameter_that_numcodecs_refuses_is_a_fault(name):
    config = next(config for config in CONFIGURATIONS + FROM_SOURCE if config["id"] == name)
    _found, faults = checked({**config, "levle": 1})
    assert [(fault.path, fault.found) for fault in faults] == [(("levle",), '"levle"')]
    assert faults[0].rule.severity("lenient") == "error"


BOUNDS = [
    ({"id": "zlib"}, "level", [-1, 9], [-2, 10], "an integer from -1 to 9"),
    ({"id": "bz2"}, "level", [1, 9], [0, 10], "an integer from 1 to 9"),
    ({"id": "lz4"}, "acceleration", [-(2**31), 2**31 - 1], [-(2**31) - 1, 2**31],
     "an integer from -2147483648 to 2147483647"),
    ({"id": "lzma"}, "format", [1, 2], [0, 4], "1, 2 or 3"),
    ({"id": "lzma"}, "check", [-1, 0, 1, 4, 10], [-2, 2, 15], "-1, 0, 1, 4 or 10"),
    ({"id": "lzma"}, "preset", [0, 9, 2**31, 2**31 + 9, None], [-1, 10, 2**31 - 1, 2**31 + 10],
     "an integer from 0 to 9 or an integer from 2147483648 to 2147483657"),
    ({"id": "lzma", "preset": 6}, "delta", [1, 256], [0, 257], "an integer from 1 to 256"),
    ({"id": "shuffle"}, "elementsize", [1, 4096], [2.5], "an integer of at least 1"),
    ({"id": "jenkins_lookup3"}, "initval", [0, 2**32 - 1], [-1, 2**32], "an integer from 0 to 4294967295"),
    ({"id": "jenkins_lookup3"}, "prefix", [None, [0, 255]], [[-1], [256], "ab"], None),
    ({"id": "crc32"}, "location", ["start", "end"], ["middle", None, 0], '"start" or "end"'),
    ({"id": "crc32c"}, "location", ["start", "end"], ["middle"], '"start" or "end"'),
    ({"id": "bitround"}, "keepbits", [0, 52], [-1], "an integer of at least 0"),
    ({"id": "pickle"}, "protocol", [-1, 5], [-2], "an integer of at least -1"),
    ({"id": "pcodec"}, "level", [0, 12], [-1, 13], "an integer from 0 to 12"),
    ({"id": "pcodec"}, "delta_encoding_order", [None, 0, 7], [-1, 8], "an integer from 0 to 7"),
    ({"id": "pcodec"}, "equal_pages_up_to", [1], [0], "an integer of at least 1"),
    ({"id": "pcodec"}, "mode_spec", ["auto", "classic"], ["fast"], '"auto" or "classic"'),
    ({"id": "pcodec"}, "delta_spec", ["auto", "none", "no_op", "try_consecutive", "try_lookback"], ["x"], None),
    ({"id": "pcodec"}, "paging_spec", ["equal_pages_up_to"], ["exact"], '"equal_pages_up_to"'),
    ({"id": "zfpy"}, "mode", [2, 3, 4, 5], [1, 6], "2, 3, 4 or 5"),
    ({"id": "zfpy"}, "tolerance", [-1, 0.5], ["1"], "an integer or a number"),
    ({"id": "json2"}, "separators", [[",", ":"], None], [[","], [",", ":", "="], [1, 2]], None),
    ({"id": "json2"}, "skipkeys", [True, False], [0, None], "true or false"),
    ({"id": "quantize", "dtype": "<f4"}, "digits", [-3, 7], [1.5, True], "an integer"),
    ({"id": "fixedscaleoffset", "offset": 0, "dtype": "<f4"}, "scale", [1, -0.5], ["1", True, None],
     "an integer or a number"),
]  # fmt: skip
CASES = [(base, name, value, True, words) for base, name, good, _, words in BOUNDS for value in good]
CASES += [(base, name, value, False, words) for base, name, _, bad, words in BOUNDS for value in bad]


@pytest.mark.parametrize(("base", "name", "value", "fits", "words"), CASES)
def test_a_parameter_has_the_bounds_of_numcodecs(base, name, value, fits, words):
    _found, faults = checked({**base, name: value})
    if fits:
        assert faults == []
        return
    assert {fault.path[0] for fault in faults} == {name}
    if words is not None:
        assert [fault.expected for fault in faults] == [words]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"preset": 6, "filters": [{"id": 33}]}, "a preset or filters, not both"),
        ({"format": 3}, "filters, which format 3 (raw) requires"),
        ({"format": 2, "check": 1}, "a check only with format 1 (xz)"),
        ({"format": 3, "check": 4, "filters": [{"id": 33}]}, "a check only with format 1 (xz)"),
    ],
)
def test_lzma_refuses_what_liblzma_refuses(config, words):
    _found, faults = checked({"id": "lzma", **config})
    assert [(fault.path, fault.expected) for fault in faults] == [((), words)]
    with pytest.raises(ValueError, match=r"filter|check"):
        numcodecs.LZMA(**config).encode(b"chunk")


def test_pcodec_takes_an_order_only_where_it_uses_one():
    words = 'a delta_encoding_order only with the delta_spec "auto" or "try_consecutive"'
    _found, faults = checked({"id": "pcodec", "delta_spec": "none", "delta_encoding_order": 1})
    assert [fault.expected for fault in faults] == [words]
    assert checked({"id": "pcodec", "delta_spec": "try_consecutive", "delta_encoding_order": 1})[1] == []


@pytest.mark.parametrize(
    ("config", "member"),
    [
        ({"id": "delta"}, "dtype"),
        ({"id": "bitround"}, "keepbits"),
        ({"id": "astype", "encode_dtype": "<f4"}, "decode_dtype"),
        ({"id": "vlen-array"}, "dtype"),
        ({"id": "categorize", "dtype": "|O"}, "labels"),
        ({"id": "quantize", "dtype": "<f4"}, "digits"),
        ({"id": "fixedscaleoffset", "scale": 1, "dtype": "<f4"}, "offset"),
    ],
)
def test_a_parameter_without_a_default_must_stand(config, member):
    _found, faults = checked(config)
    assert [(fault.path, fault.found) for fault in faults] == [((member,), "nothing")]
    with pytest.raises(TypeError):
        numcodecs.get_codec(config)


def test_only_three_names_of_numcodecs_are_not_codecs_of_both_formats():
    ours = {codec.name for codec in codecs if codec.name.startswith("numcodecs.")}
    only_v3 = {name for name in ours if codecs[name].v2_id is None}
    assert only_v3 == {"numcodecs.blosc", "numcodecs.gzip", "numcodecs.zstd"}


def test_the_names_that_zarr_extensions_lists_are_registered():
    ours = {codec.name: codec for codec in codecs if codec.name.startswith("numcodecs.")}
    unlisted = {name.removeprefix("numcodecs.") for name, codec in ours.items() if not codec.registered}
    assert unlisted == {"base64", "categorize", "json2", "msgpack2", "pickle", "vlen-array"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bool", "|b1"),
        ("int8", "|i1"),
        ("u1", "|u1"),
        ("float16", "<f2"),
        ("complex128", "<c16"),
        (">f8", ">f8"),
        ("datetime64[10us]", "<M8[10us]"),
        ("timedelta64[s]", "<m8[s]"),
        ("object", "|O"),
        ("bfloat16", "bfloat16"),
    ],
)
def test_a_name_of_numpy_stands_for_a_typestr(text, expected):
    assert typestr(text) == expected


@pytest.mark.slow
@given(st.text(max_size=20))
def test_a_typestr_stands_for_itself(text):
    assert typestr(typestr(text)) == typestr(text)


@pytest.mark.parametrize("name", ["adler32", "crc32", "fletcher32", "jenkins_lookup3", "base64", "shuffle"])
@given(size=st.integers(0, 10))
def test_the_number_of_bytes_after_a_codec_is_what_numcodecs_gives(name, size):
    chunk = bytes(4 * size)
    after = parse_v2_codec({"id": name}, ()).thread(Bytes(len(chunk)), [])
    if chunk or name not in {"jenkins_lookup3", "fletcher32"}:
        assert after.size == len(bytes(numcodecs.get_codec({"id": name}).encode(chunk)))
