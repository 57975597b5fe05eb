"""What conventions promise of values of several arrays at once: names, cells, colors, bits; in memory that is bounded."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from cf_datasets import dataset

import zom
from zom import v3
from zom.checks import blocks
from zom.conventions import ome


def findings(store, name, code):
    report = zom.validate(store, conventions=[name], data="values")
    (count,) = (each for each in report.rules if each.code == code)
    assert count.passed + count.failed, dict(count.reasons)
    return [
        f"{each.node}: {each.expected}; {each.found}"
        for each in (*report.problems, *report.resting)
        if each.code == code
    ]


def reasons(store, name, code):
    report = zom.validate(store, conventions=[name], data="values")
    return next(dict(each.reasons) for each in report.rules if each.code == code)


# --- flags -------------------------------------------------------------------------------------------------

MASKS = {"flag_masks": [1, 2, 12, 12], "flag_meanings": "low fault a b"}


@pytest.mark.parametrize(
    ("values", "more", "expected"),
    [
        ([0, 1, 3, 12, 15], {}, []),
        ([1, 16], {}, ["/q: bits of flag_masks, or a missing value; 16 at index 1"]),
        ([1, -1], {"_FillValue": -1}, []),
        ([1, -128], {}, ["/q: bits of flag_masks, or a missing value; -128 at index 1"]),
        ([0, 1, 5, 8, 11], {"flag_values": [1, 2, 4, 8]}, []),
        (
            [0, 12],
            {"flag_values": [1, 2, 4, 8]},
            ["/q: bits of flag_masks, with the flag_values of each, or a missing value; 12 at index 1"],
        ),
    ],
)
@pytest.mark.parametrize("chunks", [(1,), (5,)])
def test_bits_of_flags_have_meanings(values, more, expected, chunks):
    store = dataset({"q": (values, "int8", ("x",), {**MASKS, **more})}, chunks=chunks)
    assert findings(store, "cf", "cf/flag-masks-stored") == expected


def test_masks_may_have_the_highest_bit():
    told = {"flag_masks": [1, -128], "flag_meanings": "low high"}
    store = dataset({"q": ([-128, -127, 0], "int8", ("x",), told)})
    assert findings(store, "cf", "cf/flag-masks-stored") == []
    told = {"flag_masks": [1, 1 << 63], "flag_meanings": "low high"}
    store = dataset({"q": ([1 << 63, 1, 4], "uint64", ("x",), told)})
    assert findings(store, "cf", "cf/flag-masks-stored") == [
        "/q: bits of flag_masks, or a missing value; 4 at index 2"
    ]


# --- cells -------------------------------------------------------------------------------------------------


def grid(units, centres, half=0.5, vertices=4):
    """Coordinates of two dimensions, each in the middle of its cell, and the vertices of these."""
    centres = np.asarray(centres, "float64")
    offsets = np.array([-half, half, half, -half, -half][:vertices])
    corners = centres[..., None] + offsets
    return {
        "lon": (centres, "float64", ("y", "x"), {"units": units, "bounds": "b"}),
        "b": (corners, "float64", ("y", "x", "v"), {}),
    }


def moved(arrays, place, value):
    values, *more = arrays["lon"]
    changed = values.copy()
    changed[place] = value
    return {**arrays, "lon": (changed, *more)}


CENTRES = np.arange(12.0).reshape(3, 4)
WRONG = ["/lon: a point in its cell, from 5.5 to 6.5, according to /b; 9.0 at index 1, 2"]


@pytest.mark.parametrize("chunks", [None, (1, 1), (2, 3), (3, 1)])
@pytest.mark.parametrize("vertices", [3, 4, 5])
def test_points_lie_in_cells_with_vertices(chunks, vertices):
    arrays = grid("degrees_east", CENTRES, vertices=vertices)
    store = built(arrays, chunks)
    assert findings(store, "cf", "cf/bounds-enclose") == []
    assert findings(built(moved(arrays, (1, 2), 9.0), chunks), "cf", "cf/bounds-enclose") == WRONG


def built(arrays, chunks):
    """As `dataset`, with chunks of the points, and of one vertex less than there are."""
    members = {}
    for name, (values, dtype, dims, attributes) in arrays.items():
        cut = None if chunks is None else (*chunks, values.shape[-1] - 1)[: values.ndim]
        members[name] = v3.ArraySpec.build(
            shape=values.shape, dtype=dtype, dimension_names=dims, attributes=attributes, chunks=cut
        )
    root = zom.materialize(v3.GroupSpec(attributes={"Conventions": "CF-1.12"}, members=members), "memory:")
    for name, (values, *_) in arrays.items():
        root[name][...] = values
    return root.store


def test_a_point_may_be_beside_the_box_of_its_vertices_as_far_as_that_is_wide():
    arrays = grid("degrees_east", CENTRES)
    assert findings(built(moved(arrays, (0, 0), 1.4), None), "cf", "cf/bounds-enclose") == []
    assert findings(built(moved(arrays, (0, 0), 1.6), None), "cf", "cf/bounds-enclose")


def test_cells_may_cross_the_meridian_where_longitudes_begin_again():
    arrays = grid("degrees_east", [[179.9, 180.0], [359.9, 0.0]])
    corners = (arrays["b"][0] + 180) % 360 - 180
    arrays = {**arrays, "b": (corners, *arrays["b"][1:])}
    assert findings(dataset(arrays), "cf", "cf/bounds-enclose") == []


def test_a_cell_may_hold_the_pole():
    arrays = grid("degrees_north", [[90.0, 10.0]])
    corners = np.array([[[89.0] * 4, [9.5, 10.5, 10.5, 9.5]]])
    arrays = {**arrays, "b": (corners, *arrays["b"][1:])}
    assert findings(dataset(arrays), "cf", "cf/bounds-enclose") == []
    assert findings(dataset(moved(arrays, (0, 0), 70.0)), "cf", "cf/bounds-enclose") == [
        "/lon: a point in its cell, from 89.0 to 89.0, according to /b; 70.0 at index 0, 0"
    ]


def test_missing_points_and_vertices_are_in_no_cell():
    arrays = grid("degrees_east", CENTRES)
    values, dtype, dims, attributes = moved(arrays, (1, 1), 1e20)["lon"]
    arrays = {**arrays, "lon": (values, dtype, dims, {**attributes, "_FillValue": 1e20})}
    arrays["b"][0][2, 3] = np.nan
    assert findings(dataset(arrays), "cf", "cf/bounds-enclose") == []


def test_packed_coordinates_are_not_compared_with_their_bounds():
    arrays = grid("degrees_east", CENTRES)
    values, dtype, dims, attributes = arrays["lon"]
    arrays = {**arrays, "lon": (values, dtype, dims, {**attributes, "scale_factor": 0.1})}
    assert reasons(dataset(arrays), "cf", "cf/bounds-enclose")["packed values"] == 1


# --- names -------------------------------------------------------------------------------------------------


def table(obs, var):
    """The least of an AnnData object, with these names."""
    typed = {"encoding-type": "string-array", "encoding-version": "0.2.0"}
    framed = {
        "encoding-type": "dataframe",
        "encoding-version": "0.2.0",
        "_index": "_index",
        "column-order": [],
    }
    frames = {
        each: v3.GroupSpec(
            attributes=framed,
            members={
                "_index": v3.ArraySpec.build(
                    shape=(len(names),), dtype="string", attributes=typed, chunks=(2,)
                )
            },
        )
        for each, names in (("obs", obs), ("var", var))
    }
    attributes = {"encoding-type": "anndata", "encoding-version": "0.1.0"}
    root = zom.materialize(v3.GroupSpec(attributes=attributes, members=frames), "memory:")
    for each, names in (("obs", obs), ("var", var)):
        root[each]["_index"][...] = np.array(names, object)
    return root.store


@pytest.mark.parametrize("sums", [1, 2, 1 << 22])
@pytest.mark.parametrize(
    ("obs", "expected"),
    [
        ([], []),
        (["a"], []),
        (["a", "b", "c", "d", "e"], []),
        (
            ["a", "b", "c", "d", "b"],
            ["/obs/_index: unique names; 'b' at index 1 and again at 4"],
        ),
        (["", "b", ""], ["/obs/_index: unique names; '' at index 0 and again at 2"]),
        # Checksums of 32 bits that are equal, of names that are not.
        (["plumless", "buckeroo"], []),
    ],
)
def test_names_of_observations_are_all_different(monkeypatch, sums, obs, expected):
    monkeypatch.setattr(blocks, "SUMS", sums)
    monkeypatch.setattr(blocks, "CANDIDATES", 1)
    assert findings(table(obs, ["g"]), "anndata", "anndata/names-distinct") == expected


def test_the_names_above_have_equal_checksums():
    first, second = blocks._checksums(np.array(["plumless", "buckeroo"]))
    assert first == second


def test_names_of_variables_are_all_different():
    report = zom.validate(table(["a"], ["g", "h", "g"]), conventions=["anndata"], data=True)
    (found,) = (each for each in report if each.code == "anndata/names-distinct")
    assert (found.severity, found.node) == ("warning", "/var/_index")
    assert found.found == "'g' at index 0 and again at 2"


@pytest.mark.slow
def test_repeated_values_are_found_in_bounded_memory(monkeypatch):
    """All checksums would be 1 MiB, and the values 2 MiB: less is held."""
    monkeypatch.setattr(blocks, "SUMS", 1 << 15)
    size, step = 1 << 18, 1 << 11

    def read():
        for begin in range(0, size, step):
            values = np.arange(begin, begin + step)
            values[values == size - 1] = 7
            yield (begin,), values

    # What is imported for the first call is no memory of it.
    assert blocks.repeated(lambda: iter([((0,), np.arange(4))]), 4) is None
    tracemalloc.start()
    try:
        found = blocks.repeated(read, size)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == (7, 7, size - 1)
    assert peak < 3 << 18


# --- colors ------------------------------------------------------------------------------------------------


def labels(version, colors, values=None):
    spec = ome.image("yx", (4, 4), levels=1, version=version)
    spec = ome.labels(spec, "cells", colors=colors)
    root = zom.materialize(spec, "memory:")
    (path,) = spec.members["labels"].members["cells"].members
    array = root["labels"]["cells"][path]
    array[...] = 0
    if values is not None:
        array[1] = values
    return root.store


@pytest.mark.parametrize("version", ["0.4", "0.5", "0.6"])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (None, []),
        ([0, 1, 2, 1], []),
        ([0, 1, 7, 9], ["a color for each label; none for 7, the value at index 1, 2 of "]),
    ],
)
def test_colors_describe_each_label(version, values, expected):
    store = labels(version, {1: (255, 0, 0, 255), 2: (0, 255, 0, 255)}, values)
    found = findings(store, f"ome/{version}", "ome/label-values-colored")
    assert len(found) == len(expected)
    for each, text in zip(found, expected, strict=True):
        assert each.startswith(f"/labels/cells: {text}/labels/cells/")


def test_a_label_without_a_color_is_a_note():
    store = labels("0.5", {1: (255, 0, 0, 255)}, 7)
    (found,) = (each for each in zom.validate(store, data=True) if each.code == "ome/label-values-colored")
    assert found.severity == "note"


@pytest.mark.parametrize(
    ("store", "name", "code"),
    [
        (table(["a"], ["g"]), "anndata", "anndata/names-distinct"),
        (dataset({"q": ([1], "int8", ("x",), MASKS)}), "cf", "cf/flag-masks-stored"),
        (built(grid("degrees_east", CENTRES), None), "cf", "cf/bounds-enclose"),
        (labels("0.5", {1: (1, 2, 3, 4)}), "ome/0.5", "ome/label-values-colored"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_without_data_no_rule_on_values_is_asked(store, name, code):
    (rule,) = (each for each in zom.validate(store, conventions=[name]).rules if each.code == code)
    assert rule.passed + rule.failed == 0
    assert dict(rule.reasons)["the values of arrays were not read: ask with data=True"] == 1
