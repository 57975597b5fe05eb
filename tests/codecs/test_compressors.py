"""gzip, zstd, blosc and crc32c: codecs that know nothing of elements."""

from __future__ import annotations

import pytest

from zom.extension.codec import Bytes
from zom.formats.v2_definition import parse_v2_codec

BLOSC = {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}


def after_bytes(chain, name, configuration):
    codecs = ["bytes", {"name": name, "configuration": configuration}]
    return chain(codecs, (8,), "uint8")


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("gzip", {"level": 0}),
        ("gzip", {"level": 9}),
        ("zstd", {"level": -131072}),
        ("zstd", {"level": 22, "checksum": True}),
        ("blosc", BLOSC),
        ("blosc", {**BLOSC, "cname": "snappy", "shuffle": "bitshuffle"}),
        ("blosc", {"cname": "zstd", "clevel": 0, "shuffle": "noshuffle", "blocksize": 65536}),
    ],
)
def test_what_the_specifications_allow_is_accepted(chain, name, configuration):
    verdict = after_bytes(chain, name, configuration)
    assert verdict.faults == []
    assert verdict.result == Bytes(None)


@pytest.mark.parametrize(
    ("name", "configuration", "place", "expected", "found"),
    [
        ("gzip", {"level": 10}, "level", "an integer from 0 to 9", "10"),
        ("gzip", {"level": -1}, "level", "an integer from 0 to 9", "-1"),
        ("gzip", {"level": True}, "level", "an integer from 0 to 9", "true"),
        ("gzip", {"level": "5"}, "level", "an integer from 0 to 9", '"5"'),
        ("gzip", {"level": 5, "strategy": 1}, "strategy", "only level", '"strategy"'),
        ("zstd", {"level": 23}, "level", "an integer from -131072 to 22", "23"),
        ("zstd", {"level": 1, "checksum": 0}, "checksum", "true or false", "0"),
        ("blosc", {**BLOSC, "clevel": 10}, "clevel", "an integer from 0 to 9", "10"),
        ("blosc", {**BLOSC, "typesize": 0}, "typesize", "an integer of at least 1", "0"),
        ("blosc", {**BLOSC, "blocksize": -1}, "blocksize", "an integer of at least 0", "-1"),
        ("blosc", {**BLOSC, "shuffle": 1}, "shuffle", '"noshuffle", "shuffle" or "bitshuffle"', "1"),
        ("crc32c", {"level": 1}, "level", "no members", '"level"'),
    ],
)
def test_what_they_forbid_is_an_error_in_its_place(chain, name, configuration, place, expected, found):
    verdict = after_bytes(chain, name, configuration)
    known = place != "strategy" and name != "crc32c"
    assert verdict.codes == ["codec/encoding-parameter" if known else "codec/configuration"]
    assert verdict.places == [("codecs", 1, "configuration", place)]
    assert verdict.said == [(expected, found)]


def test_three_faults_are_three_faults(chain):
    verdict = after_bytes(chain, "blosc", {**BLOSC, "cname": "lz5", "clevel": 10, "blocksize": "0"})
    assert [place[-1] for place in verdict.places] == ["cname", "clevel", "blocksize"]


@pytest.mark.parametrize("name", ["gzip", "zstd"])
@pytest.mark.parametrize("spelled", [True, False])
def test_a_missing_level_is_read_with_a_warning(chain, name, spelled):
    definition = {"name": name, "configuration": {}} if spelled else name
    verdict = chain(["bytes", definition], (8,), "uint8")
    assert verdict.codes == [f"codec/{name}-level"]
    assert verdict.places == [("codecs", 1, "configuration", "level")]
    low, high = (0, 9) if name == "gzip" else (-131072, 22)
    assert verdict.said == [(f"an integer from {low} to {high}", "nothing")]
    assert (verdict.faults[0].rule.lenient, verdict.faults[0].rule.strict) == ("warning", "error")


@pytest.mark.parametrize(
    ("absent", "expected"),
    [("typesize", "an integer of at least 1"), ("shuffle", '"noshuffle", "shuffle" or "bitshuffle"')],
)
def test_blosc_is_read_without_what_decoding_does_not_need(chain, absent, expected):
    configuration = {name: value for name, value in BLOSC.items() if name != absent}
    verdict = after_bytes(chain, "blosc", configuration)
    assert verdict.codes == [f"codec/blosc-{absent}"]
    assert verdict.places == [("codecs", 1, "configuration", absent)]
    assert verdict.said == [(expected, "nothing")]
    assert (verdict.faults[0].rule.lenient, verdict.faults[0].rule.strict) == ("warning", "error")


def test_crc32c_adds_four_bytes(chain):
    assert chain(["bytes", "crc32c"], (8,), "uint8").result == Bytes(12)
    assert chain(["bytes", {"name": "gzip", "configuration": {"level": 1}}, "crc32c"]).result == Bytes(None)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"id": "gzip"}, {"level": 1}),
        ({"id": "gzip", "level": -1}, {"level": -1}),
        ({"id": "zstd", "level": 3, "checksum": True}, {"level": 3, "checksum": True}),
        (
            {"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 2, "blocksize": 0},
            {"cname": "zstd", "clevel": 3, "shuffle": 2, "blocksize": 0},
        ),
        (
            {"id": "blosc", "shuffle": -1, "typesize": 8},
            {"cname": "lz4", "clevel": 5, "shuffle": -1, "blocksize": 0, "typesize": 8},
        ),
    ],
)
def test_v2_spells_them_as_numcodecs_does(document, expected):
    link = parse_v2_codec(document, ())
    assert link.configuration.canonical() == expected
    assert link.faults == ()


@pytest.mark.parametrize(
    ("document", "place", "expected"),
    [
        ({"id": "gzip", "level": -2}, "level", "an integer from -1 to 9"),
        ({"id": "zstd", "level": 23}, "level", "an integer from -131072 to 22"),
        ({"id": "blosc", "shuffle": "shuffle"}, "shuffle", "an integer from -1 to 2"),
        ({"id": "blosc", "shuffle": 3}, "shuffle", "an integer from -1 to 2"),
    ],
)
def test_v2_reads_the_levels_that_numcodecs_refuses_to_encode_with(document, place, expected):
    link = parse_v2_codec(document, ("compressor",))
    assert link.configuration is not None
    assert [fault.rule.code for fault in link.faults] == ["codec/encoding-parameter"]
    assert [(fault.path, fault.expected) for fault in link.faults] == [(("compressor", place), expected)]
