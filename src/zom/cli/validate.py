"""`zom validate`: report every problem of documents and stores: Zarr metadata, conventions, stored data.

By default, only errors make the command fail: a warning or a note rejects no document. For a store, the
documents of all nodes are read; `--data` selects what else is read. With `--like`, a difference from a spec,
or a mismatch with a template, is a problem, too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS, UNREADABLE, CommandError, spoken
from zom.cli.parameters import declare_parameters, parameters_from
from zom.cli.printing import say, tell
from zom.cli.terminal import declare_progress
from zom.cli.tree import whole_number
from zom.count import count_of
from zom.errors import ZomError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TextIO

    from zom.cli.operand import Operand
    from zom.conventions.report import Report
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = [
    "counted",
    "declare",
    "declare_fail_on",
    "failed",
    "problem_parts",
    "run",
    "stored_problem_parts",
]

_FORMATS = ("text", "json", "jsonl", "sarif", "junit", "github", "html")

_SEVERITIES = ("error", "warning", "note")
"""Severities, the worst first."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "places",
        nargs="*",
        metavar="PLACE",
        help="a document, a store, a directory or prefix that contains stores, a glob pattern, or - "
        "for standard input",
    )
    parser.add_argument(
        "--from-file",
        action="append",
        default=[],
        metavar="FILE",
        help="read the places from a file, separated by newlines or NUL; - for standard input",
    )
    parser.add_argument(
        "--enclosing",
        action="store_true",
        help="treat each PLACE as a file in a store, and validate each such store once (for pre-commit)",
    )
    parser.add_argument(
        "--jobs",
        type=whole_number,
        default=1,
        metavar="N",
        help="validate N places in parallel processes; 0: one per core (default: 1)",
    )
    parser.add_argument(
        "--convention",
        action="append",
        metavar="NAME",
        help="require a convention, such as xarray, ome or ome/0.5; auto: check those that are found "
        "(the default); none: check Zarr only; repeatable",
    )
    parser.add_argument(
        "--standard-names",
        metavar="FILE",
        help="check names and units against this CF standard name table (the published XML file)",
    )
    parser.add_argument(
        "--profile",
        choices=["text", "schema", "strict", "full"],
        default="text",
        help="convention rules to check: of the specifications' text (the default), of their "
        "published schemas, of the schemas with SHOULD as MUST (strict), or all with SHOULD as "
        "MUST (full)",
    )
    parser.add_argument(
        "--suppress",
        action="append",
        default=[],
        metavar="PATTERN",
        help="suppress findings by rule, or by rule and node: 'cf/*', 'xarray/dims-*@/raw/**'",
    )
    parser.add_argument(
        "--data",
        choices=["none", "values", "keys", "index", "all"],
        default="none",
        help="what to read besides documents, each level including the ones before: none (the "
        "default), values of coordinates, indexes and codes that rules need, keys and sizes of "
        "chunks, indexes of shards, every chunk",
    )
    parser.add_argument(
        "--like",
        metavar="PLACE",
        help="compare each place with a spec, or check it against a template",
    )
    parser.add_argument(
        "--level",
        choices=["lenient", "strict", "closed"],
        default="strict",
        help="how strict to be: accept what real software wrote, require the specification (the "
        "default), or require registered names too",
    )
    declare_parameters(parser)
    declare_fail_on(parser)
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        default="text",
        help="output format",
    )
    parser.add_argument(
        "--limit",
        type=whole_number,
        default=20,
        metavar="N",
        help="list N problems with chunks and keys per rule and node, and count the rest (default: 20)",
    )
    parser.add_argument(
        "--first",
        type=whole_number,
        metavar="N",
        help="in text output, list N problems per place, and count the rest (default: 50 on a "
        "terminal, all otherwise)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        type=_other_output,
        metavar="FORMAT=FILE",
        help="also write the problems to a file in another format: --also sarif=zom.sarif; repeatable",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="in text output, also show the outcome of each convention rule",
    )
    declare_progress(parser)


def declare_fail_on(parser: argparse.ArgumentParser) -> None:
    """Add the argument for the severities that make the command fail."""
    parser.add_argument(
        "--fail-on",
        choices=_SEVERITIES,
        default="error",
        help="exit with 1 for problems of this severity or worse (default: error)",
    )


def failed(counts: Counter[str], fail_on: str) -> bool:
    """Whether there is a problem of severity `fail_on` or worse.

    >>> failed(Counter(warning=1), "error"), failed(Counter(error=1), "warning")
    (False, True)
    """
    return any(counts[severity] for severity in _SEVERITIES[: _SEVERITIES.index(fail_on) + 1])


def run(arguments: argparse.Namespace) -> int:
    """Print the problems of all places; return UNREADABLE if one can't be opened, FINDINGS by `--fail-on`."""
    from zom.cli.file import write_text  # noqa: PLC0415 - --help does not need it
    from zom.cli.jobs import reports_of  # noqa: PLC0415 - slow to import
    from zom.cli.place_report import choices_from, places_of  # noqa: PLC0415 - slow to import

    arguments.places = places_of(arguments)
    choices = choices_from(arguments)
    reports: list[Report] = []
    for report in reports_of(arguments.places, arguments, choices):
        if arguments.format == "text" and arguments.output is None:
            _print_lines(_lines(report, arguments))
        reports.append(report)
    if arguments.format != "text" or arguments.output is not None:
        write_text(arguments.output, _formatted(reports, arguments))
    for form, file in arguments.also:
        other = argparse.Namespace(**{**vars(arguments), "format": form, "output": file})
        write_text(file, _formatted(reports, other))
    counts = Counter[str](problem.severity for report in reports for problem in report)
    told = _told(reports, counts, is_auto=choices["conventions"] == "auto")
    tell(f"{_subjects(reports)}: {told}")
    if any(map(_is_unopened, reports)):
        return UNREADABLE
    return FINDINGS if failed(counts, arguments.fail_on) else CLEAN


# --- output ----------------------------------------------------------------------------------------------


def _other_output(text: str) -> tuple[str, str]:
    """The format and the file in `--also`.

    >>> _other_output("sarif=out/zom.sarif")
    ('sarif', 'out/zom.sarif')
    """
    form, sign, file = text.partition("=")
    if form not in _FORMATS or not sign or not file:
        message = f"expected FORMAT=FILE, a format among {', '.join(_FORMATS)}, found {text!r}"
        raise argparse.ArgumentTypeError(message)
    return form, file


def _formatted(reports: Sequence[Report], arguments: argparse.Namespace) -> str:
    if arguments.format == "text":
        return "".join(f"{''.join(line)}\n" for each in reports for line in _lines(each, arguments))
    if arguments.format == "html":
        return _page(reports, arguments)
    if arguments.format == "sarif":
        from zom.conventions.report.sarif import sarif_of  # noqa: PLC0415 - only on request

        return sarif_of(reports)
    if arguments.format == "junit":
        from zom.conventions.report.junit import junit_of  # noqa: PLC0415 - as above

        return junit_of(reports, fail_on=arguments.fail_on)
    if arguments.format == "github":
        from zom.conventions.report.github import github_of  # noqa: PLC0415 - as above

        return github_of(reports)
    from zom.conventions.report.json import lines_of, list_of  # noqa: PLC0415 - as above

    return lines_of(reports) if arguments.format == "jsonl" else list_of(reports)


def _page(reports: Sequence[Report], arguments: argparse.Namespace) -> str:
    """The page of all places, with the nodes of readable ones, whose documents are read again."""
    from zom.views.html.page import report_page  # noqa: PLC0415 - as above

    given = parameters_from(arguments.parameters)
    nothing: tuple[None, dict[str, str]] = (None, {})
    specs: list[Spec | None] = []
    broken: list[Mapping[str, str]] = []
    for name in arguments.places:
        try:
            # Standard input can be read only once.
            spec, lost = nothing if name == "-" else _sound_part(name, given)
        except (CommandError, ZomError):
            spec, lost = nothing
        specs.append(spec)
        broken.append(lost)
    return report_page(reports, specs, broken)


def _sound_part(name: str, parameters: Mapping[str, str]) -> tuple[Spec | None, Mapping[str, str]]:
    """The readable part of a place, and why the rest is unreadable."""
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.operand import operand_of, sound_part_at  # noqa: PLC0415 - slow to import

    if not operand_of(name).is_store:
        document = read_document(name, parameters)
        if document.kind == "node":
            return document.sound_part()
    return sound_part_at(name, parameters=parameters)


def _lines(report: Report, arguments: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """The lines of the report, each in parts."""
    from itertools import islice  # noqa: PLC0415 - slow to import

    from zom.cli.terminal import severity_painted  # noqa: PLC0415 - slow to import
    from zom.conventions.report.text import (  # noqa: PLC0415 - as above
        finding_parts,
        gathered,
        more_line,
        summary_lines,
    )

    told = 0
    for problem, more in islice(gathered(report.problems, whole=arguments.verbose), _most(arguments)):
        place, severity, said = finding_parts(problem, report.file(problem))
        yield place, severity if arguments.output else severity_painted(severity), spoken(said)
        told += 1 + more
        if more:
            yield (f"{more_line(problem, more)}; -v lists them",)
    if told < len(report):
        yield (f"{report.subject}: and {len(report) - told:,} more",)
    if arguments.verbose:
        yield from ((line,) for line in summary_lines(report, verbose=True))


_ON_A_TERMINAL = 50
"""Maximum number of problems listed per place on a terminal, unless the user gave a number."""


def _most(arguments: argparse.Namespace) -> int | None:
    """The number of problems to list per place; None for all."""
    import sys  # noqa: PLC0415 - as the others

    if arguments.first is not None or arguments.output is not None or arguments.verbose:
        return None if arguments.first is None else int(arguments.first)
    return _ON_A_TERMINAL if sys.stdout.isatty() else None


def _print_lines(lines: Iterable[tuple[str, ...]]) -> None:
    for line in lines:
        say(*line)


def _subjects(reports: Sequence[Report]) -> str:
    """The numbers of validated documents, stores and unreadable places.

    >>> _subjects([])
    'no places'
    """
    from zom.problems import one_of_words  # noqa: PLC0415 - the help of the command needs no dataclasses

    unopened = sum(map(_is_unopened, reports))
    stores = sum(report.store is not None for report in reports)
    numbers = {"document": len(reports) - stores - unopened, "store": stores, "unreadable place": unopened}
    said = [count_of(number, name) for name, number in numbers.items() if number]
    return one_of_words(said, "and") if said else "no places"


def _is_unopened(report: Report) -> bool:
    """Whether the place was unreadable, even if a pattern suppresses this finding."""
    from zom.hierarchy.check.unopened import UNOPENED  # noqa: PLC0415 - slow to import

    return any(problem.code == UNOPENED.code for problem in (*report.problems, *report.suppressed))


def _told(reports: Sequence[Report], counts: Counter[str], *, is_auto: bool) -> str:
    """The number of problems, and the outcomes of the rules."""
    hidden = sum(len(report.suppressed) for report in reports)
    problems = counted(counts) + (f", {hidden} suppressed" if hidden else "")
    outcomes: dict[tuple[str, str], str] = {}
    for rule in (rule for report in reports for rule in report.rules):
        # A rule that failed in one place failed, and one that passed in one place was checked.
        known = outcomes.setdefault((rule.convention, rule.code), rule.outcome)
        worse = min(known, rule.outcome, key=("failed", "passed", "not applicable").index)
        outcomes[rule.convention, rule.code] = worse
    if not outcomes:
        is_silent = not is_auto or all(map(_is_unopened, reports))
        return problems if is_silent else f"{problems}; no convention was found"
    names = ", ".join(dict.fromkeys(convention for convention, _ in outcomes))
    numbers = Counter(outcomes.values())
    told = ", ".join(f"{numbers[each]} {each}" for each in ("passed", "failed") if numbers[each])
    bare = sum(not report.rules and not _is_unopened(report) for report in reports)
    without = f"; no convention was found in {bare} of {len(reports)}" if bare else ""
    return f"{problems}; rules of {names}: {told or 'none applies'}{without}"


def problem_parts(name: str, problem: Problem, stream: TextIO | None = None) -> tuple[str, ...]:
    """The parts of a line about the problem, as editors expect it, for standard output or `stream`.

    >>> from zom import Problem
    >>> problem = Problem("v3/shape", "error", "/t", "/members/t/shape/0", ("shape", 0), "1", "2", line=3, column=7)
    >>> "".join(problem_parts("a.json", problem))
    'a.json:3:7: error: /t: shape[0]: expected 1, found 2 [v3/shape]'
    """
    from zom.cli.terminal import severity_painted  # noqa: PLC0415 - slow to import
    from zom.conventions.report.text import finding_parts  # noqa: PLC0415 - slow to import

    where, severity, said = finding_parts(problem, name)
    return where, severity_painted(severity, stream), spoken(said)


def stored_problem_parts(place: Operand, problem: Problem, stream: TextIO | None = None) -> tuple[str, ...]:
    """Like `problem_parts`, for a problem in a store, whose file is the store's key."""
    name = place.store if problem.key else place.name
    return problem_parts(f"{name.rstrip('/')}/{problem.key}" if problem.key else name, problem, stream)


def counted(counts: Counter[str]) -> str:
    """The number of problems of each severity, as text.

    >>> counted(Counter(error=1, note=2)), counted(Counter())
    ('1 error, 2 notes', 'no problems')
    """
    return ", ".join(count_of(number, name) for name, number in sorted(counts.items())) or "no problems"
