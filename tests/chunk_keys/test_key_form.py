"""Keys are what the specifications say, and each is read back as the chunk that it was made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zom.chunk_keys.default import DefaultConfiguration, default
from zom.chunk_keys.suffix import SuffixConfiguration, suffix
from zom.chunk_keys.v2 import V2Configuration, v2
from zom.errors import ExtensionError
from zom.extension.keys import ChunkKeyEncoding, KeyForm

FORMS = {
    "default": default.form(DefaultConfiguration()),
    "default-dots": default.form(DefaultConfiguration(separator=".")),
    "v2": v2.form(V2Configuration()),
    "v2-slashes": v2.form(V2Configuration(separator="/")),
    "draft": KeyForm("c", "/", "c"),
    "suffix": suffix.form(SuffixConfiguration(suffix=".tiff", base_encoding="default")),
    "suffix-v2": suffix.form(SuffixConfiguration(suffix=".0", base_encoding={"name": "v2"})),
}
COORDS = st.lists(st.integers(0, 2**70), max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("default", ("c", "c/7", "c/0/10")),
        ("default-dots", ("c", "c.7", "c.0.10")),
        ("v2", ("0", "7", "0.10")),
        ("v2-slashes", ("0", "7", "0/10")),
        ("draft", ("c", "c7", "c0/10")),
        ("suffix", ("c.tiff", "c/7.tiff", "c/0/10.tiff")),
        ("suffix-v2", ("0.0", "7.0", "0.10.0")),
    ],
)
def test_keys_are_as_the_specifications_show_them(name, keys):
    assert tuple(FORMS[name].key(coords) for coords in [(), (7,), (0, 10)]) == keys


@pytest.mark.parametrize("name", FORMS)
@given(coords=COORDS)
def test_a_key_is_read_back_as_its_chunk(name, coords):
    form = FORMS[name]
    assert form.coords(form.key(coords), len(coords)) == coords


@pytest.mark.parametrize("name", FORMS)
@given(text=st.text("c/.01-+ _\u0661\n"), rank=st.integers(0, 3))
def test_no_other_text_is_read_as_a_chunk(name, text, rank):
    coords = FORMS[name].coords(text, rank)
    assert coords is None or FORMS[name].key(coords) == text


@pytest.mark.parametrize(
    "key",
    ["c/0/01", "c/0", "c/0/1/2", "c/0/+1", "c/0/-1", "c/0/1 ", "c/0/1\n", "c/0/", "c//1", "c0/1", "0/1", "c.0.1",
     "c/0/\u0661", "c/0/1_0", "c/0/0x1", "C/0/1", "", "c", f"c/0/{'9' * 5000}"],
)  # fmt: skip
def test_near_misses_are_no_keys(key):
    assert FORMS["default"].coords(key, 2) is None


def test_the_only_chunk_of_a_scalar_has_one_key():
    assert FORMS["default"].coords("c", 0) == ()
    assert FORMS["default"].coords("c/0", 0) is None
    assert FORMS["v2"].coords("0", 0) == ()
    assert FORMS["v2"].coords("", 0) is None


def test_an_encoding_that_can_only_be_written_says_so():
    class Written(ChunkKeyEncoding):
        name = "written"
        configuration = DefaultConfiguration

    message = "^the chunk key encoding 'written' can be written in documents, but not used: it has no `form`$"
    with pytest.raises(ExtensionError, match=message):
        Written().form(None)
