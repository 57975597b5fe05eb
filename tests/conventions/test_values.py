"""Rules that ask for the values of arrays: judged where values are read, and not applied elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import zom
from zom import v3
from zom.conventions import Convention, Rule, Skip, python
from zom.errors import StoreError
from zom.stores.faulty import FaultyStore


def rising(site):
    values = site.node.values
    if values is None:
        return Skip("the values were not read")
    return (
        []
        if (values[1:] > values[:-1]).all()
        else [site.breach((), "values that rise", "others", node=site.node)]
    )


RISING = Convention(
    "rising", owns=("axis",), on=("array",), rules=(Rule("rises", python(rising), must="values rise"),)
)
SPEC = v3.ArraySpec.build(shape=(4,), dtype="int8", attributes={"axis": "X"}, compress="zstd")


def written(values):
    root = zom.materialize(v3.GroupSpec(members={"x": SPEC}), "memory:")
    root["x"][...] = values
    return root.store


def outcome(report):
    (count,) = report.rules
    return count.passed, count.failed, dict(count.reasons)


@pytest.mark.parametrize(("values", "expected"), [([1, 2, 3, 4], (1, 0, {})), ([1, 3, 2, 4], (0, 1, {}))])
def test_values_are_read_where_they_are_asked_for(values, expected):
    assert outcome(zom.validate(written(values), [RISING], data=True)) == expected


def test_without_data_the_rule_does_not_apply():
    expected = (0, 0, {"the values were not read": 1})
    assert outcome(zom.validate(written([1, 3, 2, 4]), [RISING])) == expected
    assert outcome(zom.validate(v3.GroupSpec(members={"x": SPEC}), [RISING])) == expected


def test_values_that_cannot_be_decoded_are_a_finding():
    store = written([1, 2, 3, 4])
    store.set("x/c/0", b"not zstd")
    report = zom.validate(store, [RISING], data=True)
    assert [problem.code for problem in report] == ["convention/unreadable-values"]
    assert str(report.problems[0]).startswith("/x: expected values that can be read, found ")
    assert "cannot decode chunk 'x/c/0' of /x: crc32c" in str(report.problems[0])


def test_a_store_that_fails_is_an_error_and_no_finding():
    store = FaultyStore(written([1, 2, 3, 4]))
    zom.validate(store, [RISING], data=True)
    (place,) = [place for place, (_, key) in enumerate(store.operations) if key == "x/c/0"]
    failing = FaultyStore(store.inner, {place: "fail"})
    with pytest.raises(StoreError, match="input/output error"):
        zom.validate(failing, [RISING], data=True)


# --- the rules of shipped conventions ------------------------------------------------------------------


def filled(members, values):
    root = zom.materialize(v3.GroupSpec(members=members), "memory:")
    for path, each in values.items():
        root[path][...] = each
    return root.store


def findings(store, name, code):
    report = zom.validate(store, [name], data=True)
    (count,) = (each for each in report.rules if each.code == code)
    assert count.passed + count.failed, dict(count.reasons)
    return [
        f"{problem.node}: {problem.expected}; {problem.found}" for problem in report if problem.code == code
    ]


def index(name, dtype="float64", size=3):
    return v3.ArraySpec.build(shape=(size,), dtype=dtype, dimension_names=(name,))


@pytest.mark.parametrize(
    ("child", "expected"),
    [
        ([1.0, 2.0, np.nan], []),
        (
            [1.0, 2.5, np.nan],
            ["/child/x: 2.0 at index 1, as in /x above it; 2.5"],
        ),
    ],
)
def test_indexes_of_a_tree_have_the_same_values(child, expected):
    members = {"x": index("x"), "child": v3.GroupSpec(members={"x": index("x")})}
    store = filled(members, {"x": [1.0, 2.0, np.nan], "child/x": child})
    assert findings(store, "xarray", "xarray/tree-indexes") == expected
