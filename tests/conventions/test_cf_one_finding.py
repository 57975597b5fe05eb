"""One fault in a dataset of CF, one finding: what rules compare with in other variables is at fault, not what they speak of."""

from __future__ import annotations

import copy
from collections import Counter
from pathlib import Path

import pytest

import zom
from zom.problems import pointer_of, split_pointer
from zom.testing.convention_cases import load_cases

CASES = load_cases(Path(__file__).parents[1] / "conformance" / "conventions" / "cf.json")


def dataset_with(*names):
    """The first dataset of the corpus that has these members, and nothing more than notes."""
    for case in CASES:
        members = case.document.get("members", {}) if isinstance(case.document, dict) else {}
        if members.keys() >= {*names} and all(
            each.severity == "note" for each in zom.validate(case.document)
        ):
            return case.document
    raise LookupError(names)


def told(document):
    return Counter((each.code, each.node, pointer_of(each.inside)) for each in zom.validate(document))


@pytest.mark.parametrize(
    ("names", "pointer", "value", "expected"),
    [
        (("cell_area", "t2m"), "/members/cell_area/dimension_names/1", None, "xarray/dims-strings"),
        (("cell_area", "t2m"), "/members/t2m/dimension_names/1", ["lat"], "v3/dimension-names"),
        (("cell_area", "t2m"), "/members/t2m/dimension_names", ["time", "lat"], "v3/dimension-names-length"),
        (("cell_area", "t2m"), "/members/cell_area/attributes/units", None, "cf/attributes"),
        (("ring", "geometry"), "/members/ring/dimension_names", None, "v3/null-member"),
        (("geometry", "yield"), "/members/geometry/attributes/geometry_type", None, "cf/attributes"),
        (("lat_bounds", "lat"), "/members/lat_bounds/dimension_names/1", ["tp_xc"], "v3/dimension-names"),
    ],
)
def test_a_fault_of_dimensions_or_units_is_told_of_where_it_is(names, pointer, value, expected):
    document = dataset_with(*names)
    changed = copy.deepcopy(document)
    *before, last = split_pointer(pointer)
    holder = changed
    for step in before:
        holder = holder[step]
    holder[int(last) if isinstance(holder, list) else last] = value
    (found,) = (told(changed) - told(document)).elements()
    assert found == (expected, f"/{before[1]}", pointer.removeprefix(f"/members/{before[1]}"))
