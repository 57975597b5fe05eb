"""The chunk key encodings `default` and `v2`."""

from __future__ import annotations

import pytest

import zom.chunk_keys
from zom.extension.configuration import parse_configuration
from zom.extension.keys import chunk_key_encodings
from zom.problems import rule

SOME = rule("test/chunk-keys", "a test", source="here")


def test_both_are_registered():
    assert {"default", "v2"} <= set(chunk_key_encodings.names())
    assert repr(zom.chunk_keys.default.default) == "<chunk key encoding default>"


@pytest.mark.parametrize(("name", "separator"), [("default", "/"), ("v2", ".")])
def test_each_has_its_own_separator(name, separator):
    assert chunk_key_encodings[name].configuration().canonical() == {"separator": separator}


@pytest.mark.parametrize("name", ["default", "v2"])
@pytest.mark.parametrize("separator", ["/", "."])
def test_both_separators_are_allowed(name, separator):
    configuration = chunk_key_encodings[name].configuration
    assert configuration.model_validate({"separator": separator}).canonical() == {"separator": separator}


@pytest.mark.parametrize("name", ["default", "v2"])
@pytest.mark.parametrize("separator", ["-", "", None, 1])
def test_no_other_separator_is_allowed(name, separator):
    faults = []
    configuration = chunk_key_encodings[name].configuration
    assert parse_configuration(configuration, {"separator": separator}, SOME, faults) is None
    assert [(fault.path, fault.expected) for fault in faults] == [(("separator",), '"/" or "."')]
