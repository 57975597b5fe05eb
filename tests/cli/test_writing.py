"""The verbs that write stores: plan, create, copy, consolidate, repair."""

from __future__ import annotations

import json
import os
import zipfile
from contextlib import suppress

import pytest

import zom
from zom import v2, v3
from zom.handles.comparing import diff
from zom.testing.faulty import FaultyStore

PLAN = """\
new.zarr: 3 to create
  + /      group  create
  + /t2m   array  create
  + /time  array  create
"""


def files(directory):
    """Every file with what it holds."""
    return {
        str(file.relative_to(directory)): file.read_bytes() for file in directory.rglob("*") if file.is_file()
    }


# -- plan -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", [["plan"], ["create", "--dry-run"]], ids=" ".join)
@pytest.mark.parametrize("name", ["new.zarr", "new.zip", "new.sqlite"])
def test_a_plan_shows_what_would_be_made_and_makes_nothing(call, tmp_path, document, verb, name):
    assert call(*verb, document, name) == (0, PLAN.replace("new.zarr", name), "")
    assert [file.name for file in tmp_path.iterdir()] == [document]


def test_a_plan_of_what_is_there_has_nothing_to_make(call, document):
    call("create", document, "a.zarr")
    assert call("plan", document, "a.zarr") == (0, "a.zarr: 3 to keep\n", "")


def test_a_plan_names_what_is_in_the_way_and_how_to_go_on(call, document, small):
    call("create", document, "a.zarr")
    other = small.replace(attributes={"title": "another"}).to_json().encode()
    code, out, err = call("plan", "-", "a.zarr", stdin=other)
    assert (code, err) == (1, "")
    assert out == (
        "a.zarr: 1 to update, 2 to keep, 1 conflict\n"
        '  ~ /  group  update attributes: attributes.title: "a small climate" -> "another"\n'
        "conflicts:\n"
        "  /: expected a group that means the same, found another: attributes.title: "
        '"a small climate" -> "another"; pass --on-conflict update to change it\n'
    )
    assert call("plan", "-", "a.zarr", "--on-conflict", "update", stdin=other)[0] == 0


def test_a_plan_counts_the_chunks_that_would_be_lost(call, document, small, tmp_path):
    call("create", document, "a.zarr")
    zom.open_group(tmp_path / "a.zarr", mode="r+")["time"][:] = 1
    other = small["time"].replace(data_type="uint8").to_json().encode()
    out = call("plan", "-", "a.zarr::time", "--on-conflict", "replace", stdin=other)[1]
    assert out.splitlines()[0] == "a.zarr /time: 1 to replace, 1 chunk to remove"


def test_a_plan_as_json_has_an_action_for_each_node(call, document):
    code, out, _ = call("plan", document, "new.zarr", "--format", "json")
    found = json.loads(out)["result"]
    assert (code, found["store"], found["problems"]) == (0, "new.zarr", [])
    assert [action["action"] for action in found["actions"]] == ["create"] * 3


def test_a_plan_for_a_directory_of_other_files_is_a_conflict(call, document, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "one.tex").write_text("")
    code, out, _ = call("plan", document, "thesis")
    assert code == 1
    assert out.splitlines()[-1] == (
        "  /: expected nothing, to make it a node, found files that are not part of a Zarr hierarchy: 'one.tex'; "
        "choose another place, or move them away"
    )


def test_the_entry_point_of_a_draft_is_not_made(call):
    text = (
        b'{"zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0", "metadata_encoding": '
        b'"https://purl.org/zarr/spec/protocol/core/3.0", "metadata_key_suffix": ".json", "extensions": []}'
    )
    code, out, err = call("plan", "-", "a.zarr", stdin=text)
    message = "is the entry point of a draft hierarchy, which zom creates itself; name a group or array"
    assert (code, out, err) == (3, "", f"zom plan: -: {message}\n")


# -- create ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["new.zarr", "new.zip", "new.sqlite", "a/b/new.zarr"])
def test_create_makes_the_hierarchy_wherever_that_is(call, small, document, name):
    assert call("create", document, name) == (0, f"{name}: 3 created\n", "")
    assert zom.read(name) == small


@pytest.mark.parametrize("name", ["new.zarr", "new.zip", "new.sqlite"])
def test_create_adds_to_what_is_there(call, small, document, name):
    call("create", document, name)
    assert call("create", document, f"{name}::more/of it") == (0, f"{name}: 4 created\n", "")
    assert zom.read(name)["more/of it"] == small


def test_create_makes_what_another_store_is(call, small, document):
    call("create", document, "a.zip")
    assert call("create", "a.zip", "b.zarr") == (0, "b.zarr: 3 created\n", "")
    assert zom.read("b.zarr") == small


def test_create_of_what_is_there_writes_nothing(call, document, tmp_path):
    call("create", document, "a.zarr")
    before = files(tmp_path)
    assert call("create", document, "a.zarr") == (0, "a.zarr: up to date; nothing was written\n", "")
    assert files(tmp_path) == before


def test_create_writes_nothing_where_something_is_in_the_way(call, document, small, tmp_path):
    call("create", document, "a.zarr")
    before = files(tmp_path)
    other = small.replace(attributes={}, members={**small.members, "new": v3.GroupSpec()}).to_json().encode()
    code, out, err = call("create", "-", "a.zarr", stdin=other)
    assert (code, err) == (1, "zom create: a.zarr: nothing was written; see --on-conflict\n")
    assert out.splitlines()[0] == "a.zarr: 1 to create, 1 to update, 2 to keep, 1 conflict"
    assert files(tmp_path) == before


def test_create_changes_replaces_and_prunes_where_that_is_asked_for(call, document, small, tmp_path):
    call("create", document, "a.zarr")
    zom.open_group(tmp_path / "a.zarr", mode="r+")["time"][:] = 1
    time = v3.ArraySpec.build(shape=(9,), dtype="uint8")
    new = small.replace(attributes={}, members={"time": time})
    options = ("--on-conflict", "replace", "--prune")
    found = call("create", "-", "a.zarr", *options, stdin=new.to_json().encode())
    assert found == (0, "a.zarr: 1 updated, 1 replaced, 1 deleted, 1 chunk removed\n", "")
    assert zom.read("a.zarr") == new


def test_create_gives_the_plan_that_was_done_as_json(call, document):
    code, out, _ = call("create", document, "a.zarr", "--format", "json")
    assert (code, len(json.loads(out)["result"]["actions"])) == (0, 3)


def test_create_shows_progress_on_standard_error_where_that_is_asked_for(call, document):
    code, out, err = call("create", document, "a.zarr", "--progress")
    assert (code, out) == (0, "a.zarr: 3 created\n")
    assert err.splitlines()[-1] == "creating: 100 % (3 of 3)"


@pytest.mark.slow
def test_create_reads_a_spec_from_a_pipe(process, small, tmp_path):
    done = process("create", "-", "a.zarr", input=small.to_json().encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"a.zarr: 3 created\n", b"")
    assert zom.read(tmp_path / "a.zarr") == small


# -- copy -----------------------------------------------------------------------------------------------


@pytest.fixture
def filled(call, document, tmp_path):
    """`small` in a.zarr, its times written."""
    call("create", document, "a.zarr")
    root = zom.open_group(tmp_path / "a.zarr", mode="r+")
    root["time"][:] = range(48)
    return root


def copied(out):
    """The first line of a report, without the sizes."""
    return out.splitlines()[0].rpartition(", ")[0]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("name", ["b.zarr", "b.zip", "b.sqlite"])
def test_copy_copies_documents_and_chunks(call, name):
    code, out, err = call("copy", "a.zarr", name)
    assert (code, err) == (0, "")
    assert copied(out) == f"a.zarr -> {name}: 2 arrays and 1 group; 1 chunk as they are"
    assert zom.open_group(name)["time"][:].tolist() == list(range(48))
    assert not diff("a.zarr", name)


@pytest.mark.usefixtures("filled")
def test_copy_rechunks_to_a_spec(call, small, tmp_path):
    time = v3.ArraySpec.build(shape=(48,), dtype="int64", chunks=(10,), dimension_names=("time",))
    code, out, _ = call(
        "copy", "a.zarr::time", "b.zarr::t", "--spec", "-", "--verify", stdin=time.to_json().encode()
    )
    assert code == 0
    assert out.startswith("a.zarr /time -> b.zarr /t: 1 array; 5 chunks encoded again, ")
    assert zom.open_array(tmp_path / "b.zarr", "t").chunks == (10,)
    assert zom.open_array(tmp_path / "b.zarr", "t")[:].tolist() == list(range(48))


@pytest.mark.usefixtures("filled")
def test_copy_says_what_it_would_do_and_makes_nothing(call, tmp_path):
    before = files(tmp_path)
    code, out, err = call("copy", "a.zarr", "b.zarr", "--dry-run")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("a.zarr -> b.zarr: 2 arrays and 1 group; ")
    assert files(tmp_path) == before
    assert not (tmp_path / "b.zarr").exists()


@pytest.mark.usefixtures("filled")
def test_copy_refuses_what_is_there(call):
    call("copy", "a.zarr", "b.zarr")
    code, out, err = call("copy", "a.zarr", "b.zarr")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("zom copy: b.zarr: /t")
    assert "--on-conflict update" in err
    assert call("copy", "a.zarr", "b.zarr", "--on-conflict", "update")[0] == 0


@pytest.mark.usefixtures("filled")
def test_copy_takes_the_nodes_that_are_selected(call):
    assert call("copy", "a.zarr", "b.zarr", "--select", "ti*", "--format", "json")[0] == 0
    assert [path for path, _ in zom.read("b.zarr").walk()] == ["/", "/time"]


@pytest.mark.usefixtures("filled")
def test_copy_into_itself_is_refused(call):
    code, out, err = call("copy", "a.zarr", "a.zarr::inner")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith("zom copy: a.zarr")


@pytest.mark.usefixtures("filled")
def test_copy_of_a_document_is_refused(call, document):
    message = "a.json: expected a store, found a document; name a directory, a zip or SQLite file, or a URL"
    assert call("copy", document, "b.zarr") == (3, "", f"zom copy: {message}\n")


def test_copy_by_no_threads_is_wrong_usage(call):
    message = "argument --jobs: expected a number of threads, 1 or more, found '0'; see zom copy --help"
    assert call("copy", "a", "b", "--jobs", "0") == (2, "", f"zom copy: {message}\n")


def test_copy_names_a_damaged_chunk(call, filled, tmp_path):
    del filled
    (tmp_path / "a.zarr" / "time" / "c" / "0").write_bytes(b"not a chunk, but long enough to be one")
    time = v3.ArraySpec.build(shape=(48,), dtype="int64", chunks=(10,), dimension_names=("time",))
    code, out, err = call("copy", "a.zarr::time", "b.zarr", "--spec", "-", stdin=time.to_json().encode())
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "cannot decode chunk 'time/c/0' of /time: " in err
    assert not (tmp_path / "b.zarr" / "zarr.json").exists()


# -- consolidate ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("filled")
def test_consolidate_writes_drops_and_says_so(call, tmp_path):
    said = "a.zarr: consolidated metadata:"
    before = files(tmp_path)
    assert call("consolidate", "a.zarr", "--dry-run") == (0, f"{said} would be written\n", "")
    assert files(tmp_path) == before
    assert call("consolidate", "a.zarr") == (0, f"{said} written\n", "")
    assert call("read", "a.zarr", "--consolidated", "only")[0] == 0
    assert call("consolidate", "a.zarr") == (0, f"{said} up to date; nothing was written\n", "")
    assert call("consolidate", "a.zarr", "--drop", "--dry-run") == (0, f"{said} would be removed\n", "")
    assert call("consolidate", "a.zarr", "--drop") == (0, f"{said} removed\n", "")
    assert call("consolidate", "a.zarr", "--drop") == (0, f"{said} already missing\n", "")


def test_consolidate_renews_what_is_stale_in_a_zip_file_too(call, tmp_path):
    group = v2.GroupSpec(members={"a": v2.GroupSpec(members={})})
    with zom.store(tmp_path / "a.zip") as store:
        zom.materialize(group, store)
    call("consolidate", "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip", "a") as archive:
        archive.writestr("b/.zgroup", '{"zarr_format": 2}')
    code, out, _ = call("consolidate", "a.zip", "--format", "json")
    assert (code, json.loads(out)["result"]["changed"]) == (0, True)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert "b/.zgroup" in json.loads(archive.read(".zmetadata"))["metadata"]


@pytest.mark.usefixtures("filled")
def test_consolidate_of_an_array_is_refused(call):
    code, out, err = call("consolidate", "a.zarr::time")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith("zom consolidate: a.zarr: expected a group at /time, found ")


def test_consolidate_of_nothing_is_refused(call):
    message = "nowhere: no such file or directory; name a document, a store, or - for standard input"
    assert call("consolidate", "nowhere") == (3, "", f"zom consolidate: {message}\n")


# -- repair ---------------------------------------------------------------------------------------------


@pytest.fixture
def interrupted(call, document, small, tmp_path):
    """a.zarr, in which a change of two documents counts as made, and none of them is in its place."""
    call("create", document, "a.zarr")
    new = small.map(lambda _, node: node.replace(attributes={"n": 1}))
    with zom.store(tmp_path / "a.zarr") as inner:
        for number in range(40):
            store = FaultyStore(inner, dict.fromkeys(range(number, 999), "fail"))
            with suppress(zom.StoreError):
                zom.materialize(new, store, on_conflict="update")
            journal = tmp_path / "a.zarr" / ".zom.journal"
            if journal.exists() and b'"way": "finish"' in journal.read_bytes():
                return new
            zom.repair(inner)
    raise AssertionError("no operation was the journal's")


def test_a_change_that_was_interrupted_is_told_with_what_mends_it(call, interrupted):
    del interrupted
    assert call("tree", "a.zarr")[0] == 0
    code, out, err = call("consolidate", "a.zarr")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.endswith("finish or undo it with zom repair a.zarr\n")


KEYS = "".join(f"  + {key}\n" for key in ("t2m/zarr.json", "time/zarr.json", "zarr.json"))


def test_repair_finishes_what_was_interrupted(call, interrupted):
    assert call("repair", "a.zarr", "--dry-run") == (1, f"/: to finish\n{KEYS}", "")
    assert call("repair", "a.zarr") == (0, "/: finished\n", "")
    assert zom.read("a.zarr") == interrupted
    assert call("repair", "a.zarr") == (0, "", "a.zarr: no change was interrupted\n")
    assert call("repair", "a.zarr", "--dry-run") == (0, "", "a.zarr: no change was interrupted\n")


def test_repair_gives_what_was_done_as_json(call, interrupted):
    del interrupted
    code, out, _ = call("repair", "a.zarr", "--format", "json")
    assert (code, json.loads(out)["result"]) == (0, [{"path": "/", "outcome": "finished"}])


def test_repair_asks_before_it_overwrites_what_others_wrote(call, interrupted, tmp_path):
    document = '{"zarr_format": 3, "node_type": "group", "attributes": {"theirs": 1}}'
    (tmp_path / "a.zarr" / "zarr.json").write_text(document)
    code, out, err = call("repair", "a.zarr")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "it was written after that; repair with --on-conflict replace" in err
    assert call("repair", "a.zarr", "--on-conflict", "replace") == (0, "/: finished\n", "")
    assert zom.read("a.zarr") == interrupted


@pytest.mark.skipif(os.name == "nt", reason="there are no signals on Windows")
def test_a_store_that_is_read_only_is_not_repaired(call):
    code, out, err = call("repair", "http://127.0.0.1:9/a")
    assert (code, out) == (3, "")
    assert err.endswith("the store is read-only; open it for writing, or choose a writable store\n")


# -- migrate --------------------------------------------------------------------------------------------


@pytest.fixture
def old(tmp_path):
    """A group of v2 with an array in old.zarr."""
    array = v2.ArraySpec.build(shape=(4,), dtype="<i2", chunks=(2,))
    root = zom.materialize(v2.GroupSpec(members={"a": array}), tmp_path / "old.zarr")
    root["a"][:] = [1, 2, 3, 4]


MIGRATION = """\
v2 -> v3: 2 documents written, 2 removed, the chunks of 1 array stayed
  + a/zarr.json
  + zarr.json
  - a/.zarray
  - .zgroup
"""


@pytest.mark.usefixtures("old")
def test_migrate_gives_a_store_another_format_in_place(call, tmp_path):
    before = files(tmp_path)
    code, out, err = call("migrate", "old.zarr", "--dry-run")
    assert (code, out.splitlines()[1:], err) == (0, MIGRATION.splitlines()[1:], "")
    assert files(tmp_path) == before
    assert call("migrate", "old.zarr", "--in-place") == (0, f"old.zarr: {MIGRATION}", "")
    assert zom.open_array(tmp_path / "old.zarr", "a")[:].tolist() == [1, 2, 3, 4]
    assert zom.read(tmp_path / "old.zarr").family.form == "v3"


@pytest.mark.usefixtures("old")
def test_migrate_makes_the_new_hierarchy_elsewhere(call, tmp_path):
    before = files(tmp_path / "old.zarr")
    assert call("migrate", "old.zarr", "--target", "new.zip", "--dry-run")[0] == 0
    assert not (tmp_path / "new.zip").exists()
    code, out, err = call("migrate", "old.zarr", "--target", "new.zip")
    assert (code, err) == (0, "")
    assert out.startswith("old.zarr: v2 -> v3 -> new.zip: 2 documents written, ")
    assert zom.open_array("new.zip", "a")[:].tolist() == [1, 2, 3, 4]
    assert files(tmp_path / "old.zarr") == before


@pytest.mark.usefixtures("old")
def test_migrate_of_what_has_the_format_does_nothing(call, tmp_path):
    before = files(tmp_path)
    assert call("migrate", "old.zarr", "--to", "v2", "--in-place")[0] == 0
    assert files(tmp_path) == before


def test_migrate_names_all_that_the_format_can_not_express(call, tmp_path):
    array = v3.ArraySpec.build(shape=(40,), dtype="int8", chunks=10, shards=20)
    zom.materialize(v3.GroupSpec(members={"a": array, "b": array}), tmp_path / "new.zarr")
    before = files(tmp_path)
    code, out, err = call("migrate", "new.zarr", "--to", "v2", "--in-place")
    message = "nothing was written; to change what can't be converted, use zom copy with --spec"
    assert (code, err) == (1, f"zom migrate: new.zarr: {message}\n")
    assert [line.partition(": codecs")[0] for line in out.splitlines()] == [
        "new.zarr: error: /a",
        "new.zarr: error: /b",
    ]
    assert files(tmp_path) == before


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "pass --in-place to convert the store itself, or --target to leave it unchanged"),
        (("--in-place", "--target", "new.zarr"), "expected --in-place or --target, got both"),
    ],
)
def test_migrate_in_place_must_be_asked_for(call, tmp_path, options, told):
    before = files(tmp_path)
    assert call("migrate", "old.zarr", *options) == (2, "", f"zom migrate: old.zarr: {told}\n")
    assert files(tmp_path) == before


@pytest.mark.usefixtures("old")
def test_migrate_gives_its_report_as_json(call):
    code, out, _ = call("migrate", "old.zarr", "--format", "json", "--dry-run")
    assert (code, json.loads(out)["result"]["store"]) == (0, "old.zarr")


@pytest.mark.usefixtures("old")
def test_migrate_into_a_part_of_a_store_is_wrong_usage(call):
    message = "new.zarr::a: the target of a migration must be a whole store; name it without ::a"
    assert call("migrate", "old.zarr", "--target", "new.zarr::a") == (2, "", f"zom migrate: {message}\n")


# -- delete, rename, resize -----------------------------------------------------------------------------


def test_delete_shows_its_plan_and_does_it(call, document, tmp_path):
    call("create", document, "a.zarr")
    before = files(tmp_path)
    plan = "a.zarr /time: 1 to delete\n  - /time  array  delete\n"
    assert call("delete", "a.zarr::time", "--dry-run") == (0, plan, "")
    assert files(tmp_path) == before
    assert call("delete", "a.zarr::time") == (0, "a.zarr: 1 deleted\n", "")
    assert list(zom.read(tmp_path / "a.zarr").members) == ["t2m"]
    code, out, _ = call("delete", "a.zarr::t2m", "--format", "json")
    assert (code, json.loads(out)["result"]["actions"][0]["action"]) == (0, "delete")


def test_delete_of_a_whole_store_must_be_asked_for(call, document, tmp_path):
    call("create", document, "a.zarr")
    before = files(tmp_path)
    told = "zom delete: a.zarr: name a node as a.zarr::a/b, or add --whole\n"
    assert call("delete", "a.zarr") == (2, "", told)
    told = "zom delete: a.zarr::time: --whole deletes the whole store; name it without ::time\n"
    assert call("delete", "a.zarr::time", "--whole") == (2, "", told)
    assert files(tmp_path) == before
    assert call("delete", "a.zarr", "--whole")[0] == 0
    assert not any(name.endswith("zarr.json") and name.startswith("a.zarr") for name in files(tmp_path))


def test_rename_shows_its_plan_and_does_it(call, document, tmp_path):
    call("create", document, "a.zarr")
    before = files(tmp_path)
    plan = "a.zarr: 1 to move\n  > /time  array  move (to /when)\n"
    assert call("rename", "a.zarr::time", "when", "--dry-run") == (0, plan, "")
    assert files(tmp_path) == before
    code, out, err = call("rename", "a.zarr::time", "t2m")
    assert (code, err) == (1, "zom rename: a.zarr::time: nothing was written\n")
    assert "expected nothing, to move a node there" in out
    assert call("rename", "a.zarr::time", "when") == (0, "a.zarr: 1 moved\n", "")
    assert sorted(zom.read(tmp_path / "a.zarr").members) == ["t2m", "when"]
    told = "zom rename: a.zarr: name a node as a.zarr::a/b\n"
    assert call("rename", "a.zarr", "x") == (2, "", told)


def test_resize_shows_its_plan_and_does_it(call, document, tmp_path):
    call("create", document, "a.zarr")
    before = files(tmp_path)
    array = zom.open_array(tmp_path / "a.zarr", "time")
    (length,) = array.shape
    code, out, err = call("resize", "a.zarr::time", "1", "--dry-run")
    assert (code, err) == (0, "")
    assert f"resize: shape[0]: {length} -> 1" in out
    assert files(tmp_path) == before
    assert call("resize", "a.zarr::time", "1") == (0, "a.zarr: 1 resized\n", "")
    assert zom.open_array(tmp_path / "a.zarr", "time").shape == (1,)
    told = "zom resize: a.zarr::time: expected 1 length, such as 1, found 1,2\n"
    assert call("resize", "a.zarr::time", "1,2") == (2, "", told)
    assert call("resize", "a.zarr::time", "x") == (
        2,
        "",
        "zom resize: x: expected lengths of 0 or more, such as 4,5\n",
    )


def test_the_warnings_of_a_plan_that_was_carried_out_are_told(call, tmp_path):
    group = {"zarr_format": 3, "node_type": "group"}
    (tmp_path / "names.json").write_text(json.dumps({**group, "members": {"data": group, "Data": group}}))
    code, out, err = call("create", "names.json", "a.zarr")
    assert (code, out) == (0, "a.zarr: 3 created\n")
    assert err.startswith("zom create: a.zarr: warning: /")
    assert call("rename", "a.zarr::data", "DATA")[2].startswith("zom rename: a.zarr::data: warning: /DATA: ")
