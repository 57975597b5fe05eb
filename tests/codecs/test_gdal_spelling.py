"""v2 documents in GDAL's words, as GDAL 3.6 and 3.12 wrote them."""

import numcodecs
import numpy as np
import pytest

import zom
from zom import v2, v3
from zom.conversion.trees import convert
from zom.stores.memory import MemoryStore


def document(**compressor):
    return {
        "zarr_format": 2,
        "shape": [6],
        "chunks": [6],
        "dtype": "<i2",
        "compressor": compressor,
        "fill_value": None,
        "order": "C",
        "filters": None,
    }


def blosc(shuffle):
    return document(id="blosc", cname="lz4", clevel=5, shuffle=shuffle, blocksize=0)


ZSTD = document(id="zstd", level=13, checksum="NO")
DATA = np.arange(6, dtype="<i2")


def lenient(given):
    return v2.ArraySpec.parse(given, "lenient", on_warning=lambda _: None)


def test_a_word_for_a_shuffle_is_an_error_of_strict_documents():
    assert [str(problem) for problem in v2.check(blosc("BIT"))] == [
        'compressor.shuffle: expected an integer from -1 to 2, found "BIT"'
    ]


def test_a_word_for_the_checksum_is_an_error_of_strict_documents():
    assert [str(problem) for problem in v2.check(ZSTD)] == [
        'compressor.checksum: expected true or false, found "NO"'
    ]


@pytest.mark.parametrize("given", [blosc("NONE"), ZSTD], ids=["blosc", "zstd"])
def test_words_are_warned_of_when_documents_are_read(given):
    found = v2.check(given, "lenient")
    assert [(problem.code, problem.severity) for problem in found] == [("codec/gdal-spelling", "warning")]


@pytest.mark.parametrize("given", [blosc("FULL"), document(id="zstd", level=1, checksum="MAYBE")])
def test_other_words_are_no_numbers(given):
    assert [problem.severity for problem in v2.check(given, "lenient")] == ["warning"]
    assert [problem.severity for problem in v2.check(given, "strict")] == ["error"]


@pytest.mark.parametrize("given", [blosc("BIT"), blosc("1"), ZSTD], ids=["BIT", "1", "zstd"])
def test_the_words_stay_in_the_document(given):
    assert lenient(given).to_dict()["compressor"] == given["compressor"]


@pytest.mark.filterwarnings("ignore::zom.errors.SpecWarning")
@pytest.mark.parametrize("shuffle", ["NONE", "BYTE", "BIT", "0", "1", "2"])
def test_chunks_of_blosc_read_whatever_the_word(shuffle):
    store = MemoryStore()
    zom.create_array(store, lenient(blosc(shuffle)))
    store.set("0", bytes(numcodecs.Blosc("lz4", 5, 2).encode(DATA)))
    assert zom.open_array(store)[...].tolist() == DATA.tolist()


@pytest.mark.filterwarnings("ignore::zom.errors.SpecWarning")
def test_chunks_of_zstd_read_whatever_the_word():
    store = MemoryStore()
    zom.create_array(store, lenient(ZSTD))
    store.set("0", bytes(numcodecs.Zstd(3).encode(DATA)))
    assert zom.open_array(store)[...].tolist() == DATA.tolist()


@pytest.mark.parametrize(("word", "shuffle"), [("NONE", 0), ("BYTE", 1), ("BIT", 2), ("2", 2)])
def test_new_chunks_are_shuffled_as_the_word_says(word, shuffle):
    array = zom.create_array("memory:", lenient(blosc(word)))
    array[...] = DATA
    # The third byte of a container says how it is shuffled: 1 for bytes, 4 for bits.
    theirs = numcodecs.Blosc("lz4", 5, shuffle).encode(DATA)
    assert array.store.get("0")[2] & 5 == bytes(theirs)[2] & 5


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (blosc("BIT"), ("shuffle", "bitshuffle")),
        (blosc("NONE"), ("shuffle", "noshuffle")),
        (ZSTD, ("checksum", False)),
        (document(id="zstd", level=13, checksum="YES"), ("checksum", True)),
    ],
)
def test_words_are_converted_to_what_they_mean(given, expected):
    """Whatever GDAL 3.12 compresses by zstd has a word in it: it is an everyday store."""
    made = convert(lenient(given), "v3").spec
    member, value = expected
    assert made.codecs[-1]["configuration"][member] == value
    assert v3.check(made.to_json()) == ()


def test_zstd_in_words_is_migrated_and_read():
    store = MemoryStore()
    zom.create_array(store, lenient(ZSTD))
    store.set("0", bytes(numcodecs.Zstd(3).encode(DATA)))
    zom.migrate(store, in_place=True)
    assert zom.open_array(store)[...].tolist() == DATA.tolist()
