"""`zom validate` of many places: patterns, lists, directories of stores, several processes, places that fail."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import zom
from zom import v3
from zom.cli.outcome import CommandError

GROUP = v3.GroupSpec(attributes={"a": 1})
WRONG = {"zarr_format": 3, "node_type": "grp"}
TWO = "2 stores: no problems; no convention was found\n"


@pytest.fixture
def stores(tmp_path):
    """Two stores in directories of their own, beside what is none."""
    for name in ("d/one/a.zarr", "d/two/b"):
        zom.materialize(GROUP, tmp_path / name)
    (tmp_path / "d" / ".hidden").mkdir()
    (tmp_path / "d" / ".hidden" / "zarr.json").write_text("oops")
    (tmp_path / "d" / "readme.txt").write_text("two stores")
    return tmp_path / "d"


def subjects(out):
    return [each["subject"] for each in json.loads(out)["result"]]


# -- what is named ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["d", "d/", "d/*", "d/*/*", "d/**/[ab]*"])
def test_directories_and_patterns_name_the_stores_below(call, stores, place):
    assert stores.is_dir()
    found = subjects(call("validate", place, "--format", "json")[1])
    if place == "d/*":  # readme.txt is a document, and none of Zarr
        found.remove("d/readme.txt")
    assert found == ["d/one/a.zarr", "d/two/b"]


@pytest.mark.parametrize("place", ["", "/", "/*/*", "/**/[ab]*", "/[ot]*/[ab]*"])
def test_prefixes_and_patterns_of_urls_name_the_stores_below(call, stores, place):
    url = stores.as_uri()
    code, out, err = call("validate", f"{url}{place}", "--format", "json")
    assert (code, err) == (0, TWO)
    assert subjects(out) == [f"{url}/one/a.zarr", f"{url}/two/b"]


@pytest.mark.parametrize("place", ["d", "d/", "d/**/[ab]*", "**/b/../../*/[ab]*", "{url}", "{url}/**/[ab]*"])
def test_links_to_directories_above_lead_nowhere(call, stores, place):
    for link, target in {"up": ".", "one/up": "..", "two/one": "../one", "one/two": "../two"}.items():
        (stores / link).symlink_to(target)
    url = stores.as_uri()
    found = subjects(call("validate", place.format(url=url), "--format", "json")[1])
    assert {Path(each.removeprefix("file://")).resolve() for each in found} == {
        stores / "one/a.zarr",
        stores / "two/b",
    }
    assert len(found) <= 4


def test_a_directory_that_may_not_be_searched_is_a_finding_and_the_others_are(call, stores, nobody):
    call("validate", "d/one/a.zarr")  # what is imported on first use may lie where nobody else may read
    (stores / "lost+found").mkdir(mode=0)
    with nobody():
        code, out, _ = call("validate", "d", "--format", "json")
    assert code == 3
    assert subjects(out) == ["d/lost+found", "d/one/a.zarr", "d/two/b"]


def test_a_place_that_several_names_lead_to_is_validated_once(call, stores):
    url = stores.as_uri()
    names = ["d/two/b", "d/", "./d/two/b", "d//two/b/", "d/*/*", f"{url}/two/b", f"{url}/*/b", "none", "none"]
    code, out, _ = call("validate", *names, "--format", "json")
    assert code == 3
    assert subjects(out) == ["d/two/b", "d/one/a.zarr", f"{url}/two/b", "none"]


def test_a_store_in_one_file_below_a_directory_is_found(call, tmp_path):
    (tmp_path / "d").mkdir()
    zom.materialize(GROUP, tmp_path / "d" / "c.zarr.zip").store.close()
    assert subjects(call("validate", "d", "--format", "json")[1]) == ["d/c.zarr.zip"]


def test_a_directory_that_is_called_a_store_is_not_searched(call, tmp_path):
    zom.materialize(GROUP, tmp_path / "a.zarr" / "inner")
    zom.materialize(GROUP, tmp_path / "b" / "inner")
    assert subjects(call("validate", "a.zarr", "b", "--format", "json")[1]) == ["a.zarr", "b/inner"]


@pytest.mark.parametrize("text", [b"# all\nd/one/a.zarr\n\n  d/two/b\r\n", b"d/one/a.zarr\0d/two/b\0"])
@pytest.mark.parametrize("file", ["list", "-"])
def test_a_file_lists_places(call, stores, text, file):
    (stores.parent / "list").write_bytes(text)
    assert call("validate", "--from-file", file, stdin=text) == (0, "", TWO)


def test_an_empty_list_is_no_mistake(call, tmp_path):
    (tmp_path / "list").write_bytes(b"")
    assert call("validate", "--from-file", "list") == (0, "", "no places: no problems\n")


def test_without_a_place_the_command_is_called_wrongly(call):
    message = "expected a place; name a document or a store, or give --from-file"
    assert call("validate") == (2, "", f"zom validate: {message}\n")


def test_a_list_that_is_missing_is_told(call):
    assert call("validate", "--from-file", "nowhere") == (
        3,
        "",
        (
            "zom validate: --from-file: nowhere: cannot be read: no such file or directory; name a file of places, or - "
            "for standard input\n"
        ),
    )


@pytest.mark.parametrize("more", [["--from-file", "-"], ["--like", "-"], ["-"]])
def test_standard_input_is_read_once(call, more):
    code, out, err = call("validate", "-", *more, stdin=b"{}")
    assert (code, out) == (2, "")
    assert err == (
        "zom validate: standard input can be read only once; name - for one of the places, --from-file and --like\n"
    )


def test_files_lead_to_the_stores_around_them(call, stores, tmp_path):
    zom.materialize(v3.GroupSpec(members={"g": GROUP}), tmp_path / "c.zarr")
    (tmp_path / "spec.json").write_text(GROUP.to_json())
    files = ["c.zarr/g/zarr.json", "c.zarr/zarr.json", stores / "two" / "b" / "zarr.json", "spec.json"]
    code, out, _ = call("validate", "--enclosing", *files, "--format", "json")
    assert (code, subjects(out)) == (0, ["c.zarr", str(stores / "two" / "b"), "spec.json"])


# -- what can't be opened --------------------------------------------------------------------------------


@pytest.fixture
def broken(stores):
    """A place of each kind that can't be opened."""
    (stores.parent / "empty.zarr").mkdir()
    (stores.parent / "x.zip").write_bytes(b"no zip")
    return ("empty.zarr", "nowhere.json", "no*match", "x.zip", "d/two/b::missing", "ftp://host/a.zarr")


def test_places_that_cannot_be_opened_are_findings_and_the_others_are_validated(call, broken):
    code, out, err = call("validate", broken[0], "d/one/a.zarr", *broken[1:], "d/two/b")
    assert code == 3
    assert [line.partition(": ")[0] for line in out.splitlines()] == list(broken)
    assert all(line.endswith("[place/unreadable]") for line in out.splitlines())
    assert err == "2 stores and 6 unreadable places: 6 errors; no convention was found\n"


def test_such_a_finding_says_what_was_expected_and_found_and_what_to_do(call, stores):
    assert stores.is_dir()
    _, out, _ = call("validate", "no*match", "nowhere", "d/two/b::missing")
    assert out.splitlines() == [
        (
            "no*match: error: expected a document or a store that can be read, found no path matches this pattern; name "
            "a store [place/unreadable]"
        ),
        (
            "nowhere: error: expected a document or a store that can be read, found no such file or directory; name a "
            "document, a store, or - for standard input [place/unreadable]"
        ),
        (
            "d/two/b::missing: error: expected a node at /missing, found nothing; / is a group without members "
            "[place/unreadable]"
        ),
    ]


def test_every_format_has_such_findings(call, broken):
    places = (*broken, "d/one/a.zarr")
    (run,) = json.loads(call("validate", *places, "--format", "sarif")[1])["runs"]
    assert [each["id"] for each in run["tool"]["driver"]["rules"]] == ["place/unreadable"]
    assert len(run["results"]) == 6
    root = ET.fromstring(call("validate", *places, "--format", "junit")[1])
    assert (root.get("tests"), root.get("failures")) == ("7", "6")
    assert call("validate", *places, "--format", "github")[1].count("::error file=") == 6
    lines = call("validate", *places, "--format", "jsonl")[1].splitlines()
    assert [json.loads(line)["type"] for line in lines].count("summary") == 7
    html = call("validate", *places, "--format", "html")[1]
    assert "nowhere.json" in html


def test_other_formats_are_written_beside_the_one_that_is_printed(call, broken, tmp_path):
    printed = call(
        "validate", *broken, "--format", "github", "--also", "sarif=a.sarif", "--also", "text=a.txt"
    )
    for form, file in (("sarif", "a.sarif"), ("text", "a.txt")):
        assert (tmp_path / file).read_text() == call("validate", *broken, "--format", form)[1]
    assert printed == call("validate", *broken, "--format", "github")


@pytest.mark.parametrize("wrong", ["a.sarif", "sarif=", "csv=a"])
def test_another_format_has_a_file(call, wrong):
    code, out, err = call("validate", "a", "--also", wrong)
    assert (code, out) == (2, "")
    assert (
        "argument --also: expected FORMAT=FILE, a format among text, json, jsonl, sarif, junit, github, html, "
        f"found {wrong!r}" in err
    )


def test_a_suppressed_one_still_fails(call, broken):
    code, out, err = call("validate", broken[0], "--suppress", "place/*")
    assert (code, out, err) == (3, "", "1 unreadable place: no problems, 1 suppressed\n")


def test_a_wrong_use_ends_the_command(call, tmp_path):
    (tmp_path / "a.json").write_text(GROUP.to_json())
    code, _, err = call("validate", "a.json::t", "nowhere")
    assert (code, err) == (
        2,
        "zom validate: a.json::t: a.json is a document, not a store; name it without ::t\n",
    )


# -- several processes -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [0, 2])
def test_several_processes_say_what_one_says(call, stores, tmp_path, jobs):
    (tmp_path / "wrong.json").write_text(json.dumps(WRONG))
    places = ["d", "wrong.json", "nowhere", stores / "one" / "a.zarr"]
    alone = call("validate", *places, "--format", "json")
    assert alone[0] == 3
    assert call("validate", *places, "--format", "json", "--jobs", jobs) == alone


@pytest.mark.slow
def test_an_error_in_a_process_is_told_as_in_this_one(call, stores, tmp_path):
    (tmp_path / ".zattrs").write_text("{}")
    (tmp_path / "like.json").write_text(GROUP.to_json())
    arguments = ("validate", "d", ".zattrs", "--like", "like.json")
    assert call(*arguments, "--jobs", 2)[::2] == call(*arguments)[::2]
    assert call(*arguments)[0] == 2


def test_an_error_of_the_command_passes_between_processes():
    import pickle

    error = pickle.loads(pickle.dumps(CommandError("no such rule", 2)))
    assert (str(error), error.code) == ("no such rule", 2)


def test_a_process_that_is_killed_is_told(monkeypatch, call, stores):
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    def killed(*_):
        future = Future()
        future.set_exception(BrokenProcessPool("killed"))
        return future

    monkeypatch.setattr(ProcessPoolExecutor, "submit", killed)
    code, out, err = call("validate", "d", "--jobs", 2)
    assert (code, out) == (3, "")
    assert err == (
        f"zom validate: {Path('d/one/a.zarr')}: a process ended before it reported, possibly out of memory; use "
        "fewer --jobs\n"
    )
    assert stores.is_dir()


# --- the table of standard names --------------------------------------------------------------------------

TABLE = "<t><entry id='air_temperature'><canonical_units>K</canonical_units></entry></t>"


@pytest.fixture
def climate(tmp_path):
    """A dataset of CF with a standard name that is none, and the table."""
    variable = v3.ArraySpec.build(
        shape=(), dtype="int8", attributes={"standard_name": "air_temp", "units": "K"}
    )
    spec = v3.GroupSpec(attributes={"Conventions": "CF-1.11"}, members={"t": variable})
    (tmp_path / "climate.json").write_text(spec.to_json())
    (tmp_path / "table.xml").write_text(TABLE)
    return "climate.json"


@pytest.mark.parametrize("asked", [[], ["--convention", "cf"]])
def test_standard_names_are_looked_up_in_a_table_that_is_given(call, climate, asked, monkeypatch):
    from zom.conventions import conventions

    monkeypatch.setattr(conventions, "_all", list(conventions))
    monkeypatch.setattr(conventions, "_by_name", dict(conventions._by_name))
    known = "[cf-standard-names/known]"
    assert known not in call("validate", climate, *asked)[1]
    code, out, _ = call("validate", climate, *asked, "--standard-names", "table.xml")
    assert (code, out.count(known)) == (1, 1)
    assert "did you mean 'air_temperature'?" in out


def test_a_table_that_is_none_is_told(call, climate, tmp_path):
    (tmp_path / "other.xml").write_text("<a/>")
    for name, why in (
        (
            "no.xml",
            "cannot be read: no such file or directory; name CF's file cf-standard-name-table.xml",
        ),
        ("other.xml", "expected a standard name table, found no entry with a name"),
    ):
        message = f"zom validate: --standard-names: {name}: {why}\n"
        assert call("validate", climate, "--standard-names", name) == (3, "", message)
