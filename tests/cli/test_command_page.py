"""docs/command.md keeps its word: every command in it prints what stands there."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from zom.cli.main import main

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "command.md"
SIZE = re.compile(r"\b\d+(\.\d+)? (B|KiB|MiB)\b|ratio \d+\.\d+|\b\d+ passed\b")


def examples(text):
    """Each command of the page with what it prints there."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        starts = [found.start() for found in re.finditer(r"^\$ ", block, re.MULTILINE)]
        for start, end in pairwise([*starts, len(block)]):
            command, _, printed = block[start + 2 : end].partition("\n")
            yield command, printed


def test_every_command_prints_what_the_page_shows(tmp_path, monkeypatch, capfd):
    """In one directory, one after the other; sizes are those of the codecs' versions, and may differ; and the
    number of rules that passed does with every rule of a convention."""
    monkeypatch.chdir(tmp_path)
    code = 0
    found = list(examples(PAGE.read_text(encoding="utf-8")))
    for command, expected in found:
        if command == "echo $?":
            printed = f"{code}\n"
        else:
            name, *arguments = shlex.split(command)
            assert name == "zom"
            code = main(arguments)
            out, err = capfd.readouterr()
            printed = out + err
        assert SIZE.sub("(size)", printed) == SIZE.sub("(size)", expected), command
    assert len(found) > 20


def test_the_page_names_every_verb():
    from zom.cli.verbs import VERBS

    named = set(re.findall(r"`(\w+)`", PAGE.read_text(encoding="utf-8").split("## Places")[0]))
    assert named >= set(VERBS)
