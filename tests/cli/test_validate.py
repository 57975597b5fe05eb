"""`zom validate` with conventions: what is asked for, formats, suppression, plugins."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest

import zom
from zom import draft, v2, v3


def array(*names, shape=(4,), **more):
    return v3.ArraySpec.build(shape=shape, dtype="int8", dimension_names=names, **more)


@pytest.fixture
def unequal(tmp_path):
    """A store whose arrays disagree on the length of a dimension."""
    spec = v3.GroupSpec(members={"t": array("t", shape=(5,)), "u": array("t")})
    zom.materialize(spec, tmp_path / "u.zarr")
    return "u.zarr"


@pytest.fixture
def written(tmp_path):
    """Writes a document, and gives its name."""

    def made(spec, name="a.json"):
        (tmp_path / name).write_text(spec.to_json(), encoding="utf-8")
        return name

    return made


def test_conventions_are_found_and_what_breaks_them_is_told_by_document_and_line(call, unequal):
    code, out, err = call("validate", unequal)
    assert code == 1
    assert re.fullmatch(
        r"u\.zarr/\w/zarr\.json:\d+:\d+: error: /\w: shape\[0\]: expected .*\[xarray/dim-sizes\]\n", out
    )
    assert re.fullmatch(r"1 store: 1 error; rules of xarray: \d+ passed, 1 failed\n", err)


def test_conventions_of_none_is_zarr_alone(call, unequal):
    assert call("validate", unequal, "--convention", "none") == (0, "", "1 store: no problems\n")


def test_check_is_another_name_of_it(call, unequal):
    assert call("check", unequal, "--format", "json") == call("validate", unequal, "--format", "json")
    assert call("check", "--nonsense")[0] == 2
    assert zom.check is zom.validate


def test_a_convention_that_is_asked_for_and_is_not_there_is_an_error(call, written):
    name = written(v3.GroupSpec(members={}))
    code, out, _ = call("validate", name, "--convention", "ome/0.5")
    assert code == 1
    assert out.startswith("a.json:1:1: error: expected metadata of ome/0.5")
    assert out.endswith("[convention/absent]\n")


def test_several_conventions_can_be_asked_for(call, written):
    name = written(v3.GroupSpec(members={}))
    for options in (
        ["--convention", "ome/0.5", "--convention", "license"],
        ["--convention", "ome/0.5,license"],
    ):
        assert call("validate", name, *options)[1].count("[convention/absent]") == 2


def test_a_convention_that_nobody_knows_is_told_with_what_is_near(call, written):
    code, out, err = call("validate", written(v3.GroupSpec()), "--convention", "xaray")
    assert (code, out) == (2, "")
    assert err == (
        "zom validate: --convention: no convention named 'xaray' is registered; did you mean 'xarray'? Or install "
        'the package that provides it: zom loads installed entry points of "zom.conventions"\n'
    )


@pytest.mark.parametrize("other", ["auto", "none"])
def test_all_or_none_and_a_name_contradict_each_other(call, written, other):
    code, _, err = call("validate", written(v3.GroupSpec()), "--convention", f"xarray,{other}")
    assert (code, err) == (
        2,
        "zom validate: --convention: auto and none can't be combined with names; pass one or the other\n",
    )


@pytest.fixture
def reels(package):
    """An installed package with a convention, which nobody has loaded."""
    text = "from zom.conventions import *\nc = Convention('reels', owns=('reels',), rules=[CheckedRule('t', required('t'))])\n"
    package("reels_plugin", text, "[zom.conventions]\nreels = reels_plugin:c\n")


@pytest.mark.usefixtures("reels")
def test_a_convention_of_another_package_is_known_wherever_conventions_are_listed(call, written):
    name = written(v3.GroupSpec(attributes={"reels": 1}))
    assert call("validate", name)[1].endswith("[reels/t]\n")
    assert "reels/t" in call("rules", "reels/*")[1]
    assert ":convention/reels:" in call("schema", "export", "convention/reels")[1]
    assert call("validate", name, "--convention", "reels")[1].endswith("[reels/t]\n")


@pytest.mark.usefixtures("reels")
def test_a_rule_of_another_package_is_explained(call):
    code, out, _ = call("explain", "reels/t")
    assert (code, out.splitlines()[0]) == (0, "reels/t")


def test_a_rule_is_explained_as_the_named_version_has_it(call):
    code, out, _ = call("explain", "ome/axes-order", "--convention", "ome/0.4")
    assert code == 0
    assert "  convention  ome/0.4\n" in out


def test_the_full_profile_makes_errors_of_what_should_be(call, written):
    group = v3.GroupSpec(members={"t": array("t", attributes={"coordinates": "lat"})})
    name = written(group)
    assert "warning: /t: " in call("validate", name)[1]
    code, out, _ = call("validate", name, "--profile", "full")
    assert code == 1
    assert "error: /t: " in out


def test_findings_can_be_suppressed_and_are_counted(call, unequal):
    code, out, err = call("validate", unequal, "--suppress", "xarray/dim-*@/**")
    assert (code, out) == (0, "")
    assert err.startswith("1 store: no problems, 1 suppressed; rules of xarray: ")


def test_a_pattern_that_is_none_is_refused(call, unequal):
    code, _, err = call("validate", unequal, "--suppress", "a@b")
    assert code == 2
    assert err == (
        "zom validate: --suppress: expected a pattern of rules, or of rules and nodes such as "
        "'xarray/dims-*@/raw/**', got 'a@b'\n"
    )


def test_lists_can_be_limited(call, written):
    members = {f"a{number}": array("x", attributes={"coordinates": 7}) for number in range(5)}
    _, out, _ = call("validate", written(v3.GroupSpec(members=members)), "--first", 2)
    assert len(out.splitlines()) == 3
    assert re.match(r"a\.json: and \d+ more$", out.splitlines()[-1])


def test_verbose_says_what_became_of_each_rule(call, unequal):
    out = call("validate", unequal, "--verbose")[1]
    assert "xarray: found at 3 nodes, first at /: " in out
    assert "  failed at 1 node: xarray/dim-sizes: " in out
    assert "  not applicable, " in out


def test_values_are_compared_where_that_is_asked_for(call, tmp_path):
    inner = v3.GroupSpec(members={"x": array("x"), "v": array("x")})
    root = zom.materialize(v3.GroupSpec(members={"x": array("x"), "g": inner}), tmp_path / "v.zarr")
    root["x"][:] = [1, 2, 3, 4]
    root["g"]["x"][:] = [1, 2, 3, 5]
    assert call("validate", "v.zarr")[:2] == (0, "")
    code, out, _ = call("validate", "v.zarr", "--data", "values")
    assert code == 1
    assert "error: /g/x: " in out


# -- formats --------------------------------------------------------------------------------------------


def test_each_format_tells_of_all_places(call, unequal, written):
    places = (unequal, written(v3.GroupSpec()))
    assert [
        each["subject"] for each in json.loads(call("validate", *places, "--format", "json")[1])["result"]
    ] == [
        "u.zarr",
        "a.json",
    ]
    lines = call("validate", *places, "--format", "jsonl")[1].splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["finding", "summary", "summary"]
    (run,) = json.loads(call("validate", *places, "--format", "sarif")[1])["runs"]
    assert [each["ruleId"] for each in run["results"]] == ["xarray/dim-sizes"]
    assert ET.fromstring(call("validate", *places, "--format", "junit")[1]).get("failures") == "1"
    assert call("validate", *places, "--format", "github")[1].startswith("::error file=u.zarr/")


def test_the_exit_code_is_the_same_in_every_format(call, unequal):
    formats = ("text", "json", "jsonl", "sarif", "junit", "github")
    assert [call("validate", unequal, "--format", each)[0] for each in formats] == [1] * 6


def test_places_without_a_convention_are_counted_beside_those_that_have_one(call, unequal, written):
    bare = written(v3.GroupSpec(members={}), "b.json")
    assert call("validate", unequal, bare)[2].endswith("; no convention was found in 1 of 2\n")
    assert "no convention" not in call("validate", unequal)[2]


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_a_report_can_be_written_to_a_file(call, unequal, tmp_path, form):
    printed = call("validate", unequal, "--format", form)[1]
    assert call("validate", unequal, "--format", form, "-o", "out")[1] == ""
    assert (tmp_path / "out").read_text(encoding="utf-8") == printed


def test_junit_fails_for_what_the_command_fails_for(call, written):
    name = written(v3.GroupSpec(members={"t": array("t", attributes={"coordinates": "lat"})}))
    plain = call("validate", name, "--format", "junit")
    asked = call("validate", name, "--format", "junit", "--fail-on", "warning")
    assert [ET.fromstring(out).get("failures") for _, out, _ in (plain, asked)] == ["0", "1"]
    assert (plain[0], asked[0]) == (0, 1)


# -- documents of stores --------------------------------------------------------------------------------


def test_attributes_alone_are_held_against_conventions(call, tmp_path):
    (tmp_path / ".zattrs").write_text('{"multiscales": [\n {"version": "0.4", "axes": 7}]}')
    code, out, err = call("validate", ".zattrs")
    assert code == 1
    assert re.search(r"^\.zattrs:2:\d+: error: multiscales\[0\]\.axes: ", out, re.MULTILINE)
    assert "rules of ome/0.4: " in err


def test_consolidated_metadata_is_held_against_conventions(call, tmp_path):
    sizes = {"t": 5, "u": 4}
    members = {
        name: v2.ArraySpec.build(
            shape=(size,), dtype="<i2", fill_value=None, attributes={"_ARRAY_DIMENSIONS": ["t"]}
        )
        for name, size in sizes.items()
    }
    document = v2.GroupSpec(members=members).to_consolidated()
    text = json.dumps(document, indent=1)
    (tmp_path / ".zmetadata").write_text(text)
    _, out, _ = call("validate", ".zmetadata")
    line = int(out.split(":")[1])
    assert out.splitlines()[0].endswith("[xarray/dim-sizes]")
    assert text.splitlines()[line - 1].strip() in {"4", "5"}


def test_the_text_of_consolidated_metadata_is_checked_too(call, tmp_path):
    text = '{"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2},\n".zattrs": {"a": NaN, "a": 1}}}'
    (tmp_path / ".zmetadata").write_text(text)
    code, out, _ = call("validate", ".zmetadata")
    assert code == 1
    assert [line.rsplit(" ", 1)[1] for line in out.splitlines()] == [
        "[json/not-finite]",
        "[json/duplicate-key]",
    ]
    assert {line.split(":")[1] for line in out.splitlines()} == {"2"}


def test_warnings_of_documents_in_consolidated_metadata_are_told(call, tmp_path):
    array = v2.ArraySpec.build(shape=(2,), dtype="<i2", fill_value=None).to_dict()
    metadata = {".zgroup": {"zarr_format": 2}, "a/.zarray": {**array, "additional": 1}}
    document = {"zarr_consolidated_format": 1, "metadata": metadata}
    (tmp_path / ".zmetadata").write_text(json.dumps(document))
    code, out, _ = call("validate", ".zmetadata")
    assert code == 0
    assert out.startswith(".zmetadata:1:")
    assert ": warning: /a: additional: " in out


def test_an_entry_point_of_the_draft_follows_no_convention(call, written):
    entry = draft.EntryPoint(
        metadata_encoding={"type": "json", "metadata_key_suffix": ".json"}, extensions=()
    )
    assert call("validate", written(entry)) == (0, "", "1 document: no problems; no convention was found\n")


def test_a_name_that_stands_twice_in_attributes_is_told(call, tmp_path):
    (tmp_path / ".zattrs").write_text('{"a": 1, "a": 2}')
    code, out, _ = call("validate", ".zattrs")
    assert code == 1
    assert out.startswith(".zattrs:1:10: error: a: expected each name once")


def test_a_node_of_a_store_is_named_by_its_keys(call, tmp_path):
    spec = v3.GroupSpec(members={"g": v3.GroupSpec(members={"t": array("t", shape=(5,)), "u": array("t")})})
    zom.materialize(spec, tmp_path / "s.zarr")
    out = call("validate", "s.zarr::g")[1]
    assert re.match(r"s\.zarr/g/\w/zarr\.json:\d+:\d+: error: /g/\w: shape\[0\]", out)
    (report,) = json.loads(call("validate", "s.zarr::g", "--format", "json")[1])["result"]
    assert report["findings"][0]["file"].startswith("s.zarr/g/")
