"""What is no store, or no sound one, whatever its name: one message and the right code, and nothing is changed by reading."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from verb_calls import CALLS, JSON_OF_ITS_OWN, NAMES, filled, forms_of

import zom
from zom.cli.main import main

WITHOUT_PLACE = {"demo", "explain", "rules", "doctor", "completion", "serve"}
"""Verbs that read no store, and the one that does not end."""
READERS = {
    "tree",
    "info",
    "stats",
    "read",
    "validate",
    "diff",
    "declare",
    "convert",
    "dingus",
    "schema",
    "codegen",
}
"""Verbs that end with an error where nothing can be read; of others, some need only the keys that are there."""


def text(name, content):
    return name, lambda path: path.write_bytes(content)


def node(content):
    def make(path):
        path.mkdir()
        (path / "zarr.json").write_bytes(content)

    return "x.zarr", make


def cut_zip(path):
    made = Path(shutil.make_archive("whole", "zip", "a.zarr")).read_bytes()
    path.write_bytes(made[: len(made) // 2])


def keys_without_nodes(path):
    path.mkdir()
    (path / "readme.txt").write_text("no Zarr here")


def document_is_a_directory(path):
    (path / "zarr.json").mkdir(parents=True)


UNREADABLE = {
    "a picture": text("x.zarr", b"\x89PNG\r\n\x1a\n" + bytes(100)),
    "no bytes": text("x.zarr", b""),
    "prose": text("x.json", b"hello world\n"),
    "other encodings": text("x.json", b"\xff\xfe\x00bin"),
    "a number": text("x.json", b"3"),
    "an empty object": text("x.json", b"{}"),
    "very deep": text("x.json", b"[" * 100_000),
    "half a zip file": ("x.zip", cut_zip),
    "half a database": text("x.sqlite", b"SQLite format 3\0" + bytes(50)),
    "no keys": ("x.zarr", Path.mkdir),
    "other keys": ("x.zarr", keys_without_nodes),
    "half a document": node(b'{"zarr_format": 3, "node_ty'),
    "a document of a number": node(b"3"),
    "a document of null": node(b"null"),
    "an empty document": node(b""),
    "a document of NUL": node(bytes(8)),
    "a directory for a document": ("x.zarr", document_is_a_directory),
    "an unknown format": node(b'{"zarr_format": 4, "node_type": "group"}'),
    "nowhere": ("x.zarr", lambda _: None),
    "no name": ("", lambda _: None),
    "a name too long": ("x" * 5000, lambda _: None),
    "a name with NUL": ("x\0y", lambda _: None),
    "an unknown scheme": ("foo://x/y.zarr", lambda _: None),
}
"""What can't be read as a store or a document, by name: the path, and what makes it."""
if hasattr(os, "symlink"):
    UNREADABLE["a link to itself"] = ("x.zarr", lambda path: path.symlink_to(path))

READABLE = {
    "Japanese": "\u65e5\u672c \U0001f600.zarr",
    "right to left": "\u05e9\u05dc\u05d5\u05dd.zarr",
    "combined": "e\u0301.zarr",
    "a space at the end": "x ",
    "a colon": "a:b.zarr",
    "a percent sign": "a%20b#c?d.zarr",
    "brackets": "x[1]*.zarr",
}
"""Names of sound stores."""
if sys.platform == "linux":
    READABLE["half a character"] = os.fsdecode(b"x\xff.zarr")


def command_lines(path):
    """Each call of a verb with `path` in the place of a store or a document, in each of its forms."""
    for verb, found in CALLS.items():
        if verb in WITHOUT_PLACE:
            continue
        for words in found:
            for part in ("place", "document"):
                if f"{{{part}}}" not in words and (part == "document" or "{array}" not in words):
                    continue
                names = {**NAMES, part: path}
                if part == "place":
                    names["array"] = f"{path}::time"
                arguments = filled(verb, words, **names)
                yield arguments, None
                if verb not in JSON_OF_ITS_OWN:
                    yield [*arguments, "--format", "json"], "json"
                if "html" in forms_of(arguments):
                    yield [*arguments, "--format", "html"], "html"


def called(capfd, arguments):
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    out, err = capfd.readouterr()
    return code, out, err


def kept(root):
    return {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_told_in_one_message(tmp_path, monkeypatch, capfd, small, name):
    path, make = UNREADABLE[name]
    for number, (arguments, form) in enumerate(command_lines(path)):
        here = tmp_path / str(number)
        here.mkdir()
        monkeypatch.chdir(here)
        (here / "a.json").write_text(small.to_json(), encoding="utf-8")
        zom.materialize(small, "a.zarr")["time"][:24] = 1
        make(Path(path))
        before = kept(here)
        code, out, err = called(capfd, arguments)
        assert code in {0, 1, 2, 3}, (arguments, err)
        assert "Traceback" not in err, (arguments, err)
        if form == "json" and code != 2:
            assert json.loads(out)["exit_code"] == code, arguments
        if code in {2, 3}:
            told = [line for line in err.splitlines() if line]
            assert len(told) == 1, (arguments, err)
            # A place that can't be read is a finding of `validate`, beside those of others.
            starts = ("zom ", "1 unreadable place") if arguments[0] == "validate" else "zom "
            assert told[0].startswith(starts), (arguments, err)
            assert kept(here) == before, arguments
        elif code == 1:
            assert out.strip() or err.strip(), arguments
        elif arguments[0] in READERS - {"dingus"}:  # that tells it as its answer
            pytest.fail(f"{arguments} took it for sound: {out[:200]}")


@pytest.mark.slow
@pytest.mark.parametrize("name", READABLE)
def test_a_sound_store_may_have_any_name(tmp_path, monkeypatch, capfd, small, name):
    path = READABLE[name]
    expected = {}
    for store in ("plain.zarr", path):
        for number, (arguments, form) in enumerate(command_lines(store)):
            here = tmp_path / f"{store == path}{number}"
            here.mkdir()
            monkeypatch.chdir(here)
            (here / "a.json").write_text(small.to_json(), encoding="utf-8")
            zom.materialize(small, "a.zarr")["time"][:24] = 1
            zom.materialize(small, store)["time"][:24] = 1
            code, out, err = called(capfd, arguments)
            assert "Traceback" not in err, (arguments, err)
            assert expected.setdefault(number, code) == code, (arguments, err)
            if form == "json" and code != 2:
                assert json.loads(out)["exit_code"] == code, arguments


LONG = ("y" * 300, "y" * 300 + ".json", "y" * 300 + ".zip", "a.zarr/" + "y" * 300, "y/" * 2500)


@pytest.mark.parametrize("verb", ["tree", "stats", "validate", "dingus zarr", "copy"])
@pytest.mark.parametrize("path", LONG, ids=["directory", "document", "zip file", "inside", "path"])
def test_a_name_that_no_file_can_have_is_told_of(tmp_path, monkeypatch, capfd, small, verb, path):
    monkeypatch.chdir(tmp_path)
    zom.materialize(small, "a.zarr")
    code, _, err = called(capfd, [*verb.split(), path, *(["b.zarr"] if verb == "copy" else [])])
    assert code in {1, 2, 3}, err
    assert "internal error" not in err


@pytest.mark.parametrize("verb", ["tree", "stats", "validate", "dingus zarr", "copy"])
@pytest.mark.parametrize("name", ["a.zarr", "a.json", "a.zip", "a.h5", "a.zarr/time"])
def test_what_nobody_may_look_at_is_told_of(tmp_path, monkeypatch, capfd, verb, name):
    """As of a directory that may not be searched: an administrator's process may, so the system's answer is made here."""
    monkeypatch.chdir(tmp_path)
    refuse = PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    def refused(original):
        def look(path, *arguments, **options):
            if isinstance(path, (str, os.PathLike)) and "closed" in str(path):
                raise refuse
            return original(path, *arguments, **options)

        return look

    for function in ("stat", "lstat", "open", "scandir", "listdir"):
        monkeypatch.setattr(os, function, refused(getattr(os, function)))
    monkeypatch.setattr("builtins.open", refused(open))
    monkeypatch.setattr(io, "open", refused(io.open))
    code, out, err = called(capfd, [*verb.split(), f"closed/{name}", *(["b.zarr"] if verb == "copy" else [])])
    assert code in {1, 2, 3}, err
    assert "internal error" not in err
    # A name alone says that it is a document, where a store is wanted.
    assert "ermission denied" in out + err or "expected a store, found a document" in err
