from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.codecs  # noqa: F401 - registers the codecs
from zom.extension.codec import codecs
from zom.extension.definition import (
    Definition,
    find_extension,
    name_of,
    parse_definition,
    suggestion,
)
from zom.json.value import freeze
from zom.problems import rule

UNKNOWN = rule("test/unknown", "a test", source="here", lenient=None, strict=None)


def parsed(value, *, allowed=True, known=None):
    faults = []
    found = parse_definition(freeze(value, []), faults, ("at",), must_understand_allowed=allowed, known=known)
    return found, [(f.rule.code, f.path[1:], f.expected, f.found, f.fix) for f in faults]


@pytest.mark.parametrize(
    ("value", "definition"),
    [
        ("bytes", Definition("bytes", {}, False)),
        ({"name": "bytes"}, Definition("bytes", {}, False)),
        ({"name": "bytes", "configuration": {}}, Definition("bytes", {}, True)),
        ({"name": "bytes", "must_understand": True}, Definition("bytes", {}, False)),
        ({"name": "gzip", "configuration": {"level": 1}}, Definition("gzip", {"level": 1}, True)),
        ("https://example.org/codec", Definition("https://example.org/codec", {}, False)),
        ("urn:example:datetime", Definition("urn:example:datetime", {}, False)),
        ("numcodecs.adler32", Definition("numcodecs.adler32", {}, False)),
    ],
)
def test_both_spellings_are_read(value, definition):
    assert parsed(value) == (definition, [])


@pytest.mark.parametrize("value", [None, 1, True, ["bytes"]])
def test_a_definition_is_a_text_or_an_object(value):
    found, faults = parsed(value)
    assert found is None
    assert [fault[:3] for fault in faults] == [("definition/form", (), "a name, or an object with a name")]


@pytest.mark.parametrize(
    ("value", "place", "found"),
    [
        ({}, ("name",), "nothing"),
        ({"name": 1}, ("name",), "1"),
        ({"name": ""}, ("name",), '""'),
        ("", (), '""'),
        ({"name": None}, ("name",), "null"),
    ],
)
def test_a_name_is_a_text_that_is_not_empty(value, place, found):
    assert parsed(value) == (None, [("definition/form", place, "a name", found, None)])


@pytest.mark.parametrize("configuration", [None, [], 1, "x"])
def test_a_configuration_is_an_object(configuration):
    found, faults = parsed({"name": "gzip", "configuration": configuration})
    assert found is None
    assert [fault[:3] for fault in faults] == [("definition/form", ("configuration",), "an object")]


def test_no_other_members_are_allowed():
    found, faults = parsed({"name": "gzip", "level": 1, "id": "gzip"})
    assert found == Definition("gzip", {}, False)
    only = "only name, configuration, must_understand"
    assert faults == [
        ("definition/member", ("level",), only, '"level"', None),
        ("definition/member", ("id",), only, '"id"', None),
    ]


@pytest.mark.parametrize("name", ["GZip", "a", "9p", "foo/bar", "foo:bar", "_x", "zstd ", "zstd\n", "größe"])
def test_a_name_outside_the_grammar_is_read_with_a_warning(name):
    found, faults = parsed(name)
    assert found is not None
    assert [fault[:3] for fault in faults] == [
        ("definition/name", (), "a name of lower case letters, digits, '-', '_' and '.', or a URI")
    ]
    from zom.extension.definition import NAME

    assert (NAME.lenient, NAME.strict, NAME.closed) == ("warning", "error", "error")


def test_a_name_that_is_almost_known_has_a_fix():
    assert parsed("GZip", known=codecs)[1][0][4] == "did you mean 'gzip'?"
    assert parsed("QQQQQQ", known=codecs)[1][0][4] is None


@pytest.mark.parametrize("understand", [None, 0, "false"])
def test_must_understand_is_a_boolean(understand):
    _, faults = parsed({"name": "gzip", "must_understand": understand})
    assert [fault[:3] for fault in faults] == [("definition/form", ("must_understand",), "true or false")]


def test_only_some_extensions_may_be_skipped():
    value = {"name": "regular", "must_understand": False}
    assert parsed(value)[1] == []
    assert parsed(value, allowed=False)[1] == [
        ("definition/must-understand", ("must_understand",), "true", "false", "leave must_understand out")
    ]


def test_four_faults_are_four_faults():
    value = {"name": 1, "configuration": 2, "must_understand": 3, "other": 4}
    places = {fault[1] for fault in parsed(value)[1]}
    assert places == {("name",), ("configuration",), ("must_understand",), ("other",)}


@pytest.mark.parametrize("name", ["default", "v2"])
def test_a_flat_chunk_key_encoding_is_read_with_a_warning(name):
    found, faults = parsed({"name": name, "separator": "."}, allowed=False)
    assert found == Definition(name, {"separator": "."}, True)
    inside = '"configuration": {"separator": "."}'
    assert faults == [
        ("chunk-key-encoding/flat", ("separator",), inside, '"separator": "."', f"write {inside}")
    ]
    from zom.extension.definition import FLAT

    assert (FLAT.lenient, FLAT.strict) == ("warning", "error")


@pytest.mark.parametrize(
    "value",
    [
        {"name": "regular", "separator": "."},
        {"name": "default", "separator": ".", "configuration": {"separator": "."}},
    ],
)
def test_nothing_else_is_read_flat(value):
    assert [fault[:2] for fault in parsed(value)[1]] == [("definition/member", ("separator",))]


def test_the_name_is_known_even_of_a_broken_definition():
    assert name_of({"name": "gzip", "configuration": 1}) == "gzip"
    assert name_of("gzip") == "gzip"
    assert name_of({"name": 1}) is None
    assert name_of([]) is None


def test_an_unknown_name_is_a_fault_at_the_closed_level_only():
    faults = []
    assert find_extension("zsdt", codecs, UNKNOWN, faults, ("codecs", 0)) is None
    (fault,) = faults
    assert (fault.expected, fault.found) == ("the name of a registered codec", '"zsdt"')
    assert fault.fix is not None
    assert fault.fix.startswith("did you mean 'zstd'")


def test_a_name_that_breaks_the_grammar_is_reported_once():
    faults = []
    assert find_extension("GZip", codecs, UNKNOWN, faults, ()) is None
    assert faults == []


def test_what_zarr_extensions_does_not_list_is_not_registered(monkeypatch):
    monkeypatch.setattr(type(codecs["gzip"]), "registered", False)
    faults = []
    assert find_extension("gzip", codecs, UNKNOWN, faults, ()) is codecs["gzip"]
    assert [(f.expected, f.found) for f in faults] == [("a codec that zarr-extensions lists", '"gzip"')]


def test_suggestions_are_made_for_near_names():
    assert suggestion("crc32cc", codecs).startswith("did you mean 'crc32c'")


@given(st.from_regex(r"\A[a-z][a-z0-9\-_.]+\Z"))
def test_every_name_of_the_grammar_is_accepted(name):
    assert parsed(name) == (Definition(name, {}, False), [])


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda j: (
        st.lists(j)
        | st.dictionaries(
            st.text() | st.sampled_from(["name", "configuration", "must_understand", "separator"]), j
        )
    ),
)


@pytest.mark.slow
@given(json)
def test_no_value_makes_it_raise(value):
    found, faults = parsed(value)
    assert found is not None or faults
