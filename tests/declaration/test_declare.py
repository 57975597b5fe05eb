"""Declarations compiled: the specs that they say, and every fault with its place."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import v2, v3
from zom.errors import SpecError

CLIMATE = {
    "zom": 1,
    "parameters": {"days": 365},
    "sizes": {"time": "${days}", "lat": 181, "lon": 360},
    "defaults": {"compress": "zstd", "chunks": {"time": 30}},
    "conventions": ["xarray"],
    "attributes": {"title": "a small climate"},
    "members": {
        "time": {"dims": ["time"], "dtype": "int64", "units": "days since 2000-01-01", "values": {"step": 1}},
        "lat": {"dims": ["lat"], "dtype": "float64", "values": {"start": 90, "stop": -90}},
        "t2m": {
            "dims": ["time", "lat", "lon"],
            "dtype": "float32",
            "chunks": {"lat": 91, "lon": 180},
            "attributes": {"units": "K"},
        },
        "daily/means": {"members": {}},
    },
}


def refused(declaration, **parameters):
    with pytest.raises(SpecError) as caught:
        zom.declare(declaration, **parameters)
    return [(each.code, each.pointer, each.expected, each.found, each.fix) for each in caught.value.problems]


def members(**given):
    return {"zom": 1, "sizes": {"x": 4, "y": 6}, "members": given}


def test_a_declaration_says_what_the_builders_would():
    made = zom.declare(CLIMATE, days=10)
    assert made.spec == v3.GroupSpec(
        attributes={"title": "a small climate"},
        members={
            "time": v3.ArraySpec.build(
                shape=(10,),
                dtype="int64",
                chunks=(30,),
                dimension_names=("time",),
                attributes={"units": "days since 2000-01-01"},
            ),
            "lat": v3.ArraySpec.build(
                shape=(181,), dtype="float64", chunks=(None,), dimension_names=("lat",)
            ),
            "t2m": v3.ArraySpec.build(
                shape=(10, 181, 360),
                dtype="float32",
                chunks=(30, 91, 180),
                dimension_names=("time", "lat", "lon"),
                attributes={"units": "K"},
            ),
            "daily": v3.GroupSpec(members={"means": v3.GroupSpec(members={})}),
        },
    )
    assert made.values["/time"].tolist() == list(range(10))
    assert made.values["/lat"][[0, 90, 180]].tolist() == [90, 0, -90]
    assert made.conventions == ("xarray",)


def test_v2_has_its_own_words():
    made = zom.declare({**members(a={"dims": ["x"], "dtype": "int16", "missing": -1}), "format": 2})
    assert made.spec == v2.GroupSpec(
        members={
            "a": v2.ArraySpec.build(
                shape=(4,), dtype="int16", chunks="auto", fill_value=-1, dimension_names=["x"]
            )
        }
    )
    found = refused({**members(a={"dims": ["x"], "dtype": "int16", "shards": "auto"}), "format": 2})
    assert found == [
        ("declaration/form", "/members/a/shards", "an option of v2 arrays", '"shards"', "leave it out")
    ]


def test_the_draft_is_declared_as_well():
    made = zom.declare({**members(a={"shape": [3], "dtype": "int16"}), "format": "draft"})
    assert made.spec.members["a"].shape == (3,)


def test_missing_and_packing_are_those_of_the_helper_for_xarray():
    from zom.conventions.xarray import Variable, dataset

    declared = {"dims": ["x"], "dtype": "int16", "missing": -9, "scale_factor": 0.1, "units": "K"}
    built = dataset({"x": 4}, {"a": Variable("x", "int16", missing=-9, scale_factor=0.1, units="K")})
    assert zom.declare(members(a=declared)).spec.members["a"] == built.members["a"]


def test_coordinates_beside_the_dimensions_own_are_named_where_xarray_looks():
    made = zom.declare(
        {
            **members(
                lon={"dims": ["y", "x"], "dtype": "float32"},
                t={"dims": ["y", "x"], "dtype": "float32"},
                n={"dims": ["x"], "dtype": "int8"},
            ),
            "coordinates": ["lon"],
        }
    )
    assert made.spec.members["t"].attributes == {"coordinates": "lon"}
    assert made.spec.members["n"].attributes == {}


def test_inner_groups_state_sizes_and_defaults_of_their_own():
    made = zom.declare(
        {
            "zom": 1,
            "sizes": {"x": 4},
            "defaults": {"dtype": "int8", "chunks": {"x": 2}},
            "members": {
                "a": {"dims": ["x"]},
                "g": {"sizes": {"x": 9}, "defaults": {"dtype": "int16"}, "members": {"a": {"dims": ["x"]}}},
            },
        }
    )
    outer, inner = made.spec.members["a"], made.spec.members["g"].members["a"]
    assert (outer.shape, outer.data_type, inner.shape, inner.data_type) == ((4,), "int8", (9,), "int16")
    assert inner.chunk_grid["configuration"]["chunk_shape"] == [2]


@pytest.mark.parametrize(
    ("said", "chunks", "shards"),
    [
        ({"chunks": "1 kB"}, (50, 10), None),
        ({"chunks": [10, None]}, (10, 100), None),
        ({"chunks": "whole"}, (100, 100), None),
        ({"chunks": {"x": 5}}, (100, 5), None),
        ({"chunks": [10, 10], "shards": "1 kB"}, (10, 10), (40, 20)),
        ({"chunks": {"y": 10, "x": 10}, "shards": {"y": 50, "x": 100}}, (10, 10), (50, 100)),
    ],
)
def test_chunks_and_shards_are_said_by_name_by_order_or_by_size(said, chunks, shards):
    node = {"dims": ["y", "x"], "dtype": "int8", **said}
    spec = zom.declare({"zom": 1, "sizes": {"y": 100, "x": 100}, "members": {"a": node}}).spec.members["a"]
    grid = tuple(spec.chunk_grid["configuration"]["chunk_shape"])
    inner = spec.codecs[0].get("configuration", {}).get("chunk_shape")
    if shards is None:
        assert inner is None
        assert np.prod(grid) <= 1000 if said["chunks"] == "1 kB" else grid == chunks
    else:
        assert tuple(inner) == chunks
        assert all(outer % each == 0 for outer, each in zip(grid, inner, strict=True))
        assert grid == shards if isinstance(said["shards"], dict) else np.prod(grid) <= 1000


def test_a_loop_repeats_a_member():
    made = zom.declare(
        {
            "zom": 1,
            "parameters": {"last": 3},
            "members": {
                "${row}/${column}": {
                    "for": {"row": ["A", "B"], "column": {"start": 1, "stop": "${last}"}},
                    "attributes": {"place": "${row}${column}", "next": "${column + 1}", "raw": "$${row}"},
                    "members": {},
                }
            },
        }
    )
    assert [path for path, _ in made.spec.walk()] == [
        "/",
        "/A",
        "/A/1",
        "/A/2",
        "/A/3",
        "/B",
        "/B/1",
        "/B/2",
        "/B/3",
    ]
    assert made.spec["B/3"].attributes == {"place": "B3", "next": 4, "raw": "${row}"}


def test_any_node_may_be_a_document_of_zarr():
    array = json.loads(v3.ArraySpec.build(shape=(3,), dtype="int8").to_json())
    array["attributes"] = {"text": "${not an expression}"}
    made = zom.declare(members(a=array))
    assert made.spec.members["a"] == v3.parse(array)
    (problem,) = refused(members(a={**array, "shape": [-1]}))
    assert problem[1] == "/members/a/shape/0"
    assert refused(members(a={"zarr_format": 2}))[0][2].startswith("a document of v3")


def test_conventions_build_groups():
    image = {"ome": {"axes": "yx", "levels": 3, "dtype": "uint8"}, "sizes": {"y": 64, "x": 64}}
    made = zom.declare({"zom": 1, "conventions": ["ome"], "members": {"image": image}})
    from zom.conventions import ome

    assert made.spec.members["image"] == ome.image("yx", (64, 64), levels=3, dtype="uint8")
    plate = {"plate": {"rows": 2, "columns": 3, "field": {"axes": "yx", "shape": [8, 8]}}}
    made = zom.declare({"zom": 1, "conventions": ["ome"], "ome": plate})
    assert made.spec == ome.plate(2, 3, field=ome.image("yx", (8, 8)))
    from zom.conventions import anndata

    cells = {
        "n_obs": 9,
        "n_var": 2,
        "X": {"csr": "float32"},
        "obs": {"kind": {"categorical": 4}, "n": "int64"},
    }
    made = zom.declare({"zom": 1, "format": 2, "conventions": ["anndata"], "anndata": cells})
    obs = {"kind": anndata.categorical(4), "n": "int64"}
    assert made.spec == anndata.skeleton(9, 2, X=anndata.csr("float32"), obs=obs, zarr_format=2)


def test_a_pyramid_is_made_of_its_members():
    made = zom.declare(
        {
            **members(red={"dims": ["y", "x"], "dtype": "uint8"}),
            "conventions": ["multiscales"],
            "multiscales": {"levels": 2},
        }
    )
    assert made.spec["1/red"].shape == (3, 2)


@pytest.mark.parametrize(
    ("declaration", "code", "pointer", "expected", "found", "fix"),
    [
        ({}, "declaration/version", "/zom", "1", "nothing", "begin with zom: 1"),
        ({"zom": 2}, "declaration/version", "/zom", "1", "2", "begin with zom: 1"),
        ({"zom": 1, "memebrs": {}}, "declaration/word", "/memebrs", "a word for an array or a group", '"memebrs"', "did you mean 'members'?"),
        (members(a={"format": 2}), "declaration/word", "/members/a/format", "a word for an array or a group", '"format"', "move it to the root"),
        (members(a=3), "declaration/form", "/members/a", "a mapping: an array or a group", "3", None),
        (members(a={"dims": ["z"], "dtype": "int8"}), "declaration/sizes", "/members/a/dims/0", "a dimension whose length is in sizes", '"z"', "add z to sizes"),
        (members(a={"dims": ["x"], "shape": [5], "dtype": "int8"}), "declaration/sizes", "/members/a/shape/0", "4 along x, as in sizes", "5", None),
        (members(a={"dtype": "int8"}), "declaration/sizes", "/members/a", "an array with dims or shape", "neither", "add dims, or shape"),
        (members(a={"dims": ["x"]}), "declaration/form", "/members/a", "an array with a dtype", "none", "add dtype here, or to defaults"),
        (members(a={"dims": ["x"], "dtype": "int8", "members": {}}), "declaration/word", "/members/a", "the words of an array, or those of a group", "dims and members", None),
        (members(a={"dims": ["x"], "dtype": "int8", "chunks": {"z": 1}}), "declaration/form", "/members/a/chunks/z", "a name among dims", '"z"', "known are x"),
        (members(a={"dims": ["x"], "dtype": "int8", "fill_value": 300}), "declaration/values", "/members/a/fill_value", "an integer from -128 to 127", "300", None),
        (members(a={"dims": ["x"], "dtype": "int8", "values": [1, 2]}), "declaration/values", "/members/a/values", "values of shape [4]", "values of shape [2]", None),
        (members(a={"dims": ["x"], "dtype": "int8", "values": [1, 2, 3, 400]}), "declaration/values", "/members/a/values", "an integer from -128 to 127", "400", None),
        (members(a={"dims": ["x"], "dtype": "int8", "values": {"start": 0, "stop": 5, "step": 1}}), "declaration/values", "/members/a/values", "4 values, as the dimension has", '6 from {"start": 0, "stop": 5, "step": 1}', "leave out stop or step"),
        (members(a={"attributes": {"t": "${n}"}}), "declaration/expression", "/members/a/attributes/t", "a parameter, a loop's name, or whole-number arithmetic with them", '"n"', "state n in parameters"),
        (members(a={"attributes": {"t": "${1 // 0}"}}), "declaration/expression", "/members/a/attributes/t", "a parameter, a loop's name, or whole-number arithmetic with them", 'a division by zero in "1 // 0"', "divide by a number other than 0"),
        (members(**{"a/../b": {}}), "declaration/path", "/members/a~1..~1b", "a path of names", "'a/../b': \"..\" is no name", None),
        ({**members(), "parameters": {"n": {"type": "integer"}}}, "declaration/parameter", "/parameters/n", "a value, as there is no default", "none", "set n"),
        ({**members(), "conventions": ["xaray"]}, "declaration/form", "/conventions/0", "the name of a convention", "no convention named 'xaray' is registered", "did you mean 'xarray'? Or install the package that provides it: zom loads installed entry points of \"zom.conventions\""),
        ({**members(), "include": "other.yaml"}, "declaration/include", "/include", "a declaration in a file, to include other files", "none", "pass the declaration as a file"),
        ({**members(), "coordinates": ["z"]}, "declaration/form", "/coordinates/0", "an array of this group", '"z"', None),
        (members(a={"ome": {"axs": "yx"}}), "declaration/word", "/members/a/ome/axs", "an argument of the builder", '"axs"', "did you mean 'axes'?"),
        (members(a={"dims": ["x"], "dtype": "float32", "fill_value": 1e39}), "declaration/values", "/members/a/fill_value", "a number that float32 holds", "1e+39", None),
        (members(a={"dims": ["x"], "dtype": "float16", "values": [0, 1, 2, 1e6]}), "declaration/values", "/members/a/values", "a number that float16 holds", "1000000.0", None),
        (members(a={"dims": ["x"], "dtype": "float64", "values": [0, 1, 2, 10**400]}), "declaration/values", "/members/a/values", None, None, None),
        (members(a={"dims": ["x"], "dtype": "float16", "values": {"start": 0, "step": 60000}}), "declaration/values", "/members/a/values", "a number that float16 holds", "120000", None),
        (members(a={"dims": ["x"], "dtype": "float32", "values": [0, 1, 2, "nan?"]}), "declaration/values", "/members/a/values", None, '"nan?"', 'write a number, "NaN" or "Infinity"'),
        (members(a={"dims": ["x"], "dtype": "int8", "missing": -1, "fill_value": 5}), "declaration/form", "/members/a/fill_value", "missing or fill_value", "both", "leave fill_value out: missing is also the fill value"),
        (members(a={"ome": {"axes": "yx", "shape": [8, 8]}, "attributes": {"ome": 5}}), "declaration/form", "/members/a/attributes/ome", "attributes that ome doesn't build", '"ome"', "leave it out"),
        (members(a={"anndata": {"n_obs": 3}}), "declaration/form", "/members/a/anndata", "the argument n_var of the builder", "none", "add n_var"),
        ({"zom": 1, "for": {"i": [1]}, "members": {}}, "declaration/word", "/for", "no loop at the root", "for", "move it to a member"),
        ({**members(), "parameters": {"a": 1, "b": "${a}"}}, "declaration/parameter", "/parameters/b", "a plain value, without ${...}", '"${a}"', None),
        ({"zom": 1, "sizes": {"x": -1, "y": 2}, "members": {"a": {"dims": ["x", "y"], "dtype": "int8"}}}, "declaration/form", "/sizes/x", "a length: a whole number, 0 or more", "-1", None),
        (members(a={"dims": ["x"], "dtype": "datetime64[s]", "values": "2020-01-01T00:00:00+05:00"}), "declaration/values", "/members/a/values", "a time in UTC, without an offset", '"2020-01-01T00:00:00+05:00"', None),
        (members(**{"${i}": {"for": {"i": {"start": 0, "stop": 1e7}}}}), "declaration/values", "/members/${i}/for/i", "at most 1048576 values", "10000001", None),
    ],
)  # fmt: skip
def test_each_fault_is_told_once_with_its_place(declaration, code, pointer, expected, found, fix):
    (problem,) = refused(declaration)
    assert problem[:2] == (code, pointer)
    if expected is None:  # in the words of the data type
        return
    assert problem[2] == expected
    if code != "declaration/path":  # paths say so in their own words
        assert problem[3:] == (found, fix)


@pytest.mark.parametrize(
    ("dtype", "given", "found"),
    [
        ("float32", ["NaN", "-Infinity", 1, "0x3f800000"], [float("nan"), float("-inf"), 1, 1]),
        ("complex64", [1, [1, 2], ["NaN", 0], 0], [1, 1 + 2j, complex("nan"), 0]),
        ("S3", ["a", "", "abc", "é".encode("ascii", "ignore").decode()], [b"a", b"", b"abc", b""]),
        ("bool", [True, False, True, True], [True, False, True, True]),
        ("uint64", [0, 2**64 - 1, 2**63, 1], [0, 2**64 - 1, 2**63, 1]),
        ("datetime64[s]", ["2020-01-01", "NaT", "1969-12-31", "2020-01-01T01:02:03"], None),
        ("string", ["", "日本", "a\nb", "\0"], ["", "日本", "a\nb", "\0"]),
    ],
)
def test_values_are_stated_in_every_type(dtype, given, found):
    node = {"dims": ["x"], "dtype": dtype, "values": given}
    declared = zom.declare({**members(a=node), "format": 2 if dtype == "S3" else 3})
    array = zom.materialize(declared, "memory:")["a"]
    expected = np.array(given, dtype) if found is None else np.array(found, array.dtype)
    np.testing.assert_array_equal(array[:], expected)
    assert zom.plan(declared, array.store).is_empty


def test_a_mapping_may_hold_what_python_has():
    node = {"shape": (2, 2), "dtype": np.dtype("f4"), "values": np.eye(2), "attributes": {"n": np.int64(3)}}
    declared = zom.declare({"zom": 1, "members": {"a": node}})
    assert declared.spec.members["a"].attributes == {"n": 3}
    assert declared.values["/a"].tolist() == [[1, 0], [0, 1]]


def test_keys_have_expressions_as_well():
    declared = {**members(), "parameters": {"n": 3}, "attributes": {"a${n}": 1, "$${n}": 2}}
    assert zom.declare(declared).spec.attributes == {"a3": 1, "${n}": 2}


def test_parameters_have_types():
    declared = {**members(), "parameters": {"n": 3, "s": {"type": "string", "default": "a"}}}
    assert refused(declared, n="x")[0][2:4] == ("a value of type integer", '"x"')
    assert refused(declared, n=True)[0][2:4] == ("a value of type integer", "true")
    assert refused(declared, s=3)[0][2:4] == ("a value of type string", "3")
    assert refused(declared, m=3)[0][2:] == ("a parameter of the declaration", '"m"', "known are n, s")


def test_paths_that_meet_are_refused():
    array = {"dims": ["x"], "dtype": "int8"}
    assert [each[1] for each in refused(members(a=array, **{"a/b": {}}))] == ["/members/a~1b"]
    found = refused(members(**{"a/b": {}, "a": {"members": {"b": {}}}}))
    assert found[0][:4] == (
        "declaration/path",
        "/members/a/members/b",
        "each path once",
        "/a/b a second time",
    )


def test_rules_of_conventions_and_templates_point_into_the_declaration(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text(
        "zom: 1\n"
        "sizes: {x: 4}\n"
        "template: {node_type: group, members: {a: {node_type: array, dtype: float}}}\n"
        "members:\n"
        "  a:\n"
        "    dims: [x]\n"
        "    dtype: int8\n"
    )
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")
    with pytest.raises(SpecError) as caught:
        zom.declare(file)
    (problem,) = caught.value.problems
    assert (problem.code, problem.key, problem.line) == ("template/dtype", str(file), 6)


SMALL = st.integers(min_value=-50, max_value=50)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(SMALL, SMALL, SMALL, st.sampled_from(["+", "-", "*"]), st.sampled_from(["+", "-", "*", "//", "%"]))
def test_arithmetic_is_that_of_python(first, second, third, one, two):
    text = f"(n {one} {second}) {two} ({third})".replace("- -", "- (0-1)*")
    declared = {**members(), "parameters": {"n": first}, "attributes": {"found": f"${{{text}}}"}}
    try:
        expected = eval(text, {"n": first})
    except ZeroDivisionError:
        assert "division by zero" in refused(declared)[0][3]
    else:
        assert zom.declare(declared).spec.attributes == {"found": expected}


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.text())
def test_texts_without_expressions_stay_what_they_are(text):
    declared = {"zom": 1, "attributes": {"text": text.replace("${", "$${")}, "members": {}}
    if any("\ud800" <= each <= "\udfff" for each in text):
        return
    assert zom.declare(declared).spec.attributes == {"text": text}


def test_a_value_with_a_lone_surrogate_is_a_problem_with_its_place():
    with pytest.raises(
        zom.SpecError, match=r"members\.a\.values: expected values of the type string, found .*surrogates"
    ):
        zom.declare({"zom": 1, "members": {"a": {"shape": [1], "dtype": "string", "values": ["\ud800"]}}})
