"""Names that steer a terminal, end a line or turn what follows: no verb's text lets them through, and JSON has them exactly."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from verb_calls import CALLS, JSON_OF_ITS_OWN, filled, forms_of

from zom.cli.main import main
from zom.problems import one_line

BAD = "x\x1b[31m\u202e\x9b\r\u2028\U000e0041\x07\n" + "FORGED: error: line"
"""ESC, an override of direction, CSI in one character, line ends of three kinds, a tag, a bell."""
WRITERS = {"create", "copy", "migrate", "pyramid", "consolidate", "delete", "rename", "resize"}
OWN = re.compile(r"\r\x1b\[2K|\x1b\[(?:3[1-4]|0)m")


def v3_array(**members):
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": "bytes"}],
        "attributes": {},
        **members,
    }


def v3_group(**members):
    return {"zarr_format": 3, "node_type": "group", **members}


HOSTILE_NODES = {
    BAD: v3_array(attributes={BAD: BAD, "units": BAD, "coordinates": BAD}, dimension_names=[BAD]),
    "codec": v3_array(codecs=[{"name": "bytes"}, {"name": BAD, "configuration": {BAD: BAD}}]),
    "dtype": v3_array(data_type=BAD),
    "grid": v3_array(chunk_grid={"name": BAD, "configuration": {}}),
    "keys": v3_array(chunk_key_encoding={"name": BAD}),
    "fill": v3_array(fill_value=BAD),
    "more": {**v3_array(), BAD: {"must_understand": True}},
    "kind": v3_group(node_type=BAD),
    f"group{BAD}": v3_group(),
}


def write(path, document):
    path.mkdir(parents=True, exist_ok=True)
    (path / "zarr.json").write_text(json.dumps(document), encoding="utf-8")


def make_v3(root):
    """A store in which each thing that has a name has a bad one; half of the nodes can't be read."""
    write(root, v3_group(attributes={BAD: BAD, "deep": {BAD: [BAD]}, "Conventions": BAD, "coordinates": BAD}))
    for name, document in HOSTILE_NODES.items():
        write(root / name, document)
    (root / BAD / "c").mkdir()
    for key in ("c/0", f"c/{BAD}", BAD):
        (root / BAD / key).write_bytes(b"ab")
    write(root / "z" / BAD, v3_group())
    (root / "z" / BAD / "zarr.json").write_text(f'{{"a": {BAD}', encoding="utf-8")


def make_v2(root):
    root.mkdir()
    (root / ".zgroup").write_text('{"zarr_format":2}')
    (root / ".zattrs").write_text(json.dumps({BAD: BAD}))
    common = {"zarr_format": 2, "shape": [4], "chunks": [2], "order": "C", "fill_value": 0}
    plain = {**common, "dtype": "|i1", "compressor": None, "filters": None}
    for name, more in {
        BAD: {},
        "codec": {"compressor": {"id": BAD}},
        "filter": {"filters": [{"id": BAD, BAD: 1}]},
        "dtype": {"dtype": BAD},
        "fields": {"dtype": [[BAD, "<i2"], ["b", [[BAD, "<f4"]]]], "fill_value": None},
        "order": {"order": BAD},
    }.items():
        (root / name).mkdir()
        (root / name / ".zarray").write_text(json.dumps({**plain, **more}))
        (root / name / ".zattrs").write_text(json.dumps({"_ARRAY_DIMENSIONS": [BAD]}))


def document(**nodes):
    sound = v3_array(dimension_names=[BAD], attributes={BAD: BAD})
    inner = v3_group(members={f"y{BAD}": v3_array(), **nodes})
    return json.dumps(v3_group(attributes={BAD: BAD}, members={BAD: sound, "g": inner}))


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """Stores and documents with bad names, with which verbs are called."""
    if os.name == "nt":
        pytest.skip("files can't be named so on this system")
    monkeypatch.chdir(tmp_path)
    make_v3(Path(f"v3{BAD}.zarr"))
    make_v2(Path(f"v2{BAD}.zarr"))
    Path(f"sound{BAD}.json").write_text(document(), encoding="utf-8")
    Path(f"bad{BAD}.json").write_text(document(**HOSTILE_NODES), encoding="utf-8")


STORES = (f"v3{BAD}.zarr", f"v2{BAD}.zarr", f"no{BAD}", f"no{BAD}*", f"sound{BAD}.json")


def command_lines(verb, stores=STORES):
    """Calls of a verb with everything bad that it may be given, in turns."""
    sound, new = f"sound{BAD}.json", f"new{BAD}.zarr"
    for store in stores:
        names = {"place": store, "array": f"{store}::{BAD}", "document": sound, "new": new, "name": BAD}
        yield from (filled(verb, words, **names) for words in CALLS[verb])
    names = {"place": f"bad{BAD}.json", "array": f"v3{BAD}.zarr::no{BAD}", "document": f"bad{BAD}.json"}
    for words in CALLS[verb]:
        yield filled(verb, words, **names, new=f"v2{BAD}.zarr", name=BAD)
    yield from (
        [verb, BAD],
        [verb, BAD, BAD],
        [verb, sound, "--format", BAD],
        [verb, sound, "-o", f"no/{BAD}"],
    )


@pytest.mark.parametrize("verb", CALLS)
def test_text_holds_nothing_that_steers_a_terminal(hostile, capfd, verb):
    """Not in a pipe, either: it may lead to a terminal."""
    for arguments in command_lines(verb):
        capfd.readouterr()
        code = main(arguments)
        assert code in {0, 1, 2, 3}, arguments
        for shown in capfd.readouterr():
            if shown.startswith("{") or verb in {"codegen", "declare"}:
                continue  # a document: see below
            for line in shown.split("\n"):
                assert line.isprintable(), (arguments, line)
                assert not line.startswith("FORGED"), arguments


@pytest.mark.parametrize("verb", CALLS)
def test_a_terminal_gets_text_alone_in_every_format(hostile, terminals, verb):
    for arguments in command_lines(verb, STORES[:1]):
        for form in forms_of(arguments) or [None]:
            with terminals() as (out, err):
                main([*arguments, *([] if form is None else ["--format", form])])
            for shown in (out.text, err.text):
                for line in OWN.sub("", shown).split("\n"):
                    assert line.isprintable(), (arguments, form, line)


def test_generated_code_reads_as_it_runs(hostile, capfd):
    """Python and TypeScript with escapes for what an editor doesn't show, in a file, too."""
    for language in ("python", "typescript"):
        assert main(["codegen", f"sound{BAD}.json", "--lang", language, "-o", "made"]) == 0
        made = Path("made").read_text(encoding="utf-8")
        assert made.replace("\n", "").isprintable()
        assert "FORGED" in made
        if language == "python":
            spaces = {}
            exec(compile(made, "made", "exec"), spaces)
            assert set(spaces["RootMembers"].__annotations__) == {BAD, "g"}


@pytest.mark.parametrize("verb", sorted(set(CALLS) - JSON_OF_ITS_OWN - {"serve", "demo", "doctor", "rules"}))
def test_json_has_the_names_exactly(hostile, capfd, terminals, verb):
    """The same value on a terminal as in a pipe."""
    for arguments in command_lines(verb, STORES[:2]):
        if "json" not in forms_of(arguments) or "-o" in arguments or BAD in arguments[2:]:
            continue
        dry = ["--dry-run"] * (verb in WRITERS)
        capfd.readouterr()
        main([*arguments, *dry, "--format", "json"])
        plain = capfd.readouterr().out
        if not plain:
            continue  # a wrong argument
        with terminals() as (shown, _):
            main([*arguments, *dry, "--format", "json"])
        assert json.loads(shown.text) == json.loads(plain)


def test_a_name_is_the_same_in_json_as_in_the_store(hostile, capfd):
    assert main(["tree", f"sound{BAD}.json", "--format", "json"]) == 0
    paths = [node["path"] for node in json.loads(capfd.readouterr().out)["result"]]
    assert f"/{BAD}" in paths


def test_one_line_is_exact_inside_of_json():
    for character in [*map(chr, range(0x300)), "\u200d", "\u2028", "\ud800", "\U000e0041", "\U0010ffff"]:
        if character in '"\\':
            continue
        escaped = one_line(character)
        assert escaped.isprintable()
        assert json.loads(f'"{escaped}"') == character
