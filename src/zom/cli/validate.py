"""`zom validate`: every problem of documents and stores: as Zarr, of the conventions they follow, of what is stored.

Only errors make the command fail, where nothing else is asked for: a warning or a note refuses no document. Of
a store, the documents of all its nodes are read; `--data` says what is read besides. With `--like`, what differs
from a spec, or doesn't fit a template, is a problem, too.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from zom.cli.outcome import CLEAN, FINDINGS, USAGE, CommandError, spoken
from zom.cli.parameters import declare_parameters, parameters_from
from zom.cli.terminal import Progress, declare_progress
from zom.cli.tree import whole_number
from zom.errors import ZomError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zom.cli.document import Document
    from zom.cli.operand import Operand
    from zom.conventions.report import Report
    from zom.model.spec import Spec
    from zom.problems import Problem

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
        "--convention",
        action="append",
        metavar="NAME",
        help="a convention that has to be there, such as xarray, ome or ome/0.5, several by several options; "
        "auto: all that are found (the default); none: Zarr alone",
    )
    parser.add_argument(
        "--profile",
        choices=["text", "schema", "full"],
        default="text",
        help="whose rules of conventions count: those of the specifications' text (the default), of their "
        "published schemas, or all, with SHOULD as binding as MUST",
    )
    parser.add_argument(
        "--suppress",
        action="append",
        default=[],
        metavar="PATTERN",
        help="hide findings of rules, or of rules at nodes: 'cf/*', 'xarray/dims-*@/raw/**'",
    )
    parser.add_argument(
        "--data",
        choices=["none", "values", "keys", "index", "all"],
        default="none",
        help="what of a store is read besides documents, each including those before it: nothing (the default), "
        "values of coordinates, indexes and codes for the rules that ask for them, names and sizes of chunks, "
        "indexes of shards, every chunk",
    )
    parser.add_argument(
        "--like",
        metavar="PLACE",
        help="a spec that each place should equal, or a template that it should fit",
    )
    parser.add_argument(
        "--level",
        choices=["lenient", "strict", "closed"],
        default="strict",
        help="what is asked of a document: what real software wrote, the specification (the default), "
        "registered names",
    )
    declare_parameters(parser)
    declare_fail_on(parser)
    parser.add_argument(
        "--format",
        choices=["text", "json", "jsonl", "sarif", "junit", "github", "html"],
        default="text",
        help="how problems are shown",
    )
    parser.add_argument(
        "--limit",
        type=whole_number,
        default=20,
        metavar="N",
        help="list N problems of one rule and node about chunks and keys, and count the rest (default: 20)",
    )
    parser.add_argument(
        "--first",
        type=whole_number,
        metavar="N",
        help="as text, list N problems of a place, and count the rest",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="instead of standard output")
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="as text, say what became of each rule of conventions, too",
    )
    declare_progress(parser)


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
    from zom.cli.file import write_text  # noqa: PLC0415 - as the others: --help needs none of them
    from zom.cli.operand import operand_of  # noqa: PLC0415 - slow to import
    from zom.cli.places import expanded  # noqa: PLC0415 - slow to import

    choices = {
        "conventions": _asked(arguments.convention),
        "profile": arguments.profile,
        "suppress": _suppressions(arguments.suppress),
        "level": arguments.level,
        "like": _like(arguments.like),
    }
    reports: list[Report] = []
    stores = 0
    parameters = parameters_from(arguments.parameters)
    arguments.places = expanded(arguments.places)
    for name in arguments.places:
        place = operand_of(name)
        stores += place.is_store
        report = (
            _of_store(place, choices, arguments)
            if place.is_store
            else _of_document(name, choices, parameters)
        )
        if arguments.format == "text" and arguments.output is None:
            _print_lines(_lines(report, arguments))
        reports.append(report)
    if arguments.format != "text":
        write_text(arguments.output, _formatted(reports, arguments))
    elif arguments.output is not None:
        write_text(
            arguments.output, "".join(f"{line}\n" for each in reports for line in _lines(each, arguments))
        )
    counts = Counter[str](problem.severity for report in reports for problem in report)
    told = _told(reports, counts, is_auto=choices["conventions"] == "auto")
    print(f"{_subjects(len(reports) - stores, stores)}: {told}", file=sys.stderr)
    return FINDINGS if failed(counts, arguments.fail_on) else CLEAN


# --- what is asked for -----------------------------------------------------------------------------------


def _asked(names: Sequence[str] | None) -> Any:
    """The conventions that are named."""
    from zom.conventions.framework.convention import conventions  # noqa: PLC0415 - slow to import
    from zom.errors import UnknownName  # noqa: PLC0415 - as above

    given = [part for name in names or ["auto"] for part in name.split(",") if part]
    if given == ["auto"]:
        return "auto"
    if given == ["none"]:
        return ()
    if "auto" in given or "none" in given:
        message = "--convention: auto and none stand alone; name conventions, or leave the names out"
        raise CommandError(message, USAGE)
    try:
        return [each for name in given for each in conventions.of_id(name)]
    except UnknownName as error:
        raise CommandError(f"--convention: {error}", USAGE) from None


def _suppressions(patterns: Sequence[str]) -> Sequence[str]:
    from zom.conventions.framework.suppression import parse_suppressions  # noqa: PLC0415 - slow to import

    try:
        parse_suppressions(patterns)
    except ValueError as error:
        raise CommandError(f"--{error}", USAGE) from None
    return patterns


def _like(name: str | None) -> Any:
    """The spec or template that is named."""
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.operand import operand_of, spec_at  # noqa: PLC0415 - slow to import

    if name is None:
        return None
    if operand_of(name).is_store:
        return spec_at(name)
    document = read_document(name)
    return document.template() if document.is_template else document.spec()


def _of_document(name: str, choices: dict[str, Any], parameters: Mapping[str, str]) -> Report:
    from dataclasses import replace  # noqa: PLC0415 - slow to import

    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.hierarchy.check.validate import validate, validate_attributes  # noqa: PLC0415 - slow to import

    document = read_document(name, parameters)
    if document.kind == "declaration":
        return replace(_of_declaration(document, choices), subject=document.name)
    if document.kind != "attributes":
        return replace(validate(document.text, **choices), subject=document.name)
    choices = dict(choices)
    if choices.pop("like") is not None:
        raise CommandError(
            f"{name}: --like compares nodes, and these are attributes alone; name a node", USAGE
        )
    return replace(validate_attributes(document.text, **choices), subject=document.name)


def _of_declaration(document: Document, choices: dict[str, Any]) -> Report:
    from zom.errors import SpecError  # noqa: PLC0415 - slow to import
    from zom.hierarchy.check.document import report_of_faulty  # noqa: PLC0415 - slow to import
    from zom.hierarchy.check.validate import validate  # noqa: PLC0415 - slow to import

    try:
        return validate(document.declaration(), **choices)
    except SpecError as error:
        return report_of_faulty(error)


def _of_store(place: Operand, choices: dict[str, Any], arguments: argparse.Namespace) -> Report:
    from dataclasses import replace  # noqa: PLC0415 - slow to import

    from zom.hierarchy.check.validate import validate  # noqa: PLC0415 - slow to import

    with place.opened() as store, Progress("validating", arguments.progress) as progress:
        report = validate(
            store, path=place.path, data=arguments.data, limit=arguments.limit, progress=progress, **choices
        )
    return replace(report, subject=place.name, store=place.store)


# --- what is said ----------------------------------------------------------------------------------------


def _formatted(reports: Sequence[Report], arguments: argparse.Namespace) -> str:
    if arguments.format == "html":
        return _page(reports, arguments)
    if arguments.format == "sarif":
        from zom.conventions.report.sarif import sarif_of  # noqa: PLC0415 - where it is asked for

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
    """The page of all places, with the nodes of those that can be read: their documents are read again for it."""
    from zom.views.html.page import report_page  # noqa: PLC0415 - as above

    given = parameters_from(arguments.parameters)
    nothing: tuple[None, dict[str, str]] = (None, {})
    specs: list[Spec | None] = []
    broken: list[Mapping[str, str]] = []
    for name in arguments.places:
        try:
            # What was on standard input is read once.
            spec, lost = nothing if name == "-" else _sound_part(name, given)
        except (CommandError, ZomError):
            spec, lost = nothing
        specs.append(spec)
        broken.append(lost)
    return report_page(reports, specs, broken)


def _sound_part(name: str, parameters: Mapping[str, str]) -> tuple[Spec | None, Mapping[str, str]]:
    """What can be read at a place, and why the rest can't be."""
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.operand import operand_of, sound_part_at  # noqa: PLC0415 - slow to import

    if not operand_of(name).is_store:
        document = read_document(name, parameters)
        if document.kind == "node":
            return document.sound_part()
    return sound_part_at(name, parameters=parameters)


def _lines(report: Report, arguments: argparse.Namespace) -> Iterator[str]:
    from itertools import islice  # noqa: PLC0415 - slow to import

    from zom.cli.terminal import severity_painted  # noqa: PLC0415 - slow to import
    from zom.conventions.report.text import finding_line, summary_lines  # noqa: PLC0415 - as above

    for problem in islice(report.problems, arguments.first):
        shown = problem.severity if arguments.output else severity_painted(problem.severity)
        yield spoken(finding_line(problem, report.file(problem), shown))
    left = 0 if arguments.first is None else len(report) - arguments.first
    if left > 0:
        yield f"{report.subject}: and {left:,} more"
    if arguments.verbose:
        yield from summary_lines(report, verbose=True)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _subjects(documents: int, stores: int) -> str:
    said = [_number(documents, "document")] * bool(documents) + [_number(stores, "store")] * bool(stores)
    return " and ".join(said)


def _told(reports: Sequence[Report], counts: Counter[str], *, is_auto: bool) -> str:
    """How many problems there are, and what was checked to find them."""
    hidden = sum(len(report.suppressed) for report in reports)
    problems = counted(counts) + (f", {hidden} suppressed" if hidden else "")
    outcomes: dict[tuple[str, str], str] = {}
    for rule in (rule for report in reports for rule in report.rules):
        # What failed in one place failed, and what passed in one was checked.
        known = outcomes.setdefault((rule.convention, rule.code), rule.outcome)
        worse = min(known, rule.outcome, key=("failed", "passed", "not applicable").index)
        outcomes[rule.convention, rule.code] = worse
    if not outcomes:
        return f"{problems}; no convention was found" if is_auto else problems
    names = ", ".join(dict.fromkeys(convention for convention, _ in outcomes))
    numbers = Counter(outcomes.values())
    told = ", ".join(f"{numbers[each]} {each}" for each in ("passed", "failed") if numbers[each])
    bare = sum(not report.rules for report in reports)
    without = f"; no convention was found in {bare} of {len(reports)}" if bare else ""
    return f"{problems}; rules of {names}: {told or 'none applies'}{without}"


def problem_line(name: str, problem: Problem) -> str:
    """The problem as editors and people find their way to it.

    >>> from zom import Problem
    >>> problem = Problem("v3/shape", "error", "/t", "/members/t/shape/0", ("shape", 0), "1", "2", line=3, column=7)
    >>> problem_line("a.json", problem)
    'a.json:3:7: error: /t: shape[0]: expected 1, found 2 [v3/shape]'
    """
    from zom.cli.terminal import severity_painted  # noqa: PLC0415 - slow to import
    from zom.conventions.report.text import finding_line  # noqa: PLC0415 - slow to import

    return spoken(finding_line(problem, name, severity_painted(problem.severity)))


def stored_problem_line(place: Operand, problem: Problem) -> str:
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
