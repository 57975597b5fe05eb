from __future__ import annotations

from typing import NamedTuple

import pytest

import zom
from zom.errors import UnknownName
from zom.extension.registry import Registry, did_you_mean, near


class Thing(NamedTuple):
    name: str
    aliases: tuple[str, ...] = ()


def test_where_nothing_is_known_nothing_is_suggested():
    assert near("a", []) == ()
    assert near("lat_bnds", ["time_bnds"]) == ()
    assert near("average", ["range"]) == ()
    assert near("plates", ["plate-rows", "axes"]) == ("plate-rows",)


def test_names_are_not_looked_for_among_very_many():
    known = [f"name{number}" for number in range(1001)]
    assert near("nam1", known) == ()
    assert near("nam1", known, most=2000) == ("name1", "name91", "name81")


@pytest.mark.parametrize("value", [None, 1, ["zstd"]])
def test_nothing_is_near_to_what_is_no_text(value):
    assert near(value, ["zstd"]) == ()


def test_a_hint_names_what_is_close_or_every_known_name_of_few():
    few, many = ["b", "a"], [f"name{number}" for number in range(41)]
    assert did_you_mean(["a", "b"], few) == "did you mean 'a' or 'b'?"
    assert did_you_mean((), few) == "known are a, b"
    assert did_you_mean((), many) is None
    assert did_you_mean(()) is None


def test_an_unknown_name_among_many_is_told_without_a_hint():
    """The message ended in "; " where nothing was near and too much was known to list it."""
    registry = Registry("thing", "acme.things")
    for number in range(41):
        registry.register(Thing(f"name{number}"))
    with pytest.raises(UnknownName) as caught:
        registry["far"]
    assert str(caught.value) == (
        "no thing named 'far' is registered; install the package that provides it: zom loads installed entry points of \"acme.things\""
    )


def test_a_misspelled_member_of_a_configuration_is_told_with_the_near_one():
    codec = {"name": "gzip", "configuration": {"level": 1, "levle": 5}}
    document = zom.v3.ArraySpec.build(shape=(4,), dtype="int8").to_dict()
    (problem,) = zom.v3.check({**document, "codecs": [{"name": "bytes"}, codec]})
    assert (problem.pointer, problem.expected, problem.fix) == (
        "/codecs/1/configuration/levle",
        "only level",
        "did you mean 'level'?",
    )
