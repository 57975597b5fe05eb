"""The command: what each verb prints, and how it ends."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

import zom
from zom import v2, v3
from zom.cli.main import main, parser_of
from zom.conventions import conventions


@pytest.fixture
def call(capsys, monkeypatch, tmp_path):
    """Calls the command in an empty directory: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def process(*arguments, **options):
    command = [sys.executable, "-m", "zom", *arguments]
    return subprocess.run(command, capture_output=True, check=False, **options)


def small():
    time = v3.ArraySpec.build(shape=(48,), dtype="int64", dimension_names=("time",))
    t2m = v3.ArraySpec.build(
        shape=(48, 181, 360), dtype="float32", chunks=(24, 91, 180), dimension_names=("time", "lat", "lon")
    )
    return v3.GroupSpec(attributes={"title": "a small climate"}, members={"t2m": t2m, "time": time})


BAD = """{
  "zarr_format": 3,
  "node_type": "group",
  "members": {
    "a": {"zarr_format": 3, "node_type": "grp"},
    "a/b": {"zarr_format": 3, "node_type": "group"}
  }
}
"""
BAD_LINE = 'bad.json:5:42: error: /a: node_type: expected "group", found "grp" [v3/node-type]'


# -- the command itself -------------------------------------------------------------------------------


VERBS = [
    "demo",
    "tree",
    "info",
    "stats",
    "read",
    "validate",
    "diff",
    "declare",
    "plan",
    "create",
    "copy",
    "convert",
    "migrate",
    "pyramid",
    "consolidate",
    "delete",
    "rename",
    "resize",
    "repair",
    "checksum",
    "serve",
    "schema",
    "codegen",
    "explain",
    "rules",
    "doctor",
    "completion",
    "dingus",
]


def test_help_names_every_verb_and_the_exit_codes(call):
    code, out, err = call("--help")
    assert (code, err) == (0, "")
    verbs = re.findall(r"^    (\w+) ", out, re.MULTILINE)
    assert verbs == VERBS
    assert "exit codes: 0 success, 1 problems or differences found, 2 wrong usage" in out


def test_help_that_cannot_be_written_is_an_error(monkeypatch, capsys):
    """argparse passes over it."""

    class Full(io.StringIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

    for words in (["--help"], ["tree", "--help"], ["--version"]):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Full())
            assert main(words) == 3
        assert "standard output: cannot write: no space left on device" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_says_what_it_does(call, verb):
    code, out, err = call(verb, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: zom {verb} ")


HEAVY = (
    "asyncio concurrent dataclasses inspect json jsonschema numcodecs numpy pathlib pydantic tempfile zipfile"
)


@pytest.mark.parametrize("arguments", [["--help"], ["create", "--help"]], ids=" ".join)
def test_help_loads_neither_the_model_nor_what_it_needs(arguments):
    """The help of any verb declares all of them."""
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        # What argparse brings by itself: from Python 3.14 on dataclasses, for its colours.
        "import argparse; argparse.ArgumentParser().format_help(); before = set(sys.modules)\n"
        "from zom.cli.main import main; main(sys.argv[2:])\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules if m not in before} & set(sys.argv[1].split())),"
        "[m for m in sys.modules if m.startswith('zom.') and not m.startswith('zom.cli')], file=sys.stderr)"
    )
    # -S: what an environment's site packages load at start is not the command's.
    command = [sys.executable, "-S", "-c", code, HEAVY, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == "[] ['zom.columns', 'zom.count', 'zom.errors']\n"


def test_a_tree_is_shown_without_engine_conventions_and_codecs_of_no_array(tmp_path):
    array = v3.ArraySpec.build(shape=(4,), dtype="int8", compress="zstd")
    zom.materialize(v3.GroupSpec(members={"a": array}), tmp_path)
    code = (
        "import sys; from zom.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "tree", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert "zom.hierarchy.stored.read" in loaded
    unneeded = ("zom.engine", "zom.conventions", "zom.handles", "zom.checks", "zom.codecs.gzip", "asyncio")
    unneeded += ("zom.formats.v2.", "zom.formats.draft.", "zom.json.place")
    assert [name for name in loaded if f"{name}.".startswith(unneeded)] == []


def test_the_version_is_that_of_the_package(call):
    assert call("--version") == (0, f"zom {zom.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "zom: the following arguments are required: VERB; see zom --help"),
        (["tree"], "zom tree: the following arguments are required: PLACE; see zom tree --help"),
        (
            ["tree", "x", "--depth", "-1"],
            "zom tree: argument --depth: expected a whole number, 0 or more, found '-1'; see zom tree --help",
        ),
        (["convert", "x"], "zom convert: the following arguments are required: --to; see zom convert --help"),
    ],
)
def test_wrong_usage_is_one_line_that_says_where_to_look(call, arguments, message):
    assert call(*arguments) == (2, "", f"{message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tree", "--dept", "3", "x"], "zom tree: unknown option '--dept'; did you mean '--depth'?"),
        (["tree", "--dept"], "zom tree: unknown option '--dept'; did you mean '--depth'?"),
        (["check", "x", "--jbos=3"], "zom validate: unknown option '--jbos'; did you mean '--jobs'?"),
        (["tree", "x", "-z"], "zom tree: unknown option '-z';"),
        (["tree", "x", "b", "c"], "zom tree: unexpected argument 'b' and 1 more;"),
        (["schema", "export", "--lst"], "zom schema export: unknown option '--lst';"),
        (["schema", "list", "more"], "zom schema list: unexpected argument 'more';"),
        (["schema", "--lst", "list"], "zom schema: unknown option '--lst';"),
        (["schema", "exprt"], "zom schema: unknown verb 'exprt'; did you mean 'export'?"),
        (["tree", "x", "--format", "jso"], "zom tree: argument --format: expected one of text, json, html, found 'jso'; did you mean 'json'?"),
        (["--colr", "never", "tree", "x"], "zom: unknown option '--colr'; did you mean '--color'?"),
        (["--colr=never", "tree"], "zom: unknown option '--colr'; did you mean '--color'?"),
        (["--color", "never", "tree", "--dep"], "zom tree: unknown option '--dep'; did you mean '--depth'?"),
    ],
)  # fmt: skip
def test_an_unknown_word_is_told_by_the_verb_that_was_given_it(call, arguments, message):
    prog = message.partition(":")[0]
    assert call(*arguments) == (2, "", f"{message} see {prog} --help\n")


PARSERS = next(each.choices for each in parser_of()._actions if each.dest == "verb")
INNER = next(each.choices for each in PARSERS["schema"]._actions if isinstance(each.choices, dict))


@pytest.mark.parametrize(
    "words", [*([verb] for verb in PARSERS), *(["schema", verb] for verb in INNER)], ids=" ".join
)
def test_every_verb_tells_an_option_that_it_has_not(call, words):
    parser = PARSERS[words[0]] if len(words) == 1 else INNER[words[1]]
    expected = f"{parser.prog}: unknown option '--colour'; did you mean '--color'? see {parser.prog} --help\n"
    if words == ["schema"]:
        expected = "zom schema: the following arguments are required: VERB; see zom schema --help\n"
    assert call(*words, "--colour") == (2, "", expected)


def test_options_of_one_letter_go_together(call):
    assert call("explain", "-qq", "json/duplicate-key")[0] == 0


def test_an_unknown_verb_is_wrong_usage_and_a_near_one_is_named(call):
    assert call("validat") == (2, "", "zom: unknown verb 'validat'; did you mean 'validate'?\n")
    assert call("--debug", "q")[2].endswith("zom: unknown verb 'q'; run zom --help for the list\n")


FAULT = "zom: internal error: KeyError: 'gone'; please report it with the output of the same command with --debug\n"


def test_a_fault_of_zom_is_one_line_and_no_traceback(call, monkeypatch):
    monkeypatch.setattr("zom.cli.rules.run", lambda _: {}["gone"])
    assert call("rules") == (4, "", FAULT)


def test_the_traceback_of_a_fault_can_be_asked_for(call, monkeypatch):
    monkeypatch.setattr("zom.cli.rules.run", lambda _: {}["gone"])
    code, out, err = call("rules", "--debug")
    assert (code, out) == (4, "")
    assert err.startswith("Traceback (most recent call last):\n")
    assert err.endswith(FAULT)


def test_the_traceback_of_an_error_can_be_asked_for(call):
    line = call("tree", ".")[2]
    code, _, err = call("--debug", "tree", ".")
    assert (code, err.startswith("Traceback"), err.endswith(line)) == (3, True, True)


def test_an_interrupt_is_one_line_that_says_what_to_do(call, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("zom.cli.rules.run", interrupted)
    assert call("rules") == (130, "", "zom rules: interrupted\n")
    monkeypatch.setattr("zom.cli.delete.run", interrupted)
    said = "zom delete: interrupted; run zom repair STORE to finish or undo the interrupted change\n"
    assert call("delete", "a.zarr::b") == (130, "", said)
    monkeypatch.setattr("zom.cli.copy.run", interrupted)
    said = "zom copy: interrupted; run it again to continue or restart\n"
    assert call("copy", "a.zarr", "b.zarr") == (130, "", said)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes of Windows break otherwise")
def test_a_broken_pipe_is_silent():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "zom", "rules"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_output_without_the_characters_of_a_tree_shows_it_in_ascii(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(small().to_json())
    done = process("tree", str(file), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert b"\n`-- time  int64" in done.stdout


# -- files --------------------------------------------------------------------------------------------

GROUP = b'{"zarr_format": 3, "node_type": "group"}'
READERS = [["tree"], ["read"], ["convert", "--to", "v3"], ["diff", "-"]]


@pytest.mark.parametrize("verb", READERS, ids=lambda verb: verb[0])
def test_a_place_that_is_not_there_is_named(call, verb):
    message = "nowhere: no such file or directory; name a document, a store, or - for standard input"
    assert call(*verb, "nowhere", stdin=GROUP) == (3, "", f"zom {verb[0]}: {message}\n")


NOTHING = (
    "expected a node at /, found nothing: the store is empty; "
    "name a place that holds Zarr documents, such as zarr.json, .zgroup or .zarray"
)


@pytest.mark.parametrize("verb", READERS, ids=lambda verb: verb[0])
def test_an_empty_directory_is_no_hierarchy(call, tmp_path, verb):
    (tmp_path / "empty").mkdir()
    assert call(*verb, "empty", stdin=GROUP) == (3, "", f"zom {verb[0]}: empty: {NOTHING}\n")


def test_to_validate_a_place_that_holds_nothing_is_a_finding(call, tmp_path):
    (tmp_path / "empty").mkdir()
    code, out, err = call("validate", "empty")
    assert (code, out, err) == (
        3,
        f"empty: error: {NOTHING} [place/unreadable]\n",
        "1 unreadable place: 1 error\n",
    )


def test_a_file_name_that_can_not_be_one_is_refused(call):
    message = "a\\u0000b: can't be read: embedded null byte; name another file"
    assert call("tree", "a\0b") == (3, "", f"zom tree: {message}\n")


def test_a_document_with_errors_is_not_shown(call, tmp_path):
    (tmp_path / "bad.json").write_text(BAD)
    code, out, err = call("tree", "bad.json")
    assert (code, out) == (3, "")
    assert err.startswith("zom tree: bad.json: /a: node_type: ")
    assert err.endswith(", and 1 more; see zom validate bad.json\n")


def test_attributes_alone_are_no_hierarchy(call, tmp_path):
    (tmp_path / ".zattrs").write_text("{}")
    message = ".zattrs: attributes alone are not a node; name the .zarray or .zgroup beside it"
    assert call("tree", ".zattrs") == (3, "", f"zom tree: {message}\n")


# -- validate -----------------------------------------------------------------------------------------


def test_validate_names_file_line_and_column_of_every_problem(call, tmp_path):
    (tmp_path / "bad.json").write_text(BAD)
    code, out, err = call("validate", "bad.json")
    first, second = out.splitlines()
    assert first == BAD_LINE
    assert second.startswith("bad.json:6:12: error: /a/b: ")
    assert second.endswith("[v3/node-name]")
    assert (code, err) == (1, "1 document: 2 errors; no convention was found\n")


def test_validate_is_silent_about_a_document_without_problems(call, tmp_path):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(small().to_json())
    code, out, err = call("validate", "a.json", "b.json")
    assert (code, out) == (0, "")
    assert re.fullmatch(r"2 documents: no problems; rules of xarray: \d+ passed\n", err)


def test_validate_reads_standard_input(call):
    code, out, _ = call("validate", "-", stdin=BAD.encode())
    assert code == 1
    assert out.startswith("standard input:5:42: error: ")


def test_validate_gives_problems_as_json(call, tmp_path):
    (tmp_path / "bad.json").write_text(BAD)
    code, out, _ = call("validate", "bad.json", "--format", "json")
    (report,) = json.loads(out)["result"]
    assert code == 1
    assert [(each["file"], each["line"], each["code"]) for each in report["findings"]] == [
        ("bad.json", 5, "v3/node-type"),
        ("bad.json", 6, "v3/node-name"),
    ]


def test_validate_of_a_text_that_is_not_json_says_where_it_ends(call):
    code, out, _ = call("validate", "-", stdin=b'{"a": [1,]}')
    assert code == 1
    assert out == (
        'standard input:1:10: error: expected a value, found "]" after a comma; remove the comma [json/syntax]\n'
    )


def test_validate_fails_for_errors_only(call):
    text = b'{"zarr_format": 3, "node_type": "group", "node_type": "group"}'
    code, out, err = call("validate", "-", "--level", "lenient", stdin=text)
    assert code == 0
    assert "warning: " in out
    assert err == "1 document: 1 warning; no convention was found\n"
    assert call("validate", "-", stdin=text)[0] == 1


def test_validate_checks_names_at_the_level_closed(call):
    document = v3.ArraySpec.build(shape=(4,), dtype="uint8").to_dict()
    document["codecs"].append({"name": "house-codec"})
    text = json.dumps(document).encode()
    assert call("validate", "-", stdin=text)[0] == 0
    code, out, _ = call("validate", "-", "--level", "closed", stdin=text)
    assert code == 1
    assert out.endswith("[codec/unknown]\n")


def test_validate_reads_the_documents_of_a_v2_store(call, tmp_path):
    spec = v2.ArraySpec.build(shape=(4,), dtype="<i2", attributes={"a": 1})
    for name, document in spec.to_documents().items():
        (tmp_path / name).write_text(json.dumps(document, indent=1))
    assert call("validate", ".zarray", ".zattrs") == (
        0,
        "",
        "2 documents: no problems; no convention was found\n",
    )
    (tmp_path / ".zattrs").write_text("[1]")
    code, out, _ = call("validate", ".zattrs")
    assert code == 1
    assert out.startswith(".zattrs:1:1: error: ")


def test_validate_looks_into_consolidated_metadata_of_v2(call, tmp_path):
    array = v2.ArraySpec.build(shape=(4,), dtype="<i2", attributes={"a": 1})
    document = v2.GroupSpec(members={"a": array}).to_consolidated()
    (tmp_path / ".zmetadata").write_text(json.dumps(document, indent=1))
    assert call("validate", ".zmetadata")[0] == 0
    document["metadata"]["a/.zarray"]["order"] = "X"
    text = json.dumps(document, indent=1)
    (tmp_path / ".zmetadata").write_text(text)
    code, out, _ = call("validate", ".zmetadata")
    line = text[: text.index('"X"')].count("\n") + 1
    assert code == 1
    assert out.startswith(f".zmetadata:{line}:")
    assert "/a: order: " in out


def test_validate_refuses_consolidated_metadata_of_another_version(call):
    code, out, _ = call("validate", "-", stdin=b'{"zarr_consolidated_format": 2, "metadata": {}}')
    assert code == 1
    assert out == (
        "standard input:1:30: error: zarr_consolidated_format: expected 1, found 2 [stored/consolidated]\n"
    )


# -- tree ---------------------------------------------------------------------------------------------

TREE = """\
/  v3 group  title="a small climate"
├── t2m   float32  (time=48, lat=181, lon=360)  chunks 24×91×180  zstd
└── time  int64    (time=48)  chunks 48  zstd
"""


def test_tree_shows_one_line_for_each_node(call, tmp_path):
    (tmp_path / "a.json").write_text(small().to_json())
    assert call("tree", "a.json") == (0, TREE, "")


def test_tree_counts_what_is_too_deep(call):
    deep = v3.GroupSpec(members={"a": v3.GroupSpec(members={"b": small()})})
    code, out, _ = call("tree", "-", "--depth", "1", stdin=deep.to_json().encode())
    assert (code, out) == (0, "/  v3 group\n└── a  group  (3 nodes below)\n")


def test_tree_as_json_has_an_entry_for_each_node(call):
    code, out, _ = call("tree", "-", "--format", "json", stdin=small().to_json().encode())
    entries = json.loads(out)["result"]
    assert code == 0
    assert entries[0] == {"path": "/", "format": "v3", "kind": "group", "members": ["t2m", "time"]}
    assert entries[1]["chunks"] == [24, 91, 180]
    assert entries[1]["codecs"] == ["bytes", "zstd"]


@pytest.mark.parametrize("family", [v2, v3])
def test_tree_shows_what_consolidated_metadata_describes(call, family):
    group = family.GroupSpec(members={"a": family.GroupSpec(members={})})
    text = json.dumps(group.to_consolidated()).encode()
    code, out, _ = call("tree", "-", stdin=text)
    assert (code, out.splitlines()[1]) == (0, "└── a  group  no members")


def test_tree_reads_what_is_wrong_but_clear(call):
    text = b'{"zarr_format": 3, "node_type": "group", "node_type": "group"}'
    assert call("tree", "-", stdin=text) == (0, "/  v3 group  members not read\n", "")


# -- diff ---------------------------------------------------------------------------------------------


@pytest.fixture
def pair(tmp_path):
    old = small()
    new = old.replace(attributes={"title": "a large climate"})
    (tmp_path / "a.json").write_text(old.to_json())
    (tmp_path / "b.json").write_text(new.to_json())


@pytest.mark.usefixtures("pair")
def test_diff_shows_what_changed_and_ends_with_1(call):
    line = '~ /: attributes.title: "a small climate" -> "a large climate"\n'
    assert call("diff", "a.json", "b.json") == (1, line, "")


@pytest.mark.usefixtures("pair")
def test_diff_of_equal_documents_ends_with_0(call):
    assert call("diff", "a.json", "a.json") == (0, "", "no difference\n")


@pytest.mark.usefixtures("pair")
def test_diff_leaves_out_what_is_ignored(call):
    assert call("diff", "a.json", "b.json", "--ignore", "/attributes/title")[0] == 0


@pytest.mark.usefixtures("pair")
def test_diff_gives_changes_as_json(call):
    code, out, _ = call("diff", "a.json", "b.json", "--format", "json")
    assert (code, [change["pointer"] for change in json.loads(out)["result"]["changes"]]) == (
        1,
        ["/attributes/title"],
    )


def test_diff_gives_notes_as_json(call, tmp_path):
    array = v3.ArraySpec.build(shape=(4,), dtype="int8")
    (tmp_path / "a.json").write_text(array.to_json())
    (tmp_path / "b.json").write_text(zom.convert(array, "v2").spec.to_json())
    code, out, err = call("diff", "a.json", "b.json", "--format", "json")
    result = json.loads(out)["result"]
    assert (code, result["changes"], result["values_compared"]) == (0, [], None)
    assert [f"note: {note}" for note in result["notes"]] == err.splitlines()[1:]
    assert result["notes"]


# -- convert ------------------------------------------------------------------------------------------


def test_convert_prints_the_new_document_and_names_the_losses(call):
    old = v2.ArraySpec.build(shape=(4,), dtype="<i2", fill_value=None)
    code, out, err = call("convert", "-", "--to", "v3", stdin=old.to_json(indent=2).encode())
    assert code == 0
    assert v3.parse(out).shape == (4,)
    assert re.match(r"standard input:\d+:\d+: warning: fill_value: .* \[convert/undefined-fill\]\n", err)


def test_convert_says_which_chunks_have_other_keys(call):
    array = v3.ArraySpec.build(shape=(4,), dtype="int8", compress=None, checksum=False)
    _, _, err = call("convert", "-", "--to", "v2", stdin=array.to_json().encode())
    assert "the chunks of / must be moved or rewritten\n" in err


def test_convert_refuses_what_the_other_format_can_not_say(call):
    array = v3.ArraySpec.build(shape=(40,), dtype="int8", chunks=10, shards=20)
    code, out, err = call("convert", "-", "--to", "v2", stdin=array.to_json().encode())
    assert (code, out) == (1, "")
    assert err.startswith("standard input:1:")
    assert "error: " in err


# -- explain and rules --------------------------------------------------------------------------------


def test_explain_shows_the_rule_and_its_source(call):
    code, out, err = call("explain", "json/duplicate-key")
    assert (code, err) == (0, "")
    assert out == (
        "json/duplicate-key\n"
        "  rule         the names in an object are unique; the last value of a repeated name counts\n"
        "  source       RFC 8259, section 4\n"
        "  severity     lenient: warning, strict: error, closed: error\n"
        "  JSON Schema  cannot express it\n"
    )


def test_explain_of_an_unknown_code_names_near_ones(call):
    message = "no rule has the code 'json/duplicate-kye'; did you mean 'json/duplicate-key'?"
    code, out, err = call("explain", "json/duplicate-kye")
    assert (code, out) == (2, "")
    assert err.startswith(f"zom explain: {message[:-1]}")


def test_explain_of_something_else_names_the_list(call):
    message = "no rule has the code 'q'; run zom rules for the list"
    assert call("explain", "q") == (2, "", f"zom explain: {message}\n")


@pytest.mark.slow
def test_every_rule_can_be_explained(call):
    for code in zom.rules():
        assert call("explain", code)[1].startswith(f"{code}\n  rule ")


def test_rules_lists_those_that_match(call):
    code, out, _ = call("rules", "codec/zstd-*")
    assert (code, out) == (0, "codec/zstd-level  the zstd codec has a level; decoding doesn't need it\n")


def test_rules_lists_all_of_them_as_json(call):
    code, out, _ = call("rules", "--format", "json")
    found = json.loads(out)["result"]
    own = [rule["code"] for rule in found if "convention" not in rule]
    assert (code, own) == (0, list(zom.rules()))
    stated = {(rule["convention"], rule["code"]) for rule in found if "convention" in rule}
    assert stated == {(each.name, code) for each in conventions for code, _ in each.codes()}


def test_rules_are_found_by_what_their_codes_begin_with_and_by_convention(call):
    _, every, _ = call("rules", "cf/*")
    assert call("rules", "cf") == (0, every, "")
    _, out, _ = call("rules", "ome/0.4", "--format", "json")
    found = json.loads(out)["result"]
    assert {rule["convention"] for rule in found} == {"ome/0.4"}
    assert [rule["code"] for rule in found] == [code for code, _ in conventions["ome/0.4"].codes()]


def test_rules_of_no_code_are_wrong_usage(call):
    message = "no rule matches 'x/*'; run zom rules for the list"
    assert call("rules", "x/*") == (2, "", f"zom rules: {message}\n")
