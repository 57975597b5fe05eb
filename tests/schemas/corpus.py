"""The documents of a differential run: those of the conformance corpus, made ones, and mutants of both."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import nothing
from mutations import Mutator, Pool, mutants_at, pointers

from zom.formats.families import DRAFT, ENTRY_POINT, V2, V3
from zom.testing.strategies import array_documents, group_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import SearchStrategy

    from zom.extension.datatype import Format
    from zom.model.assembly import Target
    from zom.model.family import Family

__all__ = ["SUBJECTS", "Subject", "conformance", "documents", "examples", "key_of"]

_FAMILIES: Final[dict[Format, Family]] = {"v3": V3, "v2": V2, "draft": DRAFT}
_CONFORMANCE: Final = Path(__file__).parents[1] / "conformance"
_LARGEST: Final = 30_000
"""Documents with a longer text are left out: they cost more than they tell."""


class Subject(NamedTuple):
    """What documents are read as: any node of a format, an array, a group, or an entry point."""

    form: Format
    kind: Literal["node", "array", "group", "entry-point"] = "node"

    @property
    def name(self) -> str:
        """The name of the schema."""
        return f"{self.form}/{self.kind}"

    @property
    def target(self) -> Target:
        """What the model reads documents as."""
        if self.kind == "entry-point":
            return ENTRY_POINT
        family = _FAMILIES[self.form]
        return family if self.kind == "node" else family.classes[self.kind]

    @property
    def group(self) -> dict[str, Any]:
        """A group without members."""
        return dict(_FAMILIES[self.form].constants["group"])

    @property
    def strategy(self) -> SearchStrategy[Any]:
        """Valid documents."""
        made = {
            "node": array_documents(self.form) | group_documents(self.form),
            "array": array_documents(self.form),
            "group": group_documents(self.form),
            "entry-point": nothing(),
        }
        return made[self.kind]

    def fits(self, document: Any) -> bool:
        """Whether a document is of the kind, whatever else is wrong with it."""
        if self.kind in {"node", "entry-point"}:
            return True
        return isinstance(document, dict) and _FAMILIES[self.form].kind_of(document) == self.kind


SUBJECTS: Final[dict[Subject, int]] = {
    Subject("v3"): 40,
    Subject("v2"): 22,
    Subject("draft"): 14,
    Subject("v3", "array"): 6,
    Subject("v3", "group"): 4,
    Subject("v2", "array"): 3,
    Subject("v2", "group"): 3,
    Subject("draft", "array"): 3,
    Subject("draft", "group"): 3,
    Subject("draft", "entry-point"): 2,
}
"""All subjects, and how many of a hundred documents are of each."""


@cache
def conformance(subject: Subject) -> tuple[Any, ...]:
    """Every document of the conformance corpus that is one JSON value, of one kind."""
    found: dict[str, Any] = {}
    for path in sorted((_CONFORMANCE / subject.form).glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            document = case["document"] if "document" in case else _value(case["text"])
            text = key_of(document)
            of_kind = (case.get("kind") == "entry point") == (subject.kind == "entry-point")
            if of_kind and subject.fits(document) and text is not None and len(text) < _LARGEST:
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
    if strategy.is_empty:
        return made

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


def documents(subject: Subject, count: int, start: int) -> list[Any]:
    """So many different documents, valid ones and others, the same ones for the same `start`."""
    chosen: dict[str, Any] = {}
    for document in _stream(subject, count, start):
        text = key_of(document)
        if text is not None and len(text) < _LARGEST:
            chosen[text] = document
            if len(chosen) >= count:
                break
    return list(chosen.values())


def _stream(subject: Subject, count: int, start: int) -> Iterator[Any]:
    random = Random(f"{subject.name} {start}")
    made = examples(subject.strategy, min(count // 20, 1000), start)
    written = list(conformance(subject))
    random.shuffle(written)
    yield from made
    yield from written[: max(count // 2, 1)]
    bases = [*written, *made]
    pool = Pool(bases)
    foreign = [document for other in SUBJECTS if other != subject for document in conformance(other)]
    mutator = Mutator(pool, random, subject.group)
    trees = 0.05 if subject.kind in {"node", "group"} else 0
    while True:
        draw = random.random()
        if draw < trees:
            yield mutator.tree()
        elif draw < 0.06:
            yield random.choice(foreign)
        elif draw < 0.064:
            base = random.choice(bases)
            yield from mutants_at(base, random.choice(pointers(base)))
        else:
            base = mutator.tree() if draw > 1 - trees / 2 else random.choice(bases)
            yield mutator.mutant(base, random.choice((1, 1, 1, 1, 1, 1, 1, 2, 2, 3)))
