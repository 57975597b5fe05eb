"""The verbs that read stores: tree, info, read, validate, check, diff, convert."""

from __future__ import annotations

import json
import os
import re

import pytest

import zom
from zom import template, v2, v3
from zom.cli.outcome import command_error
from zom.errors import ConflictError
from zom.problems import Problem

UNREAD = "values were not compared; pass --data to compare them\n"


@pytest.fixture
def filled(tmp_path, small):
    """`small` in a.zarr, its times written."""
    root = zom.materialize(small, tmp_path / "a.zarr")
    root["time"][:] = range(48)
    return root


@pytest.fixture
def broken(tmp_path, filled):
    """a.zarr with two mistakes in its documents."""
    del filled
    time, t2m = (tmp_path / "a.zarr" / name / "zarr.json" for name in ("time", "t2m"))
    time.write_text(time.read_text().replace('"array"', '"arr"'))
    document = json.loads(t2m.read_text())
    document["shape"][1] = -181
    t2m.write_text(json.dumps(document, indent=1))
    return t2m.read_text()[: t2m.read_text().index("-181")].count("\n") + 1


# -- tree -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("filled")
def test_the_depth_of_a_tree_is_what_is_read(call):
    assert call("tree", "a.zarr", "--depth", "0") == (
        0,
        '/  v3 group  title="a small climate"  members not read\n',
        "",
    )


@pytest.mark.usefixtures("filled")
def test_the_tree_of_a_store_as_json_is_that_of_its_document(call):
    spec = call("read", "a.zarr")[1]
    assert call("tree", "a.zarr", "--format", "json") == call(
        "tree", "-", "--format", "json", stdin=spec.encode()
    )


# -- info -----------------------------------------------------------------------------------------------

INFO = """\
array   /time in a.zarr
format  v3
type    int64
shape   (time=48,)
chunks  48, 1 of them
codecs  zstd
fill    0
order   C
bytes   384 B in memory
"""


@pytest.mark.usefixtures("filled")
def test_info_of_an_array_is_a_line_for_each_fact(call):
    assert call("info", "a.zarr::time") == (0, INFO, "")


def test_info_shows_all_attributes_in_full(call):
    attributes = {"units": "hours since 2026-01-01", "history": "x" * 90, "n": [1, 2]}
    array = v3.ArraySpec.build(shape=(4,), dtype="int8", attributes=attributes)
    code, out, _ = call("info", "-", stdin=array.to_json().encode())
    assert code == 0
    assert out.splitlines()[0] == "array       / in standard input"
    assert out.splitlines()[-4:] == [
        "attributes",
        '  units    "hours since 2026-01-01"',
        f'  history  "{"x" * 90}"',
        "  n        [1, 2]",
    ]


@pytest.mark.usefixtures("filled")
def test_info_tells_what_is_stored_where_that_is_asked_for(call, filled):
    stored = filled["time"].stored()
    out = call("info", "a.zarr::time", "--stored")[1]
    assert out.splitlines()[-1] == f"stored  {stored}"
    entry = json.loads(call("info", "a.zarr::time", "--stored", "--format", "json")[1])["result"]
    assert entry["stored"] == {"chunks": 1, "of": 1, "bytes": stored.nbytes, "bytes_in_memory": 384}
    assert (entry["type"], entry["shape"], entry["dimensions"]) == ("int64", [48], ["time"])


@pytest.mark.usefixtures("filled")
def test_info_of_a_group_names_its_members(call):
    out = (
        "group         / in a.zarr\n"
        "format        v3\n"
        "consolidated  no\n"
        "members       t2m, time\n"
        "attributes\n"
        '  title  "a small climate"\n'
    )
    assert call("info", "a.zarr") == (0, out, "")


def test_info_of_a_document_is_that_of_its_root(call, document):
    out = call("info", document)[1]
    assert out.splitlines()[0] == "group         / in a.json"
    assert "members       t2m, time\n" in out


def test_info_does_not_make_up_members_that_were_not_read(call):
    out = call("info", "-", stdin=b'{"zarr_format": 3, "node_type": "group"}')[1]
    assert out.endswith("members       not read\n")


# -- read -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("filled")
def test_read_prints_the_hierarchy_as_one_document(call, small):
    code, out, err = call("read", "a.zarr")
    assert (code, err) == (0, "")
    assert zom.parse(out) == small
    assert call("read", "a.zarr::time")[1] == small["time"].to_json(indent=2) + "\n"


@pytest.mark.usefixtures("filled")
def test_read_writes_a_file_where_one_is_named(call, tmp_path, small):
    assert call("read", "a.zarr", "-o", "b.json") == (0, "", "")
    assert zom.parse((tmp_path / "b.json").read_bytes()) == small
    message = "no/b.json: can't be written: no such file or directory; name another file"
    assert call("read", "a.zarr", "-o", "no/b.json") == (3, "", f"zom read: {message}\n")


@pytest.mark.usefixtures("filled")
def test_read_believes_consolidated_metadata_only_where_there_is_some(call):
    message = (
        "a.zarr: expected consolidated metadata at /, found none; "
        "read it with --consolidated verify, or consolidate it"
    )
    assert call("read", "a.zarr", "--consolidated", "only") == (3, "", f"zom read: {message}\n")


def test_read_tells_of_what_is_wrong_and_can_be_read(call, tmp_path):
    (tmp_path / "a.zarr").mkdir()
    text = '{"zarr_format": 3,\n "node_type": "group", "node_type": "group"}'
    (tmp_path / "a.zarr" / "zarr.json").write_text(text)
    code, out, err = call("read", "a.zarr")
    assert (code, zom.parse(out).kind) == (0, "group")
    assert err.startswith("a.zarr/zarr.json:2:24: warning: node_type: ")
    assert err.endswith("[json/duplicate-key]\n")
    assert call("read", "a.zarr", "--level", "strict")[0] == 3


@pytest.mark.parametrize("verb", [["tree"], ["info"], ["convert", "--to", "v2"], ["plan", "-"]])
def test_what_is_wrong_and_can_be_read_is_no_matter_of_other_verbs(call, tmp_path, verb):
    (tmp_path / "a.zarr").mkdir()
    text = '{"zarr_format": 3, "node_type": "group", "node_type": "group"}'
    (tmp_path / "a.zarr" / "zarr.json").write_text(text)
    code, _, err = call(*verb, "a.zarr", stdin=b'{"zarr_format": 3, "node_type": "group"}')
    assert (code, err) == (0, "")


# -- validate -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("filled")
def test_validate_reads_the_documents_of_all_nodes(call, document):
    code, out, err = call("validate", "a.zarr", document)
    assert (code, out) == (0, "")
    assert re.fullmatch(r"1 document and 1 store: no problems; rules of xarray: \d+ passed\n", err)


def test_validate_names_the_document_in_the_store_with_line_and_column(call, broken):
    code, out, err = call("validate", "a.zarr/")
    lines = sorted(out.splitlines())
    assert (code, err) == (1, "1 store: 2 errors; rules of xarray: 7 passed\n")
    assert lines[0].startswith(f"a.zarr/t2m/zarr.json:{broken}:")
    assert "error: /t2m: shape[1]: expected an integer from 0 to " in lines[0]
    assert lines[1].startswith("a.zarr/time/zarr.json:3:16: error: /time: node_type: ")


@pytest.mark.usefixtures("broken")
def test_validate_gives_the_key_of_each_problem_as_json(call):
    (report,) = json.loads(call("validate", "a.zarr", "--format", "json")[1])["result"]
    assert {(each["file"], each["key"]) for each in report["findings"]} == {
        ("a.zarr/t2m/zarr.json", "t2m/zarr.json"),
        ("a.zarr/time/zarr.json", "time/zarr.json"),
    }


@pytest.mark.usefixtures("broken")
def test_of_a_store_with_errors_the_first_is_named(call):
    code, out, err = call("read", "a.zarr")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith("zom read: a.zarr/t")
    assert err.endswith("more; see zom validate a.zarr\n")
    code, out, err = call("tree", "a.zarr")
    assert (code, err) == (1, "")
    assert "cannot be read: " in out


def test_validate_fails_for_warnings_where_that_is_asked_for(call):
    text = b'{"zarr_format": 3, "node_type": "group", "node_type": "group"}'
    lenient = ("validate", "-", "--level", "lenient")
    assert call(*lenient, stdin=text)[0] == 0
    assert call(*lenient, "--fail-on", "warning", stdin=text)[0] == 1
    assert call(*lenient, "--fail-on", "note", stdin=text)[0] == 1


# -- check ----------------------------------------------------------------------------------------------


def test_check_of_a_sound_store_is_silent(call, filled):
    filled["t2m"][:] = 1
    assert call("validate", "a.zarr", "--data", "keys") == (
        0,
        "",
        "1 store: no problems; rules of xarray: 10 passed\n",
    )
    assert call("validate", "a.zarr", "--data", "all") == (
        0,
        "",
        "1 store: no problems; rules of xarray: 10 passed\n",
    )


@pytest.mark.usefixtures("filled")
def test_check_names_files_that_do_not_belong(call, tmp_path):
    (tmp_path / "a.zarr" / "photo.jpg").write_bytes(b"")
    code, out, err = call("validate", "a.zarr", "--data", "keys")
    assert code == 0
    assert out.startswith("a.zarr/photo.jpg: note: ") or "a.zarr/photo.jpg: " in out
    assert "[store/foreign-key]\n" in out
    assert err.startswith("1 store: ")
    assert call("validate", "a.zarr", "--data", "keys", "--fail-on", "note")[0] == 1


def test_check_finds_a_chunk_that_can_not_be_decoded_where_chunks_are_read(call, filled, tmp_path):
    filled["t2m"][:] = 1
    (tmp_path / "a.zarr" / "time" / "c" / "0").write_bytes(b"not a chunk, but long enough to be one")
    assert call("validate", "a.zarr", "--data", "keys")[0] == 0
    code, out, err = call("validate", "a.zarr", "--data", "all")
    assert (code, err) == (1, "1 store: 1 error; rules of xarray: 10 passed\n")
    assert out.startswith("a.zarr/time/c/0: error: /time: ")
    assert out.endswith("[chunk/undecodable]\n")
    (report,) = json.loads(call("validate", "a.zarr", "--data", "all", "--format", "json")[1])["result"]
    (entry,) = report["findings"]
    assert (report["subject"], entry["key"], entry["code"]) == ("a.zarr", "time/c/0", "chunk/undecodable")


def test_check_holds_a_store_against_a_spec(call, filled, small, document):
    filled["t2m"][:] = 1
    assert call("validate", "a.zarr", "--data", "keys", "--like", document)[0] == 0
    other = small.replace(attributes={"title": "another"}).to_json().encode()
    code, out, _ = call("validate", "a.zarr", "--data", "keys", "--like", "-", stdin=other)
    assert (code, out.count("\n")) == (1, 1)
    assert "attributes.title: " in out


def test_check_holds_a_store_against_a_template(call, filled, small, tmp_path):
    filled["t2m"][:] = 1
    fits, other = template.infer(small), template.GroupTemplate(members={"tp": template.ArrayTemplate()})
    for name, each in (("fits.json", fits), ("other.json", other)):
        (tmp_path / name).write_text(each.to_json())
    assert call("validate", "a.zarr", "--data", "keys", "--like", "fits.json")[0] == 0
    code, out, _ = call("validate", "a.zarr", "--data", "keys", "--like", "other.json")
    assert code == 1
    assert "tp" in out


def test_check_of_a_template_that_is_none_says_so(call, filled):
    del filled
    code, out, err = call("validate", "a.zarr", "--data", "keys", "--like", "-", stdin=b'{"zom_template": 9}')
    assert (code, out) == (3, "")
    assert err.startswith("zom validate: standard input: zom_template: expected 1, found 9")


# -- diff -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("filled")
def test_diff_compares_a_document_with_a_store_and_stores_with_each_other(call, small, tmp_path, document):
    assert call("diff", document, "a.zarr") == (0, "", "no difference\n")
    longer = small["time"].replace(shape=(96,))
    zom.materialize(small.replace(members={**small.members, "time": longer}), tmp_path / "b.zarr")
    assert call("diff", "a.zarr", "b.zarr") == (1, "~ /time: shape[0]: 48 -> 96\n", UNREAD)
    assert call("diff", "a.zarr::time", "b.zarr::time") == (1, "~ /: shape[0]: 48 -> 96\n", "")


def test_diff_reads_standard_input_once(call):
    message = "standard input can be read only once; name a file or a store for A or B"
    assert call("diff", "-", "-") == (2, "", f"zom diff: {message}\n")


# -- convert --------------------------------------------------------------------------------------------


def test_convert_takes_a_store(call, tmp_path):
    zom.materialize(v2.ArraySpec.build(shape=(4,), dtype="<i2", fill_value=None), tmp_path / "a.zarr")
    code, out, err = call("convert", "a.zarr", "--to", "v3")
    assert (code, v3.parse(out).shape) == (0, (4,))
    assert err.startswith("a.zarr: warning: fill_value: ")


@pytest.mark.parametrize(
    "verb", ["copy bad.zarr new", "migrate bad.zarr --to v2 --target new", "diff bad.zarr good.zarr"]
)
@pytest.mark.parametrize("new", ["new.zarr", "new.zip", "good.zarr"])
def test_of_two_stores_the_one_that_is_at_fault_is_told_of(call, tmp_path, verb, new):
    for name in ("bad.zarr", "good.zarr"):
        zom.materialize(v3.GroupSpec(members={"g": v3.GroupSpec()}), tmp_path / name)
    (tmp_path / "bad.zarr" / "zarr.json").write_text("{")
    before = sorted(each.name for each in tmp_path.iterdir())
    code, out, err = call(*verb.replace("new", new).split())
    assert (code, out) == (3, "")
    wanted = 'bad.zarr/zarr.json: expected a name in double quotes or "}", found the end of the text'
    assert wanted in err
    assert err.endswith("; see zom validate bad.zarr\n")
    assert "good.zarr" not in err
    assert "new" not in err
    assert sorted(each.name for each in tmp_path.iterdir()) == before
    reverse = call("diff", "good.zarr", "bad.zarr")
    assert "bad.zarr/zarr.json" in reverse[2]


@pytest.mark.skipif(os.sep == "\\", reason="backslashes lead into directories on this system")
@pytest.mark.parametrize("name", ["a\\u.zarr", "a\\1.zarr", "\\g<x>.zarr"])
def test_a_name_with_backslashes_is_told_of_as_it_is(call, small, tmp_path, name):
    zom.materialize(small, tmp_path / name)
    code, out, err = call("tree", f"{name}::nothing")
    assert (code, out) == (3, "")
    assert err.startswith(f"zom tree: {name}: ")
    interrupted = Problem(
        "plan/interrupted", "error", "/", "", (), "nothing", "a journal", "undo it with zom.repair"
    )
    told = str(command_error(ConflictError([interrupted], str(tmp_path)), name))
    assert told.endswith(f"undo it with zom repair {name}")
