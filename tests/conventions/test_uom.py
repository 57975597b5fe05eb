"""uom: units in the form that UCUM gives them."""

from __future__ import annotations

import pytest

import zom
from zom import v3
from zom.conventions.uom import PUBLISHED, is_ucum_term


def codes(unit, profile="text", dtype="float32"):
    declared = [{**PUBLISHED.declaration, "name": "uom"}]
    attributes = {"zarr_conventions": declared, "uom": {"ucum": {"unit": unit}}}
    spec = v3.ArraySpec.build(shape=(2,), dtype=dtype, attributes=attributes)
    return [problem.code for problem in zom.validate(spec, conventions=["uom"], profile=profile)]


# The examples of https://ucum.org/ucum and of its table of commonly used units.
@pytest.mark.parametrize(
    "unit",
    [
        "1", "m", "kg.m/s2", "kg.m.s-2", "10*3/ul", "10^9/L", "mm[Hg]", "[in_i]", "[degF]", "%", "[pH]", "/s", "/[HPF]",
        "{cells}/ul", "10*6/{cell}", "mol/(kg.s)", "mol.kg-1.s-1", "ug{creat}", "m2", "m+2", "1/d", "umol/(8.h)", "Cel",
        "m[H2O]", "dB[SPL]", "B[10.nV]", "'", "''", "[ft_i]2", "(m)", "{a}",
    ],
)  # fmt: skip
def test_units_of_ucum(unit):
    assert is_ucum_term(unit)


@pytest.mark.parametrize(
    "unit",
    [
        "",
        " ",
        "m s-1",
        "m/",
        "/",
        ".m",
        "m..s",
        "m//s",
        "m^2",
        "m**2",
        "m²",
        "µm",
        "(m",
        "m)",
        "()",
        "m/(s",
        "{",
        "m{",
        "[",
        "m2s",
    ],
)
def test_texts_that_are_no_units_of_ucum(unit):
    assert not is_ucum_term(unit)


@pytest.mark.parametrize("unit", ["{meter}", "10*3.{count}", "m[H2O]", "[degF]", "Cel", "h", "min", "d"])
def test_words_in_annotations_and_brackets_are_not_misspelled(unit):
    assert codes(unit) == []


def test_a_unit_that_is_null_is_arbitrary_to_the_text_and_wrong_to_the_schema():
    assert (codes(None), codes(None, "schema")) == ([], ["uom/unit-text"])


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "complex128", "<m8[s]"])
def test_numbers_of_any_kind_have_units(dtype):
    assert codes("s", dtype=dtype) == []
