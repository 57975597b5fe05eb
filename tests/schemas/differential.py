"""The model against its JSON Schemas: the same verdict on every document, but for rules that are listed.

    python tests/schemas/differential.py --documents 20000

Documents go through the model at the level "strict", through Python's jsonschema, and through
jsonschema-rs and ajv in strict mode with both drafts. Where the model refuses a document that a schema accepts, each error must be of a
rule that JSON Schema can't say; where a schema refuses one that the model accepts, nothing excuses it but
the precision of JavaScript's numbers. Exits with 1 where a disagreement is left.

Documents with one fault, which a schema can say, show whether errors are told where they are: at the
pointer of the model's problem, or beside it, which is inside of it or at the closest thing around it.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from corpus import SUBJECTS, documents, key_of
from engines import ENGINES, missing_ajv, missing_rust, verdicts

from zom.model.assembly import assemble
from zom.problems import pointer_of, show, split_pointer
from zom.schema import json_schema, not_expressible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus import Subject
    from engines import Verdict

    from zom.problems import Level
    from zom.schema import Draft, Flavour

__all__ = ["Tally", "as_doubles", "compare", "listed_codes", "main", "schema_of"]

PRECISION: Final = "json/number-precision"
"""JavaScript rounds integers beyond 2^53, those of a document and those of a schema."""

_SHOWN: Final = 12
_ROUND: Final = 20_000


class _AnyCode(frozenset[str]):
    """The codes of all rules."""

    def __contains__(self, code: object) -> bool:
        return isinstance(code, str)


_ANY_CODE: Final = _AnyCode()


def schema_of(subject: Subject, draft: Draft, flavour: Flavour = "validation") -> dict[str, Any]:
    """The schema of what documents are read as."""
    return json_schema(subject.name, draft, flavour)


def listed_codes(subject: Subject) -> frozenset[str]:
    """The codes of the rules that JSON Schema can't say."""
    return frozenset(entry["code"] for entry in not_expressible(subject.form))


# --- one document ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """A document, and the model's errors: their codes and pointers."""

    document: Any
    text: str
    errors: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A document that the model and a schema judge differently."""

    engine: str
    judged: Judged
    verdict: Verdict

    @property
    def kind(self) -> tuple[str, ...]:
        """What many disagreements share that have one cause."""
        found = self.judged.errors or self.verdict
        return (self.engine, *sorted({f"{what} {_shape(where)}" for where, what in _turned(found)})[:2])

    def __str__(self) -> str:
        errors = self.judged.errors
        if errors:
            said = "; ".join(f"{code} at {pointer or 'the root'}" for code, pointer in errors[:4])
            verdict = f"accepted by {self.engine}, refused by the model: {said}"
        else:
            said = "; ".join(f"{keyword} at {pointer or 'the root'}" for pointer, keyword in self.verdict[:4])
            verdict = f"refused by {self.engine}, accepted by the model: {said}"
        return f"{verdict}\n    {self.judged.text[:700]}"


def _turned(found: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for first, second in found:
        yield (first, second) if first.startswith("/") or not first else (second, first)


def _shape(pointer: str) -> str:
    """A pointer without the names and numbers that differ from document to document."""
    steps = ["*" if step.isdigit() else step for step in split_pointer(pointer)]
    while len(steps) > 2 and steps[0] == "members":
        steps = steps[2:]
    return "/".join(steps)


def errors_of(subject: Subject, document: Any, level: Level = "strict") -> tuple[tuple[str, str], ...]:
    problems = assemble(subject.target, document, level)[1]
    return tuple((problem.code, problem.pointer) for problem in problems if problem.severity == "error")


def explanation(subject: Subject, judged: Judged, *, javascript: bool, listed: frozenset[str]) -> str | None:
    """Why a schema may accept what the model refuses: the code of a rule; None where it may not."""

    def excused(errors: Sequence[tuple[str, str]]) -> bool:
        return all(code in listed for code, _ in errors)

    if excused(judged.errors):
        return judged.errors[0][0]
    if javascript:
        rounded = _in_range(
            judged.document, {pointer for code, pointer in judged.errors if code not in listed}
        )
        if excused(errors_of(subject, rounded)):
            return PRECISION
    return None


def as_doubles(value: Any) -> Any:
    """`value` as JavaScript reads it."""
    if isinstance(value, int) and abs(value) > 2**53:
        try:
            return int(float(value))
        except OverflowError:
            return math.inf
    if isinstance(value, dict):
        return {name: as_doubles(item) for name, item in value.items()}
    return [as_doubles(item) for item in value] if isinstance(value, list) else value


def _in_range(value: Any, wanted: set[str], pointer: str = "") -> Any:
    """`value` with the large integers at some pointers as the smallest ones of the same double."""
    if isinstance(value, dict):
        steps = {name: str(name).replace("~", "~0").replace("/", "~1") for name in value}
        return {name: _in_range(item, wanted, f"{pointer}/{steps[name]}") for name, item in value.items()}
    if isinstance(value, list):
        return [_in_range(item, wanted, f"{pointer}/{index}") for index, item in enumerate(value)]
    if isinstance(value, int) and 2**53 < abs(value) < 2**1000 and pointer in wanted:
        power = 2 ** (abs(value).bit_length() - 1)
        for edge in (power, 2 * power):
            if float(abs(value)) == float(edge):
                return edge - 1 if value > 0 else -edge
    return value


# --- all documents -----------------------------------------------------------------------------------


@dataclass
class Tally:
    """What came of all documents of one format under one engine."""

    documents: int = 0
    accepted: int = 0
    refused: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    left: list[Disagreement] = field(default_factory=list)
    disagreements: int = 0
    single: int = 0
    """Documents with one fault, which a schema can say, and refuses."""
    located: int = 0
    """Those of them for which an error of the schema has the place of the fault."""
    alone: int = 0
    """Those of them for which it is the only place."""
    beside: int = 0
    """Those for which an error is inside the fault, or the closest thing there is around it."""
    elsewhere: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(
        self, subject: Subject, engine: str, judged: Judged, verdict: Verdict, listed: frozenset[str]
    ) -> None:
        """Count one document."""
        self.documents += 1
        if bool(judged.errors) == bool(verdict):
            self.accepted += not verdict
            self.refused += bool(verdict)
            if len(judged.errors) == 1 and judged.errors[0][0] not in listed:
                self._locate(judged, verdict)
            return
        javascript = engine.startswith("ajv")
        if judged.errors:
            cause = explanation(subject, judged, javascript=javascript, listed=listed)
        else:
            cause = PRECISION if javascript and errors_of(subject, as_doubles(judged.document)) else None
        if cause is not None:
            self.explained[cause] += 1
            return
        self.disagreements += 1
        self.left.append(Disagreement(engine, judged, verdict))
        if len(self.left) > 2000:
            self.left = _smallest(self.left)

    def _locate(self, judged: Judged, verdict: Verdict) -> None:
        code, pointer = judged.errors[0]
        # An `if` that fails says so where it stands; the fault itself is told beside it.
        places = {where for where, keyword in verdict if keyword not in {"if", "propertyNames"}}
        self.single += 1
        if pointer in places:
            self.located += 1
            self.alone += len(places) == 1
        elif any(_is_beside(place, pointer, judged.document) for place in places):
            self.beside += 1
        else:
            key = f"{code} {_shape(pointer)}"
            count, example = self.elsewhere.get(key, (0, ""))
            found = ", ".join(f"{keyword} at {where or 'the root'}" for where, keyword in verdict[:4])
            self.elsewhere[key] = (count + 1, example or f"{found} in {judged.text[:400]}")


def _is_beside(place: str, pointer: str, document: Any) -> bool:
    """Whether `place` is inside what `pointer` leads to, or the closest thing there is around it."""
    if place.startswith(f"{pointer}/"):
        return True
    steps = split_pointer(pointer)
    depth = 0
    for step in steps[:-1]:
        document = document[int(step)] if isinstance(document, list) else document.get(step)
        if not isinstance(document, (dict, list)):
            break
        depth += 1
    closest = pointer_of(steps[:depth])
    return pointer.startswith(f"{place}/") and len(place) >= len(closest)


def _smallest(found: Sequence[Disagreement]) -> list[Disagreement]:
    """The smallest disagreement of each kind, those of frequent kinds first."""
    kinds: dict[tuple[str, ...], list[Disagreement]] = defaultdict(list)
    for each in found:
        kinds[each.kind].append(each)
    frequent = sorted(kinds.values(), key=len, reverse=True)
    return [min(group, key=lambda each: len(each.judged.text)) for group in frequent]


def compare(
    subject: Subject,
    found: Sequence[Any],
    engines: Sequence[str],
    tallies: dict[str, Tally],
    workers: int = 1,
    flavour: Flavour = "validation",
) -> None:
    """Add what comes of the documents to the tally of each engine."""
    # Types know no names but those that are registered, and say less than rules do: the flavour for
    # generators may accept more than the level "closed", but must not refuse more.
    level: Level = "strict" if flavour == "validation" else "closed"
    listed = listed_codes(subject) if flavour == "validation" else _ANY_CODE
    judged = [Judged(each, cast("str", key_of(each)), errors_of(subject, each, level)) for each in found]
    texts = [each.text for each in judged]
    for engine in engines:
        tally = tallies.setdefault(engine, Tally())
        schema = schema_of(subject, ENGINES[engine], flavour)
        for each, verdict in zip(judged, verdicts(engine, schema, texts, workers), strict=True):
            tally.add(subject, engine, each, verdict, listed)


# --- the command -------------------------------------------------------------------------------------


def _portions(count: int, subjects: Sequence[Subject], start: int) -> Iterator[tuple[Subject, int, int]]:
    """Subject, number of documents and seed of each round."""
    total = sum(SUBJECTS[subject] for subject in subjects)
    while count > 0:
        now = min(count, _ROUND)
        for subject in subjects:
            yield subject, -(-now * SUBJECTS[subject] // total), start
        count, start = count - now, start + 1


def _print_tally(name: str, engine: str, tally: Tally) -> None:
    print(
        f"{name:18} {engine:12} {tally.documents:9,} documents: {tally.accepted:,} accepted by both, "
        f"{tally.refused:,} refused by both, {sum(tally.explained.values()):,} explained, "
        f"{tally.disagreements:,} disagreements"
    )
    for code, count in tally.explained.most_common():
        print(f"{'':31} {count:9,} {code}")
    if tally.single:
        beside = (tally.located + tally.beside) / tally.single
        print(
            f"{'':31} {tally.single:9,} with one fault: {beside:.2%} located at it or beside it, "
            f"{tally.located / tally.single:.2%} at it, {tally.alone / tally.single:.2%} only there"
        )


def _print_elsewhere(tally: Tally) -> None:
    for key, (count, example) in sorted(tally.elsewhere.items(), key=lambda item: -item[1][0]):
        print(f"  {count:6,} {key}: {example}")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The model against its JSON Schemas.")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--form", choices=["v3", "v2", "draft"], action="append")
    parser.add_argument("--kind", choices=["node", "array", "group", "entry-point"], action="append")
    about = "codegen: against the level closed; some of what it refuses then, it refuses by design"
    parser.add_argument("--flavour", choices=["validation", "codegen"], default="validation", help=about)
    parser.add_argument("--engines", default="jsonschema,rust,rust07,ajv2020,ajv07")
    parser.add_argument("--workers", type=int, default=2, help="processes for Python's jsonschema")
    parser.add_argument("--elsewhere", action="store_true", help="list the faults located elsewhere")
    given = parser.parse_args(argv)
    given.engines = given.engines.split(",")
    unknown = [name for name in given.engines if name not in ENGINES]
    if unknown:
        parser.error(f"no engine is called {show(unknown[0])}; there are {', '.join(ENGINES)}")
    for start, missing in (("ajv", missing_ajv()), ("rust", missing_rust())):
        if missing and any(name.startswith(start) for name in given.engines):
            parser.error(missing)
    return given


def main(argv: Sequence[str] | None = None) -> int:
    """Print the counts; 1 where a disagreement is left."""
    given = _arguments(argv)
    started = time.monotonic()
    subjects = [
        subject
        for subject in SUBJECTS
        if subject.form in (given.form or [subject.form]) and subject.kind in (given.kind or [subject.kind])
    ]
    tallies: dict[Subject, dict[str, Tally]] = {subject: {} for subject in subjects}
    for subject, count, start in _portions(given.documents, subjects, given.seed):
        found = documents(subject, count, start)
        compare(subject, found, given.engines, tallies[subject], given.workers, given.flavour)
    left: list[Disagreement] = []
    for subject, engines in tallies.items():
        for engine, tally in engines.items():
            _print_tally(subject.name, engine, tally)
            left += tally.left
            if given.elsewhere:
                _print_elsewhere(tally)
    for each in _smallest(left)[:_SHOWN]:
        print(f"\n{each}")
    disagreements = sum(tally.disagreements for engines in tallies.values() for tally in engines.values())
    checked = sum(next(iter(engines.values())).documents for engines in tallies.values())
    seconds = time.monotonic() - started
    print(f"\n{checked:,} documents, {disagreements:,} disagreements, {seconds:.0f} s, seed {given.seed}")
    return int(disagreements > 0)


if __name__ == "__main__":
    sys.exit(main())
