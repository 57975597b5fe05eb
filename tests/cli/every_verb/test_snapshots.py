"""What each verb prints, as it was reviewed: a file for each verb in snapshots/, with all of its calls.

After a change that is meant, write them again and look at the difference: `ZOM_SNAPSHOTS=write python -m pytest tests/cli/every_verb/test_snapshots.py`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from verb_calls import CALLS, NAMES, filled

from zom.cli.main import main

SNAPSHOTS = Path(__file__).parent / "snapshots"
WRITES = os.environ.get("ZOM_SNAPSHOTS") == "write"
ELSEWHERE = {
    "doctor": "what is installed differs: tests/cli/test_doctor.py",
    "completion": "the shells run it: tests/cli/test_completion.py",
}
"""Verbs whose output is judged by other tests."""
SCHEMA = re.compile(r"(?<=export const schema: Record<string, unknown> = ).*?^};$", re.DOTALL | re.MULTILINE)
"""A schema in what `zom codegen` prints, which other tests judge."""
LONG = ("export", "report")
"""Verbs of `zom schema` that print files, which are generated and committed as such."""
MASKS = [
    # Compressors of other versions make other sizes.
    (re.compile(r"\b\d[\d.,]* (?:B|bytes|KiB|MiB)(?![a-z])"), "SIZE"),
    (re.compile(r"\b\d+(?:\.\d+)?(?: ?%|× smaller)"), "RATIO"),
    (re.compile(r"\b\d+(?= rules of xarray and CF)"), "SOME"),
    (re.compile(r"\b[0-9a-f]{32}-\d+--\d+\b"), "DIGEST"),
    (re.compile(r"(?<=ratio )\S+"), "RATIO"),
    (re.compile(r"\b\d+(?:\.\d+)? m?s\b"), "TIME"),
]


def masked(text: str, verb: str) -> str:
    if verb == "stats":  # its columns are as wide as sizes are long
        text = re.sub(r" {2,}", "  ", re.sub(r"\b\d+\.\d\d$", "RATIO", text, flags=re.MULTILINE))
    for pattern, sign in MASKS:
        text = pattern.sub(sign, text)
    return SCHEMA.sub("...", text)


@pytest.mark.parametrize("verb", sorted(CALLS.keys() - ELSEWHERE.keys()))
def test_a_verb_prints_what_was_reviewed(twins, capfd, monkeypatch, verb):
    monkeypatch.setenv("COLUMNS", "100")
    parts = []
    for words in CALLS[verb]:
        arguments = filled(verb, words, **NAMES)
        if verb == "schema" and arguments[1] in LONG:
            continue
        twins()
        here = str(Path.cwd())
        capfd.readouterr()
        code = main(arguments)
        out, err = (each.replace(here, "HERE") for each in capfd.readouterr())
        told = "".join(f"! {line}\n" for line in err.splitlines())
        parts.append(
            f"$ zom {' '.join(arguments)}\n{masked(out, verb)}{masked(told, verb)}exit code {code}\n"
        )
    made = "\n".join(parts)
    file = SNAPSHOTS / f"{verb}.txt"
    if WRITES:
        SNAPSHOTS.mkdir(exist_ok=True)
        file.write_text(made, encoding="utf-8")
    assert made == file.read_text(encoding="utf-8")


def test_every_snapshot_is_of_a_verb():
    assert {file.stem for file in SNAPSHOTS.glob("*")} == CALLS.keys() - ELSEWHERE.keys()
