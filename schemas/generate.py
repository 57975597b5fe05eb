"""Writes the files of this folder: the schemas, their index, the samples.

    python schemas/generate.py            writes
    python schemas/generate.py --check    says what differs, and exits with 1 where something does

The samples are cases of the conformance corpus: documents that the schemas accept, and documents that
they reject for a rule that JSON Schema can say.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import zom
from zom.declaration.schema import declaration_schema
from zom.formats.draft import DRAFT
from zom.formats.v2 import V2
from zom.formats.v3 import V3
from zom.model.assembly import assemble
from zom.schema.publication import published, text_of

HERE = Path(__file__).parent
CORPUS = HERE.parent / "tests" / "conformance"
FAMILIES = {"v2": V2, "v3": V3, "draft": DRAFT}
EACH = 12
DECLARATION = "v1/declaration.validation.2020-12.schema.json"
GENERATED = ("v1", "samples", "index.json", "not-expressible.json")


def samples() -> dict[str, str]:
    """Some documents of each kind of node, by the path of their file."""
    rules = zom.rules()
    made: dict[str, str] = {}
    for form, family in FAMILIES.items():
        found: dict[tuple[str, str], list[tuple[str, Any]]] = {}
        seen: set[tuple[str, str, str]] = set()
        for case in _cases(form):
            document = case["document"]
            _, problems = assemble(family, document, "strict")
            errors = [problem for problem in problems if problem.severity == "error"]
            kind = "array" if _is_array(document) else "group"
            if errors and (len(errors) > 1 or not rules[errors[0].code].schema):
                continue
            # One sample for each rule, and one for each topic of what is valid.
            topic = errors[0].code if errors else case["topic"]
            verdict = "reject" if errors else "accept"
            if (verdict, kind, topic) not in seen:
                seen.add((verdict, kind, topic))
                found.setdefault((verdict, kind), []).append((case["name"], document))
        for (verdict, kind), cases in found.items():
            for name, document in cases[:EACH]:
                made[f"samples/{verdict}/{form}/{kind}/{name}.json"] = text_of(document)
    return made


def _cases(form: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = []
    for path in sorted((CORPUS / form).glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            if isinstance(case.get("document"), dict) and "kind" not in case:
                cases.append({**case, "topic": path.stem})  # noqa: PERF401 - two conditions and a change
    return cases


def _is_array(document: dict[str, Any]) -> bool:
    return document.get("node_type") == "array" or "shape" in document


def wanted() -> dict[str, str]:
    """Every generated file's text by its path."""
    return {**published(), DECLARATION: text_of(declaration_schema()), **samples()}


def existing() -> set[str]:
    """The paths of the generated files that are there."""
    found: set[str] = set()
    for name in GENERATED:
        path = HERE / name
        files = [path] if path.is_file() else path.rglob("*.json")
        found.update(file.relative_to(HERE).as_posix() for file in files if file.is_file())
    return found


def differences(texts: dict[str, str]) -> list[str]:
    """What is not as it would be written now."""
    there = existing()
    stale = [f"{path}: not generated any more" for path in sorted(there - texts.keys())]
    for path, text in sorted(texts.items()):
        if path not in there:
            stale.append(f"{path}: missing")
        elif (HERE / path).read_text(encoding="utf-8") != text:
            stale.append(f"{path}: out of date")
    return stale


def main(arguments: list[str] | None = None) -> int:
    """Writes or compares; 1 where files differ from what is generated."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    options = parser.parse_args(arguments)
    texts = wanted()
    stale = differences(texts)
    if options.check:
        print(*(stale or ["all schemas are up to date"]), sep="\n")
        return int(bool(stale))
    for path in existing() - texts.keys():
        (HERE / path).unlink()
    for path, text in texts.items():
        file = HERE / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    print(f"{len(texts)} files, {len(stale)} of them changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
