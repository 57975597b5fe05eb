"""Places: documents and stores, told apart by what lies there, wherever a verb takes them."""

from __future__ import annotations

import json
import os
import shutil

import pytest

import zom
from zom.cli.operand import operand_of, target_at
from zom.stores import kinds, opening
from zom.stores.kinds import StoreKind, StoreKinds

TREE = """\
/  v3 group  title="a small climate"
├── t2m   float32  (time=48, lat=181, lon=360)  chunks 24×91×180  zstd
└── time  int64    (time=48)  chunks 48  zstd
"""
NO_STORE = "expected a store, found a document; name a directory, a zip or SQLite file, or a URL"


@pytest.fixture
def stores(tmp_path, small):
    """`small` in a directory, a zip file and an SQLite file."""
    for name in ("a.zarr", "a.zip", "a.sqlite"):
        with zom.store(tmp_path / name) as store:
            zom.materialize(small, store)


@pytest.mark.usefixtures("stores")
@pytest.mark.parametrize("name", ["a.zarr", "a.zarr/", "a.zip", "a.sqlite", "./a.zip"])
def test_a_store_is_read_where_it_is_and_whatever_it_is(call, name):
    assert call("tree", name) == (0, TREE, "")


@pytest.mark.usefixtures("stores")
@pytest.mark.parametrize("kind", ["zip", "sqlite"])
def test_a_store_in_one_file_is_known_by_its_beginning(call, tmp_path, kind):
    shutil.copy(tmp_path / f"a.{kind}", tmp_path / "a.dat")
    assert call("tree", "a.dat") == (0, TREE, "")


@pytest.mark.usefixtures("stores")
@pytest.mark.parametrize("kind", ["zip", "sqlite"])
def test_a_store_of_another_package_is_its_own_whatever_its_file_begins_with(
    call, tmp_path, monkeypatch, kind
):
    class Kept(StoreKind):
        name = "kept"
        suffixes = (".kept",)

        def open(self, place, *, read_only=None, **options):
            return zom.store(tmp_path / "a.zarr", read_only=read_only)

    made = StoreKinds("zom.no-such-group")
    made.register(Kept())
    monkeypatch.setattr(kinds, "store_kinds", made)
    monkeypatch.setattr(opening, "store_kinds", made)
    shutil.copy(tmp_path / f"a.{kind}", tmp_path / "b.kept")
    with zom.store(tmp_path / "a.zarr") as store:
        store.set("only/zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
    assert "only" in call("tree", "b.kept")[1]
    assert "only" not in call("tree", f"a.{kind}")[1]


@pytest.mark.usefixtures("stores")
def test_a_file_url_is_a_path(call, tmp_path):
    assert call("tree", (tmp_path / "a.zip").as_uri()) == (0, TREE, "")
    assert call("tree", (tmp_path / "a.zarr").as_uri()) == (0, TREE, "")


@pytest.mark.usefixtures("stores")
@pytest.mark.parametrize("name", ["a.zarr::time", "a.zip::time", "a.sqlite::/time", "a.zarr/time"])
def test_a_node_in_a_store_is_named_behind_two_colons(call, name):
    assert call("tree", name) == (0, "/  v3 array  int64  (time=48)  chunks 48  zstd\n", "")


@pytest.mark.usefixtures("stores")
def test_a_file_whose_name_has_two_colons_is_that_file(call, tmp_path):
    (tmp_path / "a.zarr").rename(tmp_path / "a::time")
    assert call("tree", "a::time") == (0, TREE, "")
    assert call("tree", "a::time::time")[0] == 0


@pytest.mark.usefixtures("stores")
def test_a_node_that_is_not_there_is_told_with_what_is(call):
    text = "a.zarr: expected a node at /tim, found nothing; / is a group with 't2m', 'time'; did you mean 'time' or 't2m'?"
    assert call("tree", "a.zarr::tim") == (3, "", f"zom tree: {text}\n")


@pytest.mark.usefixtures("stores")
def test_a_node_path_that_is_none_is_wrong_usage(call):
    text = "'a//b': expected a node path such as '/image/0', found an empty name in it; name a node as STORE::a/b"
    assert call("tree", "a.zarr::a//b") == (2, "", f"zom tree: {text}\n")


def test_a_url_is_not_cut_at_the_colons_of_its_address():
    assert operand_of("http://[::1]:8000/a.zarr::t").path == "t"
    assert operand_of("http://[::1]:8000/a.zarr").path == ""


def test_a_document_has_no_nodes_behind_two_colons(call, document):
    text = "a.json::t2m: a.json is a document, not a store; name it without ::t2m"
    assert call("tree", f"{document}::t2m") == (2, "", f"zom tree: {text}\n")


@pytest.mark.parametrize("name", ["-", "a.json"])
def test_a_document_is_no_store(call, document, name):
    del document
    assert call("read", name) == (3, "", f"zom read: {name}: {NO_STORE}\n")


def test_a_document_in_a_pipe_is_read_once(call, tmp_path, small):
    """As of `zom tree <(...)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.fork()
    if not writer:
        pipe.write_text(small.to_json())
        os._exit(0)
    assert call("tree", "pipe") == (0, TREE, "")
    os.waitpid(writer, 0)


# -- what is no hierarchy -------------------------------------------------------------------------------


def test_a_directory_without_zarr_is_told_with_what_is_in_it(call, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "one.tex").write_text("")
    text = "thesis: expected a node at /, found no document at the path; the store contains 'one.tex'"
    hint = "name a place that holds Zarr documents, such as zarr.json, .zgroup or .zarray"
    assert call("tree", "thesis") == (3, "", f"zom tree: {text}; {hint}\n")


def test_a_file_that_is_no_zip_file_is_told(call, tmp_path):
    (tmp_path / "a.zip").write_text("hello")
    text = "a.zip: cannot open: not a complete zip file: file is not a zip file; check that the place is right, and the data complete"
    assert call("tree", "a.zip") == (3, "", f"zom tree: {text}\n")


def test_a_file_that_is_no_document_is_told(call, tmp_path):
    (tmp_path / "a.json").write_bytes(b"\x00\x01")
    code, out, err = call("tree", "a.json")
    assert (code, out) == (3, "")
    assert err.startswith("zom tree: a.json: expected ")
    assert err.endswith("; see zom validate a.json\n")


def test_broken_json_in_a_store_is_told_with_its_place(call, tmp_path, small):
    zom.materialize(small, tmp_path / "a.zarr")
    (tmp_path / "a.zarr" / "time" / "zarr.json").write_text('{"zarr_format": 3,\n "shape": [4,]}')
    text = 'expected a value, found "]" after a comma (line 2, column 14); remove the comma'
    code, out, err = call("tree", "a.zarr")
    assert (code, err) == (1, "")
    assert f"time  cannot be read: {text}\n" in out
    code, out, err = call("read", "a.zarr")
    assert (code, out) == (3, "")
    assert err == f"zom read: a.zarr/time/zarr.json: /time: {text}; see zom validate a.zarr\n"


def test_broken_json_on_standard_input_is_told_with_what_shows_more(call):
    code, out, err = call("tree", "-", stdin=b"{")
    assert (code, out) == (3, "")
    assert err.startswith("zom tree: standard input: expected ")
    assert err.endswith("; see zom validate -\n")


def test_an_unknown_scheme_is_told_with_those_that_are_known(call):
    code, out, err = call("tree", "ftp://example.org/a")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith(
        "zom tree: ftp://example.org/a: cannot open: unknown scheme 'ftp'; known are az, file, "
    )


@pytest.mark.slow
def test_what_is_secret_in_a_url_is_not_shown(call):
    text = "http://127.0.0.1:9/a: cannot read 't/zarr.json' of /t: connection refused"
    code, out, err = call("tree", "http://me:secret@127.0.0.1:9/a::t")
    assert (code, out, err.partition(";")[0]) == (3, "", f"zom tree: {text}")
    place = operand_of("http://me:secret@127.0.0.1:9/a?sig=secret::t")
    assert place.name == "http://127.0.0.1:9/a::t"
    assert "secret" not in repr(place)


def test_a_url_that_has_lost_a_slash_is_no_path(call):
    text = "s3:/bucket: cannot open: expected s3:// and two slashes; a Path drops one, pass the URL as text"
    assert call("tree", "s3:/bucket") == (3, "", f"zom tree: {text}\n")


@pytest.mark.slow
def test_a_server_that_can_not_be_reached_is_told(call):
    text = "http://127.0.0.1:9/a: cannot read 'zarr.json' of /: connection refused"
    hint = "check that the address is right and reachable, and that you have access"
    assert call("tree", "http://127.0.0.1:9/a") == (3, "", f"zom tree: {text}; {hint}\n")


def test_a_store_that_may_not_be_read_is_told(call, tmp_path, small, nobody):
    zom.materialize(small, tmp_path / "a.zarr")
    call("tree", "a.zarr")  # what is imported on first use may lie where nobody else may read
    (tmp_path / "a.zarr" / "zarr.json").chmod(0)
    with nobody():
        code, out, err = call("tree", "a.zarr")
        found = call("read", "a.zarr")
    assert (code, err) == (1, "")
    assert out.startswith(
        "/  v3 group  cannot be read: expected a document that can be read, found permission denied; "
        "check the permissions of it and of the directories above it\n├── "
    )
    text = "a.zarr: cannot read 'zarr.json' of /: permission denied; check the permissions of it and of the directories above it"
    assert found == (3, "", f"zom read: {text}\n")


def test_a_document_that_may_not_be_read_is_told(call, tmp_path, document, nobody):
    call("tree", document)
    (tmp_path / document).chmod(0)
    with nobody():
        found = call("tree", document)
    assert found == (3, "", "zom tree: a.json: can't be read: permission denied; name another file\n")


# -- targets --------------------------------------------------------------------------------------------


def test_a_target_may_be_new():
    assert target_at("new.zarr::a/b").path == "a/b"
    assert not target_at("new.zarr").exists


def test_memory_is_no_target(call, document):
    text = "memory://a: a memory store is lost when the command ends; name a directory or a file"
    assert call("create", document, "memory://a") == (2, "", f"zom create: {text}\n")


def test_a_document_is_no_target(call, document):
    text = "a.json: is a file, not a store; name a new place"
    assert call("create", document, document) == (3, "", f"zom create: {text}\n")
    assert call("create", document, "-")[0] == 2


def test_a_store_on_the_web_is_no_target(call, document):
    text = "http://127.0.0.1:9/a: cannot open for writing: the store is read-only; open it for writing, or choose a writable store"
    assert call("create", document, "http://127.0.0.1:9/a") == (3, "", f"zom create: {text}\n")


@pytest.mark.slow
def test_the_module_is_the_command(process, small):
    done = process(
        "tree", "-", input=small.to_json().encode(), env={**os.environ, "PYTHONIOENCODING": "utf-8"}
    )
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, TREE, b"")


@pytest.mark.parametrize("version", [0, 1])
def test_references_are_a_store_in_a_document(call, tmp_path, version):
    array = zom.create_array(tmp_path / "a.zarr", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "x")
    array[:] = [1, 2, 3, 4]
    refs = {key: [f"a.zarr/{key}"] for key in array.store.list()}
    (tmp_path / "refs.json").write_text(json.dumps({"version": 1, "refs": refs} if version else refs))
    assert call("tree", "refs.json::x") == (0, "/  v3 array  int8  (4)  chunks 4  zstd\n", "")
    assert call("validate", "refs.json", "--data", "all")[0] == 0
    assert call("diff", "refs.json", "a.zarr")[0] == 0
    assert call("copy", "refs.json", "copied.zarr")[0] == 0
    assert zom.open(tmp_path / "copied.zarr")["x"][:].tolist() == [1, 2, 3, 4]
    code, _, error = call("create", "copied.zarr", "refs.json::y")
    assert code != 0
    assert "read-only" in error


def test_a_name_that_looks_like_an_option_is_told_how_to_write(call, tmp_path):
    zom.save(tmp_path / "-x.zarr", a=[1, 2])
    told = "zom tree: '{}' looks like an option; to name the file, write './{}'; see zom tree --help\n"
    for name in ("-x.zarr", "-x.zarr::a"):
        assert call("tree", name) == (2, "", told.format(name, name))
        code, shown, _ = call("tree", f"./{name}")
        assert (code, call("tree", "--", name)) == (0, (0, shown, ""))
    assert call("tree", "-y.zarr")[0] == 2
