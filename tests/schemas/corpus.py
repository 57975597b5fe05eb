"""The documents of a differential run: those of the conformance corpus, made ones, and mutants of both."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from mutations import Mutator, Pool, mutants_at, pointers

from zom.model.draft import DRAFT
from zom.model.v2 import V2
from zom.model.v3 import V3
from zom.testing.strategies import array_documents, group_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import SearchStrategy

    from zom.model.datatype import Format
    from zom.model.family import Family

__all__ = ["FAMILIES", "conformance", "documents", "examples", "key_of"]

FAMILIES: Final[dict[Format, Family]] = {"v3": V3, "v2": V2, "draft": DRAFT}
_CONFORMANCE: Final = Path(__file__).parents[1] / "conformance"
_LARGEST: Final = 30_000
"""Documents with a longer text are left out: they cost more than they tell."""


@cache
def conformance(form: Format) -> tuple[Any, ...]:
    """Every document of the conformance corpus that is one JSON value, of one format."""
    found: dict[str, Any] = {}
    for path in sorted((_CONFORMANCE / form).glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            document = case["document"] if "document" in case else _value(case["text"])
            text = key_of(document)
            if case.get("kind") != "entry point" and text is not None and len(text) < _LARGEST:
                found[text] = document
    return tuple(found.values())


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def key_of(document: Any) -> str | None:
    """The text of a document; None where JSON can't hold it."""
    try:
        return json.dumps(document, allow_nan=False)
    except (ValueError, RecursionError):
        return None


def examples(strategy: SearchStrategy[Any], count: int, start: int) -> list[Any]:
    """At most `count` values that hypothesis makes, the same ones for the same `start`."""
    made: list[Any] = []

    @seed(start)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: Any) -> None:
        made.append(value)

    collect()
    return made[:count]


def documents(form: Format, count: int, start: int) -> list[Any]:
    """So many different documents of `form`, valid ones and others, the same ones for the same `start`."""
    chosen: dict[str, Any] = {}
    for document in _stream(form, count, start):
        text = key_of(document)
        if text is not None and len(text) < _LARGEST:
            chosen[text] = document
            if len(chosen) >= count:
                break
    return list(chosen.values())


def _stream(form: Format, count: int, start: int) -> Iterator[Any]:
    random = Random(f"{form} {start}")
    made = examples(array_documents(form) | group_documents(form), min(count // 20, 1000), start)
    written = list(conformance(form))
    random.shuffle(written)
    yield from made
    yield from written[: max(count // 2, 1)]
    bases = [*written, *made]
    pool = Pool(bases)
    foreign = [document for other in FAMILIES if other != form for document in conformance(other)]
    mutator = Mutator(pool, random, dict(FAMILIES[form].constants["group"]))
    while True:
        draw = random.random()
        if draw < 0.05:
            yield mutator.tree()
        elif draw < 0.06:
            yield random.choice(foreign)
        elif draw < 0.064:
            base = random.choice(bases)
            yield from mutants_at(base, random.choice(pointers(base)))
        else:
            base = mutator.tree() if draw > 0.97 else random.choice(bases)
            yield mutator.mutant(base, random.choice((1, 1, 1, 1, 1, 1, 1, 2, 2, 3)))
