"""The functions that a package gives a convention may fail, or give what they must not: the error names whose they are."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import field_validator

import zom
from zom import v3
from zom.conventions import Attributes, CheckedRule, Convention, python
from zom.errors import ExtensionError

SPEC = v3.GroupSpec(attributes={"demo": {"level": 1}, "version": "2"})


def failing(*_: Any) -> Any:
    raise KeyError("no such thing")


def giving(value: Any) -> Any:
    return lambda *_: value


class Demo(Attributes, key="demo"):
    level: int

    @field_validator("level")
    @classmethod
    def of_mine(cls, value: int) -> int:
        raise KeyError(value)


def said(**functions: Any) -> str:
    convention = Convention("demo", owns=("demo",), **functions)
    with pytest.raises(ExtensionError) as caught:
        zom.validate(SPEC, conventions=[convention])
    return str(caught.value)


@pytest.mark.parametrize("name", ["detect", "followed", "attributes", "adopts"])
def test_one_that_fails_is_named_with_its_convention(name: str):
    version = {"version": "1", "version_at": ("version",)} if name == "adopts" else {}
    text = said(**{name: failing}, **version)
    assert f": {name} raised KeyError: 'no such thing'; correct it, or its package" in text
    assert text.startswith("<zom.conventions.Convention demo")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("detect", 7, "a string or None from detect, found 7"),
        ("detect", True, "a string or None from detect, found True"),
        ("followed", "1.8", "a tuple of numbers from followed, found '1.8'"),
        ("followed", ("1", "8"), "a tuple of numbers from followed, found ('1', '8')"),
        ("adopts", None, "True or False from adopts, found None"),
    ],
)
def test_one_that_gives_something_else_is_named_with_what_it_gave(name: str, value: Any, expected: str):
    version = {"version": "1", "version_at": ("version",)} if name == "adopts" else {}
    assert f"expected {expected}; correct it, or its package" in said(**{name: giving(value)}, **version)


@pytest.mark.parametrize("value", [["a text"], [7], [None], ({},), "a text"])
def test_a_rule_that_gives_no_breaches_is_named_with_what_it_gave(value: Any):
    text = said(rules=[CheckedRule("own", python(giving(value)), must="all is well")])
    assert (
        "the rule's function test_package_functions.giving.<locals>.<lambda>: expected breaches"
        in text.replace(f"{__name__}.", "test_package_functions.")
    )


def test_a_model_whose_validator_fails_is_named():
    assert said(attributes=Demo) == "Demo: a validator raised KeyError: 1; correct it, or its package"
