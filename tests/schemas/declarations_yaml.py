"""Declarations in the YAML language server, as editors ask it: problems, the keys that it offers, and hover texts.

    npm ci --prefix yaml
    python declarations_yaml.py

The header line is the one of docs/declaring.md, and the schema the one that it names, as it lies in schemas/.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from zom.declaration.words import ARRAY, DEFAULTS, GROUP, ROOT
from zom.declaration.yaml_writer import yaml_text

HERE = Path(__file__).parent
ROOT_FOLDER = HERE.parents[1]
DOCUMENTS = HERE.parent / "declaration" / "documents.json"
EXAMPLES = ROOT_FOLDER / "examples" / "declarations"
HEADER = re.compile(r"^# yaml-language-server: \$schema=(\S+/schemas/)(\S+)$", re.MULTILINE)

KEYS: dict[str, tuple[str, set[str]]] = {
    "at the root": ("zom: 1\n|", {*ROOT, *ARRAY, *GROUP, "document"} - {"zom", "for"}),
    "of an array": ("zom: 1\nmembers:\n  a:\n    dims: [x]\n    |", {*ARRAY} - {"dims"}),
    "of a group": ("zom: 1\nmembers:\n  a:\n    members: {}\n    |", {*GROUP} - {"members"}),
    "of a new node": ("zom: 1\nmembers:\n  a:\n    |", {*ARRAY, *GROUP}),
    "of defaults": ("zom: 1\ndefaults:\n  |", {*DEFAULTS}),
    "of a range": (
        "zom: 1\nmembers:\n  a:\n    dims: [x]\n    values:\n      start: 1\n      |",
        {"stop", "step"},
    ),
}
"""Where a user asks which keys there are, and those that are offered."""

WRONG: dict[str, tuple[int, str]] = {
    "zom: 1\nmemebrs: {}\n": (1, "memebrs"),
    "zom: 2\n": (0, "1"),
    "zom: 1\nmembers:\n  a: {dims: [x], dtyp: int8}\n": (2, "dtyp"),
    "zom: 1\nmembers:\n  a: {dims: x, dtype: int8}\n": (2, "array"),
    "zom: 1\nformat: 4\n": (1, "draft"),
    "zom: 1\nsizes: {x: -1}\n": (1, "0"),
    "zom: 1\ndefaults: {dims: [x]}\n": (1, "dims"),
}
"""Faulty texts, the line that is marked, and a word of the message."""


def main() -> int:
    if shutil.which("node") is None or not (HERE / "yaml" / "node_modules").is_dir():
        print("the YAML language server is missing: npm ci --prefix tests/schemas/yaml", file=sys.stderr)
        return 2
    header = HEADER.search((ROOT_FOLDER / "docs" / "declaring.md").read_text(encoding="utf-8"))
    assert header is not None, "docs/declaring.md shows no header line"
    wrong = [*problems(header), *keys(header), *hovers(header)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"declarations in the YAML language server: {len(wrong)} wrong")
    return int(bool(wrong))


def asked(header: re.Match[str], questions: list[dict[str, Any]]) -> list[Any]:
    """The answers of the language server about texts below the header."""
    lines = [json.dumps({**each, "text": f"{header[0]}\n{each['text']}"}) for each in questions]
    done = subprocess.run(
        ["node", str(HERE / "yaml" / "ask.mjs"), header[1], str(ROOT_FOLDER / "schemas")],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def problems(header: re.Match[str]) -> list[str]:
    documents = json.loads(DOCUMENTS.read_text(encoding="utf-8"))
    good = [yaml_text(each) for each in documents["good"]]
    good += [file.read_text(encoding="utf-8") for file in sorted(EXAMPLES.glob("*.yaml"))]
    bad = [*(yaml_text(each) or "{}\n" for each in documents["bad"]), *WRONG]
    found = asked(header, [{"ask": "problems", "text": text} for text in (*good, *bad)])
    wrong = [
        f"expected no problem, found {each}:\n{text}" for text, each in zip(good, found, strict=False) if each
    ]
    for text, each in zip(bad, found[len(good) :], strict=True):
        line, word = WRONG.get(text, (None, ""))
        # The header is the first line.
        fits = [message for at, message in each if (line is None or at == line + 1) and word in message]
        if not fits:
            wrong.append(f"expected a problem with {word!r} in line {line}, found {each}:\n{text}")
    return wrong


def keys(header: re.Match[str]) -> list[str]:
    questions = [{"ask": "keys", **_at(text)} for text, _ in KEYS.values()]
    found = asked(header, questions)
    return [
        f"keys {where}: expected {sorted(expected)}, found {sorted(each)}"
        for (where, (_, expected)), each in zip(KEYS.items(), found, strict=True)
        if set(each) != expected
    ]


def _at(text: str) -> dict[str, Any]:
    """The text without the mark of the cursor, and where that stands below the header."""
    before = text[: text.index("|")]
    column = len(before) - before.rfind("\n") - 1
    return {"text": text.replace("|", ""), "line": before.count("\n") + 1, "column": column}


def hovers(header: re.Match[str]) -> list[str]:
    """Each word shows what it says, wherever it stands."""
    values = {"codecs": "[bytes]", "dims": "[x]", "shape": "[1]", "for": "{i: [1]}", "conventions": "[cf]"}
    texts = {
        **{word: (f"zom: 1\n{word}: {values.get(word, 'x')}\n", 2) for word in ROOT if word != "zom"},
        **{word: (f"zom: 1\nmembers:\n  a:\n    {word}: {values.get(word, 'x')}\n", 4) for word in ARRAY},
        **{word: (f"zom: 1\nmembers:\n  a:\n    {word}: {{}}\n", 4) for word in GROUP},
        "zom": ("zom: 1\n", 1),
    }
    words = {**ARRAY, **GROUP, **ROOT}
    questions = [
        {"ask": "hover", "text": text, "line": line, "column": (text.splitlines()[line - 1]).index(word) + 1}
        for word, (text, line) in texts.items()
    ]
    found = asked(header, questions)
    return [
        f"hover over {word}: expected {words[word].text!r}, found {each!r}"
        for word, each in zip(texts, found, strict=True)
        if _letters(words[word].text) not in _letters(each)
    ]


def _letters(text: str) -> str:
    """A text without what Markdown escapes."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


if __name__ == "__main__":
    sys.exit(main())
