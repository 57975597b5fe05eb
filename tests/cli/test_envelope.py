"""With `--format json`, every verb prints one object of one form."""

from __future__ import annotations

import json

import pytest

import zom
from zom.cli.envelope import ENVELOPE
from zom.cli.main import parser_of
from zom.cli.verbs import VERBS

NAMES = {"envelope", "zom", "verb", "exit_code", "error", "result"}


@pytest.fixture
def place(call, small):
    zom.materialize(small, "a.zarr")
    return call


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo"],
        ["tree", "a.zarr"],
        ["info", "a.zarr::time"],
        ["stats", "a.zarr"],
        ["read", "a.zarr"],
        ["validate", "a.zarr"],
        ["diff", "a.zarr", "a.zarr"],
        ["plan", "a.zarr", "b.zarr"],
        ["create", "a.zarr", "b.zarr"],
        ["copy", "a.zarr", "b.zarr"],
        ["convert", "a.zarr", "--to", "v2"],
        ["migrate", "a.zarr", "--to", "v2", "--dry-run"],
        ["consolidate", "a.zarr"],
        ["delete", "a.zarr::time"],
        ["rename", "a.zarr::time", "t"],
        ["resize", "a.zarr::time", "50"],
        ["repair", "a.zarr"],
        ["checksum", "a.zarr"],
        ["schema", "list"],
        ["schema", "export", "v3/node"],
        ["codegen", "a.zarr"],
        ["explain", "json/duplicate-key"],
        ["rules", "v3/*"],
        ["doctor"],
        ["dingus", "zarr", "a.zarr"],
    ],
    ids=" ".join,
)
def test_every_verb_has_the_same_envelope(place, arguments):
    code, out, _ = place(*arguments, "--format", "json")
    made = json.loads(out)
    assert set(made) == NAMES
    facts = {name: made[name] for name in NAMES - {"result"}}
    assert facts == {
        "envelope": ENVELOPE,
        "zom": zom.__version__,
        "verb": arguments[0],
        "exit_code": code,
        "error": None,
    }
    assert made["result"] is not None


def test_a_failure_is_in_the_envelope_and_on_standard_error(call):
    code, out, err = call("tree", "nowhere", "--format", "json")
    made = json.loads(out)
    assert (code, made["exit_code"], made["result"]) == (3, 3, None)
    assert err == f"zom tree: {made['error']}\n"
    assert made["error"] == (
        "nowhere: no such file or directory; name a document, a store, or - for standard input"
    )


def test_a_file_gets_the_whole_envelope(place, tmp_path):
    assert place("read", "a.zarr", "--format", "json", "-o", "spec.json") == (0, "", "")
    made = json.loads((tmp_path / "spec.json").read_text())
    assert made["result"]["node_type"] == "group"


def test_text_is_told_by_lines(call):
    made = json.loads(call("explain", "json/duplicate-key", "--format", "json")[1])
    assert made["result"]["lines"][0] == "json/duplicate-key"


def test_every_verb_takes_the_formats_and_the_options_of_all():
    for verb in VERBS:
        if verb in {"schema", "declare", "completion"}:
            continue
        words = {"info": ["a"], "serve": ["a"]}.get(verb)
        if words is not None:
            found = parser_of([verb]).parse_args([verb, *words, "--format", "json", "-q", "--color", "never"])
            assert (found.format, found.quiet, found.color) == ("json", True, "never")
