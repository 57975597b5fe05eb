"""NZ's convention: where it is found, and what its text and its schema ask of the same hierarchy."""

from __future__ import annotations

import pytest

import zom
from zom import v2, v3


def group(conventions: object, **members: object) -> v3.GroupSpec:
    return v3.GroupSpec(attributes={"conventions": conventions}, members=members)


def codes(spec: object, profile: str = "text") -> list[str]:
    return [problem.code for problem in zom.validate(spec, conventions=["nz"], profile=profile)]


@pytest.mark.parametrize("text", ["NZ-1.0", "nz-1.0 CF-1.12", "NZUG-1.0", "NZ-2.0"])
def test_a_root_that_names_nz_makes_all_nodes_below_nzs(text: str) -> None:
    spec = group(text, g=v3.GroupSpec(members={"v": v3.ArraySpec.build(shape=(), dtype="int8")}))
    assert [(each.convention, each.nodes) for each in zom.validate(spec).conventions] == [("nz/1.0", 3)]


@pytest.mark.parametrize("value", ["CF-1.12", "NZ", "nz_1.0", 1, None])
def test_other_conventions_do_not_make_it_nzs(value: object) -> None:
    assert "nz/1.0" not in [each.convention for each in zom.validate(group(value)).conventions]


def test_a_version_that_is_not_known_is_an_error() -> None:
    assert codes(group("NZ-2.0")) == ["nz/declared"]


def test_the_text_asks_for_no_declaration_that_the_schema_asks_for() -> None:
    spec = group("NZ-1.0")
    assert (codes(spec), codes(spec, "schema")) == ([], ["nz/registered"])


def test_v2_is_an_error_at_every_node() -> None:
    spec = v2.GroupSpec(attributes={"conventions": "NZ-1.0"}, members={"g": v2.GroupSpec(members={})})
    assert codes(spec) == ["nz/zarr-format"] * 2


def test_a_scalar_names_its_dimensions_as_well() -> None:
    assert codes(group("NZ-1.0", p=v3.ArraySpec.build(shape=(), dtype="int8"))) == ["nz/dims-present"]
