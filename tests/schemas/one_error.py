"""Counts the errors that ajv prints, with `allErrors`, for documents in which one value is wrong.

    npm ci --prefix tests/schemas/ajv
    python tests/schemas/one_error.py                 every document of the conformance corpus, and made ones
    python tests/schemas/one_error.py --documents 40  of each format no more than so many
    python tests/schemas/one_error.py --show 20       examples of what leaves several

At each place of a valid document, one after the other: the value becomes one of each other JSON type, one of
the same type, the member goes, or a member is added. What the model finds exactly one fault in, and a schema
refuses, is to leave one error beside those of `if` and `propertyNames`, which repeat that something below them
failed. `LEFT` says where it does not, and why. Exits with 1 where several errors are left elsewhere.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Final

from corpus import SUBJECTS, conformance, examples, key_of
from differential import as_doubles, errors_of, listed_codes, schema_of
from engines import missing_ajv, verdicts
from mutations import at, changed, pointers, without

from zom.problems import split_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus import Subject

__all__ = ["LEFT", "REPEATING", "Count", "count", "main", "reason", "wrong"]

REPEATING: Final = frozenset({"if", "propertyNames"})
"""Keywords whose errors only say that one below them failed."""

LEFT: Final = {"missing": "an object that lacks several members is told of each"}
"""Why several errors are left, by what `reason` finds."""

_TYPES: Final[tuple[Any, ...]] = (None, True, 7, -1.5, "x", [], {})


def wrong(document: Any, path: tuple[str | int, ...]) -> Iterator[Any]:
    """The documents that differ from this one in the value at `path`."""
    value = at(document, path)
    if path:
        yield without(document, path)
    for other in _TYPES:
        yield changed(document, path, other)
    if isinstance(value, bool):
        yield changed(document, path, not value)
    elif isinstance(value, int | float):
        for number in (-1, 0, 2.5, 2**65):
            yield changed(document, path, number)
    elif isinstance(value, str):
        for text in ("", f"{value}x", f"{value}\n"):
            yield changed(document, path, text)
    elif isinstance(value, list):
        yield changed(document, path, [*value, *value[:1]])
    elif isinstance(value, dict):
        yield changed(document, path, {**value, "x-unknown": 1})
        yield changed(document, path, {**value, "/": {}})


@dataclass
class Count:
    """How many errors were left, in how many documents."""

    documents: Counter[int] = field(default_factory=Counter[int])
    left: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Documents with several errors that `LEFT` names, and an example of each."""
    several: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """All others, by the shape of the place and the keywords."""


def reason(errors: Sequence[tuple[str, str]]) -> str | None:
    """The name in `LEFT` of why there are several errors; None where none is known."""
    lacks = {keyword for _, keyword in errors} == {"required"}
    return "missing" if lacks and len({place for place, _ in errors}) == len(errors) else None


def count(subject: Subject, found: Sequence[Any], made: Count, turn: int = 0, every: int = 1) -> None:
    """Add what ajv prints for every mutant of valid documents; or for each `every`th of them."""
    listed = listed_codes(subject)
    texts: dict[str, tuple[str, str]] = {}
    number = turn
    for document in found:
        # What is valid only because Python keeps an integer beyond all doubles has a second error under node.
        if errors_of(subject, document) or errors_of(subject, as_doubles(document)):
            continue
        for path in pointers(document):
            for mutant in wrong(document, path):
                number += 1
                text = key_of(mutant)
                if text is None or text in texts or number % every:
                    continue
                errors = errors_of(subject, mutant)
                if len(errors) == 1 and errors[0][0] not in listed:
                    texts[text] = errors[0]
    schema = schema_of(subject, "2020-12")
    for (text, fault), verdict in zip(texts.items(), verdicts("ajv2020", schema, list(texts)), strict=True):
        errors = [each for each in verdict if each[1] not in REPEATING]
        made.documents[len(errors)] += 1
        if len(errors) > 1:
            name = reason(errors)
            kind = name or f"{subject.name} {_shape(fault[1])}: {' '.join(sorted({k for _, k in errors}))}"
            (made.left if name else made.several).setdefault(kind, []).append(
                f"{errors[:4]} {fault} {text[:600]}"
            )


def _shape(pointer: str) -> str:
    return "/".join("*" if step.isdigit() else step for step in split_pointer(pointer))


def _documents(subject: Subject, limit: int, seed: int) -> list[Any]:
    """Valid documents: those of the corpus, and made ones."""
    chosen = [*conformance(subject), *examples(subject.strategy, 60, seed)]
    chosen = [each for each in chosen if len(key_of(each) or "x" * 9000) < 3000]
    Random(seed).shuffle(chosen)
    return chosen[:limit]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the counts; 1 where several errors are left for a reason that nobody gave."""
    parser = argparse.ArgumentParser(description="How many errors ajv prints for one bad value.")
    parser.add_argument("--documents", type=int, default=100_000, help="how many of each subject")
    parser.add_argument("--every", type=int, default=1, help="take one of so many changes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=8)
    given = parser.parse_args(argv)
    if missing := missing_ajv():
        parser.error(missing)
    started, made = time.monotonic(), Count()
    for subject in SUBJECTS:
        count(subject, _documents(subject, given.documents, given.seed), made, given.seed, given.every)
    print(f"{made.documents.total():,} documents with one fault that a schema can say")
    for errors, number in sorted(made.documents.items()):
        print(f"{number:9,} leave {errors} error{'' if errors == 1 else 's'}")
    for name, texts in made.left.items():
        print(f"{len(texts):9,} several: {name}: {LEFT[name]}")
    for kind, texts in sorted(made.several.items(), key=lambda item: -len(item[1]))[: given.show]:
        print(f"{len(texts):9,} several, for no known reason: {kind}: {min(texts, key=len)}")
    print(f"{time.monotonic() - started:.0f} s, seed {given.seed}")
    return int(bool(made.several))


if __name__ == "__main__":
    sys.exit(main())
