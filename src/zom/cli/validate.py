"""`zom validate`: every problem of documents, with file, line and column.

Only errors make the command fail, where nothing else is asked for: a warning or a note refuses no document. Of a store, the documents of
all its nodes are read, and no chunks: that is `zom check`.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS, spoken

if TYPE_CHECKING:
    import argparse

    from zom.cli.place import Place
    from zom.problems import Level, Problem

__all__ = [
    "counted",
    "declare",
    "declare_fail_on",
    "failed",
    "problem_line",
    "run",
    "stored_problem_line",
]

_SEVERITIES = ("error", "warning", "note")
"""The worst first."""


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument(
        "places", nargs="+", metavar="PLACE", help="a document, a store, or - for standard input"
    )
    parser.add_argument(
        "--level",
        choices=["lenient", "strict", "closed"],
        default="strict",
        help="what is asked of a document: what real software wrote, the specification (the default), "
        "registered names",
    )
    declare_fail_on(parser)
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how problems are shown")


def declare_fail_on(parser: argparse.ArgumentParser) -> None:
    """The argument that says which problems count."""
    parser.add_argument(
        "--fail-on",
        choices=_SEVERITIES,
        default="error",
        help="the least of problems for which the exit code is 1 (default: error)",
    )


def failed(counts: Counter[str], fail_on: str) -> bool:
    """Whether there is a problem as bad as that, or worse.

    >>> failed(Counter(warning=1), "error"), failed(Counter(error=1), "warning")
    (False, True)
    """
    return any(counts[severity] for severity in _SEVERITIES[: _SEVERITIES.index(fail_on) + 1])


def run(arguments: argparse.Namespace) -> int:
    """Prints the problems of every place; FINDINGS where one of them is bad enough."""
    import json  # noqa: PLC0415 - beside the others

    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.place import place_of  # noqa: PLC0415 - slow to import

    counts: Counter[str] = Counter()
    entries: list[dict[str, object]] = []
    documents = 0
    for name in arguments.places:
        place = place_of(name)
        if place.is_store:
            shown = place.name
            problems = _stored_problems(place, arguments.level)
            lines = [stored_problem_line(place, problem) for problem in problems]
        else:
            document = read_document(name)
            documents += 1
            shown = document.name
            problems = document.problems(arguments.level)
            lines = [problem_line(shown, problem) for problem in problems]
        counts.update(problem.severity for problem in problems)
        if arguments.format == "json":
            entries.extend({"file": shown, **problem.to_dict()} for problem in problems)
        else:
            print(*lines, sep="\n", end="\n" if lines else "")
    if arguments.format == "json":
        print(json.dumps(entries, indent=2))
    stores = len(arguments.places) - documents
    subjects = [_number(documents, "document")] * bool(documents) + [_number(stores, "store")] * bool(stores)
    print(f"{' and '.join(subjects)}: {counted(counts)}", file=sys.stderr)
    return FINDINGS if failed(counts, arguments.fail_on) else CLEAN


def _stored_problems(place: Place, level: Level) -> list[Problem]:
    from zom.errors import SpecError  # noqa: PLC0415 - slow to import
    from zom.hierarchy.read import read_tree  # noqa: PLC0415 - slow to import

    with place.opened() as store:
        try:
            return list(read_tree(store, place.path, level=level).problems)
        except SpecError as error:
            return list(error.problems)


def problem_line(name: str, problem: Problem) -> str:
    """The problem as editors and people find their way to it.

    >>> from zom import Problem
    >>> problem = Problem("v3/shape", "error", "/t", "/members/t/shape/0", ("shape", 0), "1", "2", line=3, column=7)
    >>> problem_line("a.json", problem)
    'a.json:3:7: error: /t: shape[0]: expected 1, found 2 [v3/shape]'
    """
    from dataclasses import replace  # noqa: PLC0415 - slow to import

    from zom.cli.terminal import severity_painted  # noqa: PLC0415 - slow to import

    place = "" if problem.line is None else f":{problem.line}:{problem.column}"
    text = replace(problem, line=None, column=None)
    return f"{name}{place}: {severity_painted(problem.severity)}: {spoken(str(text))} [{problem.code}]"


def stored_problem_line(place: Place, problem: Problem) -> str:
    """As `problem_line`, for a problem in a store: its file is the store's key."""
    name = place.store if problem.key else place.name
    return problem_line(f"{name.rstrip('/')}/{problem.key}" if problem.key else name, problem)


def counted(counts: Counter[str]) -> str:
    """How many problems of each severity there are.

    >>> counted(Counter(error=1, note=2)), counted(Counter())
    ('1 error, 2 notes', 'no problems')
    """
    return ", ".join(_number(number, name) for name, number in sorted(counts.items())) or "no problems"


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
