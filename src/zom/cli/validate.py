"""`zom validate`: every problem of documents, with file, line and column.

Only errors make the command fail: a warning or a note refuses no document.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS

if TYPE_CHECKING:
    import argparse

    from zom.problems import Problem

__all__ = ["declare", "problem_line", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a document, or - for standard input")
    parser.add_argument(
        "--level",
        choices=["lenient", "strict", "closed"],
        default="strict",
        help="what is asked of a document: what real software wrote, the specification (the default), "
        "registered names",
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="how problems are shown")


def run(arguments: argparse.Namespace) -> int:
    """Prints the problems of every file; FINDINGS where one of them is an error."""
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import

    found: list[tuple[str, Problem]] = []
    for name in arguments.files:
        document = read_document(name)
        found.extend((document.name, problem) for problem in document.problems(arguments.level))
    if arguments.format == "json":
        print(json.dumps([{"file": name, **problem.to_dict()} for name, problem in found], indent=2))
    else:
        for name, problem in found:
            print(problem_line(name, problem))
    counts: Counter[str] = Counter(problem.severity for _, problem in found)
    print(_summary(len(arguments.files), counts), file=sys.stderr)
    return FINDINGS if counts["error"] else CLEAN


def problem_line(name: str, problem: Problem) -> str:
    """The problem as editors and people find their way to it.

    >>> from zom import Problem
    >>> problem = Problem("v3/shape", "error", "/t", "/members/t/shape/0", ("shape", 0), "1", "2", line=3, column=7)
    >>> problem_line("a.json", problem)
    'a.json:3:7: error: /t: shape[0]: expected 1, found 2 [v3/shape]'
    """
    place = "" if problem.line is None else f":{problem.line}:{problem.column}"
    text = replace(problem, line=None, column=None)
    return f"{name}{place}: {problem.severity}: {text} [{problem.code}]"


def _summary(files: int, counts: Counter[str]) -> str:
    shown = [f"{number} {name}{'' if number == 1 else 's'}" for name, number in sorted(counts.items())]
    return f"{files} document{'' if files == 1 else 's'}: {', '.join(shown) or 'no problems'}"
