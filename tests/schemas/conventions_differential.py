"""The models of conventions against their JSON Schemas: the same verdict on every node's attributes.

    python tests/schemas/conventions_differential.py --documents 2000

Documents are the nodes of the conformance cases, and mutants of their attributes. Each goes through the
model of attributes, through Python's jsonschema, jsonschema-rs, and ajv in strict mode, with both drafts. Exits
with 1 where two of them disagree, but for integers that JavaScript rounds.
"""

# ruff: noqa: T201 - it tells what it counts
from __future__ import annotations

import argparse
import json
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engines import ENGINES, missing_ajv, verdicts
from mutations import Mutator, Pool

from zom.conventions import conventions
from zom.conventions.framework.attributes import faults_in
from zom.formats.node_view import document_tree
from zom.testing.convention_cases import load_cases

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.conventions import Convention
    from zom.model.family import NodeKind

__all__ = ["Disagreement", "bases", "compare", "documents", "main", "with_models"]

CASES: Final = Path(__file__).parents[1] / "conformance" / "conventions"
_SAFE: Final = 2**53
"""Beyond it, JavaScript rounds integers."""


class Disagreement(NamedTuple):
    """A document that the model and a schema judge differently."""

    convention: str
    engine: str
    text: str
    model: list[str]
    schema: list[tuple[str, str]]

    def __str__(self) -> str:
        said = f"model: {self.model[:3] or 'accepted'}; schema: {self.schema[:3] or 'accepted'}"
        return f"{self.convention}, {self.engine}: {said}\n    {self.text[:600]}"


def with_models() -> list[Convention]:
    """The conventions whose schemas say something of the form."""
    return [each for each in conventions if each.models]


@cache
def _nodes(name: str) -> tuple[tuple[str | None, str], ...]:
    """Kind and document of each node in the cases of all versions of a convention."""
    found: dict[tuple[str | None, str], None] = {}
    for path in sorted(CASES.glob("*.json")):
        if conventions[json.loads(path.read_text(encoding="utf-8"))["convention"]].id == name:
            for case in load_cases(path):
                nodes = document_tree(case.document).walk()
                found.update(dict.fromkeys((node.kind, json.dumps(dict(node.document))) for node in nodes))
    return tuple(found)


def bases(convention: Convention) -> list[dict[str, Any]]:
    """The documents of nodes in the cases of a convention, of the kinds that it has models for."""
    found = [json.loads(text) for kind, text in _nodes(convention.id) if kind in convention.models]
    return [document for document in found if isinstance(document.get("attributes"), dict)]


def documents(convention: Convention, count: int, start: int = 0) -> list[dict[str, Any]]:
    """So many documents: those of the cases, and mutants of their attributes."""
    written = bases(convention)
    if not written:
        return []
    random = Random(f"{convention.name} {start}")
    mutator = Mutator(Pool(each["attributes"] for each in written), random, {})
    chosen = {json.dumps(each): each for each in written[: count // 2]}
    for _ in range(count * 4):
        if len(chosen) >= count:
            break
        base = random.choice(written)
        attributes = mutator.mutant(base["attributes"], random.choice((1, 1, 1, 2)))
        if isinstance(attributes, dict):
            document = {**base, "attributes": attributes}
            chosen[json.dumps(document)] = document
    return list(chosen.values())


def model_verdict(convention: Convention, document: dict[str, Any]) -> list[str]:
    """What the model of the node's kind says is wrong."""
    kind: NodeKind | None = document_tree(document).kind
    model = convention.models.get(kind or "group")
    faults = None if model is None else faults_in(model, document["attributes"])
    return ["/".join(map(str, fault.path)) for fault in faults or ()]


def compare(convention: Convention, found: Sequence[dict[str, Any]], engine: str) -> Iterator[Disagreement]:
    """Every document on which the model and the engine disagree."""
    schema = convention.json_schema(ENGINES[engine])
    texts = [json.dumps(document) for document in found]
    for document, text, errors in zip(found, texts, verdicts(engine, schema, texts), strict=True):
        faults = model_verdict(convention, document)
        if bool(faults) != bool(errors) and not (engine.startswith("ajv") and _has_large(document)):
            yield Disagreement(convention.name, engine, text, faults, errors)


def _has_large(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_large, value.values()))
    if isinstance(value, list):
        return any(map(_has_large, value))
    return isinstance(value, int) and abs(value) > _SAFE


def main(arguments: list[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=2000, help="for each convention")
    parser.add_argument("--start", type=int, default=0, help="another one makes other mutants")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    options = parser.parse_args(arguments)
    lack = missing_ajv() if any(engine.startswith("ajv") for engine in options.engines) else None
    if lack is not None:
        print(lack, file=sys.stderr)
        return 1
    left = 0
    for convention in with_models():
        found = documents(convention, options.documents, options.start)
        refused = sum(bool(model_verdict(convention, document)) for document in found)
        odd = [each for engine in options.engines for each in compare(convention, found, engine)]
        left += len(odd)
        print(f"{convention.name}: {len(found)} documents, {refused} refused, {len(odd)} disagreements")
        for each in sorted(odd, key=lambda each: len(each.text))[:5]:
            print(f"  {each}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
